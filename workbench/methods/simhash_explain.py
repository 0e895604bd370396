"""Why two documents make a pair under ``simhash``, or why not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document
from workbench.kernels.simhash import distances
from workbench.methods.api import Explanation, Reason
from workbench.methods.collection import limits, places
from workbench.methods.simhash import SimHashParameters
from workbench.methods.simhash_index import SimHashIndex, fingerprints


def explain(a: Document, b: Document, parameters: SimHashParameters, index: SimHashIndex | None) -> Explanation:
    """The rules in order."""
    found = fingerprints([a, b], parameters)
    features = zip(("suspect", "source"), found.features.tolist(), strict=True)
    reasons = [Reason(f"features of {name}", n > 0, f"{n} distinct") for name, n in features]
    if not all(r.passed for r in reasons):
        return Explanation(False, "No pair: one of the documents has no text to compare.", tuple(reasons))
    distance = int(distances(found.values, np.array([0]), found.values, np.array([1]))[0])
    close = distance <= parameters.max_distance
    detail = f"{distance} of {parameters.bits} bits differ, at most {parameters.max_distance} may"
    reasons.append(Reason("distance", close, detail))
    if not close:
        return Explanation(False, f"No pair: {detail}.", tuple(reasons))
    if index is not None:
        nearer = _nearer(a, b, distance, index, found.values)
        kept = nearer < parameters.max_pairs
        reasons.append(Reason("most pairs", kept, f"{nearer} documents are nearer, {parameters.max_pairs} are kept"))
        if not kept:
            return Explanation(False, "No pair: too many other documents are nearer.", tuple(reasons))
    return Explanation(True, f"A pair: {distance} of {parameters.bits} bits differ.", tuple(reasons))


def _nearer(a: Document, b: Document, distance: int, index: SimHashIndex, own: NDArray[np.uint64]) -> int:
    """Documents that ``a`` meets and that come before ``b`` when the nearest are chosen."""
    rows = np.arange(int(limits(index.order, [a])[0]))
    apart = distances(own, np.zeros_like(rows), index.fingerprints, rows)
    at = int(np.searchsorted(index.order, places([b])[0]))
    return int((apart < distance).sum() + (apart[:at] == distance).sum())
