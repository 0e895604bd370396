"""Suffix array and LCP array over the characters of a corpus, and occurrence counts of its substrings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydivsufsort import divsufsort

from workbench.kernels.code_points import CODE_POINTS
from workbench.kernels.compiled import kernel

_TWO_BYTES = 1 << 16
"""Number of characters distinguishable by two bytes."""


def distinct_characters(texts: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """The different characters of the texts, ascending."""
    present = np.zeros(CODE_POINTS, np.bool_)
    for text in texts:
        present[text] = True
    return np.flatnonzero(present).astype(np.uint32)


def dense_characters(
    texts: Sequence[NDArray[np.uint32]], letters: NDArray[np.uint32] | None = None
) -> NDArray[np.uint16 | np.uint32]:
    """The concatenated texts as dense character numbers from 1, each followed by the separator 0.

    Numbers are indexes of ``letters``, ascending; by default, the distinct characters of the texts. uint16 if there are
    fewer than 65,536, otherwise uint32; the order of code points is preserved.
    """
    points = distinct_characters(texts) if letters is None else letters
    kind: type[np.uint16] | type[np.uint32] = np.uint16 if len(points) < 0xFFFF else np.uint32
    number = np.zeros(CODE_POINTS, kind)
    number[points] = np.arange(1, len(points) + 1)
    ids = np.zeros(sum(len(t) + 1 for t in texts), kind)
    at = 0
    for text in texts:
        ids[at : at + len(text)] = number[text]
        at += len(text) + 1
    return ids


def character_suffix_array(ids: NDArray[np.uint16 | np.uint32]) -> NDArray[np.int32]:
    """Suffix array of n < 2^31 dense characters: n int32.

    divsufsort sorts bytes. Each character is written as one or two bytes (:func:`_bytes_of`), which preserves the
    order; suffixes that begin with the second byte of a character are dropped.
    """
    if len(ids) == 0:
        return np.zeros(0, np.int32)
    count = np.bincount(ids)
    if len(count) > _TWO_BYTES:
        return np.asarray(divsufsort(ids), np.int32)
    first, second = _bytes_of(count)
    size = len(ids) + int(count[second >= 0].sum())
    written, character = np.empty(size, np.uint8), np.empty(size, np.int32)
    _write(ids, first, second, written, character)
    suffixes = np.empty(len(ids), np.int32)
    _characters_of(np.asarray(divsufsort(written)), character, suffixes)
    return suffixes


def _bytes_of(count: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """The bytes of each of m <= 65,536 characters with ``count`` occurrences: the first (uint8 [m]) and the second
    (int16 [m], -1 for none).

    As many of the most frequent characters as possible have a separate first byte; runs of up to 256 others share one.
    First bytes ascend with the characters, so that texts have the same order in bytes.
    """
    order = np.argsort(-count, kind="stable")
    for singles in range(min(len(count), 256), -1, -1):
        alone = np.zeros(len(count), np.bool_)
        alone[order[:singles]] = True
        # Among the others, each that follows a separate one begins a run, and so does every 256th from there on.
        since = np.arange(len(count)) - np.maximum.accumulate(np.where(alone, np.arange(len(count)), -1)) - 1
        first = np.cumsum(alone | (since % 256 == 0)) - 1
        if first[-1] < 256:
            break
    return first.astype(np.uint8), np.where(alone, -1, since % 256).astype(np.int16)


@kernel
def _write(ids, first, second, written, character):  # type: ignore[no-untyped-def]
    """Write ``ids`` as bytes, and for each byte which character it begins, -1 for second bytes."""
    at = 0
    for i in range(len(ids)):
        written[at], character[at] = first[ids[i]], i
        at += 1
        if second[ids[i]] >= 0:
            written[at], character[at] = second[ids[i]], -1
            at += 1


@kernel
def _characters_of(byte_suffixes, character, suffixes):  # type: ignore[no-untyped-def]
    at = 0
    for i in range(len(byte_suffixes)):
        begun = character[byte_suffixes[i]]
        if begun >= 0:
            suffixes[at] = begun
            at += 1


@kernel
def character_lcp(ids, suffixes):  # type: ignore[no-untyped-def]
    """Longest common prefix of ranks i - 1 and i, n int32; a prefix ends before a separator (0).

    Source: Kärkkäinen, Manzini and Puglisi, Permuted longest-common-prefix array (CPM 2009), the Phi algorithm.
    """
    n = len(ids)
    previous = np.empty(n, np.int32)
    if n == 0:
        return previous
    previous[suffixes[0]] = -1
    for i in range(1, n):
        previous[suffixes[i]] = suffixes[i - 1]
    common = 0
    for p in range(n):
        q = previous[p]
        if q < 0:
            common = 0
        else:
            while p + common < n and q + common < n and ids[p + common] == ids[q + common] and ids[p + common] != 0:
                common += 1
        previous[p] = common
        if common > 0:
            common -= 1
    lcp = np.empty(n, np.int32)
    for i in range(n):
        lcp[i] = previous[suffixes[i]]
    return lcp


@kernel
def inverse(order):  # type: ignore[no-untyped-def]
    """The position of each number in ``order``, a permutation of 0 to n - 1: n int32."""
    places = np.empty(len(order), np.int32)
    for i in range(len(order)):
        places[order[i]] = i
    return places


@kernel
def taken(values, places):  # type: ignore[no-untyped-def]
    """``values`` (int32) at ``places``, without numpy's copy of ``places``."""
    rows = np.empty(len(places), np.int32)
    for i in range(len(places)):
        rows[i] = values[places[i]]
    return rows


@kernel
def substring_frequencies(lcp, shortest):  # type: ignore[no-untyped-def]
    """Counts of the substrings of at least ``shortest`` characters that occur at least twice.

    ``lcp`` (n int32) is the result of :func:`character_lcp`. Returns three arrays of length n + 1, indexed by the
    number of occurrences f: the number of distinct substrings that occur f times (int64), the length of the longest of
    them (int32, 0 for none) and a rank at which it occurs (int32). All substrings of one LCP interval that are longer
    than its parent's depth occur as often as the interval has suffixes. Time O(n).
    """
    n = len(lcp)
    different = np.zeros(n + 1, np.int64)
    longest = np.zeros(n + 1, np.int32)
    place = np.zeros(n + 1, np.int32)
    depth = np.zeros(n + 2, np.int32)
    left = np.zeros(n + 2, np.int32)
    top = 0
    for rank in range(1, n + 1):
        current = lcp[rank] if rank < n else 0
        border = rank - 1
        while depth[top] > current:
            outer = max(current, depth[top - 1], shortest - 1)
            border = left[top]
            size = rank - border
            if depth[top] > outer:
                different[size] += depth[top] - outer
                if depth[top] > longest[size]:
                    longest[size], place[size] = depth[top], border
            top -= 1
        if depth[top] < current:
            top += 1
            depth[top], left[top] = current, border
    return different, longest, place
