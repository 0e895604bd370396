"""The passages of one pair of texts: seeds, refinement, summaries, and one match for each passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Ints
from workbench.kernels.altered.pairing import Background, WordPositions
from workbench.kernels.altered.passages import DONE, first_state, in_runs, refine, stretch_bound, top_run
from workbench.kernels.altered.seeds import seeds, word_weights
from workbench.kernels.altered.votes import NEW, VoteConstants, tally_for, votes_on
from workbench.kernels.altered.word_pairs import PHRASE, REPLACED, beyond, word_pairs
from workbench.methods.altered.kinds import (
    END,
    Classified,
    classified,
    narrowed,
    with_insertions,
    without_own_fragments,
)
from workbench.methods.altered.passage import (
    CELL,
    EACH,
    FEWEST,
    MERGE,
    WEAK,
    WordPassage,
    Words,
    beside_seed,
    chains,
    distinct,
    explained,
    goes_on,
    holes,
    in_turn,
    odds_of_summary,
    rare_odds_of,
    uncovered,
    whole_sentences,
)
from workbench.methods.core.figures import CopyKind

UNTRIED = Message("clusters of rare shared words beyond the limit")
WIDESPREAD = Message("words too frequent in both texts to begin a passage")
UNPAIRED = Message("words of passages that were paired only with their nearest occurrences in the source")
MORE_STRETCHES = Message("texts with more stretches that a whole source explains than the limit")

SETTINGS = VoteConstants()
NO_GROWTH = SETTINGS._replace(grow=0, pad=0.0)
"""For a seed from which a passage has grown away."""
STARTS = (np.array([0.35, 0.10, 0.10, 0.15, 0.20, 0.10]), np.array([0.03, 0.90, 0.01, 0.01, 0.01, 0.04]))
"""Initial assumptions about a passage: reworded, or copied word for word. The better result is kept."""

SUMMARY = np.array([0.30, 0.01, 0.01, 0.01, 0.07, 0.60])
"""The same for a summary's words, which come from anywhere in the source."""

SUMMED = np.array([0.85, 0.005, 0.005, 0.005, 0.015, 0.12])
"""The same for the source's words, most of which the summary omits."""

SEED = 14.0
"""Total weight of rare shared words from which a block is a seed."""
SEEDS = 60
"""Maximum number of seeds tried per 5,000 words of the suspect."""
STRETCHES = 8
"""Maximum number of stretches explained by the whole source tried per 5,000 words of the suspect."""
STRETCH = 12.0
"""Minimum log-odds of such a stretch; there is no search if no initial bound reaches this."""
FIRM = 35.0
"""Log-odds from which a passage explains a stretch, so that none other is searched for there."""
_PORTION = 5000
GIVE_UP = 8.0
"""If the passage of a seed stays below these log-odds from the first start, the second is not tried."""
RARE = 0.7
"""Share of the required log-odds that must remain after discounting formulaic phrases of the collection."""
SHARED = 0.45
"""Share of a passage's words in the suspect that must correspond to words of the source."""
OTHERS = 1.5
"""Ratio of the words at a limit of a passage that correspond to words of another one's source side to those that
correspond to its own, from which they belong to the other.
"""
VERBATIM = 0.9
"""Share of a passage covered by verbatim passages from which these remain separate."""
SUMMARY_BEATS = 0.92
"""A stretch is a summary if single passages explain less than this share of its log-odds."""
SUMMARY_GAP = 80.0
"""Loss of log-odds in a hole from which the source's side of a summary is cut there."""
SUMMARY_SPREAD = 0.7
"""Maximum share of the source's evidence (repetitions counted once) that a summary may draw from one stretch twice as
long as itself.
"""
SUMMARY_RARE = 50.0
"""Minimum log-odds of a summary after discounting formulaic phrases of the collection: words from anywhere often match
by chance.
"""
SUMMARY_MOST = 50, 20_000
"""Maximum number of the source's words per word of a summary, and of all: in more text all phrases occur by chance."""
DRAWN = 4.0
"""Log-odds from which a sentence of the source counts as used by a summary."""
_NONE_TAKEN = np.empty(0, np.bool_)
_BUDGET = 1 << 17
"""Words between two checks for cancellation: less than a tenth of a second."""
_ROWS = 1 << 12
"""Rows of the plot between two checks for cancellation."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds for a passage: ``accept`` log-odds on both sides; ``cover``, the share of a summary's words that the
    source must explain, above 1 for no summaries.
    """

    accept: float
    cover: float


