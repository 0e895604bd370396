"""Winnowing: the selection of k-grams as fingerprints, and the common strings behind equal ones.

Source: Schleimer, Wilkerson and Aiken, Winnowing: local algorithms for document fingerprinting (SIGMOD 2003), sec. 3.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import number_below
from workbench.kernels.sketches.shingles import Rows
from workbench.text.tokens import MARK, OPENS

_MARK, _OPENS = np.uint8(MARK), np.uint8(OPENS)
_NOBODY = -1
_STEP = 1 << 21
"""Pairs of equal fingerprints between two checks for cancellation: a few hundredths of a second."""


def winnow(hashes: Rows, window: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indexes of the selected hashes, ascending, and their bounds by document (int64 [d + 1]).

    Of every ``window`` consecutive hashes the least is selected, the last one in a tie; for a document with fewer
    hashes, its least. So two documents with ``window`` equal consecutive hashes select the same one of them.
    """
    selected, bounds = np.empty(len(hashes.values), np.int64), np.zeros(len(hashes.bounds), np.int64)
    n = _winnow(hashes.values, hashes.bounds, window, selected, bounds)
    return selected[:n].copy(), bounds


@kernel
def _winnow(values: Any, bounds: Any, window: Any, selected: Any, selected_bounds: Any) -> Any:
    n = 0
    for d in range(len(bounds) - 1):
        first, last = bounds[d], bounds[d + 1]
        least = first
        for i in range(first, last):
            if least <= i - window:
                least = i - window + 1
                for j in range(least + 1, i + 1):
                    if values[j] <= values[least]:
                        least = j
            elif values[i] <= values[least]:
                least = i
            whole = i - first + 1 >= window or i == last - 1
            if whole and (n == selected_bounds[d] or selected[n - 1] != least):
                selected[n] = least
                n += 1
        selected_bounds[d + 1] = n
    return n


