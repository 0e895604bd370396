"""Translated passages of documents in the sources of an index, and why a pair of documents has some or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import MEANS
from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Match, Matches, Results, Span, Tier
from workbench.methods.altered.passage import Words
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.collection import EMPTY, keys, limit_for_pair, places
from workbench.methods.translated.aligning import LEAST, Aligned, Chain, align
from workbench.methods.translated.evidence import UnitRows, log_odds, similarity_odds
from workbench.methods.translated.figures import means
from workbench.methods.translated.index import (
    NO_LANGUAGE,
    TranslatedIndex,
    language_code,
    language_number,
    single,
    vectors_of,
)
from workbench.methods.translated.parameters import TranslatedParameters
from workbench.methods.translated.units import Sentences, UnitKind, sentences_of
from workbench.text.languages import detect_language


def find(
    index: TranslatedIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: TranslatedParameters,
    progress: Progress,
) -> Results:
    """Passages of each document in the first ``before[i]`` indexed documents, of other languages. Raises Cancelled."""
    excluded: Counter[str] = Counter()
    rows: list[Match] = []
    for i, document in enumerate(documents):
        progress.check()
        suspect = Suspect(index, document, progress)
        excluded[EMPTY] += not suspect.size
        if not suspect.size:
            continue
        excluded[NO_LANGUAGE] += not suspect.language
        chosen, left_out = suspect.candidates(int(before[i]), parameters, progress)
        excluded += left_out
        for source in sorted(chosen):
            rows += suspect.rows(source, suspect.aligned(source, parameters, progress))
    return Results(matches=Matches.of(rows), excluded=dict(+excluded))


class Suspect:
    """One document, compared with sources of an index. ``size``: its sentences; ``language``: its number."""

    def __init__(self, index: TranslatedIndex, document: Document, progress: Progress) -> None:
        self._index, self._document = index, document
        self.sentences: Sentences = sentences_of([document], index.dictionary)
        self.size = len(self.sentences.start)
        self.language = language_number(detect_language(document.text))
        self._vectors = vectors_of(index.model, [document], self.sentences, progress)
        self._units = index.numbers(self.sentences.values)
        self._rarity = index.rarity(int(self._units.max(initial=-1)) + 1)

    def candidates(
        self, limit: int, parameters: TranslatedParameters, progress: Progress
    ) -> tuple[list[int], Counter[str]]:
        """The sources worth aligning, and counts of omissions. Raises Cancelled."""
        if not self.language or not self.size:
            return [], Counter()
        most = parameters.max_sources
        if self._index.model is not None:
            least = parameters.min_similarity
            return self._index.similar(self._vectors, self.language, limit, least, most, progress)
        return self._index.candidates(self._units, self.sentences.kinds, self.language, limit, most)

    def aligned(self, source: int, parameters: TranslatedParameters, progress: Progress) -> Aligned:
        """The passages of the document in a source. Raises Cancelled."""
        index, own = self._index, self.sentences
        low, high = int(index.bounds[source]), int(index.bounds[source + 1])
        their_vectors = np.ascontiguousarray(index.vectors[low:high])
        ours = UnitRows(own.first, self._units, own.kinds, own.end - own.start)
        theirs = UnitRows(index.first, index.units, index.kinds, index.end - index.start).part(low, high)
        prints = index.prints[low:high]
        languages = language_code(self.language), language_code(int(index.languages[source]))

        def cells(a: int, a_end: int, b: int, b_end: int) -> NDArray[np.float32]:
            if index.model is not None:
                odds = similarity_odds(self._vectors[a:a_end], their_vectors[b:b_end], parameters.min_similarity)
            else:
                odds = log_odds(ours.part(a, a_end), theirs.part(b, b_end), languages, self._rarity)
            # Text with the same words in both was not translated, so it is not evidence.
            return np.where(own.prints[a:a_end, None] == prints[b:b_end], np.minimum(odds, 0), odds)

        return align(cells, self.size, high - low, parameters.min_odds, progress)

    def rows(self, source: int, aligned: Aligned) -> list[Match]:
        """The passages as matches with a source."""
        key = int(keys(self._index.order)[source])
        rows = []
        for p in aligned.passages:
            a_span, b_span = self.spans(source, p)
            own = self.sentences
            first = int(self._index.bounds[source])
            gaps = (
                _gaps(own.start, own.end, 0, (p.a_start, p.a_end), p.a_holes),
                _gaps(self._index.start, self._index.end, first, (p.b_start, p.b_end), p.b_holes),
            )
            evidence = self._evidence(source, p)
            rows.append(Match(self._document.key, key, a_span, b_span, p.odds, evidence, *gaps))
        return rows

    def spans(self, source: int, p: Chain) -> tuple[Span, Span]:
        """A passage in characters of both texts."""
        own, index, first = self.sentences, self._index, int(self._index.bounds[source])
        a_span = Span(int(own.start[p.a_start]), int(own.end[p.a_end - 1]))
        return a_span, Span(int(index.start[first + p.b_start]), int(index.end[first + p.b_end - 1]))

    def _evidence(self, source: int, p: Chain) -> dict[str, float]:
        """The evidence for a passage: its sentence pairs and, without a model, the units shared by both sides."""
        evidence: dict[str, float] = {MEANS: int(self._index.model is not None), "pairs": p.pairs, "tier": Tier.ALTERED}
        if self._index.model is None:
            shared = self._shared(source, p)
            evidence |= {name: shared[kind] for name, kind in _EVIDENCE.items()}
        return evidence

    def _shared(self, source: int, p: Chain) -> dict[UnitKind, int]:
        """Number of distinct units of each kind common to both sides of a passage."""
        own, index, first = self.sentences, self._index, int(self._index.bounds[source])
        ours = slice(own.first[p.a_start], own.first[p.a_end])
        theirs = slice(index.first[first + p.b_start], index.first[first + p.b_end])
        both, at, _ = np.intersect1d(self._units[ours], index.units[theirs], return_indices=True)
        counts = np.bincount(own.kinds[ours][at], minlength=len(UnitKind)) if len(both) else np.zeros(len(UnitKind))
        counts[UnitKind.NUMBER] += counts[UnitKind.SMALL]
        return {kind: int(counts[kind]) for kind in UnitKind}


def _gaps(
    start: NDArray[np.int64], end: NDArray[np.int64], first: int, passage: tuple[int, int], gaps: Words
) -> tuple[Span, ...]:
    """The characters of ``gaps`` in a passage, including the space between them and the adjacent sentences."""
    spans = []
    for low, high in gaps:
        begin = int(start[first + low] if low == passage[0] else end[first + low - 1])
        spans.append(Span(begin, int(end[first + high - 1] if high == passage[1] else start[first + high])))
    return tuple(spans)


_EVIDENCE = {
    "numbers": UnitKind.NUMBER,
    "latin_words": UnitKind.LATIN,
    "han_characters": UnitKind.HAN,
    "entries": UnitKind.ENTRY,
}


_SHOWN = 20


def explain(
    a: Document, b: Document, parameters: TranslatedParameters, index: TranslatedIndex | None, results: Results
) -> Explanation:
    """The steps that led to ``results``, all detections in the pair; with ``index``, or from the two alone."""
    source, limit = 0, 1
    if index is None:
        index = single(b, parameters)
    else:
        source = int((index.order < places([b])[0]).sum())
        limit = limit_for_pair(index.order, a, b) or len(index.order)
    suspect = Suspect(index, a, NullProgress())
    size = int(index.bounds[source + 1] - index.bounds[source])
    detail = Message(
        "{ours} sentences in the suspect, {theirs} in the source, {least} needed",
        ours=f"{suspect.size:,}",
        theirs=f"{size:,}",
        least=LEAST,
    )
    reasons = [Reason(Message("sentences"), min(suspect.size, size) >= LEAST, detail)]
    ours, theirs = suspect.language, int(index.languages[source])
    different = bool(ours and theirs and ours != theirs)
    detail = Message("{ours} and {theirs}", ours=language_code(ours), theirs=language_code(theirs))
    reasons.append(Reason(Message("languages"), different, detail))
    if not different:
        summary = Message("No match: the documents are in the same language.")
        if not (ours and theirs):
            summary = Message("No match: the language of a document was not recognised.")
        return Explanation(False, summary, tuple(reasons))
    chosen, _ = suspect.candidates(limit, parameters, NullProgress())
    among = Message("{likely} of {order} sources are aligned", likely=f"{len(chosen):,}", order=f"{limit:,}")
    included = Message(", including this one") if source in chosen else Message(", but not this one")
    reasons.append(Reason(Message("choice of sources"), source in chosen, among + included))
    aligned = suspect.aligned(source, parameters, NullProgress())
    reasons += [_passage(suspect, source, p, parameters, True) for p in aligned.passages[:_SHOWN]]
    if not aligned.passages:
        reasons += [_passage(suspect, source, p, parameters, False) for p in aligned.refused[:_SHOWN]]
        if not aligned.refused:
            detail = Message("no sentences in a row correspond")
            reasons.append(Reason(Message("passages"), False, detail))
    count = len(results.matches)
    if count:
        number = Message("One passage") if count == 1 else Message("{count} passages", count=f"{count:,}")
        summary = Message(
            "{number} translated, log-odds up to {odds}; recognised by {means}.",
            number=number,
            odds=f"{float(results.matches.score.max()):.0f}",
            means=means(0 if index.model is None else 1),
        )
        return Explanation(True, summary, tuple(reasons))
    if source not in chosen:
        summary = Message("No match: the source is not among the likely ones.")
    elif aligned.refused:
        best = aligned.refused[0]
        summary = Message(
            "No match: the best passage has log-odds {odds}, {min_odds} needed.",
            odds=f"{best.odds:.0f}",
            min_odds=f"{parameters.min_odds:g}",
        )
        if best.odds >= parameters.min_odds:
            summary = Message("No match: too few sentences in a row correspond.")
    else:
        summary = Message("No match: no sentences in a row correspond.")
    return Explanation(False, summary, tuple(reasons))


def _passage(suspect: Suspect, source: int, p: Chain, parameters: TranslatedParameters, passed: bool) -> Reason:
    detail = Message(
        "log-odds {odds}, {min_odds} needed; {pairs} pairs of sentences, {least} needed",
        odds=f"{p.odds:.0f}",
        min_odds=f"{parameters.min_odds:g}",
        pairs=f"{p.pairs:,}",
        least=LEAST,
    )
    rule = Message("passage") if passed else Message("refused passage")
    return Reason(rule, passed, detail, *suspect.spans(source, p))
