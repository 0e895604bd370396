"""Sets of shingles, and the pairs whose sets share enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, PairScores, Results
from workbench.kernels.sketches.shingles import Rows, distinct
from workbench.methods.core.tokenising import shingle_rows
from workbench.methods.sketches import sets
from workbench.methods.sketches.resemblance import Sharing, scored
from workbench.methods.sketches.sets import SetIndex
from workbench.methods.sketches.shingle.parameters import ShingleParameters

FREQUENT = Message("shingles in more documents than the limit")
ONLY_FREQUENT = Message("documents whose shingles are all in more documents than the limit")


def shingle_sets(documents: Sequence[Document], parameters: ShingleParameters) -> Rows:
    """Distinct shingles of each document."""
    return distinct(shingle_rows(documents, parameters, parameters.k))


def limits_of(parameters: ShingleParameters) -> sets.Limits:
    """The least resemblance and containment."""
    return sets.Limits(parameters.min_resemblance, parameters.min_containment)


def load(folder: Path, parameters: ShingleParameters) -> SetIndex:
    """Open a saved index. Raises UserError if it is damaged."""
    return SetIndex.load(folder, parameters.max_documents)


def build(groups: Iterable[Sequence[Document]], parameters: ShingleParameters, progress: Progress) -> SetIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    return sets.build(groups, lambda group: shingle_sets(group, parameters), parameters.max_documents, progress)


def find(
    index: SetIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: ShingleParameters,
    progress: Progress,
) -> Results:
    """Pairs of each document with the first ``before[i]`` indexed ones. Raises Cancelled."""

    def pairs_of(pairs: Sharing) -> PairScores:
        return scored(pairs, pairs.resemblance >= parameters.min_resemblance)

    limits = limits_of(parameters)
    words = sets.PassedOver(FREQUENT, ONLY_FREQUENT)
    return sets.find(index, documents, shingle_sets(documents, parameters), before, limits, pairs_of, words, progress)
