"""The number of different pages with a sentence; near-identical pages count as one.

A page's sketch is, under each of four orderings of all sentences, its first two sentences (Broder's min-wise hashing).
Two pages with a sentence count as near-identical if, ignoring that sentence, they have the same first sentence under
both orderings of a pair: the probability is the square of their resemblance. Copies of one page have few
different sketches; pages of a site that share a notice have about as many as there are pages. Of the two pairs of
orderings, the one with fewer groups counts. There are never more groups than pages.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SEEDS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
MOST = 1_000
"""Number of documents from which a sentence makes no pairs even if all are near-identical: the number of pairs is
quadratic.
"""
_LAST = np.iinfo(np.uint64).max


def mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The ranks of sentences with ``hashes`` (uint64 [n]) in each ordering, uint64 [n, len(SEEDS)]."""
    places = (hashes[:, None] ^ np.array(SEEDS, np.uint64)) * np.uint64(0xFF51AFD7ED558CCD)
    return places ^ (places >> np.uint64(32))


def sketches(hashes: NDArray[np.uint64], document: NDArray[np.int64], documents: int) -> NDArray[np.uint64]:
    """The two lowest ranks in each ordering (uint64 [documents, len(SEEDS), 2]) of documents whose distinct sentences
    have ``hashes``, in ``document`` (numbers from 0, ascending); the greatest number represents none.
    """
    lowest = np.full((documents, len(SEEDS), 2), _LAST, np.uint64)
    if not len(hashes):
        return lowest
    places = mixed(hashes)
    starts = np.flatnonzero(np.diff(document, prepend=-1))
    for at in range(2):
        lowest[document[starts], :, at] = np.minimum.reduceat(places, starts)
        places[places == lowest[document, :, at]] = _LAST
    return lowest


def groups(
    sketch: NDArray[np.uint64], hashes: NDArray[np.uint64], sentence: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """The number of groups of documents with each of ``count`` sentences.

    Row i: the sentence number ``sentence[i]`` (from 0, ascending) with the hash ``hashes[i]`` is in a document with
    the sketch ``sketch[i]``.
    """
    first = np.where(sketch[:, :, 0] == mixed(hashes), sketch[:, :, 1], sketch[:, :, 0])
    fewest = np.bincount(sentence, minlength=count)
    for one, other in ((0, 1), (2, 3)):
        order = np.lexsort((first[:, one], first[:, other], sentence))
        columns = (sentence[order], first[order, one], first[order, other])
        new = np.ones(len(order), np.bool_)
        new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
        fewest = np.minimum(fewest, np.bincount(columns[0][new], minlength=count))
    return fewest.astype(np.int64)
