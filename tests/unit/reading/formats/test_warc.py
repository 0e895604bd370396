from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import brotli
import pytest

from tests.unit.reading.formats.items import read
from workbench.base.progress import NullProgress
from workbench.reading import formats
from workbench.reading.formats import Failure, Item, Notice, Record, Source
from workbench.services.importing.parsing import parse_all
from workbench.services.importing.pieces import Reading

GOOD = "これは正しい文書です。二つ目の文もあります。"
DATE = "2020-01-02T03:04:05Z"


def record(content: bytes, *, kind: str = "response", length: int | None = None, **fields: str) -> bytes:
    stated = {
        "WARC-Type": kind,
        "WARC-Date": DATE,
        "Content-Type": "application/http; msgtype=response",
        **{name.replace("_", "-"): value for name, value in fields.items()},
        "Content-Length": str(len(content) if length is None else length),
    }
    head = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in stated.items())
    return head.encode() + b"\r\n" + content + b"\r\n\r\n"


def response(url: str, body: bytes, *headers: str, status: str = "200 OK", **more: str) -> bytes:
    http = [f"HTTP/1.1 {status}", *(headers or ["Content-Type: text/html; charset=utf-8"])]
    return record("\r\n".join(http).encode() + b"\r\n\r\n" + body, WARC_Target_URI=url, **more)


def page(text: str, title: str = "T") -> bytes:
    return f"<title>{title}</title><p>{text}".encode()


def write(path: Path, *records: bytes, packed: bool = False) -> Path:
    path.write_bytes(b"".join(gzip.compress(r) if packed else r for r in records))
    return path


def summaries(items: list[Item]) -> list[str]:
    """What became of each record: its id, or ``- path`` where it was refused."""
    return [i.document.id if isinstance(i, Record) else f"- {i.path}" for i in items if not isinstance(i, Notice)]


def test_a_response_is_a_document_with_address_title_and_capture_date(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc", response("http://X.example/d/", page(GOOD) + b"<a href=../b>b</a>"))
    [item] = read(path)
    assert isinstance(item, Record)
    document = item.document
    assert (document.id, document.url, document.site) == (
        "a.warc!http://X.example/d/",
        "http://X.example/d/",
        "x.example",
    )
    assert (document.title, document.published, document.links) == ("T", "", ("http://X.example/b",))
    assert GOOD in document.text
    assert f"captured {DATE}" in document.extraction.repairs


@pytest.mark.parametrize("packed", [False, True])
def test_two_captures_of_one_address_are_both_kept(tmp_path: Path, packed: bool) -> None:
    pages = [response("http://a/", page(f"{GOOD}{i}")) for i in range(3)]
    path = write(tmp_path / "a.warc.gz", *pages, packed=packed)
    captures = summaries(read(path))
    assert len(set(captures)) == 3
    assert captures[:2] == ["a.warc.gz!http://a/", f"a.warc.gz!http://a/ {DATE}"]


def test_the_charset_of_the_transport_is_heard(tmp_path: Path) -> None:
    body = page(GOOD * 3).decode().encode("euc-jp")
    [item] = read(write(tmp_path / "a.warc", response("http://a/", body, "Content-Type: text/html; charset=EUC-JP")))
    assert isinstance(item, Record)
    assert (item.document.extraction.encoding, item.document.extraction.encoding_source) == ("euc_jp", "declared")


@pytest.mark.parametrize(
    ("header", "pack"),
    [
        ("Content-Encoding: gzip", gzip.compress),
        ("Content-Encoding: deflate", zlib.compress),
        ("Content-Encoding: br", brotli.compress),
        ("Transfer-Encoding: chunked", lambda body: b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)),
        ("Content-Encoding: gzip", lambda body: body),
        ("Transfer-Encoding: chunked", lambda body: body),
    ],
)
def test_encodings_of_the_content_are_undone_where_they_are_there(tmp_path: Path, header: str, pack: object) -> None:
    assert callable(pack)
    [item] = read(
        write(tmp_path / "a.warc", response("http://a/", pack(page(GOOD)), "Content-Type: text/html", header))
    )
    assert isinstance(item, Record)
    assert item.document.text == GOOD


