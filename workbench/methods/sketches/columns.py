"""The stored data of a sketch: columns by name, and the postings with the documents of each key.

A column is an array with one row for each document, or :class:`Rows` with several values for each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.mixing import in_order
from workbench.kernels.sketches.postings import Lists, bucket_starts, equal_range
from workbench.kernels.sketches.shingles import Rows

Columns = dict[str, Any]
Keys = Rows | NDArray[np.uint64]
"""Keys of d documents: Rows, or uint64 [tables, d] if each has one key in every table."""
_BOUNDS = ".bounds"
_PAID = 16
"""Number of keys of a table that can be put into buckets in the time that buckets save in finding one key."""
_SORTED = 1 << 22
"""Number of keys sorted at once, about: a tenth of a gigabyte."""
_NO_STARTS = np.zeros(0, np.int32)


def join(parts: Iterable[Columns], folder: Path | None = None) -> Columns:
    """The columns of several groups of documents (at least one) as one.

    With ``folder`` they are in temporary files there, mapped into memory, and each of ``parts`` is needed only until
    the next is taken.
    """
    whole: dict[str, _Whole] = {}
    rows: dict[str, list[NDArray[np.int64]]] = {}
    for part in parts:
        for name, column in part.items():
            values = column
            if isinstance(column, Rows):
                values = column.values
                rows.setdefault(name, [np.zeros(1, np.int64)]).append(column.sizes)
            whole.setdefault(name, _Whole(folder)).append(values)
    return {
        name: Rows(column.array(), np.cumsum(np.concatenate(rows[name]), dtype=np.int64))
        if name in rows
        else column.array()
        for name, column in whole.items()
    }


class _Whole:
    """Arrays, one after the other, in a temporary file of ``folder`` if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else TemporaryFile(dir=folder)  # noqa: SIM115 - closed with the array
        self._parts: list[NDArray[Any]] = []
        self._rows = 0

    def append(self, part: NDArray[Any]) -> None:
        """Add the rows of ``part``."""
        self._rows += len(part)
        if self._file is not None:
            self._file.write(np.ascontiguousarray(part).data)
            part = part[:0].copy()
            self._parts.clear()
        self._parts.append(part)

    def array(self) -> NDArray[Any]:
        """All rows."""
        like = self._parts[-1]
        if self._file is None or not self._rows:
            return np.concatenate(self._parts)
        # Copy-on-write, so that kernels see a writable array, as elsewhere.
        return np.asarray(np.memmap(self._file, like.dtype, "c", shape=(self._rows, *like.shape[1:])))


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


def compact(column: NDArray[Any]) -> array[Any]:
    """The numbers of ``column``, each of which is read as by ``tolist``."""
    code, kind = ("d", np.float64) if column.dtype.kind == "f" else ("q", np.int64)
    return array(code, column.astype(kind).tobytes())


def _take(column: Any, at: NDArray[np.int64]) -> Any:
    if not isinstance(column, Rows):
        return column[at]
    return _rows([column.values[:0], *map(column.of, at.tolist())], column.sizes[at])


def _rows(values: Sequence[NDArray[Any]], sizes: NDArray[np.int64]) -> Rows:
    return Rows(np.concatenate(values), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


def _in_parts(keys: NDArray[np.uint64]) -> Iterator[NDArray[np.int64] | slice]:
    """The places of ``keys`` in parts that can be sorted one after the other: by the highest bits, ascending."""
    bits = max(0, (len(keys) - 1) // _SORTED).bit_length()
    if not bits:
        yield slice(None)
        return
    highest = (keys >> np.uint64(64 - bits)).astype(np.uint8 if bits <= 8 else np.uint32)
    for part in range(1 << bits):
        yield np.flatnonzero(highest == part)


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
    def of(cls, keys: Keys, holders: NDArray[Any] | None, progress: Progress, folder: Path | None = None) -> Postings:
        """Postings of ``keys``, in temporary files of ``folder`` if there is one; ``holders``, parallel to the keys,
        are the documents themselves if None. Raises Cancelled.
        """
        if isinstance(keys, Rows):
            tables = keys.values[None]
            own = np.repeat(np.arange(len(keys.sizes), dtype=np.uint32), keys.sizes) if holders is None else holders
        else:
            tables = keys
            own = np.arange(keys.shape[1], dtype=np.uint32) if holders is None else holders
        ordered, owners = _Whole(folder), _Whole(folder)
        ordered.append(tables.reshape(-1)[:0])
        owners.append(own[:0])
        for table in tables:
            for some in _in_parts(table):
                progress.check()
                part, order = in_order(table[some])
                ordered.append(part)
                owners.append(own[some][order])
        return cls(ordered.array(), owners.array(), np.arange(len(tables) + 1) * tables.shape[1])

    def find(self, keys: Keys) -> Lists:
        """The list of each key of each document, empty ones included, in the documents' order."""
        if isinstance(keys, Rows):
            owner, sought = np.repeat(np.arange(len(keys.sizes)), keys.sizes), keys.values[None]
        else:
            owner, sought = np.repeat(np.arange(keys.shape[1]), len(keys)), keys
        limits = np.empty((2, *sought.T.shape), np.int64)
        self.sought[0] += sought.shape[1]
        for table, own in enumerate(sought):
            low, high = self.tables[table : table + 2].tolist()
            if table not in self.starts and _PAID * self.sought[0] >= high - low > 1:
                self.starts[table] = bucket_starts(self.keys, low, high, min(31, (high - low).bit_length()))
            starts = self.starts.get(table, _NO_STARTS)
            equal_range(self.keys, low, high, starts, own, limits, table)
        return Lists(owner, *limits.reshape(2, -1))
