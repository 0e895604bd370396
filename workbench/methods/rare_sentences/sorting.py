"""Rows sorted by a 64-bit hash in bounded memory: sorted runs are spilled to disk and merged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[Any]
"""A structured array with a field ``hash`` (uint64)."""


class Sorter:
    """Sorts rows by ``hash``; rows with equal hashes keep the order they were added in.

    At most ``memory`` rows are in memory, plus all rows of one hash. Runs are files in ``folder`` that :meth:`close`
    deletes.
    """

    def __init__(self, folder: Path, dtype: np.dtype[Any], memory: int) -> None:
        self._folder = folder
        self._dtype = dtype
        self._memory = max(1, memory)
        self._waiting: list[Rows] = []
        self._rows = 0
        self._runs: list[Path] = []
        self.length = 0
        """Number of rows added."""

    def add(self, rows: Rows) -> None:
        """Add any number of rows."""
        self.length += len(rows)
        for first in range(0, len(rows), self._memory):
            part = rows[first : first + self._memory]
            if self._rows + len(part) > self._memory:
                self._spill()
            self._waiting.append(part)
            self._rows += len(part)

    def merged(self) -> Iterator[Rows]:
        """All rows in order, in pieces; rows with the same hash are in one piece."""
        self._spill()
        runs = [np.memmap(path, self._dtype, "r") for path in self._runs]
        window = max(1, self._memory // max(1, len(runs)))
        at = [0] * len(runs)
        while any(a < len(run) for a, run in zip(at, runs, strict=True)):
            # Up to the least of the last hashes loaded, no run can still hold a smaller one that is not loaded.
            bound = min(
                run["hash"][min(a + window, len(run)) - 1] for a, run in zip(at, runs, strict=True) if a < len(run)
            )
            parts = []
            for i, run in enumerate(runs):
                end = at[i] + int(np.searchsorted(run["hash"][at[i] :], bound, "right"))
                parts.append(np.array(run[at[i] : end]))
                at[i] = end
            piece = np.concatenate(parts)
            yield piece[np.argsort(piece["hash"], kind="stable")]

    def close(self) -> None:
        """Delete the runs."""
        for path in self._runs:
            path.unlink(missing_ok=True)
        self._runs.clear()

    def _spill(self) -> None:
        if not self._waiting:
            return
        rows = np.concatenate(self._waiting)
        path = self._folder / f"run{len(self._runs)}.tmp"
        rows[np.argsort(rows["hash"], kind="stable")].tofile(path)
        self._runs.append(path)
        self._waiting.clear()
        self._rows = 0


class ArrayFile:
    """A one-dimensional ``.npy`` file that can be appended to."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self._file = path.open("wb")
        self._dtype = np.dtype(dtype)
        self.length = 0
        self._header()

    def append(self, values: NDArray[Any]) -> None:
        """Write ``values`` at the end."""
        np.ascontiguousarray(values, self._dtype).tofile(self._file)
        self.length += len(values)

    def close(self) -> None:
        """Write the length and close the file."""
        self._file.seek(0)
        self._header()
        self._file.close()

    def _header(self) -> None:
        # numpy leaves room in the header for an axis to grow.
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": (self.length,)}
        np.lib.format.write_array_header_1_0(self._file, header)
