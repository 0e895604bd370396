"""Stretches within the limits of matches that are not part of them, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
else:  # importing numpy takes longer than printing a help
    Ints = object


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Stretches of k places within matches that correspond to nothing on the other side.

    ``row`` int64[k]: the match, by its row; ``side`` int8[k]: 0 in the suspect, 1 in the source; ``start``, ``end``
    int64[k]: code points of that document, within the limits of the match. By row, side and start; disjoint, not empty.
    """

    row: Ints
    side: NDArray[np.int8]
    start: Ints
    end: Ints

    @classmethod
    def none(cls) -> Gaps:
        """No gaps: every match corresponds from its start to its end."""
        return cls.of(())

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, int]]) -> Gaps:
        """Gaps from (row, side, start, end) in any order."""
        import numpy as np

        columns = np.array(sorted(rows), np.int64).reshape(-1, 4).T.copy()
        return cls(columns[0], columns[1].astype(np.int8), columns[2], columns[3])

    @classmethod
    def concatenate(cls, parts: Sequence[tuple[Gaps, int]]) -> Gaps:
        """The gaps of consecutive ``parts``, each given with its number of matches, which offsets the rows of later
        parts.
        """
        import numpy as np

        if not any(len(gaps) for gaps, _ in parts):
            return cls.none()
        before = np.cumsum([0, *(matches for _, matches in parts)])
        return cls(
            np.concatenate([gaps.row + first for (gaps, _), first in zip(parts, before, strict=False)]),
            *(np.concatenate([getattr(gaps, name) for gaps, _ in parts]) for name in ("side", "start", "end")),
        )

    def joined(self, other: Gaps) -> Gaps:
        """The union of two sets of gaps of the same matches; stretches that overlap or touch become one."""
        import numpy as np

        if not len(self) or not len(other):
            return self if len(self) else other
        row, side, start, end = (
            np.concatenate((getattr(self, name), getattr(other, name))) for name in ("row", "side", "start", "end")
        )
        order = np.lexsort((start, side, row))
        row, side, start, end = row[order], side[order], start[order], end[order]
        # The sides of all matches are concatenated, so that one running maximum is enough.
        shift = (2 * row + side) * (int(end.max()) + 1)
        reached = np.maximum.accumulate(end + shift)
        first = np.flatnonzero(np.concatenate(([True], start[1:] + shift[1:] > reached[:-1])))
        return Gaps(row[first], side[first], start[first], np.maximum.reduceat(end, first))

    def __len__(self) -> int:
        return len(self.row)

    def take(self, index: Any, matches: int) -> Gaps:
        """The gaps of the rows chosen from ``matches`` by a numpy index or mask, in that order."""
        import numpy as np

        if not len(self):
            return self
        rows = np.arange(matches)[index]
        low, high = np.searchsorted(self.row, rows, "left"), np.searchsorted(self.row, rows, "right")
        count = high - low
        at = np.arange(count.sum()) + np.repeat(low - (np.cumsum(count) - count), count)
        return Gaps(np.repeat(np.arange(len(rows)), count), self.side[at], self.start[at], self.end[at])

    def from_other_side(self) -> Gaps:
        """The same with suspect and source exchanged."""
        import numpy as np

        side = 1 - self.side
        order = np.lexsort((self.start, side, self.row))
        return Gaps(self.row[order], side[order], self.start[order], self.end[order])

    def on(self, side: int) -> Gaps:
        """The gaps on one side."""
        mine = self.side == side
        return Gaps(self.row[mine], self.side[mine], self.start[mine], self.end[mine])

    def by_row(self, side: int) -> dict[int, list[tuple[int, int]]]:
        """(start, end) of the gaps on one side, by match; only for matches that have any."""
        mine = self.on(side)
        spans: dict[int, list[tuple[int, int]]] = {}
        for row, start, end in zip(mine.row.tolist(), mine.start.tolist(), mine.end.tolist(), strict=True):
            spans.setdefault(row, []).append((start, end))
        return spans

    def within(self, row: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The gaps of one match: (start, end) in the suspect, and in the source."""
        import numpy as np

        sides: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        if len(self):
            some = slice(*np.searchsorted(self.row, (row, row + 1)).tolist())
            for side, start, end in zip(*(c[some].tolist() for c in (self.side, self.start, self.end)), strict=True):
                sides[side].append((start, end))
        return sides
