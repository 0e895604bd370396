"""Files written and read."""

from __future__ import annotations

from pathlib import Path

from workbench.base.types import Document
from workbench.reading import formats
from workbench.reading.formats import Item, ReadOptions, Record, Source


def read(path: Path, content: bytes | None = None, as_format: str = "auto", **limits: int) -> list[Item]:
    """What is in ``path``, into which ``content`` is written before."""
    if content is not None:
        path.write_bytes(content)
    return list(formats.read(Source(path, path.name), format=as_format, options=ReadOptions(**limits)))


def one(path: Path, content: bytes) -> Document:
    """The only document in ``path``."""
    [item] = read(path, content)
    assert isinstance(item, Record), item
    return item.document
