"""File names as text. On disk and in archives they are bytes, often in encodings older than UTF-8."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from workbench.reading.decoding import plausibility
from workbench.reading.formats.api import Item, Record, Source


def placed(item: Item, source: Source) -> Item:
    """``item`` with the whole path as origin if its id is a part of the path."""
    if not isinstance(item, Record) or item.id is not None:
        return item
    _, _, member = source.name.partition(f"{legible(source.path.name)}!") if source.members else ("", "", "")
    row = item.document.id.removeprefix(source.name)
    origin = legible(Path(os.path.abspath(source.path)).as_posix()) + (f"!{member}" if member else "") + row
    return replace(item, document=replace(item.document, origin=origin))


def legible(name: str) -> str:
    """``name`` (a name or a path with ``/``) without the lone surrogates that represent invalid UTF-8."""
    if name.isascii():
        return name
    return "/".join(map(_legible_part, name.split("/")))


_ACCENTED = re.compile(rb"[\x00-\x7f]*(?:(?<![\x80-\xff])[\xc0-\xd6\xd8-\xf6\xf8-\xff](?=[a-z .,_()-]|$)[\x00-\x7f]*)+")
"""Names with single accented letters between others; an East Asian name would look so only with rare characters."""

_KANA = re.compile("[ぁ-ヶ]")


def decode_name(raw: bytes) -> str:
    """A file name as text: UTF-8, otherwise Western if its high bytes look so, or the most plausible one of the former
    encodings of Japan, mainland China and Taiwan.
    """
    if text := _decoded(raw, "utf-8") or (_ACCENTED.fullmatch(raw) and _decoded(raw, "cp1252")):
        return text
    candidates = filter(None, (_decoded(raw, encoding) for encoding in ("cp932", "gb18030", "big5hkscs")))
    best = max(candidates, key=plausibility, default="") or raw.decode("utf-8", "backslashreplace")
    # Kana are the same bytes in GB 18030 and EUC-JP, and rare in Chinese names.
    if _KANA.search(best) and best == _decoded(raw, "gb18030"):
        return _decoded(raw, "euc_jp") or best
    return best


def _decoded(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return ""


def _legible_part(part: str) -> str:
    try:
        return decode_name(part.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a surrogate that does not represent a byte, as allowed on Windows
        return part.encode("utf-8", "backslashreplace").decode("utf-8")
