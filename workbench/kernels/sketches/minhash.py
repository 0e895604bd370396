"""MinHash signatures and the band keys of locality-sensitive hashing.

Source: Broder, On the resemblance and containment of documents (1997); Leskovec, Rajaraman and Ullman, Mining of
massive datasets, sections 3.3 (signatures) and 3.4 (banding); Dahlgaard, Knudsen and Thorup, Fast similarity sketching
(FOCS 2017): orders computed for all columns together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import mix
from workbench.kernels.sketches.shingle_pass import Texts, room_for, shingles_of
from workbench.kernels.sketches.shingles import Rows, without_repeats_of

_EMPTY, _HALF = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0xFFFFFFFF)


def signatures(shingles: Rows, columns: int) -> NDArray[np.uint32]:
    """MinHash signatures: uint32 [d, columns]; all ones for a document without shingles.

    Column p contains the hash of the least of a document's shingles in the p-th of ``columns`` random orders. Two
    columns are equal with a probability equal to the resemblance of the two sets, up to collisions in 32 bits (for sets
    of n shingles, about n / 2^32). Repeated shingles have no effect. Takes n + p log p steps for p columns, not n p.
    """
    signed = np.empty((len(shingles.bounds) - 1, columns), np.uint32)
    _sign(shingles.values, shingles.bounds, signed)
    return signed


@dataclass(frozen=True, slots=True)
class Signatures:
    """Signatures of d documents: ``values`` as from :func:`signatures`, ``sizes`` int64 [d], the number of distinct
    shingles, and ``context`` bool [d]: the folding of a character depends on its neighbours, so its values must not be
    used.
    """

    values: NDArray[np.uint32]
    sizes: NDArray[np.int64]
    context: NDArray[np.bool_]


def text_signatures(texts: Texts, columns: int) -> Signatures:
    """:func:`signatures` of the shingles of ``texts``, in one pass."""
    d = len(texts.ends)
    signed = Signatures(np.empty((d, columns), np.uint32), np.zeros(d, np.int64), np.zeros(d, np.bool_))
    _sign_texts(texts, signed.values, signed.sizes, signed.context)
    return signed


@kernel
def _sign(values: Any, bounds: Any, signed: Any) -> None:
    least = np.empty(signed.shape[1], np.uint64)
    for d in range(len(bounds) - 1):
        _least(values[bounds[d] : bounds[d + 1]], least, signed[d])


@kernel
def _sign_texts(texts: Any, signed: Any, sizes: Any, context: Any) -> None:
    space = room_for(texts.longest)
    once, slots = np.empty(texts.longest, np.uint64), np.empty(0, np.int32)
    least = np.empty(signed.shape[1], np.uint64)
    for d in range(len(texts.ends)):
        space, n, context[d] = shingles_of(texts, d, space)
        if n > len(once):
            once = np.empty(2 * n, np.uint64)
        sizes[d], slots = without_repeats_of(space[2][:n], slots, once)
        _least(once[: sizes[d]], least, signed[d])


@helper
def _least(values: Any, least: Any, signature: Any) -> None:
    """Dahlgaard, Knudsen and Thorup's algorithm 1, for one document; ``least``: space with one entry per column.

    In each round every shingle is thrown into one column; a shingle's rank in a column is the round in which it first
    falls there, then its hash in that round. Columns left empty after p rounds get a separate round.
    """
    p = np.uint64(len(least))
    least[:] = _EMPTY
    empty = len(least) if len(values) else 0
    turn = np.uint64(0)
    while empty > 0 and turn < p:
        salt = mix(turn)
        for i in range(len(values)):
            h = mix(values[i] ^ salt)
            column = ((h >> np.uint64(32)) * p) >> np.uint64(32)
            before = least[column]
            empty -= before == _EMPTY
            least[column] = min(before, turn << np.uint64(32) | h & _HALF)
        turn += np.uint64(1)
    for column in range(len(least)):
        if empty > 0 and least[column] == _EMPTY:
            salt = mix(p + np.uint64(column))
            for i in range(len(values)):
                least[column] = min(least[column], mix(values[i] ^ salt) & _HALF)
        signature[column] = np.uint32(least[column] & _HALF)


def band_keys(signed: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint64]:
    """Hashes of each band of ``rows`` columns: uint64 [bands, d]. Equal bands have equal keys."""
    keys = np.empty((bands, len(signed)), np.uint64)
    _keys(signed, rows, keys)
    return keys


@kernel
def _keys(signed: Any, rows: Any, keys: Any) -> None:
    """All bands of a document are mixed side by side, since each step of one waits for the step before."""
    own = np.empty(len(keys), np.uint64)
    for d in range(len(signed)):
        for band in range(len(own)):
            own[band] = band
        for p in range(rows):
            for band in range(len(own)):
                own[band] = mix(own[band] ^ np.uint64(signed[d, band * rows + p]))
        for band in range(len(own)):
            keys[band, d] = own[band]


@kernel
def agreement(a: Any, of_a: Any, b: Any, of_b: Any) -> Any:
    """Share of the columns in which ``a[of_a[i]]`` equals ``b[of_b[i]]``: float64, estimates of resemblance."""
    shares = np.empty(len(of_a))
    for i in range(len(of_a)):
        equal = 0
        for p in range(a.shape[1]):
            equal += a[of_a[i], p] == b[of_b[i], p]
        shares[i] = equal / a.shape[1]
    return shares
