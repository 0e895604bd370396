"""The standing of a page with copied text: whether it is online, and its case.

Watch, Review, the reports and the command line all use this.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from workbench.base.types import Label
from workbench.project.captures import PageState, page_states
from workbench.project.watches import pages_of, texts_of, texts_with_copies
from workbench.services.session import Session
from workbench.services.watching.cases import Case, Cases, case_record, read_cases_of


class Presence(StrEnum):
    """Whether a page is online: with what was reported, with another text, gone (its host says so), or unknown."""

    ONLINE = "online"
    CHANGED = "changed"
    GONE = "gone"
    SILENT = "last seen"
    UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """A page (its address, or the id of a document without one), its presence and its case.

    ``since`` is when the page was last seen or, if it is gone, when that was noticed (ISO 8601 in UTC; empty if it was
    never fetched). ``history``: the events of the cases of the page and its site, oldest first.
    """

    page: str
    presence: Presence
    since: str
    case: Case
    history: tuple[Label, ...]

    def record(self) -> dict[str, object]:
        """The parts as a flat JSON object."""
        return {
            "state": self.presence.value,
            "since": self.since,
            "case": self.case.state.value,
            "case_of": "site" if self.case.of_site else "page",
            "case_by": self.case.who,
            "case_since": self.case.when,
            "note": self.case.note,
            "history": [case_record(event) for event in self.history],
        }


def standing_of(page: str, texts: Collection[int], states: Mapping[str, PageState], cases: Cases) -> Standing:
    """The standing of ``page``, of which ``texts`` (numbers) were viewed."""
    presence, since = _presence(states.get(page), texts)
    return Standing(page, presence, since, cases.of(page), cases.history(page))


def read_standing(session: Session, document: int) -> Standing | None:
    """The standing of the page that a document (key) is from, as the viewer may see it; None if there is no such
    document.
    """
    with session.read() as connection:
        page = pages_of(connection, [document]).get(document)
        if page is None:
            return None
        texts = {*texts_of(connection, [document]).values(), *texts_with_copies(connection, page)}
        cases = read_cases_of(connection, page).seen_in(session)
        return standing_of(page, texts, page_states(connection, [page]), cases)


def _presence(state: PageState | None, texts: Collection[int]) -> tuple[Presence, str]:
    if state is None or not state.seen:
        return Presence.UNKNOWN, ""
    if state.gone:
        return Presence.GONE, state.gone
    if state.silent:
        return Presence.SILENT, state.seen
    return (Presence.ONLINE if state.text in texts else Presence.CHANGED), state.seen
