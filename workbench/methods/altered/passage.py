"""A passage of one pair of texts, in words, and the author's own text within it.

A passage is a best run of votes and may pass over words that vote against it. A *hole* is a run of whole sentences or
lines within it whose votes sum to -``HOLE`` or less; the disjoint holes are chosen so that the total of
their sums, each with ``HOLE`` added, is least. Text between corresponding words of one sentence is never a hole: a
changed word of a copied sentence is part of the copy.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Ints

HOLE = 5.0
"""Log-odds against a run of sentences from which it does not belong to the passage around it."""

ECHO = 0.5
"""Share of a passage's log-odds that a second passage for the same words of the suspect must reach."""

EACH, FREE = 0.75, 150
"""Log-odds, after discounting formulaic phrases, that each word of a passage beyond the first FREE must add: texts on
one subject agree a little everywhere, copies much in places.
"""
MERGE = 15
"""Maximum number of words between two stretches in the same order that are one passage, as around a changed clause."""
SUMMARY_ACCEPT = 60.0, 110.0
"""Minimum log-odds of a summary of a short source, and of a source of ..."""
SUMMARY_LONG = 1000
"""... at least as many words: the more words, the more chance matches."""
SUMMARY_EACH = 0.5, 1.3
"""Additional log-odds needed for each word of a summary, and the least for each of a long one."""
FEWEST, WEAK = 8, 10.0
"""Minimum number of words in a hole, and log-odds, from which it can be from elsewhere in the source."""
CELL = 12
"""Words per cell of the plot; a seed is a block of 2 x 2 cells."""
ALTERNATING = 20
"""Number of words that two passages must explain in turn beyond those that they explain with one limit between them."""

Words = tuple[tuple[int, int], ...]
"""Disjoint runs of words [first, last), in order."""


@dataclass(frozen=True, slots=True)
class WordPassage:
    """Words ``[a_start, a_end)`` of the suspect and ``[b_start, b_end)`` of the source, with the log-odds of each side.

    ``rare_odds``: the weaker side's after discounting formulaic phrases; ``a_holes``, ``b_holes``: words within it that
    are not part of it (all three only of accepted passages). ``summary``: its words come from all of its source
    passage. ``shared``: share of the suspect's words that correspond to the source's, if it was rejected because of it.
    """

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    a_odds: float
    b_odds: float
    rare_odds: float = 0.0
    summary: bool = False
    a_holes: Words = ()
    b_holes: Words = ()
    shared: float = 1.0

    @property
    def odds(self) -> float:
        """The weaker side's log-odds."""
        return min(self.a_odds, self.b_odds)

    @property
    def total(self) -> float:
        """The log-odds of both sides."""
        return self.a_odds + self.b_odds

    def overlaps(self, other: WordPassage) -> bool:
        """Whether two passages overlap on both sides."""
        return min(self.a_end, other.a_end) > max(self.a_start, other.a_start) and min(self.b_end, other.b_end) > max(
            self.b_start, other.b_start
        )

    @property
    def size(self) -> int:
        """Number of the suspect's words outside holes."""
        return self.common(self)

    def common(self, other: WordPassage) -> int:
        """Number of the suspect's words that both passages have outside their holes."""
        low, high = max(self.a_start, other.a_start), min(self.a_end, other.a_end)
        shared = np.ones(max(0, high - low), np.bool_)
        for start, end in (*self.a_holes, *other.a_holes):
            shared[max(0, start - low) : max(0, end - low)] = False
        return int(shared.sum())

    def joined(self, other: WordPassage, a_holes: Words, b_holes: Words) -> WordPassage:
        """This passage and ``other``, which follows it in both texts, as one with holes between them."""
        odds = self.a_odds + other.a_odds, self.b_odds + other.b_odds, self.rare_odds + other.rare_odds
        whole = WordPassage(self.a_start, other.a_end, self.b_start, max(self.b_end, other.b_end), *odds)
        a_holes, b_holes = (*self.a_holes, *a_holes, *other.a_holes), (*self.b_holes, *b_holes, *other.b_holes)
        return replace(whole, a_holes=a_holes, b_holes=b_holes)

    def cut(self, start: int, end: int) -> WordPassage:
        """The passage with the suspect's words [start, end) only."""
        share = (end - start) / (self.a_end - self.a_start)
        holes = tuple((max(low, start), min(high, end)) for low, high in self.a_holes if low < end and start < high)
        odds = self.a_odds * share, self.b_odds * share, self.rare_odds * share
        return replace(self, a_start=start, a_end=end, a_odds=odds[0], b_odds=odds[1], rare_odds=odds[2], a_holes=holes)


