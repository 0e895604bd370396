"""Copied-string length of a document: the best partition into strings that other documents hold too.

Definition (Takeda and Takasu, equations 1, 5, 6): ``cpl(s) = |s| * ln(N / df(s))`` where ``|s| >= l`` and
``df(s) >= 2``, else 0; ``bl*(b)`` is the largest sum of ``cpl`` over all partitions of ``b``.

Which break points suffice. Call a stretch of ``b`` *repeated* when it has length >= l and df >= 2, and let ``[s_1,
e_1), .., [s_m, e_m)`` be the repeated stretches that can be extended on neither side (s and e both ascend). df never
grows when a string grows; hence (growth) a part that is extended inside a repeated stretch does not lose cpl, and
(merging) for ``s = uv`` with ``df(s) >= 2``, ``cpl(u) + cpl(v) <= (|u| + |v|) * ln(N / df(s)) = cpl(s)``. Among the
optimal partitions take one with the fewest parts of positive cpl, and of those one that covers most. The end x of a
part that touches no next part is some e_t, else the part could grow; likewise its start is some s_t. The end x that
two touching parts share lies in two stretches: the left part is inside one that reaches at least to x, the right part
inside one that starts at most at x, and no stretch holds both, else they would be merged. So with t the last stretch
that holds the left part, s_(t+1) <= x <= e_t. Hence the points {s_t}, {e_t} and all of [s_(t+1), e_t] suffice.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def best_partition(node, lcp, step, weight, shortest, starts, ends, heads):  # type: ignore[no-untyped-def]
    """Optimal partition of one document; returns its score ``bl*`` and the number of parts written.

    ``node`` (|b| int32): head of the deepest interval with df >= 2 that holds the suffix at each offset, -1 for none;
    ``lcp``, ``step`` (see ``document_frequency``); ``weight[head] = ln(N / df)``. The parts, ascending and disjoint, go
    to ``starts``, ``ends`` (offsets) and ``heads`` (their intervals), which have room for |b| // shortest + 1.
    """
    n = len(node)
    total = 0.0
    parts = 0
    begin = 0
    while begin < n:
        if node[begin] == -1:
            begin += 1
            continue
        # a cluster of stretches that overlap in more than an end point
        stop = begin + lcp[node[begin]]
        j = begin + 1
        while j < stop:
            if node[j] != -1 and j + lcp[node[j]] > stop:
                stop = j + lcp[node[j]]
            j += 1
        gained, parts = _cluster(begin, stop, node, lcp, step, weight, shortest, starts, ends, heads, parts)
        total += gained
        begin = stop
    return total, parts


@njit(cache=True)
def _cluster(begin, stop, node, lcp, step, weight, shortest, starts, ends, heads, parts):  # type: ignore[no-untyped-def]
    size = stop - begin + 1
    may_start = np.zeros(size, np.bool_)
    may_end = np.zeros(size, np.bool_)
    reached = -1
    for j in range(begin, stop):
        if node[j] != -1 and j + lcp[node[j]] > reached:
            may_start[j - begin] = True
            if reached > j:
                may_start[j - begin : reached - begin + 1] = True
                may_end[j - begin : reached - begin + 1] = True
            reached = j + lcp[node[j]]
            may_end[reached - begin] = True
    end_points = np.flatnonzero(may_end)
    best = np.zeros(size)
    origin = np.full(size, -1, np.int32)
    chosen = np.full(size, -1, np.int32)
    for j in range(size):
        if j > 0 and best[j - 1] >= best[j]:
            best[j] = best[j - 1]
            origin[j] = -1
        if j == size - 1 or not may_start[j] or node[begin + j] == -1:
            continue
        v = node[begin + j]
        i = np.searchsorted(end_points, j + lcp[v], side="right") - 1
        while i >= 0 and end_points[i] - j >= shortest:
            length = end_points[i] - j
            while step[v] != -1 and lcp[step[v]] >= length:
                v = step[v]
            score = best[j] + length * weight[v]
            if score > best[j + length]:
                best[j + length], origin[j + length], chosen[j + length] = score, j, v
            i -= 1
    # walk back; parts of a cluster are found from the last to the first
    first = parts
    x = size - 1
    while x > 0:
        if origin[x] == -1:
            x -= 1
            continue
        starts[parts], ends[parts], heads[parts] = begin + origin[x], begin + x, chosen[x]
        parts += 1
        x = origin[x]
    for k in range((parts - first) // 2):
        a, b = first + k, parts - 1 - k
        starts[a], starts[b] = starts[b], starts[a]
        ends[a], ends[b] = ends[b], ends[a]
        heads[a], heads[b] = heads[b], heads[a]
    return best[size - 1], parts


@njit(cache=True)
def copied_strings(  # type: ignore[no-untyped-def]
    begin, size, rank, owner, lcp, step, weight, document, counted, suffixes, shortest
):
    """Best partition of the document at corpus positions ``[begin, begin + size)``.

    ``rank`` is the inverse suffix array, ``owner`` the deepest interval with df >= 2 per rank, ``document`` the one
    per rank, ``counted`` whether a document counts, ``suffixes`` the suffix array. Returns ``bl*`` and, for each of p
    parts in order: its start in the document (int64 [p]), its length (int64), its interval's head (int32) and the
    corpus position of an occurrence in another counted document (int64).
    """
    node = np.empty(size, np.int32)
    for j in range(size):
        node[j] = owner[rank[begin + j]]
    room = size // shortest + 1
    starts = np.empty(room, np.int32)
    ends = np.empty(room, np.int32)
    heads = np.empty(room, np.int32)
    score, parts = best_partition(node, lcp, step, weight, shortest, starts, ends, heads)
    start = starts[:parts].astype(np.int64)
    length = (ends[:parts] - starts[:parts]).astype(np.int64)
    other = np.empty(parts, np.int64)
    for k in range(parts):
        other[k] = _elsewhere(rank[begin + start[k]], length[k], lcp, document, counted, suffixes)
    return score, start, length, heads[:parts], other


@njit(cache=True)
def _elsewhere(rank, length, lcp, document, counted, suffixes):  # type: ignore[no-untyped-def]
    """Position of the nearest suffix of another counted document with the same ``length`` characters as ``rank``'s."""
    own = document[rank]
    r = rank
    while r > 0 and lcp[r] >= length:
        r -= 1
        if document[r] != own and counted[document[r]]:
            return suffixes[r]
    r = rank + 1
    while r < len(lcp) and lcp[r] >= length:
        if document[r] != own and counted[document[r]]:
            return suffixes[r]
        r += 1
    return -1
