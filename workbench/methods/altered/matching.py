"""Passages of documents in the sources of an index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message, beside, percent
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Match, Matches, Results, Span, Tier
from workbench.kernels.altered.pairing import Background, FirstText, background
from workbench.methods.altered.alignment import (
    SEED,
    SHARED,
    SUMMARY_RARE,
    Aligner,
    Limits,
)
from workbench.methods.altered.index import AlteredIndex, single
from workbench.methods.altered.kinds import Classified
from workbench.methods.altered.marks import counted
from workbench.methods.altered.pair_marks import word_marks
from workbench.methods.altered.parameters import AlteredParameters
from workbench.methods.altered.passage import WordPassage, Words, odds_of_summary, rare_odds_of
from workbench.methods.altered.words import TextWords, words_of
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.collection import EMPTY, keys, limit_for_pair, places
from workbench.methods.core.figures import CopyKind

ECHOES = Message("passages that another source explains much better")
ECHO = 0.75
"""A passage is an echo if another source's passage has more than 1 / ECHO times its log-odds per word ..."""
COVERED = 0.5
"""... and such passages cover more than this share of its words."""
PAIR_WEIGHT = 10_000.0
"""Weight, in words, of the pair's own frequencies when mixed with those of the collection, which may be small."""


def find(
    index: AlteredIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: AlteredParameters,
    progress: Progress,
    *,
    choose: bool = True,
) -> Results:
    """Passages of each document in the likely (or all) of the first ``before[i]`` indexed ones. Raises Cancelled."""
    excluded: Counter[str] = Counter()
    rows: list[Row] = []
    pairs = Pairs(index, parameters, progress)
    for i, (document, words) in enumerate(zip(documents, words_of([d.text for d in documents]), strict=True)):
        progress.check()
        excluded[EMPTY] += not len(words)
        numbers, limit = index.numbers(words), int(before[i])
        chosen = list(range(limit))
        if choose:
            chosen, left_out = index.candidates(numbers, limit, parameters, progress)
            excluded += left_out
            chosen = sorted({*chosen, *index.named(document.key)})
        own, echoes = chosen_rows(pairs, document, words, numbers, chosen)
        excluded[ECHOES] += echoes
        rows += own
    return Results(matches=Matches.of([row.match() for row in rows]), excluded=dict(+excluded + pairs.left_out))


def chosen_rows(
    pairs: Pairs, document: Document, words: TextWords, numbers: NDArray[np.int32], chosen: Sequence[int]
) -> tuple[list[Row], int]:
    """The matches of a document with the ``chosen`` sources, and the number of dropped ones that another source
    explains much better. Raises Cancelled.
    """
    rows = [row for source in sorted(chosen) for row in pairs.rows(document, words, numbers, source)]
    own = _without_echoes(rows)
    return own, len(rows) - len(own)


def _without_echoes(rows: Sequence[Row]) -> list[Row]:
    """``rows`` of one suspect without those whose words another source explains much better."""
    ranked = sorted(rows, key=lambda row: -_density(row.passage))
    kept: list[Row] = []
    for row in ranked:
        p = row.passage
        explained = sum(
            p.common(q)
            for q in (other.passage for other in kept if other.b != row.b)
            if q.a_start < p.a_end and p.a_start < q.a_end and _density(p) < ECHO * _density(q)
        )
        if explained <= COVERED * p.size:
            kept.append(row)
    return sorted(kept, key=lambda row: (row.b, row.a_span))


def _density(p: WordPassage) -> float:
    """Log-odds per word of the suspect."""
    return p.odds / max(1, p.size)