def holes(votes: NDArray[np.float64], start: int, end: int, breaks: NDArray[np.float32]) -> Words:
    """The holes of the passage [start, end), by the ``votes`` of its words and the ``breaks`` of its text."""
    inner = start + 1 + np.flatnonzero(breaks[start + 1 : end] > 0)
    bounds = np.concatenate(([start], inner, [end]))
    sums = np.add.reduceat(votes[start:end], bounds[:-1] - start).tolist()
    outside, inside = 0.0, -np.inf
    begun: list[bool] = []
    """Whether the best hole that includes a sentence begins there."""
    closed: list[bool] = []
    """Whether the best way to leave a sentence out of any hole ends one before it."""
    for worth in sums:
        closed.append(inside > outside)
        begun.append(outside - HOLE > inside)
        outside, inside = max(outside, inside), max(inside, outside - HOLE) - worth
    runs: list[tuple[int, int]] = []
    in_hole, last = inside > outside, len(sums)
    for at in range(len(sums) - 1, -1, -1):
        if not in_hole:
            in_hole, last = closed[at], at
        elif begun[at]:
            runs.append((int(bounds[at]), int(bounds[last])))
            in_hole = False
    return tuple(reversed(runs))


def union(one: Words, other: Iterable[tuple[int, int]]) -> Words:
    """All words of ``one`` and ``other``, as disjoint runs in order."""
    runs: list[tuple[int, int]] = []
    for start, end in sorted([*one, *other]):
        if runs and start <= runs[-1][1]:
            start, end = runs[-1][0], max(end, runs.pop()[1])
        runs.append((start, end))
    return tuple(runs)


def whole_sentences(breaks: NDArray[np.float32], start: int, end: int) -> Words:
    """The whole sentences within the words [start, end), as one stretch."""
    ends = start + np.flatnonzero(breaks[start : end + 1] > 0)
    return ((int(ends[0]), int(ends[-1])),) if len(ends) > 1 else ()


def uncovered(passages: Sequence[WordPassage], words: int) -> Words:
    """The holes of ``passages`` in a suspect of ``words`` words, but for summaries, that no other passage covers."""
    if not any(p.a_holes for p in passages):
        return ()
    state = np.zeros(words + 1, np.int8)
    for p in passages:
        inside = np.zeros(words, np.bool_)
        inside[p.a_start : p.a_end] = True
        for start, end in p.a_holes:
            inside[start:end] = False
            state[start:end] = np.maximum(state[start:end], not p.summary)
        state[:-1][inside] = 2
    edges = np.flatnonzero(np.diff(state == 1, prepend=False)).reshape(-1, 2)
    return tuple((start, end) for start, end in edges.tolist())


def chains(passages: Iterable[WordPassage], alone: Container[WordPassage]) -> list[list[WordPassage]]:
    """``passages`` of one pair by position in the suspect, each after the one that it continues in the source.

    It does so if others are between them, and at most MERGE words that no passage covers, twice that in the source;
    summaries and those ``alone`` do not.
    """
    ordered = sorted(passages, key=lambda p: (p.a_start, p.a_end))
    inside = np.zeros(max((p.a_end for p in ordered), default=0), np.bool_)
    for p in ordered:
        own = inside[p.a_start : p.a_end].copy()
        inside[p.a_start : p.a_end] = True
        for start, end in p.a_holes:
            inside[start:end] = own[start - p.a_start : end - p.a_start]
    covered = np.concatenate(([0], np.cumsum(inside)))
    linked: list[list[WordPassage]] = []
    for p in ordered:
        for chain in reversed(linked):
            last, gap = chain[-1], p.a_start - chain[-1].a_end
            others = int(covered[p.a_start] - covered[last.a_end]) if gap > 0 else 0
            on = last.b_start <= p.b_start <= last.b_end + 2 * MERGE and others and gap - others <= MERGE
            if on and not any(one.summary or one in alone for one in (last, p)):
                chain.append(p)
                break
        else:
            linked.append([p])
    return linked


