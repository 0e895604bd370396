"""Why two documents make a pair under ``cosine``, or why not."""

from __future__ import annotations

import numpy as np

from workbench.base.messages import Message
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.sketches.cosine.index import CosineIndex, build, reaching, term_sets
from workbench.methods.sketches.cosine.parameters import CosineParameters


def explain(
    a: Document, b: Document, parameters: CosineParameters, index: CosineIndex | None, results: Results
) -> Explanation:
    """The rules in order."""
    index = build([[b]], parameters, NullProgress()) if index is None else index
    sets, counts = term_sets([a, b], parameters)
    mine, theirs = sets.sizes.tolist()
    reasons = [
        Reason(Message("terms of {name}", name=name), n > 0, Message("{number} distinct", number=n))
        for name, n in ((Message("suspect"), mine), (Message("source"), theirs))
    ]
    if not (mine and theirs):
        return Explanation(False, Message("No pair: one of the documents has no text to compare."), tuple(reasons))
    vectors = index.vectors(sets, counts, parameters)
    _, left, right = np.intersect1d(sets.of(0), sets.of(1), return_indices=True)
    pairs = results.pairs
    cosines = np.array([pairs[0].score if len(pairs) else vectors[:mine][left] @ vectors[mine:][right]])
    cosine, reached = float(cosines[0]), bool(reaching(cosines, parameters)[0])
    needed = f"{parameters.min_cosine:g}"
    reasons += [
        Reason(Message("shared terms"), len(left) > 0, Message("{number} occur in both", number=len(left))),
        Reason(Message("cosine"), reached, Message("{share}, {needed} needed", share=f"{cosine:.3f}", needed=needed)),
    ]
    if len(pairs):
        return Explanation(True, Message("A pair: cosine {cosine}.", cosine=f"{cosine:.2f}"), tuple(reasons))
    sentence = Message("No pair: cosine {cosine}, {needed} needed.", cosine=f"{cosine:.2f}", needed=needed)
    return Explanation(False, sentence, tuple(reasons))
