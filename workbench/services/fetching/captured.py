"""Captures as evidence: what each answer was, its bytes, and all of them as a web archive (WARC 1.1, ISO 28500)."""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.project.captures import Capture, all_captures, body_of
from workbench.services.session import Session
from workbench.services.writing import whole_file

_OF_TRANSFER = ("content-encoding", "transfer-encoding", "content-length", "connection", "keep-alive", "trailer")
"""Headers about the way a body was sent; what is kept is the body itself."""


def captures(session: Session, url: str = "") -> list[Capture]:
    """The captures of ``url`` ("": of all pages), oldest first."""
    with session.read() as connection:
        return list(all_captures(connection, url))


def write_body(session: Session, capture: Capture, path: Path) -> None:
    """Write the bytes of a capture to ``path`` as they came. Raises UserError if they were not kept."""
    with session.read() as connection:
        body = body_of(connection, capture.body_hash)
    if body is None:
        raise UserError(Message("The bytes of this page were not kept; they are from now on."), path=capture.url)
    with whole_file(path, Message("The page")) as part:
        part.write_bytes(body)


def write_warc(session: Session, path: Path, url: str = "") -> int:
    """Write the captures of ``url`` ("": all) whose bytes are kept to ``path``. Returns their number."""
    count = 0
    with whole_file(path, Message("The archive")) as part, part.open("wb") as file, session.read() as connection:
        _record(file, "warcinfo", "", _INFO, {"Content-Type": "application/warc-fields"}, "")
        for capture in all_captures(connection, url):
            body = body_of(connection, capture.body_hash) if capture.body_hash and capture.status != 304 else None
            if body is None:
                continue
            head = _head(capture, len(body))
            digest = base64.b32encode(hashlib.sha256(body).digest()).decode("ascii")
            about = {"Content-Type": "application/http; msgtype=response", "WARC-Payload-Digest": f"sha256:{digest}"}
            _record(file, "response", capture.final_url, head + body, about, capture.captured)
            count += 1
    return count


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
    """Status line and headers of the answer, those of the transfer under another name."""
    try:
        phrase = HTTPStatus(capture.status).phrase
    except ValueError:
        phrase = ""
    return "".join([f"HTTP/1.1 {capture.status} {phrase}\r\n", *_headers(capture, length), "\r\n"]).encode()


def _headers(capture: Capture, length: int) -> Iterator[str]:
    for name, value in capture.headers:
        prefix = "X-Archive-Orig-" if name.lower() in _OF_TRANSFER else ""
        yield f"{prefix}{_plain(name)}: {_plain(value)}\r\n"
    yield f"Content-Length: {length}\r\n"


def _plain(value: str) -> str:
    """``value`` on one line: a header must not end early."""
    return " ".join(value.split())
