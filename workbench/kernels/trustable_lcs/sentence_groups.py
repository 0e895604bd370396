"""Fingerprints of documents from groups of their sentences, and the documents that share them.

Source: Huang, Wang and Li (2007), section 4.2. A sentence's 128-bit hash is mixed from its 64-bit fingerprint (the
paper uses MD5; only its uniformity matters), document fingerprints have 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_ZERO, _ONE, _BYTE, _WORD = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(64)
_OTHER = np.uint64(0x9E3779B97F4A7C15)
_ALONE = np.uint64(0xD1B54A32D192ED03)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True)
def _mix(x: Any) -> Any:
    """A bijection of 64-bit numbers that spreads every bit (the finisher of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def _rotated(high: Any, low: Any, count: int) -> Any:
    """The 128-bit number (high, low) rotated left by ``count`` bytes."""
    if count >= 8:
        high, low = low, high
        count -= 8
    if count == 0:
        return high, low
    left = _BYTE * np.uint64(count)
    right = _WORD - left
    return (high << left) | (low >> right), (low << left) | (high >> right)


@njit(cache=True, nogil=True)
def _document(
    sentences: Any, lengths: Any, rotations: int, groups: int, members: int, cover: int, alone: bool, out: Any
) -> int:
    """Write the fingerprints of one document, including repeats, to ``out``. Returns their number."""
    n = len(sentences)
    count = in_first = 0
    m = np.uint64(groups)
    carry = (np.uint64(0xFFFFFFFFFFFFFFFF) % m + _ONE) % m
    best_high = np.empty((groups, members), np.uint64)
    best_low = np.empty((groups, members), np.uint64)
    chosen = np.empty((groups, members), np.int64)
    size = np.empty(groups, np.int64)
    high, low = np.empty(n, np.uint64), np.empty(n, np.uint64)
    for i in range(n):
        high[i] = _mix(sentences[i])
        low[i] = _mix(sentences[i] ^ _OTHER)
    for r in range(rotations):
        size[:] = 0
        for i in range(n):
            h, s = _rotated(high[i], low[i], r)
            g = int((h % m * carry + s % m) % m)
            at = int(size[g])
            while at > 0 and (h < best_high[g, at - 1] or (h == best_high[g, at - 1] and s < best_low[g, at - 1])):
                at -= 1
            if at > 0 and h == best_high[g, at - 1] and s == best_low[g, at - 1]:
                continue  # the same sentence again
            if at == members:
                continue
            size[g] = min(size[g] + 1, members)
            for j in range(size[g] - 1, at, -1):
                best_high[g, j] = best_high[g, j - 1]
                best_low[g, j] = best_low[g, j - 1]
                chosen[g, j] = chosen[g, j - 1]
            best_high[g, at], best_low[g, at], chosen[g, at] = h, s, i
        for g in range(groups):
            covered = 0
            print_ = _OTHER
            for j in range(size[g]):
                covered += lengths[chosen[g, j]]
                print_ = _mix(print_ ^ sentences[chosen[g, j]])
            if size[g] == members and covered > cover:
                out[count] = print_
                count += 1
        if r == 0:
            in_first = count
    if alone and (in_first < groups or n < groups * members):
        for r in range(rotations):
            best = 0
            bh, bs = _rotated(high[0], low[0], r) if n else (_ZERO, _ZERO)
            for i in range(1, n):
                h, s = _rotated(high[i], low[i], r)
                if h < bh or (h == bh and s < bs):
                    best, bh, bs = i, h, s
            if n:
                out[count] = _mix(sentences[best] ^ _ALONE)
                count += 1
    return count


@njit(cache=True, nogil=True)
def _fingerprints(
    sentences: Any, lengths: Any, bounds: Any, rotations: int, groups: int, members: int, cover: int, alone: bool
) -> Any:
    documents = len(bounds) - 1
    out = np.empty(documents * rotations * (groups + 1), np.uint64)
    ends = np.zeros(documents + 1, np.int64)
    scratch = np.empty(rotations * (groups + 1), np.uint64)
    count = 0
    for d in range(documents):
        first, last = bounds[d], bounds[d + 1]
        n = _document(sentences[first:last], lengths[first:last], rotations, groups, members, cover, alone, scratch)
        ordered = np.sort(scratch[:n])
        for i in range(n):
            if i == 0 or ordered[i] != ordered[i - 1]:
                out[count] = ordered[i]
                count += 1
        ends[d + 1] = count
    return out[:count].copy(), ends


def document_fingerprints(
    sentences: NDArray[np.uint64],
    lengths: NDArray[np.int32],
    bounds: NDArray[np.int64],
    *,
    rotations: int,
    groups: int,
    members: int,
    cover: int,
    alone: bool,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Distinct fingerprints of each document, ascending, and their bounds: uint64 [f], int64 [d + 1].

    ``sentences`` uint64 [m] are fingerprints of the sentences of sufficient length, ``lengths`` their characters,
    ``bounds`` int64 [d + 1] the rows of each document. For each of ``rotations`` orders (1..16, the bytes of a
    sentence's hash) the sentences fall into ``groups``; the ``members`` smallest distinct ones of a group make one
    fingerprint if they have more than ``cover`` characters. With ``alone``, a document with fewer sentences than all
    groups take, or where a group of the first order makes none, also gets its smallest sentence of each order as one.
    So the fingerprints of fewer ``rotations`` are always among those of more.
    """
    fingerprints: tuple[NDArray[np.uint64], NDArray[np.int64]] = _fingerprints(
        sentences, lengths, bounds, rotations, groups, members, cover, alone
    )
    return fingerprints


@njit(cache=True, nogil=True)
def gather(
    first: int,
    last: int,
    rows: Any,
    bounds: Any,
    group: Any,
    group_start: Any,
    members: Any,
    limit: int,
    transitive: bool,
    starts: Any,
    partners: Any,
    shared: Any,
    more: Any,
    counts: Any,
) -> None:
    """Earlier documents that share a fingerprint with each of the documents ``first`` up to ``last``.

    Documents are numbered in gathering order. Document d is at ``rows[bounds[d]:bounds[d + 1]]`` of ``members``; row p
    belongs to ``group[p]``, whose members (ascending) begin at ``group_start``. For each d at most ``limit`` partners,
    those with the most shared fingerprints first, are written from ``starts[d]`` on into ``partners`` and ``shared``
    (0: reached through another document); ``more[d]`` says whether there are others. ``counts`` is scratch, int32
    [documents] of zeros.
    """
    touched = np.empty(len(counts), np.int64)
    for d in range(first, last):
        partners_found = 0
        for at in range(bounds[d], bounds[d + 1]):
            row = rows[at]
            begin = group_start[group[row]]
            if row - begin > limit:
                more[d] = True
            for p in range(begin, min(row, begin + limit)):
                c = members[p]
                if counts[c] == 0:
                    touched[partners_found] = c
                    partners_found += 1
                counts[c] += 1
        order = np.empty(partners_found, np.int64)
        for i in range(partners_found):
            order[i] = (np.int64(1 << 20) - counts[touched[i]]) << np.int64(40) | touched[i]
        order.sort()
        out = starts[d]
        limited = min(partners_found, limit)
        if partners_found > limit:
            more[d] = True
        for i in range(limited):
            c = order[i] & np.int64((1 << 40) - 1)
            partners[out] = c
            shared[out] = counts[c]
            out += 1
        if transitive:
            for i in range(limited):
                c = order[i] & np.int64((1 << 40) - 1)
                for p in range(starts[c], starts[c + 1]):
                    other = partners[p]
                    if counts[other] != 0:
                        continue
                    if out - starts[d] >= limit:
                        more[d] = True
                        break
                    counts[other] = -1
                    touched[partners_found] = other
                    partners_found += 1
                    partners[out] = other
                    shared[out] = 0
                    out += 1
        for i in range(partners_found):
            counts[touched[i]] = 0
        starts[d + 1] = out
