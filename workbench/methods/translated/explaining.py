"""Explains why a pair of documents has translated passages, or why not: the steps of detection in order."""

from __future__ import annotations

from workbench.base.messages import Message
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.collection import limit_for_pair, places
from workbench.methods.translated.aligning import LEAST, Chain
from workbench.methods.translated.figures import means
from workbench.methods.translated.finding import Suspect
from workbench.methods.translated.index import TranslatedIndex, language_code, single
from workbench.methods.translated.parameters import TranslatedParameters

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
