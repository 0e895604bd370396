from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from workbench.base.errors import ProjectError
from workbench.base.types import Document, Role
from workbench.project import watches
from workbench.project.captures import Capture, Outcome, add_captures
from workbench.project.documents import add_documents
from workbench.project.tables import check_rows
from workbench.project.watches import Check, Reported
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.analysis import _days_between, analyse
from workbench.services.watching.findings import PageRelation, findings
from workbench.services.watching.settings import WatchSettings


def reported(page: str, a: int, start: int, end: int) -> Reported:
    return Reported(page, a, 1, start, end, start, end, float(end - start), 0)


@pytest.fixture
def watched(path: Path):
    """Two checks: the first reports two pages of one site, the second a third page that copies elsewhere."""
    documents = [
        Document("source", "あ" * 200, Role.SOURCE, title="Essay", published="2026-01-01"),
        Document("p1", "あ" * 100, Role.SUSPECT, url="http://a.example/1", site="a.example", published="2026-01-03"),
        Document("p2", "あ" * 101, Role.SUSPECT, url="http://a.example/2", site="a.example"),
        Document("p3", "あ" * 102, Role.SUSPECT, url="http://b.example/", site="b.example", published="2025-12-01"),
    ]
    with Session(path) as session:
        watch = store.add(session, "mine", WatchSettings())
        with session.write() as connection:
            add_documents(connection, documents)
            capture = Capture("http://a.example/2", "http://a.example/2", "2026-01-11T12:00:00Z", Outcome.NEW, 200, 3)
            add_captures(connection, "watch-1.x", [capture])
            for copies, known in (
                ([reported("http://a.example/1", 2, 0, 50), reported("http://a.example/2", 3, 40, 90)], 0),
                ([reported("http://b.example/", 4, 150, 180)], 2),
            ):
                number = watches.begin_check(connection, watch.id)
                check = Check(number, watch.id, "", reported=len(copies), known=known)
                rows = [Reported(**{**{s: getattr(r, s) for s in r.__slots__}, "check_id": number}) for r in copies]
                watches.finish_check(connection, check, rows)
        yield session


def test_copies_are_counted_by_source_site_and_day(watched: Session) -> None:
    analysis = analyse(watched)
    (source,) = analysis.by_source
    assert (source.name, source.title, source.copies, source.pages, source.characters) == ("source", "Essay", 3, 3, 130)
    assert [(t.name, t.copies) for t in analysis.by_site] == [("a.example", 2), ("b.example", 1)]
    (day,) = analysis.by_day
    assert (day.copies, day.known) == (3, 2)


def test_gaps_of_a_reported_match_are_kept_and_not_counted(watched: Session) -> None:
    with watched.write() as connection:
        number = watches.begin_check(connection, 1)
        gaps = ((0, 60, 70), (1, 100, 110), (1, 110, 120))
        row = Reported("http://c.example/", 4, 1, 50, 100, 90, 140, 1.0, 2, number, gaps)
        watches.finish_check(connection, Check(number, 1, "", reported=1), [row])
        assert watches.reported(connection, check_id=number) == [row]
    (copy,) = [c for c in analyse(watched).copies if c.match.check_id == number]
    assert copy.characters == 30
    (finding,) = findings(watched, [copy])
    assert (finding.characters, finding.share) == (30, 30 / 200)
    assert finding.copied == 40 / 102
    with watched.write() as connection:
        connection.exec_driver_sql("UPDATE watch_match SET gaps = '[[0, 40, 60]]' WHERE gaps IS NOT NULL")
    with watched.read() as connection, pytest.raises(ProjectError, match="damaged"):
        watches.reported(connection)


def test_the_delay_counts_from_publication_to_copy_or_first_capture(watched: Session) -> None:
    analysis = analyse(watched)
    assert [c.delay for c in analysis.copies] == [2, 10, None]
    assert analysis.by_site[0].delay == 6
    assert analysis.by_site[1].delay is None


