"""Pages of web archives on their way from their reader to the method: few at a time, with the records they are in."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.base.types import Document, Role
from workbench.reading.formats import Failure, FileSlice, Item, Record, Source
from workbench.services.importing.pieces import WorkItem

MOST_PAGES = 500
MOST_BYTES = 24_000_000
"""Pages, and bytes of their records, held in memory at once."""
MOST_SECONDS = 10.0
"""Seconds after which progress is recorded, so that little is searched again after an interruption."""


@dataclass(slots=True)
class Waiting:
    """Pages waiting to be compared. ``pieces`` counts the pieces read of each file so far; ``finished`` lists the files
    read to the end.
    """

    pieces: dict[str, int] = field(default_factory=dict)
    finished: list[str] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    _records: dict[str, FileSlice] = field(default_factory=dict)
    _bytes: int = 0
    _begun: float = field(default_factory=time.monotonic)

    def add(self, piece: WorkItem, items: Sequence[Item], passed: Mapping[Path, int]) -> None:
        """Add the items of ``piece``; ``passed`` is how many pieces of each file an earlier execution read."""
        if piece.file is not None:
            path = str(piece.file)
            self.pieces[path] = self.pieces.get(path, passed.get(piece.file, 0)) + 1
        for source in piece.inputs:
            if isinstance(source, Source) and source.part is not None:
                self._records[source.name] = source.part
                self._bytes += len(source.part.data)
        for item in items:
            if isinstance(item, Record):
                self.pages += 1
                self.documents.append(replace(item.document, role=Role.SUSPECT, markup=""))
            elif isinstance(item, Failure):
                self.failures.append((item.path, item.error))

    def record_of(self, document: Document) -> FileSlice | None:
        """The record that a page was read from."""
        return self._records.get(document.id)

    @property
    def is_due(self) -> bool:
        """Whether enough pages are waiting, or have waited long enough."""
        waited = time.monotonic() - self._begun
        return self.pages >= MOST_PAGES or self._bytes >= MOST_BYTES or waited >= MOST_SECONDS

    def following(self) -> Waiting:
        """An empty queue that continues the same files."""
        going_on = {path: count for path, count in self.pieces.items() if path not in self.finished}
        return Waiting(going_on)
