"""Shortest edit script and longest common subsequence of two sequences, exact, in bounded memory.

Equal ends are cut off; the rest is divided at middle snakes (Myers' O(ND) in linear space) while there are few edits,
and solved by bit-parallel rows with checkpoints where there are many. Both are exact, so their lengths are equal:
``len(a) + len(b) = 2 · common + edits``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import NullProgress, Progress
from workbench.kernels.edit_script import bits, myers

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
    stack = np.zeros((myers.STACK, 5), np.int64)
    stack[0] = 0, len(a), 0, len(b), 0
    state = np.array([1, 0, -1], np.int64)
    rounds = min((len(a) + len(b) + 1) // 2, myers.rounds_allowed(len(a), len(b), longest))
    diagonals = 2 * max(rounds, myers.rounds_allowed(min(len(a), longest), min(len(b), longest), longest)) + 5
    ahead, behind = np.zeros(diagonals, np.int32), np.zeros(diagonals, np.int32)
    number = _NOT_YET
    while True:
        outcome = myers.advance(a, b, stack, state, blocks, ahead, behind, number, longest, _STEPS)
        if outcome == myers.DONE:
            return blocks[: state[myers.FOUND]].copy()
        progress.check()
        if outcome == myers.REFUSED:
            raise TooDifferent
        if outcome == myers.BITS:
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
    depth = int(state[myers.DEPTH]) - 1
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
    state[myers.DEPTH] = depth
    state[myers.FOUND] = myers.add_pairs(blocks, int(state[myers.FOUND]), pairs, count, a0, b0)
