"""All maximal runs of equal fingerprints between query digests and an indexed digest text.

A run is *maximal* if it cannot be extended at either end; it is found once, at its first fingerprint that is not
omitted. ``required[j]`` is the number of fingerprints that a run from query position j on must have to be accepted.
Source: Sakurai, Matsuo and Kikui (2009), section 4.2 and 5.3, which searches only for the longest prefix; here every
occurrence counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import NullProgress, Progress
from workbench.kernels.compiled import kernel
from workbench.kernels.digest.fingerprint_suffixes import SuffixArray

_ROWS = 1 << 16
_STEPS = 1 << 20
"""Occurrences examined between two checks for cancellation: a few hundredths of a second."""

ENOUGH = 1 << 27
"""Occurrences examined for one document (about a second), where a run counts as ROW of them ..."""
ROW = 1 << 7
"""(processing a run takes as long as this many occurrences) ..."""
FEW = 1000
"""... after which fingerprints whose runs continue at more places than this are omitted and counted."""


@dataclass(frozen=True, slots=True)
class Digests:
    """Query digests: ``fingerprints`` uint64 [m] of q documents, the i-th at ``bounds[i]:bounds[i + 1]``.

    Document i may match positions of the text below ``limit[i]`` and outside ``[own_start[i], own_end[i])`` (int64
    [q]).
    """

    fingerprints: NDArray[np.uint64]
    bounds: NDArray[np.int64]
    limit: NDArray[np.int64]
    own_start: NDArray[np.int64]
    own_end: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Runs:
    """Rows of runs (int64 [r] each): query document, position in ``fingerprints``, position in the text, number of
    fingerprints.

    ``frequent`` counts query positions whose required part occurs at more than ``most`` positions, or at more than FEW
    after ENOUGH occurrences for a document.
    """

    document: NDArray[np.int64]
    query: NDArray[np.int64]
    place: NDArray[np.int64]
    length: NDArray[np.int64]
    frequent: int


def locate(digests: Digests, text: NDArray[np.uint64], index: SuffixArray, bits: int = 64) -> NDArray[np.int64]:
    """Slots ``[low, high)`` of the suffix array that begin with each query fingerprint: int64 [m, 2]."""
    slots = np.zeros((len(digests.fingerprints), 2), np.int64)
    _locate(digests.fingerprints, text, index.suffixes, index.signatures, index.buckets, index.bucket_bits, bits, slots)
    return slots


def allowed(digests: Digests, slots: NDArray[np.int64], index: SuffixArray) -> NDArray[np.bool_]:
    """Which query fingerprints occur at a position that their document may match: bool [m]."""
    may_match = np.zeros(len(slots), np.bool_)
    _allowed(digests.bounds, digests.limit, digests.own_start, digests.own_end, slots, index.suffixes, may_match)
    return may_match


def required_lengths(
    counted: NDArray[np.float64], bounds: NDArray[np.int64], min_run: int, min_surprisal: float
) -> NDArray[np.int64]:
    """Required fingerprints of a run from each query position: ``min_run``, or fewer with ``min_surprisal`` bits; 0:
    none.

    ``counted`` float64 [m] contains the surprisal of each fingerprint in bits, negative if it does not occur at all.
    ``min_run`` 0 or ``min_surprisal`` 0 turns that rule off.
    """
    out = np.zeros(len(counted), np.int64)
    _required(counted, bounds, min_run, min_surprisal, out)
    return out


def find_runs(
    digests: Digests,
    slots: NDArray[np.int64],
    required: NDArray[np.int64],
    text: NDArray[np.uint64],
    index: SuffixArray,
    most: int = 0,
    progress: Progress | None = None,
) -> Runs:
    """All accepted maximal runs, ordered by the query position at which they are found, then by suffix.

    ``slots`` come from :func:`locate`, ``required`` from :func:`required_lengths`. With ``most`` > 0, query positions
    whose required part occurs at more than ``most`` positions of the text are omitted and counted; otherwise, after
    ENOUGH occurrences for one document, those at more than FEW. A run is omitted if all such parts of it are. Raises
    Cancelled.
    """
    progress = progress or NullProgress()
    state = np.zeros(5, np.int64)
    state[1] = -1
    omitted = np.zeros(len(digests.fingerprints), np.bool_)
    parts = []
    while state[0] < len(digests.fingerprints):
        progress.check()
        rows = np.empty((_ROWS, 4), np.int64)
        n = _runs(
            digests.fingerprints,
            digests.bounds,
            digests.limit,
            digests.own_start,
            digests.own_end,
            slots,
            required,
            text,
            index.suffixes,
            most,
            _STEPS,
            omitted,
            state,
            rows,
        )
        if n:
            parts.append(rows[:n].copy())
    rows = np.concatenate(parts) if parts else np.zeros((0, 4), np.int64)
    document, query, place, length = np.ascontiguousarray(rows.T)
    return Runs(document, query, place, length, int(state[2]))


@kernel
def _locate(
    queries: Any, text: Any, suffixes: Any, signatures: Any, buckets: Any, bucket_bits: Any, bits: Any, slots: Any
) -> Any:
    top_shift = np.uint64(bits - bucket_bits)
    signature_shift = np.uint64(bits - bucket_bits - 16)
    for j in range(len(queries)):
        query = queries[j]
        top = np.int64(query >> top_shift)
        signature = (query >> signature_shift) & np.uint64(0xFFFF)
        low, high = np.int64(buckets[top]), np.int64(buckets[top + 1])
        end = high
        while low < high:
            middle = (low + high) >> 1
            if np.uint64(signatures[middle]) < signature:
                low = middle + 1
            else:
                high = middle
        if low == end or np.uint64(signatures[low]) != signature:
            continue
        first, last = low, end
        while first < last:
            middle = (first + last) >> 1
            if text[suffixes[middle]] < query:
                first = middle + 1
            else:
                last = middle
        if first == end or text[suffixes[first]] != query:
            continue
        low, high = first, end
        while low < high:
            middle = (low + high) >> 1
            if text[suffixes[middle]] <= query:
                low = middle + 1
            else:
                high = middle
        slots[j, 0], slots[j, 1] = first, low


@kernel
def _allowed(bounds: Any, limit: Any, own_start: Any, own_end: Any, slots: Any, suffixes: Any, may_match: Any) -> Any:
    for d in range(len(bounds) - 1):
        for j in range(bounds[d], bounds[d + 1]):
            for slot in range(slots[j, 0], slots[j, 1]):
                place = np.int64(suffixes[slot])
                if place < limit[d] and not own_start[d] <= place < own_end[d]:
                    may_match[j] = True
                    break


@kernel
def _required(counted: Any, bounds: Any, min_run: Any, min_surprisal: Any, out: Any) -> Any:
    for d in range(len(bounds) - 1):
        dead = bounds[d + 1]
        end = bounds[d + 1]
        total = 0.0
        for j in range(bounds[d + 1] - 1, bounds[d] - 1, -1):
            if counted[j] < 0:
                dead = end = j
                total = 0.0
                continue
            total += counted[j]
            while end > j + 1 and total - counted[end - 1] >= min_surprisal:
                end -= 1
                total -= counted[end]
            need = 0
            if min_run > 0 and j + min_run <= dead:
                need = min_run
            if min_surprisal > 0 and total >= min_surprisal and (need == 0 or end - j < need):
                need = end - j
            out[j] = need


@kernel
def _order(text: Any, place: Any, queries: Any, j: Any, count: Any) -> Any:
    """-1, 0 or 1: comparison of the first ``count`` fingerprints at ``place`` with those at query position ``j``."""
    for k in range(count):
        x, y = text[place + k], queries[j + k]
        if x != y:
            return -1 if x < y else 1
    return 0


@kernel
def _runs(
    queries: Any,
    bounds: Any,
    limit: Any,
    own_start: Any,
    own_end: Any,
    slots: Any,
    required: Any,
    text: Any,
    suffixes: Any,
    most: Any,
    steps: Any,
    omitted: Any,
    state: Any,
    rows: Any,
) -> Any:
    """Continue from ``state`` until the rows or steps are used up.

    It contains the query position, the slot or -1, frequent, the document, and the occurrences examined for it.
    """
    n = 0
    j, slot, d = state[0], state[1], state[3]
    while j < len(queries):
        while j >= bounds[d + 1]:
            d += 1
            state[4] = 0
        need = required[j]
        if need == 0 or slots[j, 0] == slots[j, 1]:
            j, slot = j + 1, -1
            continue
        low, high = slots[j, 0], slots[j, 1]
        if need > 1:
            while low < high:
                middle = (low + high) >> 1
                if _order(text, np.int64(suffixes[middle]), queries, j, need) < 0:
                    low = middle + 1
                else:
                    high = middle
            first, high = low, slots[j, 1]
            while low < high:
                middle = (low + high) >> 1
                if _order(text, np.int64(suffixes[middle]), queries, j, need) <= 0:
                    low = middle + 1
                else:
                    high = middle
            low, high = first, low
        few = most if most > 0 else (FEW if state[4] >= ENOUGH else 0)
        if slot < 0 and few > 0 and high - low > few:
            state[2] += 1
            omitted[j] = True
            j, slot = j + 1, -1
            continue
        if slot < 0:
            slot = low
            state[4] += high - low
        steps -= 1
        while slot < high:
            if n == len(rows) or steps <= 0:
                state[0], state[1], state[3] = j, slot, d
                return n
            place = np.int64(suffixes[slot])
            slot += 1
            steps -= 1
            if place >= limit[d] or own_start[d] <= place < own_end[d]:
                continue
            before = 0
            is_known = False
            while not is_known and j - before > bounds[d] and text[place - before - 1] == queries[j - before - 1]:
                before += 1
                is_known = not omitted[j - before]
            steps -= before
            if is_known:
                continue
            length = need
            while j + length < bounds[d + 1] and text[place + length] == queries[j + length]:
                length += 1
            steps -= length
            rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3] = d, j - before, place - before, length + before
            n += 1
            state[4] += ROW
        j, slot = j + 1, -1
    state[0], state[1], state[3] = j, slot, d
    return n
