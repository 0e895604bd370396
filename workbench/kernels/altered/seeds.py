"""Seeds: clusters of rare shared words in the plot of one text against the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.kernels.compiled import helper, kernel

MOST_PLACES = 400
"""A word that would mark more points of the plot than this is left out."""

_COMMON = 5.0
"""A word's weight is its surprisal less this: words of one in 150 and commoner count nothing."""

_RAREST = 2e-5
"""No word counts as rarer than this."""


@kernel
def word_weights(a: Any, b: Any, background: Any) -> Any:
    """What each word adds to every point of the plot that it marks, float64; 0 for words that do not count.

    Also how many words would count but are left out, since they would mark more than MOST_PLACES points.
    """
    a_starts, b_starts, often = a.starts, b.starts, background.word
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
def seeds(a: Any, b: Any, first: Any, last: Any, size: Any, least: Any, of_word: Any) -> Any:
    """Blocks of 2 x 2 cells of ``size`` x ``size`` words that weigh ``least``: weight float32, row and column int32.

    Those that begin in the rows [first, last) of the plot, row by row; beyond the last row and column there is nothing.
    A word marks every point where both texts have it, with its weight ``of_word``. Time grows with these points, not
    with the plot.
    """
    weights, row, columns = np.empty(64, np.float32), np.empty(64, np.int32), np.empty(64, np.int32)
    n = 0
    width = len(b.words) // size + 1
    upper, lower = np.zeros(width + 1, np.float32), np.zeros(width + 1, np.float32)
    above, below, heavy = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(4 * width, np.int64)
    words, starts, places = a.words, b.starts, b.places
    upon = _marked(words, starts, places, first, size, of_word, upper, above)
    for r in range(first, last):
        under = _marked(words, starts, places, r + 1, size, of_word, lower, below)
        h = 0
        for k in range(upon + under):
            column = above[k] if k < upon else below[k - upon]
            for c in range(max(0, column - 1), column + 1):
                if upper[c] + upper[c + 1] + lower[c] + lower[c + 1] >= least:
                    heavy[h] = c
                    h += 1
        for k, c in enumerate(np.sort(heavy[:h]) if h else heavy[:0]):
            if k and c == columns[n - 1]:
                continue
            weight = upper[c] + upper[c + 1] + lower[c] + lower[c + 1]
            if n == len(weights):
                weights = np.concatenate((weights, np.empty_like(weights)))
                row = np.concatenate((row, np.empty_like(row)))
                columns = np.concatenate((columns, np.empty_like(columns)))
            weights[n], row[n], columns[n] = weight, r, c
            n += 1
        for k in range(upon):
            upper[above[k]] = 0
        upper, lower = lower, upper
        above, below, upon = below, above, under
    return weights[:n].copy(), row[:n].copy(), columns[:n].copy()


@helper
def _marked(words: Any, starts: Any, places: Any, row: Any, size: Any, of_word: Any, weights: Any, marked: Any) -> Any:
    """Add the weights of a row's words to ``weights``, 0 everywhere; ``marked``: the columns, each once.

    Returns how many these are.
    """
    n = 0
    for i in range(row * size, min(len(words), (row + 1) * size)):
        weight = of_word[words[i]]
        if weight == 0:
            continue
        for k in range(starts[words[i]], starts[words[i] + 1]):
            column = places[k] // size
            if weights[column] == 0:
                marked[n] = column
                n += 1
            weights[column] += weight
    return n
