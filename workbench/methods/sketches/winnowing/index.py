"""The fingerprints winnowing selects from a collection, and the passages they find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Matches, Results, Tier
from workbench.kernels.code_points import code_points
from workbench.kernels.sketches.winnowing import Runs, TokenText, common_runs, spans, winnow
from workbench.kernels.token_pass import token_classes
from workbench.methods.core.collection import keys, load_arrays, places, save_arrays
from workbench.methods.core.tokenising import tokenise
from workbench.methods.sketches.winnowing.parameters import WinnowingParameters

FREQUENT = Message("fingerprints at more places than the limit")
SHORT = Message("documents shorter than a k-gram")
ENOUGH = 1 << 21
"""Places of its fingerprints that are looked at for one document (a second) ..."""
FEW = 10
"""... after which fingerprints at more places than this are left out and counted."""
_TEXT = ("tokens", "start", "end", "bounds", "codes", "code_bounds")
_ARRAYS = ("order", *_TEXT, "hashes", "places")


@dataclass(frozen=True, slots=True)
class Winnowed:
    """Documents with the fingerprints winnowing selects from them: fingerprint i is ``hashes[i]`` (uint64) and begins
    at the token ``places[i]`` (int64, ascending) of ``text``; those of document d are ``bounds[d]:bounds[d + 1]``.
    """

    text: TokenText
    hashes: NDArray[np.uint64]
    places: NDArray[np.int64]
    bounds: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WinnowingIndex:
    """D documents; ``order`` int64 [D] are their places in the collection, ``text`` their contents.

    ``hashes`` uint64 [f] ascending, ``places`` int64 [f] the tokens of ``text`` where they begin, ascending where
    hashes are equal.
    """

    order: NDArray[np.int64]
    text: TokenText
    hashes: NDArray[np.uint64]
    places: NDArray[np.int64]

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        text = (getattr(self.text, name) for name in _TEXT)
        save_arrays(folder, dict(zip(_ARRAYS, (self.order, *text, self.hashes, self.places), strict=True)))

    @classmethod
    def load(cls, folder: Path, parameters: WinnowingParameters) -> WinnowingIndex:
        """Open a saved index. Raises UserError if it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        return cls(a["order"], TokenText(**{name: a[name] for name in _TEXT}), a["hashes"], a["places"])

    def find(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Start and end of the rows of each of ``hashes``: int64 each."""
        return np.searchsorted(self.hashes, hashes, "left"), np.searchsorted(self.hashes, hashes, "right")


def winnowed(documents: Sequence[Document], parameters: WinnowingParameters) -> Winnowed:
    """Tokens and fingerprints of ``documents``."""
    tokenised = tokenise(documents, parameters)
    grams = tokenised.shingles(parameters.k, short=False)
    selected, bounds = winnow(grams, parameters.window)
    codes = code_points("".join(d.text for d in documents))
    ends = np.cumsum([0, *(len(d.text) for d in documents)], dtype=np.int64)
    text = TokenText(tokenised.values, tokenised.start, tokenised.end, tokenised.bounds, codes, ends)
    # k-gram j of a document begins at its token j, but a document has fewer k-grams than tokens.
    at = selected + np.repeat(tokenised.bounds[:-1] - grams.bounds[:-1], np.diff(bounds))
    return Winnowed(text, grams.values[selected], at, bounds)


load = WinnowingIndex.load


def build(groups: Iterable[Sequence[Document]], parameters: WinnowingParameters, progress: Progress) -> WinnowingIndex:
    """Index of documents that come in groups, in the collection's order. Raises Cancelled."""
    order = [np.zeros(0, np.int64)]
    parts = [winnowed([], parameters)]
    shift = [0]
    for group in groups:
        order.append(places(group))
        shift.append(shift[-1] + len(parts[-1].text.tokens))
        parts.append(winnowed(group, parameters))
    progress.check()
    columns = {
        name: np.concatenate([getattr(p.text, name) for p in parts]) for name in ("tokens", "start", "end", "codes")
    }
    bounds, code_bounds = (
        np.concatenate([[0], np.cumsum(np.concatenate([np.diff(getattr(p.text, name)) for p in parts]))]).astype(
            np.int64
        )
        for name in ("bounds", "code_bounds")
    )
    hashes = np.concatenate([p.hashes for p in parts])
    at = np.concatenate([p.places + s for p, s in zip(parts, shift, strict=True)])
    by_hash = np.argsort(hashes, kind="stable")
    text = TokenText(**columns, bounds=bounds, code_bounds=code_bounds)
    return WinnowingIndex(np.concatenate(order), text, hashes[by_hash], at[by_hash])


def find(
    index: WinnowingIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: WinnowingParameters,
    progress: Progress,
) -> Results:
    """Passages of each document in the first ``before[i]`` indexed ones. Raises Cancelled."""
    mine = winnowed(documents, parameters)
    first, last = index.find(mine.hashes)
    excluded: Counter[str] = Counter()
    parts: list[Matches] = []
    for i, document in enumerate(documents):
        progress.check()
        rows = slice(mine.bounds[i], mine.bounds[i + 1])
        excluded[SHORT] += int(mine.bounds[i] == mine.bounds[i + 1])
        number = last[rows] - first[rows]
        usable = number <= parameters.max_places
        usable &= (np.cumsum(np.where(usable, number, 0)) <= ENOUGH) | (number <= FEW)
        excluded[FREQUENT] += int((~usable).sum())
        own = slice(mine.text.bounds[i], mine.text.bounds[i + 1])
        runs = common_runs(
            mine.text.tokens[own],
            mine.places[rows][usable] - mine.text.bounds[i],
            first[rows][usable],
            last[rows][usable],
            index.places,
            index.text,
            int(before[i]),
            parameters.k,
            parameters.gap,
            progress,
        )
        if len(runs.a):
            parts.append(_matches(document, i, mine.text, runs, index))
    return Results(matches=Matches.concatenate(parts), excluded=dict(+excluded))


def _matches(document: Document, i: int, text: TokenText, runs: Runs, index: WinnowingIndex) -> Matches:
    """Matches of one document, ordered by place and source."""
    at = spans(runs, text, i, index.text, token_classes())
    holders = np.searchsorted(index.text.bounds, runs.b, "right") - 1
    matches = Matches(
        a=np.full(len(at), document.key, np.int64),
        b=keys(index.order)[holders],
        a_start=at[:, 0],
        a_end=at[:, 1],
        b_start=at[:, 2],
        b_end=at[:, 3],
        score=runs.tokens.astype(np.float64),
        tier=np.select([runs.parts > 1, at[:, 4] == 1], [Tier.ALTERED, Tier.EXACT], Tier.FOLDED).astype(np.int8),
        evidence={"tokens": runs.tokens, "fingerprints": runs.fingerprints, "parts": runs.parts},
    )
    return matches.take(np.lexsort((matches.b_start, matches.b, matches.a_start)))
