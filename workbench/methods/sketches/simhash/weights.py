"""How much each feature of a document votes for the bits of its fingerprint.

Source of ``idf`` and ``keywords``: the features of a text are its terms weighted as in information retrieval, term
frequency times inverse document frequency (Datagrand's survey of text fingerprints, section 2.2, step 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.sketches.shingles import Rows
from workbench.methods.sketches.simhash.parameters import SimHashParameters

_UNIT = 16
"""The integer that stands for a weight of 1 where weights are fractions; integer weights keep sums exact."""
_MOST = 2**31 - 1
"""The weights of one document add up to this at most."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """How many of ``documents`` have a feature.

    ``hashes`` uint64 [h] ascending: the features of two and more; ``holders`` int64 [h]: of how many. A feature that is
    not listed counts as one document's.
    """

    documents: int
    hashes: NDArray[np.uint64]
    holders: NDArray[np.int64]

    @classmethod
    def unknown(cls) -> Rarity:
        """Where all features count as equally rare."""
        return cls(1, np.zeros(0, np.uint64), np.zeros(0, np.int64))

    @classmethod
    def of(cls, documents: int, sets: Sequence[Rows]) -> Rarity:
        """Of the features of documents, that come as sets."""
        values = np.sort(np.concatenate([np.zeros(0, np.uint64), *(s.values for s in sets)]))
        first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])
        holders = np.diff(np.append(first, len(values))).astype(np.int64)
        shared = holders > 1
        return cls(documents, values[first[shared]], holders[shared])

    def idf(self, values: NDArray[np.uint64]) -> NDArray[np.float64]:
        """ln(1 + N / df) of each feature: float64."""
        if not len(self.hashes):
            return np.full(len(values), np.log1p(float(self.documents)))
        at = np.minimum(np.searchsorted(self.hashes, values), len(self.hashes) - 1)
        holders = np.where(self.hashes[at] == values, self.holders[at], 1)
        inverse: NDArray[np.float64] = np.log1p(self.documents / holders)
        return inverse


def weights(sets: Rows, counts: NDArray[np.int64], parameters: SimHashParameters, rarity: Rarity) -> NDArray[np.int32]:
    """Weight of each feature of ``sets``, which occurs ``counts`` times in its document: int32, parallel to
    ``sets.values``.
    """
    if parameters.weights == "once":
        return np.ones(len(sets.values), np.int32)
    if parameters.weights == "frequency":
        return counts.astype(np.int32)
    if parameters.weights == "log":
        return np.asarray(np.rint(_UNIT * (1 + np.log(counts))), np.int32)
    tfidf = _UNIT * counts * rarity.idf(sets.values)
    owner = np.repeat(np.arange(len(sets.sizes)), sets.sizes)
    if parameters.weights == "keywords":
        tfidf[~_heaviest(tfidf, owner, sets, parameters.keywords)] = 0
    sums = np.bincount(owner, weights=tfidf + 1, minlength=len(sets.sizes))
    return np.asarray(np.rint(tfidf / np.maximum(1, sums / _MOST)[owner]), np.int32)


def _heaviest(values: NDArray[np.float64], owner: NDArray[np.int64], sets: Rows, most: int) -> NDArray[np.bool_]:
    """Which features are among the ``most`` heaviest of their document; of equal ones, those of the smallest hash."""
    order = np.lexsort((sets.values, -values, owner))
    heaviest = np.zeros(len(values), np.bool_)
    heaviest[order] = np.arange(len(values)) - sets.bounds[owner] < most
    return heaviest
