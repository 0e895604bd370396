"""Why two documents make a pair under ``longest-sentences``, or why not."""

from __future__ import annotations

import numpy as np

from workbench.base.messages import Message
from workbench.base.types import Document, Results
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.sketches.longest_sentences.index import limits_of, signatures
from workbench.methods.sketches.longest_sentences.parameters import LongestSentencesParameters
from workbench.methods.sketches.sets import SetIndex, reaching


def explain(
    a: Document, b: Document, parameters: LongestSentencesParameters, index: SetIndex | None, results: Results
) -> Explanation:
    """The rules in order; each shared sentence is a reason of its own, with its places."""
    own = signatures([a, b], parameters)
    mine, theirs = own.sets.sizes.tolist()
    names = {Message("suspect"): mine, Message("source"): theirs}
    reasons = [
        Reason(Message("longest sentences of {name}", name=name), n > 0, Message("{number} distinct", number=n))
        for name, n in names.items()
    ]
    if not (mine and theirs):
        return Explanation(False, Message("No pair: one of the documents has no sentence long enough."), tuple(reasons))
    both = np.intersect1d(own.sets.of(0), own.sets.of(1))
    n = len(both)
    reasons.append(Reason(Message("shared sentences"), n > 0, Message("{number} occur in both", number=n)))
    if not n:
        return Explanation(
            False, Message("No pair: the longest sentences of the documents are all different."), tuple(reasons)
        )
    reasons += [
        Reason(Message("shared sentence"), True, a.text[span.start : span.end], span, own.span(1, value))
        for value in both.tolist()
        for span in (own.span(0, value),)
    ]
    frequent = 0 if index is None else index.frequent_among(both)
    if index is not None:
        detail = Message(
            "{frequent} of the {number} occur in more than {limit} documents",
            frequent=frequent,
            number=n,
            limit=parameters.max_documents,
        )
        reasons.append(Reason(Message("limit of documents"), frequent < n, detail))
    share = n / (mine + theirs - n)
    alike = bool(reaching(np.array([n]), own.sets.sizes[:1], own.sets.sizes[1:], limits_of(parameters))[0, 0])
    needed = Message("{share}, {needed} needed", share=f"{share:.3f}", needed=f"{parameters.min_resemblance:g}")
    reasons.append(Reason(Message("resemblance"), alike, needed))
    if frequent == n:
        return Explanation(
            False, Message("No pair: everything they share occurs in too many documents."), tuple(reasons)
        )
    counted = Message("{shared} of {all} longest sentences are the same", shared=n, all=mine + theirs - n)
    if len(results.pairs):
        return Explanation(True, Message("A pair: {detail}.", detail=counted), tuple(reasons))
    return Explanation(False, Message("No pair: {detail}.", detail=counted), tuple(reasons))
