"""Web archives as crawlers write them: every record a gzip member of its own."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

DATE = "2024-05-06T07:08:09Z"


def record(url: str, block: bytes, *, kind: str = "response", number: int = 0) -> bytes:
    """One record, not packed."""
    media = "application/http; msgtype=response" if kind == "response" else "text/plain"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {DATE}\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012d}>\r\n"
        f"Content-Type: {media}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def response(url: str, body: bytes, number: int = 0) -> bytes:
    """The record of a page."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    return record(url, head.encode() + body, number=number)


def write_archive(path: Path, records: Iterable[bytes]) -> Path:
    """Write ``records`` to ``path``, each packed by itself."""
    with path.open("wb") as file:
        for one in records:
            file.write(gzip.compress(one, 1))
    return path