class Pairs:
    """Alignment of successive texts with sources of an index. ``left_out``: counts of what was not tried because of
    limits.
    """

    def __init__(self, index: AlteredIndex, parameters: AlteredParameters, progress: Progress) -> None:
        self._index, self._watch = index, progress
        cover = parameters.min_cover if parameters.summaries else 2.0
        self._limits = Limits(parameters.min_odds, cover)
        self.left_out: Counter[str] = Counter()
        self._keys = keys(index.order)
        self._indexed = set(self._keys.tolist()) if parameters.compare == "all" else frozenset()
        self._scratch = np.full(len(index.vocabulary), -1, np.int32)
        self._first: tuple[NDArray[np.int32], FirstText] | None = None
        self._characters = np.zeros(len(index.frequencies.characters), np.int64)

    def rows(self, document: Document, words: TextWords, numbers: NDArray[np.int32], source: int) -> list[Row]:
        """The matches of a document with one source. Raises Cancelled."""
        aligner = self._aligner(document, words, numbers, source)
        passages = aligner.passages()
        self.left_out += aligner.left_out
        return self._rows(document, words, source, passages) if passages else []

    def traced(
        self, document: Document, words: TextWords, numbers: NDArray[np.int32], source: int
    ) -> tuple[list[Row], list[tuple[WordPassage, Span, Span]], int]:
        """The same matches; refused passages with their spans, best first; and the number of seeds."""
        aligner = self._aligner(document, words, numbers, source)
        passages = aligner.passages()
        rows = self._rows(document, words, source, passages)
        theirs = self._place(source)
        refused = [
            (p, _span(words.start, words.close, p.a_start, p.a_end), _span(*theirs, p.b_start, p.b_end))
            for p in sorted(aligner.refused, key=lambda p: -p.odds)
        ]
        return rows, refused, aligner.seeds

    def _aligner(self, document: Document, words: TextWords, numbers: NDArray[np.int32], source: int) -> Aligner:
        index = self._index
        theirs = slice(int(index.bounds[source]), int(index.bounds[source + 1]))
        first = self._first_text(words, numbers)
        a, b, common = first.beside(index.words[theirs], _ends(index.breaks[theirs]))
        counted = document.key in self._indexed, True
        shares = background(a, b, common, index.frequencies, *counted, PAIR_WEIGHT, self._characters)
        return Aligner(a, b, Background(*shares), self._limits, self._watch)

    def _first_text(self, words: TextWords, numbers: NDArray[np.int32]) -> FirstText:
        """The document whose words have these ``numbers``, cached while it is aligned with one source after another."""
        if self._first is None or self._first[0] is not numbers:
            if self._first is not None:
                self._first[1].release()
            most = len(self._index.vocabulary) + len(numbers)
            if len(self._scratch) < most:
                self._scratch = np.full(most, -1, np.int32)
            self._first = numbers, FirstText(numbers, _ends(words.breaks), self._scratch)
        return self._first[1]

    def _place(self, source: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Starts of the words of a source, and their ends, including closing characters."""
        theirs = slice(int(self._index.bounds[source]), int(self._index.bounds[source + 1]))
        return self._index.start[theirs], self._index.close[theirs]

    def _rows(
        self, document: Document, words: TextWords, source: int, passages: Sequence[tuple[WordPassage, Classified]]
    ) -> list[Row]:
        text, theirs, key = self._index.source(source), self._place(source), int(self._keys[source])
        rows = []
        for p, kind in passages:
            a_span = _span(words.start, words.close, p.a_start, p.a_end)
            b_span = _span(*theirs, p.b_start, p.b_end)
            same = document.text[a_span.start : a_span.end] == text[b_span.start : b_span.end]
            alike = kind.kind is CopyKind.VERBATIM and kind.shared == 1 and not p.a_holes and not p.b_holes
            tier = 0 if same else 1 if alike else 2
            gaps: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
            if tier == Tier.ALTERED:
                ours = words.start, words.close
                a_gaps = _gaps(*ours, (p.a_start, p.a_end), p.a_holes)
                gaps = a_gaps, _gaps(*theirs, (p.b_start, p.b_end), p.b_holes)
            rows.append(Row(document.key, key, a_span, b_span, p, kind, tier, *gaps))
        return rows


def _span(start: NDArray[np.int32], close: NDArray[np.int32], first: int, last: int) -> Span:
    """The characters of the words [first, last)."""
    return Span(int(start[first]), int(close[last - 1]))


def _gaps(
    start: NDArray[np.int32], close: NDArray[np.int32], passage: tuple[int, int], holes: Words
) -> tuple[Span, ...]:
    """The characters of the ``holes`` in the words of the ``passage``, including the separators around them."""
    first, last = passage
    gaps = []
    for low, high in ((max(low, first), min(high, last)) for low, high in holes):
        if low < high:
            begin = int(start[low]) if low == first else int(close[low - 1])
            gaps.append(Span(begin, int(close[high - 1]) if high == last else int(start[high])))
    return tuple(gaps)


def _ends(breaks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The separator before each word and at the end of the text, as ``Side.breaks``."""
    dividing = np.empty(len(breaks) + 1, np.float32)
    np.multiply(breaks, np.float32(0.5), out=dividing[:-1])
    dividing[-1] = 1
    return dividing


@dataclass(frozen=True, slots=True)
class Row:
    """One match."""

    a: int
    b: int
    a_span: Span
    b_span: Span
    passage: WordPassage
    classified: Classified
    tier: int
    a_gaps: tuple[Span, ...] = ()
    b_gaps: tuple[Span, ...] = ()

    def match(self) -> Match:
        """The match with its log-odds as evidence."""
        p = self.passage
        evidence = {
            "kind": int(self.classified.kind),
            "shared_words": self.classified.shared,
            "suspect_odds": p.a_odds,
            "rare_odds": p.rare_odds,
            "source_odds": p.b_odds,
            "tier": self.tier,
        }
        return Match(self.a, self.b, self.a_span, self.b_span, p.odds, evidence, self.a_gaps, self.b_gaps)


_SHOWN = 20
_KINDS = {
    CopyKind.VERBATIM: Message("verbatim"),
    CopyKind.LIGHTLY_CHANGED: Message("lightly changed"),
    CopyKind.REWORDED: Message("reworded"),
    CopyKind.SHUFFLED: Message("shuffled"),
    CopyKind.SUMMARY: Message("summary"),
}


def explain(a: Document, b: Document, parameters: AlteredParameters, index: AlteredIndex | None) -> Explanation:
    """The steps in order. Frequencies are those of ``index``, otherwise of the two texts alone."""
    ours, theirs = words_of([a.text, b.text])
    detail = Message(
        "{ours} words in the suspect, {theirs} in the source, 3 needed",
        ours=f"{len(ours):,}",
        theirs=f"{len(theirs):,}",
    )
    reasons = [Reason(Message("words"), min(len(ours), len(theirs)) >= 3, detail)]
    if not reasons[0].passed:
        return Explanation(False, Message("No match: one of the documents has fewer than 3 words."), tuple(reasons))
    source, chosen = 0, True
    limit = None if index is None else limit_for_pair(index.order, a, b)
    likely: list[int] = [source]
    if index is None or limit is None:
        index = single(b, parameters)
    else:
        source = int(np.searchsorted(index.order, places([b])[0]))
        likely, _ = index.candidates(index.numbers(ours), limit, parameters, NullProgress())
        detail = Message(
            "{likely} of {order} sources are likely enough to be aligned",
            likely=f"{len(likely):,}",
            order=f"{limit:,}",
        )
        among = source in likely
        likely = sorted({*likely, *index.named(a.key)})
        chosen = source in likely
        if among:
            detail += Message(", including this one")
        elif chosen:
            detail += Message(", but not this one; it is aligned because another method finds a match in it")
        else:
            detail += Message(", but not this one")
        reasons.append(Reason(Message("choice of sources"), chosen, detail))
    pairs = Pairs(index, parameters, NullProgress())
    rows, refused, seeds = pairs.traced(a, ours, index.numbers(ours), source)
    detail = Message(
        "rare words cluster at {seeds} places (weight {seed} needed)", seeds=f"{seeds:,}", seed=f"{SEED:g}"
    )
    has_passages = bool(rows or refused)
    if has_passages and not seeds:
        detail += Message("; the whole source was searched instead")
    reasons.append(Reason(Message("seeds"), seeds > 0 or has_passages, detail))
    reasons += [_accepted(row, a, b, parameters) for row in rows[:_SHOWN]]
    if not rows:
        reasons += [_refused(p, span, other, parameters, len(theirs)) for p, span, other in refused[:_SHOWN]]
        if not refused:
            reasons.append(
                Reason(
                    Message("passages"), False, Message("no passage is more likely copied than written independently")
                )
            )
    if rows and chosen:
        own, _ = chosen_rows(pairs, a, ours, index.numbers(ours), likely)
        alone = bool({row.a_span for row in rows} & {row.a_span for row in own if row.b == b.key})
        if len(likely) > 1:
            detail = Message("no other source explains a passage much better")
            if not alone:
                detail = Message("another source explains the passages much better")
            reasons.append(Reason(Message("other sources"), alone, detail))
        if not alone:
            return Explanation(
                False, Message("No match: another source explains the passages much better."), tuple(reasons)
            )
    return Explanation(bool(rows) and chosen, _summary(rows, refused, parameters, chosen), tuple(reasons))


def kind_word(classified: Classified) -> str:
    """The kind of a passage, in words."""
    return _KINDS[classified.kind]


def _accepted(row: Row, a: Document, b: Document, parameters: AlteredParameters) -> Reason:
    marks = word_marks(a.text, row.a_span, b.text, row.b_span)
    detail = Message(
        "{kind_word}: log-odds {a_odds} in the suspect and {b_odds} in the source, {min_odds} needed; {counted}",
        kind_word=kind_word(row.classified),
        a_odds=f"{row.passage.a_odds:.0f}",
        b_odds=f"{row.passage.b_odds:.0f}",
        min_odds=f"{parameters.min_odds:g}",
        counted=counted(marks),
    )
    return Reason(Message("passage"), True, detail, row.a_span, row.b_span)


def _refused(p: WordPassage, a_span: Span, b_span: Span, parameters: AlteredParameters, words: int) -> Reason:
    """Why ``p`` is not a match with a source of ``words`` words."""
    if p.shared < SHARED:
        detail = Message(
            "{share} of the suspect's words correspond to words of the source, {least} needed",
            share=percent(p.shared),
            least=percent(SHARED),
        )
    elif p.summary:
        detail = Message(
            "as a summary: log-odds {odds}, {needed} needed, and {rare_odds} without formulas, {least} needed",
            odds=beside(p.odds, odds_of_summary(p, words), 0),
            needed=beside(odds_of_summary(p, words), p.odds, 0),
            rare_odds=beside(p.rare_odds, SUMMARY_RARE, 0),
            least=f"{SUMMARY_RARE:g}",
        )
    elif p.odds >= parameters.min_odds and p.rare_odds < rare_odds_of(p):
        detail = Message(
            "log-odds without formulas {rare_odds}, {least} needed for so many words: a subject in common",
            rare_odds=beside(p.rare_odds, rare_odds_of(p), 0),
            least=beside(rare_odds_of(p), p.rare_odds, 0),
        )
    else:
        detail = Message(
            "log-odds {a_odds} in the suspect and {b_odds} in the source, {needed} needed on both",
            a_odds=beside(p.a_odds, parameters.min_odds, 0),
            b_odds=beside(p.b_odds, parameters.min_odds, 0),
            needed=f"{parameters.min_odds:g}",
        )
    return Reason(Message("refused passage"), False, detail, a_span, b_span)


def _summary(
    rows: list[Row], refused: list[tuple[WordPassage, Span, Span]], parameters: AlteredParameters, chosen: bool
) -> str:
    if rows:
        number = Message("One passage matches") if len(rows) == 1 else Message("{rows} passages match", rows=len(rows))
        best = max(rows, key=lambda row: row.passage.odds)
        words = Message(
            "the likeliest is {kind_word}, log-odds {odds}",
            kind_word=kind_word(best.classified),
            odds=f"{best.passage.odds:.0f}",
        )
        if not chosen:
            return Message(
                "{number} when aligned, but the source is not among the likely ones; {words}.",
                number=number,
                words=words,
            )
        return Message("{number}; {words}.", number=number, words=words)
    if refused and refused[0][0].shared < SHARED:
        return Message(
            "No match: {share} of the best passage's words correspond to words of the source, {least} needed.",
            share=percent(refused[0][0].shared),
            least=percent(SHARED),
        )
    if refused and refused[0][0].summary:
        return Message(
            "No match: the source might be summarised, but log-odds of {odds} are too few.",
            odds=f"{refused[0][0].odds:.0f}",
        )
    if refused:
        return Message(
            "No match: the best passage has log-odds {odds}, {min_odds} needed.",
            odds=beside(refused[0][0].odds, parameters.min_odds, 0),
            min_odds=f"{parameters.min_odds:g}",
        )
    return Message(
        "No match: no words of the suspect are more likely copied from this source than written independently."
    )
