"""Why two documents match under ``winnowing``, or why not."""

from __future__ import annotations

import numpy as np

from workbench.base.messages import Message
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Span
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.sketches.winnowing.index import WinnowingIndex, build, winnowed
from workbench.methods.sketches.winnowing.parameters import WinnowingParameters

_SHOWN = 20


def explain(
    a: Document, b: Document, parameters: WinnowingParameters, index: WinnowingIndex | None, results: Results
) -> Explanation:
    """The rules in order."""
    p = parameters
    both_documents = winnowed([a, b], p)
    counts = np.diff(both_documents.bounds).tolist()
    tokens = np.diff(both_documents.text.bounds).tolist()
    reasons = [
        Reason(
            Message("fingerprints of {name}", name=name),
            n > 0,
            Message("{number} kept of {size} k-grams", number=n, size=max(0, size - p.k + 1)),
        )
        for name, n, size in zip((Message("suspect"), Message("source")), counts, tokens, strict=True)
    ]
    if not all(counts):
        summary = Message("No match: one of the documents has fewer than {k} tokens.", k=p.k)
        return Explanation(False, summary, tuple(reasons))
    both = np.intersect1d(both_documents.hashes[: counts[0]], both_documents.hashes[counts[0] :])
    reasons.append(
        Reason(Message("equal fingerprints"), len(both) > 0, Message("{both} occur in both", both=len(both)))
    )
    if not len(both):
        summary = Message(
            "No match: no fingerprint in common, so no common string of {guaranteed} tokens or more.",
            guaranteed=p.guaranteed,
        )
        return Explanation(False, summary, tuple(reasons))
    matches = results.matches
    if index is not None or not len(matches):
        first, last = (index or build([[b]], p, NullProgress())).find(both)
        frequent = int((last - first > p.max_places).sum())
        detail = Message(
            "{frequent} of these {both} occur at more than {limit} places",
            frequent=frequent,
            both=len(both),
            limit=p.max_places,
        )
        reasons.append(Reason(Message("limit of places"), len(matches) > 0, detail))
        if not len(matches):
            return Explanation(False, Message("No match: what they share occurs too often."), tuple(reasons))
    rows = np.argsort(-matches.score, kind="stable")[:_SHOWN].tolist()
    reasons += [
        Reason(
            Message("passage"),
            True,
            Message("{score} equal tokens", score=int(matches.score[i])),
            Span(int(matches.a_start[i]), int(matches.a_end[i])),
            Span(int(matches.b_start[i]), int(matches.b_end[i])),
        )
        for i in rows
    ]
    n = len(matches)
    number = Message("One passage matches") if n == 1 else Message("{number} passages match", number=n)
    return Explanation(
        True,
        Message("{number}; the longest has {score} equal tokens.", number=number, score=int(matches.score.max())),
        tuple(reasons),
    )
