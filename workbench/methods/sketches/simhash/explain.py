"""Why two documents make a pair under ``simhash``, or why not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results
from workbench.kernels.sketches.simhash import distances
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.collection import limits, places
from workbench.methods.sketches.simhash.index import SimHashIndex, build, fingerprints
from workbench.methods.sketches.simhash.parameters import SimHashParameters


def explain(
    a: Document, b: Document, parameters: SimHashParameters, index: SimHashIndex | None, results: Results
) -> Explanation:
    """The rules in order."""
    rarity = (index or build([[b]], parameters, NullProgress())).rarity
    own = fingerprints([a, b], parameters, rarity)
    features = zip((Message("suspect"), Message("source")), own.features.tolist(), strict=True)
    reasons = [
        Reason(Message("features of {name}", name=name), n > 0, Message("{number} distinct", number=n))
        for name, n in features
    ]
    if not all(r.passed for r in reasons):
        return Explanation(False, Message("No pair: one of the documents has no text to compare."), tuple(reasons))
    distance = int(distances(own.values, np.array([0]), own.values, np.array([1]))[0])
    close = distance <= parameters.max_distance
    detail = Message(
        "{distance} of {bits} bits differ, at most {allowed} may",
        distance=distance,
        bits=parameters.bits,
        allowed=parameters.max_distance,
    )
    reasons.append(Reason(Message("distance"), close, detail))
    if not close:
        return Explanation(False, Message("No pair: {detail}.", detail=detail), tuple(reasons))
    if index is not None:
        nearer = _nearer(a, b, distance, index, own.values)
        is_among_nearest = len(results.pairs) > 0
        reasons.append(
            Reason(
                Message("most pairs"),
                is_among_nearest,
                Message("{nearer} documents are closer, {kept} are kept", nearer=nearer, kept=parameters.max_pairs),
            )
        )
        if not is_among_nearest:
            return Explanation(False, Message("No pair: too many other documents are closer."), tuple(reasons))
    return Explanation(
        True,
        Message("A pair: {distance} of {bits} bits differ.", distance=distance, bits=parameters.bits),
        tuple(reasons),
    )


def _nearer(a: Document, b: Document, distance: int, index: SimHashIndex, own: NDArray[np.uint64]) -> int:
    """Number of documents that rank before ``b`` among the nearest to ``a``."""
    rows = np.arange(int(limits(index.order, [a])[0]))
    apart = distances(own, np.zeros_like(rows), index.fingerprints, rows)
    at = int(np.searchsorted(index.order, places([b])[0]))
    return int((apart < distance).sum() + (apart[:at] == distance).sum())
