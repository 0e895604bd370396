"""From the matches of several methods to passages, each once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.gaps import Gaps
from workbench.base.progress import Watcher
from workbench.base.types import Document, Matches, Results, Span, Tier
from workbench.methods.copies.confidence import MEASURED, confidence
from workbench.methods.copies.kinds import BITS, CopyKind
from workbench.methods.copies.limits import at_words

NEAR = 40
"""An exact match's limit wins over one of a less exact match at most so many characters farther out."""
_LOOK = 1024
"""Matches of a pair between two looks for a cancel."""


class Texts:
    """Texts of sources by key, the latest ones remembered."""

    def __init__(self, places: Mapping[int, int], read: Callable[[int], str]) -> None:
        """``places``: numbers of the sources by key; ``read``: the text of a number."""
        self._places = places
        self._read = lru_cache(maxsize=8)(read)

    @classmethod
    def of_all(cls, texts: Mapping[int, str]) -> Texts:
        """``texts`` by key, all in memory."""
        return cls({key: key for key in texts}, texts.__getitem__)

    def __call__(self, key: int) -> str | None:
        """The text of the source ``key``; None where it is not kept."""
        return self._read(self._places[key]) if key in self._places else None


class Part(NamedTuple):
    """One match of one method; ``measured`` is what it says of ``MEASURED``, 0 for other methods' figures.

    ``gaps``: what lies within it on either side and is no part of it.
    """

    method: str
    a_span: Span
    b_span: Span
    tier: int
    kind: CopyKind
    measured: tuple[float, ...]
    gaps: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class Merged:
    """Passages, and how many matches of the methods have no row of their own."""

    matches: Matches
    joined: int


def merge(results: Mapping[str, Results], documents: Sequence[Document], texts: Texts, watch: Watcher) -> Merged:
    """Passages of all of ``results`` (by method), ordered by document, place and source. Raises Cancelled."""
    own = {d.key: d.text for d in documents}
    pairs: dict[tuple[int, int], list[Part]] = {}
    for method, result in results.items():
        for match in result.matches:
            limits = match.a_span, match.b_span
            source = texts(match.b)
            if method == "initials" and source is not None:
                limits = at_words(own[match.a], match.a_span), at_words(source, match.b_span)
            reading = _reading(method, match.evidence, match.score)
            gaps = match.a_gaps, match.b_gaps
            part = Part(method, *limits, int(match.evidence["tier"]), *reading, gaps)
            pairs.setdefault((match.a, match.b), []).append(part)
    joined, rows = 0, []
    for (a, b), parts in sorted(pairs.items()):
        watch.check()
        for group in grouped(parts, watch):
            rows.append((a, b, passage(group, own[a], texts(b))))
            joined += len(group) - 1
    rows.sort(key=lambda row: (row[0], row[2].a_span, row[1], row[2].b_span))
    return Merged(_matches(rows, aligned="altered" in results), joined)


def _reading(method: str, evidence: Mapping[str, Any], score: float) -> tuple[CopyKind, tuple[float, ...]]:
    """What a method's evidence says was done to a passage, and its figures in ``MEASURED``."""
    if method == "digest":
        return CopyKind.VERBATIM, (float(evidence["surprisal"]), 0.0, 0.0, 0.0)
    if method == "altered":
        return CopyKind(int(evidence["kind"])), (0.0, 0.0, 0.0, float(score))
    differ, homophones = int(evidence["differ"]), int(evidence["homophones"])
    kind = CopyKind.HOMOPHONES if 2 * homophones >= differ else CopyKind.LIGHTLY_CHANGED
    return kind if differ else CopyKind.VERBATIM, (0.0, float(score), float(homophones), 0.0)


def grouped(parts: Sequence[Part], watch: Watcher) -> list[list[Part]]:
    """Matches of one pair in groups: those that overlap on both sides, and what overlaps these. Raises Cancelled."""
    ranked = sorted(parts)
    spans = np.array([(*p.a_span, *p.b_span) for p in ranked], np.int64).T
    order = np.argsort(spans[0], kind="stable")
    a, a_end, b, b_end = spans[:, order]
    until = np.searchsorted(a, a_end, "left")
    group = np.arange(len(order))
    for i in range(len(order)):
        if i % _LOOK == 0:
            watch.check()
        later = slice(i + 1, int(until[i]))
        meets = (b[later] < b_end[i]) & (b[i] < b_end[later])
        for j in (np.flatnonzero(meets) + i + 1).tolist():
            _join(group, i, j)
    groups: dict[int, list[Part]] = {}
    for i in range(len(order)):
        groups.setdefault(_root(group, i), []).append(ranked[order[i]])
    return list(groups.values())


def _root(group: NDArray[np.int64], i: int) -> int:
    while group[i] != i:
        group[i] = group[group[i]]
        i = int(group[i])
    return i


def _join(group: NDArray[np.int64], i: int, j: int) -> None:
    one, other = _root(group, i), _root(group, j)
    group[max(one, other)] = min(one, other)


