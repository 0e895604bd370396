"""SimHash fingerprints, and search within a Hamming distance.

Sources: Charikar, Similarity estimation techniques from rounding algorithms (STOC 2002), section 3; Manku, Jain and Das
Sarma, Detecting near-duplicates for web crawling (WWW 2007), section 3.1 (permuted tables).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import mix
from workbench.kernels.sketches.shingle_pass import Texts, room_for, shingles_of
from workbench.kernels.sketches.shingles import Rows, without_repeats_of

WORD = 64
_SECOND = np.uint64(0x6A09E667F3BCC909)
_EACH_BYTE = np.uint64(0x0101010101010101)
_FULL = 255


def simhashes(features: Rows, weights: NDArray[np.int32], bits: int) -> NDArray[np.uint64]:
    """Fingerprints of ``bits`` bits (32, or a multiple of 64): uint64 [d, words], 32 bits in the lower half of a word;
    all ones for a document without features.

    Each feature adds its weight (parallel to ``features.values``) at every bit where its hash has a 1 and subtracts it
    elsewhere; a bit is 1 if the sum is not negative. A bit of two fingerprints is equal with probability 1 - angle /
    pi, for the angle between their weight vectors. The sum of the weights of one document is < 2^31.
    """
    fingerprints = np.zeros((len(features.bounds) - 1, words_of(bits)), np.uint64)
    _simhash(features.values, features.bounds, weights, fingerprints)
    return _of_bits(fingerprints, bits)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Fingerprints of d documents: ``values`` as from :func:`simhashes`, ``sizes`` int64 [d], the number of distinct
    features, and ``context`` bool [d]: the folding of a character depends on its neighbours, so its values must not be
    used.
    """

    values: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    context: NDArray[np.bool_]


def text_simhashes(texts: Texts, bits: int) -> Fingerprints:
    """:func:`simhashes` of the sets of shingles of ``texts``, all of weight 1, in one pass."""
    d = len(texts.ends)
    prints = Fingerprints(np.zeros((d, words_of(bits)), np.uint64), np.zeros(d, np.int64), np.zeros(d, np.bool_))
    _simhash_texts(texts, prints.values, prints.sizes, prints.context)
    return Fingerprints(_of_bits(prints.values, bits), prints.sizes, prints.context)


def _of_bits(fingerprints: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    return fingerprints if bits >= WORD else fingerprints & np.uint64((1 << bits) - 1)


def bits_of(values: NDArray[np.uint64], bits: int) -> Iterator[NDArray[np.bool_]]:
    """For each bit of a fingerprint of ``bits`` bits, which of the n hashes of features have a 1: bool [n] each."""
    for bit in range(bits):
        hashes = values if bit < WORD else mix.py_func(values ^ _SECOND)
        yield (hashes >> np.uint64(bit % WORD)) & np.uint64(1) > 0


def words_of(bits: int) -> int:
    """Number of 64-bit words of a fingerprint of ``bits`` bits."""
    return -(-bits // WORD)


@kernel
def _simhash(values: Any, bounds: Any, weights: Any, fingerprints: Any) -> None:
    sums = np.empty(64, np.int32)
    for d in range(len(bounds) - 1):
        for word in range(fingerprints.shape[1]):
            sums[:] = 0
            total = np.int64(0)
            for i in range(bounds[d], bounds[d + 1]):
                x = values[i] if word == 0 else mix(values[i] ^ _SECOND)
                weight = weights[i]
                total += weight
                for bit in range(64):
                    sums[bit] += np.int32((x >> np.uint64(bit)) & np.uint64(1)) * weight
            bits = np.uint64(0)
            for bit in range(64):
                if 2 * np.int64(sums[bit]) >= total:
                    bits |= np.uint64(1) << np.uint64(bit)
            fingerprints[d, word] = bits


@kernel
def _simhash_texts(texts: Any, fingerprints: Any, sizes: Any, context: Any) -> None:
    space = room_for(texts.longest)
    once, slots = np.empty(texts.longest, np.uint64), np.empty(0, np.int32)
    for d in range(len(texts.ends)):
        space, n, context[d] = shingles_of(texts, d, space)
        if n > len(once):
            once = np.empty(2 * n, np.uint64)
        size, slots = without_repeats_of(space[2][:n], slots, once)
        fingerprints[d, 0] = _majority(once[:size])
        for word in range(1, fingerprints.shape[1]):
            others = space[2][:size]
            for i in range(size):
                others[i] = mix(once[i] ^ _SECOND)
            fingerprints[d, word] = _majority(others)
        sizes[d] = size


@helper
def _majority(values: Any) -> Any:
    """The bits that are 1 in at least half of ``values``: uint64.

    Word j of ``lanes`` counts the bits j, 8 + j, 16 + j, ... in one byte each, added to ``counts`` before it is full.
    """
    n = len(values)
    counts = np.zeros(64, np.int64)
    lanes = np.zeros(8, np.uint64)
    for start in range(0, n, _FULL):
        lanes[:] = 0
        for i in range(start, min(start + _FULL, n)):
            for j in range(8):
                lanes[j] += (values[i] >> np.uint64(j)) & _EACH_BYTE
        for bit in range(64):
            counts[bit] += np.int64((lanes[bit & 7] >> np.uint64(bit & 56)) & np.uint64(_FULL))
    bits = np.uint64(0)
    for bit in range(64):
        if 2 * counts[bit] >= n:
            bits |= np.uint64(1) << np.uint64(bit)
    return bits


@njit(cache=True, nogil=True, inline="always")
def _ones(x: Any) -> Any:
    """Number of 1 bits of a uint64; compiled to one instruction."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def distances(a: Any, of_a: Any, b: Any, of_b: Any) -> Any:
    """Hamming distances of fingerprints ``a[of_a[i]]`` from ``b[of_b[i]]``: int64, parallel to both."""
    measured = np.empty(len(of_a), np.int64)
    for i in range(len(of_a)):
        distance = np.uint64(0)
        for word in range(a.shape[1]):
            distance += _ones(a[of_a[i], word] ^ b[of_b[i], word])
        measured[i] = distance
    return measured


@kernel
def near(fingerprints: Any, fingerprint: Any, start: Any, limit: Any, most: Any, rows: Any) -> Any:
    """Write the rows of ``fingerprints[start:limit]`` within ``most`` bits of ``fingerprint`` to ``rows``. Returns
    their number.
    """
    n = 0
    for row in range(start, limit):
        distance = np.uint64(0)
        for word in range(len(fingerprint)):
            distance += _ones(fingerprints[row, word] ^ fingerprint[word])
        if distance <= most:
            rows[n] = row
            n += 1
    return n


def table_keys(
    fingerprints: NDArray[np.uint64], edges: NDArray[np.int64], blocks: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """The key of each fingerprint in each table: uint64 [tables, d].

    Bits ``edges[b]:edges[b + 1]`` are block b; table t joins the blocks ``blocks[t]`` (int64 [tables, n]) to a key.
    Keys longer than 64 bits keep the last 64.
    """
    keys = np.zeros((len(blocks), len(fingerprints)), np.uint64)
    _keys(fingerprints, edges, blocks, keys)
    return keys


@kernel
def _keys(fingerprints: Any, edges: Any, blocks: Any, keys: Any) -> None:
    for t in range(blocks.shape[0]):
        for d in range(fingerprints.shape[0]):
            key = np.uint64(0)
            for block in blocks[t]:
                for bit in range(edges[block], edges[block + 1]):
                    one = (fingerprints[d, bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1)
                    key = (key << np.uint64(1)) | one
            keys[t, d] = key
