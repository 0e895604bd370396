"""In how many documents given strings of characters occur, all of them in one pass over the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.mixing import mix
from workbench.kernels.sketches.shingles import BASE

_HEAD = 4
_BITS = np.uint64((1 << 16) - 1)


@dataclass(frozen=True, slots=True)
class Strings:
    """Distinct strings, ordered by the hash of their first ``head`` characters; int64 and uint64 of equal length.

    ``hashes`` stand for whole strings: two different ones of n share a hash with a chance of about n^2 / 2^65.
    """

    hashes: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    heads: NDArray[np.uint64]
    head: int

    @classmethod
    def of(cls, codes: NDArray[np.uint32], first: NDArray[np.int64], last: NDArray[np.int64]) -> Strings:
        """The strings ``codes[first[i]:last[i]]``, none of them empty."""
        head = min(_HEAD, int((last - first).min(initial=_HEAD)))
        hashes, chosen = np.unique(string_hashes(codes, first, last), return_index=True)
        heads = string_hashes(codes, first[chosen], first[chosen] + head)
        order = np.argsort(heads, kind="stable")
        return cls(hashes[order], (last - first)[chosen][order], heads[order], head)


def string_hashes(codes: NDArray[np.uint32], first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hashes of ``codes[first[i]:last[i]]``."""
    hashes = np.empty(len(first), np.uint64)
    _hashes(codes, first, last, hashes)
    return hashes


@njit(cache=True, nogil=True)
def _hashes(codes: Any, first: Any, last: Any, hashes: Any) -> None:
    for i in range(len(first)):
        rolled = np.uint64(0)
        for at in range(first[i], last[i]):
            rolled = rolled * BASE + np.uint64(codes[at])
        hashes[i] = mix(rolled ^ mix(np.uint64(last[i] - first[i])))


def count_documents(
    codes: NDArray[np.uint32], bounds: NDArray[np.int64], strings: Strings, counts: NDArray[np.int64]
) -> None:
    """Add to ``counts``, parallel to ``strings``, how many of the documents ``codes[bounds[i]:bounds[i + 1]]`` contain
    each.
    """
    if not len(counts):
        return
    mask = np.zeros(int(_BITS) + 1, np.bool_)
    mask[strings.heads & _BITS] = True
    columns = (strings.heads, strings.hashes, strings.lengths, strings.head, mask)
    _count(codes, bounds, *columns, np.full(len(counts), -1, np.int64), counts)


@njit(cache=True, nogil=True)
def _count(
    codes: Any,
    bounds: Any,
    heads: Any,
    hashes: Any,
    lengths: Any,
    head: Any,
    mask: Any,
    seen: Any,
    counts: Any,
) -> None:
    """``rolled[i]``: the polynomial of the document's first i characters, from which that of any part follows."""
    powers = np.ones(lengths.max() + 1, np.uint64)
    for i in range(1, len(powers)):
        powers[i] = powers[i - 1] * BASE
    for d in range(len(bounds) - 1):
        size = bounds[d + 1] - bounds[d]
        rolled = np.zeros(size + 1, np.uint64)
        for i in range(size):
            rolled[i + 1] = rolled[i] * BASE + np.uint64(codes[bounds[d] + i])
        for i in range(size - head + 1):
            begins = mix((rolled[i + head] - rolled[i] * powers[head]) ^ mix(np.uint64(head)))
            if not mask[begins & _BITS]:
                continue
            at = np.searchsorted(heads, begins)
            while at < len(heads) and heads[at] == begins:
                length = lengths[at]
                if seen[at] != d and i + length <= size:
                    whole = rolled[i + length] - rolled[i] * powers[length]
                    if mix(whole ^ mix(np.uint64(length))) == hashes[at]:
                        seen[at] = d
                        counts[at] += 1
                at += 1
