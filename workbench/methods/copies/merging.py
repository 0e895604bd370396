"""Merges the matches of several methods into distinct passages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import APART, NAMED, as_columns, other_places
from workbench.base.gaps import Gaps
from workbench.base.progress import Progress
from workbench.base.types import Document, Matches, Results, Span, Tier
from workbench.methods.copies.credits import credit_edges, credit_of, without_added_marks
from workbench.methods.copies.figures import (
    BITS,
    MEASURED,
    RARE,
    MergedPassage,
    MethodMatch,
    OtherPlaces,
    confidence,
    in_chains,
)
from workbench.methods.copies.limits import (
    SHORT,
    copied_pieces,
    inserted_between,
    meeting_at_sentences,
    replaced_between,
    sentences,
    share_of_sentence,
    snap_to_words,
    up_to_ends,
    with_changed_sentences,
    without_added_words,
    words,
)
from workbench.methods.copies.views import SourceTexts
from workbench.methods.core.figures import CopyKind
from workbench.text.scripts import letters

FRAGMENT = 30
"""Words (characters, in scripts without spaces) below which a passage can be a fragment: near a verbatim passage ..."""
STRETCH = 50
"""... of at least this many words, of the same pair; or ..."""
SENTENCE = 20
"""Words from which a whole sentence of one side, unchanged within a sentence of the other, is no fragment."""
PHRASE = 0.5
"""... less than this share of a sentence on both sides."""
CHANCE = 16
"""Number of characters up to which ``initials``, whose edges are partly random, does not extend matches of other
methods.
"""
_LOOK = 1024
"""Matches of a pair processed between two checks for cancellation."""


@dataclass(frozen=True, slots=True)
class Merged:
    """n passages; the number of matches merged away; which passages are fragments, bool [n]."""

    matches: Matches
    joined: int
    fragments: NDArray[np.bool_]


def merge(
    results: Mapping[str, Results], documents: Sequence[Document], texts: SourceTexts, progress: Progress
) -> Merged:
    """Passages of all of ``results`` (by method), ordered by document, position and source. Raises Cancelled."""
    own = {d.key: d for d in documents}
    pairs: dict[tuple[int, int], list[MethodMatch]] = {}
    for method, result in results.items():
        for match in result.matches:
            limits = match.a_span, match.b_span
            source = texts(match.b)
            if method == "initials" and source is not None:
                limits = snap_to_words(own[match.a].text, match.a_span), snap_to_words(source, match.b_span)
            reading = _reading(method, match.evidence, match.score)
            gaps = match.a_gaps, match.b_gaps
            places = OtherPlaces(*other_places(match.evidence))
            part = MethodMatch(method, *limits, int(match.evidence["tier"]), *reading, gaps, places)
            pairs.setdefault((match.a, match.b), []).append(part)
    joined, rows = 0, []
    for (a, b), parts in sorted(pairs.items()):
        progress.check()
        groups = grouped(without_moved_edges(parts, own[a].text, texts(b)), progress)
        passages = [
            piece
            for group, _, whole in _wholes(groups, own[a].text, texts(b))
            for piece in verbatim_pieces(whole, group, own[a].text, texts(b))
        ]
        passages = standing_alone(with_fragments(passages, own[a].text, texts(b)), own[a].text)
        pieces = once([p for whole in passages for p in parted(whole, own[a], texts(b))], own[a].text, texts(b))
        joined += max(0, len(parts) - len(pieces))
        if len(pieces) == 1 and own[a].text == texts(b):
            a_span, b_span = (up_to_ends(own[a].text, side) for side in pieces[0][:2])
            pieces = [pieces[0]._replace(a_span=a_span, b_span=b_span)]
        rows += [(a, b, piece) for piece in apart(pieces, own[a], texts(b))]
    rows.sort(key=lambda row: (row[0], row[2].a_span, row[1], row[2].b_span))
    fragments = np.array([p.fragment for _, _, p in rows], np.bool_)
    return Merged(_matches(rows, fragments, aligned="altered" in results), joined, fragments)


def _reading(method: str, evidence: Mapping[str, Any], score: float) -> tuple[CopyKind, tuple[float, ...]]:
    """The kind of change and the figures (``MEASURED``) in a method's evidence on a passage."""
    if method == "digest":
        return CopyKind.VERBATIM, (float(evidence["surprisal"]), 0.0, 0.0, 0.0)
    if method == "altered":
        return CopyKind(int(evidence["kind"])), (0.0, 0.0, 0.0, float(score))
    differ, homophones = int(evidence["differ"]), int(evidence["homophones"])
    kind = CopyKind.HOMOPHONES if 2 * homophones >= differ else CopyKind.LIGHTLY_CHANGED
    return kind if differ else CopyKind.VERBATIM, (0.0, float(score), float(homophones), 0.0)


