"""File names as text. On disk and in archives they are bytes, often in encodings older than UTF-8."""

from __future__ import annotations

from dataclasses import replace

from workbench.reading.formats.api import Item, Record, Source


def placed(item: Item, source: Source) -> Item:
    """``item`` with the whole path as origin if its id is a part of the path."""
    if not isinstance(item, Record) or item.id is not None:
        return item
    _, _, member = source.name.partition(f"{legible(source.path.name)}!") if source.members else ("", "", "")
    row = item.document.id.removeprefix(source.name)
    origin = legible(source.path.absolute().as_posix()) + (f"!{member}" if member else "") + row
    return replace(item, document=replace(item.document, origin=origin))


def legible(name: str) -> str:
    """``name`` (a name or a path with ``/``) without the lone surrogates that represent invalid UTF-8."""
    if name.isascii():
        return name
    return "/".join(map(_legible_part, name.split("/")))


def decode_name(raw: bytes) -> str:
    """A file name as text: UTF-8, otherwise a former East Asian encoding; different names remain different."""
    for encoding in ("utf-8", "cp932", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "backslashreplace")


def _legible_part(part: str) -> str:
    try:
        return decode_name(part.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a surrogate that does not represent a byte, as allowed on Windows
        return part.encode("utf-8", "backslashreplace").decode("utf-8")
