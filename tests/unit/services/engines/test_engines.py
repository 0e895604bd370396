"""Search engines: which sentences are asked for, recorded answers, budgets, and what is fetched and compared."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.web_server import Response, WebServer, html
from workbench.base.errors import UserError
from workbench.base.types import Block, BlockClass, Document, Role, Span
from workbench.cli.main import main
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services import keyrings
from workbench.services.engines import setup
from workbench.services.engines.asking import answers
from workbench.services.engines.running import BUDGET, DECLINED, OWN, Rarity, queries, search
from workbench.services.engines.setup import SNIPPET, Engine
from workbench.services.engines.task import Search
from workbench.services.session import Session

COMMON = "The committee met again on Tuesday to discuss the plans for the coming year."
RARE = "Quixotic zephyrs vexed the bronze gargoyles while nightjars quarrelled over saffron marzipan."
SOURCE = f"{COMMON} {RARE} It was late."
BRAVE = {"type": "search", "web": {"results": [{"title": "A", "url": "https://a.example/1"}, {"title": "no address"}]}}
GOOGLE = {"kind": "customsearch#search", "items": [{"link": "https://a.example/1"}, {"link": "ftp://b.example/"}]}


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    kept: dict[str, str] = {}
    fake = SimpleNamespace(
        set_password=lambda service, name, secret: kept.__setitem__(name, secret),
        get_password=lambda service, name: kept.get(name),
        delete_password=lambda service, name: kept.pop(name),
    )
    monkeypatch.setattr(keyrings, "_ring", lambda: fake)
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))
    return kept


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as started:
        yield started


@pytest.fixture
def project(path: Path) -> Path:
    documents = [Document("original", SOURCE, Role.SOURCE, url="https://own.example/1", site="own.example")]
    documents += [Document(f"other{n}", f"{COMMON} Number {n} is another text.", Role.SOURCE) for n in range(3)]
    with Session(path) as opened, opened.write() as connection:
        add_documents(connection, documents)
    return path


def named(*urls: str) -> Response:
    return Response(json.dumps({"web": {"results": [{"url": url} for url in urls]}}).encode())


def answering(server: WebServer, answer: Response) -> str:
    """The template of an engine that always gives ``answer``."""
    nothing = Response(b"", 404)
    server.fallback = lambda request: answer if request.path.startswith("/search?q=") else nothing
    return f"{server.url}/search?q={{query}}"


def test_the_rarest_sentence_is_asked_for_first_and_only_content() -> None:
    rarity = Rarity()
    document = Document("a", SOURCE)
    for one in (document, *(Document(str(n), COMMON) for n in range(5))):
        rarity.add(one)
    assert queries(document, rarity, 2) == [RARE.rstrip("."), COMMON.rstrip(".")]
    first = Span(0, len(COMMON))
    blocks = (
        Block(first, verdict=BlockClass.CONTENT),
        Block(Span(first.end + 1, len(SOURCE)), verdict=BlockClass.NON_CONTENT),
    )
    assert queries(Document("a", SOURCE, blocks=blocks), rarity, 2) == [COMMON.rstrip(".")]


def test_quotation_marks_in_a_sentence_do_not_end_the_quotation_that_is_asked_for() -> None:
    rarity = Rarity()
    words = '\u201cThe harbour,\u201d she wrote, \u201cwas as quiet as it is now,\u201d and "nobody" had seen it.'
    document = Document("a", words)
    rarity.add(document)
    assert queries(document, rarity, 1) == ["The harbour, she wrote, was as quiet as it is now, and nobody had seen it"]


def test_long_sentences_are_cut_and_short_ones_left_out() -> None:
    rarity = Rarity()
    long = Document(
        "a", " ".join(f"word{n}" for n in range(60)) + ". Too short. 山路を登りながら、こう考えた人がいた。"
    )
    rarity.add(long)
    (japanese, english) = sorted(queries(long, rarity, 9), key=len)
    assert english.split() == [f"word{n}" for n in range(24)]
    assert japanese == "山路を登りながら、こう考えた人がいた"


@pytest.mark.parametrize(
    ("answer", "path", "expected"),
    [
        (BRAVE, "web.results[].url", ["https://a.example/1"]),
        (GOOGLE, "items[].link", ["https://a.example/1"]),
        ({"web": None}, "web.results[].url", []),
        ([1, 2], "items[].link", []),
        ({"url": "https://a.example/"}, "url", ["https://a.example/"]),
    ],
)
def test_recorded_answers_are_read_by_the_path(answer: object, path: str, expected: list[str]) -> None:
    assert [one.address for one in answers(json.dumps(answer).encode(), path)] == expected


def test_an_answer_that_is_not_json_is_an_error() -> None:
    with pytest.raises(UserError, match="JSON"):
        answers(b"<html>", "a")


@pytest.mark.parametrize(
    "engine",
    [
        Engine("http://search.example/?q={query}", "", "items[].link"),
        Engine("https://search.example/", "", "items[].link"),
        Engine("https://[search/?q={query}", "", "items[].link"),
        Engine("https://search.example/?q={query}", "no colon", "items[].link"),
        Engine("https://search.example/?q={query}", "", "items[0].link"),
        Engine("https://search.example/?q={query}", "", "items[].link", budget=0),
    ],
)
def test_an_engine_that_cannot_work_is_refused(ring: dict[str, str], engine: Engine) -> None:
    with pytest.raises(UserError):
        setup.save(engine)
    assert setup.load() is None


def test_nothing_is_asked_until_an_engine_is_set_up(ring: dict[str, str], project: Path, ctx: Context) -> None:
    with pytest.raises(UserError, match="set up"):
        search(ctx, project, Search())


@pytest.mark.slow
def test_named_pages_are_fetched_and_compared(
    ring: dict[str, str], project: Path, server: WebServer, ctx: Context
) -> None:
    copy = f"{server.url}/copy"
    server.page("/copy", html(SOURCE))
    template = answering(server, named(copy, "https://own.example/other", "https://own.example/1"))
    engine = Engine(template, "X-Token: {key}", "web.results[].url", rate=100)
    setup.save(engine, "hush")
    assert ring == {"search": "hush"}
    searched = search(ctx, project, Search(("original",), 1, allow_private=True, workers=0))
    assert (searched.sent, searched.named, searched.fetched, searched.failed) == (1, 3, 1, ())
    assert dict(searched.left_out) == {OWN: 2}
    assert searched.run is not None
    assert searched.run.matches == 1
    assert setup.used_today() == 1
    (query,) = [request for request in server.requests if request.path.startswith("/search")]
    assert query.headers["x-token"] == "hush"
    assert query.path.startswith("/search?q=%22Quixotic%20zephyrs")
    again = search(ctx, project, Search(("original",), 1, allow_private=True, workers=0))
    assert (dict(again.left_out), again.fetched, again.run) == ({OWN: 2}, 0, searched.run)
    server.page("/copy", html("It is another page now."))
    with Session(project) as opened, opened.write() as connection:
        add_documents(connection, [Document("late", f"{SOURCE} It had been a long day.", Role.SOURCE)])
    late = search(ctx, project, Search(("late",), 1, allow_private=True, workers=0))
    assert late.run is not None
    assert (late.fetched, late.run.documents, late.run.matches) == (0, 1, 2)
    setup.switch_off()
    assert (setup.load(), ring) == (None, {})


def test_a_page_of_which_the_project_has_only_a_snippet_is_fetched(
    ring: dict[str, str], project: Path, server: WebServer, ctx: Context
) -> None:
    copy = f"{server.url}/copy"
    server.page("/copy", html(SOURCE))
    snippet = Document(f"{copy}{SNIPPET}quixotic", "Quixotic zephyrs ...", Role.BACKGROUND, url=copy)
    with Session(project) as opened, opened.write() as connection:
        add_documents(connection, [snippet])
    setup.save(Engine(answering(server, named(copy)), results="web.results[].url", rate=100), "")
    searched = search(ctx, project, Search(("original",), 1, allow_private=True, workers=0))
    assert (searched.fetched, dict(searched.left_out)) == (1, {})
    assert searched.run is not None
    assert searched.run.matches == 1


def test_queries_stop_at_the_budget_and_where_the_engine_declines(
    ring: dict[str, str], project: Path, server: WebServer, ctx: Context
) -> None:
    engine = Engine(answering(server, named()), "", "web.results[].url", rate=100, budget=3)
    setup.save(engine)
    searched = search(ctx, project, Search(each=2))
    assert (searched.sent, dict(searched.left_out)) == (3, {BUDGET: 2})
    setup.save(Engine(answering(server, Response(b"", 429)), "", "web.results[].url", rate=100, budget=100))
    searched = search(ctx, project, Search(each=2))
    assert (searched.sent, len(searched.failed), dict(searched.left_out)) == (1, 1, {DECLINED: 4})


def test_queries_are_no_faster_than_the_rate(
    ring: dict[str, str], project: Path, server: WebServer, ctx: Context
) -> None:
    setup.save(Engine(answering(server, named()), "", "web.results[].url", rate=5))
    begun = time.monotonic()
    assert search(ctx, project, Search(each=2)).sent == 5
    assert time.monotonic() - begun >= 4 / 5


def test_a_key_is_in_no_error(ring: dict[str, str], project: Path, ctx: Context) -> None:
    setup.save(Engine("http://127.0.0.1:9/?q={query}&key={key}", "", "items[].link", rate=100), "hush")
    searched = search(ctx, project, Search(("original",), 1))
    assert len(searched.failed) == 1
    assert "hush" not in searched.failed[0].error


@pytest.mark.parametrize("days", [-1, 1])
def test_the_queries_of_another_day_leave_todays_budget_alone(
    ring: dict[str, str], monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    setup.count_query()
    setup.count_query()
    assert setup.used_today() == 2
    other = (datetime.now(UTC) + timedelta(days=days)).date().isoformat()
    monkeypatch.setattr(setup, "_today", lambda: other)
    assert setup.used_today() == 0
    setup.count_query()
    assert setup.used_today() == 1


def test_the_verb_sets_up_shows_tests_and_forgets_an_engine(
    server: WebServer, ring: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def engine(*words: str, code: int = 0, as_json: bool = False) -> str:
        assert main(["engine", *words, *(["--json"] if as_json else [])]) == code
        return "".join(capsys.readouterr())

    assert "No search engine is set up." in engine()
    assert json.loads(engine(as_json=True)) == {}
    assert "No search engine is set up." in engine("test", code=1)
    template = answering(server, named("https://a.example/1", "https://b.example/2"))
    monkeypatch.setattr("sys.stdin", StringIO("secret word\n"))
    flags = ("--url", template, "--results", "web.results[].url", "--header", "X-Token: {key}", "--budget", "1200")
    assert f"{template}: 0 of 1,200 queries made today." in engine("set", *flags)
    assert list(ring.values()) == ["secret word"]
    assert engine("test") == "https://a.example/1\nhttps://b.example/2\n"
    assert server.requests[-1].headers["x-token"] == "secret word"
    assert engine() == f"{template}: 1 of 1,200 queries made today.\n"
    assert json.loads(engine("test", as_json=True)) == {"pages": ["https://a.example/1", "https://b.example/2"]}
    shown = json.loads(engine(as_json=True))
    assert (shown["template"], shown["budget"], shown["used"]) == (template, 1200, 2)
    answering(server, named())
    assert "The response lists no page; is --results right?" in engine("test", code=1)
    assert "No search engine is set up." in engine("off")
    assert ring == {}
