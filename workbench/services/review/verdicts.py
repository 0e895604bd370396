"""Giving verdicts: on passages, and on pairs of whole documents."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.base.messages import Message
from workbench.base.types import Label, Match, Span
from workbench.project import labels
from workbench.project.clock import now
from workbench.project.listing import ids_of
from workbench.services.labels.sets import LABEL_SET, PAIR_LABELS, VALUES
from workbench.services.labels.targets import pair_target, passage_target
from workbench.services.review.verdict_index import Held
from workbench.services.session import Session

State = tuple[str, str]
"""A verdict ("" for none) and a note."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a verdict is about: the documents ``a`` and ``b`` (ids) as a whole, or their passage at ``spans``."""

    a: str
    b: str
    spans: tuple[Span, Span] | None = None

    @property
    def label_set(self) -> str:
        """The label set of its verdicts."""
        return PAIR_LABELS if self.spans is None else LABEL_SET

    @property
    def target(self) -> str:
        """Its name in the label log."""
        if self.spans is None:
            return pair_target(self.a, self.b)
        return passage_target(self.a, self.spans[0], self.b, self.spans[1])


def passage_unit(match: Match, ids: Mapping[int, str]) -> Unit:
    """The passage of ``match``; ``ids`` maps keys of documents to imported ids."""
    return Unit(ids[match.a], ids[match.b], (match.a_span, match.b_span))


def reviewer() -> str:
    """The name under which this machine's user is logged in; empty where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def set_verdict(session: Session, match: Match, value: str, note: str = "", who: str = "") -> Label:
    """As :func:`give_verdict` on the passage of ``match``."""
    with session.read() as connection:
        ids = ids_of(connection, [match.a, match.b])
    return give_verdict(session, passage_unit(match, ids), value, note, who)


def give_verdict(session: Session, unit: Unit, value: str, note: str = "", who: str = "") -> Label:
    """Append a verdict on ``unit``; an empty ``value`` withdraws it. Raises ValueError for an unknown verdict."""
    event = _event(unit, (value, note), who)
    with session.write() as connection:
        return labels.add_label(connection, event)


def judge(session: Session, units: Sequence[Unit], value: str, who: str = "") -> list[State]:
    """Append a verdict ("" withdraws) on each of ``units``, whose notes stay; what each of them had before.

    All or none of them are written. Raises ValueError for an unknown verdict.
    """
    with session.write() as connection:
        index = session.verdicts.follow(connection)
        before: list[State] = []
        for unit in units:
            held = None if unit.spans is None else index.of(unit.a, unit.b).held(*unit.spans)
            # Without a verdict there may still be a note.
            last = [held.label] if held is not None else labels.history(connection, unit.target, unit.label_set)[-1:]
            before.append((last[0].value, last[0].note) if last else ("", ""))
        events = [_event(unit, (value, note), who) for unit, (_, note) in zip(units, before, strict=True)]
        labels.add_labels(connection, events)
    return before


def restore(session: Session, units: Sequence[Unit], states: Sequence[State], who: str = "") -> None:
    """Give each of ``units`` back the verdict and note it had; raises ValueError where the numbers differ."""
    with session.write() as connection:
        labels.add_labels(connection, [_event(unit, state, who) for unit, state in zip(units, states, strict=True)])


def history(session: Session, unit: Unit, held: Held | None = None) -> list[Label]:
    """Every verdict and note on ``unit``, oldest first; with those on the passage ``held`` was carried over from."""
    targets = [unit.target]
    if held is not None and held.carried:
        targets.insert(0, held.label.target)
    with session.read() as connection:
        events = [event for target in targets for event in labels.history(connection, target, unit.label_set)]
    return sorted(events, key=lambda event: event.when)


def expected_label(unit: Unit, state: State, who: str) -> Label:
    """What :func:`give_verdict` will write now. Raises ValueError for an unknown verdict."""
    return replace(_event(unit, state, who), when=now())


def _event(unit: Unit, state: State, who: str) -> Label:
    value, note = state
    if value and value not in VALUES[unit.label_set]:
        raise ValueError(Message("{value} is not a verdict that can be given here.", value=repr(value)))
    return Label(unit.target, value, who or reviewer(), "", note, label_set=unit.label_set)