def test_overlapping_passages_are_one_with_all_their_pages(watched: Session) -> None:
    assert [(tuple(p.span), p.pages) for p in analyse(watched).passages] == [((0, 90), 2), ((150, 180), 1)]


def test_only_the_days_and_the_watch_asked_for_count(watched: Session) -> None:
    assert analyse(watched, watch="mine").copies
    assert not analyse(watched, watch="other").copies
    assert not analyse(watched, until="2000-01-01").copies
    assert not analyse(watched, since="2100-01-01").by_day


def test_passages_that_only_touch_are_two(watched: Session) -> None:
    with watched.write() as connection:
        number = watches.begin_check(connection, 1)
        page = "http://b.example/"
        row = Reported(page, 4, 1, 0, 20, 180, 200, 20.0, 0, number)
        watches.finish_check(connection, Check(number, 1, "", reported=1), [row])
    spans = sorted((p.span.start, p.span.end, p.pages) for p in analyse(watched).passages)
    assert spans == [(0, 90, 2), (150, 180, 1), (180, 200, 1)]


def test_what_could_not_be_fetched_is_what_the_last_check_says(watched: Session) -> None:
    for address in ("http://a.example/old", "http://a.example/new"):
        with watched.write() as connection:
            number = watches.begin_check(connection, 1)
            watches.finish_check(connection, Check(number, 1, "", failures=((address, "gone"),)), [])
    assert analyse(watched).failed == (("http://a.example/new", "gone"),)


def test_a_day_is_in_the_days_up_to_it(watched: Session) -> None:
    (day,) = {copy.day for copy in analyse(watched).copies}
    assert len(analyse(watched, since=day, until=day).copies) == 3


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.skipif(sys.platform == "win32", reason="the time zone of a process cannot be set")
@pytest.mark.usefixtures("tokyo")
def test_days_are_those_of_the_computers_calendar(watched: Session) -> None:
    with watched.write() as connection:
        connection.execute(update(check_rows).values(started="2026-11-28T20:00:00.000Z"))
    assert {copy.day for copy in analyse(watched).copies} == {"2026-11-29"}
    assert len(analyse(watched, since="2026-11-29", until="2026-11-29").copies) == 3
    assert [tally.name for tally in analyse(watched).by_day] == ["2026-11-29"]


def test_a_copy_of_the_same_day_came_after_no_days_and_an_earlier_one_has_no_delay() -> None:
    days = [_days_between("2026-01-05", f"2026-01-0{day}") for day in (4, 5, 6)]
    assert days == [None, 0, 1]
    assert _days_between("2026-01-05T10:00:00Z", "2026-01-05") == 0
    assert _days_between("2026-01-05T10:00:00Z", "2026-01-04") is None
    assert _days_between("2026-01-05T10:00:00Z", "2026-01-05T09:00:00Z") is None


@pytest.mark.parametrize(
    ("original", "page", "copied", "relation"),
    [
        # The passage is nearly all of the original and most of the page, nearly all of the original but a small part
        # of the page, or a small part of the original though all of the page.
        (100, 150, 85, PageRelation.WHOLE),
        (100, 900, 85, PageRelation.INCLUSION),
        (900, 100, 100, PageRelation.EXCERPT),
        (100, 150, 75, PageRelation.EXCERPT),
    ],
)
def test_a_whole_copy_is_all_of_the_original_not_of_the_page(
    path: Path, original: int, page: int, copied: int, relation: PageRelation
) -> None:
    with Session(path) as session:
        watch = store.add(session, "mine", WatchSettings())
        with session.write() as connection:
            documents = [Document("ours", "あ" * original, Role.SOURCE), Document("theirs", "い" * page, Role.SUSPECT)]
            add_documents(connection, documents)
            number = watches.begin_check(connection, watch.id)
            row = Reported("theirs", 2, 1, 0, copied, 0, copied, 1.0, 0, number)
            watches.finish_check(connection, Check(number, watch.id, "", reported=1), [row])
        (finding,) = findings(session, analyse(session).copies)
    assert finding.relation is relation
