"""MinHash signatures and the band keys of locality-sensitive hashing.

Source: Broder, On the resemblance and containment of documents (1997); Leskovec, Rajaraman and Ullman, Mining of
massive datasets, sections 3.3 (signatures) and 3.4 (banding).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.mixing import mix
from workbench.kernels.sketches.shingles import Rows


@lru_cache(maxsize=8)
def _permutations(n: int) -> NDArray[np.uint32]:
    """Odd factors and summands of n fixed permutations: uint32 [2, n]."""
    table = np.empty((2, n), np.uint32)
    _draw(table)
    return table


@njit(cache=True, nogil=True)
def _draw(table: Any) -> None:
    for p in range(table.shape[1]):
        drawn = mix(np.uint64(p))
        table[0, p] = np.uint32(drawn >> np.uint64(32)) | np.uint32(1)
        table[1, p] = np.uint32(drawn & np.uint64(0xFFFFFFFF))


def signatures(shingles: Rows, permutations: int) -> NDArray[np.uint32]:
    """MinHash signatures: uint32 [d, permutations]; all ones for a document without shingles.

    Column p is the least value of the p-th permutation of the 32-bit numbers over the upper halves of a document's
    shingle hashes. Two columns are equal with a probability equal to the resemblance of the two sets, up to collisions
    in 32 bits (for sets of n shingles, about n / 2^32). Repeated shingles change nothing.
    """
    table = _permutations(permutations)
    signed = np.full((len(shingles.bounds) - 1, permutations), 0xFFFFFFFF, np.uint32)
    _sign(shingles.values, shingles.bounds, table[0], table[1], signed)
    return signed


@njit(cache=True, nogil=True)
def _sign(values: Any, bounds: Any, factors: Any, summands: Any, signed: Any) -> None:
    # uint32 * uint32 is uint64 here: each product is truncated, otherwise the values would not be a permutation of 32
    # bits.
    for d in range(len(bounds) - 1):
        signature = signed[d]
        for i in range(bounds[d], bounds[d + 1]):
            x = np.uint32(values[i] >> np.uint64(32))
            for p in range(len(factors)):
                h = np.uint32(np.uint32(x * factors[p]) + summands[p])
                h = np.uint32(h ^ (h >> np.uint32(15)))
                h = np.uint32(h * np.uint32(0x2C1B3C6D))
                h = np.uint32(h ^ (h >> np.uint32(12)))
                if h < signature[p]:
                    signature[p] = h


def band_keys(signed: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint64]:
    """Hashes of each band of ``rows`` columns: uint64 [bands, d]. Equal bands have equal keys."""
    keys = np.empty((bands, len(signed)), np.uint64)
    _keys(signed, rows, keys)
    return keys


@njit(cache=True, nogil=True)
def _keys(signed: Any, rows: Any, keys: Any) -> None:
    for d in range(signed.shape[0]):
        for band in range(keys.shape[0]):
            key = np.uint64(band)
            for p in range(band * rows, (band + 1) * rows):
                key = mix(key ^ np.uint64(signed[d, p]))
            keys[band, d] = key


@njit(cache=True, nogil=True)
def agreement(a: Any, of_a: Any, b: Any, of_b: Any) -> Any:
    """Share of the columns in which ``a[of_a[i]]`` equals ``b[of_b[i]]``: float64, estimates of resemblance."""
    shares = np.empty(len(of_a))
    for i in range(len(of_a)):
        equal = 0
        for p in range(a.shape[1]):
            equal += a[of_a[i], p] == b[of_b[i], p]
        shares[i] = equal / a.shape[1]
    return shares
