"""Signatures of documents, their bands, and the resemblance of documents with a common band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message, beside, percent
from workbench.base.types import Document
from workbench.kernels.sketches.minhash import agreement, band_keys, signatures, text_signatures
from workbench.kernels.sketches.postings import CandidatePairs
from workbench.kernels.sketches.shingles import Rows, distinct, shared, without_repeats
from workbench.kernels.sketches.simhash import distances, simhashes
from workbench.methods.core.token_parameters import TokenParameters
from workbench.methods.core.tokenising import as_texts, compiled, rows_apart, shingle_rows
from workbench.methods.sketches.columns import Columns, Keys
from workbench.methods.sketches.minhash import MinHashParameters
from workbench.methods.sketches.sets import shingle_evidence, shingle_sets
from workbench.methods.sketches.sketch import Measures, PairSketch

_BITS = 128
"""Bits of the SimHash fingerprints that are also compared."""


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
        if p.verify == "estimate" and not p.has_bits:
            return signed(documents, p, p.k, p.permutations)
        columns = shingle_sets(documents, p)
        sets: Rows = columns["sets"]
        if p.has_bits:
            columns["prints"] = simhashes(sets, np.ones(len(sets.values), np.int32), _BITS)
        return columns | {"signatures": signatures(sets, p.permutations)}

    def keys(self, columns: Columns, parameters: MinHashParameters) -> Keys:
        """A key for each band."""
        return band_keys(columns["signatures"], parameters.bands, parameters.rows)

    def measure(self, mine: Columns, theirs: Columns, met: CandidatePairs, parameters: MinHashParameters) -> Measures:
        """Resemblance by the sets of shingles, or estimated by the signatures; the bands in common, and the share of
        equal bits.
        """
        own: Measures = {"bands": met.lists}
        if parameters.has_bits:
            own["equal_bits"] = 1 - distances(mine["prints"], met.mine, theirs["prints"], met.other) / _BITS
        a, b = mine["size"][met.mine], theirs["size"][met.other]
        estimate = agreement(mine["signatures"], met.mine, theirs["signatures"], met.other)
        if parameters.verify == "estimate":
            shares = {"resemblance": estimate, "shared": estimate * (a + b) / (1 + estimate), "estimate": estimate}
            return own | shares
        both = shared(mine["sets"], met.mine, theirs["sets"], met.other)
        return own | {"resemblance": both / (a + b - both), "shared": both, "estimate": estimate}

    def reaching(self, measures: Measures, parameters: MinHashParameters) -> NDArray[np.bool_]:
        """Pairs that also have enough common bands, and similar fingerprints."""
        enough = super().reaching(measures, parameters) & (measures["bands"] >= parameters.min_bands)
        return enough & (measures["equal_bits"] >= parameters.min_equal_bits) if parameters.has_bits else enough

    def evidence(
        self, mine: Columns, theirs: Columns, met: CandidatePairs, measures: Measures, parameters: MinHashParameters
    ) -> Measures:
        """The shares of the two sets, the estimate, and the bands in common."""
        own = shingle_evidence(mine, theirs, met, measures)
        return own | {name: measures[name] for name in ("estimate", "bands", "equal_bits") if name in measures}

    def remark(
        self, name: Message, documents: Sequence[Document], measures: Measures, parameters: MinHashParameters
    ) -> Message:
        """Both resemblances, whichever counts, and the probability of a common band."""
        p = parameters
        a, b = (set(shingle_sets([document], p)["sets"].values.tolist()) for document in documents)
        exact = len(a & b) / len(a | b)
        return Message(
            "{exact} by the sets, {estimate} by the signatures; the chance of a band in common is {chance}",
            exact=f"{exact:.3f}",
            estimate=f"{float(measures['estimate'][0]):.3f}",
            chance=percent(1 - (1 - exact**p.rows) ** p.bands),
        )

    def further(self, measures: Measures, parameters: MinHashParameters) -> list[tuple[Message, bool, Message]]:
        """Enough common bands, and enough equal bits, if more than a candidate has are needed."""
        p, parts = parameters, []
        if p.min_bands > 1:
            count = int(measures["bands"][0])
            words = Message("{count} bands in common, {needed} needed", count=count, needed=p.min_bands)
            parts.append((Message("bands in common"), count >= p.min_bands, words))
        if p.has_bits:
            equal = float(measures["equal_bits"][0])
            share = beside(equal, p.min_equal_bits)
            words = Message("{share} of the bits equal, {needed} needed", share=share, needed=f"{p.min_equal_bits:g}")
            parts.append((Message("equal bits"), equal >= p.min_equal_bits, words))
        return parts


SKETCH = Bands()
