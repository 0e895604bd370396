"""Making a threshold the project's, and taking it back."""

from __future__ import annotations

from collections.abc import Callable

from workbench.evaluation.choosing import Choice
from workbench.gui.i18n import tr
from workbench.gui.screens.evaluate.words import score_text
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.scored_run import ScoredRun
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold, withdraw_threshold
from workbench.services.session import Session


def use(context: AppContext, used: UsedThreshold, before: UsedThreshold | None) -> None:
    """Make ``used`` the project's threshold in place of ``before``; undo takes it back."""
    title = tr("Use the threshold {value}", value=score_text(used.value))
    sentence = tr(
        "{value} is the project's threshold for {method}: precision {precision}, recall {recall}.",
        value=score_text(used.value),
        method=used.method,
        precision=f"{used.precision:.2f}",
        recall=f"{used.recall:.2f}",
    )
    back = _back_to(before, used.method, used.kind)
    context.perform(title, _to(used), back, {"measures"}, sentence=sentence)


def withdraw(context: AppContext, before: UsedThreshold) -> None:
    """Use no threshold any more in place of ``before``; undo takes it back."""
    none = _back_to(None, before.method, before.kind)
    context.perform(tr("Use no threshold"), none, _to(before), {"measures"})


def threshold_of(bench: ScoredRun, threshold: float, choice: Choice | None, who: str) -> UsedThreshold:
    """The record of ``threshold``: the corrected figures of ``choice``, a rule that has chosen it, if any."""
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


def _to(used: UsedThreshold) -> Callable[[Session], object]:
    return lambda session: use_threshold(session, used)


def _back_to(used: UsedThreshold | None, method: str, kind: TargetKind) -> Callable[[Session], object]:
    if used is not None:
        return _to(used)
    return lambda session: withdraw_threshold(session, method, kind)
