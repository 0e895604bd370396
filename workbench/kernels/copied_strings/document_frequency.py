"""Document frequencies of every repeated string of a corpus, from its suffix array and LCP array.

A repeated string is a prefix of all suffixes of one LCP interval. Intervals of depth >= ``shortest`` form a forest; an
interval is identified by its *head*, the first rank whose LCP value belongs to it, so that depth is ``lcp[head]`` and
no separate numbering is needed.
"""

from __future__ import annotations

import numpy as np

from workbench.kernels.compiled import kernel


@kernel
def interval_forest(lcp, document, documents, shortest):  # type: ignore[no-untyped-def]
    """Document frequency, parent and owner of the LCP intervals of depth >= ``shortest``.

    ``lcp`` (n int32): longest common prefix of ranks i - 1 and i, capped at separators. ``document`` (n int32): the
    document of the suffix at each rank, below ``documents``. Returns three int32 arrays of length n:
    ``frequency[head]`` (-1 if no interval has that head), ``parent[head]`` (-1 for a root), ``owner[rank]``: head of
    the deepest interval that contains the rank, -1 for none. Time O(n log depth), linear in practice. Documents are
    counted after Hui (CPM 1992): the number of an interval's suffixes, minus one for every two adjacent ones of the
    same document, subtracted at the lowest common ancestor of the two.
    """
    n = len(lcp)
    frequency = np.full(n, -1, np.int32)
    parent = np.full(n, -1, np.int32)
    owner = np.full(n, -1, np.int32)
    last = np.full(documents, -1, np.int64)
    # Open intervals are nested, each deeper than the one around it. Growing arrays would make this loop take four times
    # as long.
    deepest = np.int32(0)
    for rank in range(n):
        deepest = max(deepest, lcp[rank])
    room = max(0, deepest - shortest + 1)
    head = np.empty(room, np.int32)
    left = np.empty(room, np.int32)
    duplicates = np.empty(room, np.int32)
    top = -1
    component = 0
    for rank in range(n + 1):
        depth = lcp[rank] if 0 < rank < n else 0
        if depth < shortest:
            depth = 0
        border = rank - 1
        while top >= 0 and lcp[head[top]] > depth:
            closed = head[top]
            border = left[top]
            frequency[closed] = rank - border - duplicates[top]
            carried = duplicates[top]
            top -= 1
            if top >= 0 and lcp[head[top]] >= depth:
                parent[closed] = head[top]
                duplicates[top] += carried
            elif depth > 0:
                parent[closed] = rank
                top += 1
                head[top], left[top], duplicates[top] = rank, border, carried
        if rank == n:
            break
        if depth > 0 and (top < 0 or lcp[head[top]] < depth):
            top += 1
            head[top], left[top], duplicates[top] = rank, border, 0
        if depth == 0:
            component = rank
        else:
            owner[rank] = head[top]
            if owner[rank - 1] == -1 or lcp[owner[rank - 1]] < depth:
                owner[rank - 1] = head[top]
            before = last[document[rank]]
            if before >= component:
                low, high = 0, top
                while low < high:
                    middle = (low + high + 1) >> 1
                    if left[middle] <= before:
                        low = middle
                    else:
                        high = middle - 1
                duplicates[low] += 1
        last[document[rank]] = rank
    return frequency, parent, owner


@kernel
def frequency_steps(frequency, parent):  # type: ignore[no-untyped-def]
    """For each interval head, its nearest ancestor with a different document frequency, -1 for none (n int32).

    Along these steps the frequency strictly grows, so a chain has at most as many steps as there are frequencies.
    """
    n = len(frequency)
    step = np.full(n, -1, np.int32)
    visited = np.zeros(n, np.bool_)
    chain = np.empty(n, np.int32)
    for first in range(n):
        if frequency[first] < 0 or visited[first]:
            continue
        # climb to a visited ancestor, then climb the same path again to record the result
        v = first
        path = 0
        while v != -1 and not visited[v]:
            path += 1
            v = parent[v]
        v = first
        for i in range(path):
            chain[i] = v
            v = parent[v]
        for i in range(path - 1, -1, -1):
            v = chain[i]
            p = parent[v]
            if p == -1:
                step[v] = -1
            elif frequency[p] != frequency[v]:
                step[v] = p
            else:
                step[v] = step[p]
            visited[v] = True
    return step


@kernel
def shared_intervals(lcp, frequency, step, suffixes, owner):  # type: ignore[no-untyped-def]
    """The intervals shared by two or more documents, numbered from 0.

    Returns (int32 each), by position: the number of the deepest of them, -1 for none; by interval: depth, frequency,
    and the number of its step, -1 for none.
    """
    n = len(lcp)
    number = np.full(n, -1, np.int32)
    count = 0
    for head in range(n):
        if frequency[head] >= 2:
            number[head] = count
            count += 1
    depth, shared, above = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.int32)
    owner_at = np.empty(n, np.int32)
    for rank in range(n):
        if number[rank] >= 0:
            i = number[rank]
            depth[i], shared[i] = lcp[rank], frequency[rank]
            above[i] = number[step[rank]] if step[rank] >= 0 else -1
        head = owner[rank]
        if head >= 0 and frequency[head] < 2:
            head = step[head]
        owner_at[suffixes[rank]] = number[head] if head >= 0 else -1
    return owner_at, depth, shared, above
