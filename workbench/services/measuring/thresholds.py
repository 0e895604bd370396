"""The thresholds of a project: chosen in Evaluate, applied wherever scores are shown."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.messages import Message, rate, threshold_words
from workbench.evaluation.intervals import Interval
from workbench.project.database import Connection
from workbench.project.measuring import StoredThreshold, add_threshold, latest_threshold, latest_thresholds
from workbench.services.labels.targets import TargetKind
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class UsedThreshold:
    """The score from which items of one kind (documents, pairs, passages) count, for one method.

    ``run`` is the run it was chosen on, ``labels`` the label set; ``precision``, ``recall`` and ``f1`` are in [0, 1],
    with 95 % intervals. ``corrected``: for the optimism of choosing and measuring on the same labels.
    """

    method: str
    kind: TargetKind
    value: float
    run: int
    labels: str
    labelled: int
    precision: float
    recall: float
    f1: float
    precision_interval: Interval
    recall_interval: Interval
    corrected: bool
    who: str = ""
    when: str = ""


def used_threshold(session: Session, method: str, kind: TargetKind) -> UsedThreshold | None:
    """The threshold in use for ``method``; None if none was chosen."""
    with session.read() as connection:
        return used_in(connection, method, kind)


def used_in(connection: Connection, method: str, kind: TargetKind) -> UsedThreshold | None:
    """Like :func:`used_threshold`, on an open connection."""
    stored = latest_threshold(connection, method, kind.value)
    return None if stored is None or stored.value is None else _used(stored)


def used_thresholds(session: Session) -> list[UsedThreshold]:
    """All thresholds in use."""
    with session.read() as connection:
        return [_used(stored) for stored in latest_thresholds(connection) if stored.value is not None]


def described(used: UsedThreshold) -> Message:
    """``used`` as a sentence with its quality, and the labels it was measured on."""
    figures = {
        "method": used.method,
        "value": threshold_words(used.value),
        "precision": rate(used.precision, 2),
        "precision_low": rate(used.precision_interval[0], 2),
        "precision_high": rate(used.precision_interval[1], 2),
        "recall": rate(used.recall, 2),
        "recall_low": rate(used.recall_interval[0], 2),
        "recall_high": rate(used.recall_interval[1], 2),
        "run": used.run,
        "count": f"{used.labelled:,}",
        "labels": used.labels,
    }
    if used.corrected:
        return Message(
            "The project's threshold for {method}: {value}. Precision {precision} ({precision_low}–{precision_high}), "
            "recall {recall} ({recall_low}–{recall_high}), measured on run {run} with {count} labels of the set "
            "{labels}, corrected for the optimism of choosing and measuring on the same labels.",
            **figures,
        )
    return Message(
        "The project's threshold for {method}: {value}. Precision {precision} ({precision_low}–{precision_high}), "
        "recall {recall} ({recall_low}–{recall_high}), measured on run {run} with {count} labels of the set {labels}.",
        **figures,
    )


def use_threshold(session: Session, threshold: UsedThreshold) -> None:
    """Use ``threshold`` for its method and kind from now on; earlier ones remain in the project's history."""
    with session.write() as connection:
        add_threshold(connection, _stored(threshold))


def withdraw_threshold(session: Session, method: str, kind: TargetKind) -> None:
    """Use no threshold from now on."""
    with session.write() as connection:
        add_threshold(connection, StoredThreshold(method, kind.value, None))


def _stored(used: UsedThreshold) -> StoredThreshold:
    facts = {
        "run": used.run,
        "labels": used.labels,
        "labelled": used.labelled,
        "precision": used.precision,
        "recall": used.recall,
        "f1": used.f1,
        "precision_low": used.precision_interval[0],
        "precision_high": used.precision_interval[1],
        "recall_low": used.recall_interval[0],
        "recall_high": used.recall_interval[1],
        "corrected": used.corrected,
    }
    return StoredThreshold(used.method, used.kind.value, used.value, facts, used.who)


def _used(stored: StoredThreshold) -> UsedThreshold:
    facts = stored.facts
    assert stored.value is not None
    return UsedThreshold(
        method=stored.method,
        kind=TargetKind(stored.kind),
        value=stored.value,
        run=int(facts["run"]),
        labels=str(facts["labels"]),
        labelled=int(facts["labelled"]),
        precision=float(facts["precision"]),
        recall=float(facts["recall"]),
        f1=float(facts["f1"]),
        precision_interval=(float(facts["precision_low"]), float(facts["precision_high"])),
        recall_interval=(float(facts["recall_low"]), float(facts["recall_high"])),
        corrected=bool(facts["corrected"]),
        who=stored.who,
        when=stored.occurred,
    )