def without_moved_edges(parts: Sequence[MethodMatch], own: str, source: str | None) -> list[MethodMatch]:
    """``parts`` of one pair; matches of ``altered`` are trimmed so that they do not begin or end with sentences copied
    from outside their source side.

    ``altered`` also counts words near its source side and in any order, so a passage may absorb a moved sentence.
    """
    exact = sorted((p for p in parts if p.tier < Tier.ALTERED), key=lambda p: p.a_span)
    if source is None or not exact:
        return list(parts)
    starts, ends = np.array([p.a_span for p in exact], np.int64).T
    trimmed = []
    for p in parts:
        if p.tier == Tier.ALTERED and p.method == "altered" and p.kind is not CopyKind.SUMMARY:
            near = np.flatnonzero((starts < p.a_span.end) & (p.a_span.start < ends))
            p = _without_moved_edges(p, [exact[at] for at in near], own, source)
        trimmed.append(p)
    return trimmed


def _without_moved_edges(p: MethodMatch, exact: Sequence[MethodMatch], own: str, source: str) -> MethodMatch:
    within = [q for q in exact if q.b_span.overlap(p.b_span)]
    moved = [q for q in exact if _is_moved_from(q, p, within, own, source)]
    start, end = p.a_span
    for q in moved:
        if q.a_span.start <= start + CHANCE:
            start = max(start, q.a_span.end)
    for q in reversed(moved):
        if q.a_span.end >= end - CHANCE:
            end = min(end, q.a_span.start)
    a_span = _trimmed(own, Span(start, end), p.gaps[0]) if start < end else p.a_span
    if a_span == p.a_span or a_span.start >= a_span.end:
        return p
    share = (a_span.end - a_span.start) / (p.a_span.end - p.a_span.start)
    gaps = tuple(gap for gap in p.gaps[0] if gap.overlap(a_span))
    return p._replace(a_span=a_span, measured=tuple(x * share for x in p.measured), gaps=(gaps, p.gaps[1]))


def _is_moved_from(q: MethodMatch, p: MethodMatch, within: Sequence[MethodMatch], own: str, source: str) -> bool:
    """Whether the words of ``q`` come only from well outside the source side of ``p``."""
    around = Span(p.b_span.start - SHORT, p.b_span.end + SHORT)
    if q.b_span.overlap(around) or sum(other.a_span.overlap(q.a_span) for other in within) > CHANCE:
        return False
    return source.find(own[slice(*q.a_span)].strip(), *p.b_span) < 0


def grouped(parts: Sequence[MethodMatch], progress: Progress) -> list[list[MethodMatch]]:
    """Matches of one pair in groups, transitively connected by overlap on both sides. Raises Cancelled."""
    ranked = sorted(parts)
    spans = np.array([(*p.a_span, *p.b_span) for p in ranked], np.int64).T
    order = np.argsort(spans[0], kind="stable")
    a, a_end, b, b_end = spans[:, order]
    until = np.searchsorted(a, a_end, "left")
    group = np.arange(len(order))
    for i in range(len(order)):
        if i % _LOOK == 0:
            progress.check()
        later = slice(i + 1, int(until[i]))
        meets = (b[later] < b_end[i]) & (b[i] < b_end[later])
        for j in (np.flatnonzero(meets) + i + 1).tolist():
            _join(group, i, j)
    groups: dict[int, list[MethodMatch]] = {}
    for i in range(len(order)):
        groups.setdefault(_root(group, i), []).append(ranked[order[i]])
    return list(groups.values())


class _Whole(NamedTuple):
    """A group of matches of one pair, the limits within which its passage may be extended, and the passage."""

    group: Sequence[MethodMatch]
    room: Span
    passage: MergedPassage


