"""Marked spans of a text: one side of each match, searchable by position, painted without overlapping colours."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF


class MarkStretch(NamedTuple):
    """Code points ``[start, end)`` that show mark ``mark`` (a row of :class:`Marks`); ``covered`` is the number of
    marks there. ``apart``: within the limits of the mark's match, but not part of it.
    """

    start: int
    end: int
    mark: int
    covered: int
    apart: bool = False


Shown = Sequence[tuple[int, int, str]]
"""Start, end and kind (see ``kit.cues.draw_difference``) of marked parts inside a match; they do not overlap."""
StretchCache = dict[int, list[tuple[MarkStretch, list[QRectF]]]]
"""Stretches by the index of their piece of text, each with its boxes."""


@dataclass(frozen=True, slots=True)
class Marks:
    """n spans sorted by start. ``number`` is the caller's row; ``kind`` the match tier 0 to 2.

    ``source`` is 0 for the text open on the other side, otherwise the number (from 1) of another source. ``gaps``:
    disjoint stretches within a span that are not part of its match, by row.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    kind: NDArray[np.int8]
    number: NDArray[np.int64]
    source: NDArray[np.int16]
    _reach: NDArray[np.int64]
    gaps: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        start: NDArray[np.int64],
        end: NDArray[np.int64],
        kind: NDArray[np.int8],
        number: NDArray[np.int64] | None = None,
        source: NDArray[np.int16] | None = None,
        gaps: Mapping[int, Sequence[tuple[int, int]]] | None = None,
    ) -> Marks:
        """Marks from columns in any order; ``number`` defaults to the row number, ``gaps`` are by row number."""
        order = np.lexsort((end, start))
        numbers = np.arange(len(start)) if number is None else number
        sources = np.zeros(len(start), np.int16) if source is None else source
        sorted_end = end[order]
        reach = np.maximum.accumulate(sorted_end) if len(order) else sorted_end
        place = {row: at for at, row in enumerate(order.tolist())} if gaps else {}
        moved = {place[row]: spans for row, spans in (gaps or {}).items()}
        return cls(start[order], sorted_end, kind[order], numbers[order], sources[order], reach, moved)

    @classmethod
    def empty(cls) -> Marks:
        """No marks."""
        none = np.zeros(0, np.int64)
        return cls.of(none, none, np.zeros(0, np.int8))

    def __len__(self) -> int:
        return len(self.start)

    def within(self, start: int, end: int) -> NDArray[np.int64]:
        """Rows that share at least one code point with ``[start, end)``, in order of start."""
        if end <= start:
            return np.zeros(0, np.int64)
        low = int(np.searchsorted(self._reach, start, "right"))
        high = int(np.searchsorted(self.start, end, "left"))
        return low + np.flatnonzero(self.end[low:high] > np.maximum(start, self.start[low:high]))

    def at(self, offset: int) -> NDArray[np.int64]:
        """Rows that cover the code point at ``offset``, shortest first."""
        rows = self.within(offset, offset + 1)
        return rows[np.argsort(self.end[rows] - self.start[rows], kind="stable")]

    def stretches(self, start: int, end: int, active: Collection[int] = (), current: int = -1) -> list[MarkStretch]:
        """``[start, end)`` cut so that each marked code point belongs to exactly one mark.

        The mark numbered ``current`` takes precedence, then those numbered ``active``, then the opened source, then the
        more exact tier, then the shorter span.
        """
        rows = self.within(start, end)
        if not len(rows):
            return []
        length = self.end[rows] - self.start[rows]
        own = self.source[rows] == 0
        chosen = np.isin(self.number[rows], list(active)) & own
        first_of_all = (self.number[rows] == current) & own
        rank = np.lexsort((length, self.kind[rows], ~own, ~chosen, ~first_of_all))[::-1]
        owner = np.full(end - start, -1, np.int64)
        covered, apart = np.zeros(end - start + 1, np.int64), np.zeros(end - start, np.bool_)
        for row in rows[rank].tolist():
            first, last = max(0, int(self.start[row]) - start), min(end, int(self.end[row])) - start
            owner[first:last], apart[first:last] = row, False
            for low, high in self.gaps.get(row, ()):
                apart[max(0, low - start) : max(0, high - start)] = True
            covered[first] += 1
            covered[last] -= 1
        covered = np.cumsum(covered[:-1])
        cuts = np.flatnonzero(np.diff(owner) | np.diff(covered) | np.diff(apart)) + 1
        edges = [0, *cuts.tolist(), end - start]
        return [
            MarkStretch(start + x, start + y, int(owner[x]), int(covered[x]), bool(apart[x]))
            for x, y in pairwise(edges)
            if owner[x] >= 0
        ]


def within(shown: Shown, start: int, end: int) -> Shown:
    """The differences that share a character with ``[start, end)``; ``shown`` are in order."""
    low = bisect_right(shown, start, key=itemgetter(1))
    return shown[low : bisect_left(shown, end, key=itemgetter(0))]


def density(low: NDArray[np.float64], high: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """The share (0 to 1) of each of ``rows`` rows covered by the spans ``[low, high)``, given in units of rows."""
    cover = np.zeros(rows + 2)
    first = np.clip(low.astype(np.int64), 0, rows - 1)
    last = np.clip(high.astype(np.int64), 0, rows - 1)
    same = first == last
    np.add.at(cover, first[same], (high - low)[same])
    np.add.at(cover, first[~same], (first + 1 - low)[~same])
    np.add.at(cover, last[~same], (high - last)[~same])
    full = np.zeros(rows + 2)
    np.add.at(full, first[~same] + 1, 1.0)
    np.add.at(full, last[~same], -1.0)
    filled: NDArray[np.float64] = np.minimum(1.0, (cover + np.cumsum(full))[:rows])
    return filled
