"""Sentences of a collection that occur in at least two documents and are rare, with the documents that contain them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.kernels.code_points import copy_slices, equal_slices
from workbench.kernels.mixing import in_order
from workbench.methods.core.collection import load_arrays, places, save_arrays
from workbench.methods.rare_sentences.groups import MOST, SEEDS, groups, sketches
from workbench.methods.rare_sentences.pages import Pages
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.sentences import NO_COMPOUNDS, Sentences, read

Rows = NDArray[Any]
"""A structured array with a field ``hash`` (uint64)."""


class Sorter:
    """Sorts rows by ``hash``; rows with equal hashes keep the order in which they were added.

    At most ``memory`` rows are in memory, plus all rows of one hash. Runs are files in ``folder``, deleted by
    :meth:`close`.
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
            # Below the least of the last hashes loaded, no run can contain further hashes.
            bound = min(
                run["hash"][min(a + window, len(run)) - 1] for a, run in zip(at, runs, strict=True) if a < len(run)
            )
            parts = []
            for i, run in enumerate(runs):
                end = at[i] + int(np.searchsorted(run["hash"][at[i] :], bound, "right"))
                parts.append(np.array(run[at[i] : end]))
                at[i] = end
            piece = np.concatenate(parts)
            yield piece.take(in_order(piece["hash"])[1])

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
        rows.take(in_order(rows["hash"])[1]).tofile(path)
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
        # numpy reserves space in the header for a growing axis.
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": (self.length,)}
        np.lib.format.write_array_header_1_0(self._file, header)


HELD = 1 << 19
"""Rows that the sorter keeps in memory: about 30 MB, several times as much while merging."""

PLACE = {
    "document": np.uint32,
    "start": np.int32,
    "end": np.int32,
    "ordinal": np.int32,
    "spelling": np.uint32,
    "lead": np.uint32,
    "gap": np.uint32,
    "quoted": np.bool_,
}
"""Columns of a sentence in a document; see ``Sentences``."""
ROW = np.dtype([("hash", np.uint64), ("first", np.int64), ("length", np.int32), *PLACE.items()])
"""A row for sorting: a sentence of a document."""
_SLOTS = {"hashes": np.uint64, "sizes": np.int32, "lengths": np.int32, "codes": np.uint32}
_FREQUENT = {"frequent": np.uint64, "frequencies": np.uint32}
_PAGES = {"links": np.uint64, "urls": np.uint8}
_GROWING = {**PLACE, **_SLOTS, **_FREQUENT, **_PAGES}
_HELD_ARRAYS = {
    "order": np.int64,
    "characters": np.int64,
    "address": np.uint64,
    "published": np.float64,
    "link_bounds": np.int64,
    "url_bounds": np.int64,
}
_BOUNDS = ("link_bounds", "url_bounds")
_TEXTS = "sentences.tmp"


