"""Why two documents share altered passages under ``altered``, or which threshold they miss."""

from __future__ import annotations

import numpy as np

from workbench.base.messages import Message
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Span
from workbench.methods.altered.alignment import SEED
from workbench.methods.altered.index import AlteredIndex, single
from workbench.methods.altered.kinds import Judged
from workbench.methods.altered.marks import counted
from workbench.methods.altered.matching import Pairs, Row, chosen_rows
from workbench.methods.altered.pair_marks import word_marks
from workbench.methods.altered.parameters import AlteredParameters
from workbench.methods.altered.passage import WordPassage
from workbench.methods.altered.words import words_of
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.collection import places, reach
from workbench.methods.core.kinds import CopyKind

_SHOWN = 20
_KINDS = {
    CopyKind.VERBATIM: Message("verbatim"),
    CopyKind.LIGHTLY_CHANGED: Message("lightly changed"),
    CopyKind.REWORDED: Message("reworded"),
    CopyKind.SHUFFLED: Message("shuffled"),
    CopyKind.SUMMARY: Message("summary"),
}


def explain(a: Document, b: Document, parameters: AlteredParameters, index: AlteredIndex | None) -> Explanation:
    """The steps in order. Frequencies are those of ``index``, or of the two texts alone."""
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
    limit = None if index is None else reach(index.order, a, b)
    likely: list[int] = [source]
    if index is None or limit is None:
        index = single(b, parameters)
    else:
        source = int(np.searchsorted(index.order, places([b])[0]))
        likely, _ = index.candidates(index.numbers(ours), limit, parameters, NullProgress())
        chosen = source in likely
        detail = Message(
            "{likely} of {order} sources are likely enough to be aligned",
            likely=f"{len(likely):,}",
            order=f"{limit:,}",
        )
        reasons.append(
            Reason(
                Message("choice of sources"),
                chosen,
                detail + (Message(", this one too") if chosen else Message(", not this one")),
            )
        )
    pairs = Pairs(index, parameters, NullProgress())
    rows, refused, seeds = pairs.traced(a, ours, index.numbers(ours), source)
    detail = Message("rare words gather at {seeds} places (weight {seed} needed)", seeds=f"{seeds:,}", seed=f"{SEED:g}")
    reasons.append(Reason(Message("seeds"), seeds > 0 or bool(rows), detail))
    reasons += [_accepted(row, a, b, parameters) for row in rows[:_SHOWN]]
    if not rows:
        reasons += [_refused(p, span, other, parameters) for p, span, other in refused[:_SHOWN]]
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


def kind_word(judged: Judged) -> str:
    """The kind of a passage, in words."""
    return _KINDS[judged.kind]


def _accepted(row: Row, a: Document, b: Document, parameters: AlteredParameters) -> Reason:
    marks = word_marks(a.text, row.a_span, b.text, row.b_span)
    detail = Message(
        "{kind_word}: log-odds {a_odds} in the suspect and {b_odds} in the source, {min_odds} needed; {counted}",
        kind_word=kind_word(row.judged),
        a_odds=f"{row.passage.a_odds:.0f}",
        b_odds=f"{row.passage.b_odds:.0f}",
        min_odds=f"{parameters.min_odds:g}",
        counted=counted(marks),
    )
    return Reason(Message("passage"), True, detail, row.a_span, row.b_span)


def _refused(p: WordPassage, a_span: Span, b_span: Span, parameters: AlteredParameters) -> Reason:
    needed = parameters.min_odds
    detail = Message(
        "log-odds {a_odds} in the suspect and {b_odds} in the source, {needed} needed on both",
        a_odds=f"{p.a_odds:.0f}",
        b_odds=f"{p.b_odds:.0f}",
        needed=f"{needed:g}",
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
            kind_word=kind_word(best.judged),
            odds=f"{best.passage.odds:.0f}",
        )
        if not chosen:
            return Message(
                "{number} when aligned, but the source is not among the likely ones; {words}.",
                number=number,
                words=words,
            )
        return Message("{number}; {words}.", number=number, words=words)
    if refused:
        return Message(
            "No match: the best passage has log-odds {odds}, {min_odds} needed.",
            odds=f"{refused[0][0].odds:.0f}",
            min_odds=f"{parameters.min_odds:g}",
        )
    return Message(
        "No match: no words of the suspect are more likely copied from this source than written independently."
    )
