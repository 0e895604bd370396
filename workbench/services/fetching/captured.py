"""Captures as evidence: their headers and bytes, and their export as a web archive (WARC 1.1, ISO 28500)."""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message as Mail
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.jobs.alarm import Alarm
from workbench.jobs.context import Context
from workbench.project.captures import Capture, all_captures, body_of, captures_of_document
from workbench.project.documents import load_document
from workbench.reading.decoding import decode
from workbench.reading.formats import ReadOptions, html
from workbench.reading.formats.media import document_of, kind_of
from workbench.reading.html.safe import safe_page
from workbench.services.fetching.page_reader import LIMIT
from workbench.services.session import Session
from workbench.services.writing import atomic_write, refuse_imported

_OF_TRANSFER = ("content-encoding", "transfer-encoding", "content-length", "connection", "keep-alive", "trailer")
"""Headers about the transfer encoding; the stored body is decoded."""


def captures(session: Session, url: str = "") -> list[Capture]:
    """The captures of ``url``, oldest first; "": of all pages, in the order recorded."""
    with session.read() as connection:
        return list(all_captures(connection, url))


def captures_of_page(session: Session, key: int) -> list[Capture]:
    """The captures of a document's page, whatever text it had, oldest first; for a document without an address, those
    that yielded its text.
    """
    with session.read() as connection:
        url = load_document(connection, key).url
        return list(all_captures(connection, url)) if url else captures_of_document(connection, key)


def write_body(session: Session, capture: Capture, path: Path) -> None:
    """Write the bytes of a capture to ``path`` as received. Raises UserError if they were not kept."""
    with session.read() as connection:
        body = body_of(connection, capture.body_hash)
        refuse_imported(connection, path, Message("The page"))
    if body is None:
        raise _not_kept(capture)
    with atomic_write(path, Message("The page")) as part:
        part.write_bytes(body)


@dataclass(frozen=True, slots=True)
class ShownCapture:
    """A capture for display: its text as this program reads it, and its page without active or external content;
    ``page`` is empty if the capture is not markup.
    """

    text: str
    page: str


def shown(session: Session, capture: Capture) -> ShownCapture:
    """The text and the safe page of a capture. Raises UserError if its bytes were not kept, or have no text."""
    headers = Mail()
    headers["Content-Type"] = next((v for k, v in capture.headers if k.lower() == "content-type"), "")
    with session.read() as connection:
        body = body_of(connection, capture.body_hash)
    if body is None:
        raise _not_kept(capture)
    name = capture.final_url or capture.url
    kind = kind_of(headers.get_content_type() if headers["Content-Type"] else "", body[:4096])
    charset = headers.get_content_charset() or None
    document = document_of(body, kind or html.name, name, ReadOptions(), declared=charset, url=name)
    page = ""
    if kind in ("", html.name):
        page = safe_page(decode(body, declared=charset, html=True).text, document.title)
    return ShownCapture(document.text, page)


def show_capture(ctx: Context, project: Path, capture: Capture) -> ShownCapture:
    """:func:`shown`, as a job: a stranger's page is read in a process of its own."""
    ctx.advance(Message("Reading"), 0, None)
    with Session(project, write=False) as session, Alarm(LIMIT):
        return shown(session, capture)


def write_capture(ctx: Context, project: Path, capture: Capture, path: Path) -> Path:
    """Write a capture to ``path`` (a job): as a web archive where its suffix is .warc, otherwise its bytes."""
    ctx.advance(Message("Writing"), 0, None)
    with Session(project, write=False) as session:
        if path.suffix.lower() == ".warc":
            write_warc(session, path, only=capture)
        else:
            write_body(session, capture, path)
    return path


def _not_kept(capture: Capture) -> UserError:
    return UserError(Message("The bytes of this page were not kept; they will be from now on."), path=capture.url)


def write_warc(session: Session, path: Path, url: str = "", *, at: str = "", only: Capture | None = None) -> int:
    """Write the captures of ``url`` ("": all) made ``at`` a time ("": any), or ``only`` one, with stored bytes to
    ``path``. Returns their number.

    Raises UserError if the bytes of ``only`` were not kept.
    """
    count = 0
    with session.read() as connection:
        refuse_imported(connection, path, Message("The archive"))
    with atomic_write(path, Message("The archive")) as part, part.open("wb") as file, session.read() as connection:
        _record(file, "warcinfo", "", _INFO, {"Content-Type": "application/warc-fields"}, "")
        for capture in all_captures(connection, url) if only is None else (only,):
            if at not in ("", capture.captured):
                continue
            body = body_of(connection, capture.body_hash) if capture.body_hash and capture.status != 304 else None
            if body is None:
                continue
            digest = base64.b32encode(hashlib.sha256(body).digest()).decode("ascii")
            about = {"WARC-Payload-Digest": f"sha256:{digest}"} | _archived(capture)
            # A page in a text archive is not an answer from its host.
            kind, head, media = "resource", b"", "text/plain"
            if capture.status:
                kind, head, media = "response", _head(capture, len(body)), "application/http; msgtype=response"
            _record(file, kind, capture.final_url, head + body, about | {"Content-Type": media}, capture.captured)
            count += 1
        if only is not None and not count:
            raise _not_kept(only)
    return count


def _archived(capture: Capture) -> dict[str, str]:
    """The record of another archive that a capture comes from."""
    headers = dict(capture.headers)
    return {"WARC-Refers-To": f"<{headers['warc-record-id']}>"} if headers.get("warc-record-id") else {}


_INFO = b"software: Palimpsest\r\nformat: WARC File Format 1.1\r\n"


def _record(file: BinaryIO, kind: str, url: str, block: bytes, about: dict[str, str], date: str) -> None:
    fields = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>",
        "WARC-Date": date or "1970-01-01T00:00:00Z",
        **({"WARC-Target-URI": url} if url else {}),
        **about,
        "Content-Length": str(len(block)),
    }
    lines = "".join(f"{name}: {_plain(value)}\r\n" for name, value in fields.items())
    file.write(b"WARC/1.1\r\n" + lines.encode() + b"\r\n" + block + b"\r\n\r\n")


def _head(capture: Capture, length: int) -> bytes:
    """Status line and headers of the answer, transfer headers under another name."""
    try:
        phrase = HTTPStatus(capture.status).phrase
    except ValueError:
        phrase = ""
    return "".join([f"HTTP/1.1 {capture.status} {phrase}\r\n", *_headers(capture, length), "\r\n"]).encode()


def _headers(capture: Capture, length: int) -> Iterator[str]:
    for name, value in capture.headers:
        if name in ("warc-record-id", "warc-record"):
            continue
        prefix = "X-Archive-Orig-" if name.lower() in _OF_TRANSFER else ""
        yield f"{prefix}{_plain(name)}: {_plain(value)}\r\n"
    yield f"Content-Length: {length}\r\n"


def _plain(value: str) -> str:
    """``value`` on one line: a header must not end early."""
    return " ".join(value.split())
