"""The index of ``altered``: words of the sources with offsets, their frequencies, and the sources that contain each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document
from workbench.kernels.altered.candidates import FEW, Vocabulary, portions, postings, scan
from workbench.kernels.altered.pairing import Frequencies, count_links
from workbench.kernels.code_points import code_points
from workbench.methods.altered.parameters import AlteredParameters
from workbench.methods.altered.words import TextWords, words_of
from workbench.methods.core.collection import keys, load_arrays, places, save_arrays

_STREAMED = {"words": np.int32, "start": np.int32, "close": np.int32, "breaks": np.uint8, "text": np.uint32}
_WHOLE = (
    "order",
    "bounds",
    "text_bounds",
    "values",
    "slots",
    "counts",
    "leads",
    "characters",
    "links",
    "portions",
    "first",
    "holders",
    "gains",
)
_MOST_POSTINGS = 1 << 24
"""Maximum number of postings read to choose sources for a suspect; beyond it, its most common words are dropped."""
_PORTION = 1 << 22
"""Postings between two checks for cancellation."""
TOO_COMMON = Message("words of suspects too common for choosing sources")
TOO_MANY = Message("sources that were not aligned because others were likelier")
_LEAST = 3.0
"""Score of a source above the logarithm of the number of portions, any of which may score by chance."""


@dataclass(frozen=True, slots=True)
class AlteredIndex:
    """D sources with n words in all.

    ``order`` int64 [D]: positions in the collection (see ``methods.core.collection``). ``words`` int32, numbers in the
    vocabulary; ``start``, ``close`` int32 [n] and ``breaks`` uint8 [n], see ``CutWords``; source i has the words
    ``bounds[i]:bounds[i + 1]`` (followed by those of background documents) and ``text_bounds[i]:text_bounds[i + 1]`` of
    ``text`` (uint32, code points). ``portions`` int64 [D + 1]: the first portion of each source; ``first``,
    ``holders``, ``gains``: posting lists of portions. ``also``: keys of sources to align with a document however
    unlikely they are, by the document's key.
    """

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]
    words: NDArray[np.int32]
    start: NDArray[np.int32]
    close: NDArray[np.int32]
    breaks: NDArray[np.uint8]
    text: NDArray[np.uint32]
    text_bounds: NDArray[np.int64]
    vocabulary: Vocabulary
    frequencies: Frequencies
    portions: NDArray[np.int64]
    first: NDArray[np.int64]
    holders: NDArray[np.int32]
    gains: NDArray[np.uint8]
    also: Mapping[int, Collection[int]]

    @classmethod
    def load(cls, folder: Path) -> AlteredIndex:
        """Open a saved index, memory-mapped. Raises UserError if it is damaged."""
        a, _ = load_arrays(folder, (*_WHOLE, *_STREAMED))
        total = int(a["counts"].sum(dtype=np.int64))
        kept = {name: a.pop(name) for name in ("values", "slots", "counts", "leads", "characters", "links")}
        frequencies = Frequencies(kept["counts"], kept["leads"], kept["characters"], kept["links"], total)
        return cls(vocabulary=Vocabulary(kept["values"], kept["slots"]), frequencies=frequencies, also={}, **a)

    def numbers(self, words: TextWords) -> NDArray[np.int32]:
        """Numbers of a text's words; words in no source are numbered after the vocabulary."""
        numbers = self.vocabulary.find(words.values)
        new = numbers < 0
        if new.any():
            _, others = np.unique(words.values[new], return_inverse=True)
            numbers[new] = len(self.vocabulary) + others
        return numbers

    def source(self, i: int) -> str:
        """The text of a source."""
        codes = self.text[self.text_bounds[i] : self.text_bounds[i + 1]]
        return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def named(self, document: int) -> list[int]:
        """The sources that ``also`` has for the key of a document."""
        named = self.also.get(document)
        return np.flatnonzero(np.isin(keys(self.order), list(named))).tolist() if named else []

    def candidates(
        self, numbers: NDArray[np.int32], limit: int, parameters: AlteredParameters, progress: Progress
    ) -> tuple[list[int], Counter[str]]:
        """Those of the first ``limit`` sources worth aligning with a text of these words, most likely first.

        All of them in a collection of at most FEW sources, in which copying itself makes words common. Also returns
        counts of omissions. Raises Cancelled.
        """
        left_out: Counter[str] = Counter()
        used = np.ones(len(numbers), np.uint8)
        known = np.flatnonzero(numbers < len(self.first) - 1)
        lengths = np.zeros(len(numbers), np.int64)
        lengths[known] = self.first[numbers[known] + 1] - self.first[numbers[known]]
        used[known] = np.where(lengths[known] > 0, 2, 0)
        ranked = np.argsort(lengths, kind="stable")
        beyond = ranked[np.cumsum(lengths[ranked]) > _MOST_POSTINGS]
        if len(beyond):
            used[beyond], lengths[beyond] = 0, 0
            left_out[TOO_COMMON] = len(np.unique(numbers[beyond]))
        best = self._scores(numbers, used, np.cumsum(lengths), limit, progress)
        ranked = np.argsort(-best[:limit], kind="stable")
        likely = int((best[:limit] >= _LEAST + np.log(max(1, self.portions[-1]))).sum())
        if likely > parameters.max_sources:
            left_out[TOO_MANY] = likely - parameters.max_sources
        aligned = limit if len(self.order) <= FEW else likely
        return ranked[: min(aligned, parameters.max_sources)].tolist(), left_out

    def _scores(
        self,
        numbers: NDArray[np.int32],
        used: NDArray[np.uint8],
        work: NDArray[np.int64],
        limit: int,
        progress: Progress,
    ) -> NDArray[np.float64]:
        """The score of every source: that of its best portion. ``work`` int64: postings up to and including each
        word.
        """
        n, limit = int(self.portions[-1]), int(self.portions[limit])
        current, seen, best = np.zeros(n), np.full(n, -1, np.int32), np.zeros(n)
        low, step = 0, 0
        while low < len(numbers):
            progress.check()
            before = work[low - 1] if low else 0
            high = max(low + 1, int(np.searchsorted(work, before + _PORTION, "right")))
            postings_of = (self.first, self.holders, self.gains)
            step = scan(numbers, low, high, used, *postings_of, limit, step, current, seen, best)
            low = high
        return np.maximum.reduceat(best, self.portions[:-1]) if n else best


