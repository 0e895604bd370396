"""Cases: the actions taken about a reported page or site, as events of the label log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.base.types import Label
from workbench.project import labels
from workbench.project.database import Connection
from workbench.reading.formats.html import site_of
from workbench.services.labels.sets import CASES
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session

_PAGE, _SITE = "page:", "site:"


class CaseState(StrEnum):
    """The state of a case: new, a licence was given, a notice was sent, settled, or ignored."""

    NEW = "new"
    LICENSED = "licensed"
    SENT = "notice sent"
    SETTLED = "settled"
    IGNORED = "ignored"

    @property
    def is_silent(self) -> bool:
        """Whether further matches on the page are counted but not reported."""
        return self in (CaseState.LICENSED, CaseState.IGNORED)


@dataclass(frozen=True, slots=True)
class Case:
    """The case of a page; ``of_site``: it covers the whole site. ``when`` is ISO 8601 in UTC."""

    state: CaseState = CaseState.NEW
    note: str = ""
    who: str = ""
    when: str = ""
    of_site: bool = False


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of a project: all events by target, oldest first, each with its index among all events.

    The last one of a target is its case.
    """

    events: Mapping[str, Sequence[tuple[int, Label]]] = field(default_factory=dict)

    def of(self, page: str) -> Case:
        """The case of ``page`` (its address, or the id of a document without one): its own, else its site's."""
        for target, of_site in ((_PAGE + page, False), (_SITE + site_of(page), True)):
            label = self.last(target)
            if label is not None:
                return Case(CaseState(label.value), label.note, label.who, label.when, of_site)
        return Case()

    def last(self, target: str) -> Label | None:
        """The current case of ``target``; None if there is none."""
        _, label = next(reversed(self.events.get(target, ())), (0, None))
        return label if label is not None and label.value in list(CaseState) else None

    def history(self, page: str) -> tuple[Label, ...]:
        """All events about ``page`` and its site, oldest first."""
        events = {place: event for target in _targets(page) for place, event in self.events.get(target, ())}
        return tuple(events[place] for place in sorted(events))

    def seen_in(self, session: Session) -> Cases:
        """The cases that the viewer of ``session`` may see: in a blind review those in which they had a part."""
        whose = {target: {label.who for _, label in events} for target, events in self.events.items()}
        return Cases({target: self.events[target] for target, who in whose.items() if session.sees_labels(who)})


def read_cases(connection: Connection) -> Cases:
    """The cases of the project."""
    return _cases(labels.gained(connection, [CASES]))


def read_cases_of(connection: Connection, page: str) -> Cases:
    """The cases of ``page`` and its site, in time independent of the log's size."""
    return _cases(labels.history(connection, _targets(page), CASES))


def _cases(events: Iterable[Label]) -> Cases:
    """The cases of ``events``, in the order of the log, which after a merge is not chronological."""
    by_target: defaultdict[str, list[tuple[int, Label]]] = defaultdict(list)
    for place, event in enumerate(sorted(events, key=lambda event: (event.when, event.who))):
        by_target[event.target].append((place, event))
    return Cases(by_target)


def set_case(session: Session, page: str, state: CaseState | None, note: str = "", *, whole_site: bool = False) -> None:
    """Record the case of ``page`` or, with ``whole_site``, of its site; None withdraws it."""
    event = Label(_target(page, whole_site), "" if state is None else state.value, reviewer(), "", note, "", CASES)
    with session.write() as connection:
        labels.add_label(connection, event)


def last_case(session: Session, page: str, *, whole_site: bool = False) -> tuple[CaseState | None, str]:
    """The last :func:`set_case` for the page or its site, and the note; None if there is none."""
    with session.read() as connection:
        label = read_cases_of(connection, page).last(_target(page, whole_site))
    return (CaseState(label.value), label.note) if label else (None, "")


def case_history(session: Session, page: str) -> tuple[Label, ...]:
    """All events about ``page`` and its site, oldest first."""
    with session.read() as connection:
        return read_cases_of(connection, page).history(page)


def case_record(event: Label) -> dict[str, str]:
    """An event of a case as a flat JSON object."""
    return {"target": event.target, "case": event.value, "note": event.note, "who": event.who, "when": event.when}


def _target(page: str, whole_site: bool) -> str:
    return _SITE + site_of(page) if whole_site and site_of(page) else _PAGE + page


def _targets(page: str) -> tuple[str, str]:
    return _target(page, False), _target(page, True)
