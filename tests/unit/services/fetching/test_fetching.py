from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.processes import wait_until
from tests.web_server import Request, Response, WebServer, html
from workbench.base import own_folders
from workbench.base.errors import Cancelled, ParameterError, UserError
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.project.captures import Outcome, captures_of_document
from workbench.project.database import locks_of, open_project
from workbench.project.documents import delete_documents
from workbench.project.imports import failures, interrupted_batches
from workbench.services import fetching
from workbench.services.fetching import KNOWN, FetchOptions, FetchResult, fetch, planning
from workbench.services.fetching.journal import FetchPlan, Spool
from workbench.services.fetching.planning import in_sample
from workbench.services.fetching.session import Host

Get = Callable[..., FetchResult]
Documents = Callable[[], dict[str, Document]]
TEXT = "The old bridge over the river was rebuilt in the spring of that year, stone by stone."


def test_pages_become_documents(server: WebServer, get: Get, documents: Documents, project: Path):
    server.page("/start", Response(status=302, headers={"Location": "/pages/one"}))
    server.page("/pages/one", html(f"{TEXT} <a href='two'>further</a>"))
    result = get(f"{server.url}/start", f"{server.url}/none", role=Role.SUSPECT)
    url = f"{server.url}/pages/one"
    assert (result.fetched, result.imported, result.ids, result.keys) == (1, 1, (url,), (1,))
    assert [(f.path, f.error) for f in result.failed] == [
        (f"{server.url}/none", "The server responded 404 (Not Found).")
    ]
    document = documents()[url]
    assert TEXT in document.text
    assert (document.role, document.url, document.site, document.title) == (Role.SUSPECT, url, "127.0.0.1", "Page")
    assert document.links == (f"{server.url}/pages/two",)
    with open_project(project) as opened, opened.read() as connection:
        (capture,) = captures_of_document(connection, 1)
        assert [f.path for f in failures(connection)] == [f"{server.url}/none"]
        assert not interrupted_batches(connection)
    body = server.routes["/pages/one"](server.requests[0])
    assert isinstance(body, Response)
    assert capture.body_hash == hashlib.sha256(body.body).digest()
    assert (capture.url, capture.final_url, capture.status) == (f"{server.url}/start", url, 200)
    assert capture.outcome is Outcome.NEW
    assert ("content-type", "text/html; charset=utf-8") in capture.headers
    assert [p.name for p in project.parent.iterdir()] == [project.name]


def test_what_a_page_is_follows_its_type(server: WebServer, get: Get, documents: Documents):
    japanese = "山路を登りながら、こう考えた。智に働けば角が立つ。"
    bare = f"<html><body><p>{japanese}</p></body></html>".encode("euc-jp")
    server.page("/header", Response(bare, headers={"Content-Type": "text/html; charset=EUC-JP"}))
    server.page("/text", Response(TEXT.encode(), headers={"Content-Type": "text/plain"}))
    server.page("/data.csv", Response(f"<!doctype html><p>{TEXT}".encode()))
    server.page("/picture", Response(b"\x89PNG....", headers={"Content-Type": "image/png"}))
    server.page("/lie", Response(b"\x89PNG\r\n\x1a\n\0\0\0\0" * 9, headers={"Content-Type": "text/html"}))
    server.page("/bare.pdf", Response(b"%PDF-1.4 broken", headers={"Content-Type": "text/html"}))
    server.page("/no-text", html(""))
    paths = ("/header", "/text", "/data.csv", "/picture", "/lie", "/bare.pdf", "/no-text")
    result = get(*(server.url + path for path in paths))
    by_path = {identity.removeprefix(server.url): document for identity, document in documents().items()}
    assert set(by_path) == {"/header", "/text", "/data.csv"}
    assert japanese in by_path["/header"].text
    assert by_path["/header"].extraction.encoding == "euc_jp"
    assert by_path["/text"].text == TEXT
    assert by_path["/text"].title == "text"
    failed = {f.path.removeprefix(server.url): f.error for f in result.failed}
    assert set(failed) == {"/picture", "/lie", "/bare.pdf", "/no-text"}
    assert failed["/picture"] == "This is not a page with text (image/png)."


