"""Passages of a document: its windows that are close to those of an index, joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Counted, Message, percent
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Matches, Results
from workbench.kernels.initials.neighbours import Near, neighbours
from workbench.kernels.initials.numbers import in_slot_order
from workbench.kernels.initials.stretches import (
    COLUMNS,
    FEW,
    HOLDER,
    SCORE,
    VOTES,
    StretchLimits,
    extended,
    extended_few,
    free_parts,
)
from workbench.kernels.initials.windows import windows
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.core.collection import keys
from workbench.methods.initials.index import InitialsIndex, build, quantiser
from workbench.methods.initials.parameters import InitialsParameters
from workbench.methods.initials.passages import Checked, Judge, matches, spans
from workbench.methods.initials.text import Lettered, lettered

if TYPE_CHECKING:
    from workbench.methods.initials.index import InitialsIndex

SHORT = Message("documents with fewer letters than a window")
FREQUENT = Message("windows that match more places than the limit")
POOR = Message("windows with too few different letters")
CHANCE = Message("windows left out because the rarer ones of their document matched too often by chance")
WEAK = Message("stretches of few letters in documents with too many of them")
REFUSED = Message("passages that differ too much or are too short")
_VAIN = 256
"""Maximum number of letters compared without result per window of a document; ordinary text needs about one."""
_LEAST = 1 << 15
"""Documents with fewer windows get the allowance of this many."""
_WEAK = 1024
"""Maximum number of weak stretches verified per document, or one per 32 windows; ordinary text has fewer."""


def find(
    index: InitialsIndex,
    documents: Sequence[Document],
    before: Sequence[int] | NDArray[np.int64],
    parameters: InitialsParameters,
    progress: Progress,
) -> Results:
    """Passages of each document in the first ``before[i]`` indexed documents. Raises Cancelled."""
    own = lettered([d.text for d in documents], ruby=parameters.ruby)
    judge = Judge(index, parameters, progress)
    met = meetings(index, own, parameters, progress)
    usable = met.places <= parameters.max_places
    excluded: Counter[str] = Counter()
    excluded.update({SHORT: met.short, POOR: int(met.poor.sum()), FREQUENT: int((~usable).sum())})
    longest = int(np.diff(index.bounds).max(initial=0))
    limits = settings(parameters)
    pairs = np.concatenate(([0], np.cumsum(met.places * usable)))[met.bounds]
    parts: list[Matches] = []
    for i, document in enumerate(documents):
        progress.check()
        if pairs[i] == pairs[i + 1]:
            continue
        rows = None
        if pairs[i + 1] - pairs[i] <= FEW:
            rows = _brief(index, own[i], met, i, usable, int(before[i]), limits, longest)
        if rows is None:
            followed = stretches(index, own[i], met.of(i), usable[met.rows(i)], int(before[i]), parameters, progress)
            excluded[CHANCE] += followed.left_out
            excluded[WEAK] += followed.weak
            rows = followed.rows
        if not len(rows):
            continue
        checked = passages(own[i], rows, judge, parameters, progress)
        excluded[REFUSED] += sum(not c.accepted for c in checked)
        parts.append(matches(document.key, own[i], checked, keys(index.order), judge))
    return Results(matches=Matches.concatenate(parts), excluded=dict(+excluded))


def _brief(
    index: InitialsIndex,
    own: Lettered,
    met: Meetings,
    document: int,
    usable: NDArray[np.bool_],
    limit: int,
    s: StretchLimits,
    longest: int,
) -> NDArray[np.int64] | None:
    """The rows of :func:`stretches` for a document with at most ``FEW`` candidate places, like most; None if too many
    of them are weak.
    """
    some = met.rows(document)
    wanted = usable[some] & (met.places[some] > 0)
    rows = extended_few(
        *(own.letters, index.letters, index.bounds, int(index.bounds[limit]), longest),
        *(wanted, met.begins[some], met.number[some], met.near_bounds, met.near.other),
        *(index.posted, index.posting_bounds, s.n, s.reach, s.anchor, s.least, s.cost, s.drop),
    )
    weak = int((rows[:, SCORE] < 2 * s.least).sum())
    return None if weak > max(_WEAK, len(wanted) // 32) else _merge_rows(rows) if len(rows) else rows


def passages(
    own: Lettered, rows: NDArray[np.int64], judge: Judge, parameters: InitialsParameters, progress: Progress
) -> list[Checked]:
    """The passages made of stretches (rows of :func:`stretches`). Raises Cancelled."""
    rows = rows[rows[:, VOTES] >= parameters.min_votes]
    if not len(rows):
        return []
    chosen, parts = free_parts(rows, len(own.letters), parameters.window // 4, progress.check)
    rows = rows[chosen]
    cuts = np.flatnonzero(np.diff(rows[:, HOLDER])) + 1
    checked: list[Checked] = []
    for some, theirs in zip(np.split(rows, cuts), np.split(parts, cuts), strict=True):
        checked += judge.verdicts(own, int(some[0, HOLDER]), some, theirs)
    return checked


@dataclass(frozen=True, slots=True)
class Followed:
    """Stretches: ``rows`` of ``extended`` in order of the other document. ``left_out`` windows were not followed
    because too many letters had been compared without result; ``weak`` stretches were dropped because there were too
    many.
    """

    rows: NDArray[np.int64]
    left_out: int
    weak: int


def stretches(
    index: InitialsIndex,
    own: Lettered,
    met: Meeting,
    allowed: NDArray[np.bool_],
    limit: int,
    parameters: InitialsParameters,
    progress: Progress,
) -> Followed:
    """Stretches of the ``allowed`` windows whose initials agree, in the first ``limit`` documents. Raises Cancelled."""
    rows = np.zeros((0, COLUMNS), np.int64)
    portions = met.portions(allowed)
    if not portions:
        return Followed(rows, 0, 0)
    vain = followed = weak = dropped = 0
    most, most_weak = _VAIN * max(_LEAST, len(met.places)), max(_WEAK, len(met.places) // 32)
    limits = settings(parameters)
    while followed < len(portions) and vain <= most:
        progress.check()
        mine, other = met.pairs(portions[followed])
        inside = other < index.bounds[limit]
        mine, other = mine[inside], other[inside]
        holders = np.searchsorted(index.bounds, other, "right") - 1
        in_order = np.argsort(holders, kind="stable")
        columns = (mine[in_order], other[in_order], holders[in_order])
        new, more = extended(own.letters, index.letters, index.bounds, columns, limits, progress.check)
        vain += more
        is_weak = new[:, SCORE] < 2 * limits.least
        weak += int(is_weak.sum())
        if weak > most_weak:
            dropped += int(is_weak.sum())
            new = new[~is_weak]
        if len(portions) > 1:  # stretches entirely covered by better ones are useless, and would be too many
            new = new[free_parts(new, len(own.letters), limits.anchor, progress.check)[0]]
        progress.check()
        rows = _merge_rows(np.concatenate((rows, new)))
        followed += 1
    return Followed(rows, sum(map(len, portions[followed:])), dropped)


def _merge_rows(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows in order of the other document; duplicates are merged, with the votes of both."""
    rest = [c for c in range(COLUMNS) if c not in (VOTES, HOLDER)]
    rows = rows[np.lexsort((*(rows[:, c] for c in reversed(rest)), rows[:, HOLDER]))]
    new = np.ones(len(rows), np.bool_)
    if len(rows):
        np.any(np.diff(rows[:, [HOLDER, *rest]], axis=0), axis=1, out=new[1:])
    merged = rows[new]
    np.add.at(merged[:, VOTES], np.cumsum(new)[~new] - 1, rows[~new, VOTES])
    return merged


