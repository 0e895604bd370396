"""Positions and spellings of the segments of indexed documents, in five bytes per segment.

Only needed for matches, so decoding may take some time: for most segments, the gap before them and the difference
between their length and the folded length are common, and they share an entry of a small table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.digest.bridging import SmallNumbers

_BLOCK = 64
"""Number of positions between two whose offset is stored."""
_RARE = 255
_SAMPLE = 1 << 20
_SPELLING_BYTES = 3
_ODD = np.array([0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xC2B2AE3D27D4EB4F], np.uint64)


@dataclass(frozen=True, slots=True)
class Extents:
    """Segments of concatenated documents, one at each of n positions; positions between documents have none.

    ``lengths``: folded characters. The *shape* of a segment is the hash of the preceding gap, the characters of that
    gap, and the number of characters (modulo 2^32) by which the segment is longer than its folded form. ``codes`` uint8
    [n] is the row of ``common`` (uint32 [c, 3]) with that shape, or 255 if it is in ``rare`` (uint32 [r, 3]), at the
    row of its position in ``rare_places`` (uint32 [r], ascending). ``before`` int64: characters, in all documents,
    before every 64th position. ``spelling`` uint8 [n, 3]: the low bytes of a hash of each segment as written.
    """

    lengths: SmallNumbers
    codes: NDArray[np.uint8]
    common: NDArray[np.uint32]
    rare_places: NDArray[np.uint32]
    rare: NDArray[np.uint32]
    before: NDArray[np.int64]
    spelling: NDArray[np.uint8]

    @classmethod
    def of(
        cls,
        spans: NDArray[np.uint32],
        lengths: NDArray[np.uint32],
        spelling: NDArray[np.uint32],
        is_segment: NDArray[np.bool_],
    ) -> Extents:
        """``spans`` uint32 [n, 2]: offsets in the document, in order and disjoint; ``lengths`` uint32 [n];
        ``spelling`` uint32 [n, 2] (see ``segment_values.spellings``); ``is_segment`` bool [n], false at the first.
        """
        start, end = spans.astype(np.int64).T
        gap = start
        gap[1:] -= np.where(is_segment[:-1], end[:-1], 0)
        size = end - spans[:, 0]
        shapes = np.empty((len(spans), 3), np.uint32)
        shapes[:, 0], shapes[:, 1], shapes[:, 2] = spelling[:, 1], gap, size - lengths.astype(np.int64)
        shapes[~is_segment] = 0
        gap[~is_segment] = size[~is_segment] = 0
        common, codes = _coded(shapes)
        rare_places = np.flatnonzero(codes == _RARE)
        reached = np.concatenate([np.zeros(1, np.int64), np.cumsum(gap + size)])[::_BLOCK]
        hashes = np.ascontiguousarray(spelling[:, 0].astype("<u4")).view(np.uint8).reshape(-1, 4)
        return cls(
            SmallNumbers.of(lengths),
            codes,
            common,
            rare_places.astype(np.uint32),
            shapes[rare_places],
            reached,
            np.ascontiguousarray(hashes[:, :_SPELLING_BYTES]),
        )

    def spans(self, places: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Start and end, int64 [m, 2], of the segments at ``places``, in documents that begin at ``documents``."""
        reached = self._reached(np.concatenate([places, documents]))
        _, gap, size = self._shapes(places)
        start = reached[: len(places)] - reached[len(places) :] + gap
        return np.stack([start, start + size], axis=1)

    def spellings(self, places: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Hashes of the segments at ``places`` and of the gaps before them, to compare with those of
        :func:`comparable`: uint32 [m, 2].
        """
        low = self.spelling[places].astype(np.uint32)
        shifted = low << np.arange(0, 8 * _SPELLING_BYTES, 8, dtype=np.uint32)
        return np.stack([shifted.sum(axis=1, dtype=np.uint32), self._shapes(places)[0].astype(np.uint32)], axis=1)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The arrays, by name."""
        columns = {name: getattr(self, name) for name in COLUMNS if name not in _LENGTHS}
        return columns | dict(zip(_LENGTHS, (self.lengths.codes, self.lengths.places, self.lengths.large), strict=True))

    @classmethod
    def from_columns(cls, columns: Mapping[str, NDArray[Any]]) -> Extents:
        """The inverse of :meth:`columns`. Raises KeyError if one is missing, ValueError if they do not fit."""
        lengths = SmallNumbers(*(columns[name] for name in _LENGTHS))
        result = cls(lengths, **{name: columns[name] for name in COLUMNS if name not in _LENGTHS})
        sizes = {len(result.codes), len(result.spelling), len(lengths.codes)}
        if len(sizes) > 1 or len(result.rare) != len(result.rare_places) or len(lengths.places) != len(lengths.large):
            raise ValueError("sizes disagree")
        return result

    def _shapes(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Hash of the gap, its characters, and those of the segment, at each of ``places``: int64."""
        codes = self.codes[places]
        some = np.flatnonzero(codes == _RARE)
        codes[some] = 0
        shapes = self.common[codes]
        shapes[some] = self.rare[np.searchsorted(self.rare_places, places[some])]
        hashes, gap, longer = shapes.T
        return hashes.astype(np.int64), gap.astype(np.int64), longer.view(np.int32) + self.lengths.at(places)

    def _reached(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Characters, in all documents, before the gap that precedes each of ``places``: int64."""
        blocks, which = np.unique(places // _BLOCK, return_inverse=True)
        inside = np.minimum(blocks[:, None] * _BLOCK + np.arange(_BLOCK - 1), len(self.codes) - 1)
        _, gap, size = self._shapes(inside.ravel())
        sums = np.zeros((len(blocks), _BLOCK), np.int64)
        np.cumsum((gap + size).reshape(inside.shape), axis=1, out=sums[:, 1:])
        reached: NDArray[np.int64] = self.before[blocks][which] + sums[which, places % _BLOCK]
        return reached


_LENGTHS = ("lengths", "long_places", "long_lengths")
COLUMNS = (*_LENGTHS, "codes", "common", "rare_places", "rare", "before", "spelling")
"""Names of the arrays that make up :class:`Extents`."""


def comparable(spellings: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The part of the hashes of ``segment_values.spellings`` that an index contains: uint32 [m, 2]."""
    kept: NDArray[np.uint32] = spellings & np.array([(1 << 8 * _SPELLING_BYTES) - 1, 2**32 - 1], np.uint32)
    return kept


def _coded(shapes: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """The most frequent shapes, at least one and at most 255, and the row of each shape among them, or 255."""
    mixed = (shapes.astype(np.uint64) * _ODD).sum(axis=1, dtype=np.uint64)
    _, first, counts = np.unique(mixed[:: 1 + len(mixed) // _SAMPLE], return_index=True, return_counts=True)
    kept = np.sort(np.argsort(-counts, kind="stable")[:_RARE])
    rows = first[kept] * (1 + len(mixed) // _SAMPLE)
    common = shapes[rows]
    at = np.minimum(np.searchsorted(mixed[rows], mixed), len(rows) - 1)
    is_common = (common[at] == shapes).all(axis=1)
    return common, np.where(is_common, at, _RARE).astype(np.uint8)
