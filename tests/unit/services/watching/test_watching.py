from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from sqlalchemy import update

from tests.unit.services.watching.watches import add
from workbench.base.errors import Cancelled, ParameterError, UserError
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.project import watches
from workbench.project.captures import Capture, Outcome, add_captures
from workbench.project.documents import delete_documents
from workbench.project.listing import ids_of
from workbench.project.tables import check_rows
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold, withdraw_threshold
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.checking import Checked, _Spans, check
from workbench.services.watching.report import write_report
from workbench.services.watching.settings import WatchSettings

FIRST = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
SECOND = "吾輩は猫である。名前はまだ無いのである。どこで生れたかとんと見当がつかぬ。何でも薄暗い所だった。"
OWN = "ここからは自分で書いた文である。誰の文とも似ていない。"


def suspect(name: str, text: str, url: str = "") -> Document:
    return Document(name, text, Role.SUSPECT, url=url)


@pytest.fixture
def case(path: Path) -> Path:
    add(path, Document("first", FIRST), Document("second", SECOND))
    with Session(path) as session:
        store.add(session, "mine", WatchSettings())
    return path


def checked(path: Path, ctx: Context, name: str = "mine") -> Checked:
    with Session(path) as session:
        watch = store.find(session, name)
    return check(ctx, path, watch, workers=1)


def named(path: Path, result: Checked) -> list[tuple[str, str]]:
    with Session(path) as session, session.read() as connection:
        ids = ids_of(connection)
    return sorted((ids[m.a], ids[m.b]) for m in result.matches)


def test_each_check_examines_only_what_is_new_and_reports_it_once(case: Path, ctx: Context) -> None:
    add(case, suspect("monday", OWN + FIRST), suspect("tuesday", OWN))
    one = checked(case, ctx)
    assert named(case, one) == [("monday", "first")]
    assert (one.check.examined, one.check.reported, one.check.known) == (2, 1, 0)
    again = checked(case, ctx)
    assert (again.check.examined, again.matches, again.check.run_id) == (0, (), None)
    add(case, suspect("wednesday", SECOND))
    third = checked(case, ctx)
    assert named(case, third) == [("wednesday", "second")]
    assert third.check.examined == 1


def test_a_page_that_changed_reports_only_what_it_copies_now(case: Path, ctx: Context) -> None:
    add(case, suspect("page", OWN + FIRST, "http://copy.example/"))
    checked(case, ctx)
    add(case, suspect("page@2026-11-22", "改めました。" + FIRST + OWN + SECOND, "http://copy.example/"))
    result = checked(case, ctx)
    assert named(case, result) == [("page@2026-11-22", "second")]
    assert result.check.known == 1


def test_a_passage_that_a_page_repeats_is_one_match_and_was_not_reported_before(case: Path, ctx: Context) -> None:
    add(case, suspect("page", FIRST + OWN + FIRST, "http://copy.example/"))
    one = checked(case, ctx).check
    assert (one.reported, one.known) == (1, 0)
    add(case, suspect("page@2026-11-22", FIRST + OWN + FIRST + "改めました。", "http://copy.example/"))
    two = checked(case, ctx).check
    assert (two.reported, two.known) == (0, 1)


@pytest.mark.slow
def test_only_chosen_sources_and_long_matches_count(case: Path, ctx: Context) -> None:
    with Session(case) as session:
        store.add(session, "one source", WatchSettings(sources=("second",)))
        store.add(session, "long", WatchSettings(min_characters=1_000))
        store.add(session, "resembling", WatchSettings(method="shingle", parameters={"compare": "sources"}))
    add(case, suspect("both", FIRST + OWN + SECOND))
    assert named(case, checked(case, ctx, "one source")) == [("both", "second")]
    assert named(case, checked(case, ctx, "long")) == []
    assert len(checked(case, ctx).matches) == 2
    add(case, suspect("whole", FIRST))
    assert ("whole", "first") in named(case, checked(case, ctx, "resembling"))