def test_a_page_that_did_not_change_is_unchanged(server: WebServer, get: Get, documents: Documents):
    def with_etag(request: Request) -> Response:
        if request.headers.get("if-none-match") == '"1"':
            return Response(status=304)
        return html(TEXT, ETag='"1"')

    server.routes["/etag"] = with_etag
    server.page("/same", html(TEXT + " Same."))
    urls = [f"{server.url}/etag", f"{server.url}/same"]
    assert get(*urls).imported == 2
    for _ in range(2):
        result = get(*urls)
        assert (result.fetched, result.unchanged, result.imported, result.failed) == (1, 2, 0, ())
    assert len(documents()) == 2
    assert [r.headers.get("if-none-match") for r in server.requests if r.path == "/etag"] == [None, '"1"', '"1"']


def test_a_page_that_is_there_gets_new_tags_and_keeps_its_role_with_a_word(
    server: WebServer, project: Path, documents: Documents
):
    server.page("/a", html(TEXT))
    events: list[Event] = []
    places = [PageSource(PlaceKind.URL, f"{server.url}/a")]
    for role, tags in ((Role.SOURCE, ()), (Role.SOURCE, ("news",)), (Role.SUSPECT, ("late",))):
        options = FetchOptions(role=role, tags=tags, rate=0, allow_private=True, workers=0)
        fetch(Context("t", events.append, lambda: False), project, places, options)
    (document,) = documents().values()
    assert (document.role, document.tags) == (Role.SOURCE, ("late", "news"))
    (warning,) = [event.message for event in events if isinstance(event, Warned)]
    assert warning.startswith(f"Already in the project as source, and kept in that role (1): {server.url}/a.")


@pytest.mark.slow
def test_a_page_that_changed_is_another_document(server: WebServer, get: Get, documents: Documents):
    server.page("/a", html(TEXT))
    url = f"{server.url}/a"
    get(url)
    server.page("/a", html(f"<!-- advertisement -->{TEXT}"))
    assert get(url).duplicates == 1
    server.page("/a", html("The new bridge was opened by the mayor in front of a large crowd."))
    changed = get(url)
    assert changed.imported == 1
    server.page("/a", html(TEXT))
    back = get(url)
    assert back.imported == 1
    ids = [url, *changed.ids, *back.ids]
    assert all(later.startswith(f"{url}@20") for later in ids[1:])
    assert list(documents()) == ids
    assert documents()[ids[2]].text == documents()[url].text


def test_a_deleted_document_is_fetched_again(server: WebServer, get: Get, documents: Documents, project: Path):
    server.routes["/a"] = lambda r: Response(status=304) if "if-none-match" in r.headers else html(TEXT, ETag='"1"')
    get(f"{server.url}/a")
    with open_project(project) as opened, opened.write() as connection:
        delete_documents(connection, [1])
    assert get(f"{server.url}/a").imported == 1
    assert list(documents()) == [f"{server.url}/a"]


def test_two_addresses_of_one_page_are_one_document(server: WebServer, get: Get, documents: Documents):
    server.page("/old", Response(status=301, headers={"Location": "/new"}))
    server.page("/new", html(TEXT))
    result = get(f"{server.url}/old", f"{server.url}/new", f"{server.url}/new#part")
    assert (result.imported, result.duplicates) == (1, 1)
    assert list(documents()) == [f"{server.url}/new"]


def test_a_list_of_addresses(server: WebServer, get: Get, tmp_path: Path):
    server.page("/a", html(TEXT))
    path = tmp_path / "list.txt"
    path.write_text(f"# comment\n\n{server.url}/a\nnonsense\n  {server.url}/a  \n", encoding="utf-8")
    result = get(PageSource(PlaceKind.LIST, str(path)))
    assert result.imported == 1
    assert [f.path for f in result.failed] == [f"{path}:4"]
    with pytest.raises(UserError, match="cannot be read"):
        get(PageSource(PlaceKind.LIST, str(tmp_path / "none.txt")))


def test_an_address_that_is_not_text_is_a_failure(get: Get):
    result = get("http://h\udcff/", "\udcff\0")
    assert len(result.failed) == 2
    assert not result.imported


def feed(server: WebServer, count: int) -> PageSource:
    items = "".join(
        f"<item><link>/posts/{n}</link><pubDate>Mon, 0{n % 9 + 1} Jan 2024 10:00:00 GMT</pubDate></item>"
        for n in range(count)
    )
    text = f'<?xml version="1.0"?><rss version="2.0"><channel><title>x</title>{items}</channel></rss>'
    server.page("/feed", Response(text.encode(), headers={"Content-Type": "application/rss+xml"}))
    server.fallback = lambda r: html(f"{TEXT} {r.path}") if r.path.startswith("/posts/") else Response(status=404)
    return PageSource(PlaceKind.FEED, f"{server.url}/feed")


