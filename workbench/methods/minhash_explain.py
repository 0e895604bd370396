"""Why two documents make a pair under ``minhash``, or why not."""

from __future__ import annotations

import numpy as np

from workbench.base.types import Document
from workbench.kernels.minhash import band_keys
from workbench.kernels.shingles import shared
from workbench.methods.api import Explanation, Reason
from workbench.methods.minhash import MinHashParameters
from workbench.methods.minhash_index import MinHashIndex, sketch
from workbench.methods.resemblance import size_reasons


def explain(a: Document, b: Document, parameters: MinHashParameters, index: MinHashIndex | None) -> Explanation:
    """The rules in order."""
    p = parameters
    found = sketch([a, b], p)
    mine, theirs = found.sets.sizes.tolist()
    reasons = size_reasons(mine, theirs)
    if not (mine and theirs):
        return Explanation(False, "No pair: one of the documents has no text to compare.", tuple(reasons))
    n = int(shared(found.sets, np.array([0]), found.sets, np.array([1]))[0])
    exact = n / (mine + theirs - n)
    estimate = float((found.signatures[0] == found.signatures[1]).mean())
    keys = band_keys(found.signatures, p.bands, p.rows)
    common = keys[:, 0] == keys[:, 1]
    bands = int(common.sum())
    chance = 1 - (1 - exact**p.rows) ** p.bands
    detail = (
        f"{bands} of {p.bands} in common; at a resemblance of {exact:.3f} the chance of one or more is {chance:.1%}"
    )
    reasons.append(Reason("bands", bands > 0, detail))
    free = True
    if index is not None and bands:
        first, last = index.buckets.find(keys[:, :1])
        full = int(((last - first)[0][common] > p.max_documents).sum())
        free = full < bands
        detail = f"{full} of these {bands} hold more than {p.max_documents} documents"
        reasons.append(Reason("limit of buckets", free, detail))
    share = exact if p.verify == "exact" else estimate
    alike = share >= p.min_resemblance
    detail = f"{exact:.3f} by the sets, {estimate:.3f} by the signatures; {p.min_resemblance:g} needed ({p.verify})"
    reasons.append(Reason("resemblance", alike, detail))
    if not bands:
        summary = f"No pair: the signatures have no band in common (resemblance {exact:.2f})."
    elif not free:
        summary = "No pair: their common bands are in buckets of too many documents."
    elif not alike:
        summary = f"No pair: resemblance {share:.2f}, {p.min_resemblance:g} needed."
    else:
        summary = f"A pair: resemblance {share:.2f}, {bands} bands in common."
    return Explanation(bool(bands and free and alike), summary, tuple(reasons))
