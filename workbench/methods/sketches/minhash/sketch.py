"""Signatures of documents, their bands, and the resemblance of those that have a band in common."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.messages import Message, percent
from workbench.base.types import Document
from workbench.kernels.sketches.minhash import agreement, band_keys, signatures, text_signatures
from workbench.kernels.sketches.postings import CandidatePairs
from workbench.kernels.sketches.shingles import distinct, shared, without_repeats
from workbench.methods.core.token_parameters import TokenParameters
from workbench.methods.core.tokenising import as_texts, compiled, rows_apart, shingle_rows
from workbench.methods.sketches.columns import Columns, Keys
from workbench.methods.sketches.minhash.method import MinHashParameters
from workbench.methods.sketches.sets import shingle_evidence, shingle_sets
from workbench.methods.sketches.sketch import Measures, PairSketch


def signed(documents: Sequence[Document], parameters: TokenParameters, k: int, permutations: int) -> Columns:
    """Signatures uint32 [d, permutations] of the sets of k-shingles, and the sizes of the sets."""
    if not compiled(parameters):
        sets = distinct(shingle_rows(documents, parameters, k))
        return {"size": sets.sizes, "signatures": signatures(sets, permutations)}
    own = text_signatures(as_texts(documents, parameters, k), permutations)
    apart, rows = rows_apart(documents, parameters, k, own.context)
    own.values[apart] = signatures(rows, permutations)
    own.sizes[apart] = without_repeats(rows).sizes
    return {"size": own.sizes, "signatures": own.values}


class Bands(PairSketch):
    """Signatures, and the sets of shingles if they are compared."""

    elements = Message("shingles")
    key_name = Message("bands")
    frequent = Message("bands in buckets of more documents than the limit")
    needed = ((Message("resemblance"), "min_resemblance"),)

    def encode(self, documents: Sequence[Document], parameters: MinHashParameters) -> Columns:
        """Signatures and sizes; the ``sets`` if they are compared."""
        p = parameters
        if p.verify == "estimate":
            return signed(documents, p, p.k, p.permutations)
        columns = shingle_sets(documents, p)
        return columns | {"signatures": signatures(columns["sets"], p.permutations)}

    def keys(self, columns: Columns, parameters: MinHashParameters) -> Keys:
        """A key for each band."""
        return band_keys(columns["signatures"], parameters.bands, parameters.rows)

    def measure(self, mine: Columns, theirs: Columns, met: CandidatePairs, parameters: MinHashParameters) -> Measures:
        """By the sets of shingles, or estimated by the signatures."""
        a, b = mine["size"][met.mine], theirs["size"][met.other]
        estimate = agreement(mine["signatures"], met.mine, theirs["signatures"], met.other)
        if parameters.verify == "estimate":
            return {"resemblance": estimate, "shared": estimate * (a + b) / (1 + estimate), "estimate": estimate}
        both = shared(mine["sets"], met.mine, theirs["sets"], met.other)
        return {"resemblance": both / (a + b - both), "shared": both, "estimate": estimate}

    def evidence(
        self, mine: Columns, theirs: Columns, met: CandidatePairs, measures: Measures, parameters: MinHashParameters
    ) -> Measures:
        """The shares of the two sets, the estimate, and the bands in common."""
        own = shingle_evidence(mine, theirs, met, measures)
        return own | {"estimate": measures["estimate"], "bands": met.lists}

    def remark(
        self, name: Message, documents: Sequence[Document], measures: Measures, parameters: MinHashParameters
    ) -> Message:
        """Both resemblances, whichever counts, and how likely a band in common was."""
        p = parameters
        a, b = (set(shingle_sets([document], p)["sets"].values.tolist()) for document in documents)
        exact = len(a & b) / len(a | b)
        return Message(
            "{exact} by the sets, {estimate} by the signatures; the chance of a band in common is {chance}",
            exact=f"{exact:.3f}",
            estimate=f"{float(measures['estimate'][0]):.3f}",
            chance=percent(1 - (1 - exact**p.rows) ** p.bands),
        )


SKETCH = Bands()
