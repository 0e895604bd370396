"""Why two documents match under ``winnowing``, or why not."""

from __future__ import annotations

import numpy as np

from workbench.base.progress import Unwatched
from workbench.base.types import Document, Span
from workbench.methods.api import Explanation, Reason
from workbench.methods.winnowing import WinnowingParameters
from workbench.methods.winnowing_index import WinnowingIndex, build, find, winnowed

_SHOWN = 20


def explain(a: Document, b: Document, parameters: WinnowingParameters, index: WinnowingIndex | None) -> Explanation:
    """The rules in order."""
    p = parameters
    found = winnowed([a, b], p)
    kept = np.diff(found.bounds).tolist()
    tokens = np.diff(found.text.bounds).tolist()
    reasons = [
        Reason(f"fingerprints of {name}", n > 0, f"{n} kept of {max(0, size - p.k + 1)} k-grams")
        for name, n, size in zip(("suspect", "source"), kept, tokens, strict=True)
    ]
    if not all(kept):
        summary = f"No match: one of the documents has fewer than {p.k} tokens."
        return Explanation(False, summary, tuple(reasons))
    both = np.intersect1d(found.hashes[: kept[0]], found.hashes[kept[0] :])
    reasons.append(Reason("equal fingerprints", len(both) > 0, f"{len(both)} stand in both"))
    if not len(both):
        summary = f"No match: no fingerprint in common, so no common string of {p.guaranteed} tokens or more."
        return Explanation(False, summary, tuple(reasons))
    if index is not None:
        first, last = index.find(both)
        frequent = int((last - first > p.max_places).sum())
        detail = f"{frequent} of these {len(both)} stand at more than {p.max_places} places"
        reasons.append(Reason("limit of places", frequent < len(both), detail))
        if frequent == len(both):
            return Explanation(False, "No match: what they share stands at too many places.", tuple(reasons))
    matches = find(build([[b]], p, Unwatched()), [a], [1], p, Unwatched()).matches
    rows = np.argsort(-matches.score, kind="stable")[:_SHOWN].tolist()
    reasons += [
        Reason(
            "passage",
            True,
            f"{int(matches.score[i])} equal tokens",
            Span(int(matches.a_start[i]), int(matches.a_end[i])),
            Span(int(matches.b_start[i]), int(matches.b_end[i])),
        )
        for i in rows
    ]
    if not rows:
        return Explanation(False, "No match: what they share stands at too many places of the source.", tuple(reasons))
    n = len(matches)
    number = "One passage matches" if n == 1 else f"{n} passages match"
    return Explanation(True, f"{number}; the longest has {int(matches.score.max())} equal tokens.", tuple(reasons))
