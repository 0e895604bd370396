"""Seeds: clusters of rare shared words in the plot of one text against the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.kernels.compiled import kernel
from workbench.kernels.mixing import shell_sort

MOST_PLACES = 400
"""Maximum number of points of the plot that a word may mark; more frequent words are omitted."""

_COMMON = 5.0
"""A word's weight is its surprisal minus this: words as common as one in 150 do not count."""

_RAREST = 2e-5
"""Minimum frequency: rarer words count as this frequent."""


@kernel
def word_weights(a_starts: Any, b_starts: Any, often: Any) -> Any:
    """The weight of each word at every point of the plot that it marks, float64; 0 for words that do not count.

    ``often``: their share of the collection. Also returns the number of words that would count but are omitted, as they
    would mark more than MOST_PLACES points.
    """
    weights = np.zeros(len(often))
    left_out = 0
    for word in range(len(often)):
        here, there = a_starts[word + 1] - a_starts[word], b_starts[word + 1] - b_starts[word]
        points = np.int64(here) * there
        if points > MOST_PLACES:
            left_out += often[word] < math.exp(-_COMMON)
        elif points:
            weight = -math.log(max(often[word], _RAREST)) - _COMMON
            if weight > 0:
                weights[word] = weight / math.sqrt(points)
    return weights, left_out


@kernel
def seeds(words: Any, starts: Any, places: Any, of_word: Any, first: Any, last: Any, size: Any, least: Any) -> Any:
    """Blocks of 2 x 2 cells of ``size`` x ``size`` words with a weight of ``least``: weight float32, row, column int32.

    Only blocks that begin in the rows [first, last) of the plot, row by row; cells beyond the last row and column are
    empty. ``words``: of one text; ``starts``, ``places``: their positions in the other (:class:`WordPositions`; numba
    takes long to pass whole texts). A word marks every point at which it is in both, with its weight ``of_word``. Time
    is proportional to these points, not to the plot.
    """
    weights, row, columns = np.empty(64, np.float32), np.empty(64, np.int32), np.empty(64, np.int32)
    n = 0
    width = len(places) // size + 1
    # The cells of two consecutive rows, alternating, and the columns that a row marks, each once.
    cells, marked, count = np.zeros((2, width + 1), np.float32), np.empty((2, width), np.int64), np.zeros(2, np.int64)
    sums = np.zeros(2)
    heavy = np.empty(4 * width, np.int64)
    column_of = places // size
    for r in range(first, last + 1):
        below, above = r % 2, 1 - r % 2
        for k in range(count[below]):
            cells[below, marked[below, k]] = 0
        count[below] = sums[below] = 0
        for i in range(r * size, min(len(words), (r + 1) * size)):
            weight = of_word[words[i]]
            if weight == 0:
                continue
            there = column_of[starts[words[i]] : starts[words[i] + 1]]
            sums[below] += weight * len(there)
            for column in there:
                if cells[below, column] == 0:
                    marked[below, count[below]] = column
                    count[below] += 1
                cells[below, column] += weight
        # The sum of float32 weights may be a little more than the exact sum.
        if r == first or 1.01 * (sums[above] + sums[below]) < least:
            continue
        h = 0
        for side in (above, below):
            for k in range(count[side]):
                for c in range(max(0, marked[side, k] - 1), marked[side, k] + 1):
                    if cells[above, c] + cells[above, c + 1] + cells[below, c] + cells[below, c + 1] >= least:
                        heavy[h] = c
                        h += 1
        for k, c in enumerate(shell_sort(heavy[:h])):
            if k and c == columns[n - 1]:
                continue
            if n == len(weights):
                weights = np.concatenate((weights, np.empty_like(weights)))
                row = np.concatenate((row, np.empty_like(row)))
                columns = np.concatenate((columns, np.empty_like(columns)))
            weights[n] = cells[above, c] + cells[above, c + 1] + cells[below, c] + cells[below, c + 1]
            row[n], columns[n] = r - 1, c
            n += 1
    return weights[:n].copy(), row[:n].copy(), columns[:n].copy()
