"""The findings of a project's watches over time: by source, site and day, the passages copied most, and the delay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

import numpy as np

from workbench.base.coverage import B
from workbench.base.gaps import Gaps
from workbench.base.types import Matches, Span
from workbench.project.captures import captures_of_document, page_states
from workbench.project.clock import moment
from workbench.project.database import Connection
from workbench.project.listing import DocumentItem, items_of
from workbench.project.watches import Check, Reported, checks, reported, watches
from workbench.services.session import Session


def _day(time: str) -> str:
    """The date of an ISO 8601 time on the calendar of this computer."""
    known = moment(time)
    with suppress(ValueError, OverflowError, OSError):
        if known is not None:
            return known.astimezone().date().isoformat()
    return time[:10]


@dataclass(frozen=True, slots=True)
class Copy:
    """A reported match: when and by which watch, the page that contains it, its source, and the days between them.

    ``day`` is the local date of the check, ``run`` the id of its run. ``delay`` counts whole days from the publication
    of the source to that of the page, or to its first capture if the page has no date; None if the source has no date,
    or the page seems to be older.
    """

    day: str
    watch: str
    match: Reported
    page: DocumentItem
    source: DocumentItem
    delay: int | None
    run: int | None

    @property
    def characters(self) -> int:
        """Characters of the source that the match covers."""
        match = self.match
        return match.b_end - match.b_start - sum(end - start for side, start, end in match.gaps if side == B)


def as_matches(rows: Sequence[Reported]) -> Matches:
    """Reported matches as columns."""
    a, b, a_start, a_end, b_start, b_end, tier = (
        np.array([(r.a, r.b, r.a_start, r.a_end, r.b_start, r.b_end, r.tier) for r in rows], np.int64)
        .reshape(-1, 7)
        .T.copy()
    )
    score, gaps = np.array([r.score for r in rows]), Gaps.of((at, *gap) for at, r in enumerate(rows) for gap in r.gaps)
    return Matches(a, b, a_start, a_end, b_start, b_end, score, tier.astype(np.int8), gaps=gaps)


@dataclass(frozen=True, slots=True)
class Tally:
    """Copies that share a ``name`` (a source's id, a site, a day): matches, pages, characters, median delay in days."""

    name: str
    title: str
    copies: int
    pages: int
    characters: int
    known: int = 0
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class CommonPassage:
    """A passage of a source that occurs on ``pages`` pages; ``span`` is its position in the source."""

    source: DocumentItem
    span: Span
    pages: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """The findings. ``by_day`` also counts matches that were already ``known``, newest day first.

    ``gone``: (day, page) of reported pages that disappeared and have not come back; ``failed``: (address, reason) of
    addresses that each watch's last check could not fetch; ``thresholds``: the project's, by name, that decided which
    matches counted.
    """

    copies: tuple[Copy, ...]
    by_source: tuple[Tally, ...]
    by_site: tuple[Tally, ...]
    by_day: tuple[Tally, ...]
    passages: tuple[CommonPassage, ...]
    gone: tuple[tuple[str, str], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    thresholds: tuple[str, ...] = ()


def analyse(session: Session, *, watch: str = "", since: str = "", until: str = "") -> Analysis:
    """Everything reported, or reported by one ``watch``, on the days from ``since`` to ``until`` (local ISO
    dates, inclusive).
    """
    with session.read() as connection:
        names = {w.id: w.name for w in watches(connection)}
        selected = [
            c
            for c in checks(connection)
            if (not watch or names.get(c.watch_id) == watch)
            and (not since or _day(c.started) >= since)
            and (not until or _day(c.started) <= until)
        ]
        copies = tuple(_copies(connection, selected, names))
        missed = {page: _day(check.started) for check in reversed(selected) for page in check.gone}
        states = page_states(connection, list(missed))
    return Analysis(
        copies,
        _tallies((c.source.id, c.source.title, c) for c in copies),
        _tallies((c.page.site or c.page.id, "", c) for c in copies),
        _days(copies, selected),
        _passages(copies),
        tuple((day, page) for page, day in reversed(missed.items()) if page in states and states[page].gone),
        tuple(failure for check in _latest(selected) for failure in check.failures),
        # The message of a check with a run is only the threshold by which matches counted.
        tuple(dict.fromkeys(check.message for check in selected if check.run_id is not None and check.message)),
    )


def _latest(checks: Sequence[Check]) -> list[Check]:
    """The last of these checks (newest first) of each watch."""
    return list({check.watch_id: check for check in reversed(checks)}.values())


def _copies(connection: Connection, selected: Sequence[Check], names: dict[int, str]) -> Iterator[Copy]:
    by_id = {check.id: check for check in selected}
    matches = [m for m in reported(connection) if m.check_id in by_id]
    items = items_of(connection, sorted({key for m in matches for key in (m.a, m.b)}))
    seen: dict[int, str] = {}
    for match in matches:
        check = by_id[match.check_id]
        if match.a not in seen:
            captures = captures_of_document(connection, match.a)
            seen[match.a] = items[match.a].published or (captures[0].captured if captures else "")
        delay = _days_between(items[match.b].published, seen[match.a])
        name = names.get(check.watch_id, "")
        yield Copy(_day(check.started), name, match, items[match.a], items[match.b], delay, check.run_id)


def _days_between(earlier: str, later: str) -> int | None:
    first, second = moment(earlier), moment(later)
    if first is None or second is None:
        return None
    # A day without a time is no earlier than a time on it.
    days = (second - first).days if "T" in earlier and "T" in later else (second.date() - first.date()).days
    return days if days >= 0 else None


def _tallies(named: Iterable[tuple[str, str, Copy]]) -> tuple[Tally, ...]:
    groups: defaultdict[tuple[str, str], list[Copy]] = defaultdict(list)
    for name, title, copy in named:
        groups[name, title].append(copy)
    tallies = [_tally(name, title, copies) for (name, title), copies in groups.items()]
    return tuple(sorted(tallies, key=lambda t: (-t.copies, t.name)))


def _tally(name: str, title: str, copies: Sequence[Copy], known: int = 0) -> Tally:
    delays = [c.delay for c in copies if c.delay is not None]
    pages = len({c.match.page for c in copies})
    characters = sum(c.characters for c in copies)
    return Tally(name, title, len(copies), pages, characters, known, median(delays) if delays else None)


def _days(copies: Sequence[Copy], selected: Sequence[Check]) -> tuple[Tally, ...]:
    known: defaultdict[str, int] = defaultdict(int)
    by_day: defaultdict[str, list[Copy]] = defaultdict(list)
    for check in selected:
        known[_day(check.started)] += check.known
    for copy in copies:
        by_day[copy.day].append(copy)
    return tuple(_tally(day, "", by_day[day], known[day]) for day in sorted(known, reverse=True))


def _passages(copies: Sequence[Copy]) -> tuple[CommonPassage, ...]:
    """Copies of one source merged where their spans overlap; the one on most pages first, then the longest."""
    passages: list[CommonPassage] = []
    for copies_of_one in _by_source(copies):
        start, end, pages = -1, -1, set[str]()
        for copy in [*sorted(copies_of_one, key=lambda c: c.match.b_start), None]:
            if copy is not None and copy.match.b_start < end:
                end = max(end, copy.match.b_end)
                pages.add(copy.match.page)
                continue
            if pages:
                passages.append(CommonPassage(copies_of_one[0].source, Span(start, end), len(pages)))
            if copy is not None:
                start, end, pages = copy.match.b_start, copy.match.b_end, {copy.match.page}
    return tuple(sorted(passages, key=lambda p: (-p.pages, p.span.start - p.span.end, p.source.id)))


def _by_source(copies: Sequence[Copy]) -> list[list[Copy]]:
    groups: defaultdict[int, list[Copy]] = defaultdict(list)
    for copy in copies:
        groups[copy.match.b].append(copy)
    return list(groups.values())