def _wholes(groups: Sequence[Sequence[MethodMatch]], own: str, source: str | None) -> list[_Whole]:
    """The passages of the ``groups`` of one pair; groups whose passages meet in both texts are one."""
    rooms = _room(groups, len(own))
    wholes = [_Whole(group, room, passage(group, own, source, room)) for group, room in zip(groups, rooms, strict=True)]
    wholes.sort(key=lambda whole: whole.passage.a_span)
    while source is not None:
        runs: list[list[_Whole]] = []
        for whole in wholes:
            if runs and _meets(runs[-1][-1].passage, whole.passage, own, source):
                runs[-1].append(whole)
            else:
                runs.append([whole])
        if len(runs) == len(wholes):
            break
        wholes = [run[0] if len(run) == 1 else _united(run, own, source) for run in runs]
    return wholes


def _united(run: Sequence[_Whole], own: str, source: str) -> _Whole:
    group = [part for whole in run for part in whole.group]
    room = Span(run[0].room.start, max(whole.room.end for whole in run))
    return _Whole(group, room, passage(group, own, source, room))


def _meets(p: MergedPassage, q: MergedPassage, own: str, source: str) -> bool:
    """Whether ``q`` follows ``p`` in both texts with at most white space between them, or overlaps it in both."""
    if CopyKind.SUMMARY in (p.kind, q.kind):
        return False
    ends = (p.a_span, q.a_span, own), (p.b_span, q.b_span, source)
    return all(first.start <= then.start and not text[first.end : then.start].strip() for first, then, text in ends)


def _room(groups: Sequence[Sequence[MethodMatch]], size: int) -> list[Span]:
    """The limits within which each group's passage may be extended: up to the next groups of a suspect of ``size``."""
    limits = [_limits(group)[0] for group in groups]
    order = sorted(range(len(groups)), key=lambda at: limits[at])
    room = [Span(0, size)] * len(groups)
    reached = 0
    for at, following in zip(order, [*order[1:], None], strict=True):
        start, end = limits[at]
        room[at] = Span(min(reached, start), size if following is None else max(end, limits[following].start))
        reached = max(reached, end)
    return room


def _root(group: NDArray[np.int64], i: int) -> int:
    while group[i] != i:
        group[i] = group[group[i]]
        i = int(group[i])
    return i


def _join(group: NDArray[np.int64], i: int, j: int) -> None:
    one, other = _root(group, i), _root(group, j)
    group[max(one, other)] = min(one, other)


def once(passages: Sequence[MergedPassage], own: str, source: str | None) -> list[MergedPassage]:
    """The ``passages`` of one pair whose words no other passage covers; covering passages record the places of covered
    ones. O(n log n).

    A covering passage must also have the equal text in its source side.
    """
    kept: list[MergedPassage] = []
    holder = -1
    for p in sorted(passages, key=lambda p: (p.a_span.start, -p.a_span.end, p.tier, p.b_span)):
        if holder >= 0 and _contains_words(kept[holder], p, own, source):
            kept[holder] = _with_places(kept[holder], p)
            continue
        kept.append(p)
        if holder < 0 or p.a_span.end >= kept[holder].a_span.end:
            holder = len(kept) - 1
    return kept


def with_fragments(passages: Sequence[MergedPassage], own: str, source: str | None) -> list[MergedPassage]:
    """``passages`` of one pair, some of which (below FRAGMENT words) are fragments.

    Fragments are passages of less than half a sentence on both sides, such as a name in both texts, and passages near a
    verbatim copy of at least STRETCH words that are neither equal sentences themselves nor one within another: someone
    who copies text unchanged seldom also rewords a single sentence.
    """
    sizes = [len(words(own[slice(*p.a_span)])) for p in passages]
    beside = any(p.kind is CopyKind.VERBATIM and n >= STRETCH for p, n in zip(passages, sizes, strict=True))
    return [
        _as_fragment(p, own, source, beside=beside, size=n) if n < FRAGMENT and source is not None else p
        for p, n in zip(passages, sizes, strict=True)
    ]


