"""Fingerprints of documents from groups of their sentences, and documents with common ones.

Source: Huang, Wang and Li (2007), section 4.2. A sentence's 128-bit hash is mixed from its 64-bit fingerprint (the
paper uses MD5; only its uniformity matters), document fingerprints have 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import number_below

_ONE, _BYTE, _LAST = np.uint64(1), np.uint64(8), np.uint64(56)
_OTHER = np.uint64(0x9E3779B97F4A7C15)
_ALONE = np.uint64(0xD1B54A32D192ED03)
_ROLL = np.uint64(0xD1342543DE82EF95)
"""Base of the polynomial of a window."""
EAST_ASIA = 0x2E80
"""The first code point of East Asian scripts."""
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@helper
def _mix(x: Any) -> Any:
    """A bijection of 64-bit numbers that diffuses every bit (the finisher of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


@helper
def _turning(groups: int) -> Any:
    """Remainders by ``groups`` when a 128-bit number is rotated left by a byte: int64 [groups] by its own remainder,
    and int64 [256] by its first byte; their sum is the new remainder, possibly plus ``groups``.

    Rotated, x becomes 256 x - (2^128 - 1) · first byte.
    """
    m = np.uint64(groups)
    carry = (np.uint64(0xFFFFFFFFFFFFFFFF) % m + _ONE) % m
    back = (m + _ONE % m - carry * carry % m) % m
    by_own, by_byte = np.empty(groups, np.int64), np.empty(256, np.int64)
    for own in range(groups):
        by_own[own] = (256 * own) % groups
    for byte in range(256):
        by_byte[byte] = np.int64(np.uint64(byte) * back % m)
    return by_own, by_byte


@helper
def _document(
    sentences: Any,
    lengths: Any,
    rotations: int,
    groups: int,
    members: int,
    cover: int,
    alone: bool,
    by_own: Any,
    by_byte: Any,
    out: Any,
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
    group = np.empty(n, np.int64)
    least = np.empty(rotations, np.int64)
    for i in range(n):
        high[i] = _mix(sentences[i])
        low[i] = _mix(sentences[i] ^ _OTHER)
        group[i] = np.int64((high[i] % m * carry + low[i] % m) % m)
    for r in range(rotations):
        size[:] = 0
        for i in range(n):
            h, s, g = high[i], low[i], group[i]
            top = h >> _LAST
            high[i], low[i] = h << _BYTE | s >> _LAST, s << _BYTE | top
            turned = by_own[g] + by_byte[top]
            group[i] = turned - groups if turned >= groups else turned
            at = size[g]
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
        first = -1
        for g in range(groups):
            covered = 0
            print_ = _OTHER
            for j in range(size[g]):
                covered += lengths[chosen[g, j]]
                print_ = _mix(print_ ^ sentences[chosen[g, j]])
            if size[g] == members and covered > cover:
                out[count] = print_
                count += 1
            if size[g] and (
                first < 0
                or best_high[g, 0] < best_high[first, 0]
                or (best_high[g, 0] == best_high[first, 0] and best_low[g, 0] < best_low[first, 0])
            ):
                first = g
        if first >= 0:
            least[r] = chosen[first, 0]
        if r == 0:
            in_first = count
    if n and alone and (in_first < groups or n < groups * members):
        for r in range(rotations):
            out[count] = _mix(sentences[least[r]] ^ _ALONE)
            count += 1
    return count


@kernel
def _fingerprints(
    sentences: Any, lengths: Any, bounds: Any, rotations: int, groups: int, members: int, cover: int, alone: bool
) -> Any:
    documents = len(bounds) - 1
    out = np.empty(documents * rotations * (groups + 1), np.uint64)
    ends = np.zeros(documents + 1, np.int64)
    scratch = np.empty(rotations * (groups + 1), np.uint64)
    by_own, by_byte = _turning(groups)
    count = 0
    for d in range(documents):
        own = slice(bounds[d], bounds[d + 1])
        n = _document(sentences[own], lengths[own], rotations, groups, members, cover, alone, by_own, by_byte, scratch)
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

    ``sentences`` uint64 [m] are fingerprints of sufficiently long sentences, ``lengths`` their characters, ``bounds``
    int64 [d + 1] the rows of each document. For each of ``rotations`` orders (1..16, the bytes of a sentence's hash)
    the sentences are divided into ``groups``; the ``members`` smallest distinct ones of a group make one fingerprint if
    they have more than ``cover`` characters. With ``alone``, a document with fewer sentences than all groups need, or
    in which a group of the first order makes none, also gets its smallest sentence of each order as one. So the
    fingerprints for fewer ``rotations`` are always among those for more.
    """
    fingerprints: tuple[NDArray[np.uint64], NDArray[np.int64]] = _fingerprints(
        sentences, lengths, bounds, rotations, groups, members, cover, alone
    )
    return fingerprints


@kernel
def with_sentences(values: Any, bounds: Any, sentences: Any, sentence_bounds: Any, mark: Any) -> Any:
    """The fingerprints ``values`` of each document, followed by those of its ``sentences`` with the bit ``mark``, each
    once, and their bounds: uint64 [f] and int64 [d + 1].
    """
    documents = len(bounds) - 1
    out = np.empty(len(values) + len(sentences), np.uint64)
    ends = np.zeros(documents + 1, np.int64)
    count = 0
    for d in range(documents):
        for at in range(bounds[d], bounds[d + 1]):
            out[count] = values[at]
            count += 1
        ordered = np.sort(sentences[sentence_bounds[d] : sentence_bounds[d + 1]] | mark)
        for i in range(len(ordered)):
            if i == 0 or ordered[i] != ordered[i - 1]:
                out[count] = ordered[i]
                count += 1
        ends[d + 1] = count
    return out[:count].copy(), ends


@kernel
def smallest_windows(letters: Any, number: int, wide: int, narrow: int) -> Any:
    """The ``number`` smallest distinct hashes of the windows of ``letters`` (uint32), ascending, all if fewer: uint64.

    A window has ``wide`` letters if it begins with an East Asian character, otherwise ``narrow``.
    """
    kept, count = np.empty(number, np.uint64), 0
    sizes, sums = (wide, narrow), np.zeros(2, np.uint64)
    powers = np.ones(2, np.uint64)
    for kind in range(2):
        for _ in range(sizes[kind]):
            powers[kind] *= _ROLL
    for i in range(len(letters)):
        for kind in range(2):
            sums[kind] = sums[kind] * _ROLL + np.uint64(letters[i])
            first = i - sizes[kind] + 1
            if first > 0:
                sums[kind] -= powers[kind] * np.uint64(letters[first - 1])
            if first < 0 or (letters[first] >= EAST_ASIA) != (kind == 0):
                continue
            value = _mix(sums[kind])
            if count == number and value >= kept[count - 1]:
                continue
            at = number_below(kept[:count], value)
            if at < count and kept[at] == value:
                continue
            count = min(count + 1, number)
            for j in range(count - 1, at, -1):
                kept[j] = kept[j - 1]
            kept[at] = value
    return kept[:count].copy()


@kernel
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
    (0: reached through another document); ``more[d]``: whether there are others. ``counts`` is scratch, int32
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
        order = np.empty(partners_found, np.uint64)
        for i in range(partners_found):
            order[i] = np.uint64((np.int64(1 << 20) - counts[touched[i]]) << np.int64(40) | touched[i])
        order = np.sort(order)
        out = starts[d]
        limited = min(partners_found, limit)
        if partners_found > limit:
            more[d] = True
        for i in range(limited):
            c = np.int64(order[i] & np.uint64((1 << 40) - 1))
            partners[out] = c
            shared[out] = counts[c]
            out += 1
        if transitive:
            for i in range(limited):
                c = np.int64(order[i] & np.uint64((1 << 40) - 1))
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
