"""A folder of bad inputs beside good ones: one line for each problem, by file and record; the rest is in."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.services.importing.batch import import_paths
from workbench.services.session import create

GOOD = "これは正しい文書です。二つ目の文もあります。三つ目の文です。"
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'


def _zipped(**parts: str | bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _response(url: str, body: str, length: int | None = None) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {length or len(http)}\r\n\r\n"
    return head.encode() + http + b"\r\n\r\n"


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in ("../escaped.txt", "good.txt"):
            info = tarfile.TarInfo(name)
            info.size = len(GOOD.encode())
            archive.addfile(info, io.BytesIO(GOOD.encode()))
    return buffer.getvalue()


def test_each_problem_is_one_line_and_the_rest_is_in(tmp_path: Path) -> None:
    word = f'<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>{GOOD}</w:t></w:r></w:p></w:body></w:document>'
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    frames = '<frameset><frame src="a.html"></frameset>'
    hidden = f'<p>{GOOD}<a href="file:///etc/passwd">a</a><img src="http://t/p.gif"><script>x()</script>'
    good = {
        "good.txt": GOOD.encode(),
        "links.html": hidden.encode(),
        "macros.docm": _zipped(**{"word/document.xml": word, "word/vbaProject.bin": b"x"}),
        "deep.html": ("<div>" * 60_000 + GOOD).encode(),
        "large.html": ("<p>" + GOOD).encode() + b"<!-- " + b"x" * 50_000_000 + b" -->",
    }
    bad = {
        "frames.html": frames.encode(),
        "truncated.txt.gz": gzip.compress(GOOD.encode() * 50)[:-12],
        "images.pdf": b"%PDF-1.4\n" + bytes(range(256)) * 20,
        "locked.docx": ole,
        "laughs.docx": _zipped(**{"word/document.xml": f"{LAUGHS}<x>&c;</x>"}),
        "laughs.xml": f"{LAUGHS}<mediawiki><page><title>T</title><text>&c;</text></page></mediawiki>".encode(),
        "old.doc": ole,
    }
    mixed = {
        "records.warc": _response("http://1/", hidden)
        + _response("http://2/", GOOD, 10**9)
        + _response("http://3/", GOOD),
        "members.tar": _tar(),
    }
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in (good | bad | mixed).items():
        (folder / name).write_bytes(content)
    project = tmp_path / "p.palimpsest"
    create(project)
    result = import_paths(Context("test", lambda event: None, lambda: False), project, [folder], Role.SUSPECT)
    failed = sorted(failure.path.partition("in/")[2] for failure in result.failed)
    assert failed == sorted(
        [*(n for n in bad if n != "laughs.xml"), "laughs.xml!T", "records.warc!http://2/", "members.tar!../escaped.txt"]
    )
    assert result.imported == len(good) + 3
    assert not list(tmp_path.rglob("escaped.txt"))
