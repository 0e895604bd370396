"""Shortest edit script and longest common subsequence of two sequences, exact, in bounded memory.

Equal ends are removed; the rest is divided at middle snakes (Myers' O(ND) in linear space) while there are few edits,
and solved by bit-parallel rows with checkpoints if there are many. Both are exact, so their lengths are equal:
``len(a) + len(b) = 2 · common + edits``.

Source of the division: Myers, An O(ND) difference algorithm and its variations, 1986, section 4b. A box is ``a[a0:a1]``
against ``b[b0:b1]``. A box with many edits is solved by rows. The work can be interrupted and resumed at any round, so
that the caller can check for cancellation.

Row j is a bit vector over ``a`` whose zero bits mark the columns where the length of the longest common subsequence
with ``b[:j + 1]`` grows. If not all rows fit into a cache, every K-th is kept (K about sqrt(len(b))) and the traceback
recomputes the rows between two checkpoints: twice the time of the length alone, 2 K len(a) / 64 words of memory.
Source: Hyyrö, Bit-parallel LCS-length computation revisited, 2004.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import NullProgress, Progress
from workbench.kernels.compiled import helper, kernel

CODES = 0x110002
"""Upper bound of symbols: code points, and two more for seams between stretches."""

_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE, _ZERO = np.uint64(1), np.uint64(0)

_ROOM = 1 << 17
"""Words of rows up to which all rows are kept: one megabyte."""


@kernel
def spacing(rows: int, words: int) -> int:
    """Rows from one checkpoint to the next; all rows, so that none is computed twice, if they are small."""
    return rows if rows * words <= _ROOM else max(64, int(np.sqrt(float(rows))))


@kernel
def symbols_of(a: Any, number: Any) -> Any:
    """The occurrences of each symbol in ``a``: (starts, places, slot, dense).

    ``number`` is int32 [CODES] filled with -1; the symbols of ``a`` are numbered in it (:func:`forget` undoes that).
    Positions of symbol q are ``places[starts[q]:starts[q + 1]]``, ascending. Symbols in more than a third of the words
    have a bit row ``dense[slot[q]]`` (there are fewer than 192 of these); the others have slot -1.
    """
    n = len(a)
    words = (n + 63) // 64
    symbols = 0
    for i in range(n):
        if number[a[i]] < 0:
            number[a[i]] = symbols
            symbols += 1
    starts = np.zeros(symbols + 1, np.int64)
    for i in range(n):
        starts[number[a[i]] + 1] += 1
    for q in range(symbols):
        starts[q + 1] += starts[q]
    at = starts[:-1].copy()
    places = np.empty(n, np.int32)
    for i in range(n):
        q = number[a[i]]
        places[at[q]] = i
        at[q] += 1
    slot = np.full(symbols, -1, np.int32)
    rows = 0
    for q in range(symbols):
        if 3 * (starts[q + 1] - starts[q]) > words:
            slot[q] = rows
            rows += 1
    dense = np.zeros((rows, words), np.uint64)
    for q in range(symbols):
        if slot[q] >= 0:
            for i in range(starts[q], starts[q + 1]):
                dense[slot[q], places[i] >> 6] |= _ONE << np.uint64(places[i] & 63)
    return starts, places, slot, dense


@kernel
def forget(a: Any, number: Any) -> None:
    """Reset ``number`` to -1 where the symbols of ``a`` were numbered."""
    for i in range(len(a)):
        number[a[i]] = -1


@helper
def _step(state: Any, words: int, q: int, table: Any) -> None:
    """The next row for symbol ``q``, in the first ``words`` words."""
    starts, places, slot, dense = table
    carry = _ZERO
    if slot[q] >= 0:
        bits = dense[slot[q]]
        for t in range(words):
            s = state[t]
            u = s & bits[t]
            x = s + u
            y = x + carry
            state[t] = y | (s - u)
            carry = _ONE if (x < s or y < x) else _ZERO
        return
    i, end, t = starts[q], starts[q + 1], -1
    while True:  # only words with an occurrence or a carry change
        if carry != _ZERO:
            t += 1
        elif i < end:
            t = int(places[i] >> 6)
        else:
            return
        if t >= words:
            return
        here = _ZERO
        while i < end and places[i] >> 6 == t:
            here |= _ONE << np.uint64(places[i] & 63)
            i += 1
        s = state[t]
        u = s & here
        x = s + u
        y = x + carry
        state[t] = y | (s - u)
        carry = _ONE if (x < s or y < x) else _ZERO


@kernel
def forward(b: Any, first: int, last: int, number: Any, table: Any, state: Any, checkpoints: Any) -> None:
    """Rows ``first`` up to ``last`` of ``b``: advances ``state``, saving every K-th row to ``checkpoints`` first."""
    step = spacing(len(b), len(state))
    for j in range(first, last):
        if j % step == 0:
            for t in range(len(state)):
                checkpoints[j // step, t] = state[t]
        q = number[b[j]]
        if q >= 0:
            _step(state, len(state), q, table)


@kernel
def backward(
    b: Any, block: int, column: int, number: Any, table: Any, checkpoints: Any, rows: Any, pairs: Any, count: int
) -> Any:
    """Walk back through the rows of checkpoint ``block`` from ``column``; returns (remaining column, pairs found).

    Matched (column, row) pairs are appended to ``pairs`` from the last to the first. ``rows`` is scratch,
    uint64 [K + 1, words].
    """
    step = spacing(len(b), checkpoints.shape[1])
    first = block * step
    j = min(first + step, len(b)) - 1
    i = column
    if i < 0:
        return i, count
    words = (i >> 6) + 1
    state = checkpoints[block, :words].copy()
    for t in range(words):
        rows[0, t] = state[t]
    for row in range(first, j + 1):
        q = number[b[row]]
        if q >= 0:
            _step(state, words, q, table)
        for t in range(words):
            rows[row - first + 1, t] = state[t]
    while i >= 0 and j >= first:
        word, bit = i >> 6, np.uint64(i & 63)
        if (rows[j - first + 1, word] >> bit) & _ONE:
            i -= 1
        elif not (rows[j - first, word] >> bit) & _ONE:
            j -= 1
        else:
            pairs[count, 0] = i
            pairs[count, 1] = j
            count += 1
            i -= 1
            j -= 1
    return i, count


@kernel
def solve(a: Any, b: Any, number: Any) -> Any:
    """Matched (place in a, place in b) of a longest common subsequence, from the last to the first: int32 [m, 2]."""
    words = (len(a) + 63) // 64
    table = symbols_of(a, number)
    step = spacing(len(b), words)
    blocks = (len(b) + step - 1) // step
    checkpoints = np.full((blocks, words), _ONES)
    if blocks > 1:
        forward(b, np.int64(0), len(b), number, table, np.full(words, _ONES), checkpoints)
    rows = np.empty((min(step, len(b)) + 1, words), np.uint64)
    pairs = np.empty((min(len(a), len(b)), 2), np.int32)
    column, count = len(a) - 1, np.int64(0)
    for block in range(blocks - 1, -1, -1):
        column, count = backward(b, block, column, number, table, checkpoints, rows, pairs, count)
    forget(a, number)
    return pairs[:count]


DONE, PAUSED, BITS, REFUSED = 0, 1, 2, 3
"""Results of :func:`advance`: finished, budget used up, the top box needs bit rows, the top box is over the limits."""

STACK = 512
"""Rows of the stack: each level halves the edits of its box and leaves at most three rows, so 200 would be enough."""

DEPTH, FOUND, ROUND = 0, 1, 2
"""Positions in ``state``: rows on the stack, blocks found, round to continue with (-1: the top box is new)."""

_INLINE = 1 << 27
"""Maximum cells of a box solved by bit rows without a pause: a few milliseconds."""


@kernel
def rounds_allowed(rows: int, columns: int, longest: int) -> int:
    """Rounds of the middle snake after which a box is abandoned, because bit rows are faster.

    Boxes of more than ``longest``² cells are too large for bit rows; they get ``longest`` / 4 rounds in all.
    """
    cells = float(rows) * float(columns)
    if cells > float(longest) * float(longest):
        return max(64, longest // 4)
    return int(64 + 0.045 * np.sqrt(cells))


@helper
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


@helper
def _push(stack: Any, depth: int, a0: int, a1: int, b0: int, b1: int, equal: int) -> int:
    row = stack[depth]
    row[0], row[1], row[2], row[3], row[4] = a0, a1, b0, b1, equal
    return depth + 1


@helper
def _middle(a: Any, b: Any, ahead: Any, behind: Any, round_: int, limit: int, budget: int) -> Any:
    """Middle snake of ``a`` and ``b``: (outcome, x, y, u, v, round, budget).

    The snake is ``a[x:u]`` = ``b[y:v]``. ``ahead`` and ``behind`` (int32, one entry per diagonal) contain the furthest
    positions of the rounds before ``round_``.
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


