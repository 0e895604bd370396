"""Properties of segments not captured by the fingerprint: surprisal of their letters, and their exact spelling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import CODE_POINTS, unfolded_hash
from workbench.kernels.compiled import kernel
from workbench.kernels.fold_table import EXPANDS, VALUE, FoldTable

_VALUE, _EXPANDS = np.uint32(VALUE), np.uint32(EXPANDS)
COST_UNIT = 1024
"""Letter costs are whole multiples of 1/1024 bit."""


def letter_counts() -> NDArray[np.int64]:
    """Counters for folded code points, all zero: int64 [0x110000]."""
    return np.zeros(CODE_POINTS, np.int64)


def count_letters(codes: NDArray[np.uint32], table: FoldTable, counts: NDArray[np.int64]) -> None:
    """Add the folded code points of ``codes`` (each folded separately) to ``counts``."""
    _count(codes, table.words, table.expansions, counts)


def letter_costs(counts: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Surprisal of each code point, uint16 [0x110000] in 1/1024 bit, by frequency, with add-one smoothing."""
    # numpy finds the few true values quickly.
    at = np.flatnonzero(counts != 0)
    total = counts[at].sum() + len(at) + 1
    # All others, a million, have the cost of the last one here.
    occurring = np.minimum(np.log2(total / (np.append(counts[at], 0) + 1.0)) * COST_UNIT, 65535).astype(np.uint16)
    costs = np.full(len(counts), occurring[-1])
    costs[at] = occurring[:-1]
    return costs


def segment_bits(
    codes: NDArray[np.uint32],
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    table: FoldTable,
    costs: NDArray[np.uint16],
) -> NDArray[np.float64]:
    """Summed cost in bits of the folded letters of each segment ``codes[start:end]``: float64 [m]."""
    out = np.zeros(len(start))
    _bits(codes, start, end, table.words, table.expansions, costs, out)
    return out / COST_UNIT


def spellings(
    codes: NDArray[np.uint32],
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    bounds: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> NDArray[np.uint32]:
    """32-bit hashes of each of the segments ``rows`` as written and of the text between it and the previous one: uint32
    [len(rows), 2].

    ``bounds`` (int64 [d + 1]) separates documents; the second hash of a document's first segment is that of the empty
    string.
    """
    first = np.zeros(len(start) + 1, np.bool_)
    first[bounds] = True
    out = np.empty((len(rows), 2), np.uint32)
    _spell(codes, start, end, first, rows, out)
    return out


@kernel
def _count(codes: Any, words: Any, expansions: Any, counts: Any) -> Any:
    for code in codes:
        word = words[code]
        value = word & _VALUE
        if word & _EXPANDS:
            for k in range(expansions[value]):
                counts[expansions[value + np.uint32(1 + k)]] += 1
        elif value:
            counts[value] += 1


@kernel
def _bits(codes: Any, start: Any, end: Any, words: Any, expansions: Any, costs: Any, out: Any) -> Any:
    for row in range(len(start)):
        total = np.int64(0)
        for i in range(start[row], end[row]):
            word = words[codes[i]]
            value = word & _VALUE
            if word & _EXPANDS:
                for k in range(expansions[value]):
                    total += np.int64(costs[expansions[value + np.uint32(1 + k)]])
            elif value:
                total += np.int64(costs[value])
        out[row] = total


@kernel
def _spell(codes: Any, start: Any, end: Any, first: Any, rows: Any, out: Any) -> Any:
    for k in range(len(rows)):
        row = rows[k]
        out[k, 0] = unfolded_hash(codes, start[row], end[row])
        before = start[row] if first[row] else end[row - 1]
        out[k, 1] = unfolded_hash(codes, before, start[row])
