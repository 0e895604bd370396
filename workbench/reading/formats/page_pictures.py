"""Pictures of a web page that are available locally: embedded in its markup, in the same file (MHTML), or beside it.

Nothing is fetched, and no file outside the page's folder is opened.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote, unquote_to_bytes

from workbench.base.errors import UnreadableInput
from workbench.reading.formats import eml
from workbench.reading.formats.api import ReadOptions, Source
from workbench.reading.formats.opening import whole

_SHOWN = re.compile(
    r"<img\b[^<>]*?(?<![\w-])src\s*=\s*(?:\"(?P<a>[^\"<>]*)\"|'(?P<b>[^'<>]*)'|(?P<c>[^\s\"'<>]+))", re.IGNORECASE
)
_INLINE = re.compile(r"data:image/[\w.+-]+(?P<base64>(?:;[\w=-]+)*?;base64)?(?:;[\w=-]+)*,", re.IGNORECASE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\]", re.IGNORECASE)
_DATA = "data:image/"
_MOST = 500
"""Maximum number of pictures of a page that are searched."""


def pictures_of_page(markup: str, source: Source | None, options: ReadOptions) -> Iterator[bytes]:
    """The picture files shown by ``markup`` that are embedded in it or beside its file ``source``, each once."""
    seen: set[str] = set()
    for match in _SHOWN.finditer(markup) if source or _DATA in markup else ():
        address = match["a"] or match["b"] or match["c"] or ""
        if address in seen or len(seen) >= _MOST:
            continue
        seen.add(address)
        if inline := _INLINE.match(address):
            yield _decoded(address[inline.end() :], is_base64=inline["base64"] is not None)
        elif source and not _ELSEWHERE.match(address):
            wanted = posixpath.normpath(unquote(unescape(address)).partition("#")[0].partition("?")[0])
            if (data := _beside(source, wanted, options)) is not None:
                yield data


def pictures_of_saved(data: bytes) -> Iterator[bytes]:
    """The pictures in a page saved as one file."""
    for part in eml.parsed(data).walk():
        if part.get_content_maintype() == "image":
            payload = part.get_payload(decode=True)
            if isinstance(payload, bytes):
                yield payload


def _decoded(written: str, *, is_base64: bool) -> bytes:
    try:
        return b64decode(unquote_to_bytes(written)) if is_base64 else unquote_to_bytes(written)
    except (Error, ValueError):
        return b""


def _beside(source: Source, wanted: str, options: ReadOptions) -> bytes | None:
    """A file named ``wanted`` from the page's folder, in the same archive or on disk."""
    if wanted.startswith("..") or source.part is not None:
        return None
    try:
        if source.members:
            member = posixpath.join(posixpath.dirname(source.members[-1]), wanted)
            return whole(Source(source.path, wanted, (*source.members[:-1], member)), options)
        root = source.path.parent.resolve()
        file = (root / wanted).resolve()
        return whole(Source(file, file.name), options) if file.is_relative_to(root) and file.is_file() else None
    except (UnreadableInput, OSError, KeyError, ValueError, RuntimeError, zipfile.BadZipFile):
        return None