def test_a_source_that_is_not_in_the_project_is_named(case: Path) -> None:
    wrong = WatchSettings(sources=("second", "thrid"))
    with Session(case) as session:
        mine = store.find(session, "mine")
        with pytest.raises(UserError, match="no document thrid"):
            store.add(session, "other", wrong)
        with pytest.raises(UserError, match="no document thrid"):
            store.change(session, mine, wrong)
        store.change(session, mine, WatchSettings(sources=("first", "second")))
        with session.write() as connection:
            delete_documents(connection, [2])
    add(case, suspect("both", FIRST + OWN + SECOND))
    events: list[Event] = []
    result = checked(case, Context("test", events.append, lambda: False))
    assert named(case, result) == [("both", "first")]
    (warning,) = [event.message for event in events if isinstance(event, Warned)]
    assert warning.startswith("There is no document second in this project.")


def test_a_page_that_another_fetch_brought_counts_from_when_the_watch_finds_it(case: Path, ctx: Context) -> None:
    add(case, suspect("old", FIRST), suspect("other", SECOND), suspect("none", OWN))
    with Session(case) as session, session.write() as connection:
        keys = {name: key for key, name in ids_of(connection).items()}

        def captured(fetch: str, outcome: Outcome, *names: str) -> None:
            rows = [Capture(f"http://a/{n}", f"http://a/{n}", "", outcome, document=keys[n]) for n in names]
            add_captures(connection, fetch, rows)

        captured("by hand", Outcome.NEW, "old", "other")
        captured("watch-1.a", Outcome.UNCHANGED, "other")
        captured("watch-10.a", Outcome.NEW, "none")

        def pages(fetches: str | None) -> list[int]:
            return [page.key for page in watches.watched_pages(connection, 1, fetches)]

        assert pages("watch-1.") == [keys["other"]]
        captured("watch-1.b", Outcome.UNCHANGED, "other", "old", "first")
        assert pages("watch-1.") == [keys["old"], keys["other"]]
        assert pages(None) == [keys["old"], keys["other"], keys["none"]]


def test_a_check_takes_the_watch_as_it_is_now(case: Path, ctx: Context) -> None:
    with Session(case) as session:
        early = store.find(session, "mine")
        store.change(session, early, WatchSettings(sources=("second",)))
    add(case, suspect("both", FIRST + OWN + SECOND))
    assert named(case, check(ctx, case, early, workers=1)) == [("both", "second")]
    assert check(ctx, case, early, workers=1).check.examined == 0
    with Session(case) as session:
        store.remove(session, early)
    with pytest.raises(UserError, match="no longer"):
        check(ctx, case, early, workers=1)


@for_all(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12)), max_size=20))
def test_spans_know_how_much_of_a_passage_was_reported(passages: list[tuple[int, int]]) -> None:
    spans, reported = _Spans(), set[int]()
    for start, length in passages:
        match = watches.Reported("page", 1, 2, 0, 1, start, start + length, 1.0, 0)
        here = set(range(start, start + length))
        assert spans.shared(match) == len(here & reported)
        spans.extend([match])
        reported |= here


def test_a_watch_is_due_at_once_whatever_times_a_project_holds(case: Path) -> None:
    with Session(case) as session:
        watch = store.find(session, "mine")
        with session.write() as connection:
            number = watches.begin_check(connection, watch.id)
            connection.execute(update(check_rows).where(check_rows.c.id == number).values(started="soon"))
        assert store.due(session, watch) <= datetime.now(UTC)
        with session.write() as connection:
            connection.execute(update(check_rows).values(started="9999-12-31T23:00:00"))
        assert store.due(session, watch) < datetime.now(UTC) + timedelta(hours=25)


def test_what_an_interrupted_check_did_not_compare_is_compared_by_the_next(case: Path) -> None:
    add(case, suspect("monday", FIRST))
    with pytest.raises(Cancelled):
        checked(case, Context("test", lambda event: None, lambda: True))
    calm = Context("test", lambda event: None, lambda: False)
    assert named(case, checked(case, calm)) == [("monday", "first")]
    with Session(case) as session, session.read() as connection:
        last, before = watches.checks(connection)
    assert (before.message, last.message) == ("cancelled", "")
    assert before.finished


def test_a_check_without_sources_says_so_and_is_recorded(path: Path, ctx: Context) -> None:
    with Session(path) as session:
        store.add(session, "mine", WatchSettings())
    add(path, suspect("monday", FIRST))
    with pytest.raises(UserError, match="nothing to compare with"):
        checked(path, ctx)
    with Session(path) as session, session.read() as connection:
        assert "nothing to compare with" in watches.checks(connection)[0].message