class _Store:
    """Arrays that grow part by part: in files in ``folder``, or in memory without one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._parts: dict[str, list[NDArray[Any]]] = {name: [] for name in _STREAMED}
        self._files = {}
        self._sizes = dict.fromkeys(_STREAMED, 0)
        if folder is not None:
            for name in _STREAMED:
                self._files[name] = (folder / f"{name}.npy").open("wb")
                self._header(name)

    def _header(self, name: str) -> None:
        """The header of a file; numpy reserves space in it for any length."""
        header = {"descr": npy.dtype_to_descr(np.dtype(_STREAMED[name])), "fortran_order": False}
        npy.write_array_header_1_0(self._files[name], header | {"shape": (self._sizes[name],)})

    def append(self, name: str, part: NDArray[Any]) -> None:
        """Add ``part`` to the array called ``name``."""
        part = np.ascontiguousarray(part, _STREAMED[name])
        self._sizes[name] += len(part)
        if self._folder is None:
            self._parts[name].append(part)
        else:
            self._files[name].write(part.data)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The whole arrays. Nothing can be appended afterwards."""
        if self._folder is None:
            return {k: np.concatenate([np.zeros(0, _STREAMED[k]), *parts]) for k, parts in self._parts.items()}
        for name, file in self._files.items():
            file.seek(0)
            self._header(name)
            file.close()
        return {name: np.asarray(np.load(self._folder / f"{name}.npy", mmap_mode="c")) for name in _STREAMED}

    def close(self) -> None:
        """Close the files, also after errors."""
        for file in self._files.values():
            file.close()


