"""The verb ``watch`` from adding a search to its report, against a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Rows
from tests.unit.cli.conftest import documented
from tests.web_server import WebServer, html

SOURCE = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
OWN = "この頁だけに書いてある文である。ほかのどこにも載っていない。"


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as started:
        yield started


def test_new_copies_are_reported_once_and_written_to_a_report(rows: Rows, server: WebServer, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text(SOURCE, encoding="utf-8")
    rows("new", "p.palimpsest")
    rows("import", "p.palimpsest", "source.txt", "--role", "source")
    server.page("/one.html", html(OWN + SOURCE))
    server.page("/two.html", html(OWN))
    pages = [f"{server.url}/{name}.html" for name in ("one", "two")]
    (added,) = rows("watch", "p.palimpsest", "add", "mine", "--page", pages[0], "--page", pages[1], "--rate", 100)
    assert (added["name"], added["method"], added["reported"]) == ("mine", "digest", 0)

    (refused,) = rows("watch", "p.palimpsest", "--once", code=1)
    assert [f["path"] for f in refused["failed"]] == pages

    (first,) = rows("watch", "p.palimpsest", "--once", "--allow-private")
    assert (first["fetched"], first["examined"], first["reported"]) == (2, 2, 1)
    (match,) = first["matches"]
    assert (match["page"], match["b"]["id"], match["b_text"]) == (pages[0], "source.txt", SOURCE)

    (again,) = rows("watch", "p.palimpsest", "--once", "--allow-private")
    assert (again["reported"], again["matches"]) == (0, [])

    server.page("/two.html", html(OWN + SOURCE))
    (third,) = rows("watch", "p.palimpsest", "--once", "--allow-private")
    assert [m["page"] for m in third["matches"]] == [pages[1]]

    (empty,) = rows("watch", "p.palimpsest", "report", "--out", "r.html", "--day", "2001-01-01", code=1)
    assert empty["matches"] == 0
    assert rows("watch", "p.palimpsest", "report", "--out", "r.html", "--day", "29.11.2026", code=2) == []
    for name in ("r.html", "r.jsonl"):
        (written,) = rows("watch", "p.palimpsest", "report", "--out", name, "--day", "today")
        assert written["matches"] == 2
    reported = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["page"] for row in reported] == pages
    report = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert report.count(SOURCE) == 4
    assert "lagiari" not in report
    assert "<script" not in report
    (page, _) = rows("watch", "p.palimpsest", "pages")
    (event,) = rows("watch", "p.palimpsest", "case", "--page", page["page"], "--state", "licensed")
    (changed,) = rows("watch", "p.palimpsest", "change", "mine", "--every", 12)
    (entries,) = rows("watch", "p.palimpsest", "schedule", "mine", "--system", "cron")
    assert (event["case"], changed["every"], entries["written"]) == ("licensed", 12, False)
    shown = {key for row in (first, match, page, event, changed, entries, written) for key in row}
    assert shown - documented("watch") == set()
    rows("watch", "p.palimpsest", "remove", "mine")
    rows("watch", "p.palimpsest", "--once", code=1)


def test_a_watch_without_places_looks_at_what_was_imported(rows: Rows, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "handed in.txt").write_text(OWN + SOURCE, encoding="utf-8")
    rows("new", "p.palimpsest")
    rows("import", "p.palimpsest", "source.txt", "--role", "source")
    rows("watch", "p.palimpsest", "add", "folder", "--method", "digest", "--set", "min_run=2", "--min-characters", 10)
    rows("import", "p.palimpsest", "handed in.txt", "--role", "suspect")
    (check,) = rows("watch", "p.palimpsest", "--once")
    assert [m["a"]["id"] for m in check["matches"]] == ["handed in.txt"]
