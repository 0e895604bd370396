"""Longest common subsequence by divide and conquer on the middle snake, in linear space.

Source: Myers, An O(ND) difference algorithm and its variations, 1986, section 4b. A box is ``a[a0:a1]`` against
``b[b0:b1]``. A box that turns out to have many edits is handed to :mod:`workbench.kernels.edit_script.bits`. The work
can be interrupted and resumed at any round, so that the caller can check for cancellation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from workbench.kernels.edit_script.bits import solve

DONE, PAUSED, BITS, REFUSED = 0, 1, 2, 3
"""What :func:`advance` returns: finished, budget used up, the top box needs bit rows, the top box is over the limits.
"""

STACK = 512
"""Rows of the stack: each level halves the edits of its box and leaves at most three rows, so 200 would be enough."""

DEPTH, FOUND, ROUND = 0, 1, 2
"""Positions in ``state``: rows on the stack, blocks found, round to continue with (-1: the top box is new)."""

_INLINE = 1 << 27
"""Cells of a box that is solved by bit rows without a pause: a few milliseconds."""


@njit(cache=True, nogil=True)
def rounds_allowed(rows: int, columns: int, longest: int) -> int:
    """Rounds of the middle snake after which a box is abandoned, where bit rows become faster.

    Boxes of more than ``longest``² cells are too large for bit rows; they get ``longest`` / 4 rounds in all.
    """
    cells = float(rows) * float(columns)
    if cells > float(longest) * float(longest):
        return max(64, longest // 4)
    return int(64 + 0.045 * np.sqrt(cells))


@njit(cache=True, nogil=True)
def add(blocks: Any, count: int, x: int, y: int, length: int) -> int:
    """Append the block (x, y, length), merged with the previous one if they touch. Returns the number of blocks."""
    if length == 0:
        return count
    if count > 0:
        last = blocks[count - 1]
        if last[0] + last[2] == x and last[1] + last[2] == y:
            last[2] += length
            return count
    blocks[count, 0] = x
    blocks[count, 1] = y
    blocks[count, 2] = length
    return count + 1


@njit(cache=True, nogil=True)
def _push(stack: Any, depth: int, a0: int, a1: int, b0: int, b1: int, equal: int) -> int:
    row = stack[depth]
    row[0], row[1], row[2], row[3], row[4] = a0, a1, b0, b1, equal
    return depth + 1


@njit(cache=True, nogil=True)
def _middle(a: Any, b: Any, ahead: Any, behind: Any, round_: int, limit: int, budget: int) -> Any:
    """Middle snake of ``a`` and ``b``: (outcome, x, y, u, v, round, budget).

    The snake is ``a[x:u]`` = ``b[y:v]``. ``ahead`` and ``behind`` (int32, one entry a diagonal) hold the furthest
    places of the rounds before ``round_``.
    """
    n, m = len(a), len(b)
    delta = n - m
    odd = (delta & 1) != 0
    off = len(ahead) // 2
    if round_ == 0:
        ahead[off + 1] = 0
        behind[off + 1] = 0
    d = round_
    while True:
        if d > limit:
            return REFUSED, 0, 0, 0, 0, d, budget
        if budget < 0:
            return PAUSED, 0, 0, 0, 0, d, budget
        low, high = -d + 2 * max(0, d - m), d - 2 * max(0, d - n)
        budget -= high - low + 32
        for k in range(low, high + 1, 2):
            down = k == -d or (k != d and ahead[off + k - 1] < ahead[off + k + 1])
            x = ahead[off + k + 1] if down else ahead[off + k - 1] + 1
            y = x - k
            x0 = x
            while x < n and y < m and a[x] == b[y]:
                x += 1
                y += 1
            ahead[off + k] = x
            budget -= (x - x0) >> 2
            if odd and -d < delta - k < d and x + behind[off + delta - k] >= n:
                return DONE, x0, x0 - k, x, y, d, budget
        for k in range(low, high + 1, 2):
            down = k == -d or (k != d and behind[off + k - 1] < behind[off + k + 1])
            x = behind[off + k + 1] if down else behind[off + k - 1] + 1
            y = x - k
            x0 = x
            while x < n and y < m and a[n - 1 - x] == b[m - 1 - y]:
                x += 1
                y += 1
            behind[off + k] = x
            budget -= (x - x0) >> 2
            if not odd and -d <= delta - k <= d and ahead[off + delta - k] + x >= n:
                return DONE, n - x, m - y, n - x0, m - (x0 - k), d, budget
        d += 1


@njit(cache=True, nogil=True)
def advance(
    a: Any,
    b: Any,
    stack: Any,
    state: Any,
    blocks: Any,
    ahead: Any,
    behind: Any,
    number: Any,
    longest: int,
    budget: int,
) -> int:
    """Process the boxes on ``stack`` for about ``budget`` elementary steps; DONE, PAUSED, BITS or REFUSED.

    ``number`` is int32 [CODES] filled with -1, or empty, in which case every box that needs bit rows is returned.
    """
    while state[DEPTH] > 0:
        depth, count = state[DEPTH] - 1, state[FOUND]
        a0, a1, b0, b1, equal = stack[depth]
        if equal:
            state[FOUND] = add(blocks, count, a0, b0, a1 - a0)
            state[DEPTH] = depth
            continue
        round_ = state[ROUND]
        if round_ < 0:
            start = a0
            while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
                a0 += 1
                b0 += 1
            count = add(blocks, count, start, b0 - (a0 - start), a0 - start)
            end = a1
            while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
                a1 -= 1
                b1 -= 1
            budget -= (a0 - start + end - a1) >> 2
            if end > a1:
                depth = _push(stack, depth, a1, end, b1, b1 + end - a1, 1)
            state[FOUND] = count
            state[DEPTH] = depth
            if a0 == a1 or b0 == b1:
                continue
            state[DEPTH] = _push(stack, depth, a0, a1, b0, b1, 0)
            round_ = 0
        limit = rounds_allowed(a1 - a0, b1 - b0, longest)
        outcome, x, y, u, v, reached, budget = _middle(a[a0:a1], b[b0:b1], ahead, behind, round_, limit, budget)
        if outcome == PAUSED:
            state[ROUND] = reached
            return PAUSED
        state[ROUND] = -1
        if outcome == DONE:
            depth = _push(stack, depth, a0 + u, a1, b0 + v, b1, 0)
            if u > x:
                depth = _push(stack, depth, a0 + x, a0 + u, b0 + y, b0 + v, 1)
            state[DEPTH] = _push(stack, depth, a0, a0 + x, b0, b0 + y, 0)
            continue
        cells = (a1 - a0) * (b1 - b0)
        if cells > longest * longest:
            return REFUSED
        if cells > _INLINE or len(number) == 0:
            return BITS
        pairs = solve(a[a0:a1], b[b0:b1], number)
        state[DEPTH] = depth
        state[FOUND] = add_pairs(blocks, count, pairs, len(pairs), a0, b0)
        budget -= cells >> 5
    return DONE


@njit(cache=True, nogil=True)
def add_pairs(blocks: Any, size: int, pairs: Any, count: int, a0: int, b0: int) -> int:
    """Append ``count`` matched pairs, given from last to first, shifted by ``a0`` and ``b0``."""
    for i in range(count - 1, -1, -1):
        size = add(blocks, size, a0 + pairs[i, 0], b0 + pairs[i, 1], 1)
    return size
