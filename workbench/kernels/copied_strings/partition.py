"""Copied-string length of a document: the best partition into strings that other documents also contain.

Definition (Takeda and Takasu, equations 1, 5, 6): ``cpl(s) = |s| * ln(N / df(s))`` if ``|s| >= l`` and
``df(s) >= 2``, otherwise 0; ``bl*(b)`` is the largest sum of ``cpl`` over all partitions of ``b``.

Sufficient break points. Call a stretch of ``b`` *repeated* if it has length >= l and df >= 2, and let ``[s_1, e_1), ..,
[s_m, e_m)`` be the repeated stretches that can be extended on neither side (s and e both ascend). df never grows when a
string grows; hence (growth) a part that is extended inside a repeated stretch does not lose cpl, and (merging) for ``s
= uv`` with ``df(s) >= 2``, ``cpl(u) + cpl(v) <= (|u| + |v|) * ln(N / df(s)) = cpl(s)``. Among the optimal partitions
take one with the fewest parts of positive cpl, and of those one that covers most. The end x of a part that touches no
next part is some e_t, otherwise the part could grow; likewise its start is some s_t. The common end x of two touching
parts is in two stretches: the left part is inside one that reaches at least to x, the right part inside one that starts
at most at x, and no stretch contains both, otherwise they would be merged. So with t the last stretch that contains the
left part, s_(t+1) <= x <= e_t. Hence the points {s_t}, {e_t} and all of [s_(t+1), e_t] suffice.

Finding the best of them. For a break point x and a document frequency f, the parts ``[j, x)`` of frequency f have
the same weight w per character, so the best of them has the largest ``best(j) - j * w``. Their starts are the j with
``longest(j, f + 1) < x - j <= longest(j, f)``, where ``longest(j, f)`` is the length of the longest string at j that is
in at least f documents. As df never grows when a string grows, ``j + longest(j, f)`` never falls as j grows; hence both
ends of the range of x for which j is a valid start only advance, and a monotone queue per frequency contains the
remaining candidates. The work is one step for each start and each frequency of its strings, and one for each end and
each frequency in use there: a long run of one string takes linear time. (If a start is valid for few ends, these are
tried one by one.) Sums are whole multiples of a small unit, 2^-61 of the maximum weight of the cluster, so that equal
partitions are equal; among those, the one with the earlier start is chosen.
"""

from __future__ import annotations

import numpy as np

from workbench.kernels.compiled import helper, kernel

_BEGIN, _VALUE, _FROM, _TO, _NEXT, _BEFORE = range(6)
"""An entry of a queue: a start j, ``best(j) - j * w``, first and last valid x, neighbours in its list."""
_FREQUENCY, _RATE, _FRONT, _BACK, _WAITING, _LAST = range(6)
"""A queue: its document frequency and weight per character; ends of the list of active entries, best first, and of
entries whose range has not begun; -1 for none.
"""
_FEW = 32
"""Number of ends up to which they are tried one by one, which is faster than a queue."""