def settings(parameters: InitialsParameters) -> StretchLimits:
    """How far pairs of windows are followed.

    n letters with up to three edits contain an equal run of about n / 4, the length of the anchor. With the k edits
    tolerated by every fingerprint they contain one of (n - k) / (k + 1), the lowest score. The cost of an edit is the
    number of letters that compensate for it at the maximum share of differences.
    """
    p = parameters
    cost, anchor, edits = 1 / max(p.max_difference, 0.02), max(2, p.window // 4), p.distance // 2
    least = max(anchor, (p.window - edits) / (edits + 1))
    return StretchLimits(p.window, p.distance + p.step // 2, anchor, least, cost, max(float(p.window), 2 * cost))


_SHOWN = 20
_FARTHEST = 6
"""Greatest distance examined for windows that are just too far apart."""
_LARGE = 1 << 18
"""Number of letters from which this is skipped: it takes one search per distance."""


def explain(
    a: Document, b: Document, parameters: InitialsParameters, index: InitialsIndex | None, results: Results
) -> Explanation:
    """The steps in order, up to the one with no result. Frequencies are those of ``index``, or of ``b`` alone."""
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
        "{enough} of {near} windows of the suspect have {fewest} different letters or more",
        enough=int((~met.poor).sum()),
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
    detail = Counted(
        "{count} stretch of the near windows has letters in the same order",
        "{count} stretches of the near windows have letters in the same order",
        len(rows),
    )
    if followed.left_out:
        detail += Counted(
            "; {count} window was left out because the rarer ones matched too often by chance",
            "; {count} windows were left out because the rarer ones matched too often by chance",
            followed.left_out,
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
            "{number}; the longest has {common} characters that are equal or sound alike.",
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


PAIRS = 1 << 19
"""Pairs of windows in memory at a time."""
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Starts of windows of a document, and starts of indexed windows close to them, in letters."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """The w windows of one document: the number of ``places`` in the index with a window close to each (int64 [w]), and
    whether each has too few different letters to be looked up (``poor`` bool [w]).
    """

    places: NDArray[np.int64]
    poor: NDArray[np.bool_]
    _begins: NDArray[np.int64]
    _number: NDArray[np.int64]
    _near: Near
    _index: InitialsIndex

    def portions(self, allowed: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
        """Numbers of the ``allowed`` windows (bool [w]) with indexed windows close to them, in portions of about
        ``PAIRS`` pairs.

        Windows with the fewest close ones come first; within a portion they are in order.
        """
        rows = np.flatnonzero(allowed & (self.places > 0))
        if not len(rows):
            return []
        rows = rows[np.argsort(self.places[rows], kind="stable")]
        cuts = np.flatnonzero(np.diff(np.cumsum(self.places[rows]) // PAIRS)) + 1
        return [np.sort(part) for part in np.split(rows, cuts)]

    def pairs(self, rows: NDArray[np.int64]) -> Pairs:
        """All indexed windows close to the windows ``rows``, in order."""
        keyed, bounds = self._number[rows], self._index.posting_bounds
        window, at = _spread(*np.searchsorted(self._near.mine, (keyed, keyed + 1)))
        other = self._near.other[at]
        pair, posting = _spread(bounds[other].astype(np.int64), bounds[other + 1].astype(np.int64))
        return self._begins[rows[window[pair]]], self._index.posted[posting].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Meetings:
    """The concatenated windows of several documents, columns of w rows; document i has ``bounds[i]:bounds[i + 1]``.

    ``places``, ``poor``: as in :class:`Meeting`; ``begins`` int64: the first letter of each in its document;
    ``number`` int64: the number of the distinct window, -1 for poor ones. The neighbours of distinct window k are
    ``near.other[near_bounds[k]:near_bounds[k + 1]]``.
    """

    places: NDArray[np.int64]
    poor: NDArray[np.bool_]
    begins: NDArray[np.int64]
    number: NDArray[np.int64]
    bounds: NDArray[np.int64]
    near: Near
    near_bounds: NDArray[np.int64]
    _index: InitialsIndex

    @property
    def short(self) -> int:
        """Number of documents without a window."""
        return int((np.diff(self.bounds) == 0).sum())

    def rows(self, document: int) -> slice:
        """The rows of a document's windows."""
        return slice(int(self.bounds[document]), int(self.bounds[document + 1]))

    def of(self, document: int) -> Meeting:
        """The windows of one document."""
        some = self.rows(document)
        windows = (self.places[some], self.poor[some], self.begins[some], self.number[some])
        return Meeting(*windows, self.near, self._index)


def meetings(
    index: InitialsIndex, own: Sequence[Lettered], parameters: InitialsParameters, progress: Progress
) -> Meetings:
    """The indexed windows close to the windows of documents. Raises Cancelled."""
    letters = np.concatenate([np.zeros(0, np.uint8), *(o.letters for o in own)])
    bounds = np.cumsum([0, *(len(o.letters) for o in own)], dtype=np.int64)
    q = quantiser(index.reference, parameters)
    cut = windows(letters, bounds, parameters.window, parameters.step, q, progress)
    poor = cut.variety < parameters.fewest
    rich = np.flatnonzero(~poor)
    keys, blocks = cut.keys[rich], cut.blocks.take(rich, axis=0)
    first, of_rich = in_slot_order(keys, blocks[:, 0], progress)
    near = neighbours(keys[first], blocks.take(first, axis=0), index.tables, q, progress)
    postings = index.posting_bounds[near.other + 1] - index.posting_bounds[near.other]
    number, places = np.full(len(poor), -1, np.int64), np.zeros(len(poor), np.int64)
    number[rich] = of_rich
    places[rich] = np.bincount(near.mine, postings, len(first)).astype(np.int64)[of_rich]
    near_bounds = np.zeros(len(first) + 1, np.int64)
    np.cumsum(np.bincount(near.mine, minlength=len(first)), out=near_bounds[1:])
    progress.check()
    begins = cut.places - np.repeat(bounds[:-1], np.diff(cut.bounds))
    return Meetings(places, poor, begins, number, cut.bounds, near, near_bounds, index)


def _spread(first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers in each range ``first[i]:last[i]``, with i."""
    sizes = last - first
    row = np.repeat(np.arange(len(sizes)), sizes)
    return row, np.arange(len(row)) - (np.cumsum(sizes) - sizes)[row] + first[row]
