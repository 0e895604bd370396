"""Tables of hash keys, sorted, in which documents with the same key are adjacent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress


@dataclass(frozen=True, slots=True)
class Buckets:
    """t tables of D documents. ``keys`` uint64 [t, D], each row ascending; ``holders`` uint32 [t, D]: the documents
    they belong to.
    """

    keys: NDArray[np.uint64]
    holders: NDArray[np.uint32]

    @classmethod
    def of(cls, keys: NDArray[np.uint64], progress: Progress) -> Buckets:
        """Tables of the documents' ``keys`` [t, D], in document order. Raises Cancelled."""
        holders, ordered = np.empty(keys.shape, np.uint32), np.empty_like(keys)
        for table, own in enumerate(keys):
            progress.check()
            holders[table] = np.argsort(own, kind="stable")
            ordered[table] = own[holders[table]]
        return cls(ordered, holders)

    def find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Start and end, in the flattened ``holders``, of the buckets of ``keys`` [t, d]: int64 [d, t] each."""
        tables, size = self.keys.shape
        first, last = (np.empty((keys.shape[1], tables), np.int64) for _ in range(2))
        for table, (own, queries) in enumerate(zip(self.keys, keys, strict=True)):
            first[:, table] = np.searchsorted(own, queries, "left") + table * size
            last[:, table] = np.searchsorted(own, queries, "right") + table * size
        return first, last