@helper
def best_partition(reach, df_at, above, lcp, step, frequency, weight, shortest, queue_of, starts, ends, dfs):  # type: ignore[no-untyped-def]
    """Optimal partition of one document; returns its score ``bl*`` and the number of parts written.

    At each offset of b (int32 [|b|] each) ``reach`` is the length of the longest string there of length >= ``shortest``
    and df >= 2, 0 for none; ``df_at`` its df, and ``above`` the interval of the longest shorter string of a higher df,
    -1 for none. Intervals are given by ``lcp``, ``step`` and ``frequency``, by head (see ``document_frequency``);
    ``weight[df] = ln(N / df)``; ``queue_of`` (int32 by df) is -1 everywhere before and after. The parts, ascending and
    disjoint, are written to ``starts``, ``ends`` (offsets) and ``dfs``, which have room for |b| // shortest + 1.
    """
    n = len(reach)
    parts = 0
    begin = 0
    while begin < n:
        if reach[begin] == 0:
            begin += 1
            continue
        # a cluster of stretches that overlap by more than an end point
        stop = begin + reach[begin]
        heaviest = 0.0
        j = begin
        while j < stop:
            if reach[j] != 0:
                stop = max(stop, j + reach[j])
                heaviest = max(heaviest, weight[df_at[j]])
            j += 1
        if heaviest > 0 and begin + reach[begin] == stop:
            # One stretch contains all others, so (merging) no partition of the cluster is better than this stretch
            # alone.
            starts[parts], ends[parts], dfs[parts] = begin, stop, df_at[begin]
            parts += 1
        elif heaviest > 0:
            may_start, may_end = _break_points(begin, stop, reach)
            unit = heaviest * (stop - begin + 1) / 2.0**61
            inside = slice(begin, stop)
            origin, chosen = _sweep(
                reach[inside], df_at[inside], above[inside], may_start, may_end, lcp, step, frequency, weight, unit,
                shortest, queue_of,
            )  # fmt: skip
            parts = _append_parts(begin, origin, chosen, starts, ends, dfs, parts)
        begin = stop
    total = 0.0
    for k in range(parts):
        total += (ends[k] - starts[k]) * weight[dfs[k]]
    return total, parts


@helper
def _break_points(begin, stop, reach):  # type: ignore[no-untyped-def]
    """Offsets in the cluster ``[begin, stop)`` at which a part may start, and at which one may end: bool [size + 1]."""
    may_start = np.zeros(stop - begin + 1, np.bool_)
    may_end = np.zeros(stop - begin + 1, np.bool_)
    reached = -1
    shared = 0  # below this offset, it is already known whether two stretches share an offset
    for j in range(begin, stop):
        if reach[j] != 0 and j + reach[j] > reached:
            may_start[j - begin] = True
            for x in range(max(j - begin, shared), reached - begin + 1):
                may_start[x] = may_end[x] = True
            shared = max(shared, reached - begin + 1)
            reached = j + reach[j]
            may_end[reached - begin] = True
    return may_start, may_end


@helper
def _sweep(  # type: ignore[no-untyped-def]
    reach, df_at, above, may_start, may_end, lcp, step, frequency, weight, unit, shortest, queue_of
):
    """For each offset of a cluster, the start and the df of the part that ends there, -1 for none (int32)."""
    size = len(may_end)
    best = np.zeros(size, np.int64)
    origin = np.full(size, -1, np.int32)
    chosen = np.full(size, -1, np.int32)
    end_points = np.empty(size, np.int64)
    ends_before = np.zeros(size + 1, np.int32)
    for x in range(size):
        end_points[ends_before[x]] = x
        ends_before[x + 1] = ends_before[x] + may_end[x]
    # Growing arrays would make the loop below slower by half.
    room = _room(reach, above, may_start, ends_before, lcp, step, shortest)
    entries = np.empty((room, 6), np.int64)
    queues = np.empty((min(room, len(queue_of)), 6), np.int64)
    free = -1
    used = count = 0
    for x in range(size):
        if x > 0 and best[x - 1] >= best[x]:
            best[x], origin[x] = best[x - 1], -1
        k = 0
        while may_end[x] and k < count:
            free = _advance(queues, k, entries, x, free)
            front = queues[k, _FRONT]
            if front != -1:
                j = entries[front, _BEGIN]
                value = entries[front, _VALUE] + x * queues[k, _RATE]
                if value > best[x] or (value == best[x] and origin[x] > j):
                    best[x], origin[x], chosen[x] = value, j, queues[k, _FREQUENCY]
            elif queues[k, _WAITING] == -1:
                queue_of[queues[k, _FREQUENCY]] = -1
                count -= 1
                if k < count:
                    for column in range(queues.shape[1]):
                        queues[k, column] = queues[count, column]
                    queue_of[queues[k, _FREQUENCY]] = k
                continue
            k += 1
        longest = reach[x] if x < size - 1 and may_start[x] else 0
        df = up = -1
        if longest > 0:
            df, up = df_at[x], above[x]
        while longest >= shortest:
            first = x + (shortest if up == -1 else max(shortest, lcp[up] + 1))
            last = x + longest
            low, high = ends_before[first], ends_before[last + 1]
            rate = np.int64(weight[df] / unit + 0.5) if low < high else 0
            if rate > 0 and high - low <= _FEW:
                for i in range(low, high):
                    end = end_points[i]
                    value = best[x] + (end - x) * rate
                    if value > best[end]:
                        best[end], origin[end], chosen[end] = value, x, df
            elif rate > 0:
                if free != -1:
                    e = free
                    free = entries[e, _NEXT]
                else:
                    e = used
                    used += 1
                entries[e, _BEGIN], entries[e, _VALUE] = x, best[x] - x * rate
                entries[e, _FROM], entries[e, _TO], entries[e, _NEXT] = first, last, -1
                k = queue_of[df]
                if k == -1:
                    k = queue_of[df] = count
                    count += 1
                    queues[k] = -1
                    queues[k, _FREQUENCY], queues[k, _RATE] = df, rate
                if queues[k, _WAITING] == -1:
                    queues[k, _WAITING] = e
                else:
                    entries[queues[k, _LAST], _NEXT] = e
                queues[k, _LAST] = e
            longest = 0
            if up != -1:
                longest, df, up = lcp[up], frequency[up], step[up]
    for k in range(count):
        queue_of[queues[k, _FREQUENCY]] = -1
    return origin, chosen