class Passage(NamedTuple):
    """What a group of matches becomes."""

    a_span: Span
    b_span: Span
    tier: int
    kind: CopyKind
    methods: int
    measured: tuple[float, ...]
    gaps: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())


def passage(group: Sequence[Part], own: str, source: str | None) -> Passage:
    """The passage of matches that overlap each other: limits, tier, kind, methods, what these measured, and its gaps.

    ``own`` and ``source`` are the two whole texts, the latter where it is kept. A gap is what no match takes in; a
    passage that is alike on both sides has none.
    """
    a_span = _limits([(p.tier, p.a_span) for p in group])
    b_span = _limits([(p.tier, p.b_span) for p in group])
    around = (p.tier for p in group if _within(a_span, p.a_span) and _within(b_span, p.b_span))
    tier = min(around, default=int(Tier.ALTERED))
    if source is not None:
        alike = own[a_span.start : a_span.end] == source[b_span.start : b_span.end]
        tier = Tier.EXACT if alike else max(tier, Tier.FOLDED)
    gaps: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    if tier == Tier.ALTERED:
        a_gaps = _missing(a_span, group, lambda p: (p.a_span, p.gaps[0]))
        gaps = a_gaps, _missing(b_span, group, lambda p: (p.b_span, p.gaps[1]))
    return Passage(
        a_span,
        b_span,
        int(tier),
        _kind(group, tier, a_span),
        sum({BITS[p.method] for p in group}),
        tuple(map(max, zip(*(p.measured for p in group), strict=True))),
        gaps,
    )


def _missing(
    limits: Span, group: Sequence[Part], side: Callable[[Part], tuple[Span, Sequence[Span]]]
) -> tuple[Span, ...]:
    """What of ``limits`` no match takes in, by the span and the gaps of each on one side.

    A match of altered text by a method that knows no gaps takes in none of those that another method saw.
    """
    gaps = sorted(gap for p in group for gap in side(p)[1])
    if not gaps:
        return ()
    taken = []
    for p in group:
        span, own = side(p)
        reached = span.start
        for gap in own if p.method == "altered" or p.tier < Tier.ALTERED else gaps:
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


def _limits(spans: Sequence[tuple[int, Span]]) -> Span:
    """Limits of spans with their tiers: from end to end, but at each end those of the lowest tier that comes near."""
    start, end = min(s.start for _, s in spans), max(s.end for _, s in spans)
    first, last = start, end
    for tier in sorted({tier for tier, _ in spans}, reverse=True):
        alike = [s for t, s in spans if t == tier]
        inner, outer = min(s.start for s in alike), max(s.end for s in alike)
        first = inner if inner - start <= NEAR else first
        last = outer if end - outer <= NEAR else last
    return Span(first, last)


def _kind(group: Sequence[Part], tier: int, a_span: Span) -> CopyKind:
    """What was done to a passage, said by what was seen of most of it, the most exact method first."""
    if tier < Tier.ALTERED:
        return CopyKind.VERBATIM
    size = a_span.end - a_span.start
    for method in BITS:
        parts = [p for p in group if p.method == method]
        covered = sum(p.a_span.overlap(a_span) for p in parts)
        if method != "altered" and covered < _MOST * size:
            continue
        if parts:
            longest = max(parts, key=lambda p: (p.a_span.end - p.a_span.start, -p.a_span.start))
            if method == "initials" and longest.kind is CopyKind.LIGHTLY_CHANGED and _seen(group, "altered"):
                continue
            return longest.kind
    return max(group, key=lambda p: (p.a_span.end - p.a_span.start, -p.a_span.start)).kind


_MOST = 0.9
"""Share of a passage from which on what a method saw of it stands for the whole."""


def _seen(group: Sequence[Part], method: str) -> bool:
    return any(p.method == method for p in group)


def _matches(rows: Sequence[tuple[int, int, Passage]], *, aligned: bool) -> Matches:
    if not rows:
        return Matches.empty()
    passages = [row[2] for row in rows]
    limits = np.array([(a, b, *p.a_span, *p.b_span) for a, b, p in rows], np.int64).T.copy()
    measured = np.array([p.measured for p in passages])
    sure = confidence(measured, aligned=aligned)
    evidence: dict[str, NDArray[Any]] = {
        "confidence": sure,
        "kind": np.array([p.kind for p in passages], np.int8),
        "methods": np.array([p.methods for p in passages], np.int8),
        **dict(zip(MEASURED, measured.T.copy(), strict=True)),
    }
    a, b, a_start, a_end, b_start, b_end = limits
    tiers = np.array([p.tier for p in passages], np.int8)
    gaps = Gaps.of((at, side, *gap) for at, p in enumerate(passages) for side in (0, 1) for gap in p.gaps[side])
    return Matches(a, b, a_start, a_end, b_start, b_end, sure.copy(), tiers, evidence, gaps)