@dataclass(frozen=True, slots=True)
class RareSentencesIndex:
    """D documents; ``order`` int64 [D] are their positions in the collection, ``pages`` the inputs of their relations.

    Rare sentence i of h has ``hashes[i]`` (uint64, ascending), the folded characters ``codes[code_first[i]:code_first[i
    + 1]]`` and occurs in the documents of the rows ``first[i]:first[i + 1]`` of ``place``, by ``document``.
    ``frequent`` uint64 are the hashes of too frequent sentences, ``frequencies`` their numbers of documents.
    ``compounds`` of links are single sentences (see ``sentences``).
    """

    order: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    first: NDArray[np.int64]
    codes: NDArray[np.uint32]
    code_first: NDArray[np.int64]
    place: dict[str, NDArray[Any]]
    frequent: NDArray[np.uint64]
    frequencies: NDArray[np.uint32]
    pages: Pages
    compounds: NDArray[np.uint64]

    @property
    def sources(self) -> int:
        """The number of documents that are sources; they come first."""
        return int(np.searchsorted(self.order, np.int64(1 << 60)))

    def slots(self, sentences: Sentences) -> NDArray[np.int64]:
        """The number of each of ``sentences`` among the rare ones; -1 for others."""
        slot = _places(self.hashes, sentences.hashes)
        rows = np.flatnonzero(slot >= 0)
        candidates = slot[rows]
        lengths = np.diff(self.code_first)[candidates].astype(np.int32)
        equal = equal_slices(
            sentences.codes,
            sentences.first[rows],
            sentences.length[rows],
            self.codes,
            self.code_first[candidates],
            lengths,
        )
        slot[rows[~equal]] = -1
        return slot

    def too_frequent(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of documents with each too frequent sentence; 0 for others."""
        at = _places(self.frequent, hashes)
        counts = np.zeros(len(hashes), np.int64)
        counts[at >= 0] = self.frequencies[at[at >= 0]]
        return counts


def _places(ascending: NDArray[np.uint64], values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Index of each of ``values`` in ``ascending``, -1 if it is absent."""
    if not len(ascending):
        return np.full(len(values), -1, np.int64)
    at = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.where(ascending[at] == values, at, -1).astype(np.int64)


def load(folder: Path) -> RareSentencesIndex:
    """Open a built index, memory-mapped. Raises UserError if it is damaged."""
    a, _ = load_arrays(folder, (*_HELD_ARRAYS, *_GROWING, "compounds"))
    first, code_first = (np.concatenate([[0], np.cumsum(a[name], dtype=np.int64)]) for name in ("sizes", "lengths"))
    pages = Pages(**{f.name: a[f.name] for f in fields(Pages)})
    return RareSentencesIndex(
        a["order"],
        a["hashes"],
        first,
        a["codes"],
        code_first,
        {name: a[name] for name in PLACE},
        a["frequent"],
        a["frequencies"],
        pages,
        a["compounds"],
    )


def build(
    read_batches: Iterable[Sequence[Document]],
    parameters: RareSentencesParameters,
    folder: Path,
    progress: Progress,
    memory: int = HELD,
    compounds: NDArray[np.uint64] = NO_COMPOUNDS,
) -> None:
    """Write the index of documents, given in groups in the collection's order, into ``folder``.

    ``memory`` rows of sentences are sorted in memory at a time; ``compounds`` of links are single sentences. Raises
    Cancelled.
    """
    with ExitStack() as stack:
        files = {name: ArrayFile(folder / f"{name}.npy", dtype) for name, dtype in _GROWING.items()}
        for file in files.values():
            stack.callback(file.close)
        sorter = Sorter(folder, ROW, memory)
        stack.callback(sorter.close)
        texts = folder / _TEXTS
        stack.callback(texts.unlink, missing_ok=True)
        arrays, sketch = _gather(read_batches, parameters, compounds, texts, sorter, files)
        progress.check()
        _group(sorter, texts, parameters.max_documents, sketch if parameters.copies_as_one else None, files, progress)
    save_arrays(folder, {**arrays, "compounds": compounds})
    # The arrays written to disk are also part of the index.
    facts = folder / "index.json"
    stored = json.loads(facts.read_text(encoding="utf-8"))
    stored["sizes"] |= {name: file.length for name, file in files.items()}
    facts.write_text(json.dumps(stored), encoding="utf-8")


def _gather(
    read_batches: Iterable[Sequence[Document]],
    parameters: RareSentencesParameters,
    compounds: NDArray[np.uint64],
    texts: Path,
    sorter: Sorter,
    files: dict[str, ArrayFile],
) -> tuple[dict[str, NDArray[Any]], NDArray[np.uint64]]:
    """Write all sentences to ``sorter`` and their characters to the file ``texts``. Returns the documents' columns, and
    their sketches.
    """
    parts_of: dict[str, list[NDArray[Any]]] = {name: [np.zeros(0, dtype)] for name, dtype in _HELD_ARRAYS.items()}
    written = documents = 0
    sketch = [np.zeros((0, len(SEEDS), 2), np.uint64)]
    with texts.open("wb") as file:
        for group in read_batches:
            sentences = read(group, parameters, compounds)
            own = sentences.characters()
            rows = np.zeros(len(sentences), ROW)
            rows["hash"], rows["length"] = sentences.hashes, sentences.length
            rows["first"] = written + np.cumsum(sentences.length, dtype=np.int64) - sentences.length
            for name in PLACE:
                rows[name] = getattr(sentences, name)
            rows["document"] += np.uint32(documents)
            sorter.add(rows)
            _slices(sentences.codes, sentences.first, sentences.length).tofile(file)
            written += int(sentences.length.sum())
            documents += len(group)
            _keep(group, own, parts_of, files)
            sketch.append(sketches(sentences.hashes, sentences.document.astype(np.int64), len(group)))
    arrays = {name: np.concatenate(parts) for name, parts in parts_of.items()}
    for name in _BOUNDS:
        arrays[name] = np.concatenate([[0], np.cumsum(arrays[name])]).astype(np.int64)
    return arrays, np.concatenate(sketch)


def _keep(
    group: Sequence[Document],
    characters: NDArray[np.int64],
    columns: dict[str, list[NDArray[Any]]],
    files: dict[str, ArrayFile],
) -> None:
    """Collect the columns of the group's pages; for links and URLs, the counts, which become bounds."""
    seen = Pages.of(group, characters)
    columns["order"].append(places(group))
    for name, parts in columns.items():
        if name != "order":
            column = getattr(seen, name)
            parts.append(np.diff(column) if name in _BOUNDS else column)
    for name in _PAGES:
        files[name].append(getattr(seen, name))


def _group(
    sorter: Sorter,
    texts: Path,
    limit: int,
    sketch: NDArray[np.uint64] | None,
    files: dict[str, ArrayFile],
    progress: Progress,
) -> None:
    """Write the sentences of 2 to ``limit`` documents with their places, and the frequencies of others; with the
    documents' ``sketch``, of up to ``limit`` groups of near-identical documents.
    """
    characters = np.memmap(texts, np.uint32, "c") if texts.stat().st_size else np.zeros(0, np.uint32)
    codes = np.asarray(characters)
    done = 0
    for rows in sorter.merged():
        progress.check()
        done += len(rows)
        progress.advance(Message("Counting sentences"), done, sorter.length)
        edges = np.flatnonzero(np.concatenate([[True], rows["hash"][1:] != rows["hash"][:-1]]))
        sizes = np.diff(np.append(edges, len(rows)))
        common = sizes > limit
        if sketch is not None and common.any():
            row = np.flatnonzero(np.repeat(common & (sizes <= MOST), sizes))
            owner = np.repeat(np.arange(len(sizes)), sizes)[row]
            counted = groups(sketch[rows["document"][row]], rows["hash"][row], owner, len(sizes))
            common &= (sizes > MOST) | (counted > limit)
        files["frequent"].append(rows["hash"][edges[common]])
        files["frequencies"].append(sizes[common])
        rare = (sizes >= 2) & ~common
        leads = rows.take(edges[rare])
        members = rows.take(np.flatnonzero(np.repeat(rare, sizes)))
        of = np.repeat(np.arange(len(leads)), sizes[rare])
        contiguous = np.ascontiguousarray
        # Unequal sentences with equal hashes: the first one is kept.
        same = equal_slices(
            codes,
            contiguous(members["first"]),
            contiguous(members["length"]),
            codes,
            contiguous(leads["first"])[of],
            contiguous(leads["length"])[of],
        )
        for name in PLACE:
            files[name].append(members[name][same])
        files["hashes"].append(leads["hash"])
        files["sizes"].append(np.bincount(of[same], minlength=len(leads)))
        files["lengths"].append(leads["length"])
        files["codes"].append(_slices(codes, contiguous(leads["first"]), contiguous(leads["length"])))


def _slices(codes: NDArray[np.uint32], first: NDArray[np.int64], length: NDArray[np.int32]) -> NDArray[np.uint32]:
    """Concatenated slices of ``codes``."""
    out = np.empty(int(length.sum()), np.uint32)
    copy_slices(codes, first, length, out)
    return out
