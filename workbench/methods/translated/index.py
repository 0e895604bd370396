"""The index of ``translated``: the sources' sentences with their units, and the frequency and sources of each unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document
from workbench.methods.core.collection import load_arrays, places, save_arrays
from workbench.methods.translated import dictionary
from workbench.methods.translated.dictionary import Dictionary
from workbench.methods.translated.evidence import RAREST
from workbench.methods.translated.model import SentenceModel, opened
from workbench.methods.translated.parameters import TranslatedParameters
from workbench.methods.translated.units import Sentences, UnitKind, sentences_of
from workbench.text.languages import detect_language

_ARRAYS = (
    "order",
    "languages",
    "bounds",
    "start",
    "end",
    "prints",
    "first",
    "units",
    "kinds",
    "vocabulary",
    "frequency",
    "sentences",
    "vectors",
    "holders_first",
    "holders",
)
_LANGUAGE = 256
"""Languages are numbered by their two letters."""
COMMON = 0.3
"""Share of the sources from which a unit is too common for choosing the sources to align."""
FEW = 50
"""Number of sources up to which all are aligned."""
_SOURCES = 64
"""Sources whose sentences are compared at a time."""
TOO_MANY = Message("sources that were not aligned because others were likelier")
SAME_LANGUAGE = Message("pairs of documents in the same language")
NO_LANGUAGE = Message("documents whose language was not recognised")


def language_number(code: str) -> int:
    """A language's two letters as a number; 0 if unknown."""
    return 0 if len(code) != 2 else ord(code[0]) * _LANGUAGE + ord(code[1])