@kernel
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


@kernel
def add_pairs(blocks: Any, size: int, pairs: Any, count: int, a0: int, b0: int) -> int:
    """Append ``count`` matched pairs, given from last to first, shifted by ``a0`` and ``b0``."""
    for i in range(count - 1, -1, -1):
        size = add(blocks, size, a0 + pairs[i, 0], b0 + pairs[i, 1], 1)
    return size


Blocks = NDArray[np.int32]
"""Equal blocks (start in a, start in b, length), int32 [m, 3]: ascending, disjoint, not touching on both sides."""

LONGEST = 200_000
"""Default limit for stretches that differ completely."""

_STEPS = 1 << 22
"""Steps at middle snakes between two checks for cancellation: 0.02 to 0.2 s, depending on how much of the data is in
the caches.
"""
_WORDS = 1 << 25
"""Words of bit rows between two checks: less than 0.1 s."""
_NOT_YET = np.zeros(0, np.int32)
_SPARE: list[NDArray[np.int32]] = []
"""Unused tables of numbers by symbol, -1 everywhere: creating one takes longer than most calls."""


class TooDifferent(Exception):
    """Two stretches have too many edits for their length; their common subsequence is not computed."""


def common_blocks(
    a: NDArray[np.uint32], b: NDArray[np.uint32], progress: Progress | None = None, *, longest: int = LONGEST
) -> Blocks:
    """Blocks of a longest common subsequence of ``a`` and ``b``; symbols are below ``CODES``.

    Two stretches of more than ``longest``² cells (product of their lengths) may have at most ``longest`` / 2 edits;
    with more, TooDifferent is raised. Time grows with edits² or with cells / 64, whichever is less; memory with the
    length and with ``longest`` · sqrt(``longest``) / 4 bytes. Raises Cancelled.
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
    number = _SPARE.pop() if _SPARE else _NOT_YET
    while True:
        outcome = advance(a, b, stack, state, blocks, ahead, behind, number, longest, _STEPS)
        if len(number) and outcome in (DONE, REFUSED):
            _SPARE.append(number)
        if outcome == DONE:
            return blocks[: state[FOUND]].copy()
        progress.check()
        if outcome == REFUSED:
            raise TooDifferent
        if outcome == BITS:
            if not len(number):
                number = np.full(CODES, -1, np.int32)
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
    """Solve the top box by bit rows, checking for cancellation, and remove it from the stack."""
    depth = int(state[DEPTH]) - 1
    a0, a1, b0, b1 = stack[depth, :4].tolist()
    left, right = a[a0:a1], b[b0:b1]
    words = (len(left) + 63) // 64
    table: Any = symbols_of(left, number)
    step = spacing(len(right), words)
    checkpoints = (len(right) + step - 1) // step
    states = np.full((checkpoints, words), _ONES)
    row = np.full(words, _ONES)
    stride = max(1, _WORDS // words)
    for first in range(0, len(right) if checkpoints > 1 else 0, stride):
        progress.check()
        forward(right, first, min(first + stride, len(right)), number, table, row, states)
    rows = np.empty((min(step, len(right)) + 1, words), np.uint64)
    pairs = np.empty((min(len(left), len(right)), 2), np.int32)
    column, count = len(left) - 1, 0
    for block in range(checkpoints - 1, -1, -1):
        progress.check()
        column, count = backward(right, block, column, number, table, states, rows, pairs, count)
    forget(left, number)
    state[DEPTH] = depth
    state[FOUND] = add_pairs(blocks, int(state[FOUND]), pairs, count, a0, b0)
