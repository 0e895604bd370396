"""Why two documents make a pair under ``shingle``, or why not."""

from __future__ import annotations

import numpy as np

from workbench.base.messages import Message
from workbench.base.types import Document, Results
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.sketches.resemblance import size_reasons
from workbench.methods.sketches.sets import SetIndex, reaching
from workbench.methods.sketches.shingle.index import limits_of, shingle_sets
from workbench.methods.sketches.shingle.parameters import ShingleParameters


def explain(
    a: Document, b: Document, parameters: ShingleParameters, index: SetIndex | None, results: Results
) -> Explanation:
    """The rules in order."""
    sets = shingle_sets([a, b], parameters)
    mine, theirs = sets.sizes.tolist()
    reasons = size_reasons(mine, theirs)
    if not (mine and theirs):
        return Explanation(False, Message("No pair: one of the documents has no text to compare."), tuple(reasons))
    both = np.intersect1d(sets.of(0), sets.of(1))
    n = len(both)
    reasons.append(Reason(Message("shared shingles"), n > 0, Message("{number} occur in both", number=n)))
    if not n:
        return Explanation(False, Message("No pair: the documents have no shingle in common."), tuple(reasons))
    rare = True
    if index is not None:
        frequent = index.frequent_among(both)
        rare = frequent < n
        detail = Message(
            "{frequent} of the {number} occur in more than {limit} documents",
            frequent=frequent,
            number=n,
            limit=parameters.max_documents,
        )
        reasons.append(Reason(Message("limit of documents"), rare, detail))
    share, contained = n / (mine + theirs - n), n / min(mine, theirs)
    reached = reaching(np.array([n]), sets.sizes[:1], sets.sizes[1:], limits_of(parameters))
    alike, inside = reached[:, 0].tolist()
    reasons += [
        Reason(
            Message("resemblance"),
            alike,
            Message(
                "{share}, {needed} needed",
                share=f"{share:.3f}",
                needed=f"{parameters.min_resemblance:g}",
            ),
        ),
        Reason(
            Message("containment"),
            inside,
            Message(
                "suspect in source {number}, source in suspect {back}, {needed} needed in one direction",
                number=f"{n / mine:.3f}",
                back=f"{n / theirs:.3f}",
                needed=f"{parameters.min_containment:g}",
            ),
        ),
    ]
    if not rare:
        return Explanation(
            False, Message("No pair: everything they share occurs in too many documents."), tuple(reasons)
        )
    figures = Message(
        "resemblance {share}, containment {contained}", share=f"{share:.2f}", contained=f"{contained:.2f}"
    )
    if not len(results.pairs):
        return Explanation(
            False, Message("No pair: {figures}, both below what is needed.", figures=figures), tuple(reasons)
        )
    return Explanation(True, Message("A pair: {figures}.", figures=figures), tuple(reasons))
