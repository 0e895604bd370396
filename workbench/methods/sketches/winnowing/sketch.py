"""The fingerprints selected by winnowing, and the passages found with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Matches, Results, Tier
from workbench.kernels.sketches.shingles import Rows
from workbench.kernels.sketches.winnowing import Runs, TokenText, common_runs, spans, winnow
from workbench.kernels.token_pass import token_classes
from workbench.methods.core.collection import keys as document_keys
from workbench.methods.core.tokenising import end_to_end, tokenise
from workbench.methods.sketches.columns import Columns, Keys
from workbench.methods.sketches.sketch import Index, Lookup, Sketch
from workbench.methods.sketches.winnowing import WinnowingParameters

ENOUGH = 1 << 21
"""Number of places of fingerprints examined for one document (about a second) ..."""
FEW = 10
"""... after which fingerprints with more places than this are omitted and counted."""


class Fingerprints(Sketch):
    """The k-grams selected by winnowing, each with its first token."""

    elements = Message("fingerprints")
    frequent = Message("fingerprints at more places than the limit")
    empty = Message("documents shorter than a k-gram")
    short = Message("common strings shorter than the limit")
    limit = "max_places"
    kept = ("size", "tokens", "start", "end", "codes")
    summaries: ClassVar = {
        "empty": Message("No match: one of the documents has fewer than {k} tokens."),
        "apart": Message("No match: no fingerprint in common, so no common string of {guaranteed} tokens or more."),
        "frequent": Message("No match: the shared text occurs too often."),
        "below": Message("No match: no common string of {least} tokens or more."),
        "found": Message("{number}; the longest has {score} equal tokens."),
    }

    def encode(self, documents: Sequence[Document], parameters: WinnowingParameters) -> Columns:
        """Tokens with their places, code points, and fingerprints with the token ``at`` which each starts."""
        text = tokenise(documents, parameters)
        grams = text.shingles(parameters.k, short=False)
        selected, bounds = winnow(grams, parameters.window)
        codes, ends = end_to_end(documents)
        tokens, start, end = (Rows(values, text.bounds) for values in (text.values, text.start, text.end))
        # k-gram j of a document begins at its token j, but a document has fewer k-grams than tokens.
        at = selected - np.repeat(grams.bounds[:-1], np.diff(bounds))
        return {
            "size": np.diff(bounds),
            "tokens": tokens,
            "start": start,
            "end": end,
            "codes": Rows(codes, np.concatenate([[0], ends]).astype(np.int64)),
            "fingerprints": Rows(grams.values[selected], bounds),
            "at": Rows(at, bounds),
        }

    def keys(self, columns: Columns, parameters: WinnowingParameters) -> Keys:
        """Each fingerprint."""
        fingerprints: Rows = columns["fingerprints"]
        return fingerprints

    def holders(self, columns: Columns) -> NDArray[np.int64]:
        """The first tokens of the fingerprints, numbered over all documents."""
        at, first = columns["at"], columns["tokens"].bounds[:-1]
        places: NDArray[np.int64] = at.values + np.repeat(first, at.sizes)
        return places

    def results_of(self, index: Index, lookup: Lookup, parameters: WinnowingParameters, progress: Progress) -> Results:
        """Common strings, found through equal fingerprints. Raises Cancelled."""
        mine, theirs, lists = _text(lookup.columns), _text(index.columns), lookup.lists
        at, number = lookup.columns["at"].values[lookup.rows], lists.last - lists.first
        edges = np.searchsorted(lists.owner, np.arange(len(lookup.documents) + 1))
        parts, beyond, short = [], 0, 0
        for i, document in enumerate(lookup.documents):
            progress.check()
            own = np.arange(edges[i], edges[i + 1])
            own = own[(np.cumsum(number[own]) <= ENOUGH) | (number[own] <= FEW)]
            beyond += int(edges[i + 1] - edges[i]) - len(own)
            runs = common_runs(
                lookup.columns["tokens"].of(i),
                at[own],
                lists.first[own],
                lists.last[own],
                index.postings.holders,
                theirs,
                int(lookup.before[i]),
                parameters.k,
                parameters.gap,
                progress,
            )
            long = runs.tokens >= parameters.least
            short += int((~long).sum())
            if long.any():
                parts.append(_matches(document, i, mine, runs.take(long), theirs, index.order))
        return Results(matches=Matches.concatenate(parts), excluded={self.frequent: beyond, self.short: short})


def _text(columns: Columns) -> TokenText:
    tokens, codes = columns["tokens"], columns["codes"]
    start, end = columns["start"].values, columns["end"].values
    return TokenText(tokens.values, start, end, tokens.bounds, codes.values, codes.bounds)


def _matches(
    document: Document, i: int, mine: TokenText, runs: Runs, theirs: TokenText, order: NDArray[np.int64]
) -> Matches:
    """Matches of one document, ordered by position and source."""
    at = spans(runs, mine, i, theirs, token_classes())
    holders = np.searchsorted(theirs.bounds, runs.b, "right") - 1
    matches = Matches(
        a=np.full(len(at), document.key, np.int64),
        b=document_keys(order)[holders],
        a_start=at[:, 0],
        a_end=at[:, 1],
        b_start=at[:, 2],
        b_end=at[:, 3],
        score=runs.tokens.astype(np.float64),
        tier=np.select([runs.parts > 1, at[:, 4] == 1], [Tier.ALTERED, Tier.EXACT], Tier.FOLDED).astype(np.int8),
        evidence={"tokens": runs.tokens, "fingerprints": runs.fingerprints, "parts": runs.parts},
    )
    return matches.take(np.lexsort((matches.b_start, matches.b, matches.a_start)))


SKETCH = Fingerprints()
