"""What a watch must not miss, whatever came first: pages, originals, selectors, settings."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from tests.unit.services.watching.watches import add, checked, watch
from tests.web_server import Response, WebServer, html
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document, Role, Span
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.project.captures import Capture, Outcome, add_captures
from workbench.project.listing import document_table
from workbench.project.runs import newest_finished, runs
from workbench.services.detecting.runs import detect
from workbench.services.fetching.intervals import LONGEST, SHARE, RequestTimes, request_times, spared
from workbench.services.review.judgement import Reviewer
from workbench.services.review.verdicts import Unit, give_verdict, reviewer
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.analysis import analyse
from workbench.services.watching.cases import CaseState, case_history, last_case, set_case
from workbench.services.watching.findings import Finding, PageRelation, findings
from workbench.services.watching.report import write_report
from workbench.services.watching.settings import WatchSettings
from workbench.services.watching.standing import Presence, read_standing

LONG = (
    "The old bridge over the river was rebuilt in the spring of that year, stone by stone, by twelve men. "
    "Nobody in the town remembered who had paid for it, and the accounts had been lost in the great flood."
)
TEXTS = (
    "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。",
    "吾輩は猫である。名前はまだ無いのである。どこで生れたかとんと見当がつかぬ。何でも薄暗い所だった。",
    "親譲りの無鉄砲で小供の時から損ばかりしている。小学校に居る時分学校の二階から飛び降りた。なぜそんな無闇をしたと聞く人があるかも知れぬ。",
)
OWN = "ここからは自分で書いた文である。誰の文とも似ていない。この頁にしかないのである。"


def page_findings(path: Path) -> list[Finding]:
    with Session(path, write=False) as session:
        return findings(session, analyse(session).copies)


def urls(server: WebServer, *names: str) -> tuple[PageSource, ...]:
    return tuple(PageSource(PlaceKind.URL, f"{server.url}/{name}") for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["digest", "shingle", "rare-sentences"])
def test_pages_seen_before_an_original_came_are_compared_with_it(path: Path, ctx: Context, method: str) -> None:
    add(path, Document("first", TEXTS[0]), Document("page", OWN + LONG, Role.SUSPECT))
    add(path, Document("other page", LONG, Role.SUSPECT))
    watch(path, method=method)
    assert checked(path, ctx).matches == ()
    add(path, Document("second", LONG))
    assert {m.b for m in checked(path, ctx).matches} == {4}
    again = checked(path, ctx)
    assert (again.matches, again.check.examined) == ((), 0)


@pytest.mark.slow
def test_changed_settings_are_applied_to_pages_already_seen(path: Path, ctx: Context) -> None:
    add(path, Document("first", TEXTS[0]), Document("page", OWN + TEXTS[0], Role.SUSPECT))
    watch(path, min_characters=1_000)
    assert checked(path, ctx).matches == ()
    with Session(path) as session:
        mine = store.find(session, "mine")
        store.change(session, mine, replace(WatchSettings.from_dict(mine.settings), min_characters=0))
    assert len(checked(path, ctx).matches) == 1


def test_changed_blocks_of_a_page_are_compared_again(path: Path, ctx: Context) -> None:
    add(path, Document("first", TEXTS[0]), Document("page", OWN + TEXTS[0], Role.SUSPECT))
    watch(path)
    checked(path, ctx)
    with Session(path) as session, session.write() as connection:
        connection.exec_driver_sql("UPDATE document SET content_digest = 'other' WHERE key = 2")
    again = checked(path, ctx).check
    assert (again.examined, again.reported, again.known) == (1, 0, 1)


@pytest.mark.slow
def test_what_is_new_on_ones_own_site_is_a_source_of_the_same_check(
    path: Path, ctx: Context, server: WebServer
) -> None:
    for at, text in enumerate(TEXTS):
        server.page(f"/own/{at}", html(text))
    items = "".join(f"<item><link>{server.url}/own/{at}</link></item>" for at in range(3))
    server.page("/own/feed", Response(f'<rss version="2.0"><channel><title>x</title>{items}</channel></rss>'.encode()))
    with WebServer() as other:
        other.page("/robots.txt", Response(status=404))
        copy = other.page("/copy", html(OWN + TEXTS[2]))
        watch(
            path, own=(PageSource(PlaceKind.FEED, f"{server.url}/own/feed"),), places=(PageSource(PlaceKind.URL, copy),)
        )
        result = checked(path, ctx)
    assert [match.page for match in result.matches] == [copy]
    assert result.check.fetched == 4


@pytest.mark.slow
def test_a_new_text_of_an_original_reports_only_what_was_not_reported_with_the_old_one(
    path: Path, ctx: Context
) -> None:
    mine = Document("http://a.example/", TEXTS[0] + LONG, Role.SOURCE, url="http://a.example/")
    add(path, mine, Document("page", OWN + TEXTS[0] + TEXTS[1], Role.SUSPECT, url="page"))
    watch(path)
    assert [match.b for match in checked(path, ctx).matches] == [1]
    add(path, replace(mine, id="http://a.example/@2", text="改めました。" + TEXTS[0] + LONG))
    second = checked(path, ctx)
    assert (second.matches, second.check.known) == ((), 2)
    add(path, Document("page@2", OWN + TEXTS[0] + "終わり。", Role.SUSPECT, url="page"))
    assert checked(path, ctx).matches == ()
    add(path, replace(mine, id="http://a.example/@3", text=TEXTS[1] + LONG))
    third = checked(path, ctx)
    assert [(match.b, match.b_start) for match in third.matches] == [(5, 0)]


def test_failed_places_are_named_and_stay_with_the_check(path: Path, ctx: Context, server: WebServer) -> None:
    add(path, Document("first", TEXTS[0]))
    server.page("/there", html(OWN))
    watch(path, places=urls(server, "there", "missing"))
    result = checked(path, ctx)
    assert [failure.path for failure in result.failed] == [f"{server.url}/missing"]
    with Session(path, write=False) as session:
        kept = store.checks(session, store.find(session, "mine"))[0].failures
    assert kept == ((f"{server.url}/missing", "The server responded 404 (Not Found)."),)


@pytest.mark.slow
def test_pages_over_the_limit_are_counted(path: Path, server: WebServer) -> None:
    add(path, Document("first", TEXTS[0]))
    for number in range(3):
        server.page(f"/{number}", html(f"<p>{TEXTS[number]}</p>"))
    listed = "".join(f"<url><loc>{server.url}/{number}</loc></url>" for number in range(3))
    server.page("/sitemap.xml", Response(f"<urlset>{listed}</urlset>".encode()))
    watch(path, places=(PageSource(PlaceKind.SITEMAP, f"{server.url}/sitemap.xml"),), limit=1)
    events: list[Event] = []
    checked(path, Context("test", events.append, lambda: False))
    assert [event.message for event in events if isinstance(event, Warned)] == [
        "Left out: over the limit of pages (2)."
    ]


def test_a_check_after_an_interrupted_one_finds_what_came_meanwhile(
    path: Path, ctx: Context, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(path, Document("first", TEXTS[0]))

    def listed(*names: str) -> None:
        entries = "".join(f"<url><loc>{server.url}/{name}</loc></url>" for name in names)
        server.page("/sitemap.xml", Response(f"<urlset>{entries}</urlset>".encode()))

    def die(*arguments: object) -> None:
        raise KeyboardInterrupt

    server.page("/old", html(OWN))
    server.page("/new", html(OWN + TEXTS[0]))
    listed("old")
    watch(path, places=(PageSource(PlaceKind.SITEMAP, f"{server.url}/sitemap.xml"),))
    with monkeypatch.context() as patch:
        patch.setattr("workbench.services.fetching.storing.FetchStore.store", die)
        with pytest.raises(KeyboardInterrupt):
            checked(path, ctx)
    listed("new", "old")
    assert [match.page for match in checked(path, ctx).matches] == [f"{server.url}/new"]


def test_a_check_after_an_interrupted_one_names_the_addresses_that_failed_in_either(
    path: Path, ctx: Context, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(path, Document("first", TEXTS[0]))

    def die(*arguments: object) -> None:
        raise KeyboardInterrupt

    server.page("/old", html(OWN))
    entries = "".join(f"<item><link>{server.url}/{name}</link></item>" for name in ("old", "missing"))
    server.page("/feed", Response(f"<rss version='2.0'><channel><title>f</title>{entries}</channel></rss>".encode()))
    watch(path, places=(PageSource(PlaceKind.FEED, f"{server.url}/feed"),))
    with monkeypatch.context() as patch:
        patch.setattr("workbench.services.fetching.storing.FetchStore.store", die)
        with pytest.raises(KeyboardInterrupt):
            checked(path, ctx)
    # Pages that have long been the same are not requested twice within minutes.
    monkeypatch.setattr("workbench.services.fetching.planning.spared", lambda pasts, now: set(pasts))
    outcome = checked(path, ctx)
    assert [failure.path for failure in outcome.failed] == [f"{server.url}/missing"]
    assert (outcome.check.failed, outcome.check.fetched, outcome.check.unchanged) == (1, 1, 0)


def test_a_page_that_is_gone_is_said_once_with_its_capture_kept(path: Path, ctx: Context, server: WebServer) -> None:
    add(path, Document("first", TEXTS[0]))
    page = server.page("/copy", html(OWN + TEXTS[0]))
    watch(path, places=urls(server, "copy"))
    assert len(checked(path, ctx).matches) == 1
    assert page_findings(path)[0].standing.presence is Presence.ONLINE
    server.page("/copy", Response(status=410))
    gone = checked(path, ctx)
    assert (gone.check.gone, gone.failed) == ((page,), ())
    assert page_findings(path)[0].standing.presence is Presence.GONE
    assert checked(path, ctx).check.gone == ()
    with Session(path, write=False) as session:
        assert [address for _, address in analyse(session).gone] == [page]
    server.page("/copy", html(OWN))
    assert checked(path, ctx).check.gone == ()
    assert page_findings(path)[0].standing.presence is Presence.CHANGED
    for text in (OWN + TEXTS[0], f"<p>{OWN}</p><p>{TEXTS[0]}</p><p>{TEXTS[2]}</p>"):
        server.page("/copy", html(text))
        assert checked(path, ctx).matches == ()
        (finding,) = page_findings(path)
        assert finding.standing.presence is Presence.ONLINE
        with Session(path, write=False) as session:
            assert read_standing(session, finding.document.key) == finding.standing
    with Session(path, write=False) as session:
        assert analyse(session).gone == ()


@pytest.mark.slow
def test_cases_of_pages_and_sites_are_kept_with_notes_and_history(
    path: Path, ctx: Context, server: WebServer, tmp_path: Path
) -> None:
    add(path, Document("first", TEXTS[0], title="草枕"))
    page = server.page("/copy", html(OWN + TEXTS[0]))
    watch(path, places=urls(server, "copy"))
    checked(path, ctx)
    with Session(path) as session:
        set_case(session, page, CaseState.SENT, "by letter")
        set_case(session, page, CaseState.LICENSED, whole_site=True)
        assert last_case(session, page) == (CaseState.SENT, "by letter")
        give_verdict(session, Unit(page, "first", _spans(session)), "copy")
        (finding,) = findings(session, analyse(session).copies)
        assert (finding.standing.case.state, finding.standing.case.note) == (CaseState.SENT, "by letter")
        assert finding.verdicts == ("copy",)
        give_verdict(session, Unit(page), "partial")
        set_case(session, page, None)
        (finding,) = findings(session, analyse(session).copies)
        assert (finding.standing.case.state, finding.standing.case.of_site) == (CaseState.LICENSED, True)
        assert finding.verdicts == ("partial", "copy")
        reviewed = read_standing(session, finding.document.key)
        assert reviewed == finding.standing
        assert reviewed is not None
        assert read_standing(session, 999) is None
        for who, events in ((reviewer(), reviewed.history), ("another reviewer", ())):
            seen = read_standing(session.seen_by(Reviewer(who, blind=True)), finding.document.key)
            assert seen is not None
            assert seen.history == events
            assert (seen.case == reviewed.case) == bool(events)
        assert [event.value for event in case_history(session, page)] == ["notice sent", "licensed", ""]
        for name in ("r.html", "r.jsonl"):
            write_report(session, tmp_path / name)
    (row,) = (json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines())
    kept = (row["case"], row["case_of"], row["state"], row["verdict"])
    assert kept == ("licensed", "site", "online", "partial, copy")
    assert [(event["case"], event["note"]) for event in row["history"]] == [
        ("notice sent", "by letter"),
        ("licensed", ""),
        ("", ""),
    ]
    report = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "licensed" in report
    assert "online" in report
    assert "notice sent – by letter" in report
    assert "Partial or common source" in report


def _spans(session: Session) -> tuple[Span, Span]:
    match = analyse(session).copies[0].match
    return Span(match.a_start, match.a_end), Span(match.b_start, match.b_end)


def test_what_is_licensed_or_on_an_ignored_site_is_counted_not_reported(
    path: Path, ctx: Context, server: WebServer
) -> None:
    add(path, Document("first", TEXTS[0]), Document("second", TEXTS[1]))
    pages = [server.page(name, html(OWN + TEXTS[0])) for name in ("/licensed", "/press/a", "/copy")]
    with Session(path) as session:
        set_case(session, pages[0], CaseState.LICENSED)
    watch(path, places=urls(server, "licensed", "press/a", "copy"), ignored=(f"{server.url}/press/",))
    result = checked(path, ctx)
    assert [match.page for match in result.matches] == [pages[2]]
    assert result.check.ignored == 2


def test_what_was_withheld_while_a_case_was_silent_is_reported_when_it_is_reopened(path: Path, ctx: Context) -> None:
    address = "http://copy.example/"
    add(path, Document("first", TEXTS[0]), Document("second", TEXTS[1]))
    add(path, Document("page", OWN + TEXTS[0], Role.SUSPECT, url=address))
    watch(path)
    assert len(checked(path, ctx).matches) == 1
    with Session(path) as session:
        set_case(session, address, CaseState.IGNORED)
    add(path, Document("page, later", OWN + TEXTS[0] + TEXTS[1], Role.SUSPECT, url=address))
    silent = checked(path, ctx)
    assert (silent.matches, silent.check.ignored, silent.check.examined) == ((), 1, 1)
    assert checked(path, ctx).check.examined == 0
    with Session(path) as session:
        set_case(session, address, None)
    reopened = checked(path, ctx)
    assert [(match.page, match.b) for match in reopened.matches] == [(address, 2)]
    assert (reopened.check.examined, reopened.check.known) == (1, 1)
    assert checked(path, ctx).check.examined == 0


@pytest.mark.parametrize(
    ("own", "page", "is_own"),
    [
        ("https://example.org/feed", "https://www.example.org/a", True),
        ("https://www.example.org/feed", "https://example.org/a", True),
        ("https://www.example.org/feed", "https://WWW.Example.org/a", True),
        ("https://www.example.org/feed", "https://blog.example.org/a", False),
        ("https://example.org:8080/feed", "https://example.org/a", False),
    ],
)
def test_ones_own_site_is_the_same_with_and_without_www(own: str, page: str, is_own: bool) -> None:
    assert WatchSettings(own=(PageSource(PlaceKind.FEED, own),)).ignores(page) is is_own


@pytest.mark.parametrize(
    ("ignored", "page", "is_ignored"),
    [
        ("partner.example", "https://www.partner.example/a", True),
        ("partner.example", "https://notpartner.example/a", False),
        ("https://a.example/press/", "https://a.example/press/1", True),
        ("https://a.example/press/", "https://a.example/news/1", False),
        ("https://a.example/blog", "https://a.example/blog", True),
        ("https://a.example/blog", "https://a.example/blog/1", True),
        ("https://a.example/blog", "https://a.example/blog?page=2", True),
        ("https://a.example/blog", "https://a.example/blogger/1", False),
        ("https://a.example/?id=", "https://a.example/?id=1", True),
        ("a.example/blog", "https://a.example/blog/1", True),
        ("a.example/blog", "https://b.example/a.example/blog", False),
        ("a.example/blog", "https://a.example/blogger/1", False),
        ("HTTPS://A.example/Blog", "https://a.EXAMPLE/Blog/1", True),
        ("https://a.example/Blog", "https://a.example/blog/1", False),
    ],
)
def test_an_ignored_site_is_a_host_with_its_subdomains_or_an_address(ignored: str, page: str, is_ignored: bool) -> None:
    assert WatchSettings(ignored=(ignored,)).ignores(page) is is_ignored


@pytest.mark.slow
def test_findings_are_grouped_by_page_and_original_the_largest_share_first(
    path: Path, ctx: Context, server: WebServer
) -> None:
    add(path, *(Document(f"s{at}", text, url=f"https://mine.example/{at}") for at, text in enumerate(TEXTS)))
    half = "。".join(TEXTS[1].split("。")[:2]) + "。"
    server.page("/whole", html(TEXTS[0]))
    server.page("/linked", html(f'{OWN * 3}</p><p>{half} <a href="https://mine.example/1">x</a>'))
    server.page("/stitched", html("".join("。".join(text.split("。")[:2]) + "。" for text in TEXTS)))
    watch(path, places=urls(server, "whole", "linked", "stitched"), parameters={"min_run": 2})
    checked(path, ctx)
    relations = {(f.page.rpartition("/")[2], f.source.id): f.relation for f in page_findings(path)}
    assert relations.pop(("whole", "s0")) is PageRelation.WHOLE
    assert relations.pop(("linked", "s1")) is PageRelation.QUOTATION
    assert set(relations.values()) == {PageRelation.STITCHED}
    shares = [f.share for f in page_findings(path)]
    assert shares == sorted(shares, reverse=True)


def test_runs_of_watches_never_stand_for_the_latest_run_and_count_in_documents(path: Path, ctx: Context) -> None:
    add(path, Document("first", TEXTS[0]), Document("old", OWN, Role.SUSPECT))
    plain = detect(ctx, path, "digest", {}, workers=0)
    add(path, Document("page", OWN + TEXTS[0], Role.SUSPECT))
    watch(path)
    result = checked(path, ctx)
    with Session(path) as session, session.read() as connection:
        latest = newest_finished(runs(connection))
        assert latest is not None
        assert (latest.id, latest.watch) == (plain.id, None)
        marked = [run.watch for run in runs(connection) if run.id == result.check.run_id]
        assert marked == [1]
        assert document_table(connection).matches.tolist() == [1, 0, 1]


NOW = datetime(2026, 6, 1, tzinfo=UTC)


@for_all(days=st.floats(0, 2000), idle=st.floats(0, 2000))
def test_the_wait_for_a_page_grows_with_its_age_and_has_an_end(days: float, idle: float) -> None:
    requested = NOW - timedelta(days=idle)
    past = RequestTimes(requested - timedelta(days=days), requested, requested - timedelta(days=days))
    is_spared = spared({"u": past}, NOW) == {"u"}
    if idle >= LONGEST.days or idle > days / 2:
        assert not is_spared
    if is_spared:
        assert idle <= days / 2 + 1e-6


def test_of_many_pages_that_never_changed_a_hundredth_is_asked_for_and_every_one_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fewest, pages = 5, 1_000
    monkeypatch.setattr("workbench.services.fetching.intervals.FEWEST", fewest)
    requested = dict.fromkeys((f"https://a.example/{at}" for at in range(pages)), NOW)
    for day in range(1, 31):
        now = NOW + timedelta(days=day)
        later = spared({url: RequestTimes(NOW, last, NOW) for url, last in requested.items()}, now)
        if day < LONGEST.days // 2:
            assert len(requested) - len(later) <= max(fewest, SHARE * len(requested))
        requested |= dict.fromkeys(requested.keys() - later, now)
    assert min(requested.values()) > NOW


def test_a_clock_that_was_ahead_spares_no_page(path: Path) -> None:
    day = timedelta(days=1)
    with Session(path) as session, session.write() as connection:
        for name, seen in (("before", datetime.now(UTC) - day), ("ahead", datetime.now(UTC) + 3650 * day)):
            when = seen.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            add_captures(connection, "watch-1.x", [Capture(name, name, when, Outcome.NEW, 200)])
        assert list(request_times(connection, ["before", "ahead"], "watch-1.")) == ["before"]


def test_a_page_that_failed_for_a_while_or_changed_before_is_asked_for() -> None:
    many = {f"https://a.example/{at}": RequestTimes(NOW, NOW, NOW) for at in range(1000)}
    failed, moved = "https://a.example/failed", "https://a.example/moved"
    many[failed] = RequestTimes(NOW, NOW, NOW, steady=False)
    many[moved] = RequestTimes(NOW - timedelta(days=9), NOW - timedelta(days=1), NOW - timedelta(days=1))
    assert not {failed, moved} & spared(many, NOW)
