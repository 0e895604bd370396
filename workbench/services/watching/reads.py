"""Reads for the Watch screen. Each takes the session and uses no widgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from workbench.project.documents import count_documents, load_document
from workbench.project.listing import ids_of
from workbench.project.watches import Check, Watch, checks
from workbench.services.session import Session
from workbench.services.watching.analysis import Analysis, CommonPassage, Tally, analyse
from workbench.services.watching.checking import is_running
from workbench.services.watching.findings import Finding, findings
from workbench.services.watching.store import all_watches, due

_QUOTED = 160
"""Number of characters of a passage shown in its row."""
_PASSAGES = 200
"""Maximum number of passages that are quoted; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Watches:
    """The saved searches with their checks (newest first) by number, the number of documents of the project, and the
    searches (numbers) that are being checked now, by whatever process.
    """

    watches: Sequence[Watch]
    checks: Mapping[int, Sequence[Check]]
    documents: int
    running: frozenset[int] = frozenset()

    def reported(self, watch: Watch) -> int:
        """Matches that a watch has reported."""
        return sum(check.reported for check in self.checks.get(watch.id, ()))


def read_watches(session: Session) -> Watches:
    """All saved searches."""
    watches = all_watches(session)
    with session.read() as connection:
        checked = {watch.id: checks(connection, watch.id) for watch in watches}
        running = frozenset(watch.id for watch in watches if is_running(connection, watch))
        return Watches(watches, checked, count_documents(connection), running)


def overdue(session: Session) -> list[Watch]:
    """The saved searches that are due, the one waiting longest first."""
    waiting = [(due(session, watch), watch) for watch in all_watches(session)]
    # A search that was never checked is due now.
    now = datetime.now(UTC)
    return [watch for when, watch in sorted(waiting, key=lambda w: w[0]) if when <= now]


@dataclass(frozen=True, slots=True)
class Figures:
    """An analysis with the findings by page and original, and the starts of the most copied passages; ``ids`` names
    documents by key.
    """

    analysis: Analysis
    findings: Sequence[Finding]
    quoted: Sequence[tuple[CommonPassage, str]]
    ids: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Day:
    """An ISO date with its new matches and those reported before."""

    name: str
    copies: int = 0
    known: int = 0


def every_day(tallies: Sequence[Tally]) -> list[Day]:
    """The days of ``tallies``, oldest first, and the days between them on which nothing was found."""
    by_date = {date.fromisoformat(t.name): Day(t.name, t.copies, t.known) for t in tallies}
    if not by_date:
        return []
    first, last = min(by_date), max(by_date)
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [by_date.get(day) or Day(day.isoformat()) for day in days]


def read_figures(watch: str, days: int) -> Callable[[Session], Figures]:
    """The findings of one watch ("": all) in the last ``days`` days (0: ever)."""

    def read(session: Session) -> Figures:
        since = (date.today() - timedelta(days=days - 1)).isoformat() if days else ""
        analysis = analyse(session, watch=watch, since=since)
        of_pages = findings(session, analysis.copies)
        texts: dict[int, str] = {}
        quoted = []
        with session.read() as connection:
            for passage in analysis.passages[:_PASSAGES]:
                key = passage.source.key
                if key not in texts:
                    texts[key] = load_document(connection, key).text
                start, end = passage.span
                quoted.append((passage, texts[key][start : min(end, start + _QUOTED)].replace("\n", " ")))
            keys = sorted({key for copy in analysis.copies for key in (copy.match.a, copy.match.b)})
            return Figures(analysis, of_pages, quoted, ids_of(connection, keys))

    return read
