"""The side of its matches that a suspect is on: if two suspects match, each is a suspect of their shared text.

A run compares two suspects in one direction or both. A suspect's matches include those in reverse, unless the run also
compared the two with that suspect first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import ADDED
from workbench.base.types import Ints, Matches, Role
from workbench.project.database import Connection
from workbench.project.listing import items_of
from workbench.project.matches import match_columns, matches_of
from workbench.services.review.by_hand import pairs_with_added, with_added


def compared_first(matches: Matches, suspects: Collection[int]) -> NDArray[np.bool_]:
    """Which of n matches also belong to their second document, bool[n]: one of ``suspects`` (keys) that was not
    compared with the other one first.
    """
    pair, turned = matches.a << 32 | matches.b, matches.b << 32 | matches.a
    second = np.isin(matches.b, np.fromiter(suspects, np.int64, len(suspects)))
    mine: NDArray[np.bool_] = second & (matches.a != matches.b) & ~np.isin(turned, pair)
    return mine


def suspects_of(connection: Connection, keys: Iterable[int]) -> frozenset[int]:
    """The suspects among the documents ``keys``, including removed ones: runs keep their matches."""
    items = items_of(connection, sorted({*keys}))
    return frozenset(key for key, item in items.items() if item.role is Role.SUSPECT)


def others_of(connection: Connection, run_id: int, suspect: int) -> list[int]:
    """The documents (keys) that the run compared with ``suspect`` only in reverse; suspects only."""
    if not suspects_of(connection, [suspect]):
        return []
    own = {pair.b for pair in pairs_with_added(connection, run_id, a=suspect)}
    others = {pair.a for pair in pairs_with_added(connection, run_id, b=suspect)}
    return sorted(others - own - {suspect})


def matches_of_suspect(
    connection: Connection, run_id: int, suspect: int, others: Iterable[int], source: int | None = None
) -> Matches:
    """The passages of ``suspect`` (key) with those found by hand, of one ``source`` or of all. ``others`` are the
    documents (keys) that the run compared with it in reverse; their passages are turned to the suspect's side.
    """
    parts = [with_added(connection, run_id, matches_of(connection, run_id, a=suspect, b=source), suspect, source)]
    for key in others:
        stored = matches_of(connection, run_id, a=key, b=suspect)
        parts.append(with_added(connection, run_id, stored, key, suspect).from_other_side())
    # Pairs that were split, or have passages found by hand, have additional columns.
    names = dict.fromkeys(name for part in parts if len(part) for name in part.evidence)
    return Matches.concatenate(
        [replace(p, evidence={name: p.evidence.get(name, _lacking(name, len(p))) for name in names}) for p in parts]
    )


def _lacking(name: str, n: int) -> NDArray[np.float64]:
    """The column ``name`` for n matches that lack it."""
    return np.zeros(n) if name == ADDED else np.full(n, np.nan)


class MatchesOfRun:
    """All matches of a run, read once, by suspect: blocks of matches contain several suspects each."""

    def __init__(self, connection: Connection, run_id: int) -> None:
        self._matches = with_added(connection, run_id, match_columns(connection, run_id))
        self._second = compared_first(self._matches, suspects_of(connection, self._matches.b.tolist()))
        self._by_a, self._by_b = (_Rows(column) for column in (self._matches.a, self._matches.b))

    def of(self, suspect: int) -> Matches:
        """Like :func:`matches_of_suspect`."""
        own, others = self._matches.take(self._by_a.of(suspect)), self._by_b.of(suspect)
        theirs = self._matches.take(others[self._second[others]]).from_other_side()
        return Matches.concatenate([own, theirs])


class _Rows:
    """The rows of each value in a column of keys."""

    def __init__(self, column: Ints) -> None:
        self._order = np.argsort(column, kind="stable")
        self._sorted = column[self._order]

    def of(self, key: int) -> Ints:
        first, last = np.searchsorted(self._sorted, (key, key + 1)).tolist()
        return self._order[first:last].astype(np.int64)
