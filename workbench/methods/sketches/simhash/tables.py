"""Permuted tables: which blocks of a fingerprint must be equal if few bits differ.

Source: Manku, Jain and Das Sarma, Detecting near-duplicates for web crawling (WWW 2007), section 3.1. A fingerprint is
cut into n blocks. If at most k bits differ, at least n - k blocks are equal; there is one table for each choice of n -
k blocks, sorted by those blocks, so that only fingerprints with equal blocks are measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

_KEY_BITS = 64
_LOOK_UP = 200.0
_MEASURE = 8.0
_SCAN = 1.0
"""Rough costs of a look-up in a table, of measuring what a table yields, and of one fingerprint in a scan."""
_MOST_TABLES = 128
_EXTRA_BLOCKS = 6


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Blocks ``edges[b]:edges[b + 1]`` in bits (int64 [n + 1]), and the blocks of each table (int64 [t, n - k])."""

    edges: NDArray[np.int64]
    tables: NDArray[np.int64]


def plan(bits: int, distance: int, documents: int, search: str) -> TablePlan:
    """The cheapest tables for fingerprints of ``bits`` that differ in ``distance`` bits at most.

    No tables if measuring every fingerprint is cheaper (``search`` = ``auto``) or requested (``scan``); ``tables``
    requests tables whatever they cost. If many bits may differ, the blocks are short and tables save nothing.
    """
    best, cost = 0, documents * _SCAN * max(1, bits // 64) if search == "auto" else float("inf")
    if search != "scan":
        for blocks in range(distance + 1, min(distance + _EXTRA_BLOCKS, bits) + 1):
            block_cost = _cost(bits, distance, blocks, documents)
            if comb(blocks, distance) <= _MOST_TABLES and block_cost < cost:
                best, cost = blocks, block_cost
    if not best:
        return TablePlan(np.zeros(1, np.int64), np.zeros((0, 1), np.int64))
    edges = np.arange(best + 1) * bits // best
    tables = list(combinations(range(best), best - distance))
    return TablePlan(edges.astype(np.int64), np.array(tables, np.int64))


def _cost(bits: int, distance: int, blocks: int, documents: int) -> float:
    key = min(_KEY_BITS, bits * (blocks - distance) // blocks)
    return comb(blocks, distance) * (_LOOK_UP + documents / 2.0**key * _MEASURE)
