"""From pairs of close windows to stretches of letters that agree in order.

A pair of windows is anchored at the longest run of equal letters on a diagonal beside it, and the run extended both
ways by the greedy algorithm with an X-drop (Zhang, Schwartz, Wagner and Miller, A greedy algorithm for aligning DNA
sequences, 2000): an equal letter scores 1, an edit costs ``cost``, and an extension ends once its score has fallen
``drop`` below the best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import insertion_sort, number_below

WIDEST = 512
"""Maximum number of diagonals followed at once; ``drop`` leaves far fewer except in very repetitive texts."""
DEEPEST = 32
"""Maximum number of stretches in one other document at one letter; only one is reported, so more would be useless."""
FEW = 1 << 10
"""Number of candidate places of a document up to which they are followed in one call: a millisecond of work."""
_PAIR = 8
"""The fixed cost of a pair of windows, in letter comparisons."""

COLUMNS, VOTES, HOLDER, SCORE = 8, 5, 6, 7
"""Number of columns of a row, and the columns of the votes, the other document, and the score."""
_WORK = 1 << 24
"""Letters compared between two checks for cancellation: a few hundredths of a second."""
_TAKEN = 1 << 25
"""Letters assigned between two checks for cancellation: a few hundredths of a second."""


@dataclass(frozen=True, slots=True)
class StretchLimits:
    """``n``: letters of a window; ``reach``: maximum distance of the anchor from the pair's diagonal; ``anchor``:
    minimum letters of an anchor; ``least``: the lowest score that is not weak; ``cost``, ``drop``: see above. All but
    ``reach`` are in letters.
    """

    n: int
    reach: int
    anchor: int
    least: float
    cost: float
    drop: float


def extended(
    letters: NDArray[np.uint8],
    others: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    pairs: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    settings: StretchLimits,
    check: Callable[[], None],
) -> tuple[NDArray[np.int64], int]:
    """Stretches that contain ``pairs``, and the number of letters compared without result.

    ``pairs``: starts of windows in a document and in ``others``, in letters, and numbers of the other documents, which
    have the letters ``others[bounds[i]:bounds[i + 1]]``; in order of the other document, then of position. Rows are
    int64 [m, 8]: begin and end in the document, begin and end in ``others``, edits, votes (pairs of windows on it),
    number of the other document, score (times 2). A comparison has no result if it yields no anchor, a weak stretch, or
    a duplicate; pairs beside a stretch that is equal there, or at a letter with ``DEEPEST`` stretches, are not
    examined. Raises exceptions of ``check``.
    """
    s = settings
    longest = int(np.diff(bounds).max(initial=0))
    reached = np.full(len(letters) + longest + 1, -1, np.int64)
    owner = np.zeros(len(reached), np.int64)
    depth = np.zeros(len(letters), np.int32)
    equal, vain = np.zeros(2, np.int64), np.zeros(1, np.int64)
    rows = np.empty((64, COLUMNS), np.int64)
    size = first = at = 0
    while at < len(pairs[0]):
        check()
        rows, size, first, at = _extend_all(
            *(letters, others, bounds, *pairs, at, s.n, s.reach, s.anchor, s.least, s.cost, s.drop),
            *(reached, owner, depth, equal, vain, rows, size, first),
        )
    return rows[:size].copy(), int(vain[0])


@kernel
def extended_few(
    letters: Any,
    others: Any,
    bounds: Any,
    limit: Any,
    longest: Any,
    wanted: Any,
    begins: Any,
    number: Any,
    near_bounds: Any,
    near: Any,
    posted: Any,
    posting_bounds: Any,
    n: Any,
    reach: Any,
    anchor: Any,
    least: Any,
    cost: Any,
    drop: Any,
) -> Any:
    """The rows of :func:`extended` for the windows of a document that are ``wanted`` (bool [w]) and have at most
    ``FEW`` candidate places, of which those before the letter ``limit`` count. ``longest``: letters of the longest
    other document.

    Window i begins at the letter ``begins[i]`` and is close to the fingerprints ``near[near_bounds[k]:near_bounds[k +
    1]]`` for k = ``number[i]``; fingerprint f belongs to the windows ``posted[posting_bounds[f]:posting_bounds[f +
    1]]``.
    """
    mine, other = np.empty(FEW, np.int64), np.empty(FEW, np.int64)
    size = 0
    for w in range(len(wanted)):
        if not wanted[w]:
            continue
        for x in range(near_bounds[number[w]], near_bounds[number[w] + 1]):
            for p in range(posting_bounds[near[x]], posting_bounds[near[x] + 1]):
                if posted[p] < limit:
                    mine[size], other[size] = begins[w], posted[p]
                    size += 1
    rows = np.empty((64, COLUMNS), np.int64)
    if not size:
        return rows[:0]
    holders, order = np.empty(size, np.uint64), np.empty(size, np.uint32)
    for i in range(size):
        holders[i], order[i] = number_below(bounds, other[i] + 1) - 1, i
    insertion_sort(holders, order, size * size)
    pairs = np.empty((3, size), np.int64)
    for i in range(size):
        pairs[0, i], pairs[1, i], pairs[2, i] = mine[order[i]], other[order[i]], holders[i]
    reached = np.full(len(letters) + longest + 1, -1, np.int64)
    owner, depth = np.zeros(len(reached), np.int64), np.zeros(len(letters), np.int32)
    equal, vain = np.zeros(2, np.int64), np.zeros(1, np.int64)
    done = first = at = np.int64(0)
    while at < size:
        rows, done, first, at = _extend_all(
            letters, others, bounds, pairs[0], pairs[1], pairs[2], at, n, reach, anchor, least, cost, drop,
            reached, owner, depth, equal, vain, rows, done, first,
        )  # fmt: skip
    return rows[:done]


@kernel
def _extend_all(
    letters: Any,
    others: Any,
    bounds: Any,
    mine: Any,
    other: Any,
    holders: Any,
    at: Any,
    n: Any,
    reach: Any,
    anchor: Any,
    least: Any,
    cost: Any,
    drop: Any,
    reached: Any,
    owner: Any,
    depth: Any,
    equal: Any,
    vain: Any,
    rows: Any,
    size: Any,
    first: Any,
) -> Any:
    """Process pairs from ``at`` on, until ``_WORK`` is used up.

    ``reached``: for each diagonal, the letter up to which stretches cover it; ``owner``: the row that does. ``equal``:
    begin and end of letters without edits in a stretch: no other diagonal can be better for a window inside. ``depth``:
    the number of stretches at each letter. All refer to the document of the rows from ``first`` on.
    """
    before, behind = np.empty(WIDEST + 2, np.int64), np.empty(WIDEST + 2, np.int64)
    work = spent = 0
    while at < len(mine) and work < _WORK:
        work += spent
        q, s, document = mine[at], other[at], holders[at]
        at += 1
        spent = _PAIR
        low, high = bounds[document], bounds[document + 1]
        if first < size and rows[first, 6] != document:
            for r in range(first, size):
                depth[rows[r, 0] : rows[r, 1]] = 0
                _mark(rows[r], bounds[rows[r, 6]], len(letters), reach, reached, owner, r, True)
            first = size
            equal[:] = 0
        centre = s - low - q + len(letters)
        crowded = depth[q] >= DEEPEST
        if reached[centre] > q:
            rows[owner[centre], 5] += 1
            if crowded:
                vain[0] += spent
            if q + n > equal[1] and reached[centre] >= q + n:
                end = q
                while end < reached[centre] and s + end - q < high and letters[end] == others[s + end - q]:
                    end += 1
                spent += end - q
                if end >= q + n:
                    equal[0], equal[1] = q, end
            continue
        if crowded or (equal[0] <= q and q + n <= equal[1]):
            vain[0] += spent
            continue
        begin, length, diagonal = _longest_run(letters, q, others, s, low, high, n, reach, anchor)
        spent += n * (2 * reach + 1) // 4
        if not length:
            vain[0] += spent
            continue
        centre = diagonal - low + len(letters)
        if reached[centre] > begin:
            rows[owner[centre], 5] += 1
            continue
        end = begin + length
        b = begin + diagonal
        if length >= n:
            while end < len(letters) and end + diagonal < high and letters[end] == others[end + diagonal]:
                end += 1
            equal[0], equal[1] = begin, end
            length = end - begin
        right = _extend(letters, end, len(letters), others, b + length, high, 1, cost, drop, before, behind)
        left = _extend(letters, begin - 1, -1, others, b - 1, low - 1, -1, cost, drop, before, behind)
        spent += length + right[4] + left[4]
        score = np.int64(2 * length + right[3] + left[3])
        if score < 2 * least or depth[q]:
            vain[0] += spent
        if size == len(rows):
            rows = np.concatenate((rows, np.empty_like(rows)))
        rows[size, 0], rows[size, 1] = begin - left[0], end + right[0]
        rows[size, 2], rows[size, 3] = b - left[1], b + length + right[1]
        rows[size, 4], rows[size, 5], rows[size, 6] = left[2] + right[2], 1, document
        rows[size, 7] = score
        _mark(rows[size], low, len(letters), reach, reached, owner, size, False)
        for letter in range(rows[size, 0], rows[size, 1]):
            depth[letter] += 1
        size += 1
    return rows, size, first, at


@helper
def _mark(row: Any, low: Any, shift: Any, reach: Any, reached: Any, owner: Any, number: Any, clear: Any) -> None:
    """Mark (or unmark) the diagonals of ``row``, and ``reach`` more on each side, as covered up to its end."""
    one, two = row[2] - low - row[0] + shift, row[3] - low - row[1] + shift
    for k in range(max(0, min(one, two) - reach), min(len(reached), max(one, two) + reach + 1)):
        if clear:
            reached[k] = -1
        elif row[1] > reached[k]:
            reached[k], owner[k] = row[1], number


@kernel
def _longest_run(x: Any, q: Any, y: Any, s: Any, low: Any, high: Any, n: Any, reach: Any, least: Any) -> Any:
    """Start in ``x``, length, and diagonal of the longest run within a window, nearest diagonals first.

    Length 0 if none has ``least`` letters. A longer run than the best is searched for from its last letter
    backwards, as in Boyer-Moore: most letters are never examined.
    """
    best, begin, diagonal = least - 1, q, s - q
    for o in range(2 * reach + 1):
        shift = s - q + ((o + 1) // 2 if o % 2 else -(o // 2))
        at, end = max(q, low - shift), min(q + n, high - shift)
        while at + best < end:
            i = at + best
            while i >= at and x[i] == y[i + shift]:
                i -= 1
            if i >= at:
                at = i + 1
                continue
            i = at + best + 1
            while i < end and x[i] == y[i + shift]:
                i += 1
            best, begin, diagonal = i - at, at, shift
            at = i + 1
    return begin, best if best >= least else 0, diagonal


@helper
def _extend(
    x: Any,
    i0: Any,
    i_end: Any,
    y: Any,
    j0: Any,
    j_end: Any,
    sign: Any,
    cost: Any,
    drop: Any,
    before: Any,
    after: Any,
) -> Any:
    """Letters of ``x`` and of ``y`` and edits of the best extension, twice its score, and letters compared.

    ``before[k - low]``: letters of x in the furthest alignment with d edits on diagonal k = i - j.
    """
    m, n = (i_end - i0) * sign, (j_end - j0) * sign
    i = 0
    while i < m and i < n and x[i0 + sign * i] == y[j0 + sign * i]:
        i += 1
    best = 2.0 * i
    best_i, best_j, best_d = i, i, 0
    before[0] = i
    low = high = 0
    d = 0
    work = i
    while low <= high:
        d += 1
        first, last = low - 1, high + 1
        if last - first + 1 > WIDEST:
            first, last = low, low + WIDEST - 1
        new_low, new_high = last + 1, first - 1
        work += 2 * (last - first + 1)
        for k in range(first, last + 1):
            i = -1
            if low <= k - 1 <= high and before[k - 1 - low] >= 0:
                i = before[k - 1 - low] + 1
            if low <= k <= high and before[k - low] >= 0:
                i = max(i, before[k - low] + 1)
            if low <= k + 1 <= high and before[k + 1 - low] >= 0:
                i = max(i, before[k + 1 - low])
            after[k - first] = -1
            if i < 0:
                continue
            i = min(i, m, n + k)
            j = i - k
            if i < 0 or j < 0:
                continue
            work -= i
            while i < m and j < n and x[i0 + sign * i] == y[j0 + sign * j]:
                i += 1
                j += 1
            work += i
            score = i + j - 2 * cost * d
            if score < best - 2 * drop:
                continue
            after[k - first] = i
            new_low, new_high = min(new_low, k), max(new_high, k)
            if score > best:
                best, best_i, best_j, best_d = score, i, j, d
        for k in range(new_low, new_high + 1):
            before[k - new_low] = after[k - first]
        low, high = new_low, new_high
    return best_i, best_j, best_d, best, work


def free_parts(
    rows: NDArray[np.int64], letters: int, least: int, check: Callable[[], None]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The part of each row of ``extended`` that better stretches leave free, in a document of ``letters`` letters.

    Rows are processed by other document, the best score first; each is assigned the longest part of its letters not yet
    assigned, if it has at least ``least`` letters. Returns the numbers of the rows with a part, in that order, and
    the parts (begin and end, int64 [k, 2]). Raises exceptions of ``check``.
    """
    order = np.lexsort((-rows[:, SCORE], rows[:, HOLDER]))
    parts = np.zeros((len(order), 2), np.int64)
    taken = np.zeros(letters, np.bool_)
    at = first = 0
    while at < len(order):
        check()
        at, first = _take(rows, order, at, first, least, taken, parts)
    got = parts[:, 1] > parts[:, 0]
    return order[got], parts[got]


@kernel
def _take(rows: Any, order: Any, at: Any, first: Any, least: Any, taken: Any, parts: Any) -> Any:
    """Process rows from ``at`` on, until ``_TAKEN`` is used up; rows of the same document begin at ``first``."""
    work = 0
    while at < len(order) and work < _TAKEN:
        row = rows[order[at]]
        if rows[order[first], HOLDER] != row[HOLDER]:
            for i in range(first, at):
                taken[parts[i, 0] : parts[i, 1]] = False
            first = at
        begin, best, run = row[0], 0, 0
        for i in range(row[0], row[1]):
            run = 0 if taken[i] else run + 1
            if run > best:
                best, begin = run, i + 1 - run
        work += row[1] - row[0] + 8
        if best >= least:
            parts[at, 0], parts[at, 1] = begin, begin + best
            taken[begin : begin + best] = True
        at += 1
    return at, first