@helper
def _advance(queues, k, entries, x, free):  # type: ignore[no-untyped-def]
    """Activate the entries whose range begins at or before ``x`` and drop those whose range is over. Returns the free
    list.
    """
    waiting, front, back = queues[k, _WAITING], queues[k, _FRONT], queues[k, _BACK]
    while waiting != -1 and entries[waiting, _FROM] <= x:
        e = waiting
        waiting = entries[e, _NEXT]
        while back != -1 and entries[back, _VALUE] < entries[e, _VALUE]:
            gone = back
            back = entries[gone, _BEFORE]
            entries[gone, _NEXT] = free
            free = gone
        entries[e, _BEFORE], entries[e, _NEXT] = back, -1
        if back == -1:
            front = e
        else:
            entries[back, _NEXT] = e
        back = e
    while front != -1 and entries[front, _TO] < x:
        gone = front
        front = entries[gone, _NEXT]
        if front == -1:
            back = -1
        else:
            entries[front, _BEFORE] = -1
        entries[gone, _NEXT] = free
        free = gone
    queues[k, _WAITING], queues[k, _FRONT], queues[k, _BACK] = waiting, front, back
    return free


@helper
def _room(reach, above, may_start, ends_before, lcp, step, shortest):  # type: ignore[no-untyped-def]
    """Number of starts and frequencies of a cluster that are valid for more than ``_FEW`` ends; each may need a queue
    entry.
    """
    room = 0
    for x in range(len(reach)):
        longest, up = reach[x] if may_start[x] else 0, above[x]
        while longest >= shortest:
            first = x + (shortest if up == -1 else max(shortest, lcp[up] + 1))
            if ends_before[x + longest + 1] - ends_before[first] > _FEW:
                room += 1
            longest = 0
            if up != -1:
                longest, up = lcp[up], step[up]
    return room


