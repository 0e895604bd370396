"""Signatures of the longest sentences, and the pairs whose signatures are alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import packed_rows
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, PairScores, Results, Span
from workbench.kernels.sketches.shingles import Rows
from workbench.methods.core.api import NEAR_DUPLICATE
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.reading import read
from workbench.methods.sketches import sets
from workbench.methods.sketches.longest_sentences.parameters import LongestSentencesParameters
from workbench.methods.sketches.resemblance import Sharing
from workbench.methods.sketches.sets import SetIndex

FREQUENT = Message("sentences in more documents than the limit")
ONLY_FREQUENT = Message("documents whose longest sentences are all in more documents than the limit")
_NEVER = 1.01


@dataclass(frozen=True, slots=True)
class Signatures:
    """The longest sentences of d documents: ``sets`` of their hashes; ``start``, ``end`` int32, parallel to the values,
    where they stand in their document.
    """

    sets: Rows
    start: NDArray[np.int32]
    end: NDArray[np.int32]

    def span(self, document: int, value: int) -> Span:
        """Where a document has the sentence with this hash."""
        at = self.sets.bounds[document] + int(np.flatnonzero(self.sets.of(document) == value)[0])
        return Span(int(self.start[at]), int(self.end[at]))


def signatures(documents: Sequence[Document], parameters: LongestSentencesParameters) -> Signatures:
    """The longest distinct sentences of each document."""
    p = parameters
    reading = RareSentencesParameters(
        min_length=p.min_length, layout=p.layout, kana=p.kana, variants=p.variants, ruby=p.ruby, content=False
    )
    rows = read(documents, reading)
    order = np.lexsort((rows.hashes, -rows.length, rows.document))
    first = np.searchsorted(rows.document[order], np.arange(len(documents) + 1))
    longest = order[np.arange(len(order)) - first[rows.document[order]] < p.sentences]
    longest = longest[np.lexsort((rows.hashes[longest], rows.document[longest]))]
    bounds = np.searchsorted(rows.document[longest], np.arange(len(documents) + 1)).astype(np.int64)
    return Signatures(Rows(rows.hashes[longest], bounds), rows.start[longest], rows.end[longest])


def limits_of(parameters: LongestSentencesParameters) -> sets.Limits:
    """The least resemblance; no containment is enough."""
    return sets.Limits(parameters.min_resemblance, _NEVER)


def load(folder: Path, parameters: LongestSentencesParameters) -> SetIndex:
    """Open a saved index. Raises UserError if it is damaged."""
    return SetIndex.load(folder, parameters.max_documents)


def build(groups: Iterable[Sequence[Document]], parameters: LongestSentencesParameters, progress: Progress) -> SetIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    return sets.build(groups, lambda group: signatures(group, parameters).sets, parameters.max_documents, progress)


def find(
    index: SetIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: LongestSentencesParameters,
    progress: Progress,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed ones. Raises Cancelled."""
    own = signatures(documents, parameters).sets
    words = sets.PassedOver(FREQUENT, ONLY_FREQUENT)
    return sets.find(index, documents, own, before, limits_of(parameters), _pairs_of, words, progress)


def _pairs_of(pairs: Sharing) -> PairScores:
    evidence = {"shared_sentences": pairs.shared, "longest_a": pairs.size_a, "longest_b": pairs.size_b}
    rows, none = len(pairs.a), [None] * len(pairs.a)
    packed = packed_rows({name: column.tolist() for name, column in evidence.items()})
    return PairScores(pairs.a, pairs.b, pairs.resemblance.tolist(), none, none, [NEAR_DUPLICATE] * rows, packed)
