"""The stored data of a sketch: columns by name, and the postings with the documents of each key.

A column is an array with one row for each document, or :class:`Rows` with several values for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.sketches.postings import Lists, bucket_starts, equal_range
from workbench.kernels.sketches.shingles import Rows

Columns = dict[str, Any]
Keys = Rows | NDArray[np.uint64]
"""Keys of d documents: Rows, or uint64 [tables, d] if each has one key in every table."""
_BOUNDS = ".bounds"
_PAID = 16
"""Number of keys of a table that can be put into buckets in the time that buckets save in finding one key."""
_NO_STARTS = np.zeros(0, np.int32)


def join(parts: Sequence[Columns]) -> Columns:
    """The columns of several groups of documents as one. ``parts`` are emptied, each as soon as it is copied, so that
    hardly more memory is needed than for the result.
    """
    return {name: _join([part.pop(name) for part in parts]) for name in list(parts[0])}


def take(columns: Columns, at: NDArray[np.int64]) -> Columns:
    """The columns of some documents, by number."""
    return {name: _take(column, at) for name, column in columns.items()}


def flat(columns: Columns) -> dict[str, NDArray[Any]]:
    """Plain arrays by name, for saving."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, column in columns.items():
        arrays |= {name: column.values, name + _BOUNDS: column.bounds} if isinstance(column, Rows) else {name: column}
    return arrays


def unflat(arrays: Mapping[str, NDArray[Any]], like: Columns) -> Columns:
    """The inverse of :func:`flat`, with the names and forms of ``like``."""
    return {
        name: Rows(arrays[name], arrays[name + _BOUNDS]) if isinstance(column, Rows) else arrays[name]
        for name, column in like.items()
    }


def _join(parts: list[Any]) -> Any:
    if not isinstance(parts[0], Rows):
        return _concatenated(parts)
    sizes = np.concatenate([part.sizes for part in parts])
    values = [part.values for part in parts]
    parts.clear()
    return Rows(_concatenated(values), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


def _concatenated(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """``np.concatenate``; ``parts`` is emptied, so that the memory of each is free once it is copied."""
    whole = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), parts[0].dtype)
    end = len(whole)
    while parts:
        part = parts.pop()
        whole[end - len(part) : end] = part
        end -= len(part)
    return whole


def _take(column: Any, at: NDArray[np.int64]) -> Any:
    if not isinstance(column, Rows):
        return column[at]
    return _rows([column.values[:0], *map(column.of, at.tolist())], column.sizes[at])


def _rows(values: Sequence[NDArray[Any]], sizes: NDArray[np.int64]) -> Rows:
    return Rows(np.concatenate(values), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


def stable_order(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """``np.argsort`` with ``kind="stable"`` in a quarter to half of the time, if most keys occur once.

    Keys are sorted with the processor's vector instructions, which only the unstable sort uses; then equal keys are
    ordered.
    """
    if len(keys) >= 1 << 31:
        return np.argsort(keys, kind="stable")
    order = np.argsort(keys)
    ordered = keys[order]
    again = np.concatenate([[False], ordered[1:] == ordered[:-1]])[: len(keys)]
    shared = again.copy()
    shared[:-1] |= again[1:]
    at = np.flatnonzero(shared)
    group = np.cumsum(~again[at])
    order[at] = np.sort(group << 32 | order[at]) & 0xFFFFFFFF
    return order


@dataclass(frozen=True, slots=True)
class Postings:
    """``keys`` uint64 [n], ascending within each table; ``holders`` [n]: the documents (or positions) with them,
    ascending among equal keys.

    ``tables`` int64 [t + 1]: table i has the rows ``tables[i]:tables[i + 1]``. ``starts``: the buckets of keys in
    tables in which enough keys were looked up to pay for them.
    """

    keys: NDArray[np.uint64]
    holders: NDArray[Any]
    tables: NDArray[np.int64]
    starts: dict[int, NDArray[np.int32]] = field(default_factory=dict, init=False, compare=False)
    sought: list[int] = field(default_factory=lambda: [0], init=False, compare=False)

    @classmethod
    def of(cls, keys: Keys, holders: NDArray[Any] | None, progress: Progress) -> Postings:
        """Postings of ``keys``; ``holders``, parallel to the keys, are the documents themselves if None. Keys in tables
        are sorted in place. Raises Cancelled.
        """
        if isinstance(keys, Rows):
            documents = np.repeat(np.arange(len(keys.sizes), dtype=np.uint32), keys.sizes)
            tables, holders = keys.values[None], documents if holders is None else holders
            ordered = np.empty_like(tables)
        else:
            tables, ordered, holders = keys, keys, np.arange(keys.shape[1], dtype=np.uint32)
        bounds = np.arange(len(tables) + 1) * tables.shape[1]
        ordered, owners = ordered.reshape(-1), np.empty(tables.size, holders.dtype)
        for own, first, last in zip(tables, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            progress.check()
            order = stable_order(own)
            ordered[first:last], owners[first:last] = own[order], holders[order]
        return cls(ordered, owners, bounds)

    def find(self, keys: Keys) -> Lists:
        """The list of each key of each document, empty ones included, in the documents' order."""
        if isinstance(keys, Rows):
            owner, sought = np.repeat(np.arange(len(keys.sizes)), keys.sizes), keys.values[None]
        else:
            owner, sought = np.repeat(np.arange(keys.shape[1]), len(keys)), keys
        limits = np.empty((2, *sought.shape), np.int64)
        self.sought[0] += sought.shape[1]
        for table, own in enumerate(sought):
            low, high = self.tables[table : table + 2].tolist()
            if table not in self.starts and _PAID * self.sought[0] >= high - low > 1:
                self.starts[table] = bucket_starts(self.keys, low, high, min(31, (high - low).bit_length() - 1))
            starts = self.starts.get(table, _NO_STARTS)
            equal_range(self.keys, low, high, starts, own, limits[0, table], limits[1, table])
        return Lists(owner, *(side.T.reshape(-1) for side in limits))
