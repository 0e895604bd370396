"""Text recognised in pictures: the positions of its words, and the rule that none of its matches is exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from sqlalchemy import Connection, insert, select

from workbench.base.evidence import RECOGNISED
from workbench.base.messages import Message
from workbench.base.types import BOX_STEPS, Matches, Tier, WordBox
from workbench.project.batches import batched
from workbench.project.packing import Packed, damaged, pack, unpack
from workbench.project.tables import document_rows
from workbench.project.tables import word_box_rows as rows

_COLUMNS = len(WordBox._fields)


def add_words(connection: Connection, words: Mapping[int, tuple[WordBox, ...]]) -> None:
    """Store the words of documents by their keys; stored words are not replaced."""
    known: set[int] = set()
    for part in batched(list(words)):
        known.update(connection.execute(select(rows.c.document).where(rows.c.document.in_(part))).scalars())
    fresh = {key: pack(_columns(boxes)) for key, boxes in words.items() if boxes and key not in known}
    if fresh:
        values = [{"document": key, "size": packed.size, "packed": packed.data} for key, packed in fresh.items()]
        connection.execute(insert(rows), values)


def _columns(words: tuple[WordBox, ...]) -> bytes:
    """One column after another, delta-encoded: small differences compress well."""
    import numpy as np

    columns = np.array(words, "<i4").T
    return np.diff(columns, prepend=0).astype("<i4").tobytes()


def load_words(connection: Connection, key: int, pages: int, characters: int) -> tuple[WordBox, ...]:
    """The words of a document with ``pages`` pages and ``characters`` code points; empty if none are stored.

    Raises ProjectError if they cannot belong to it.
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


def without_exact_tier(connection: Connection, matches: Matches) -> Matches:
    """``matches`` with the evidence RECOGNISED, and no better tier than FOLDED, if a side was read from a picture."""
    rows = connection.execute(
        select(document_rows.c.key, document_rows.c.ocr).where(document_rows.c.ocr > 0).order_by(document_rows.c.key)
    ).fetchall()
    if not rows or not len(matches):
        return matches
    keys, sure = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    least = np.ones(len(matches))
    read = np.zeros(len(matches), np.bool_)
    for side in (matches.a, matches.b):
        at = np.minimum(np.searchsorted(keys, side), len(keys) - 1)
        is_read = keys[at] == side
        least = np.where(is_read, np.minimum(least, sure[at] / 100), least)
        read |= is_read
    if not read.any():
        return matches
    tier = np.where(read, np.maximum(matches.tier, Tier.FOLDED), matches.tier).astype(np.int8)
    return replace(matches, tier=tier, evidence={**matches.evidence, RECOGNISED: np.where(read, least, 0.0)})
