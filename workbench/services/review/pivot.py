"""The matches of a run listed by suspect, by source, or by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.base.coverage import A, B, covered_by_group, lengths
from workbench.base.types import Floats, Ints
from workbench.services.review.judgement import VERDICTS
from workbench.services.review.overview import TIERS, Judged, RunColumns
from workbench.services.review.pairs import SuspectRow
from workbench.services.review.spans import share

_RARITY = "surprisal"


class Pivot(StrEnum):
    """The kind of rows in the list."""

    SUSPECTS = "suspects"
    SOURCES = "sources"
    PAIRS = "pairs"


@dataclass(frozen=True, slots=True)
class Grouping:
    """The n matches of a run in g groups, and the r rows that list them.

    ``of_match`` int64[n]: the group of each match; ``place`` int64[r]: the group of each row; ``other`` int64[g]: the
    other document (key) of its best match; ``tiers`` int64[g, 3]: characters by tier; ``rarest`` float64[g]: the
    greatest rarity of its matches in bits, NaN if not computed; ``suspect`` int64[g]: the index of its suspect among
    the run's, -1 if it has several; ``beside``: matches that are also in a second group, and that group, int64[k] each.
    The key of a row is its suspect's or source's, or a pair's :func:`pair_key`.
    """

    pivot: Pivot
    rows: tuple[SuspectRow, ...]
    of_match: Ints
    place: Ints
    other: Ints
    tiers: NDArray[np.int64]
    rarest: Floats
    suspect: Ints
    beside: tuple[Ints, Ints] = (np.zeros(0, np.int64), np.zeros(0, np.int64))

    def counts(self, chosen: NDArray[np.bool_]) -> Ints:
        """The number of ``chosen`` matches (bool[n]) of each row, int64[r]."""
        rows, groups = self.beside
        of = np.concatenate((self.of_match[chosen], groups[chosen[rows]]))
        return np.bincount(of, minlength=len(self.other)).astype(np.int64)[self.place]

    def verdict_counts(self, judged: Judged) -> NDArray[np.int32]:
        """Judged matches of each row by verdict, int32[r, len(VERDICTS)]."""
        if self.pivot is Pivot.SUSPECTS:
            return judged.counts[self.place]
        counts = np.zeros((len(self.other), len(VERDICTS)), np.int32)
        rows = np.flatnonzero(judged.code)
        np.add.at(counts, (self.of_match[rows], judged.code[rows] - 1), 1)
        return counts[self.place]

    def decisions(self, judged: Judged) -> Ints:
        """The verdict on the suspect of each row (see :class:`Judged`), int64[r]; 0 if it has several."""
        of = self.suspect[self.place]
        return np.where(of >= 0, judged.decision[of], 0).astype(np.int64)

    def key_of(self, a: int, b: int) -> int:
        """The key of the row of the pair of suspect ``a`` and source ``b``."""
        return {Pivot.SUSPECTS: a, Pivot.SOURCES: b, Pivot.PAIRS: pair_key(a, b)}[self.pivot]

    def opens(self, row: int) -> tuple[int, int | None]:
        """The suspect and the source that ``row`` opens; None: the source of the suspect's first passage."""
        key, other = self.rows[row].key, int(self.other[self.place[row]])
        if self.pivot is Pivot.SUSPECTS:
            return key, None
        return (other, key) if self.pivot is Pivot.SOURCES else (key >> 32, key & 0xFFFFFFFF)


def pair_key(a: int, b: int) -> int:
    """One number for the pair of suspect ``a`` and source ``b``."""
    return a << 32 | b


def by_suspect(rows: Sequence[SuspectRow], columns: RunColumns) -> Grouping:
    """The suspects ``rows`` of the run."""
    place = np.searchsorted(columns.keys, [row.key for row in rows]).astype(np.int64)
    size = len(columns.keys)
    beside = columns.second, columns.second_suspect(columns.second)
    rarest = _greatest(columns, columns.suspect, size, beside)
    figures = columns.first_source, columns.tiers, rarest, np.arange(size), beside
    return Grouping(Pivot.SUSPECTS, tuple(rows), columns.suspect, place, *figures)


def grouped(columns: RunColumns, pivot: Pivot, suspects: Sequence[SuspectRow]) -> Grouping:
    """The matches of ``columns`` grouped by ``pivot``, best score first, then largest coverage; ``suspects`` are
    the run's.

    A row's coverage refers to the document it names: for a source its own text, for a pair the suspect.
    """
    if pivot is Pivot.SUSPECTS:
        return by_suspect(suspects, columns)
    m = columns.matches
    sources = pivot is Pivot.SOURCES
    keys, of_match = np.unique(m.b if sources else m.a << 32 | m.b, return_inverse=True)
    size = len(keys)
    own, other = (m.b, m.a) if sources else (m.a, m.b)
    side = B if sources else A
    by_score = np.argsort(m.score, kind="stable")
    best, first, longest = np.zeros(size), np.zeros(size, np.int64), np.zeros(size, np.int64)
    best[of_match[by_score]], first[of_match[by_score]] = m.score[by_score], other[by_score]
    np.maximum.at(longest, of_match, lengths(m, side))
    cell = of_match * TIERS + m.tier
    tiers = np.bincount(cell, weights=lengths(m, side), minlength=size * TIERS).astype(np.int64).reshape(-1, TIERS)
    document = np.zeros(size, np.int64)
    document[of_match] = own
    matches = np.bincount(of_match, minlength=size)
    beside = _distinct(of_match, other, size)
    covered = covered_by_group(m, side, of_match, size)
    suspect = np.full(size, -1, np.int64)
    if not sources:
        suspect[of_match] = columns.suspect
    rows = []
    for at, key in enumerate(keys.tolist()):
        item = columns.items[int(document[at])]
        rows.append(
            SuspectRow(
                key,
                item.id,
                item.title,
                item.language,
                item.length,
                item.published,
                float(best[at]),
                share(int(covered[at]), item.length),
                int(longest[at]),
                int(matches[at]),
                int(beside[at]),
            )
        )
    order = np.lexsort((np.arange(size), -np.array([row.coverage for row in rows]), -best))
    return Grouping(
        pivot,
        tuple(rows[at] for at in order.tolist()),
        of_match.astype(np.int64),
        order.astype(np.int64),
        first,
        tiers,
        _greatest(columns, of_match, size),
        suspect,
    )


def _greatest(columns: RunColumns, of_match: Ints, size: int, beside: tuple[Ints, Ints] | None = None) -> Floats:
    """The greatest rarity of the matches of each group, float64[size]; ``beside`` as in :class:`Grouping`."""
    greatest = np.full(size, np.nan)
    rarity = columns.matches.evidence.get(_RARITY)
    if rarity is not None:
        np.fmax.at(greatest, of_match, np.asarray(rarity, np.float64))
        if beside is not None:
            np.fmax.at(greatest, beside[1], np.asarray(rarity, np.float64)[beside[0]])
    return greatest


def _distinct(of_match: Ints, other: Ints, size: int) -> Ints:
    """The number of different documents ``other`` of each group."""
    pairs = np.unique(np.column_stack((of_match, other)), axis=0)
    return np.bincount(pairs[:, 0], minlength=size).astype(np.int64)
