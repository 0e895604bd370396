"""Why two documents make a pair under ``minhash``, or why not."""

from __future__ import annotations

import numpy as np

from workbench.base.messages import Message
from workbench.base.percent import percent
from workbench.base.types import Document, Results
from workbench.kernels.sketches.minhash import agreement, band_keys
from workbench.kernels.sketches.shingles import distinct, shared
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.tokenising import shingle_rows
from workbench.methods.sketches.minhash.index import MinHashIndex, reaching, sketch
from workbench.methods.sketches.minhash.parameters import MinHashParameters
from workbench.methods.sketches.resemblance import resemblance, size_reasons


def explain(
    a: Document, b: Document, parameters: MinHashParameters, index: MinHashIndex | None, results: Results
) -> Explanation:
    """The rules in order."""
    p = parameters
    sketches = sketch([a, b], p)
    mine, theirs = sketches.sizes.tolist()
    reasons = size_reasons(mine, theirs)
    if not (mine and theirs):
        return Explanation(False, Message("No pair: one of the documents has no text to compare."), tuple(reasons))
    sets = distinct(shingle_rows([a, b], p, p.k))
    first, second = np.array([0]), np.array([1])
    by_sets = resemblance(shared(sets, first, sets, second), sketches.sizes[:1], sketches.sizes[1:])
    estimates = agreement(sketches.signatures, first, sketches.signatures, second)
    exact, estimate = float(by_sets[0]), float(estimates[0])
    keys = band_keys(sketches.signatures, p.bands, p.rows)
    common = keys[:, 0] == keys[:, 1]
    bands = int(common.sum())
    chance = 1 - (1 - exact**p.rows) ** p.bands
    detail = Message(
        "{bands} of {all} in common; at a resemblance of {exact} the chance of one or more is {chance}",
        bands=bands,
        all=p.bands,
        exact=f"{exact:.3f}",
        chance=percent(chance),
    )
    reasons.append(Reason(Message("bands"), bands > 0, detail))
    free = True
    if index is not None and bands:
        start, end = index.buckets.find(keys[:, :1])
        full = int(((end - start)[0][common] > p.max_documents).sum())
        free = full < bands
        detail = Message(
            "{full} of these {bands} contain more than {limit} documents",
            full=full,
            bands=bands,
            limit=p.max_documents,
        )
        reasons.append(Reason(Message("limit of buckets"), free, detail))
    shares = by_sets if p.verify == "exact" else estimates
    share, alike = float(shares[0]), bool(reaching(shares, p)[0])
    detail = Message(
        "{exact} by the sets, {estimate} by the signatures; {needed} needed ({verify})",
        exact=f"{exact:.3f}",
        estimate=f"{estimate:.3f}",
        needed=f"{p.min_resemblance:g}",
        verify=p.verify,
    )
    reasons.append(Reason(Message("resemblance"), alike, detail))
    if not bands:
        summary = Message("No pair: the signatures have no band in common (resemblance {exact}).", exact=f"{exact:.2f}")
    elif not free:
        summary = Message("No pair: their common bands are in buckets of too many documents.")
    elif not alike:
        summary = Message(
            "No pair: resemblance {share}, {needed} needed.",
            share=f"{share:.2f}",
            needed=f"{p.min_resemblance:g}",
        )
    else:
        summary = Message("A pair: resemblance {share}, {bands} bands in common.", share=f"{share:.2f}", bands=bands)
    return Explanation(len(results.pairs) > 0, summary, tuple(reasons))
