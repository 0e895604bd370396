"""The index of ``digest``: digests of the sources, their suffix array, and the frequencies behind the surprisal.

Data read by every query is separate from data needed only for matched documents. The former takes 6 bytes per segment
(suffix array and signatures); the latter is in memory-mapped files, read only for matches.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.kernels.code_points import CODE_POINTS
from workbench.kernels.digest.fingerprint_suffixes import SuffixArray, suffix_array
from workbench.kernels.digest.segment_values import count_letters, letter_costs, letter_counts
from workbench.kernels.mixing import in_order
from workbench.methods.core.collection import batches
from workbench.methods.digest.extents import COLUMNS, Extents
from workbench.methods.digest.parameters import DigestParameters
from workbench.methods.digest.segments import Segments, segment

_ARRAYS = (
    "text",
    "suffixes",
    "signatures",
    "buckets",
    "starts",
    "keys",
    "key_order",
    "repeated",
    "documents_with",
    "letters",
    "letter_costs",
    *COLUMNS,
)
RESIDENT = ("suffixes", "signatures", "buckets", "starts", "repeated", "documents_with")
"""Arrays that any query may read; the others are read only for matches."""


@dataclass(frozen=True, slots=True)
class DigestIndex:
    """D indexed documents with n segments in all.

    ``text``: uint64 [n + D + 1], the digest text (0 around each document); ``extents``: further data on the segment at
    each position. ``starts`` uint32 [D]: first position of each document; ``keys`` [D], int64 or narrower;
    ``key_order`` (likewise) sorts them, empty if they are ascending. ``repeated`` uint64 ascending: fingerprints in two
    or more documents, with the number of documents in ``documents_with``; ``counted``: documents these numbers refer to
    (sources, background); ``costs`` uint16 [0x110000]: letter surprisal.
    """

    text: NDArray[np.uint64]
    array: SuffixArray
    extents: Extents
    starts: NDArray[np.uint32]
    keys: NDArray[Any]
    key_order: NDArray[Any]
    repeated: NDArray[np.uint64]
    documents_with: NDArray[np.uint32]
    counted: int
    costs: NDArray[np.uint16]

    def document_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of the document at each position of the text."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def own_places(self, keys: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First position and end of the documents with these keys; both the end of the text for documents that are not
        indexed.
        """
        requested = np.asarray(keys, np.int64)
        nowhere = np.full(len(requested), len(self.text), np.int64)
        if not len(self.keys):
            return nowhere, nowhere
        # In the type of the keys, which would otherwise all be converted.
        narrow = np.clip(requested, 0, np.iinfo(self.keys.dtype).max).astype(self.keys.dtype)
        at = np.searchsorted(self.keys, narrow, sorter=self.key_order if len(self.key_order) else None)
        at = np.minimum(at, len(self.keys) - 1)
        if len(self.key_order):
            at = self.key_order[at].astype(np.int64)
        known = self.keys[at] == requested
        starts = np.concatenate([self.starts[at], self.starts[np.minimum(at + 1, len(self.keys) - 1)]]).astype(np.int64)
        first, following = starts[: len(at)], starts[len(at) :]
        ends = np.where(at + 1 < len(self.keys), following, len(self.text)) - 1
        return np.where(known, first, nowhere), np.where(known, ends, nowhere)

    def spans(self, places: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Start and end, int64 [m, 2], of the segments at ``places`` of the text, in documents with these numbers."""
        return self.extents.spans(places, self.starts[documents].astype(np.int64))

    def documents_holding(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Number of counted documents with each fingerprint; 1 if it is not repeated."""
        if not len(self.repeated):
            return np.ones(len(fingerprints), np.int64)
        at = np.minimum(np.searchsorted(self.repeated, fingerprints), len(self.repeated) - 1)
        return np.where(self.repeated[at] == fingerprints, self.documents_with[at], 1).astype(np.int64)

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``, one file per array."""
        counted = np.flatnonzero(self.costs != self.costs.max())
        arrays: dict[str, NDArray[Any]] = {
            "suffixes": self.array.suffixes,
            "signatures": self.array.signatures,
            "buckets": self.array.buckets,
            "letters": counted.astype(np.uint32),
            "letter_costs": self.costs[counted],
            **self.extents.columns(),
        }
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", arrays[name] if name in arrays else getattr(self, name))
        facts = {
            "counted": self.counted,
            "bucket_bits": self.array.bucket_bits,
            "unseen_cost": int(self.costs.max()),
        }
        (folder / "index.json").write_text(json.dumps(facts), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> DigestIndex:
        """Open a saved index, memory-mapped. Raises UserError if a file is missing or damaged."""
        try:
            facts = json.loads((folder / "index.json").read_text(encoding="utf-8"))
            # Copy-on-write maps are writable, like freshly built arrays, so the kernels are compiled only once for
            # both.
            a = {n: np.asarray(np.load(folder / f"{n}.npy", mmap_mode="c", allow_pickle=False)) for n in _ARRAYS}
            costs = np.full(CODE_POINTS, facts["unseen_cost"], np.uint16)
            costs[a["letters"]] = a["letter_costs"]
            array = SuffixArray(a["suffixes"], a["signatures"], a["buckets"], facts["bucket_bits"])
            extents = Extents.from_columns(a)
            if len(a["text"]) != len(a["suffixes"]) + len(a["starts"]) + 1 or len(extents.codes) != len(a["text"]):
                raise ValueError("sizes disagree")
        except (OSError, ValueError, KeyError) as error:
            raise UserError(
                Message("The index is damaged."),
                path=folder,
                hint=Message("Delete this folder; it will be rebuilt from the project."),
            ) from error
        return cls(
            a["text"],
            array,
            extents,
            a["starts"],
            a["keys"],
            a["key_order"],
            a["repeated"],
            a["documents_with"],
            facts["counted"],
            costs,
        )


def build(
    indexed: Iterable[Document],
    background: Iterable[Document],
    parameters: DigestParameters,
    progress: Progress,
    total: int | None = None,
) -> DigestIndex:
    """Index of ``indexed``; ``background`` documents count for frequencies only. Raises Cancelled.

    ``total`` is the number of documents of both, for progress.
    """
    growing = _Growing()
    for documents, is_indexed in ((indexed, True), (background, False)):
        for batch in batches(documents):
            progress.check()
            growing.add(batch, segment(batch, parameters), indexed=is_indexed)
            progress.advance(Message("Indexing sources"), growing.counted, total)
    progress.check()
    repeated, documents_with = _repeated(growing.prints, growing.documents)
    text = np.concatenate([*growing.text, np.zeros(1, np.uint64)])
    last = np.zeros((1, 2), np.uint32)
    spans, spelling, lengths = (
        np.concatenate([*column, column_end])
        for column, column_end in ((growing.spans, last), (growing.spelling, last), (growing.lengths, last[0, :1]))
    )
    keys = _narrow(np.array(growing.keys, np.int64))
    is_ascending = bool((keys[1:] > keys[:-1]).all())
    return DigestIndex(
        text,
        suffix_array(text, parameters.bits, progress),
        Extents.of(spans, lengths, spelling, text != 0),
        np.array(growing.starts, np.uint32),
        keys,
        _narrow(np.zeros(0, np.int64) if is_ascending else np.argsort(keys, kind="stable")),
        repeated,
        documents_with,
        growing.counted,
        letter_costs(growing.letters),
    )


def _narrow(numbers: NDArray[np.int64]) -> NDArray[Any]:
    """``numbers``, as uint32 if they fit."""
    is_narrow = not len(numbers) or (numbers.min() >= 0 and numbers.max() < 2**32)
    return numbers.astype(np.uint32) if is_narrow else numbers


class _Growing:
    """Columns of an index while its documents are being added."""

    def __init__(self) -> None:
        self.text: list[NDArray[np.uint64]] = []
        self.spans: list[NDArray[np.uint32]] = []
        self.spelling: list[NDArray[np.uint32]] = []
        self.lengths: list[NDArray[np.uint32]] = []
        self.starts: list[int] = []
        self.keys: list[int] = []
        self.prints: list[NDArray[np.uint64]] = []
        self.documents: list[NDArray[np.uint32]] = []
        self.letters = letter_counts()
        self.counted = 0
        self._places = 0

    def add(self, documents: Sequence[Document], segments: Segments, *, indexed: bool) -> None:
        """Count the segments of a batch; if ``indexed``, also append them to the digest text."""
        count_letters(segments.codes, segments.table, self.letters)
        sizes = np.diff(segments.bounds)
        numbers = np.repeat(np.arange(self.counted, self.counted + len(documents), dtype=np.uint32), sizes)
        self.prints.append(segments.fingerprints)
        self.documents.append(numbers)
        self.counted += len(documents)
        if not indexed:
            return
        before = segments.bounds[:-1]
        spans = np.stack([segments.start, segments.end], axis=1).astype(np.uint32)
        self.text.append(np.insert(segments.fingerprints, before, np.uint64(0)))
        self.spans.append(np.insert(spans, before, 0, axis=0))
        self.spelling.append(np.insert(segments.spellings(np.arange(len(segments.start))), before, 0, axis=0))
        self.lengths.append(np.insert(segments.length, before, 0).astype(np.uint32))
        firsts = self._places + before + np.arange(1, len(documents) + 1)
        self.starts.extend(firsts.tolist())
        self.keys.extend(d.key for d in documents)
        self._places += len(segments.fingerprints) + len(documents)


def _repeated(
    prints: Sequence[NDArray[np.uint64]], documents: Sequence[NDArray[np.uint32]]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Fingerprints in two or more documents, ascending, and their numbers of documents."""
    if not prints:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint32)
    ordered, order = in_order(np.concatenate(prints))
    holders = np.concatenate(documents)[order]
    if not len(ordered):
        return np.zeros(0, np.uint64), np.zeros(0, np.uint32)
    new_print = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    new_holder = new_print | np.concatenate([[True], holders[1:] != holders[:-1]])
    counts = np.add.reduceat(new_holder.astype(np.uint32), np.flatnonzero(new_print))
    several = counts > 1
    return ordered[new_print][several], counts[several].astype(np.uint32)
