"""Shortest edit script and longest common subsequence of two sequences, exact, in bounded memory.

Equal ends are cut off; the rest is divided at middle snakes (Myers' O(ND) in linear space) while there are few edits,
and solved by bit-parallel rows with checkpoints where there are many. Both are exact, so their lengths are equal:
``len(a) + len(b) = 2 · common + edits``.

Source of the division: Myers, An O(ND) difference algorithm and its variations, 1986, section 4b. A box is ``a[a0:a1]``
against ``b[b0:b1]``. A box that turns out to have many edits is handed to :mod:`workbench.kernels.edit_script.bits`.
The work can be interrupted and resumed at any round, so that the caller can check for cancellation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.base.progress import NullProgress, Progress
from workbench.kernels.edit_script import bits
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


Blocks = NDArray[np.int32]
"""Equal blocks (place in a, place in b, length), int32 [m, 3]: ascending, disjoint, not touching on both sides."""

LONGEST = 200_000
"""Default limit for stretches that differ completely."""

_STEPS = 1 << 22
"""Steps at middle snakes between two checks for cancellation: 0.02 to 0.2 s, depending on how much of the data is in
the caches.
"""
_WORDS = 1 << 25
"""Words of bit rows between two such checks: below 0.1 s."""
_NOT_YET = np.zeros(0, np.int32)


class TooDifferent(Exception):
    """Two stretches have too many edits for their length; their common subsequence is not computed."""


def common_blocks(
    a: NDArray[np.uint32], b: NDArray[np.uint32], progress: Progress | None = None, *, longest: int = LONGEST
) -> Blocks:
    """Blocks of a longest common subsequence of ``a`` and ``b``; symbols are below ``bits.CODES``.

    Two stretches of more than ``longest``² cells (product of their lengths) may have ``longest`` / 2 edits; with more,
    TooDifferent is raised. Time grows with edits² or with cells / 64, whichever is less; memory with the length and
    with ``longest`` · sqrt(``longest``) / 4 bytes. Raises Cancelled.
    """
    progress = progress or NullProgress()
    shorter = min(len(a), len(b))
    blocks = np.empty((shorter + 1, 3), np.int32)
    if not shorter:
        return blocks[:0]
    stack = np.zeros((STACK, 5), np.int64)
    stack[0] = 0, len(a), 0, len(b), 0
    state = np.array([1, 0, -1], np.int64)
    rounds = min((len(a) + len(b) + 1) // 2, rounds_allowed(len(a), len(b), longest))
    diagonals = 2 * max(rounds, rounds_allowed(min(len(a), longest), min(len(b), longest), longest)) + 5
    ahead, behind = np.zeros(diagonals, np.int32), np.zeros(diagonals, np.int32)
    number = _NOT_YET
    while True:
        outcome = advance(a, b, stack, state, blocks, ahead, behind, number, longest, _STEPS)
        if outcome == DONE:
            return blocks[: state[FOUND]].copy()
        progress.check()
        if outcome == REFUSED:
            raise TooDifferent
        if outcome == BITS:
            if not len(number):
                number = np.full(bits.CODES, -1, np.int32)
            _solve_top(a, b, stack, state, blocks, number, progress)


def _solve_top(
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    stack: NDArray[np.int64],
    state: NDArray[np.int64],
    blocks: Blocks,
    number: NDArray[np.int32],
    progress: Progress,
) -> None:
    """Solve the top box by bit rows, checking for cancellation, and take it off the stack."""
    depth = int(state[DEPTH]) - 1
    a0, a1, b0, b1 = stack[depth, :4].tolist()
    left, right = a[a0:a1], b[b0:b1]
    words = (len(left) + 63) // 64
    table: Any = bits.symbols_of(left, number)
    step = bits.spacing(len(right))
    checkpoints = (len(right) + step - 1) // step
    states = np.empty((checkpoints, words), np.uint64)
    row = np.full(words, ~np.uint64(0))
    stride = max(1, _WORDS // words)
    for first in range(0, len(right), stride):
        progress.check()
        bits.forward(right, first, min(first + stride, len(right)), number, table, row, states)
    rows = np.empty((min(step, len(right)) + 1, words), np.uint64)
    pairs = np.empty((min(len(left), len(right)), 2), np.int32)
    column, count = len(left) - 1, 0
    for block in range(checkpoints - 1, -1, -1):
        progress.check()
        column, count = bits.backward(right, block, column, number, table, states, rows, pairs, count)
    bits.forget(left, number)
    state[DEPTH] = depth
    state[FOUND] = add_pairs(blocks, int(state[FOUND]), pairs, count, a0, b0)
