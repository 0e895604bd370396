"""Why two documents match under ``initials``, or which step refused them."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.progress import Unwatched
from workbench.base.types import Document
from workbench.kernels.initials_extension import VOTES
from workbench.methods.api import Explanation, Reason
from workbench.methods.initials import InitialsParameters
from workbench.methods.initials_index import InitialsIndex, build, passages, stretches
from workbench.methods.initials_meetings import meetings
from workbench.methods.initials_passages import Checked, Judge, spans
from workbench.methods.initials_text import Lettered, lettered

_SHOWN = 20
_FARTHEST = 6
"""Greatest distance looked at for windows that are nearly near."""
_LARGE = 1 << 18
"""Letters from which it is not looked for: it takes a search for each distance."""


def explain(a: Document, b: Document, parameters: InitialsParameters, index: InitialsIndex | None) -> Explanation:
    """The steps in order, up to the one that left nothing. Frequencies are those of ``index``, or of ``b`` alone."""
    p, watch = parameters, Unwatched()
    own, other = lettered([a.text, b.text], ruby=p.ruby)
    reasons = [_letters("suspect", own, p), _letters("source", other, p)]
    if not all(r.passed for r in reasons):
        summary = f"No match: one of the documents has fewer than {p.window} letters."
        return Explanation(False, summary, tuple(reasons))
    pair = build([[b]], p, watch, None if index is None else index.reference)
    (met,) = meetings(pair, [own], p, watch)
    near = met.places > 0
    detail = f"{int((~met.poor).sum())} of {len(near)} windows of the suspect have {p.fewest} different letters or more"
    reasons.append(Reason("variety", not met.poor.all(), detail))
    if met.poor.all():
        summary = f"No match: every window of the suspect has fewer than {p.fewest} different letters."
        return Explanation(False, summary, tuple(reasons))
    reasons.append(_near(int(near.sum()), len(near), b, own, pair, p))
    if not near.any():
        summary = f"No match: no window of the suspect is within {p.distance} of one of the source."
        return Explanation(False, summary, tuple(reasons))
    kept = near & (met.places <= p.max_places)
    if index is not None:
        (everywhere,) = meetings(index, [own], p, watch)
        kept &= everywhere.places <= p.max_places
    frequent = int((near & ~kept).sum())
    detail = f"{frequent} of these {int(near.sum())} meet windows at more than {p.max_places} places"
    reasons.append(Reason("limit of places", bool(kept.any()), detail))
    if not kept.any():
        return Explanation(False, "No match: what they share stands at too many places.", tuple(reasons))
    followed = stretches(pair, own, met, kept, 1, p, watch)
    rows = followed.rows
    most = int(rows[:, VOTES].max(initial=0))
    detail = f"{len(rows)} stretches of the near windows have letters in the same order"
    if followed.left_out:
        detail += f"; {followed.left_out} windows were left out because the rarer ones met too much by chance"
    reasons.append(Reason("order", len(rows) > 0, detail))
    if len(rows):
        detail = f"{most} pairs of windows agree on the best stretch, {p.min_votes} needed"
        reasons.append(Reason("votes", most >= p.min_votes, detail))
    judge = Judge(pair, p, watch)
    checked = passages(own, rows, judge, p, watch)
    checked.sort(key=lambda c: (not c.accepted, -c.common))
    reasons += [_verdict(c, own, judge, p) for c in checked[:_SHOWN]]
    return Explanation(any(c.accepted for c in checked), _summary(checked, most, p), tuple(reasons))


def _letters(name: str, text: Lettered, p: InitialsParameters) -> Reason:
    n = len(text.letters)
    return Reason(
        f"letters of {name}", n >= p.window, f"{n} of {len(text.codes)} characters have an initial, {p.window} needed"
    )


def _near(n: int, of: int, b: Document, own: Lettered, pair: InitialsIndex, p: InitialsParameters) -> Reason:
    detail = f"{n} of {of} windows of the suspect are within {p.distance} of one of the source"
    if not n and len(own.letters) + len(pair.letters) < _LARGE:
        for distance in range(p.distance + 1, _FARTHEST + 1):
            wider = replace(p, distance=distance)
            (met,) = meetings(build([[b]], wider, Unwatched(), pair.reference), [own], wider, Unwatched())
            if met.places.any():
                return Reason("near windows", False, f"{detail}; the nearest are {distance} apart")
        detail += f"; none within {_FARTHEST}"
    return Reason("near windows", n > 0, detail)


def _verdict(c: Checked, own: Lettered, judge: Judge, p: InitialsParameters) -> Reason:
    a, b = spans(own, judge.source(c.holder), c)
    detail = (
        f"{c.length} characters ({p.min_length} needed), {c.difference:.0%} differ ({p.max_difference:.0%} allowed), "
        f"{c.homophones} homophones, {c.votes} votes"
    )
    return Reason("passage" if c.accepted else "refused passage", c.accepted, detail, a, b)


def _summary(checked: list[Checked], most: int, p: InitialsParameters) -> str:
    found = [c for c in checked if c.accepted]
    if found:
        number = "One passage matches" if len(found) == 1 else f"{len(found)} passages match"
        longest = max(found, key=lambda c: c.common)
        return f"{number}; the longest has {longest.common} characters that are equal or read alike."
    if not checked and most and most < p.min_votes:
        return f"No match: at most {most} pairs of windows agree on a passage, {p.min_votes} needed."
    if not checked:
        return "No match: the windows near each other have their letters in a different order."
    best = checked[0]
    if best.length < p.min_length:
        return f"No match: the longest passage has {best.length} characters, {p.min_length} needed."
    return f"No match: {best.difference:.0%} of the best passage differ, {p.max_difference:.0%} allowed."