def language_code(number: int) -> str:
    """The two letters of a language; ``und`` for 0."""
    return chr(number // _LANGUAGE) + chr(number % _LANGUAGE) if number else "und"


@dataclass(frozen=True, slots=True)
class TranslatedIndex:
    """D sources with S sentences and U units in all, v of them distinct, in l languages.

    ``order`` int64 [D]: positions in the collection (see ``methods.core.collection``). ``languages`` int32 [D]: see
    :func:`language_number`. Source i has the sentences ``bounds[i]:bounds[i + 1]``; of sentence j ``start``, ``end``
    int64 are the offsets, ``prints`` as in :class:`Sentences`, and ``units[first[j]:first[j + 1]]`` int64 the numbers
    of its units in ``vocabulary`` (uint64, ascending), with ``kinds``. ``frequency`` int64 [v]: sentences with a unit,
    in all sources; ``sentences`` int64 [1]: S. Unit u is in the sources
    ``holders[holders_first[u]:holders_first[u + 1]]``. ``vectors`` float32 [S, size]: the model's vectors of
    the sentences; [S, 0] without a model.
    """

    order: NDArray[np.int64]
    languages: NDArray[np.int32]
    bounds: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    prints: NDArray[np.uint64]
    first: NDArray[np.int64]
    units: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    vocabulary: NDArray[np.uint64]
    frequency: NDArray[np.int64]
    sentences: NDArray[np.int64]
    vectors: NDArray[np.float32]
    holders_first: NDArray[np.int64]
    holders: NDArray[np.int32]
    dictionary: Dictionary
    model: SentenceModel | None

    @classmethod
    def load(cls, folder: Path, parameters: TranslatedParameters) -> TranslatedIndex:
        """Open a saved index, memory-mapped. Raises UserError if it or the dictionary cannot be read."""
        arrays, _ = load_arrays(folder, _ARRAYS)
        used = opened(parameters.model) if parameters.model else None
        return cls(**arrays, dictionary=words_of(parameters), model=used)

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        save_arrays(folder, {name: getattr(self, name) for name in _ARRAYS})

    def numbers(self, values: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Numbers of units; units in no source are numbered after the vocabulary."""
        at = np.searchsorted(self.vocabulary, values)
        known = np.zeros(len(values), np.bool_)
        if len(self.vocabulary):
            known = self.vocabulary[np.minimum(at, len(self.vocabulary) - 1)] == values
        _, others = np.unique(values[~known], return_inverse=True)
        at[~known] = len(self.vocabulary) + others
        return at.astype(np.int64)

    def rarity(self, most: int) -> NDArray[np.float32]:
        """The rarity of the units 0 to ``most`` - 1: float32."""
        counts = np.zeros(max(most, len(self.frequency)), np.int64)
        counts[: len(self.frequency)] = self.frequency
        rarity = np.log((int(self.sentences[0]) + 1) / (counts + 1))
        return np.minimum(rarity, RAREST).astype(np.float32)

    def similar(
        self, vectors: NDArray[np.float32], language: int, limit: int, least: float, most: int, progress: Progress
    ) -> tuple[list[int], Counter[str]]:
        """As :meth:`candidates`, for a text in ``language`` whose sentences have these vectors: ranks sources by the
        excess of their best sentences over the similarity ``least``. Raises Cancelled.
        """
        scores = np.zeros(limit)
        some = np.flatnonzero(np.diff(self.bounds[: limit + 1]) > 0)
        for low in range(0, len(some), _SOURCES):
            progress.check()
            chosen = some[low : low + _SOURCES]
            first, last = int(self.bounds[chosen[0]]), int(self.bounds[chosen[-1] + 1])
            best = np.maximum.reduceat(vectors @ self.vectors[first:last].T, self.bounds[chosen] - first, axis=1)
            scores[chosen] = np.maximum(best - least, 0).sum(axis=0)
        return self._chosen(scores, language, limit, most)

    def candidates(
        self, units: NDArray[np.int64], kinds: NDArray[np.uint8], language: int, limit: int, most: int
    ) -> tuple[list[int], Counter[str]]:
        """Those of the first ``limit`` sources worth aligning with a text in ``language`` that has these units, most
        likely first: sources in other languages, by the summed rarity of shared units. Also returns counts of
        omissions.
        """
        scores = np.zeros(limit)
        telling = np.unique(units[(units < len(self.vocabulary)) & (kinds != UnitKind.HAN)])
        for unit in telling.tolist():
            holders = self.holders[self.holders_first[unit] : self.holders_first[unit + 1]]
            if len(holders) <= max(FEW, COMMON * len(self.order)):
                scores[holders[holders < limit]] += np.log((len(self.order) + 1) / len(holders))
        return self._chosen(scores, language, limit, most)

    def _chosen(
        self, scores: NDArray[np.float64], language: int, limit: int, most: int
    ) -> tuple[list[int], Counter[str]]:
        """The best ``most`` of the first ``limit`` sources in other languages, and counts of omissions."""
        left_out: Counter[str] = Counter()
        other = (self.languages[:limit] != language) & (self.languages[:limit] != 0)
        left_out[SAME_LANGUAGE] = int((self.languages[:limit] == language).sum())
        likely = np.flatnonzero(other & ((scores > 0) | (len(self.order) <= FEW)))
        ranked = likely[np.argsort(-scores[likely], kind="stable")]
        left_out[TOO_MANY] = max(0, len(ranked) - most)
        return ranked[:most].tolist(), left_out


def build(
    batches: Iterable[Sequence[Document]], parameters: TranslatedParameters, progress: Progress
) -> TranslatedIndex:
    """The index of documents in the collection's order. Raises Cancelled."""
    words = words_of(parameters)
    model = opened(parameters.model) if parameters.model else None
    vectors = [np.zeros((0, model.size if model else 0), np.float32)]
    parts: list[Sentences] = []
    order: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    languages: list[int] = []
    for batch in batches:
        progress.check()
        parts.append(sentences_of(batch, words))
        vectors.append(vectors_of(model, batch, parts[-1], progress))
        order.append(places(batch))
        languages += [language_number(detect_language(document.text)) for document in batch]

    def joined(name: str, dtype: Any) -> NDArray[Any]:
        return np.concatenate([np.zeros(0, dtype), *(getattr(part, name) for part in parts)])

    def bounds(name: str) -> NDArray[np.int64]:
        sizes = [np.zeros(0, np.int64), *(np.diff(getattr(part, name)) for part in parts)]
        return np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int64)

    values, first, of_document = joined("values", np.uint64), bounds("first"), bounds("bounds")
    vocabulary, units, frequency = np.unique(values, return_inverse=True, return_counts=True)
    documents = np.repeat(np.arange(len(languages)), np.diff(first[of_document]))
    pairs = np.unique(units.astype(np.int64) * max(1, len(languages)) + documents)
    holders_first = np.searchsorted(pairs, np.arange(len(vocabulary) + 1) * max(1, len(languages)))
    return TranslatedIndex(
        order=np.concatenate(order),
        languages=np.array(languages, np.int32),
        bounds=of_document,
        start=joined("start", np.int64),
        end=joined("end", np.int64),
        prints=joined("prints", np.uint64),
        first=first,
        units=units.astype(np.int64),
        kinds=joined("kinds", np.uint8),
        vocabulary=vocabulary,
        frequency=frequency.astype(np.int64),
        vectors=np.concatenate(vectors),
        sentences=np.array([len(first) - 1], np.int64),
        holders_first=holders_first.astype(np.int64),
        holders=(pairs % max(1, len(languages))).astype(np.int32),
        dictionary=words,
        model=model,
    )


def words_of(parameters: TranslatedParameters) -> Dictionary:
    """The dictionary in use; none if there is a model. Raises UserError if the file is not a dictionary."""
    return dictionary.read("" if parameters.model else parameters.dictionary)


def vectors_of(
    model: SentenceModel | None, documents: Sequence[Document], sentences: Sentences, progress: Progress
) -> NDArray[np.float32]:
    """The vectors of the sentences of ``documents``: float32 [s, size], [s, 0] without a model. Raises UserError,
    Cancelled.
    """
    if model is None:
        return np.zeros((len(sentences.start), 0), np.float32)
    document = np.repeat(np.arange(len(documents)), np.diff(sentences.bounds)).tolist()
    spans = zip(document, sentences.start.tolist(), sentences.end.tolist(), strict=True)
    return model.vectors([documents[d].text[start:end] for d, start, end in spans], progress)


def single(document: Document, parameters: TranslatedParameters) -> TranslatedIndex:
    """The index of one document."""
    return build([[document]], parameters, NullProgress())