def _as_fragment(p: MergedPassage, own: str, source: str, *, beside: bool, size: int) -> MergedPassage:
    """``p``, of ``size`` words, marked if it is a fragment.

    A part of a sentence has no rarity, which is that of whole sentences.
    """
    shares = share_of_sentence(own, p.a_span), share_of_sentence(source, p.b_span)
    equal = p.tier < Tier.ALTERED and min(shares) >= _MOST
    if max(shares) < PHRASE:
        return p._replace(fragment=True, measured=(0.0, *p.measured[1:]))
    whole = p.tier < Tier.ALTERED and max(shares) >= _MOST and size >= SENTENCE
    return p._replace(fragment=beside and not (equal or whole))


def standing_alone(passages: Sequence[MergedPassage], own: str) -> list[MergedPassage]:
    """``passages`` of one pair, marked if they are all that it has in common: single equal sentences that together are
    not rare.

    Two writers may have one from anywhere: a formula, a greeting.
    """
    whole = [p for p in passages if not p.fragment]
    single = all(p.measured[0] > 0 and sentences(own, p.a_span) == 1 for p in whole)
    alone = single and sum(p.measured[0] for p in whole) < RARE
    return [p._replace(alone=alone) for p in passages]


def _contains_words(holder: MergedPassage, p: MergedPassage, own: str, source: str | None) -> bool:
    """Whether ``holder`` contains the words of ``p``."""
    if p.a_span.end > holder.a_span.end:
        return False
    own_gaps, size = p.gaps[0], p.a_span.end - p.a_span.start
    size -= sum(gap.end - gap.start for gap in own_gaps)
    missing = sum(gap.overlap(p.a_span) - sum(map(gap.overlap, own_gaps)) for gap in holder.gaps[0])
    if 2 * missing > size:
        return False
    if p.tier == Tier.ALTERED or holder.tier < Tier.ALTERED or source is None:
        return True
    return own[slice(*p.a_span)] in source[slice(*holder.b_span)]


def _with_places(holder: MergedPassage, p: MergedPassage) -> MergedPassage:
    """``holder`` with the places of ``p`` added if its text is equal; one of them is the place of ``holder`` itself."""
    if p.tier == Tier.ALTERED:
        return holder
    starts = {p.b_span.start, *p.places.starts, *holder.places.starts}
    elsewhere = sorted(start for start in starts if not holder.b_span.start <= start < holder.b_span.end)
    # digest counts every place of equal text; for other methods, each match is one place.
    more = p.places.number if p.methods & BITS["digest"] else not holder.methods & BITS["digest"]
    count = max(holder.places.number + more, len(elsewhere))
    return holder._replace(places=OtherPlaces(count, tuple(elsewhere[:NAMED])))


def verbatim_pieces(
    whole: MergedPassage, group: Sequence[MethodMatch], own: str, source: str | None
) -> list[MergedPassage]:
    """The verbatim passages of which ``whole`` consists: several sentences, reordered, or with sentences of the source
    omitted between them; or text of the source that was copied more than once.

    ``whole`` itself if its ``group`` has none. The pieces keep its confidence.
    """
    if whole.tier < Tier.ALTERED or source is None:
        return [whole]
    size = whole.a_span.end - whole.a_span.start
    for method in BITS:
        pieces = sorted(p for p in group if p.method == method and p.tier < Tier.ALTERED)
        sides = meeting_at_sentences(own, [p.a_span for p in pieces], source, [p.b_span for p in pieces])
        pieces = [p._replace(a_span=a_span, b_span=b_span) for p, a_span, b_span in zip(pieces, *sides, strict=True)]
        covered = sum(p.a_span.end - p.a_span.start for p in pieces)
        if is_repeated(pieces):
            covered += sum(gap.end - gap.start for gap in whole.gaps[0])
        elif not (
            (is_moved(pieces) and all(sentences(own, p.a_span) > 1 for p in pieces))
            or (whole.kind is CopyKind.LIGHTLY_CHANGED and _leave_out(pieces, own, source))
        ):
            continue
        if covered >= _MOST * size:
            return [
                whole.part(p.a_span, p.b_span)._replace(
                    tier=p.tier, places=p.places, gaps=p.gaps, kind=CopyKind.VERBATIM
                )
                for p in pieces
            ]
    return [whole]


