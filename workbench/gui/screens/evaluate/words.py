"""Words for figures of Evaluate."""

from __future__ import annotations

from workbench.base.messages import rate
from workbench.evaluation.choosing import Rule
from workbench.evaluation.intervals import Interval
from workbench.gui.i18n import say, tr, trn
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.baselines import BASELINES
from workbench.services.measuring.label_selection import Chosen
from workbench.services.measuring.scored_run import ScoredRun


def share(value: float | None) -> str:
    """A rate with three decimals."""
    return "–" if value is None else rate(value)


def ends(interval: Interval | None) -> str:
    """The ends of an interval."""
    return tr("too few labels") if interval is None else f"{rate(interval[0])}–{rate(interval[1])}"


def score_text(value: float) -> str:
    """A score, rounded to about four digits."""
    if value == int(value) and abs(value) < 1e7:
        return f"{value:,.0f}"
    words = f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.1f}"
    # A score that is nearly whole does not look like a whole one, which items may have.
    return words if float(words.replace(",", "")) % 1 else f"{value:,.10g}"


def rule_words(rule: Rule) -> str:
    """What a rule requires."""
    value = f"{rule.value:g}"
    return {
        "best-f": tr("Best F"),
        "precision": tr("Precision ≥ {value}", value=value),
        "recall": tr("Recall ≥ {value}", value=value),
        "cost": tr("A false accusation costs {value} misses", value=value),
    }[rule.kind]


def counted(chosen: Chosen, count: int) -> str:
    """A count of items."""
    if chosen.kind is TargetKind.DOCUMENT:
        return trn("{count} document", "{count} documents", count)
    if chosen.kind is TargetKind.PAIR:
        return trn("{count} pair", "{count} pairs", count)
    if chosen.of_matches:
        return trn("{count} match", "{count} matches", count)
    return trn("{count} passage", "{count} passages", count)


def left_out_words(scored: ScoredRun) -> str:
    """The labels for other texts among those measured, and what is not measured, by reason; "" if there is none."""
    parts = []
    if scored.of_other_texts:
        items = counted(scored.chosen, scored.of_other_texts)
        parts.append(tr("The labels of {items} were given for another text than the present one.", items=items))
    if scored.left_out:
        reasons = (f"{say(reason)} ({count:,})" for reason, count in scored.left_out.items())
        parts.append(tr("Left out: {parts}.", parts="; ".join(reasons)))
    return " ".join(parts)


def run_words(run: int | str, method: str) -> str:
    """A run by its number and method, or a baseline by its name."""
    return say(BASELINES[run]) if isinstance(run, str) else tr("Run {number} · {method}", number=run, method=method)