def test_settings_survive_storing_and_damaged_ones_are_refused(path: Path) -> None:
    places = (PageSource(PlaceKind.FEED, "https://news.example/feed"), PageSource(PlaceKind.URL, "http://a.example/"))
    settings = WatchSettings(places, "digest", {"min_run": 2}, 1.5, 40, ("first",), 0.5, 0.2, 100, 6)
    add(path, Document("first", FIRST))
    with Session(path) as session:
        stored = store.add(session, " two  words ", settings)
        assert stored.name == "two words"
        assert WatchSettings.from_dict(store.find(session, "two words").settings) == settings
        store.change(session, stored, replace(settings, every=1))
        assert WatchSettings.from_dict(store.find(session, "two words").settings).every == 1
    with pytest.raises(UserError, match="damaged"):
        WatchSettings.from_dict({"places": [["file", "/etc/passwd"]]})
    with pytest.raises(UserError, match="damaged"):
        WatchSettings.from_dict(settings.as_dict() | {"limit": float("inf")})


@pytest.mark.parametrize(
    "wrong",
    [
        WatchSettings((PageSource(PlaceKind.LIST, "/etc/passwd"),)),
        WatchSettings((PageSource(PlaceKind.URL, "file:///etc/passwd"),)),
        WatchSettings((PageSource(PlaceKind.URL, "http://[::"),)),
        WatchSettings(min_score=float("nan")),
        WatchSettings(method="no such method"),
        WatchSettings(parameters={"no such": 1}),
        WatchSettings(every=0),
    ],
)
def test_what_cannot_be_watched_is_refused(path: Path, wrong: WatchSettings) -> None:
    with Session(path) as session, pytest.raises((UserError, ParameterError)):
        store.add(session, "wrong", wrong)


def test_names_are_unique_among_watches_that_are_there(path: Path) -> None:
    with Session(path) as session:
        first = store.add(session, "mine", WatchSettings())
        with pytest.raises(UserError, match="already"):
            store.add(session, "mine", WatchSettings())
        store.remove(session, first)
        with pytest.raises(UserError, match="no watch"):
            store.find(session, "mine")
        store.add(session, "mine", WatchSettings())
        with pytest.raises(UserError, match="another watch"):
            store.restore(session, first)


@pytest.mark.slow
def test_a_watch_follows_the_projects_threshold_and_names_it(case: Path, ctx: Context, tmp_path: Path) -> None:
    add(case, suspect("monday", OWN + FIRST), suspect("tuesday", OWN + SECOND))
    with Session(case) as session:
        store.add(session, "other", WatchSettings(min_score=0.001))
    scores = sorted(m.score for m in checked(case, ctx, "other").matches)
    assert len(scores) == 2
    assert scores[0] < scores[1]
    used = UsedThreshold(
        "digest", TargetKind.PASSAGE, scores[1], 1, "verdict", 9, 0.75, 0.6, 0.7, (0.5, 1.0), (0.4, 0.9), corrected=True
    )
    with Session(case) as session:
        use_threshold(session, used)
    above = checked(case, ctx)
    assert [m.score for m in above.matches] == [scores[1]]
    assert "0.40–0.90" in above.check.message
    with Session(case) as session:
        write_report(session, tmp_path / "r.html", watch="mine")
        assert "Precision 0.75 (0.50–1.00)" in (tmp_path / "r.html").read_text(encoding="utf-8")
        withdraw_threshold(session, "digest", TargetKind.PASSAGE)
    rest = checked(case, ctx)
    assert [m.score for m in rest.matches] == [scores[0]]
    assert rest.check.message == ""


@pytest.mark.parametrize(("sentences", "known"), [(4, 1), (5, 0)])
def test_a_passage_is_known_from_half_of_it_on(path: Path, ctx: Context, sentences: int, known: int) -> None:
    source = [f"第{'一二三四五六七八'[n]}の文はこの町の橋について書かれている。" for n in range(8)]
    add(path, Document("source", "".join(source)))
    with Session(path) as session:
        store.add(session, "mine", WatchSettings(parameters={"min_run": 2}))
    add(path, suspect("page", OWN + "".join(source[:2]), "http://copy.example/"))
    assert len(checked(path, ctx).matches) == 1
    add(path, suspect("page@2026-11-22", "改めました。" + "".join(source[:sentences]), "http://copy.example/"))
    result = checked(path, ctx)
    assert (result.check.known, len(result.matches)) == (known, 1 - known)
