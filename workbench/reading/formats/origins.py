"""Where a record came from, so that two files of the same name stay distinct."""

from __future__ import annotations

from dataclasses import replace

from workbench.reading.formats.api import Item, Record, Source
from workbench.reading.formats.names import legible


def placed(item: Item, source: Source) -> Item:
    """``item`` with the whole path as origin if its id is part of it."""
    if not isinstance(item, Record) or item.id is not None:
        return item
    member = source.name.partition("!")[2] if source.members else ""
    row = item.document.id.removeprefix(source.name)
    origin = legible(source.path.absolute().as_posix()) + (f"!{member}" if member else "") + row
    return replace(item, document=replace(item.document, origin=origin))
