"""Strings of a document that occur in a corpus without it: matching statistics over a suffix array.

The matching statistic of an offset j is the length of the longest string at j that occurs in the corpus. The suffixes
that begin with it are an interval of the suffix array, which leads from one offset to the next: without its first
character the string also occurs in the corpus, one position later, and all suffixes that begin with it are around the
rank of that position; the next characters are looked up among these. Only strings of at least ``gram`` characters are
searched. Their possible starts are found with a Bloom filter of all strings of that length in the corpus, then by
binary search. The time is O(|b| log n), plus one step per ``BLOCK`` suffixes for widening large intervals. Source:
Chang and Lawler, Sublinear approximate string matching (Algorithmica 12, 1994), with a suffix tree; for suffix arrays,
Abouelhoda, Kurtz and Ohlebusch (Journal of Discrete Algorithms 2, 2004).
"""

from __future__ import annotations

import numpy as np

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.copied_strings.partition import partition
from workbench.kernels.mixing import mix

BLOCK = 128
"""Ranks per block; the minimum LCP value of each block is stored."""
_BASE = np.uint64(0x9E3779B97F4A7C15)


@kernel
def gram_filter(ids, gram, bits):  # type: ignore[no-untyped-def]
    """Bloom filter of the strings of ``gram`` characters in ``ids`` (0 is in none): 2^``bits`` words (uint64).

    A string sets three bits of one word, so that looking it up takes one memory access; ``bits`` <= 32.
    """
    words = np.zeros(1 << bits, np.uint64)
    _pass(ids, gram, words, np.zeros(0, np.bool_))
    return words


@kernel
def gram_starts(query, gram, words):  # type: ignore[no-untyped-def]
    """Offsets of ``query`` where a string of ``gram`` characters begins that may be in the filter ``words``: bool."""
    possible = np.zeros(len(query), np.bool_)
    _pass(query, gram, words, possible)
    return possible


@helper
def _pass(ids, gram, words, possible):  # type: ignore[no-untyped-def]
    """Look up all strings in the filter, or add them if ``possible`` is empty."""
    power = np.uint64(1)
    for _ in range(gram):
        power *= _BASE
    value = np.uint64(0)
    run = 0
    for i in range(len(ids)):
        run = run + 1 if ids[i] != 0 else 0
        value = value * _BASE + np.uint64(ids[i])
        if i >= gram:
            value -= np.uint64(ids[i - gram]) * power
        if run < gram:
            continue
        mixed = mix(value)
        mask = np.uint64(0)
        for k in range(3):
            mask |= np.uint64(1) << ((mixed >> np.uint64(6 * k)) & np.uint64(63))
        word = np.int64(mixed >> np.uint64(32)) & (len(words) - 1)
        if len(possible):
            possible[i - gram + 1] = words[word] & mask == mask
        else:
            words[word] |= mask


@kernel
def block_minima(lcp):  # type: ignore[no-untyped-def]
    """The least value of each ``BLOCK`` ranks: int32."""
    lowest = np.empty((len(lcp) + BLOCK - 1) // BLOCK, np.int32)
    for b in range(len(lowest)):
        least = lcp[b * BLOCK]
        for rank in range(b * BLOCK + 1, min(len(lcp), (b + 1) * BLOCK)):
            least = min(least, lcp[rank])
        lowest[b] = least
    return lowest


@helper
def around(rank, depth, lcp, lowest):  # type: ignore[no-untyped-def]
    """The interval ``[low, high)`` of ranks whose suffixes share at least ``depth`` characters with ``rank``'s."""
    n = len(lcp)
    low = rank
    while low > 0 and lcp[low] >= depth:
        low -= 1
        if (low + 1) % BLOCK == 0:
            while low >= BLOCK and lowest[low // BLOCK] >= depth:
                low -= BLOCK
    high = rank + 1
    while high < n and lcp[high] >= depth:
        high += 1
        if high % BLOCK == 0:
            while high < n and lowest[high // BLOCK] >= depth:
                high = min(n, high + BLOCK)
    return low, high


@helper
def narrowed(character, low, high, depth, ids, suffixes):  # type: ignore[no-untyped-def]
    """The ranks of ``[low, high)`` whose suffixes have ``character`` at ``depth``; all are equal up to there."""
    if low < high and ids[suffixes[low] + depth] == character and ids[suffixes[high - 1] + depth] == character:
        return low, high
    return (
        first_not_below(character, low, high, depth, ids, suffixes),
        first_not_below(character + 1, low, high, depth, ids, suffixes),
    )


@helper
def first_not_below(character, low, high, depth, ids, suffixes):  # type: ignore[no-untyped-def]
    """First rank of ``[low, high)`` whose suffix does not have a lower character at ``depth``; ``high`` if there is
    none.
    """
    while low < high:
        middle = (low + high) >> 1
        if ids[suffixes[middle] + depth] < character:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def longest_matches(  # type: ignore[no-untyped-def]
    query, begin, end, gram, possible, firsts, ids, suffixes, rank, lcp, lowest, length, place
):
    """Matching statistics of the offsets ``[begin, end)`` of ``query``, dense characters of the corpus, 0 for others.

    ``possible`` is the result of :func:`gram_starts` and ``lowest`` that of :func:`block_minima`; ``firsts`` (int64):
    the first rank of the suffixes with each first character; ``rank`` is the inverse suffix array. Writes ``length``
    (int32 by offset), 0 below ``gram``, and ``place`` (int32), a corpus position at which that string occurs.
    """
    size = at = 0  # of the match at the previous offset
    for j in range(begin, end):
        low = high = 0
        if size > gram:
            size -= 1
            at += 1
        elif possible[j]:
            size = gram
            low, high = firsts[query[j]], firsts[query[j] + 1]
            for k in range(1, gram):
                low, high = narrowed(query[j + k], low, high, k, ids, suffixes)
            if low == high:
                size = 0
                continue
            at = suffixes[low]
        else:
            size = 0
            continue
        # A longer string ends with a string of ``gram`` characters that occurs in the corpus.
        while j + size < len(query) and possible[j + size - gram + 1]:
            if low == high:
                low, high = around(rank[at], size, lcp, lowest)
            longer = narrowed(query[j + size], low, high, size, ids, suffixes)
            if longer[0] == longer[1]:
                break
            if longer[1] - longer[0] < high - low:
                low, high = longer
                at = suffixes[low]
            size += 1
        length[j], place[j] = size, at


@kernel
def outside_strings(  # type: ignore[no-untyped-def]
    length, place, rank, owner, lcp, step, frequency, weight, queue_of, shortest
):
    """Best partition of a document outside the corpus, from its :func:`longest_matches`.

    ``owner`` is the deepest interval per rank and ``frequency`` counts the document itself; the other arguments are as
    for :func:`best_partition`. Returns the same as :func:`copied_strings`.
    """
    n = len(length)
    reach, df_at, above = np.zeros(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    for j in range(n):
        if length[j] < shortest:
            continue
        # Strings longer than those of the deepest interval occur in only one document of the corpus.
        df = 2
        v = owner[rank[place[j]]]
        while v != -1 and (lcp[v] >= length[j] or frequency[v] == df):
            df, v = frequency[v], step[v]
        reach[j], df_at[j], above[j] = length[j], df, v
    score, start, size, df = partition(reach, df_at, above, lcp, step, frequency, weight, queue_of, shortest)
    other = np.empty(len(start), np.int64)
    for k in range(len(start)):
        other[k] = place[start[k]]
    return score, start, size, df, other
