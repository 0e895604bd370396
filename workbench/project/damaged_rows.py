"""Rows that no version of this program writes: skipped when reading, and counted.

A project may come from an untrusted source. Each row is checked where rows of its kind are read; an invalid row is
noted here once, however often it is read, so that every reader can report the omission.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Connection, Label, and_, case, func, not_, select

from workbench.base.errors import add_left_out
from workbench.base.messages import Message
from workbench.base.sound import values_of
from workbench.base.types import Ints, Role
from workbench.project.tables import document_rows

LONGEST_ID = 65_536
"""Longest id of a document, in code points; this program never writes longer ones."""

LONGEST_FIELD = 2_000
"""Maximum length, in code points, of a title, address, site, date or language; the rest is cut off when reading."""

_OPTION = "palimpsest_damage"

WHOLE_DOCUMENT = and_(
    func.typeof(document_rows.c.key) == "integer",
    func.typeof(document_rows.c.id) == "text",
    func.length(document_rows.c.id) <= LONGEST_ID,
    document_rows.c.role.in_([role.value for role in Role]),
    func.typeof(document_rows.c.characters) == "integer",
    document_rows.c.characters.between(0, 1 << 31),
)
"""The condition for a valid document row."""


class Damage:
    """Everything left out of one project since it was opened, and the lengths of its documents for checking."""

    def __init__(self) -> None:
        self._rows: dict[str, set[Hashable]] = defaultdict(set)
        self._lock = Lock()
        self._keys = self._lengths = np.zeros(0, np.int64)

    def note(self, reason: Message, rows: Iterable[Hashable]) -> None:
        """Note rows, identified within ``reason`` (a plural: ``pairs of unknown documents``)."""
        with self._lock:
            known = self._rows[reason]
            before = len(known)
            known.update(rows)
            fresh = len(known) - before
        if fresh:
            add_left_out(reason, fresh)

    def counts(self) -> dict[str, int]:
        """Number of rows left out so far, by reason."""
        with self._lock:
            return {reason: len(rows) for reason, rows in self._rows.items() if rows}

    def characters(self, connection: Connection, key: Ints) -> NDArray[np.int64]:
        """Code points of the documents ``key``; -1 where there is no such document.

        Documents are only ever added, so their lengths are read once, and again before one is reported missing.
        """
        lengths = values_of(key, self._keys, self._lengths)
        if (lengths < 0).any():
            query = (
                select(document_rows.c.key, document_rows.c.characters)
                .where(WHOLE_DOCUMENT)
                .order_by(document_rows.c.key)
            )
            rows = np.array([tuple(row) for row in connection.execute(query)], np.int64).reshape(-1, 2)
            self._keys, self._lengths = rows[:, 0], rows[:, 1]
            lengths = values_of(key, self._keys, self._lengths)
        return lengths

    def outside(self, connection: Connection, key: Ints, end: Ints) -> NDArray[np.bool_]:
        """Which of the offsets ``end`` (code points) in the documents ``key`` are beyond their texts, or in unknown
        documents.
        """
        wrong: NDArray[np.bool_] = end > self.characters(connection, key)
        return wrong


def damage_of(connection: Connection) -> Damage:
    """The record of the project that ``connection`` belongs to."""
    damage: Damage = connection.get_execution_options()[_OPTION]
    return damage


@cache
def shortened(column: Column[str]) -> Label[str]:
    """The first LONGEST_FIELD code points of a text; empty if the value is not text."""
    cut = func.substr(column, 1, LONGEST_FIELD)
    return case((func.typeof(column) == "text", cut), else_="").label(column.key)


def note_documents(connection: Connection) -> None:
    """Note the documents that are omitted from every list, if any."""
    query = select(document_rows.c.key).where(document_rows.c.deleted == "", not_(WHOLE_DOCUMENT))
    damage_of(connection).note(Message("documents whose row cannot be read"), connection.execute(query).scalars())


def option(damage: Damage) -> dict[str, Damage]:
    """The execution option of the project's engine from which :func:`damage_of` reads."""
    return {_OPTION: damage}
