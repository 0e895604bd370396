"""Passages that a reviewer split: stored in the label log with person and time, and applied to every run.

A split is a place in the suspect and one in the source. Every match of the pair that contains both is cut in two: the
text before the place in the suspect is paired with the text before, or after, the place in the source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, product
from typing import Any, NamedTuple

import numpy as np

from workbench.base.evidence import ADDED, APART, RECOGNISED, is_recognised
from workbench.base.gaps import Gaps
from workbench.base.types import Document, Label, Match, Matches, Span, Tier
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.documents import texts_of
from workbench.project.followed_labels import current_followed
from workbench.project.imports import versions
from workbench.project.listing import ids_of
from workbench.services.labels.sets import SPLITS
from workbench.services.labels.targets import parse_passage, passage_target
from workbench.services.review.differences import TextUnit, differences, units
from workbench.services.review.judged_text import JudgedTexts, digest, sides, tier_of
from workbench.services.review.passages import NEAR, PART
from workbench.services.session import Session

SPLIT = "split"
"""Column of the evidence that is 1 for a part of a split match, NaN for other matches."""
_KEPT = ("confidence", "methods", APART, RECOGNISED, ADDED)
"""Figures of a match that are also valid for its parts; counts over the whole are not."""
_IN_ORDER, _CROSSED = "in order", "crossed"
_RUN = 3
"""Number of units in a run, which determines the part that a place on the other side corresponds to."""


class Cut(NamedTuple):
    """A place in the suspect and in the source; ``crossed``: the part that is first in one is second in the other."""

    a: int
    b: int
    crossed: bool = False

    def halves(self, a: Span, b: Span) -> tuple[tuple[Span, Span], tuple[Span, Span]]:
        """Both parts of the passage ``a``, ``b``, in the order of the suspect."""
        first, second = Span(b.start, self.b), Span(self.b, b.end)
        if self.crossed:
            first, second = second, first
        return (Span(a.start, self.a), first), (Span(self.a, a.end), second)

    def parts(self, a: Span, b: Span) -> bool:
        """Whether it is inside the passage ``a``, ``b``."""
        return a.start < self.a < a.end and b.start < self.b < b.end


def split(session: Session, a: Document, b: Document, passage: tuple[Span, Span], cut: Cut, who: str) -> Label:
    """Split ``passage`` of suspect ``a`` and source ``b`` at ``cut``. Raises ValueError if a part would be empty."""
    if not can_split(a, b, passage, cut):
        raise ValueError("Each part of a passage has text on both sides.")
    one, other = cut.halves(*passage)[0]
    of = digest(a.text[one.start : one.end], b.text[other.start : other.end])
    return _write(session, passage_target(a.id, one, b.id, other), _CROSSED if cut.crossed else _IN_ORDER, who, of)


def can_split(a: Document, b: Document, passage: tuple[Span, Span], cut: Cut) -> bool:
    """Whether ``cut`` lies within ``passage`` of suspect ``a`` and source ``b`` and leaves text on both sides of it."""
    halves = cut.halves(*passage)
    texts = [text[span.start : span.end] for half in halves for text, span in zip((a.text, b.text), half, strict=True)]
    return cut.parts(*passage) and all(text.strip() for text in texts)


def join(session: Session, chosen: Sequence[Label], who: str) -> None:
    """Undo the splits ``chosen``."""
    for label in chosen:
        _write(session, label.target, "", who)


def split_again(session: Session, chosen: Sequence[Label]) -> None:
    """Undo :func:`join`."""
    for label in chosen:
        _write(session, label.target, label.value, label.who, label.digest)


def _write(session: Session, target: str, value: str, who: str, of: str = "") -> Label:
    with session.write() as connection:
        return labels.add_label(connection, Label(target, value, who, "", label_set=SPLITS, digest=of))


# The split on the other side.


def cut_at(a: str, b: str, match: Match, at: int, *, in_suspect: bool = True) -> Cut | None:
    """The split of ``match`` of the texts ``a`` and ``b`` at a place in one of them, with the corresponding place in
    the other.

    None if the place is not within the match. Takes as long as :func:`~.differences.differences`.
    """
    if not in_suspect:
        turned = replace(match, a_span=match.b_span, b_span=match.a_span)
        cut = cut_at(b, a, turned, at)
        return None if cut is None else Cut(cut.b, cut.a, cut.crossed)
    if not match.a_span.start < at < match.a_span.end:
        return None
    own = units(a[match.a_span.start : match.a_span.end])
    other = units(b[match.b_span.start : match.b_span.end])
    crossed = _crossed(own, other, at - match.a_span.start)
    place = _counterpart(a, b, match, at) if crossed is None else match.b_span.start + crossed
    return Cut(at, place, crossed is not None)


def _crossed(own: Sequence[TextUnit], other: Sequence[TextUnit], at: int) -> int | None:
    """The place of the split in ``other`` if the part before ``at`` comes second there; None if the order is the same.

    Each run of units votes for the only part that contains it.
    """
    runs = [(_run(own, row), unit.span.start) for row, unit in enumerate(own[: len(own) - _RUN + 1])]
    ends = [unit.span.end for unit in own[_RUN - 1 :]]
    before = {key for (key, _), end in zip(runs, ends, strict=True) if end <= at}
    behind = {key for key, start in runs if start >= at}
    votes = [(key in before) - (key in behind) for key in (_run(other, row) for row in range(len(other) - _RUN + 1))]
    # Votes for a split before each run, minus those against it, if the order were the same.
    in_order = [2 * so_far - sum(votes) for so_far in accumulate(votes, initial=0)]
    least = min(in_order)
    if -least <= max(in_order):
        return None
    # The first run after the split is the first one that the part before ``at`` contains.
    row = len(in_order) - 1 - in_order[::-1].index(least)
    row += row < len(other) and other[row].key == " "
    return other[row].span.start if 0 < row < len(votes) else None


def _run(side: Sequence[TextUnit], row: int) -> tuple[str, ...]:
    return tuple(unit.key.casefold() for unit in side[row : row + _RUN])


def _counterpart(a: str, b: str, match: Match, at: int) -> int:
    """The place in ``b`` corresponding to ``at`` in ``a``, by the common units of both sides of ``match``, in order."""
    equal_from = Span(match.a_span.start, match.b_span.start)
    end = Span(match.a_span.end, match.a_span.end), Span(match.b_span.end, match.b_span.end)
    for one, other in (*((e.a_span, e.b_span) for e in differences(a, match.a_span, b, match.b_span)), end):
        if at <= one.start:
            before, there = a[equal_from[0] : at], b[equal_from[1] : other.start]
            if one.start - equal_from[0] == len(there):
                return equal_from[1] + len(before)
            rest = units(there)[len(units(before)) :]
            return equal_from[1] + rest[0].span.start if rest else other.start
        if at < one.end:
            share = (at - one.start) / (one.end - one.start)
            starts = [other.start + unit.span.start for unit in units(b[other.start : other.end])]
            return min(
                [*starts, other.end], key=lambda start: abs(start - other.start - share * (other.end - other.start))
            )
        equal_from = Span(one.end, other.end)
    return match.b_span.end


# The effect of splits on matches.


def splits_of(session: Session, a: Document, b: Document, span: Span) -> list[Label]:
    """The splits of suspect ``a`` and source ``b`` at either end of ``span`` of the suspect."""
    with session.read() as connection:
        splits = _cuts(connection, a.key, b.key).get((a.key, b.key), ())
    return [
        label
        for cut, label in splits
        if min(abs(cut.a - end) for end in span) <= NEAR and not span.start < cut.a < span.end
    ]


def split_targets(connection: Connection) -> tuple[str, ...]:
    """Names of the current splits, sorted: they determine the matches, besides the run."""
    return tuple(sorted(current_followed(connection, SPLITS)))


def keys_split(connection: Connection, a: int | None = None, b: int | None = None) -> set[tuple[int, int]]:
    """Pairs (of suspect ``a``, of source ``b``) that were split, in both directions."""
    return set(_cuts(connection, a, b))


def _cuts(
    connection: Connection, a: int | None = None, b: int | None = None
) -> Mapping[tuple[int, int], Sequence[tuple[Cut, Label]]]:
    """The current splits, by pair of keys, in the order of the suspect; each also for the pair in reverse, and for all
    documents with these ids, because runs may compare the two so, or former texts.

    In a document reimported with another text, splits are at their places there; those whose places are gone are
    omitted.
    """
    current = current_followed(connection, SPLITS)
    if not current:
        return {}
    keys: defaultdict[str, list[int]] = defaultdict(list)
    for key, identity in ids_of(connection).items():
        keys[identity].append(key)
    texts = JudgedTexts(lambda key: next((text for _, text in texts_of(connection, [key])), ""))
    texts.follow(versions(connection))
    splits = defaultdict(list)
    for target, label in current.items():
        passage = parse_passage(target, keys)
        if passage is None or label.value not in (_IN_ORDER, _CROSSED):
            continue
        one, a_span, two, b_span = passage
        for pair in product(keys[one], keys[two]):
            turns = [turn for turn in {pair, pair[::-1]} if a in (None, turn[0]) and b in (None, turn[1])]
            if not turns:
                continue
            wanted = zip((one, two), pair, (a_span, b_span), sides(label.digest), strict=True)
            places = [texts.now(name, key, span, of, label.when) for name, key, span, of in wanted]
            if places[0] is not None and places[1] is not None:
                crossed = label.value == _CROSSED
                cut = Cut(places[0].end, places[1].start if crossed else places[1].end, crossed)
                for turn in turns:
                    splits[turn].append((cut if turn == pair else Cut(cut.b, cut.a, crossed), label))
    return {pair: sorted(some, key=lambda of: of[0]) for pair, some in splits.items()}


def parted(connection: Connection, matches: Matches, a: int | None = None, b: int | None = None) -> Matches:
    """``matches`` (of suspect ``a``, of source ``b``) as reviewers split them.

    A part has the score of its match. Figures that count over the whole match are dropped.
    """
    cuts = _cuts(connection, a, b)
    if not cuts or not len(matches):
        return matches
    concerned = np.zeros(len(matches), np.bool_)
    part = np.full(len(matches), np.nan)
    pieces: list[Matches] = []
    for (one, two), splits in cuts.items():
        rows = np.flatnonzero((matches.a == one) & (matches.b == two))
        if not len(rows):
            continue
        places = [cut for cut, _ in splits]
        texts = dict(texts_of(connection, sorted({one, two})))
        middle = (matches.a_start[rows] + matches.a_end[rows]) / 2
        part[rows] = np.searchsorted([cut.a for cut in places], middle, "right")
        for row in rows.tolist():
            match = matches.row(row)
            spans = _pieces(match, places)
            if len(spans) > 1:
                concerned[row] = True
                pieces.append(_as_matches(match, spans, texts[one], texts[two], places))
    evidence: dict[str, Any] = {name: column.astype(np.float64) for name, column in matches.evidence.items()}
    whole = replace(matches, evidence=evidence | {SPLIT: np.full(len(matches), np.nan), PART: part})
    if not pieces:
        return whole
    names = list(whole.evidence)
    fresh = [replace(piece, evidence={name: piece.evidence[name] for name in names}) for piece in pieces]
    return Matches.concatenate([whole.take(~concerned), *fresh])


def _pieces(match: Match, cuts: Sequence[Cut]) -> list[tuple[Span, Span]]:
    """The parts of ``match``, in the order of the suspect; ``match`` itself if no cut is inside it."""
    pieces = [(match.a_span, match.b_span)]
    for cut in cuts:
        pieces = [half for piece in pieces for half in (cut.halves(*piece) if cut.parts(*piece) else (piece,))]
    return pieces


def _as_matches(match: Match, pieces: Sequence[tuple[Span, Span]], a: str, b: str, cuts: Sequence[Cut]) -> Matches:
    """The parts of ``match`` of the texts ``a`` and ``b``, each without the gaps at its ends."""
    rows: list[tuple[int, ...]] = []
    gaps: list[tuple[int, int, int, int]] = []
    for number, (own, other) in enumerate(pieces):
        own, own_gaps = _without_gaps(own, match.a_gaps)
        other, other_gaps = _without_gaps(other, match.b_gaps)
        tier = tier_of(a[own.start : own.end], b[other.start : other.end])
        if is_recognised(match.evidence):
            tier = max(tier, Tier.FOLDED)
        rows.append((match.a, match.b, *own, *other, tier))
        gaps += [(number, side, *gap) for side, some in ((0, own_gaps), (1, other_gaps)) for gap in some]
    one, two, a_start, a_end, b_start, b_end, tiers = np.array(rows, np.int64).T
    figures = {
        name: np.full(len(rows), float(value) if name in _KEPT else np.nan)
        for name, value in match.evidence.items()
        if name != "tier"
    }
    figures |= {
        SPLIT: np.ones(len(rows)),
        PART: np.searchsorted([cut.a for cut in cuts], (a_start + a_end) / 2, "right"),
    }
    scores = np.full(len(rows), match.score)
    return Matches(one, two, a_start, a_end, b_start, b_end, scores, tiers.astype(np.int8), figures, Gaps.of(gaps))


def _without_gaps(span: Span, gaps: Sequence[Span]) -> tuple[Span, list[Span]]:
    """``span`` without the gaps at its ends, and those within it; all of it if there is nothing else."""
    inside = [Span(max(gap.start, span.start), min(gap.end, span.end)) for gap in gaps]
    inside = [gap for gap in inside if gap.start < gap.end]
    start, end = span
    if inside and inside[0].start == start:
        start = inside.pop(0).end
    if inside and inside[-1].end == end:
        end = inside.pop().start
    return (Span(start, end), inside) if start < end else (span, [])
