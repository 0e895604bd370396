"""Number of distinct substrings by number of occurrences, from the LCP array."""

from __future__ import annotations

import numpy as np

from workbench.kernels.compiled import kernel


@kernel
def substring_frequencies(lcp, shortest):  # type: ignore[no-untyped-def]
    """Counts of the substrings of at least ``shortest`` characters that occur at least twice.

    ``lcp`` (n int32) is the result of :func:`workbench.kernels.character_suffixes.character_lcp`. Returns three arrays
    of n + 1 by number of occurrences f: the number of distinct substrings that occur f times (int64), the length of the
    longest of them (int32, 0 for none) and a rank at which it occurs (int32). All substrings of one LCP interval that
    are longer than its parent's depth occur as often as the interval has suffixes. Time O(n).
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
