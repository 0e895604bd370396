"""Where the words of documents are that were read from pictures, so that passages can be marked on scanned pages."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, insert, select

from workbench.base.messages import Message
from workbench.base.types import BOX_STEPS, WordBox
from workbench.project.batches import batched
from workbench.project.packing import Packed, damaged, pack, unpack
from workbench.project.tables import word_box_rows as rows

_COLUMNS = len(WordBox._fields)


def add_words(connection: Connection, words: Mapping[int, tuple[WordBox, ...]]) -> None:
    """Keep the words of documents by their keys; a document that has some already keeps these."""
    known: set[int] = set()
    for part in batched(list(words)):
        known.update(connection.execute(select(rows.c.document).where(rows.c.document.in_(part))).scalars())
    fresh = {key: pack(_columns(boxes)) for key, boxes in words.items() if boxes and key not in known}
    if fresh:
        values = [{"document": key, "size": packed.size, "packed": packed.data} for key, packed in fresh.items()]
        connection.execute(insert(rows), values)


def _columns(words: tuple[WordBox, ...]) -> bytes:
    """Column after column, each as the differences between its rows: they are small, and pack well."""
    import numpy as np

    columns = np.array(words, "<i4").T
    return np.diff(columns, prepend=0).astype("<i4").tobytes()


def load_words(connection: Connection, key: int, pages: int, characters: int) -> tuple[WordBox, ...]:
    """The words of a document with so many ``pages`` and ``characters``; empty where none are kept.

    Raises ProjectError for any that cannot be its own.
    """
    import numpy as np

    row = connection.execute(select(rows.c.size, rows.c.packed).where(rows.c.document == key)).first()
    if row is None:
        return ()
    what = "where the words of a scan are"
    data = unpack(Packed(row.size, row.packed), what)
    if len(data) % (4 * _COLUMNS):
        raise damaged(Message("{what} has the wrong shape", what=what))
    columns = np.frombuffer(data, "<i4").reshape(_COLUMNS, -1).cumsum(1, dtype=np.int64)
    page, line, start, end, left, top, right, bottom = columns
    fits = (page >= 0) & (page < pages) & (line >= 0) & (start >= 0) & (start < end) & (end <= characters)
    fits &= (left >= 0) & (top >= 0) & (left <= right) & (top <= bottom)
    if not (fits & (right <= BOX_STEPS) & (bottom <= BOX_STEPS)).all():
        raise damaged(Message("{what} has boxes outside its pages", what=what))
    return tuple(WordBox(*word) for word in columns.T.tolist())