def beside_seed(
    weights: NDArray[np.float32],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    words: tuple[int, int],
    passages: Sequence[WordPassage],
) -> tuple[int, int] | None:
    """The words of the source around the heaviest seed for some of the suspect's ``words`` that is not within the
    source side of one of ``passages``; None if there is no such seed. The end may be beyond the source.

    ``weights``, ``rows`` and ``columns`` are those of n seeds by row.
    """
    start, end = words
    some = slice(*np.searchsorted(rows, [start // CELL - 1, (end - 1) // CELL + 1]).tolist())
    first = columns[some].astype(np.int64) * CELL
    free = np.ones(len(first), np.bool_)
    for p in passages:
        free &= (first < p.b_start - CELL) | (first + CELL > p.b_end)
    if not free.any():
        return None
    heaviest = int(first[np.where(free, weights[some], -1.0).argmax()])
    return max(0, heaviest - (end - start)), heaviest + 2 * CELL + end - start


def in_turn(
    one: WordPassage, other: WordPassage, bounds: Sequence[int], lead: Ints
) -> tuple[WordPassage, WordPassage] | None:
    """Two passages of one source whose sentences alternate in the suspect, each without the sentences of the other.

    ``bounds``: the limits of the n sentences that are in both; ``lead`` int64[n]: how many more words of a sentence
    correspond to the source side of ``other`` than to that of ``one``. None if nearly as many words correspond with one
    limit between the passages.
    """
    before = np.concatenate(([0], np.cumsum(lead)))
    if np.abs(lead).sum() - np.abs(before[-1] - 2 * before).max() < ALTERNATING:
        return None
    sentences = [*pairwise(bounds)]
    theirs = union((), [words for words, more in zip(sentences, lead, strict=True) if more > 0])
    ours = union((), [words for words, more in zip(sentences, lead, strict=True) if more <= 0])
    return without(one, theirs), without(other, ours)


def without(p: WordPassage, words: Words) -> WordPassage:
    """``p`` with more holes, none at its limits or beyond them."""
    start, end, inner = without_edge_holes(union(p.a_holes, words), p.a_start, p.a_end)
    return replace(p, a_start=start, a_end=end, a_holes=inner)


def without_edge_holes(holes: Words, start: int, end: int) -> tuple[int, int, Words]:
    """The words [start, end) without the ``holes`` at their limits, and the holes that are left in them."""
    some = [hole for hole in union(holes, ()) if hole[0] < end and start < hole[1]]
    first = next((high for low, high in some if low <= start), start)
    last = next((low for low, high in reversed(some) if high >= end), end)
    return first, last, tuple(hole for hole in some if first < hole[0] and hole[1] < last)


def distinct(ranked: list[WordPassage]) -> list[WordPassage]:
    """One match per passage: of two that overlap on both sides the first is kept; weak echoes of a passage are also
    dropped.
    """
    kept: list[WordPassage] = []
    for p in ranked:
        for q in kept:
            shared = min(p.a_end, q.a_end) - max(p.a_start, q.a_start)
            overlap = min(p.b_end, q.b_end) > max(p.b_start, q.b_start)
            echo = 2 * shared > p.a_end - p.a_start and p.a_odds < ECHO * q.a_odds
            if shared > 0 and (overlap or echo):
                break
        else:
            kept.append(p)
    return kept


def odds_of_summary(p: WordPassage, words: int) -> float:
    """Minimum log-odds of the summary ``p`` of a source of ``words`` words."""
    own = p.a_end - p.a_start
    more, least = SUMMARY_EACH
    return max(float(np.interp(words, (0, SUMMARY_LONG), SUMMARY_ACCEPT)) + more * own, least * own)


def rare_odds_of(p: WordPassage) -> float:
    """Minimum log-odds of the words of ``p`` outside its holes, after discounting formulaic phrases."""
    return EACH * (p.size - FREE)


def goes_on(last: WordPassage, p: WordPassage) -> bool:
    """Whether ``p`` follows ``last`` in both texts, at most MERGE words apart, or twice that in the source, as the
    suspect may omit half of a sentence.
    """
    apart = p.a_start - last.a_end, p.b_start - last.b_end
    return not (last.summary or p.summary) and min(apart) >= 0 and apart[0] <= MERGE and apart[1] <= 2 * MERGE


def explained(passages: list[WordPassage], start: int, end: int) -> float:
    """Total log-odds of the best disjoint passages (in the suspect) that overlap [start, end)."""
    chosen: list[WordPassage] = []
    for p in sorted(passages, key=lambda p: -p.a_odds):
        if all(p.a_end <= q.a_start or q.a_end <= p.a_start for q in chosen):
            chosen.append(p)
    return sum(p.a_odds for p in chosen if p.a_start < end and start < p.a_end)
