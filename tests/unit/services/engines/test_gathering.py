"""Search corpora: which words are sent, what becomes a document, and what a second or interrupted job does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.web_server import Response, WebServer, html
from workbench.base.errors import Cancelled, UserError
from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.project.documents import iter_documents
from workbench.services import keyrings
from workbench.services.engines import setup
from workbench.services.engines.asking import Answer, answers
from workbench.services.engines.gathering import KNOWN, Gather
from workbench.services.engines.running import BUDGET
from workbench.services.engines.setup import Engine
from workbench.services.session import Session

FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Trends</title>
<item><title>lottery</title></item><item><title>diet &amp; health</title></item></channel></rss>"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[WebServer]:
    """An engine with an answer to every query, a feed of trend words, and pages."""
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))
    secrets = SimpleNamespace(set_password=lambda *_: None, get_password=lambda *_: "hush")
    monkeypatch.setattr(keyrings, "_ring", lambda: secrets)
    with WebServer() as started:
        items = [
            {
                "link": started.page("/a", html("The whole text of a page about the numbers of this week.")),
                "text": "Win <b>now</b> &amp; here",
            },
            {"link": f"{started.url}/b"},
        ]
        results = Response(json.dumps({"items": items}).encode())
        feed = Response(FEED.encode(), headers={"Content-Type": "application/rss+xml"})
        nothing = Response(b"", 404)

        def reply(request):
            return results if request.path.startswith("/search") else feed if request.path == "/trends" else nothing

        started.fallback = reply
        template = f"{started.url}/search?q={{query}}&key={{key}}"
        setup.save(Engine(template, "", "items[].link", rate=100, snippets="items[].text"), "hush")
        yield started


def background(project: Path) -> dict[str, str]:
    with Session(project, write=False) as session, session.read() as connection:
        return {d.id: d.text for d in iter_documents(connection, [Role.BACKGROUND])}


def test_snippets_are_paired_with_the_page_they_are_of() -> None:
    results = {
        "r": [
            {"u": "https://a.example/", "s": "one"},
            {"u": "https://b.example/"},
            {"u": "https://c.example/", "s": "three"},
        ]
    }
    assert answers(json.dumps(results).encode(), "r[].u", "r[].s") == [
        Answer("https://a.example/", "one"),
        Answer("https://b.example/", ""),
        Answer("https://c.example/", "three"),
    ]


def test_snippets_of_words_and_trends_become_a_corpus_that_says_where_it_is_from(
    server: WebServer, path: Path, ctx: Context, tmp_path: Path
) -> None:
    (tmp_path / "words.txt").write_text("宝くじ\n\nlottery\n", encoding="utf-8")
    outcome = Gather(("lottery",), str(tmp_path / "words.txt"), (f"{server.url}/trends",)).run(ctx, path)
    assert (outcome.record["queries"], outcome.record["snippets"], outcome.failed) == (3, 3, [])
    with Session(path, write=False) as session, session.read() as connection:
        documents = {d.title: d for d in iter_documents(connection)}
    assert documents.keys() == {"lottery", "宝くじ", "diet & health"}
    one = documents["lottery"]
    assert (one.text, one.role, one.tags, one.url) == (
        "Win now & here",
        Role.BACKGROUND,
        ("search",),
        f"{server.url}/a",
    )
    assert "/search?q=lottery" in one.origin
    assert not any("hush" in d.origin + d.id for d in documents.values()), "the key is nowhere in the project"


def test_words_that_were_searched_for_are_left_out_the_next_time(server: WebServer, path: Path, ctx: Context) -> None:
    Gather(("one",)).run(ctx, path)
    second = Gather(("one", "two")).run(ctx, path)
    assert (second.record["queries"], second.record["left_out"]) == (1, {KNOWN: 1})
    assert Gather(("one", "two"), again=True).run(ctx, path).record["queries"] == 2
    assert len(background(path)) == 2


def test_a_snippet_that_is_another_one_by_now_is_named_and_the_first_one_kept(
    server: WebServer, path: Path, ctx: Context
) -> None:
    Gather(("one",)).run(ctx, path)
    before = background(path)
    items = [{"link": f"{server.url}/a", "text": "Quite another snippet of the page"}]
    server.fallback = lambda _: Response(json.dumps({"items": items}).encode())
    outcome = Gather(("one",), again=True).run(ctx, path)
    assert (outcome.record["queries"], outcome.record["snippets"]) == (1, 0)
    assert [failure.path for failure in outcome.failed] == list(before)
    assert not outcome.succeeded
    assert background(path) == before


def test_what_came_before_a_cancellation_stays_and_the_budget_is_kept(
    server: WebServer, path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def advance(stage: str, done: int, total: int) -> None:
        if done == 2:
            raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(ctx, "advance", advance, raising=False)
        with pytest.raises(Cancelled):
            Gather(("a", "b", "c")).run(ctx, path)
    assert len(background(path)) == 2
    engine, _ = setup.ready()
    setup.save(Engine(**{**engine.as_dict(), "budget": 2}))
    assert Gather(("a", "b", "c")).run(ctx, path).record["left_out"] == {KNOWN: 2, BUDGET: 1}


@pytest.mark.slow
def test_pages_are_fetched_into_the_corpus_if_they_are_wanted(server: WebServer, path: Path, ctx: Context) -> None:
    outcome = Gather(("one",), pages=True, allow_private=True, workers=0).run(ctx, path)
    assert outcome.record["fetched"] == 1
    assert [failed["path"] for failed in outcome.record["failed"]] == [f"{server.url}/b"]
    assert any("whole text of a page" in text for text in background(path).values())


def test_nothing_is_asked_without_words_or_a_place_for_snippets(server: WebServer, path: Path, ctx: Context) -> None:
    with pytest.raises(UserError, match="no words"):
        Gather().run(ctx, path)
    engine, _ = setup.ready()
    setup.save(Engine(**{**engine.as_dict(), "snippets": ""}))
    with pytest.raises(UserError, match="texts of results"):
        Gather(("one",)).run(ctx, path)
    with pytest.raises(UserError, match="list of the results"):
        setup.save(Engine(**{**engine.as_dict(), "snippets": "other[].text"}))
    assert not any(request.path.startswith("/search") for request in server.requests)


def test_a_feed_that_cannot_be_read_is_listed_and_the_other_words_are_searched_for(
    server: WebServer, path: Path, ctx: Context
) -> None:
    missing = f"{server.url}/gone"
    outcome = Gather(("lottery",), trends=(missing, f"{server.url}/trends")).run(ctx, path)
    assert (outcome.record["queries"], outcome.record["snippets"]) == (2, 2)
    assert [failure.path for failure in outcome.failed] == [missing]
    assert not outcome.succeeded
    with pytest.raises(UserError, match="gone"):
        Gather(trends=(missing,)).run(ctx, path)


@pytest.mark.slow
def test_pages_of_words_searched_for_before_are_fetched_once(server: WebServer, path: Path, ctx: Context) -> None:
    Gather(("one",)).run(ctx, path)
    wanted = Gather(("one",), pages=True, allow_private=True, workers=0)
    first = wanted.run(ctx, path).record
    assert (first["queries"], first["fetched"], first["left_out"]) == (0, 1, {KNOWN: 1})
    assert any("whole text of a page" in text for text in background(path).values())
    assert wanted.run(ctx, path).record["fetched"] == 0
    assert server.counts()["/a"] == 1
