"""Inserts the suffixes of an appended text into a suffix array, whose old suffixes keep their order.

The text is a sequence of documents, each ended by a separator (0). An appended document is read from its beginning: the
interval of a suffix leads to that of the next one, without the first character (as in
:mod:`workbench.kernels.copied_strings.outside`). Suffixes that are equal up to their separators are in the order of the
documents that follow, so documents are processed from the last to the first. The time is O(m log n) for m appended
characters, plus one step per ``BLOCK`` suffixes for widening large intervals, and one pass over the array.
"""

from __future__ import annotations

import numpy as np

from workbench.kernels.compiled import kernel
from workbench.kernels.copied_strings.outside import around, first_not_below, narrowed


@kernel
def suffixes_below(suffixes, lcp, first):  # type: ignore[no-untyped-def]
    """Suffix array and LCP array (int32 each) of the suffixes that begin before ``first``."""
    below, shared = np.empty(first, np.int32), np.empty(first, np.int32)
    at = 0
    least = np.int32(0)
    for rank in range(len(suffixes)):
        least = min(least, lcp[rank])
        if suffixes[rank] < first:
            below[at], shared[at] = suffixes[rank], least
            at += 1
            least = np.int32(2**31 - 1)
    return below, shared


@kernel
def insertion_ranks(first, ids, rank_new, suffixes, rank, lcp, lowest, firsts):  # type: ignore[no-untyped-def]
    """For each suffix from ``first`` on, the number of earlier ones that are less, and its longest common prefix with
    one.

    ``ids`` is the whole text; ``first`` begins a document. ``rank_new``: the order of the suffixes from ``first`` on,
    by position. The other arguments belong to the suffixes before ``first``: suffix array, its inverse, LCP array,
    :func:`.outside.block_minima`, and the first rank of those with each first character (int64). Both results are
    int32.
    """
    n = len(ids)
    places, shared = np.empty(n - first, np.int32), np.zeros(n - first, np.int32)
    end = n - 1  # the separator of a document
    while end >= first:
        begin = end
        while begin > first and ids[begin - 1] != 0:
            begin -= 1
        size = at = 0
        for j in range(begin, end + 1):
            if size > 1:
                size -= 1
                at += 1
                low, high = firsts[ids[j]], firsts[ids[j] + 1]
                if size > 1:
                    low, high = around(rank[at], size, lcp, lowest)
            else:
                size, low, high = 0, 0, len(suffixes)
            while j + size < end:
                character = ids[j + size]
                if size == 0:
                    below, above = firsts[character], firsts[character + 1]
                else:
                    below, above = narrowed(character, low, high, size, ids, suffixes)
                if below == above:
                    low = below
                    break
                low, high, at = below, above, suffixes[below]
                size += 1
            if j + size == end:
                # suffixes that also end here are in the order of the text that follows
                high = firsts[1] if size == 0 else first_not_below(1, low, high, size, ids, suffixes)
                while low < high and end + 1 < n:
                    middle = (low + high) >> 1
                    follows = suffixes[middle] + size + 1
                    if follows < first:
                        less = rank[follows] < places[end + 1 - first]
                    else:
                        less = rank_new[follows - first] < rank_new[end + 1 - first]
                    if less:
                        low = middle + 1
                    else:
                        high = middle
            places[j - first], shared[j - first] = low, size
        end = begin - 1
    return places, shared


@kernel
def merged_suffixes(  # type: ignore[no-untyped-def]
    first, ids, suffixes_new, lcp_new, places, shared, suffixes, lcp
):
    """Suffix array and LCP array of the whole text (int32 each), from those of its suffixes before ``first`` and from
    ``first`` on (``suffixes_new``, counted from there); ``places`` and ``shared`` are the result of
    :func:`insertion_ranks`.
    """
    old, new = len(suffixes), len(suffixes_new)
    merged, common = np.empty(old + new, np.int32), np.empty(old + new, np.int32)
    k = at = 0
    for rank in range(old + 1):
        right = -1
        while k < new and places[suffixes_new[k]] == rank:
            position = suffixes_new[k] + first
            longest = shared[suffixes_new[k]]
            # One neighbour has the longest common prefix, the other the minimum of this and their common prefix.
            left = np.int32(0) if rank == 0 else longest
            before = right
            right = 0 if rank == old else longest
            if 0 < rank < old and lcp[rank] < longest:
                if ids[suffixes[rank] + lcp[rank]] == ids[position + lcp[rank]]:
                    left = lcp[rank]
                else:
                    right = lcp[rank]
            merged[at], common[at] = position, left if before < 0 else lcp_new[k]
            at += 1
            k += 1
        if rank < old:
            merged[at], common[at] = suffixes[rank], lcp[rank] if right < 0 else right
            at += 1
    return merged, common