class Aligner:
    """The passages that the texts ``a`` (suspect) and ``b`` share.

    ``refused``: rejected passages; ``seeds``: clusters of rare shared words; ``left_out``: counts of seeds and
    stretches not tried because of limits.
    """

    def __init__(
        self, a: WordPositions, b: WordPositions, background: Background, limits: Limits, progress: Progress
    ) -> None:
        self.a, self.b, self._formulas = a, b, background
        nothing = np.zeros(len(background.after))
        self._background = background._replace(after=nothing, before=nothing)
        self._limits, self._watch, self._settings = limits, progress, SETTINGS
        self._votes_a, self._votes_b = np.empty(len(a.words)), np.empty(len(b.words))
        self._tally = tally_for(a)
        self.refused: list[WordPassage] = []
        self.left_out: Counter[str] = Counter()
        self.seeds = 0
        self._portions = max(1.0, len(a.words) / _PORTION)

    def passages(self) -> list[tuple[WordPassage, Classified]]:
        """Accepted passages by position in the suspect, and their kinds of change. Raises Cancelled."""
        if len(self.a.words) < 3 or len(self.b.words) < 3:
            return []
        self._plot = self._seeds()
        plotted = self._from_clusters()
        summaries = self._from_stretches(plotted)
        ranked = summaries + sorted(self._corresponding(self._without_others(plotted)), key=lambda p: -p.total)
        ordered = self._disjoint(self._continued(sorted(distinct(ranked), key=lambda p: p.a_start)))
        return self._with_others_between(dict(part for whole in ordered for part in self._with_kinds(whole)))

    def _with_others_between(self, kinds: dict[WordPassage, Classified]) -> list[tuple[WordPassage, Classified]]:
        """The passages and those within their holes; a changed one that goes on after others between is one."""
        inner = {p: classified(p, self._word_pairs(p)) for p in self._in_holes(list(kinds))}
        verbatim = {p for p, kind in chain(kinds.items(), inner.items()) if kind.kind is CopyKind.VERBATIM}
        done: list[tuple[WordPassage, Classified]] = []
        for parts in chains([*kinds, *inner], verbatim):
            wholes: list[WordPassage] = []
            if parts[1:] or parts[0] in inner:
                self._keep(reduce(lambda p, q: p.joined(q, ((p.a_end, q.a_start),), ()), parts), wholes)
            done += [(p, classified(p, self._word_pairs(p))) for p in wholes]
            done += [(p, kinds[p]) for p in parts if p in kinds and not wholes]
        return done

    def _in_holes(self, passages: list[WordPassage]) -> list[WordPassage]:
        """Candidates from elsewhere in the source within the holes of ``passages``."""
        inner: list[WordPassage] = []
        for start, end in uncovered(passages, len(self.a.words)):
            self._watch.check()
            around = [p for p in passages if p.a_start < end and start < p.a_end]
            nearby = beside_seed(*self._plot, (start, end), around) if end - start >= FEWEST else None
            other, other_end, odds = self._drawn_on(start, end, *nearby) if nearby else (0, 0, 0.0)
            if odds >= WEAK and other_end - other >= 3:
                p = self._passage(start, end, other, other_end, STARTS[0])
                p = narrowed(self.b, p, self._word_pairs(p))
                inner += [p] if p.odds >= WEAK and not any(map(p.overlaps, around)) else []
        return inner

    def _continued(self, ordered: list[WordPassage]) -> list[WordPassage]:
        """``ordered`` passages, joined, with the text between them, if they continue in the same order in both texts.

        Whole sentences between them are left out as holes.
        """
        joined: list[WordPassage] = []
        for p in ordered:
            last = joined[-1] if joined else None
            if last is None or not goes_on(last, p):
                joined.append(p)
                continue
            a_holes = whole_sentences(self.a.breaks, last.a_end, p.a_start)
            joined[-1] = last.joined(p, a_holes, whole_sentences(self.b.breaks, last.b_end, p.b_start))
        return joined

    def _disjoint(self, ordered: list[WordPassage]) -> list[WordPassage]:
        """``ordered`` passages; words in both of two passages belong to the one with more of them in its source side,
        sentence by sentence where the passages alternate.
        """
        apart: list[WordPassage] = []
        for p in ordered:
            last = apart[-1] if apart else None
            if last is None or last.summary or p.summary or last.a_end <= p.a_start:
                apart.append(p)
                continue
            low, high = p.a_start, min(p.a_end, last.a_end)
            bounds = [low, *(low + 1 + np.flatnonzero(self.a.breaks[low + 1 : high] > 0)).tolist(), high]
            lead = self._shared(p, bounds) - self._shared(last, bounds)
            both = in_turn(last, p, bounds, lead)
            if both is None and high < p.a_end and last.a_start < low:
                both = (last, p.cut(high, p.a_end)) if lead.sum() < 0 else (last.cut(last.a_start, low), p)
            apart[-1:] = both or (last, p)
        return apart

    def _shared(self, p: WordPassage, bounds: Sequence[int]) -> Ints:
        """Number of the suspect's words between each two of the n ``bounds`` that correspond to words of the source
        side of ``p``: int64[n - 1].
        """
        rows = self._word_pairs(p)
        rows = rows[rows[:, 0] != REPLACED]
        limits = np.array(bounds)
        sizes = np.minimum(rows[:, 2:3], limits[1:]) - np.maximum(rows[:, 1:2], limits[:-1])
        counts: Ints = np.maximum(sizes, 0).sum(axis=0, dtype=np.int64)
        return counts

    def _from_clusters(self) -> list[WordPassage]:
        """Passages grown from clusters of rare shared words."""
        passages: list[WordPassage] = []
        weights, rows, columns = self._plot
        self.seeds = len(rows)
        free = np.ones(len(rows), np.bool_)

        def leave_out(top: int, bottom: int, left: int, right: int) -> None:
            some = slice(*np.searchsorted(rows, [top, bottom]).tolist())
            free[some] &= (columns[some] < left) | (columns[some] >= right)

        tried, most = 0, int(SEEDS * self._portions)
        ranked = np.argsort(-weights, kind="stable")
        for rank, k in enumerate(ranked.tolist()):
            if not free[k]:
                continue
            row, column = int(rows[k]), int(columns[k])
            if tried >= most:
                self.left_out[UNTRIED] += int(free[ranked[rank:]].sum())
                break
            tried += 1
            start, other = row * CELL, column * CELL
            end, other_end = min(len(self.a.words), start + 2 * CELL), min(len(self.b.words), other + 2 * CELL)
            leave_out(row - 1, row + 2, column - 1, column + 2)
            if end - start < 3 or other_end - other < 3:
                continue
            p = self._refined(start, end, other, other_end)
            if p.odds >= self._limits.accept and (p.b_end <= other or other_end <= p.b_start):
                # A stronger one beside it drew it away.
                self._keep(self._refined(start, end, other, other_end, NO_GROWTH), passages)
            leave_out(p.a_start // CELL - 1, p.a_end // CELL + 1, p.b_start // CELL - 1, p.b_end // CELL + 1)
            self._keep(p, passages)
        return passages

    def _keep(self, p: WordPassage, passages: list[WordPassage]) -> None:
        if self._is_likely(p) and p.rare_odds < rare_odds_of(p):
            for part in self._dense_parts(p):
                self._keep_likely(part, passages)
            self.refused.append(p)
        else:
            self._keep_likely(p, passages)

    def _keep_likely(self, p: WordPassage, passages: list[WordPassage]) -> None:
        accepted = self._is_likely(p) and p.rare_odds >= rare_odds_of(p)
        (passages if accepted else self.refused).append(p)

    def _is_likely(self, p: WordPassage) -> bool:
        return p.odds >= self._limits.accept and p.rare_odds >= RARE * self._limits.accept

    def _dense_parts(self, whole: WordPassage) -> list[WordPassage]:
        """Stretches of ``whole`` with more than EACH log-odds for each of their words."""
        a, b, s = self.a, self.b, self._settings
        ours, theirs = (whole.a_start, whole.a_end), (whole.b_start, whole.b_end)
        votes = self._voted(a, b, (*ours, *theirs), ours, STARTS[0], self._votes_a, self._formulas)
        worth, taken = votes - EACH, np.zeros(len(a.words), np.bool_)
        parts: list[WordPassage] = []
        while True:
            self._watch.check()
            odds, start, end = top_run(worth, *ours, a.breaks, s.end_price, s.gap, taken)
            if odds < RARE * self._limits.accept or end - start < 3:
                return parts
            taken[start:end] = True
            part = int(start), int(end)
            theirs_votes = self._voted(b, a, (*theirs, *part), theirs, STARTS[0], self._votes_b, self._background)
            nothing = np.zeros(len(b.words), np.bool_)
            _, other, other_end = top_run(theirs_votes, *theirs, b.breaks, s.end_price, s.gap, nothing)
            if other_end - other >= 3:
                p = self._refined(*part, int(other), int(other_end))
                dense = p.rare_odds >= rare_odds_of(p)
                parts.append(p if dense else self._passage(*part, int(other), int(other_end), STARTS[0]))

    def _seeds(self) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]:
        """Blocks of cells that weigh SEED: weight, row and column."""
        of_word, widespread = word_weights(self.a.starts, self.b.starts, self._background.word)
        self.left_out[WIDESPREAD] += widespread
        height = len(self.a.words) // CELL + 1
        parts = []
        for first in range(0, height, _ROWS):
            self._watch.check()
            last = min(height, first + _ROWS)
            parts.append(seeds(self.a.words, self.b.starts, self.b.places, of_word, first, last, CELL, SEED))
        whole = parts[0] if len(parts) == 1 else (np.concatenate(column) for column in zip(*parts, strict=True))
        return tuple(whole)

    def _refined(
        self, start: int, end: int, other: int, other_end: int, settings: VoteConstants = SETTINGS
    ) -> WordPassage:
        """The passage grown from these words, from the better start."""
        candidates: list[tuple[WordPassage, NDArray[np.float64], NDArray[np.float64]]] = []
        for prior in STARTS:
            state = first_state(start, end, other, other_end)
            worth, mixture_a, mixture_b = np.zeros(2), prior.copy(), prior.copy()
            texts = (self.a, self.b, self._background, settings, prior, mixture_a, mixture_b)
            while not state[DONE]:
                self._watch.check()
                refine(*texts, state, worth, self._votes_a, self._votes_b, self._tally, _BUDGET)
            p = WordPassage(*state[:4].tolist(), *worth.tolist())
            candidates.append((p, mixture_a, mixture_b))
            if p.odds < GIVE_UP:
                break
        best, *mixtures = max(candidates, key=lambda x: x[0].a_odds + x[0].b_odds)
        return self._discounted(best, *mixtures) if best.odds >= self._limits.accept else best

    def _discounted(
        self, p: WordPassage, mixture_a: NDArray[np.float64], mixture_b: NDArray[np.float64]
    ) -> WordPassage:
        """``p`` with the weaker side's log-odds after discounting formulaic phrases, and with its holes."""
        ours, theirs = (p.a_start, p.a_end), (p.b_start, p.b_end)

        def voted(background: Background) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            a = self._voted(self.a, self.b, (*ours, *theirs), ours, mixture_a, self._votes_a, background)
            b = self._voted(self.b, self.a, (*theirs, *ours), theirs, mixture_b, self._votes_b, background)
            return a, b

        a, b = voted(self._formulas)
        rare = float(min(a[slice(*ours)].sum(), b[slice(*theirs)].sum()))
        a, b = voted(self._background)
        a_holes, b_holes = holes(a, *ours, self.a.breaks), holes(b, *theirs, self.b.breaks)
        return replace(p, rare_odds=rare, a_holes=a_holes, b_holes=b_holes)

    def _from_stretches(self, passages: list[WordPassage]) -> list[WordPassage]:
        """Summaries; passages found through the whole source are added to ``passages``."""
        summaries: list[WordPassage] = []
        a, b, plain = self.a, self.b, self._background
        self._watch.check()
        everywhere = np.empty(len(a.words))
        if stretch_bound(a, b, plain, SUMMARY, self._settings, everywhere, self._tally) < STRETCH:
            return summaries
        taken = np.zeros(len(a.words), np.bool_)
        likely = in_runs(everywhere, a.breaks, self._settings.end_price, STRETCH)
        edges = np.flatnonzero(np.diff(likely, prepend=False, append=False)).reshape(-1, 2)
        for first, last in edges.tolist():
            self._voted(a, b, (0, 0, 0, len(b.words)), (first, last), SUMMARY, everywhere, plain)
        for _ in range(int(STRETCHES * self._portions)):
            self._watch.check()
            start, end, odds, cover = self._stretch(everywhere, taken)
            if odds < STRETCH or end - start < 3:
                break
            taken[start:end] = True
            covered = explained(passages, start, end)
            if covered >= SUMMARY_BEATS * odds:
                continue
            other, other_end, other_odds = self._drawn_on(start, end)
            firmly = explained([p for p in passages if p.odds >= FIRM], start, end)
            if firmly < 0.5 * odds and other_end - other >= 3:
                p = self._refined(start, end, other, other_end)
                self._keep(p, passages)
                covered = explained(passages, start, end)
            if min(odds, other_odds) < self._limits.accept or covered >= SUMMARY_BEATS * odds:
                continue
            most = min(SUMMARY_MOST[0] * (end - start), SUMMARY_MOST[1])
            if other_end - other > most:
                other, other_end, other_odds = self._densest(start, end, other, other_end, most)
                odds, cover = self._explained_by(start, end, other, other_end)
            possible = min(odds, other_odds) >= self._limits.accept and cover >= self._limits.cover
            if possible and covered < SUMMARY_BEATS * odds and other_end - other > 2 * (end - start):
                if self._cover_outside_verbatim(passages, start, end, cover) < self._limits.cover:
                    continue  # a copied stretch within the writer's own words
                drawn_on = self._spread(start, end, other, other_end, passages)
                if drawn_on:
                    p = WordPassage(start, end, drawn_on[0][0], drawn_on[-1][1], odds, other_odds, summary=True)
                    p = self._discounted(p, SUMMARY, SUMMED)
                    p = replace(p, b_holes=tuple((low, high) for (_, low), (high, _) in pairwise(drawn_on)))
                    enough = p.odds >= odds_of_summary(p, len(b.words)) and p.rare_odds >= SUMMARY_RARE
                    (summaries if enough else self.refused).append(p)
        else:
            start, end, odds, _ = self._stretch(everywhere, taken)
            self.left_out[MORE_STRETCHES] += odds >= STRETCH and end - start >= 3
        return summaries

    def _cover_outside_verbatim(self, passages: list[WordPassage], start: int, end: int, cover: float) -> float:
        """The share of the suspect's words [start, end), outside verbatim ``passages``, that the source explains.

        ``cover``: the share of all of these words.
        """
        verbatim = np.zeros(end - start, np.bool_)
        for p in passages:
            if p.a_start < end and start < p.a_end and classified(p, self._word_pairs(p)).kind is CopyKind.VERBATIM:
                verbatim[max(0, p.a_start - start) : p.a_end - start] = True
        copied = int(verbatim.sum())
        return (cover * len(verbatim) - copied) / max(1, len(verbatim) - copied)

    def _voted(
        self,
        x: WordPositions,
        y: WordPositions,
        passage: tuple[int, int, int, int],
        words: tuple[int, int],
        mixture: NDArray[np.float64],
        votes: NDArray[np.float64],
        background: Background,
        examined: tuple[int, int] | None = None,
    ) -> NDArray[np.float64]:
        """Votes of some words of ``x`` for a passage (start and end in ``x``, in ``y``), in ``votes``.

        ``examined``: the part of ``y``, otherwise all of it.
        """
        self._tally.shares[:] = 0
        of_y = examined or (0, len(y.words))
        first, last = words
        into = self._settings, votes, self._tally
        for low in range(first, last, _BUDGET):
            self._watch.check()
            some = low, min(last, low + _BUDGET)
            votes_on(x, y, passage, *of_y, *some, *some, _NONE_TAKEN, background, mixture, *into)
        return votes

    def _stretch(self, everywhere: NDArray[np.float64], taken: NDArray[np.bool_]) -> tuple[int, int, float, float]:
        """The stretch of the suspect best explained by the whole source, its log-odds, and the share explained."""
        a, b, s = self.a, self.b, self._settings
        n, cover = len(a.words), 0.0
        odds, start, end = top_run(everywhere, 0, n, a.breaks, s.end_price, s.gap, taken)
        for _ in range(6):
            if end - start < 3:
                break
            self._watch.check()
            self._tally.shares[:] = 0
            passage, into = (start, end, 0, len(b.words)), (SUMMARY, s, self._votes_a, self._tally)
            limits = start, end, 0, n
            low, high = votes_on(a, b, passage, 0, len(b.words), *limits, taken, self._background, *into)
            cover = 1 - self._tally.shares[NEW] / (end - start)
            odds, new_start, new_end = top_run(self._votes_a, low, high, a.breaks, s.end_price, s.gap, taken)
            if (new_start, new_end) == (start, end):
                break
            start, end = new_start, new_end
        return start, end, float(odds), float(cover)

    def _source_votes(self, start: int, end: int, other: int, other_end: int) -> NDArray[np.float64]:
        """Votes of the source's words [other, other_end) for being used by the suspect's words [start, end).

        Only these are examined: the rest of a long text has nearly every phrase of its language.
        """
        passage, ours, theirs = (other, other_end, start, end), (start, end), (other, other_end)
        return self._voted(self.b, self.a, passage, theirs, SUMMED, self._votes_b, self._background, ours)

    def _drawn_on(self, start: int, end: int, low: int = 0, high: int | None = None) -> tuple[int, int, float]:
        """The source passage, within [low, high), used by the suspect's words [start, end), and its log-odds."""
        b, s, n = self.b, self._settings, len(self.b.words)
        theirs = low, min(high or n, n)
        votes, nothing = self._source_votes(start, end, *theirs), np.zeros(n, np.bool_)
        odds, other, other_end = top_run(votes, *theirs, b.breaks, s.end_price, SUMMARY_GAP, nothing)
        return int(other), int(other_end), float(odds)

    def _densest(self, start: int, end: int, other: int, other_end: int, size: int) -> tuple[int, int, float]:
        """The ``size`` words within the source's words [other, other_end) that the suspect's words [start, end) use
        most, and their log-odds.
        """
        votes = self._source_votes(start, end, other, other_end)
        sums = np.concatenate(([0.0], np.cumsum(np.maximum(votes[other:other_end], 0))))
        first = other + int((sums[size:] - sums[:-size]).argmax())
        return first, first + size, float(votes[first : first + size].sum())

    def _explained_by(self, start: int, end: int, other: int, other_end: int) -> tuple[float, float]:
        """Log-odds of the suspect's words [start, end) if only [other, other_end) of the source is examined, and the
        share explained.
        """
        self._tally.shares[:] = 0
        passage, into = (start, end, other, other_end), (SUMMARY, self._settings, self._votes_a, self._tally)
        limits = start, end, start, end
        votes_on(self.a, self.b, passage, other, other_end, *limits, _NONE_TAKEN, self._background, *into)
        return float(self._votes_a[start:end].sum()), 1 - float(self._tally.shares[NEW]) / (end - start)

    def _spread(self, start: int, end: int, other: int, other_end: int, passages: list[WordPassage]) -> Words:
        """The sentences of the source's words [other, other_end) used by the suspect's words [start, end), and not by
        ``passages`` elsewhere in the suspect.

        Empty if they come from one stretch, which is not a summary.
        """
        passage = other, other_end, start, end
        votes = self._voted(self.b, self.a, passage, (other, other_end), SUMMED, self._votes_b, self._background)
        own = votes[other:other_end]
        for p in passages:
            if p.a_end <= start or end <= p.a_start:
                own[max(0, p.b_start - other) : max(0, p.b_end - other)] = 0
        gains, size = np.maximum(own, 0), 2 * (end - start)
        sums = np.concatenate(([0.0], np.cumsum(gains)))
        first = int((sums[size:] - sums[:-size]).argmax())
        within = np.zeros(len(own), np.bool_)
        within[first : first + size] = True
        # A stretch repeated in the source counts as one place.
        links = self.b.links[other : other_end + 1]
        repeated = np.isin(links, links[first + 1 : first + size])
        elsewhere = gains[~(within | repeated[:-1] | repeated[1:])].sum()
        if gains[within].sum() >= SUMMARY_SPREAD * (gains[within].sum() + elsewhere):
            return ()
        inner = other + 1 + np.flatnonzero(self.b.breaks[other + 1 : other_end] > 0)
        bounds = np.concatenate(([other], inner, [other_end]))
        drawn = np.add.reduceat(own, bounds[:-1] - other) >= DRAWN
        edges = bounds[np.flatnonzero(np.diff(np.concatenate(([False], drawn, [False]))))]
        return tuple((int(low), int(high)) for low, high in edges.reshape(-1, 2))

    def _with_kinds(self, whole: WordPassage) -> list[tuple[WordPassage, Classified]]:
        """``whole`` with its source's side narrowed, or split into passages; each with its kind of change."""
        self._watch.check()
        self.left_out[UNPAIRED] += beyond(self.a, self.b, whole.a_start, whole.a_end, whole.b_start, whole.b_end)
        rows = self._word_pairs(whole)
        pieces = self._parted(whole, rows)
        if pieces:
            return [(p, classified(p, self._word_pairs(p))) for p in pieces]
        p, kind = self._narrowed(whole, rows)
        if kind.shared < SHARED:
            self.refused.append(replace(p, shared=kind.shared))
            return []
        return [(p, kind)]

    def _narrowed(self, whole: WordPassage, rows: NDArray[np.int32]) -> tuple[WordPassage, Classified]:
        """``whole`` with both sides narrowed, and its kind of change."""
        own = without_own_fragments(self.a, whole, rows)
        if own != whole:
            rows = self._word_pairs(own)
        p = narrowed(self.b, own, rows)
        if p != own:
            rows = self._word_pairs(p)
        p = with_insertions(self.a, self.b, p, rows, self._background.word)
        return p, classified(p, rows)

    def _corresponding(self, passages: list[WordPassage]) -> list[WordPassage]:
        """``passages`` of which enough words correspond, or the part of one where they do; others are refused before
        they displace any of these.
        """
        corresponding: list[WordPassage] = []
        others: list[tuple[WordPassage, WordPassage]] = []
        for whole in passages:
            self._watch.check()
            rows = self._word_pairs(whole)
            p, kind = self._narrowed(whole, rows)
            # If nearly all words correspond, they may be verbatim passages far apart in the source.
            if kind.shared >= SHARED or classified(whole, rows).shared >= VERBATIM:
                corresponding.append(whole)
                continue
            part = self._part(whole, rows)
            if part is not None and self._narrowed(part, self._word_pairs(part))[1].shared >= SHARED:
                self._keep(part, corresponding)
            else:
                others.append((whole, replace(p, shared=kind.shared)))
        alone: list[WordPassage] = []
        for whole, refused in others:
            if any(whole.a_start < p.a_end and p.a_start < whole.a_end for p in corresponding):
                self.refused.append(refused)
            else:
                alone.append(whole)
        return corresponding + alone

    def _without_others(self, passages: list[WordPassage]) -> list[WordPassage]:
        """``passages``, each without the words at a limit that another one has from elsewhere in the source.

        While it grows, a passage looks at the source beyond its limits, and may have taken them for its own.
        """
        return [part for p in passages for part in self._reduced(p, passages)]

    def _reduced(self, whole: WordPassage, others: list[WordPassage]) -> list[WordPassage]:
        rest = whole
        for p in others:
            size, low, high = p.a_end - p.a_start, max(rest.a_start, p.a_start), min(rest.a_end, p.a_end)
            if 2 * (high - low) <= size or 2 * size > rest.a_end - rest.a_start:
                continue
            beside = p.b_end <= rest.b_start or rest.b_end <= p.b_start
            if not beside or OTHERS * self._shared(rest, (low, high))[0] > self._shared(p, (low, high))[0]:
                continue
            sides = (rest.a_start, low), (high, rest.a_end)
            good = [side for side in sides if self._is_shared(rest, *side)]
            if len(good) == 1:
                rest = rest.cut(*self._corresponding_run(self._word_pairs(rest), *good[0]))
        # What is left must not yield to a part of it.
        if rest is whole or any(rest.overlaps(p) and p.total > rest.total for p in others if p is not whole):
            return [whole]
        kept: list[WordPassage] = []
        self._keep(rest, kept)
        return kept

    def _is_shared(self, p: WordPassage, start: int, end: int) -> bool:
        """Whether enough of the suspect's words [start, end) correspond to words of the source side of ``p``."""
        left_out = sum(max(0, min(high, end) - max(low, start)) for low, high in p.a_holes)
        return bool(self._shared(p, (start, end))[0] >= max(3, SHARED * (end - start - left_out)))

    def _part(self, whole: WordPassage, rows: NDArray[np.int32]) -> WordPassage | None:
        """The words of the suspect in ``whole``, with these ``word_pairs``, of which most correspond."""
        first, last = self._corresponding_run(rows, whole.a_start, whole.a_end)
        return None if last - first < 3 else self._passage(first, last, whole.b_start, whole.b_end, STARTS[0])

    def _corresponding_run(self, rows: NDArray[np.int32], start: int, end: int) -> tuple[int, int]:
        """The run of the suspect's words [start, end) of which, by these ``word_pairs``, most correspond."""
        worth = np.full(len(self.a.words), -SHARED)
        for sort, low, high, _, _ in rows.tolist():
            worth[low:high] = 0.0 if sort == REPLACED else 1 - SHARED
        nothing = np.zeros(len(worth), np.bool_)
        _, first, last = top_run(worth, start, end, self.a.breaks, END, np.inf, nothing)
        return int(first), int(last)

    def _word_pairs(self, p: WordPassage) -> NDArray[np.int32]:
        rows: NDArray[np.int32] = word_pairs(self.a, self.b, p.a_start, p.a_end, p.b_start, p.b_end)
        return rows

    def _parted(self, whole: WordPassage, rows: NDArray[np.int32]) -> list[WordPassage]:
        """The verbatim passages of several sentences of which ``whole`` consists, reordered or far apart, if any.

        They were not altered: each is a separate passage, not a moved piece.
        """
        blocks: list[tuple[int, int, int, int]] = []
        for sort, start, end, other, other_end in rows.tolist():
            if sort != PHRASE or not (self.a.breaks[start + 1 : end] > 0).any():
                continue
            if blocks and 0 <= other - blocks[-1][3] <= MERGE:
                start, _, other, _ = blocks.pop()
            blocks.append((start, end, other, other_end))
        moved = any(after[2] < before[2] for before, after in pairwise(blocks))
        taken = sum(end - start for start, end, _, _ in blocks)
        if not (moved or whole.summary) or taken < VERBATIM * (whole.a_end - whole.a_start):
            return []
        pieces: list[WordPassage] = []
        for block in blocks:
            self._keep(self._passage(*block, STARTS[1]), pieces)
        return pieces if len(pieces) == len(blocks) else []

    def _passage(self, start: int, end: int, other: int, other_end: int, mixture: NDArray[np.float64]) -> WordPassage:
        """The words [start, end) as a copy of the source's words [other, other_end)."""
        a_place, b_place = (start, end), (other, other_end)
        a = self._voted(self.a, self.b, (*a_place, *b_place), a_place, mixture, self._votes_a, self._background)
        b = self._voted(self.b, self.a, (*b_place, *a_place), b_place, mixture, self._votes_b, self._background)
        odds = float(a[start:end].sum()), float(b[other:other_end].sum())
        return self._discounted(WordPassage(*a_place, *b_place, *odds), mixture, mixture)