def test_a_feed_brings_its_pages_and_their_dates(server: WebServer, get: Get, documents: Documents):
    assert get(feed(server, 3)).imported == 3
    dates = {d.id.removeprefix(server.url): (d.published, d.dated_by) for d in documents().values()}
    assert dates == {f"/posts/{n}": (f"2024-01-0{n + 1}T10:00:00Z", "feed") for n in range(3)}


def test_a_page_is_dated_by_itself_then_by_its_sitemap_then_by_the_reply(
    server: WebServer, get: Get, documents: Documents
):
    own = '<html><head><meta property="article:published_time" content="2024-05-06T07:08:09+09:00"></head><body>'
    changed = {"Last-Modified": "Tue, 02 Jan 2024 03:04:05 GMT", "Content-Type": "text/html"}
    pages = {"/own": f"{own}<p>{TEXT} own</p></body></html>", "/listed": f"<p>{TEXT} listed</p>"}
    for path, text in {**pages, "/header": f"<p>{TEXT} header</p>"}.items():
        server.page(path, Response(text.encode(), headers=changed))
    rows = f"<url><loc>{server.url}/own</loc><lastmod>2024-02-02</lastmod></url>"
    rows += f"<url><loc>{server.url}/listed</loc><lastmod>2024-02-02T01:02:03Z</lastmod></url>"
    rows += f"<url><loc>{server.url}/header</loc></url>"
    server.page("/map.xml", Response(f"<urlset>{rows}</urlset>".encode(), headers={"Content-Type": "text/xml"}))
    get(PageSource(PlaceKind.SITEMAP, f"{server.url}/map.xml"))
    dates = {d.id.removeprefix(server.url): (d.published, d.dated_by) for d in documents().values()}
    assert dates == {
        "/own": ("2024-05-06T07:08:09+09:00", "meta tag"),
        "/listed": ("2024-02-02T01:02:03Z", "sitemap"),
        "/header": ("2024-01-02T03:04:05Z", "HTTP header"),
    }


def test_a_sample_of_a_feed_is_the_same_every_time(server: WebServer, get: Get):
    place = feed(server, 40)
    first = get(place, sample=0.25)
    again = get(place, sample=0.25)
    assert 2 <= first.imported <= 20
    assert first.left_out == {"not in the sample": 40 - first.imported}
    assert (again.imported, again.left_out[KNOWN]) == (0, first.imported)
    chosen = {n for n in range(40) if in_sample(f"{server.url}/posts/{n}", 0.25)}
    assert {f"{server.url}/posts/{n}" for n in chosen} == set(first.ids)


def test_a_limit_is_counted(server: WebServer, get: Get):
    result = get(feed(server, 10), limit=4)
    assert (result.imported, result.left_out) == (4, {"over the limit of pages": 6})


def test_sitemaps_and_their_index(server: WebServer, get: Get, documents: Documents):
    def sitemap(root: str, entry: str, *addresses: str) -> bytes:
        rows = "".join(f"<{entry}><loc> {a} </loc><lastmod>2024-01-01</lastmod></{entry}>" for a in addresses)
        return (
            f'<?xml version="1.0"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{root}>'.encode()
        )

    u = server.url
    index = sitemap("sitemapindex", "sitemap", f"{u}/one.xml", f"{u}/broken.xml", "http://other.example/s.xml")
    server.page("/index.xml", Response(index))
    server.page("/one.xml", Response(sitemap("urlset", "url", f"{u}/a?x=1&amp;y=2", "http://other.example/b")))
    server.page("/broken.xml", Response(b"<html>no sitemap</html>"))
    server.page("/a?x=1&y=2", html(TEXT))
    result = get(PageSource(PlaceKind.SITEMAP, f"{u}/index.xml"))
    assert list(documents()) == [f"{u}/a?x=1&y=2"]
    assert [f.path for f in result.failed] == [f"{u}/broken.xml"]
    assert result.left_out == {"on a different host than their sitemap": 2}


