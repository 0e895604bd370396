"""The verb ``captures``: bytes as they came, and a web archive that others read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from tests.e2e.conftest import Rows
from tests.web_server import Response, WebServer

PAGE = "<html><body><p>旧い橋は石をひとつずつ積み直された。</p></body></html>".encode("shift_jis")


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as started:
        started.page("/robots.txt", Response(status=404))
        yield started


def test_the_bytes_of_a_page_are_kept_and_written_as_they_came(rows: Rows, server: WebServer, tmp_path: Path) -> None:
    kind = {"Content-Type": "text/html; charset=Shift_JIS", "X-Test": "a"}
    url = server.page("/a", Response(PAGE, headers=kind))
    rows("new", "p.palimpsest")
    for _ in range(2):
        rows("fetch", "p.palimpsest", url, "--allow-private", "--rate", 0)
    first, second = rows("captures", "p.palimpsest")
    digest = hashlib.sha256(PAGE).hexdigest()
    assert (first["outcome"], second["outcome"]) == ("new", "unchanged")
    assert (first["sha256"], second["sha256"]) == (digest, digest)
    rows("captures", "p.palimpsest", url, "--out", "page.html")
    assert (tmp_path / "page.html").read_bytes() == PAGE
    (text,) = rows("captures", "p.palimpsest", url, "--as", "text", "--at", first["captured"])
    assert text["text"] in PAGE.decode("shift_jis")
    rows("captures", "p.palimpsest", url, "--as", "page", "--out", "safe.html")
    safe = (tmp_path / "safe.html").read_text(encoding="utf-8")
    assert text["text"] in safe
    assert "default-src 'none'" in safe
    rows("captures", "p.palimpsest", url, "--as", "text", "--at", "never", code=1)
    (written,) = rows("captures", "p.palimpsest", "--out", "all.warc")
    assert written["captures"] == 2
    with (tmp_path / "all.warc").open("rb") as file:
        records = [
            (r.headers["WARC-Target-URI"], r.http_headers.get("X-Test"), r.reader.read(), r.verify_payload_digest())
            for r in ArchiveIterator(file, record_types=WarcRecordType.response)
        ]
    assert [(uri, test, body) for uri, test, body, _ in records] == [(url, "a", PAGE)] * 2
    rows("captures", "p.palimpsest", "http://127.0.0.1/none", "--out", "none.html", code=1)


def test_captures_that_do_not_exist_are_refused_and_overwrite_nothing(
    rows: Rows, server: WebServer, tmp_path: Path
) -> None:
    url = server.page("/a", Response(PAGE, headers={"Content-Type": "text/html; charset=Shift_JIS"}))
    rows("new", "p.palimpsest")
    assert rows("captures", "p.palimpsest") == []
    rows("captures", "p.palimpsest", "--out", "all.warc", code=1)
    rows("fetch", "p.palimpsest", url, "--allow-private", "--rate", 0)
    rows("captures", "p.palimpsest", "--out", "all.warc")
    archive = (tmp_path / "all.warc").read_bytes()
    (tmp_path / "own.txt").write_text("The only copy.", encoding="utf-8")
    rows("import", "p.palimpsest", "own.txt")
    for words, code in [
        ((f"{url}x", "--out", "all.warc"), 1),
        ((url, "--at", "2020", "--out", "all.warc"), 1),
        ((url, "--as", "text", "--out", "all.warc"), 2),
        ((url, "--out", "own.txt"), 1),
        ((url, "--as", "text", "--out", "own.txt"), 1),
        ((f"{url}x",), 1),
        (("--verify",), 1),
    ]:
        rows("captures", "p.palimpsest", *words, code=code)
    rows("import", "p.palimpsest", "all.warc")
    rows("captures", "p.palimpsest", "--out", "all.warc", code=1)
    assert (tmp_path / "all.warc").read_bytes() == archive
    assert (tmp_path / "own.txt").read_text(encoding="utf-8") == "The only copy."


def test_a_time_chooses_the_captures_that_are_listed_and_archived(
    rows: Rows, server: WebServer, tmp_path: Path
) -> None:
    rows("new", "p.palimpsest")
    for body in (b"the first text of the page", b"the second text of the page"):
        url = server.page("/a", Response(body, headers={"Content-Type": "text/plain"}))
        rows("fetch", "p.palimpsest", url, "--allow-private", "--rate", 0)
    first, second = rows("captures", "p.palimpsest")
    assert first["captured"] != second["captured"]
    assert rows("captures", "p.palimpsest", url, "--at", first["captured"]) == [first]
    (written,) = rows("captures", "p.palimpsest", url, "--at", first["captured"], "--out", "first.warc")
    assert written["captures"] == 1
    data = (tmp_path / "first.warc").read_bytes()
    assert b"first text" in data
    assert b"second text" not in data
