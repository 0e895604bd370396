"""The verb ``fetch`` against a real server, killed in the middle and run again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Run
from tests.processes import wait_until
from tests.web_server import Request, Response, WebServer, html

PAGES = 400
CONCURRENCY = 2
"""Connections to one host; so many pages may be on their way when a process is killed."""


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as started:
        started.page("/robots.txt", Response(status=404))
        started.fallback = page
        yield started


def page(request: Request) -> Response:
    if not request.path.startswith("/pages/"):
        return Response(status=404)
    number = request.path.removeprefix("/pages/")
    return html(f"This is what page {number} tells of the bridge, the river and the keeper in mile {number}.")


@pytest.fixture
def ask(run: Run) -> Callable[..., Any]:
    """``run`` with ``--json``: the one object that it printed, or else what it said."""

    def call(*arguments: object, code: int = 0) -> Any:
        done = run(*arguments, "--json", code=code)
        return json.loads(done.stdout) if done.stdout else done.stderr

    return call


@pytest.mark.rest
def test_hundreds_of_pages_survive_two_kills(server: WebServer, environment: dict[str, str], ask: Any, tmp_path: Path):
    """Nothing is lost, and only what was on its way at a kill is asked for again."""
    ask("new", "p.palimpsest")
    addresses = tmp_path / "list.txt"
    addresses.write_text("".join(f"{server.url}/pages/{n}\n" for n in range(PAGES)), encoding="utf-8")
    command = ("fetch", "p.palimpsest", "--list", addresses, "--rate", 0, "--allow-private")
    for enough in (60, 240):
        server.fallback = lambda r, last=enough: Response(delay=600) if server.counts().total() > last else page(r)
        program = [sys.executable, "-m", "workbench", *map(str, command)]
        process = subprocess.Popen(program, stderr=subprocess.DEVNULL, cwd=tmp_path, env=environment)
        assert wait_until(lambda last=enough: server.counts().total() >= last + CONCURRENCY)
        process.kill()
        process.wait()
    server.fallback = page
    result = ask(*command)
    assert (result["imported"], result["failed"], len(result["documents"])) == (PAGES, [], PAGES)
    assert 2 * CONCURRENCY + result["resumed"] >= 240
    info = ask("info", "p.palimpsest")
    assert (info["documents"], info["failed"], info["integrity"]) == (PAGES, 0, "ok")
    counts = server.counts()
    assert len(counts) == PAGES
    assert counts.total() - PAGES <= 2 * CONCURRENCY
    assert max(counts.values()) <= 3
    again = ask(*command)
    assert (again["unchanged"], again["imported"], again["documents"]) == (PAGES, 0, [])
    assert not list(tmp_path.glob("*.fetch"))


def test_failures_are_listed_by_address(server: WebServer, ask: Any):
    ask("new", "p.palimpsest")
    good, bad = f"{server.url}/pages/1", f"{server.url}/missing"
    result = ask(
        "fetch", "p.palimpsest", good, bad, "ftp://host/x", "--allow-private", "--role", "suspect", "--rate", 0
    )
    assert {name: result[name] for name in ("fetched", "unchanged", "imported", "duplicates")} == {
        "fetched": 1,
        "unchanged": 0,
        "imported": 1,
        "duplicates": 0,
    }
    assert [f["path"] for f in result["failed"]] == ["ftp://host/x", bad]
    assert result["documents"] == [good]
    assert ask("info", "p.palimpsest")["roles"]["suspect"] == 1


def test_loopback_is_refused_unless_told_to(server: WebServer, ask: Any):
    ask("new", "p.palimpsest")
    result = ask("fetch", "p.palimpsest", f"{server.url}/pages/1", code=1)
    assert "private network" in result["failed"][0]["error"]
    assert not server.requests


def test_nothing_to_fetch_is_wrong_usage(ask: Any):
    ask("new", "p.palimpsest")
    assert "Give the address" in ask("fetch", "p.palimpsest", code=2)
    assert "rate" in ask("fetch", "p.palimpsest", "http://x/", "--rate", "-1", code=2)
