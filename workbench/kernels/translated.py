"""Monotone local alignment: chains of pairs of sentences, in the order of both texts.

The score of a chain is the sum of the log-odds of its pairs minus ``skip`` for every sentence skipped between two of
them; it ends once it has lost ``gap`` since its best. (Smith and Waterman, 1981, with linear gaps and the drop rule of
BLAST, Altschul et al., 1990.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import kernel


class State(NamedTuple):
    """The state of :func:`chains` between blocks of rows, for m columns: score, its best so far and the number of the
    chain that ends in each column, each [m + 1].
    """

    worth: NDArray[np.float64]
    peak: NDArray[np.float64]
    chain: NDArray[np.int64]


def fresh(m: int) -> State:
    """The state before the first row."""
    return State(np.zeros(m + 1), np.zeros(m + 1), np.full(m + 1, -1, np.int64))


@kernel
def chains(
    odds: Any, first: Any, skip: Any, gap: Any, worth: Any, peak: Any, chain: Any, rows: Any, best: Any, n: Any
) -> Any:
    """Continue chains through the rows of ``odds`` (float32), which begin at row ``first``.

    ``rows`` (int64 [k, 4]: row, column, row, column) are the first pair of each chain and the last one at its best
    end, and ``best`` (float64 [k]) its score there; ``n`` are in use, and there is room for one more for every positive
    value of ``odds``. Returns the number in use afterwards.
    """
    for i in range(odds.shape[0]):
        diagonal_worth, diagonal_peak, diagonal_chain = worth[0], peak[0], chain[0]
        for j in range(odds.shape[1]):
            gain = np.float64(odds[i, j])
            now, top, which = 0.0, 0.0, np.int64(-1)
            if diagonal_chain >= 0 and diagonal_worth + gain > 0:
                now, top, which = diagonal_worth + gain, diagonal_peak, diagonal_chain
            if gain > now:
                now, top, which = gain, 0.0, np.int64(-2)
            above, left = worth[j + 1] - skip, worth[j] - skip
            if chain[j + 1] >= 0 and above > now:
                now, top, which = above, peak[j + 1], chain[j + 1]
            if chain[j] >= 0 and left > now:
                now, top, which = left, peak[j], chain[j]
            diagonal_worth, diagonal_peak, diagonal_chain = worth[j + 1], peak[j + 1], chain[j + 1]
            if which == -2:
                which = n
                rows[n, 0] = rows[n, 2] = first + i
                rows[n, 1] = rows[n, 3] = j
                best[n] = 0.0
                n += 1
            top = max(top, now)
            if which < 0 or now < top - gap:
                worth[j + 1], peak[j + 1], chain[j + 1] = 0.0, 0.0, -1
                continue
            worth[j + 1], peak[j + 1], chain[j + 1] = now, top, which
            if now > best[which]:
                best[which] = now
                rows[which, 2], rows[which, 3] = first + i, j
    return n


@kernel
def links(odds: Any, skip: Any) -> Any:
    """The pairs of the best chain that begins with the first row and column of ``odds`` and ends with the last ones:
    int64 [k, 2].
    """
    n, m = odds.shape
    worth = np.full((n, m), -np.inf)
    came = np.zeros((n, m), np.int8)
    for i in range(n):
        for j in range(m):
            if i == 0 and j == 0:
                worth[i, j], came[i, j] = odds[0, 0], 1
                continue
            if i > 0 and j > 0:
                worth[i, j], came[i, j] = worth[i - 1, j - 1] + odds[i, j], 1
            if i == n - 1 and j == m - 1 and came[i, j] == 1:
                continue
            if i > 0 and worth[i - 1, j] - skip > worth[i, j]:
                worth[i, j], came[i, j] = worth[i - 1, j] - skip, 2
            if j > 0 and worth[i, j - 1] - skip > worth[i, j]:
                worth[i, j], came[i, j] = worth[i, j - 1] - skip, 3
    pairs = np.empty((min(n, m), 2), np.int64)
    i, j, k = n - 1, m - 1, min(n, m)
    while i >= 0 and j >= 0:
        if came[i, j] == 1:
            k -= 1
            pairs[k, 0], pairs[k, 1] = i, j
            i, j = i - 1, j - 1
        elif came[i, j] == 2:
            i -= 1
        else:
            j -= 1
    return pairs[k:]
