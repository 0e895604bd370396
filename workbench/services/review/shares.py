"""The share of a suspect covered by passages, over all sources, before and after exclusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.coverage import A, Stretches, lengths, stretches
from workbench.base.messages import Message, percent
from workbench.base.types import Document, Ints, Matches, Span
from workbench.project.listing import DocumentItem
from workbench.services.labels.targets import passage_spans
from workbench.services.review.exclusions import Exclusion, ExclusionKind, least_length, occurrences
from workbench.services.review.passages import passages
from workbench.services.review.spans import Union, difference, intersection, mutual_overlap, share, union, union_of
from workbench.text.quotation import Citation, CitationKind, citations

_SAME_PASSAGE = 0.5
"""Minimum mutual overlap, on both sides, at which an excluded passage matches one of a later run."""
_KINDS = {
    ExclusionKind.QUOTATIONS: (CitationKind.QUOTATION, CitationKind.BLOCK_QUOTATION),
    ExclusionKind.REFERENCES: (CitationKind.REFERENCES,),
    ExclusionKind.NOTES: (CitationKind.NOTE,),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """An exclusion, the number of ``passages`` that lose a match to it, and of its matched ``characters``."""

    exclusion: Exclusion
    passages: int
    characters: int


@dataclass(frozen=True, slots=True)
class Shares:
    """The matched characters of a suspect of ``length`` characters, over all sources, overlaps counted once.

    ``matched``: characters in any of n matches; ``counted``: those left after ``effects`` and without those judged not
    copied, in ``not_copies`` passages. ``kept`` bool[n]: matches that count at least in part. ``cited``: matched
    characters within citations, by kind, excluded or not; without copied dialogue. ``hidden``: stretches of the text
    that never count.
    """

    length: int
    matched: int
    counted: int
    not_copies: int
    effects: tuple[Effect, ...]
    kept: NDArray[np.bool_]
    cited: Mapping[CitationKind, int]
    citations: tuple[Citation, ...]
    hidden: Union

    @property
    def matched_share(self) -> float:
        """0..1 of the text."""
        return share(self.matched, self.length)

    @property
    def counted_share(self) -> float:
        """0..1 of the text, after exclusions."""
        return share(self.counted, self.length)

    @property
    def excluded(self) -> int:
        """The number of effective exclusions, including each passage judged not copied."""
        return self.not_copies + sum(effect.characters > 0 for effect in self.effects)


def shares(
    document: Document,
    matches: Matches,
    sources: Mapping[int, DocumentItem],
    chosen: Sequence[Exclusion],
    not_copies: NDArray[np.bool_],
    cited: Sequence[Citation] | None = None,
) -> Shares:
    """The shares of ``document``, whose passages in a run are the n ``matches``.

    ``sources`` are the sources by key, ``not_copies`` bool[n] says which passages were judged not copied, ``cited`` are
    the document's citations if known.
    """
    return exclusion_effect(document, matches, sources, chosen, cited).shares(not_copies, not_copies)


@dataclass(frozen=True, slots=True, eq=False)
class ExclusionEffect:
    """The effect of exclusions on the n matches of a document of ``length`` characters, regardless of verdicts.

    ``passage`` int64[n]: the passage of each. ``stretches``: the text of each, ``matched`` of all together. ``out``
    bool[n]: matches excluded as a whole; ``hidden``: stretches of the text that never count; ``inside`` bool[n]:
    matches within those; ``characters`` int64[n]: the number of characters of each outside them. ``least`` excludes the
    matches ``low`` bool[n], which score less than the project's threshold.
    """

    length: int
    passage: Ints
    stretches: Stretches
    matched: Union
    effects: tuple[Effect, ...]
    out: NDArray[np.bool_]
    hidden: Union
    inside: NDArray[np.bool_]
    characters: Ints
    cited: Mapping[CitationKind, int]
    citations: tuple[Citation, ...]
    least: Exclusion | None
    low: NDArray[np.bool_]

    def shares(self, not_copies: NDArray[np.bool_], judged: NDArray[np.bool_]) -> Shares:
        """The shares, given the passages ``judged`` bool[n], and ``not_copies`` bool[n] judged not copied.

        Judged passages count whatever their score.
        """
        out, effects = self.out | not_copies, self.effects
        if self.least is not None:
            below = self.low & ~judged
            out |= below
            reached = _union(self.stretches, below).length
            effects = (*effects, Effect(self.least, len(np.unique(self.passage[below])), reached))
        counting = ~out
        counted = difference(_union(self.stretches, counting), self.hidden)
        return Shares(
            self.length,
            self.matched.length,
            counted.length,
            len(np.unique(self.passage[not_copies])),
            effects,
            counting & ~self.inside,
            self.cited,
            self.citations,
            self.hidden,
        )


def exclusion_effect(
    document: Document,
    matches: Matches,
    sources: Mapping[int, DocumentItem],
    chosen: Sequence[Exclusion],
    cited: Sequence[Citation] | None = None,
    below: tuple[Exclusion, NDArray[np.bool_]] | None = None,
    dialogue: Sequence[Span] = (),
) -> ExclusionEffect:
    """The effect of ``chosen``; see :func:`shares`. ``below``: the threshold's exclusion, and its matches;
    ``dialogue``: quotations that were copied with their marks, and are not counted as cited.
    """
    all_cited = list(citations(document.text, document.blocks)) if cited is None else list(cited)
    masks = {kind: union_of(c.span for c in all_cited if c.kind is kind) for kind in CitationKind}
    masks[CitationKind.QUOTATION] = difference(masks[CitationKind.QUOTATION], union_of(dialogue))
    covering, passage = stretches(matches, A), passages(matches)
    whole = union(covering.start, covering.end)
    out = np.zeros(len(matches), np.bool_)
    hidden = union_of(())
    effects = []
    for exclusion in chosen:
        rows, mask = _reach(exclusion, document, matches, sources, masks)
        out |= rows
        hidden = union(np.concatenate((hidden.start, mask.start)), np.concatenate((hidden.end, mask.end)))
        of_rows = _union(covering, rows)
        reached = intersection(whole, union(*(np.concatenate(pair) for pair in zip(of_rows, mask, strict=True))))
        gone = rows | (_outside(covering, mask, len(matches)) == 0)
        effects.append(Effect(exclusion, len(np.unique(passage[gone])), reached.length))
    characters = _outside(covering, hidden, len(matches))
    return ExclusionEffect(
        len(document.text),
        passage,
        covering,
        whole,
        tuple(effects),
        out,
        hidden,
        characters == 0,
        characters,
        {kind: intersection(whole, mask).length for kind, mask in masks.items()},
        tuple(all_cited),
        *((None, np.zeros(len(matches), np.bool_)) if below is None else below),
    )


def _reach(
    exclusion: Exclusion,
    document: Document,
    matches: Matches,
    sources: Mapping[int, DocumentItem],
    masks: Mapping[CitationKind, Union],
) -> tuple[NDArray[np.bool_], Union]:
    """The passages that ``exclusion`` excludes as a whole, and the excluded characters of the text."""
    none, nowhere = np.zeros(len(matches), np.bool_), union_of(())
    kind, what = exclusion.kind, exclusion.what
    if kind is ExclusionKind.PASSAGE:
        place = what if exclusion.place is None else exclusion.place
        return _same_passage(place, document.id, matches, sources), nowhere
    if kind in (ExclusionKind.SOURCE, ExclusionKind.SITE):
        keys = [
            key for key, item in sources.items() if (item.id if kind is ExclusionKind.SOURCE else item.site) == what
        ]
        return np.isin(matches.b, keys), nowhere
    if kind is ExclusionKind.SHORTER:
        return lengths(matches, A) < least_length(what), nowhere
    if kind is ExclusionKind.PHRASE:
        return none, union_of(occurrences(what, document.text))
    parts = [masks[kind] for kind in _KINDS[kind]]
    return none, union(np.concatenate([p.start for p in parts]), np.concatenate([p.end for p in parts]))


def _same_passage(target: str, a: str, matches: Matches, sources: Mapping[int, DocumentItem]) -> NDArray[np.bool_]:
    same = np.zeros(len(matches), np.bool_)
    for key, item in sources.items():
        spans = passage_spans(target, a, item.id)
        if spans is not None:
            for row in np.flatnonzero(matches.b == key).tolist():
                match = matches.row(row)
                overlap = min(mutual_overlap(match.a_span, spans[0]), mutual_overlap(match.b_span, spans[1]))
                same[row] |= overlap >= _SAME_PASSAGE
    return same


def _union(covering: Stretches, rows: NDArray[np.bool_]) -> Union:
    """The union of the matches ``rows``."""
    chosen = rows[covering.row]
    return union(covering.start[chosen], covering.end[chosen])


def _outside(covering: Stretches, mask: Union, size: int) -> Ints:
    """The number of characters of each of ``size`` matches outside ``mask``, int64[size]."""
    row, start, end = covering
    outside = end - start - mask.length_before(end) + mask.length_before(start)
    return np.bincount(row, weights=outside, minlength=size).astype(np.int64)


def share_words(counted_shares: Shares) -> Message:
    """Both shares as one line: before exclusions, and after them if there are any."""
    matched, counted = percent(counted_shares.matched_share), percent(counted_shares.counted_share)
    if not counted_shares.excluded:
        return Message("{matched} matched", matched=matched)
    if counted_shares.excluded == 1:
        return Message("{matched} matched · {counted} after 1 exclusion", matched=matched, counted=counted)
    return Message(
        "{matched} matched · {counted} after {count} exclusions",
        matched=matched,
        counted=counted,
        count=counted_shares.excluded,
    )