class _Counts:
    """Occurrences of each word, and of each character at the start of a pair."""

    def __init__(self) -> None:
        self.vocabulary, self._characters = Vocabulary(), Vocabulary()
        self._words, self._leads = np.zeros(0, np.uint32), np.zeros(0, np.int32)
        self._pairs = np.zeros(0, np.uint32)

    def add(self, words: TextWords) -> NDArray[np.int32]:
        """Count the words of a text; returns their numbers."""
        numbers = self.vocabulary.add(words.values)
        leading = np.flatnonzero(words.characters)
        characters = self._characters.add(words.characters[leading])
        self._words = _grown(self._words, len(self.vocabulary), 0)
        self._leads = _grown(self._leads, len(self.vocabulary), -1)
        self._pairs = _grown(self._pairs, len(self._characters), 0)
        np.add.at(self._words, numbers, 1)
        np.add.at(self._pairs, characters, 1)
        self._leads[numbers[leading]] = characters
        return numbers

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The counts as arrays of the index."""
        v, c = len(self.vocabulary), len(self._characters)
        counts = {"counts": self._words[:v], "leads": self._leads[:v], "characters": self._pairs[:c]}
        return {"values": self.vocabulary.values, "slots": self.vocabulary.slots, **counts}


def _grown(array: NDArray[Any], size: int, filling: int) -> NDArray[Any]:
    """``array`` with room for ``size`` rows."""
    if size <= len(array):
        return array
    more = np.full(max(size, 2 * len(array)) - len(array), filling, array.dtype)
    return np.concatenate([array, more])


def build(
    groups: Iterable[Sequence[Document]],
    background: Iterable[Sequence[Document]],
    parameters: AlteredParameters,
    progress: Progress,
    folder: Path | None = None,
) -> AlteredIndex:
    """Index of the sources, given in groups in the collection's order, in ``folder`` or only in memory.

    The words of ``background`` count for frequencies only. Raises Cancelled.
    """
    store, counts = _Store(folder), _Counts()
    order, sizes, others, lengths = [np.zeros(0, np.int64)], [0], [], [0]
    try:
        for group in groups:
            order.append(places(group))
            for document, words in zip(group, words_of([d.text for d in group]), strict=True):
                sizes.append(len(words))
                lengths.append(len(document.text))
                store.append("words", counts.add(words))
                store.append("start", words.start)
                store.append("close", words.close)
                store.append("breaks", words.breaks)
                store.append("text", code_points(document.text))
        for group in background:
            for words in words_of([d.text for d in group]):
                others.append(len(words))
                store.append("words", counts.add(words))
        streamed = store.arrays()
    finally:
        store.close()
    bounds = np.cumsum(sizes, dtype=np.int64)
    progress.check()
    counted = counts.arrays()
    counted["links"] = count_links(streamed["words"], np.cumsum(sizes + others, dtype=np.int64))
    cuts, of_source = portions(bounds)
    lists = postings(streamed["words"], bounds, cuts, counted["counts"], parameters.max_share)
    whole: dict[str, NDArray[Any]] = {
        "order": np.concatenate(order),
        "bounds": bounds,
        "text_bounds": np.cumsum(lengths, dtype=np.int64),
        "portions": of_source,
        **counted,
        **dict(zip(("first", "holders", "gains"), lists, strict=True)),
    }
    if folder is not None:
        save_arrays(folder, whole, {"sizes": {name: len(array) for name, array in (whole | streamed).items()}})
        return AlteredIndex.load(folder)
    total = int(counted["counts"].sum(dtype=np.int64))
    often, leads, characters, links = (whole.pop(name) for name in ("counts", "leads", "characters", "links"))
    frequencies = Frequencies(often, leads, characters, links, total)
    del whole["values"], whole["slots"]
    return AlteredIndex(vocabulary=counts.vocabulary, frequencies=frequencies, also={}, **whole, **streamed)


def single(document: Document, parameters: AlteredParameters) -> AlteredIndex:
    """The index of one source, in memory."""
    return build([[document]], [], parameters, NullProgress())
