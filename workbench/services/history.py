"""Verdicts given in this sitting, with undo and redo. The log only ever grows: undoing appends an event too."""

from __future__ import annotations

import getpass
from dataclasses import dataclass

from workbench.base.types import Label, Match
from workbench.project import labels
from workbench.project.listing import ids_of
from workbench.services.session import Session
from workbench.services.verdicts import LABEL_SET, MatchVerdict, target


@dataclass(frozen=True, slots=True)
class _Step:
    """What an event replaced and what it set; empty values mean no label."""

    target: str
    label_set: str
    before: tuple[str, str]
    after: tuple[str, str]


def reviewer() -> str:
    """The name under which this machine's user is logged in; empty where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def set_verdict(session: Session, run_id: int, match: Match, value: str, note: str = "", who: str = "") -> Label:
    """Append a verdict on ``match``; an empty ``value`` withdraws it. Raises ValueError for an unknown verdict.

    The verdict belongs to the passage, not to the run: ``run_id`` is the run in which the reviewer saw it.
    """
    return History(session).set_verdict(run_id, match, value, note, who)


class History:
    """Undo and redo of the labels set through it, newest first."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._done: list[_Step] = []
        self._undone: list[_Step] = []

    def set_verdict(self, run_id: int, match: Match, value: str, note: str = "", who: str = "") -> Label:
        """Append a verdict on ``match`` (see :func:`set_verdict`)."""
        if value:
            value = MatchVerdict(value).value
        with self._session.read() as connection:
            ids = ids_of(connection, [match.a, match.b])
        return self.set_label(target(ids[match.a], match.a_span, ids[match.b], match.b_span), value, note, who)

    def set_label(self, name: str, value: str, note: str = "", who: str = "", label_set: str = LABEL_SET) -> Label:
        """Append a label on any target."""
        with self._session.write() as connection:
            events = labels.history(connection, name, label_set)
            before = (events[-1].value, events[-1].note) if events else ("", "")
            label = labels.add_label(connection, Label(name, value, who or reviewer(), "", note, label_set=label_set))
        self._done.append(_Step(name, label_set, before, (value, note)))
        self._undone.clear()
        return label

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to redo."""
        return bool(self._undone)

    def undo(self, who: str = "") -> Label | None:
        """Put back what the last step replaced, as a new event; None when there is nothing to undo."""
        if not self._done:
            return None
        step = self._done.pop()
        self._undone.append(step)
        return self._append(step, step.before, who)

    def redo(self, who: str = "") -> Label | None:
        """Set again what was undone last, as a new event; None when there is nothing to redo."""
        if not self._undone:
            return None
        step = self._undone.pop()
        self._done.append(step)
        return self._append(step, step.after, who)

    def _append(self, step: _Step, state: tuple[str, str], who: str) -> Label:
        value, note = state
        with self._session.write() as connection:
            return labels.add_label(
                connection, Label(step.target, value, who or reviewer(), "", note, label_set=step.label_set)
            )