def _leave_out(pieces: Sequence[MethodMatch], own: str, source: str) -> bool:
    """Whether each of ``pieces`` follows the preceding one, but skips a sentence of the source."""
    return len(pieces) > 1 and all(
        not own[before.a_span.end : after.a_span.start].strip()
        and len(source[before.b_span.end : after.b_span.start].strip()) > SHORT
        for before, after in pairwise(pieces)
    )


def is_moved(parts: Sequence[MethodMatch | MergedPassage]) -> bool:
    """Whether the sources of ``parts``, none within another, are in a different order from the parts."""
    ordered = sorted(parts, key=lambda p: p.a_span)
    return any(after.b_span.start < before.b_span.start for before, after in pairwise(ordered))


def parted(whole: MergedPassage, own: Document, source: str | None) -> list[MergedPassage]:
    """``whole``, cut at the limits of credited text in the suspect: quotations, reference lists, notes.

    Credited and uncredited text is judged separately. The pieces keep the confidence of the whole. Text between them
    without words of the source is not part of any.
    """
    if source is None or whole.tier == Tier.EXACT:
        return [whole]
    edges = credit_edges(own, whole.a_span, source, whole.b_span)
    if not edges:
        bare = without_added_marks(own.text, whole.a_span, source, whole.b_span)
        return [whole if bare == whole.a_span else _piece(whole, own.text, source, bare, whole.b_span)]
    limits = [whole.a_span.start, *chain.from_iterable(edges), whole.a_span.end]
    parts = [_trimmed(own.text, Span(*part), whole.gaps[0]) for part in zip(limits[::2], limits[1::2], strict=True)]
    copied = copied_pieces(own.text, parts, source, whole.b_span)
    return [_piece(whole, own.text, source, *sides) for sides in copied] or [whole]


def _piece(whole: MergedPassage, own: str, source: str, a_span: Span, b_span: Span) -> MergedPassage:
    """The part of ``whole`` between new limits on both sides."""
    a_span, b_span = _trimmed(own, a_span, whole.gaps[0]), _trimmed(source, b_span, whole.gaps[1])
    a_span = without_added_marks(own, a_span, source, b_span)
    tier = _tier(own[slice(*a_span)], source[slice(*b_span)], whole.tier)
    a_gaps, b_gaps = (
        tuple(
            Span(max(gap.start, side.start), min(gap.end, side.end))
            for gap in missing
            if gap.overlap(side) and tier == Tier.ALTERED
        )
        for side, missing in zip((a_span, b_span), whole.gaps, strict=True)
    )
    return whole.part(a_span, b_span)._replace(
        tier=int(tier),
        kind=whole.kind if tier == Tier.ALTERED else CopyKind.VERBATIM,
        gaps=(a_gaps, b_gaps),
    )


def apart(pieces: Sequence[MergedPassage], own: Document, source: str | None) -> list[MergedPassage]:
    """``pieces`` of one pair, numbered if adjacent ones are different passages.

    Pieces in one citation have its number. Verbatim pieces of several sentences that are reordered relative to the
    source, or come from the same place, have negative numbers: each was copied separately.
    """
    if source is None:
        return list(pieces)
    numbers = [credit_of(own, p.a_span, source, p.b_span) for p in pieces]
    verbatim = [
        at
        for at, p in enumerate(pieces)
        if not numbers[at] and p.tier < Tier.ALTERED and sentences(own.text, p.a_span) > 1
    ]
    if is_moved(several := [pieces[at] for at in verbatim]) or is_repeated(several):
        for number, at in enumerate(verbatim, 1):
            numbers[at] = -number
    return [p._replace(apart=number) for p, number in zip(pieces, numbers, strict=True)]


def _trimmed(text: str, span: Span, gaps: Sequence[Span]) -> Span:
    """``span`` without gaps and white space at its ends."""
    start, end = span
    for gap in sorted(gaps):
        if gap.start <= start < gap.end:
            start = min(gap.end, end)
    for gap in sorted(gaps, reverse=True):
        if gap.start < end <= gap.end:
            end = max(gap.start, start)
    inside = text[start:end]
    return Span(end - len(inside.lstrip()), start + len(inside.rstrip()))


