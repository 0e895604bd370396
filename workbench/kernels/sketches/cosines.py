"""Sums of products of weights along posting lists."""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(cache=True, nogil=True)
def add_products(first: Any, last: Any, own: Any, holders: Any, weights: Any, limit: Any, sums: Any) -> None:
    """Add to ``sums[d]`` (float64) the products of ``own[i]`` with the weight of document d, for all lists i.

    List i holds the rows ``[first[i], last[i])`` of ``holders`` (uint32, ascending within a list) and ``weights``
    (float64); documents from ``limit`` on are passed over. int64 limits and float64 ``own`` of equal length. Sums are
    made in the order of the lists, so that they are the same however the work is divided.
    """
    for i in range(len(first)):
        for row in range(first[i], last[i]):
            holder = holders[row]
            if holder >= limit:
                break
            sums[holder] += own[i] * weights[row]