@dataclass(frozen=True, slots=True)
class TokenText:
    """Documents as compared: ``tokens`` uint64 [n], of document i from ``bounds[i]`` (int64 [d + 1]) on.

    ``start``, ``end`` int32 [n]: offsets of each in its document; ``codes`` uint32: the documents' code points, of
    document i from ``code_bounds[i]`` on.
    """

    tokens: NDArray[np.uint64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    bounds: NDArray[np.int64]
    codes: NDArray[np.uint32]
    code_bounds: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Runs:
    """Common strings of one document with others: columns of m rows.

    ``a``, ``a_end``: tokens of the document; ``b``, ``b_end``: tokens of the indexed text; ``tokens``,
    ``fingerprints``: numbers of equal ones; ``parts``: number of joined stretches of equal tokens. int64 each.
    """

    a: NDArray[np.int64]
    a_end: NDArray[np.int64]
    b: NDArray[np.int64]
    b_end: NDArray[np.int64]
    tokens: NDArray[np.int64]
    fingerprints: NDArray[np.int64]
    parts: NDArray[np.int64]

    def take(self, rows: NDArray[np.bool_]) -> Runs:
        """Some of the rows."""
        return Runs(*(getattr(self, field.name)[rows] for field in fields(self)))


def common_runs(
    tokens: NDArray[np.uint64],
    selected: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    places: NDArray[np.int64],
    text: TokenText,
    limit: int,
    k: int,
    gap: int,
    progress: Progress,
) -> Runs:
    """The longest common strings through equal fingerprints of a document and the first ``limit`` documents of
    ``text``.

    ``selected`` are the first tokens of the document's fingerprints, ascending; equal fingerprints begin at the tokens
    ``places[first[i]:last[i]]`` of ``text``, ascending. Every string is compared token by token and has at least ``k``.
    Strings on the same diagonal with at most ``gap`` other tokens between them are joined. Raises Cancelled.
    """
    work = np.cumsum(last - first)
    edges = np.searchsorted(work, np.arange(_STEP, work[-1] if len(work) else 0, _STEP))
    keys, rows_of = np.full(64, _NOBODY, np.int64), np.zeros(64, np.int64)
    rows, n = np.empty((16, 7), np.int64), 0
    end = int(text.bounds[limit])
    parts = (np.split(x, edges) for x in (selected, first, last))
    for own, starts, ends in zip(*parts, strict=True):
        progress.check()
        keys, rows_of, rows, n = _runs(
            tokens, own, starts, ends, places, text.tokens, text.bounds, end, k, gap, keys, rows_of, rows, n
        )
    return Runs(*np.ascontiguousarray(rows[:n].T))


@helper
def _slot(keys: Any, key: Any) -> Any:
    """The slot of ``key`` in an open-addressing table, or a free slot for it."""
    mask = len(keys) - 1
    at = (key * 0x9E3779B1 >> 7) & mask
    while keys[at] != _NOBODY and keys[at] != key:
        at = (at + 1) & mask
    return at


@kernel
def _runs(
    tokens: Any,
    selected: Any,
    first: Any,
    last: Any,
    places: Any,
    text: Any,
    bounds: Any,
    limit: Any,
    k: Any,
    gap: Any,
    keys: Any,
    rows_of: Any,
    rows: Any,
    n: Any,
) -> Any:
    """Rows ``a, a_end, b, b_end, tokens, fingerprints, parts``; the table contains the last row of each diagonal."""
    for f in range(len(selected)):
        at = selected[f]
        for p in range(first[f], last[f]):
            place = places[p]
            if place >= limit:
                break
            difference = place - at + len(tokens)
            slot = _slot(keys, difference)
            before = rows_of[slot] if keys[slot] == difference else _NOBODY
            if before >= 0 and at < rows[before, 1]:
                rows[before, 5] += 1
                continue
            document = number_below(bounds, place + 1) - 1
            start, stop = 0, 0
            while start < at and place - start > bounds[document] and tokens[at - start - 1] == text[place - start - 1]:
                start += 1
            most = min(len(tokens) - at, bounds[document + 1] - place)
            while stop < most and tokens[at + stop] == text[place + stop]:
                stop += 1
            if start + stop < k:
                continue
            if before >= 0 and rows[before, 2] >= bounds[document] and at - start - rows[before, 1] <= gap:
                rows[before, 1], rows[before, 3] = at + stop, place + stop
                rows[before, 4] += start + stop
                rows[before, 5] += 1
                rows[before, 6] += 1
                continue
            if n == len(rows):
                rows = np.concatenate((rows, np.empty_like(rows)))
            row = rows[n]
            row[0], row[1], row[2], row[3] = at - start, at + stop, place - start, place + stop
            row[4], row[5], row[6] = start + stop, 1, 1
            keys[slot], rows_of[slot] = difference, n
            n += 1
            if 2 * n > len(keys):
                old_keys, old_rows = keys, rows_of
                keys, rows_of = np.full(2 * len(keys), _NOBODY, np.int64), np.zeros(2 * len(keys), np.int64)
                for i in range(len(old_keys)):
                    if old_keys[i] != _NOBODY:
                        moved = _slot(keys, old_keys[i])
                        keys[moved], rows_of[moved] = old_keys[i], old_rows[i]
    return keys, rows_of, rows, n


def spans(runs: Runs, own: TokenText, document: int, text: TokenText, classes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """``a_start, a_end, b_start, b_end`` in code points of the documents, and 1 if the two sides are identical: int64
    [m, 5].

    Marks that follow a passage and opening brackets that precede it on both sides are included. ``classes`` is the
    table of :func:`workbench.kernels.token_pass.token_classes`.
    """
    rows = np.empty((len(runs.a), 5), np.int64)
    holders = np.searchsorted(text.bounds, runs.b, "right") - 1
    shift = own.bounds[document]
    mine = (own.start, own.end, own.bounds, own.codes, own.code_bounds)
    theirs = (text.start, text.end, text.bounds, text.codes, text.code_bounds)
    _spans(runs.a + shift, runs.a_end + shift, runs.b, runs.b_end, mine, document, theirs, holders, classes, rows)
    return rows


@kernel
def _spans(
    a: Any,
    a_end: Any,
    b: Any,
    b_end: Any,
    mine: Any,
    document: Any,
    theirs: Any,
    holders: Any,
    classes: Any,
    rows: Any,
) -> None:
    start_a, end_a, bounds_a, codes_a, code_bounds_a = mine
    start_b, end_b, bounds_b, codes_b, code_bounds_b = theirs
    shift_a = code_bounds_a[document]
    for i in range(len(a)):
        other = holders[i]
        shift_b = code_bounds_b[other]
        first_a, last_a = shift_a + start_a[a[i]], shift_a + end_a[a_end[i] - 1]
        first_b, last_b = shift_b + start_b[b[i]], shift_b + end_b[b_end[i] - 1]
        low_a = shift_a + end_a[a[i] - 1] if a[i] > bounds_a[document] else shift_a
        low_b = shift_b + end_b[b[i] - 1] if b[i] > bounds_b[other] else shift_b
        high_a = shift_a + start_a[a_end[i]] if a_end[i] < bounds_a[document + 1] else code_bounds_a[document + 1]
        high_b = shift_b + start_b[b_end[i]] if b_end[i] < bounds_b[other + 1] else code_bounds_b[other + 1]
        while first_a > low_a and first_b > low_b and codes_a[first_a - 1] == codes_b[first_b - 1]:
            if not classes[codes_a[first_a - 1]] & _OPENS:
                break
            first_a -= 1
            first_b -= 1
        while last_a < high_a and last_b < high_b and codes_a[last_a] == codes_b[last_b]:
            if not classes[codes_a[last_a]] & _MARK:
                break
            last_a += 1
            last_b += 1
        alike = last_a - first_a == last_b - first_b
        for o in range(last_a - first_a):
            if not alike or codes_a[first_a + o] != codes_b[first_b + o]:
                alike = False
                break
        row = rows[i]
        row[0], row[1], row[2], row[3] = first_a - shift_a, last_a - shift_a, first_b - shift_b, last_b - shift_b
        row[4] = alike
