"""Suffix array over fingerprints, with small tables for fast look-up of a fingerprint.

A *digest text* is uint64 fingerprints with a 0 before, between and after the documents. Each 0 counts as smaller than
every fingerprint and, among themselves, in order of position, so that no common prefix extends across documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import NullProgress, Progress

_MOST = 2**32 - 2


@dataclass(frozen=True, slots=True)
class SuffixArray:
    """``suffixes``: uint32 positions of the n fingerprints in the order of their suffixes.

    ``signatures``: uint16 [n], the 16 bits below the top ``bucket_bits`` of the fingerprint at each of them;
    ``buckets``: uint32 [2^bucket_bits + 1], the first slots of the fingerprints with each value of the top bits. A
    look-up uses these two before the text itself.
    """

    suffixes: NDArray[np.uint32]
    signatures: NDArray[np.uint16]
    buckets: NDArray[np.uint32]
    bucket_bits: int


def suffix_array(text: NDArray[np.uint64], bits: int = 64, progress: Progress | None = None) -> SuffixArray:
    """Suffix array of a digest text that begins and ends with 0; ``bits`` is the width of its fingerprints.

    Sorts by fingerprint, then doubles the compared prefix of suffixes that are still equal (Larsson and Sadakane):
    O(n log n log r) for a longest repeat r, and little more than the first sort if few fingerprints repeat. Raises
    ValueError beyond 2^32 - 2 positions.
    """
    progress = progress or NullProgress()
    if len(text) > _MOST:
        raise ValueError(f"a digest text holds at most {_MOST} places, not {len(text)}")
    places = np.flatnonzero(text).astype(np.uint32)
    suffixes = places[np.argsort(text[places])]
    progress.check()
    _refine(text, suffixes, progress)
    bucket_bits = max(4, min(24, bits - 16, len(places).bit_length() - 5))
    ordered = text[suffixes]
    tops = (ordered >> np.uint64(bits - bucket_bits)).astype(np.int64)
    signatures = (ordered >> np.uint64(bits - bucket_bits - 16)).astype(np.uint16)
    counts = np.bincount(tops, minlength=1 << bucket_bits)
    buckets = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    return SuffixArray(suffixes, signatures, buckets, bucket_bits)


def _refine(text: NDArray[np.uint64], suffixes: NDArray[np.uint32], progress: Progress) -> None:
    """Sort suffixes with equal beginnings, in place, comparing 2, 4, 8 .. fingerprints."""
    if not len(suffixes):
        return
    zeros = np.flatnonzero(text == 0)
    rank = np.empty(len(text), np.int64)
    rank[zeros] = np.arange(len(zeros))
    ordered = text[suffixes]
    starts = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    rank[suffixes] = len(zeros) + _group_starts(starts)
    open_slots = _shared(starts)
    step = 1
    while len(open_slots):
        progress.check()
        tied = suffixes[open_slots]
        group, following = rank[tied], rank[tied.astype(np.int64) + step]
        order = np.lexsort((following, group))
        tied, group, following = tied[order], group[order], following[order]
        suffixes[open_slots] = tied
        starts = np.concatenate([[True], (group[1:] != group[:-1]) | (following[1:] != following[:-1])])
        rank[tied] = len(zeros) + open_slots[_group_starts(starts)]
        open_slots = open_slots[_shared(starts)]
        step *= 2


def _group_starts(starts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each slot, the first slot of its group."""
    return np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))


def _shared(starts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Slots in groups of two or more."""
    alone = starts & np.concatenate([starts[1:], [True]])
    return np.flatnonzero(~alone)
