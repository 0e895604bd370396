"""Suffix array and LCP array over the characters of a corpus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydivsufsort import divsufsort

from workbench.kernels.code_points import CODE_POINTS


def distinct_characters(texts: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """The different characters of the texts, ascending."""
    present = np.zeros(CODE_POINTS, np.bool_)
    for text in texts:
        present[text] = True
    return np.flatnonzero(present).astype(np.uint32)


def dense_characters(texts: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint16 | np.uint32]:
    """The texts end to end as dense character numbers from 1, each followed by the separator 0.

    uint16 if there are fewer than 65,536 distinct characters, otherwise uint32; the order of code points is preserved.
    """
    points = distinct_characters(texts)
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
    """Suffix array of n < 2^31 dense characters: n int32."""
    if len(ids) == 0:
        return np.zeros(0, np.int32)
    return np.asarray(divsufsort(ids), np.int32)


@njit(cache=True, nogil=True)
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