def is_repeated(parts: Sequence[MethodMatch | MergedPassage]) -> bool:
    """Whether one of ``parts`` comes from within the source of the one before it."""
    sources = [p.b_span for p in sorted(parts, key=lambda p: p.a_span)]
    return any(_within(after, before) or _within(before, after) for before, after in pairwise(sources))


def passage(group: Sequence[MethodMatch], own: str, source: str | None, room: Span | None = None) -> MergedPassage:
    """The passage of overlapping matches: its limits, tier, kind, methods, their measurements, and its gaps.

    ``own`` and ``source`` are the two whole texts, the latter if stored; ``room``: the allowed limits of the passage
    (default: all of ``own``). A gap is text that no match covers; a passage with equal sides has none.
    """
    a_span, b_span = of_matches = _limits(group)
    if source is not None and all(p.kind is not CopyKind.SUMMARY for p in group):
        low, high = room or Span(0, len(own))
        inner = Span(a_span.start - low, a_span.end - low)
        inner, b_span = with_changed_sentences(own[low:high], inner, source, b_span)
        a_span = without_added_words(own, Span(inner.start + low, inner.end + low), source, b_span)
        b_span = without_added_words(source, b_span, own, a_span)
    around = (p.tier for p in group if _within(a_span, p.a_span) and _within(b_span, p.b_span))
    tier = min(around, default=int(Tier.ALTERED))
    if source is not None:
        tier = _tier(own[slice(*a_span)], source[slice(*b_span)], tier)
    gaps: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    if tier == Tier.ALTERED:
        kinds = [p for p in group if p.tier < Tier.ALTERED], [p for p in group if p.method != "initials"]
        skipped: list[Span] = []
        passed: list[Span] = []
        if source is not None:
            skipped = [gap for k in kinds for gap in inserted_between([p[1:3] for p in k], own, source, b_span)]
            for ours, theirs in replaced_between([p[1:3] for p in kinds[1]], own, source):
                skipped.append(ours)
                passed.append(theirs)
        within = Span(max(a_span.start, of_matches[0].start), min(a_span.end, of_matches[0].end))
        a_gaps = _missing(within, group, lambda p: (p.a_span, p.gaps[0]), skipped)
        gaps = a_gaps, _missing(of_matches[1], group, lambda p: (p.b_span, p.gaps[1]), passed)
    return MergedPassage(
        a_span,
        b_span,
        int(tier),
        _kind(group, tier, a_span),
        sum({BITS[p.method] for p in group}),
        tuple(map(max, zip(*(p.measured for p in group), strict=True))),
        gaps,
        OtherPlaces(
            sum(p.places.number for p in group), tuple(sorted({s for p in group for s in p.places.starts})[:NAMED])
        ),
    )


def _tier(a: str, b: str, of_matches: int) -> int:
    """The tier of a passage with the sides ``a`` and ``b``, where matches of the tier ``of_matches`` cover all of it.

    Sides with the same letters are equal, ignoring symbols and spaces, even where only altered matches cover them.
    """
    if a == b:
        return Tier.EXACT
    if of_matches == Tier.ALTERED and letters(a) == letters(b):
        return Tier.FOLDED
    return max(of_matches, Tier.FOLDED)


def _missing(
    limits: Span,
    group: Sequence[MethodMatch],
    side: Callable[[MethodMatch], tuple[Span, Sequence[Span]]],
    inserted: Sequence[Span] = (),
) -> tuple[Span, ...]:
    """The parts of ``limits`` that no match covers, given each match's span and gaps on one side.

    Matches of altered text do not cover ``inserted`` spans; matches by a method without gaps do not cover gaps of
    others.
    """
    gaps = sorted([*inserted, *(gap for p in group for gap in side(p)[1])])
    if not gaps:
        return ()
    taken = []
    for p in group:
        span, own = side(p)
        reached = span.start
        if p.tier == Tier.ALTERED:
            own = sorted([*own, *inserted]) if p.method == "altered" else gaps
        for gap in own:
            taken.append((reached, min(gap.start, span.end)))
            reached = max(reached, gap.end)
        taken.append((reached, span.end))
    missing, reached = [], limits.start
    for start, end in sorted(part for part in taken if part[0] < part[1]):
        missing.append(Span(reached, min(start, limits.end)))
        reached = max(reached, end)
    missing.append(Span(reached, limits.end))
    return tuple(gap for gap in missing if gap.start < gap.end)


