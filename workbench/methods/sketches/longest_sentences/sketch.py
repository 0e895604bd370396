"""The longest sentences of documents, compared as sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.kernels.sketches.postings import CandidatePairs
from workbench.kernels.sketches.shingles import Rows
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.sentences import read
from workbench.methods.sketches.columns import Columns
from workbench.methods.sketches.longest_sentences import LongestSentencesParameters
from workbench.methods.sketches.sets import SetSketch
from workbench.methods.sketches.sketch import Measures


class LongestSentences(SetSketch):
    """The longest distinct sentences of a document."""

    elements = Message("longest sentences")
    frequent = Message("sentences in more documents than the limit")
    only_frequent = Message("documents whose longest sentences are all in more documents than the limit")
    needed = ((Message("resemblance"), "min_resemblance"),)
    kept = ("size", "sets")
    summaries: ClassVar = {
        "empty": Message("No pair: one of the documents has no sentence long enough."),
        "apart": Message("No pair: the longest sentences of the documents are all different."),
    }

    def encode(self, documents: Sequence[Document], parameters: LongestSentencesParameters) -> Columns:
        """The ``sets`` of the hashes, with their places."""
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
        sets, start, end = (Rows(column[longest], bounds) for column in (rows.hashes, rows.start, rows.end))
        return {"size": sets.sizes, "sets": sets, "key_start": start, "key_end": end}

    def evidence(
        self,
        mine: Columns,
        theirs: Columns,
        met: CandidatePairs,
        measures: Measures,
        parameters: LongestSentencesParameters,
    ) -> Measures:
        """The sentences of both signatures, and the number shared."""
        sizes = {"longest_a": mine["size"][met.mine], "longest_b": theirs["size"][met.other]}
        return {"shared_sentences": met.lists, **sizes}


SKETCH = LongestSentences()
