"""Seeds: where rare shared words gather in the plot of one text against the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

MOST_PLACES = 400
"""A word that would mark more points of the plot than this is left out."""

_COMMON = 5.0
"""A word's weight is its surprisal less this: words of one in 150 and commoner count nothing."""

_RAREST = 2e-5
"""No word counts as rarer than this."""


@njit(cache=True, nogil=True)
def cells(a: Any, b: Any, first: Any, rows: Any, size: Any, background: Any) -> Any:
    """Weights of the cells of ``size`` x ``size`` words in the rows [first, first + rows) of the plot: float32.

    A word marks every point where both texts have it, with its surprisal shared out over them.
    """
    plot = np.zeros((rows, len(b.words) // size + 1), np.float32)
    for i in range(first * size, min(len(a.words), (first + rows) * size)):
        word = a.words[i]
        there = b.starts[word + 1] - b.starts[word]
        if there == 0:
            continue
        points = np.int64(there) * (a.starts[word + 1] - a.starts[word])
        if points > MOST_PLACES:
            continue
        weight = -math.log(max(background.word[word], _RAREST)) - _COMMON
        if weight <= 0:
            continue
        weight /= math.sqrt(points)
        for k in range(b.starts[word], b.starts[word + 1]):
            plot[i // size - first, b.places[k] // size] += weight
    return plot


@njit(cache=True, nogil=True)
def gathered(plot: Any, least: Any, rows: Any) -> Any:
    """Blocks of 2 x 2 cells that weigh ``least``, row by row: their weight float32, row and column int32.

    Blocks begin in the first ``rows`` rows; beyond the last row and column there is nothing.
    """
    weights, row, column = np.empty(64, np.float32), np.empty(64, np.int32), np.empty(64, np.int32)
    n = 0
    height, width = plot.shape
    for r in range(rows):
        for c in range(width):
            weight = plot[r, c]
            if c + 1 < width:
                weight += plot[r, c + 1]
            if r + 1 < height:
                weight += plot[r + 1, c]
                if c + 1 < width:
                    weight += plot[r + 1, c + 1]
            if weight < least:
                continue
            if n == len(weights):
                weights = np.concatenate((weights, np.empty_like(weights)))
                row = np.concatenate((row, np.empty_like(row)))
                column = np.concatenate((column, np.empty_like(column)))
            weights[n], row[n], column[n] = weight, r, c
            n += 1
    return weights[:n].copy(), row[:n].copy(), column[:n].copy()