def test_plain_text_resources_and_conversions_are_read_and_the_rest_is_counted(tmp_path: Path) -> None:
    text = GOOD.encode()
    path = write(
        tmp_path / "a.warc",
        record(b"software: x", kind="warcinfo", Content_Type="application/warc-fields"),
        record(b"GET / HTTP/1.1\r\n\r\n", kind="request", WARC_Target_URI="http://a/"),
        response("http://a/t", text, "Content-Type: text/plain"),
        record(page(GOOD), kind="resource", WARC_Target_URI="file:///x.html", Content_Type="text/html"),
        record(text, kind="conversion", WARC_Target_URI="http://a/c", Content_Type="text/plain"),
        response("http://a/i.png", b"\x89PNG....", "Content-Type: image/png"),
        response("http://a/x", page(GOOD), status="404 Not Found"),
        response("http://a/part", page(GOOD), status="206 Partial Content"),
        record(b"", kind="revisit", WARC_Target_URI="http://a/t"),
    )
    items = read(path)
    assert summaries(items) == ["a.warc!http://a/t", "a.warc!file:///x.html", "a.warc!http://a/c"]
    assert items[-1] == Notice(
        "a.warc",
        "Left out: records that hold no page, text or PDF (1), responses with another HTTP status than success (2), "
        "revisits of pages that had not changed (1).",
    )


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "broken",
    [
        response("http://bad/", page(GOOD), length=9).replace(b"Content-Length: ", b"Content-Length: 7"),
        response("http://bad/", page(GOOD)).replace(b"Content-Length", b"Contents"),
        record(b"x" * 200, WARC_Target_URI="http://bad/", length=100),
        record(b"x" * 200, WARC_Target_URI="http://bad/", length=10**12),
        record(b"x" * 200, WARC_Target_URI="http://bad/", length=-5),
        response("http://bad/", b"\0\1\2\3" * 50),
    ],
)
def test_a_broken_record_is_one_failure_and_the_others_are_read(tmp_path: Path, broken: bytes, packed: bool) -> None:
    path = write(
        tmp_path / "a.warc", response("http://1/", page(GOOD)), broken, response("http://2/", page(GOOD)), packed=packed
    )
    assert summaries(read(path)) == ["a.warc!http://1/", "- a.warc!http://bad/", "a.warc!http://2/"]


@pytest.mark.parametrize(
    "garbage", [b"garbage\r\n\r\n", b"\0" * 5000 + b"\r\n\r\n", b"WARC/1.0\r\nnonsense" * 9000 + b"\r\n\r\n"]
)
def test_what_is_not_a_record_is_one_failure_by_its_number(tmp_path: Path, garbage: bytes) -> None:
    path = write(tmp_path / "a.warc", response("http://1/", page(GOOD)), garbage, response("http://2/", page(GOOD)))
    assert summaries(read(path)) == ["a.warc!http://1/", "- a.warc:2", "a.warc!http://2/"]


def test_a_damaged_gzip_member_costs_its_record_only(tmp_path: Path) -> None:
    members = [gzip.compress(response(f"http://{i}/", page(GOOD * 50 + str(i)))) for i in range(4)]
    damaged = bytearray(members[1])
    damaged[60:90] = b"\xff" * 30
    (tmp_path / "a.warc.gz").write_bytes(members[0] + bytes(damaged) + members[2] + members[3])
    captures = summaries(read(tmp_path / "a.warc.gz"))
    assert [f for f in captures if "http" in f] == [f"a.warc.gz!http://{i}/" for i in (0, 2, 3)]
    assert sum(f.startswith("-") for f in captures) == 1


@pytest.mark.parametrize("cut", [3, 9, 100, 300])
def test_a_truncated_archive_gives_what_was_before_and_one_failure(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path / "a.warc.gz", *(response(f"http://{i}/", page(GOOD * 50)) for i in range(3)), packed=True)
    path.write_bytes(path.read_bytes()[:-cut])
    captures = summaries(read(path))
    assert captures[:2] == ["a.warc.gz!http://0/", "a.warc.gz!http://1/"]
    assert sum(f.startswith("-") for f in captures) == 1


def test_an_archive_packed_as_a_whole_is_read(tmp_path: Path) -> None:
    whole = b"".join(response(f"http://{i}/", page(GOOD)) for i in range(30))
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(whole))
    assert len(summaries(read(tmp_path / "a.warc.gz"))) == 30


@pytest.mark.parametrize("content", [b"", b"\0" * 3000, b"<html>no archive", gzip.compress(b"no archive", mtime=0)])
def test_what_is_not_an_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.warc").write_bytes(content)
    [failure] = read(tmp_path / "a.warc")
    assert isinstance(failure, Failure)
    assert failure.path == "a.warc"


def test_bombs_are_refused(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>" + b"a" * 20_000_000)
    inner = response("http://bomb/", bomb, "Content-Type: text/html", "Content-Encoding: gzip")
    path = write(tmp_path / "a.warc", inner, response("http://2/", page(GOOD)))
    assert summaries(read(path)) == ["- a.warc!http://bomb/", "a.warc!http://2/"]
    (tmp_path / "b.warc.gz").write_bytes(gzip.compress(response("http://a/", b"<p>" + b"a" * 40_000_000)))
    assert summaries(read(tmp_path / "b.warc.gz")) == ["- b.warc.gz"]


@pytest.mark.slow
def test_records_are_read_in_worker_processes_in_their_order(tmp_path: Path) -> None:
    pages = [response(f"http://{i}/", page(f"{i} " + GOOD * 200)) for i in range(400)]
    path = write(tmp_path / "a.warc.gz", *pages, packed=True)
    parsed = list(parse_all(NullProgress(), [Source(path, "a.warc.gz")], Reading(), workers=2))
    assert [i.document.url for _, items in parsed for i in items if isinstance(i, Record)] == [
        f"http://{i}/" for i in range(400)
    ]
    assert len(parsed) > 1


def test_an_archive_inside_a_zip_is_read(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("in/b.warc", response("http://1/", page(GOOD)))
    items = [i for s in formats.expand([tmp_path / "a.zip"]) if isinstance(s, Source) for i in formats.read(s)]
    assert [t.split("!", 1)[1] for t in summaries(items)] == ["in/b.warc!http://1/"]