def _within(span: Span, other: Span) -> bool:
    return other.start <= span.start and span.end <= other.end


def _limits(group: Sequence[MethodMatch]) -> tuple[Span, Span]:
    """From the first start to the last end of the matches, on both sides.

    An extension by ``initials`` on one side only, or by chance, is ignored: it pairs words with a similar sentence next
    to the right one.
    """
    firm = [p for p in group if p.method != "initials"] or group
    a_start, a_end = min(p.a_span.start for p in firm), max(p.a_span.end for p in firm)
    b_start, b_end = min(p.b_span.start for p in firm), max(p.b_span.end for p in firm)
    first = [p for p in group if a_start - p.a_span.start > CHANCE and b_start - p.b_span.start > CHANCE]
    last = [p for p in group if p.a_span.end - a_end > CHANCE and p.b_span.end - b_end > CHANCE]
    return (
        Span(min([a_start, *(p.a_span.start for p in first)]), max([a_end, *(p.a_span.end for p in last)])),
        Span(min([b_start, *(p.b_span.start for p in first)]), max([b_end, *(p.b_span.end for p in last)])),
    )


def _kind(group: Sequence[MethodMatch], tier: int, a_span: Span) -> CopyKind:
    """The kind of change of a passage; verbatim if both sides are equal, possibly only after folding."""
    if tier < Tier.ALTERED:
        return CopyKind.VERBATIM
    kind = _seen_kind(group, a_span)
    return CopyKind.LIGHTLY_CHANGED if kind is CopyKind.VERBATIM else kind


def _seen_kind(group: Sequence[MethodMatch], a_span: Span) -> CopyKind:
    """The kind of change found in most of a passage, by the most exact method first."""
    size = a_span.end - a_span.start
    aligned = any(p.method == "altered" for p in group)
    for method in BITS:
        parts = [p for p in group if p.method == method]
        covered = sum(p.a_span.overlap(a_span) for p in parts)
        if method != "altered" and covered < _MOST * size:
            continue
        if parts:
            longest = max(parts, key=lambda p: (p.a_span.end - p.a_span.start, -p.a_span.start))
            if method == "initials" and longest.kind is CopyKind.LIGHTLY_CHANGED and aligned:
                continue
            if longest.kind is CopyKind.VERBATIM and is_moved(parts):
                if aligned:
                    continue
                return CopyKind.SHUFFLED
            return longest.kind
    return max(group, key=lambda p: (p.a_span.end - p.a_span.start, -p.a_span.start)).kind


_MOST = 0.9
"""Share of a passage from which a method's finding applies to the whole."""


def _matches(rows: Sequence[tuple[int, int, MergedPassage]], fragments: NDArray[np.bool_], *, aligned: bool) -> Matches:
    if not rows:
        return Matches.empty()
    passages = [row[2] for row in rows]
    limits = np.array([(a, b, *p.a_span, *p.b_span) for a, b, p in rows], np.int64).T.copy()
    measured = np.array([p.measured for p in passages])
    alone = np.array([p.alone for p in passages], np.bool_)
    sure = in_chains(limits.T, confidence(measured, aligned=aligned, fragments=fragments, alone=alone))
    shares = dict(zip(MEASURED, (measured * [[p.portion] for p in passages]).T.copy(), strict=True))
    shares |= {"alike": np.ceil(shares["alike"]), "homophones": np.rint(shares["homophones"])}
    evidence: dict[str, NDArray[Any]] = {
        "confidence": sure,
        "kind": np.array([p.kind for p in passages], np.int8),
        "methods": np.array([p.methods for p in passages], np.int8),
        **as_columns([p.places for p in passages]),
        APART: np.array([p.apart for p in passages], np.int32),
        **shares,
    }
    a, b, a_start, a_end, b_start, b_end = limits
    tiers = np.array([p.tier for p in passages], np.int8)
    gaps = Gaps.of((at, side, *gap) for at, p in enumerate(passages) for side in (0, 1) for gap in p.gaps[side])
    return Matches(a, b, a_start, a_end, b_start, b_end, sure.copy(), tiers, evidence, gaps)