def test_sitemaps_that_lead_to_each_other_end(server: WebServer, get: Get):
    for name, other in (("/a.xml", "/b.xml"), ("/b.xml", "/a.xml")):
        text = f"<sitemapindex><sitemap><loc>{server.url}{other}</loc></sitemap></sitemapindex>"
        server.page(name, Response(text.encode()))
    result = get(PageSource(PlaceKind.SITEMAP, f"{server.url}/a.xml"))
    assert not result.imported
    assert server.counts() == {"/a.xml": 1, "/b.xml": 1}


def test_a_host_that_asks_for_endless_waits_is_not_waited_for(server: WebServer, get: Get):
    url = server.page("/a", html(TEXT))
    server.page("/robots.txt", Response(b"User-agent: *\nCrawl-delay: 100000\n"))
    (failed,) = get(url).failed
    assert "asks for more than 600 s" in failed.error


def test_sitemaps_that_continue_without_end_are_counted(server: WebServer, get: Get, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(planning, "_MOST_LISTINGS", 3)
    rows = "".join(f"<sitemap><loc>{server.url}/{n}.xml</loc></sitemap>" for n in range(5))
    server.page("/index.xml", Response(f"<sitemapindex>{rows}</sitemapindex>".encode()))
    result = get(PageSource(PlaceKind.SITEMAP, f"{server.url}/index.xml"))
    assert result.left_out == {planning.UNOPENED: 3}


@pytest.mark.slow
def test_the_rate_of_a_host_is_kept(server: WebServer, get: Get, monkeypatch: pytest.MonkeyPatch):
    # When a request may be sent, not when it arrives: a busy machine delays one more than another.
    sent: list[float] = []
    turn = Host.turn

    async def noted(host: Host) -> None:
        await turn(host)
        sent.append(host._next - host.interval)

    monkeypatch.setattr(Host, "turn", noted)
    server.fallback = lambda r: html(f"{TEXT} {r.path}")
    server.page("/robots.txt", Response(b"User-agent: *\nCrawl-delay: 0.3\n"))
    get(*(f"{server.url}/{n}" for n in range(4)), rate=100.0)
    assert len(sent) == 5
    assert all(b - a >= 0.299 for a, b in pairwise(sent[1:]))
    sent.clear()
    server.page("/robots.txt", Response(status=404))
    get(*(f"{server.url}/{n}" for n in range(4)), rate=10.0)
    assert len(sent) == 5
    assert all(b - a >= 0.099 for a, b in pairwise(sent))


def test_an_etag_that_no_header_can_hold_does_not_end_the_next_fetch(server: WebServer, get: Get):
    url = server.page("/a", html(TEXT, ETag='"\u00e9"'))
    get(url)
    result = get(url)
    assert (result.failed, result.unchanged) == ((), 1)


@pytest.mark.slow
def test_a_host_that_went_silent_is_given_up(server: WebServer, get: Get):
    server.page("/robots.txt", Response(status=404))
    server.fallback = lambda request: Response(delay=20)
    result = get(*(f"{server.url}/{n}" for n in range(40)), timeout=0.3, retries=0, per_host=1)
    assert len(result.failed) == 40
    assert sum(server.counts().values()) == 5
    assert "its other pages are skipped" in result.failed[-1].error


def test_a_cancel_is_quick_and_the_next_fetch_continues(
    server: WebServer, get: Get, project: Path, documents: Documents
):
    server.fallback = lambda r: html(f"{TEXT} {r.path}", ETag='"1"')
    server.page("/robots.txt", Response(status=404))
    server.page("/slow", Response(delay=60))
    places = [PageSource(PlaceKind.URL, f"{server.url}/{name}") for name in [*map(str, range(30)), "slow"]]
    flag = threading.Event()
    options = FetchOptions(rate=0, allow_private=True, workers=0, per_host=2, timeout=60)
    raised: list[BaseException] = []

    def work() -> None:
        try:
            fetch(Context("t", lambda event: None, flag.is_set), project, places, options)
        except Cancelled as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    journal = Path(f"{project}.fetch/journal.jsonl")
    assert wait_until(lambda: journal.exists() and journal.read_bytes().count(b'{"page"') == 30)
    flag.set()
    thread.join()
    assert raised
    assert not documents()
    server.page("/slow", html(f"{TEXT} slow"))
    result = get(*places, per_host=2)
    assert (result.resumed, result.imported, len(documents())) == (30, 31, 31)
    assert server.counts() == {f"/{n}": 1 for n in range(30)} | {"/slow": 2}
    assert not Path(f"{project}.fetch").exists()


def test_what_another_fetch_had_received_is_kept(server: WebServer, get: Get, documents: Documents, project: Path):
    server.page("/a", html(TEXT))
    server.page("/b", html(TEXT + " Again."))

    def die(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.services.fetching.storing.FetchStore.store", die)
        with pytest.raises(KeyboardInterrupt):
            get(f"{server.url}/a", role=Role.SUSPECT, tags=("blog", "old"))
    assert not documents()
    result = get(f"{server.url}/b", tags=("new",))
    assert result.ids == (f"{server.url}/b",)
    assert {d.id: (d.role, d.tags) for d in documents().values()} == {
        f"{server.url}/a": (Role.SUSPECT, ("blog", "old")),
        f"{server.url}/b": (Role.SOURCE, ("new",)),
    }


@pytest.mark.parametrize("rubbish", [b"", b"{", b"\xff\xfe\n", b'{"page": {"url": 1}}\n', b"[]\n", b"null\n"])
def test_a_damaged_journal_is_not_an_obstacle(server: WebServer, get: Get, project: Path, rubbish: bytes):
    folder = Path(f"{project}.fetch")
    own_folders.make(folder, "fetch")
    (folder / "journal.jsonl").write_bytes(rubbish)
    assert Spool(project).entries == []
    assert get(server.page("/a", html(TEXT))).imported == 1


def test_a_folder_that_is_none_of_ours_is_neither_read_nor_removed(server: WebServer, get: Get, project: Path):
    folder = Path(f"{project}.fetch")
    folder.mkdir()
    (folder / "journal.jsonl").write_bytes(b'{"fetch": "t", "request": "r", "role": "source"}\n')
    (folder / "letter.txt").write_text("mine")
    assert Spool(project).token == ""
    with pytest.raises(UserError, match="already exists"):
        get(server.page("/a", html(TEXT)))
    assert (folder / "letter.txt").read_text() == "mine"


def test_a_folder_behind_a_link_is_neither_read_nor_removed(server: WebServer, get: Get, project: Path, tmp_path: Path):
    other = tmp_path / "other"
    own_folders.make(other, "fetch")
    (other / "1.body").write_text("mine")
    Path(f"{project}.fetch").symlink_to(other)
    with pytest.raises(UserError, match="already exists"):
        get(server.page("/a", html(TEXT)))
    assert (other / "1.body").read_text() == "mine"


def test_nothing_is_written_through_a_link_in_the_spool(project: Path, tmp_path: Path):
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    folder = Path(f"{project}.fetch")
    own_folders.make(folder, "fetch")
    (folder / "journal.jsonl").symlink_to(victim)
    (folder / "1.body").symlink_to(victim)
    spool = Spool(project)
    body = spool.body()
    body.write(b"received")
    body.close()
    assert body.path.read_bytes() == b"received"
    with pytest.raises(UserError, match="cannot be written") as caught:
        spool.set_plan(FetchPlan(()))
    assert caught.value.path == str(folder)
    assert victim.read_text() == "mine"


def test_one_fetch_at_a_time(server: WebServer, get: Get, project: Path):
    with open_project(project) as opened:
        with opened.write() as connection:
            locks_of(connection).hold("fetch")
        with pytest.raises(UserError, match="Another fetch"):
            get(server.page("/a", html(TEXT)))
    assert not server.requests


def test_a_full_disk_ends_the_fetch_with_a_sentence(server: WebServer, get: Get, monkeypatch: pytest.MonkeyPatch):
    def full(body: object, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("workbench.services.fetching.journal.Body.write", full)
    with pytest.raises(UserError, match="cannot be written"):
        get(server.page("/a", html(TEXT)))


def test_without_the_extra_it_says_how_to_install_it(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fetching, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'palimpsest\[web\]'"):
        fetch(Context("t", lambda e: None, lambda: False), project, [PageSource(PlaceKind.URL, "http://x/")])


@pytest.mark.parametrize(
    "wrong",
    [
        {"rate": -1},
        {"sample": 0},
        {"sample": 2},
        {"timeout": 0},
        {"limit": 0},
        {"contact": "a\r\nX: y"},
        {"retries": -1},
    ],
)
def test_options_out_of_range_are_refused(wrong: dict[str, Any]):
    with pytest.raises(ParameterError):
        FetchOptions(**wrong).check()


def test_nothing_to_fetch_is_an_error(get: Get):
    with pytest.raises(UserError, match="nothing to fetch"):
        get()
