"""Feeds and sitemaps that are asked for again only where they changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from pathlib import Path
from zlib import crc32

import pytest

from tests.processes import wait_until
from tests.web_server import Request, Response, WebServer, html
from workbench.base.errors import Cancelled
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.project.database import open_project
from workbench.project.documents import add_documents, delete_documents
from workbench.services.fetching import KNOWN, FetchOptions, FetchResult, fetch, listing_cache
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.checking import check
from workbench.services.watching.settings import WatchSettings

Get = Callable[..., FetchResult]
Documents = Callable[[], dict[str, Document]]
TEXT = "The old bridge over the river was rebuilt in the spring of that year, stone by stone."


class Site:
    """Serves listings with an ETag that is their text, and a page for every other path."""

    def __init__(self, server: WebServer) -> None:
        self.server = server
        server.page("/robots.txt", Response(status=404))
        server.fallback = lambda r: html(f"{TEXT} {r.path}", ETag='"1"')

    def serve(self, path: str, body: str, validator: str = "ETag") -> None:
        number = crc32(body.encode())
        validators = {"ETag": f'"{number}"', "Last-Modified": formatdate(number, usegmt=True)}
        conditions = {"ETag": "if-none-match", "Last-Modified": "if-modified-since"}

        def answer(request: Request) -> Response:
            if validator and request.headers.get(conditions[validator]) == validators[validator]:
                return Response(status=304)
            return Response(body.encode(), headers={validator: validators[validator]} if validator else {})

        self.server.routes[path] = answer

    def feed(self, *names: str, validator: str = "ETag") -> PageSource:
        items = "".join(f"<item><link>/{name}</link></item>" for name in names)
        self.serve("/feed", f'<rss version="2.0"><channel><title>x</title>{items}</channel></rss>', validator)
        return PageSource(PlaceKind.FEED, f"{self.server.url}/feed")

    def sitemap(self, path: str, *names: str, date: str = "", root: str = "urlset", entry: str = "url") -> PageSource:
        mark = f"<lastmod>{date}</lastmod>" if date else ""
        rows = "".join(f"<{entry}><loc>{self.server.url}/{name}</loc>{mark}</{entry}>" for name in names)
        self.serve(path, f"<{root}>{rows}</{root}>")
        return PageSource(PlaceKind.SITEMAP, self.server.url + path)

    def requested_paths(self) -> list[str]:
        """Paths since the last call, in order of their names."""
        paths = sorted(r.path for r in self.server.requests if r.path != "/robots.txt")
        self.server.requests.clear()
        return paths


@pytest.fixture
def site(server: WebServer) -> Site:
    return Site(server)


@pytest.mark.parametrize("validator", ["ETag", "Last-Modified"])
def test_a_feed_that_has_not_changed_leads_to_no_page_that_was_had(site: Site, get: Get, validator: str):
    place = site.feed("a", "b", validator=validator)
    assert get(place).imported == 2
    site.requested_paths()
    again = get(place)
    assert site.requested_paths() == ["/feed"]
    assert (again.failed, again.imported, again.left_out) == ((), 0, {KNOWN: 2})
    get(site.feed("a", "b", "c", validator=validator))
    assert site.requested_paths() == ["/a", "/b", "/c", "/feed"]


def test_a_page_of_two_feeds_counts_once(site: Site, get: Get):
    one = site.sitemap("/one.xml", "a", "b", date="2020-01-01")
    two = site.sitemap("/two.xml", "b", "c", date="2020-01-01")
    assert get(one, two).imported == 3
    again = get(one, two)
    assert (again.imported, again.left_out) == (0, {KNOWN: 3})
    site.sitemap("/two.xml", "b", "c", date="2999-01-01")
    site.requested_paths()
    assert get(one, two).left_out == {KNOWN: 1}
    assert site.requested_paths() == ["/b", "/c", "/one.xml", "/two.xml"]


def test_without_a_validator_the_hash_shows_that_a_feed_is_the_same(site: Site, get: Get):
    place = site.feed("a", validator="")
    get(place)
    site.requested_paths()
    assert get(place).left_out == {KNOWN: 1}
    assert site.requested_paths() == ["/feed"]
    get(site.feed("a", "b", validator=""))
    assert site.requested_paths() == ["/a", "/b", "/feed"]


@pytest.mark.slow
def test_a_feed_is_worked_through_over_several_fetches(site: Site, get: Get, documents: Documents):
    place = site.feed("a", "b", "c", "d", "e")
    assert [get(place, limit=2).imported for _ in range(4)] == [2, 2, 1, 0]
    assert len(documents()) == 5


def test_what_failed_or_was_deleted_is_asked_for_again(site: Site, get: Get, project: Path, documents: Documents):
    place = site.feed("a", "b", "c")
    site.server.page("/b", Response(status=404))
    assert len(get(place).failed) == 1
    with open_project(project) as opened, opened.write() as connection:
        delete_documents(connection, [1])
    site.server.routes.pop("/b")
    site.requested_paths()
    get(place)
    assert site.requested_paths() == ["/a", "/b", "/feed"]
    assert len(documents()) == 3


@pytest.mark.slow
def test_a_page_that_changed_is_asked_for_until_it_was_got(site: Site, get: Get, documents: Documents):
    get(site.sitemap("/map.xml", "a", "b", "c", date="2024-01-01"))
    place = site.sitemap("/map.xml", "a", "b", "c", date="2024-01-02")
    site.server.fallback = lambda r: html(f"{TEXT} It was painted. {r.path}")
    site.server.page("/a", Response(status=404))
    assert get(place, limit=2).imported == 1
    site.server.routes.pop("/a")
    site.requested_paths()
    assert get(place).imported == 2
    assert site.requested_paths() == ["/a", "/c", "/map.xml"]
    assert len(documents()) == 6
    assert get(place).left_out == {KNOWN: 3}


def test_a_fetch_that_died_after_it_read_the_feed_is_made_up_for(site: Site, get: Get, documents: Documents):
    place = site.feed("a", "b")

    def die(*arguments: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.services.fetching.running._Fetch._fetch", die)
        with pytest.raises(KeyboardInterrupt):
            get(place)
    get(f"{site.server.url}/other")
    site.requested_paths()
    assert get(place).imported == 2
    assert site.requested_paths() == ["/a", "/b", "/feed"]
    assert len(documents()) == 3


def test_each_watch_has_its_own_memory(site: Site, get: Get):
    place = site.feed("a")
    get(place, name="watch-1.", role=Role.SUSPECT)
    site.requested_paths()
    assert get(place, name="watch-2.", role=Role.SUSPECT).unchanged == 1
    assert get(place, name="watch-1.", role=Role.SUSPECT).left_out == {KNOWN: 1}
    assert site.requested_paths() == ["/a", "/feed", "/feed"]


@pytest.mark.slow
def test_a_watch_compares_what_an_interrupted_check_had_brought_though_its_pages_are_unchanged(
    site: Site, project: Path, ctx: Context
):
    def cancelled(*arguments: object, **options: object) -> None:
        raise Cancelled

    with Session(project) as session:
        with session.write() as connection:
            add_documents(connection, [Document("source", TEXT)])
        watch = store.add(session, "mine", WatchSettings((site.feed("a", "b"),), rate=0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.services.watching.checking.detect", cancelled)
        with pytest.raises(Cancelled):
            check(ctx, project, watch, allow_private=True, workers=0)
    site.requested_paths()
    done = check(ctx, project, watch, allow_private=True, workers=0).check
    assert site.requested_paths() == ["/a", "/b", "/feed"]
    assert (done.unchanged, done.failed, done.examined, done.reported) == (2, 0, 2, 2)
    again = check(ctx, project, watch, allow_private=True, workers=0).check
    assert (again.examined, again.reported, again.message) == (0, 0, "")


def test_a_cancel_does_not_wait_for_the_answer_of_a_feed(site: Site, project: Path):
    feed, arrival, end = site.feed("a"), threading.Event(), threading.Event()
    waits: list[bool] = []

    def answer(_: Request) -> Response:
        arrival.set()
        waits.append(end.wait(2))
        return Response(status=404)

    site.server.routes["/feed"] = answer
    options = FetchOptions(rate=0, allow_private=True, workers=0, timeout=5)
    with pytest.raises(Cancelled):
        fetch(Context("t", lambda event: None, arrival.is_set), project, [feed], options)
    end.set()
    assert wait_until(lambda: waits == [True])


def test_a_sample_may_grow(site: Site, get: Get, documents: Documents):
    place = site.feed(*map(str, range(30)))
    part = get(place, sample=0.3).imported
    assert 0 < part < 30
    assert get(place).imported == 30 - part


def test_of_a_sitemap_only_dated_pages_are_taken_at_its_word(site: Site, get: Get):
    dated = site.sitemap("/dated.xml", "a", "b", date="2024-01-01")
    bare = site.sitemap("/bare.xml", "c")
    index = site.sitemap("/index.xml", "dated.xml", "bare.xml", root="sitemapindex", entry="sitemap")
    assert get(index).imported == 3
    site.requested_paths()
    again = get(index)
    assert site.requested_paths() == ["/bare.xml", "/c", "/dated.xml", "/index.xml"]
    assert (again.unchanged, again.left_out) == (1, {KNOWN: 2})
    assert get(dated, bare).unchanged == 1


@pytest.mark.parametrize("date", ["9999-12-31", "9999-12-31T23:59:59", "0001-01-01T00:00:00+14:00"])
def test_a_date_at_the_end_of_time_is_not_an_obstacle(site: Site, get: Get, date: str):
    place = site.sitemap("/map.xml", "a", date=date)
    for options in ({}, {"name": "watch-1.", "sparing": True}):
        get(place, **options)
        assert not get(place, **options).failed


@pytest.mark.parametrize(("zone", "imported"), [("", 1), ("Z", 0)])
def test_a_change_dated_without_a_zone_may_be_by_a_clock_in_the_west(site: Site, get: Get, zone: str, imported: int):
    def hours_ago(hours: int) -> str:
        return (datetime.now(UTC) - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S") + zone

    get(site.sitemap("/map.xml", "a", date=hours_ago(10)), name="watch-1.", sparing=True)
    site.server.fallback = lambda r: html(f"{TEXT} It was painted. {r.path}")
    again = get(site.sitemap("/map.xml", "a", date=hours_ago(5)), name="watch-1.", sparing=True)
    assert again.imported == imported


def test_what_is_kept_may_be_damaged_or_deleted(site: Site, get: Get, project: Path):
    place = site.feed("a")
    get(place)
    folder = Path(f"{project}-index") / "listings"
    for name, rubbish in (("*.body", b"<rss/>"), ("*.json", b"[]"), ("*.json", b"{"), ("*.json", None)):
        (path,) = folder.glob(name)
        path.unlink() if rubbish is None else path.write_bytes(rubbish)
        site.requested_paths()
        assert get(place).unchanged == 1
        assert site.requested_paths() == ["/a", "/feed"]
    assert get(place).left_out == {KNOWN: 1}


@pytest.mark.slow
def test_what_is_kept_does_not_grow_without_end(site: Site, get: Get, project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listing_cache, "_MOST_BYTES", 1000)
    for number in range(6):
        get(site.sitemap(f"/{number}.xml", *("a" * 60, "b" * 60)))
    bodies = list((Path(f"{project}-index") / "listings").glob("*.body"))
    assert 0 < sum(path.stat().st_size for path in bodies) <= 1000
    assert len(bodies) < 6


def test_a_feed_of_a_private_host_leads_to_no_other_private_host(site: Site, get: Get, tmp_path: Path):
    other = site.server.url.replace("127.0.0.1", "localhost")
    body = f"<item><link>/a</link></item><item><link>{other}/secret</link></item>"
    site.serve("/feed", f'<rss version="2.0"><channel><title>x</title>{body}</channel></rss>')
    result = get(PageSource(PlaceKind.FEED, f"{site.server.url}/feed"))
    assert (result.imported, len(result.failed)) == (1, 1)
    assert "private network" in result.failed[0].error
    assert site.requested_paths() == ["/a", "/feed"]
    listed = tmp_path / "list.txt"
    listed.write_text(f"{other}/b\n")
    assert get(PageSource(PlaceKind.LIST, str(listed))).imported == 1
