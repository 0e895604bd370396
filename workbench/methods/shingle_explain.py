"""Why two documents make a pair under ``shingle``, or why not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document
from workbench.methods.api import Explanation, Reason
from workbench.methods.resemblance import size_reasons
from workbench.methods.shingle import ShingleParameters
from workbench.methods.shingle_index import ShingleIndex, shingle_sets


def explain(a: Document, b: Document, parameters: ShingleParameters, index: ShingleIndex | None) -> Explanation:
    """The rules in order."""
    sets = shingle_sets([a, b], parameters)
    mine, theirs = sets.sizes.tolist()
    reasons = size_reasons(mine, theirs)
    if not (mine and theirs):
        return Explanation(False, "No pair: one of the documents has no text to compare.", tuple(reasons))
    both = np.intersect1d(sets.of(0), sets.of(1))
    n = len(both)
    reasons.append(Reason("shared shingles", n > 0, f"{n} stand in both"))
    if not n:
        return Explanation(False, "No pair: the documents have no shingle in common.", tuple(reasons))
    rare = True
    if index is not None:
        frequent = _frequent(both, index)
        rare = frequent < n
        detail = f"{frequent} of the {n} stand in more than {parameters.max_documents} documents"
        reasons.append(Reason("limit of documents", rare, detail))
    share, contained = n / (mine + theirs - n), n / min(mine, theirs)
    alike, inside = share >= parameters.min_resemblance, contained >= parameters.min_containment
    reasons += [
        Reason("resemblance", alike, f"{share:.3f}, {parameters.min_resemblance:g} needed"),
        Reason(
            "containment",
            inside,
            f"suspect in source {n / mine:.3f}, source in suspect {n / theirs:.3f}, "
            f"{parameters.min_containment:g} needed in one direction",
        ),
    ]
    if not rare:
        return Explanation(False, "No pair: all that they share stands in too many documents.", tuple(reasons))
    figures = f"resemblance {share:.2f}, containment {contained:.2f}"
    if not (alike or inside):
        return Explanation(False, f"No pair: {figures}, both below what is needed.", tuple(reasons))
    return Explanation(True, f"A pair: {figures}.", tuple(reasons))


def _frequent(values: NDArray[np.uint64], index: ShingleIndex) -> int:
    slots = index.slots(values)
    return int(index.frequent[slots[slots >= 0]].sum())
