"""Making a threshold the project's, and taking it back."""

from __future__ import annotations

from collections.abc import Callable

from workbench.evaluation.choosing import Choice
from workbench.gui.i18n import tr
from workbench.gui.screens.evaluate.words import score_text
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.bench import Bench
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold, withdraw_threshold
from workbench.services.session import Session


def use(context: AppContext, used: UsedThreshold, before: UsedThreshold | None) -> None:
    """Make ``used`` the project's threshold in place of ``before``; undo takes it back."""
    method, kind = used.method, used.kind
    _change(context, _to(used))
    title = tr("Use the threshold {value}", value=score_text(used.value))
    context.history.push(
        title, lambda: _change(context, _back_to(before, method, kind)), lambda: _change(context, _to(used))
    )
    context.say_undoable(
        tr(
            "{value} is the project's threshold for {method}: precision {precision}, recall {recall}.",
            value=score_text(used.value),
            method=used.method,
            precision=f"{used.precision:.2f}",
            recall=f"{used.recall:.2f}",
        )
    )


def withdraw(context: AppContext, before: UsedThreshold) -> None:
    """Use no threshold any more in place of ``before``; undo takes it back."""
    method, kind = before.method, before.kind
    _change(context, _back_to(None, method, kind))
    context.history.push(
        tr("Use no threshold"),
        lambda: _change(context, _to(before)),
        lambda: _change(context, _back_to(None, method, kind)),
    )


def threshold_of(bench: Bench, threshold: float, choice: Choice | None, who: str) -> UsedThreshold:
    """What is recorded of ``threshold``: the corrected figures of ``choice``, a rule that has chosen it, if any."""
    assert bench.curve is not None
    counts = bench.curve.counts(threshold)
    precision, recall, f1 = counts.precision or 0.0, counts.recall or 0.0, counts.f1
    ends = counts.precision_interval, counts.recall_interval
    corrected = choice is not None and choice.precision.interval is not None
    if choice is not None and choice.precision.interval is not None and choice.recall.interval is not None:
        precision, recall, f1 = choice.precision.value, choice.recall.value, choice.f1.value
        ends = choice.precision.interval, choice.recall.interval
    return UsedThreshold(
        method=bench.run.method,
        kind=bench.kind,
        value=threshold,
        run=bench.run.id,
        labels=bench.chosen.label_set,
        labelled=bench.curve.total,
        precision=precision,
        recall=recall,
        f1=f1,
        precision_interval=ends[0],
        recall_interval=ends[1],
        corrected=corrected,
        who=who,
    )


def _change(context: AppContext, change: Callable[[Session], object]) -> None:
    context.change(change, None)
    context.announce({"measures"})


def _to(used: UsedThreshold) -> Callable[[Session], object]:
    return lambda session: use_threshold(session, used)


def _back_to(used: UsedThreshold | None, method: str, kind: TargetKind) -> Callable[[Session], object]:
    if used is not None:
        return _to(used)
    return lambda session: withdraw_threshold(session, method, kind)
