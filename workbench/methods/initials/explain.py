"""Why two documents match under ``initials``, or which step rejected them."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.messages import Message
from workbench.base.percent import percent
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results
from workbench.kernels.initials.stretches import VOTES
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.initials.finding import passages, stretches
from workbench.methods.initials.index import InitialsIndex, build
from workbench.methods.initials.meetings import meetings
from workbench.methods.initials.parameters import InitialsParameters
from workbench.methods.initials.passages import Checked, Judge, spans
from workbench.methods.initials.text import Lettered, lettered

_SHOWN = 20
_FARTHEST = 6
"""Greatest distance examined for windows that are just too far apart."""
_LARGE = 1 << 18
"""Not done for texts of this many letters or more: it takes one search per distance."""


def explain(
    a: Document, b: Document, parameters: InitialsParameters, index: InitialsIndex | None, results: Results
) -> Explanation:
    """The steps in order, up to the one that left nothing over. Frequencies are those of ``index``, or of ``b``
    alone.
    """
    p, progress = parameters, NullProgress()
    own, other = lettered([a.text, b.text], ruby=p.ruby)
    reasons = [_letters(Message("suspect"), own, p), _letters(Message("source"), other, p)]
    if not all(r.passed for r in reasons):
        summary = Message("No match: one of the documents has fewer than {window} letters.", window=p.window)
        return Explanation(False, summary, tuple(reasons))
    pair = build([[b]], p, progress, None if index is None else index.reference)
    met = meetings(pair, [own], p, progress).of(0)
    near = met.places > 0
    detail = Message(
        "{poor} of {near} windows of the suspect have {fewest} different letters or more",
        poor=int((~met.poor).sum()),
        near=len(near),
        fewest=p.fewest,
    )
    reasons.append(Reason(Message("variety"), not met.poor.all(), detail))
    if met.poor.all():
        summary = Message(
            "No match: every window of the suspect has fewer than {fewest} different letters.", fewest=p.fewest
        )
        return Explanation(False, summary, tuple(reasons))
    reasons.append(_near(int(near.sum()), len(near), b, own, pair, p))
    if not near.any():
        summary = Message(
            "No match: no window of the suspect is within {distance} of one of the source.", distance=p.distance
        )
        return Explanation(False, summary, tuple(reasons))
    usable = near & (met.places <= p.max_places)
    if index is not None:
        everywhere = meetings(index, [own], p, progress).of(0)
        usable &= everywhere.places <= p.max_places
    frequent = int((near & ~usable).sum())
    detail = Message(
        "{frequent} of these {near} match more than {limit} windows",
        frequent=frequent,
        near=int(near.sum()),
        limit=p.max_places,
    )
    reasons.append(Reason(Message("limit of places"), bool(usable.any()), detail))
    if not usable.any():
        return Explanation(False, Message("No match: the shared text occurs too often."), tuple(reasons))
    followed = stretches(pair, own, met, usable, 1, p, progress)
    rows = followed.rows
    most = int(rows[:, VOTES].max(initial=0))
    detail = Message("{rows} stretches of the near windows have letters in the same order", rows=len(rows))
    if followed.left_out:
        detail += Message(
            "; {number} windows were left out because the rarer ones matched too often by chance",
            number=followed.left_out,
        )
    reasons.append(Reason(Message("order"), len(rows) > 0, detail))
    if len(rows):
        detail = Message(
            "{most} pairs of windows agree on the best stretch, {needed} needed", most=most, needed=p.min_votes
        )
        reasons.append(Reason(Message("votes"), most >= p.min_votes, detail))
    judge = Judge(pair, p, progress)
    checked = passages(own, rows, judge, p, progress)
    checked.sort(key=lambda c: (not c.accepted, -c.common))
    reasons += [_verdict(c, own, judge, p) for c in checked[:_SHOWN]]
    matched = len(results.matches) > 0
    if not matched and any(c.accepted for c in checked):
        rule = Message("other documents")
        detail = Message("too many other documents agree with the suspect to follow all of them")
        reasons.append(Reason(rule, False, detail, decides=True))
        return Explanation(False, Message("No match: the limit was reached before these passages."), tuple(reasons))
    return Explanation(matched, _summary(checked, most, p), tuple(reasons))


def _letters(name: str, text: Lettered, p: InitialsParameters) -> Reason:
    n = len(text.letters)
    return Reason(
        Message("letters of {name}", name=name),
        n >= p.window,
        Message(
            "{number} of {characters} characters have an initial, {window} needed",
            number=n,
            characters=len(text.codes),
            window=p.window,
        ),
    )


def _near(n: int, of: int, b: Document, own: Lettered, pair: InitialsIndex, p: InitialsParameters) -> Reason:
    detail = Message(
        "{number} of {of} windows of the suspect are within {distance} of one of the source",
        number=n,
        of=of,
        distance=p.distance,
    )
    if not n and len(own.letters) + len(pair.letters) < _LARGE:
        for distance in range(p.distance + 1, _FARTHEST + 1):
            wider = replace(p, distance=distance)
            met = meetings(build([[b]], wider, NullProgress(), pair.reference), [own], wider, NullProgress()).of(0)
            if met.places.any():
                return Reason(
                    Message("near windows"),
                    False,
                    Message("{detail}; the nearest are {distance} apart", detail=detail, distance=distance),
                )
        detail += Message("; none within {farthest}", farthest=_FARTHEST)
    return Reason(Message("near windows"), n > 0, detail)


def _verdict(c: Checked, own: Lettered, judge: Judge, p: InitialsParameters) -> Reason:
    a, b = spans(own, judge.source(c.holder), c)
    detail = Message(
        "{length} characters ({needed} needed), {difference} differ ({allowed} allowed), "
        "{homophones} homophones, {votes} votes",
        length=c.length,
        needed=p.min_length,
        difference=percent(c.difference),
        allowed=percent(p.max_difference),
        homophones=c.homophones,
        votes=c.votes,
    )
    return Reason(Message("passage") if c.accepted else Message("refused passage"), c.accepted, detail, a, b)


def _summary(checked: list[Checked], most: int, p: InitialsParameters) -> str:
    accepted = [c for c in checked if c.accepted]
    if accepted:
        n = len(accepted)
        number = Message("One passage matches") if n == 1 else Message("{number} passages match", number=n)
        longest = max(accepted, key=lambda c: c.common)
        return Message(
            "{number}; the longest has {common} characters that are equal or read alike.",
            number=number,
            common=longest.common,
        )
    if not checked and most and most < p.min_votes:
        return Message(
            "No match: at most {most} pairs of windows agree on a passage, {needed} needed.",
            most=most,
            needed=p.min_votes,
        )
    if not checked:
        return Message("No match: the windows near each other have their letters in a different order.")
    best = checked[0]
    if best.length < p.min_length:
        return Message(
            "No match: the longest passage has {length} characters, {needed} needed.",
            length=best.length,
            needed=p.min_length,
        )
    return Message(
        "No match: {difference} of the best passage differ, {allowed} allowed.",
        difference=percent(best.difference),
        allowed=percent(p.max_difference),
    )