@helper
def _append_parts(begin, origin, chosen, starts, ends, dfs, parts):  # type: ignore[no-untyped-def]
    """Append the parts of a cluster. Returns the total number of parts."""
    first = parts
    x = len(origin) - 1
    while x > 0:
        if origin[x] == -1:
            x -= 1
            continue
        starts[parts], ends[parts], dfs[parts] = begin + origin[x], begin + x, chosen[x]
        parts += 1
        x = origin[x]
    for k in range((parts - first) // 2):
        a, b = first + k, parts - 1 - k
        starts[a], starts[b] = starts[b], starts[a]
        ends[a], ends[b] = ends[b], ends[a]
        dfs[a], dfs[b] = dfs[b], dfs[a]
    return parts


@helper
def copied_strings(  # type: ignore[no-untyped-def]
    begin, size, owner, depth, step, frequency, weight, elsewhere, queue_of, shortest
):
    """Best partition of the document at corpus positions ``[begin, begin + size)``.

    Intervals, and arrays by position, are those of :func:`.document_frequency.shared_intervals`; the other arguments
    are as for :func:`best_partition`. Returns ``bl*`` and, for each of p parts in order (int64 [p] each): its start in
    the document, its length, its document frequency and the corpus position of an occurrence in another document.
    """
    reach, df_at, above = np.zeros(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    for j in range(size):
        v = owner[begin + j]
        if v != -1:
            reach[j], df_at[j], above[j] = depth[v], frequency[v], step[v]
    score, start, length, df = partition(reach, df_at, above, depth, step, frequency, weight, queue_of, shortest)
    other = np.empty(len(start), np.int64)
    for k in range(len(start)):
        other[k] = elsewhere[begin + start[k]]
    return score, start, length, df, other


@kernel
def copied_strings_of_each(  # type: ignore[no-untyped-def]
    begins, sizes, owner, depth, step, frequency, weight, elsewhere, queue_of, shortest
):
    """:func:`copied_strings` of several documents: the score of each (float64 [d]), the bounds of its parts among all
    parts (int64 [d + 1]), and the parts, int64 [p, 4]: start in the document, length, document frequency, position of
    another occurrence.
    """
    scores, bounds = np.empty(len(begins)), np.zeros(len(begins) + 1, np.int64)
    parts = np.empty((sizes.sum() // shortest + len(sizes), 4), np.int64)
    for d in range(len(begins)):
        scores[d], start, length, df, other = copied_strings(
            begins[d], sizes[d], owner, depth, step, frequency, weight, elsewhere, queue_of, shortest
        )
        first, last = bounds[d], bounds[d] + len(start)
        for k in range(len(start)):
            parts[first + k, 0], parts[first + k, 1] = start[k], length[k]
            parts[first + k, 2], parts[first + k, 3] = df[k], other[k]
        bounds[d + 1] = last
    return scores, bounds, parts[: bounds[-1]]


@helper
def partition(reach, df_at, above, lcp, step, frequency, weight, queue_of, shortest):  # type: ignore[no-untyped-def]
    """Like :func:`best_partition`, but allocates its arrays: ``bl*`` and start, length and df of each part (int64)."""
    room = len(reach) // shortest + 1
    starts, ends, dfs = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    score, parts = best_partition(
        reach, df_at, above, lcp, step, frequency, weight, shortest, queue_of, starts, ends, dfs
    )
    start = starts[:parts].astype(np.int64)
    return score, start, ends[:parts] - start, dfs[:parts].astype(np.int64)


@kernel
def counterparts(lcp, document, suffixes):  # type: ignore[no-untyped-def]
    """For each position, the suffix of another document with the longest common prefix, -1 for none:
    n int32.

    ``lcp`` and ``document`` as for ``interval_forest``; ``suffixes`` is the suffix array. It is the nearest suffix
    of another document before or after its rank, the one before if both prefixes are equally long.
    """
    n = len(lcp)
    elsewhere = np.full(n, -1, np.int32)
    shared = np.full(n, -1, np.int32)
    for direction in (1, -1):
        # the previous rank and the last one from a different document, and their common prefixes with this one
        last = other = -1
        last_shared = other_shared = 0
        for i in range(n):
            rank = i if direction == 1 else n - 1 - i
            common = 0
            if i > 0:
                common = lcp[rank] if direction == 1 else lcp[rank + 1]
            last_shared, other_shared = min(last_shared, common), min(other_shared, common)
            own = document[rank]
            near, reach = last, last_shared
            if last != -1 and document[last] == own:
                near, reach = other, other_shared
            if near != -1 and reach > shared[rank]:
                elsewhere[suffixes[rank]], shared[rank] = suffixes[near], reach
            if last != -1 and document[last] != own:
                other, other_shared = last, last_shared
            last, last_shared = rank, 2**31 - 1
    return elsewhere
