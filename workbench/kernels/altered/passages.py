"""From an initial estimate to a passage: votes on both sides in turn, and the best run of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.kernels.altered.votes import ANYWHERE, NEW, PHRASE, learn, votes_on
from workbench.kernels.compiled import helper, kernel

A_START, A_END, B_START, B_END, ROUND, DONE, HALF, NEXT_START, NEXT_END = range(9)
"""Indexes in the state of :func:`refine`: int64 [9]."""

_NEVER = -1e9


@kernel
def best_run(votes: Any, low: Any, high: Any, breaks: Any, price: Any, start: Any, end: Any, gap: Any) -> Any:
    """The best run of ``votes`` within [low, high) that ends after ``start`` and begins before ``end``.

    Returns its sum, minus ``price`` for each end that is not a sentence end (half of it at lesser divisions), and its
    ends. A run restarts where a fresh start has a higher sum, or where it has lost ``gap`` since its best.
    """
    best, run_start, run_end = _NEVER, start, end
    current, began, peak = _NEVER, low, _NEVER
    for i in range(low, high):
        fresh = -price * (1 - breaks[i])
        if i < end and (current < fresh or current < peak - gap):
            current, began, peak = fresh, i, fresh
        elif i >= end and current < peak - gap:
            break
        current += votes[i]
        peak = max(peak, current)
        if i >= start:
            worth = current - price * (1 - breaks[i + 1])
            if worth > best:
                best, run_start, run_end = worth, began, i + 1
    return best, run_start, run_end


@kernel
def top_run(votes: Any, low: Any, high: Any, breaks: Any, price: Any, gap: Any, taken: Any) -> Any:
    """The best run of ``votes`` within [low, high) without a word that is ``taken``; otherwise as :func:`best_run`."""
    best, run_start, run_end = _NEVER, low, low
    current, began, peak = _NEVER, low, _NEVER
    for i in range(low, high):
        if taken[i]:
            current, peak = _NEVER, _NEVER
            continue
        fresh = -price * (1 - breaks[i])
        if current < fresh or current < peak - gap:
            current, began, peak = fresh, i, fresh
        current += votes[i]
        peak = max(peak, current)
        worth = current - price * (1 - breaks[i + 1])
        if worth > best:
            best, run_start, run_end = worth, began, i + 1
    return best, run_start, run_end


@helper
def _side(
    x: Any,
    y: Any,
    start: Any,
    end: Any,
    other: Any,
    other_end: Any,
    background: Any,
    prior: Any,
    mixture: Any,
    settings: Any,
    votes: Any,
    tally: Any,
) -> Any:
    """The best passage of ``x`` for the passage [other, other_end) of ``y``: its log-odds and ends, and words examined.

    Words beyond the passage are examined as far as a run could continue. ``mixture`` is learned from the words inside.
    """
    longest = max(end - start, other_end - other)
    first, last = max(0, start - 2 * longest - 40), min(len(x.words), end + 2 * longest + 40)
    pad = int(settings.pad * longest) + 5
    low, high = max(0, other - pad), min(len(y.words), other_end + pad)
    tally.shares[:] = 0
    left, right = votes_on(
        x, y, (start, end, other, other_end), low, high, start, end, first, last, np.empty(0, np.bool_), background,
        mixture, settings, votes, tally,
    )  # fmt: skip
    learn(mixture, tally.shares, prior, settings)
    worth, run_start, run_end = best_run(votes, left, right, x.breaks, settings.end_price, start, end, settings.gap)
    return worth, run_start, run_end, right - left


def first_state(start: int, end: int, other: int, other_end: int) -> Any:
    """The state of :func:`refine` at the start, with these words of both texts."""
    state = np.zeros(NEXT_END + 1, np.int64)
    state[: B_END + 1] = start, end, other, other_end
    return state


@kernel
def refine(
    a: Any,
    b: Any,
    background: Any,
    settings: Any,
    prior: Any,
    mixture_a: Any,
    mixture_b: Any,
    state: Any,
    worth: Any,
    votes_a: Any,
    votes_b: Any,
    tally: Any,
    budget: Any,
) -> None:
    """Move the passage in ``state`` until neither side moves, or until ``budget`` words have been examined.

    ``worth`` float64 [2]: log-odds of both sides. ``votes_a``, ``votes_b``: room for the votes of both texts. Call
    again while ``state[DONE]`` is 0.
    """
    while not state[DONE] and budget > 0:
        start, end, other, other_end = state[A_START], state[A_END], state[B_START], state[B_END]
        growing = state[ROUND] < settings.grow
        if not state[HALF]:
            worth[0], first, last, looked = _side(
                a, b, start, end, other, other_end, background, prior, mixture_a, settings, votes_a, tally
            )
            if growing:
                first, last = min(start, first), max(end, last)
            state[HALF], state[NEXT_START], state[NEXT_END] = 1, first, last
            budget -= looked
            continue
        new_start, new_end = state[NEXT_START], state[NEXT_END]
        worth[1], first, last, looked = _side(
            b, a, other, other_end, new_start, new_end, background, prior, mixture_b, settings, votes_b, tally
        )
        if growing:
            first, last = min(other, first), max(other_end, last)
        budget -= looked
        same = start == new_start and end == new_end and other == first and other_end == last
        state[A_START], state[A_END], state[B_START], state[B_END] = new_start, new_end, first, last
        state[HALF] = 0
        state[ROUND] += 1
        lost = worth[0] <= 0 or worth[1] <= 0
        if state[ROUND] >= settings.rounds or (not growing and (same or lost)):
            state[DONE] = 1


@kernel
def stretch_bound(x: Any, y: Any, background: Any, mixture: Any, settings: Any, bounds: Any, tally: Any) -> Any:
    """Upper bound on the log-odds of a stretch of ``x`` by the votes for no words of ``x`` and all of ``y``.

    ``bounds``: the upper bound of each vote. The writer's own habits, which only lower a vote, are ignored: less than
    half the work of the votes.
    """
    zero, n = np.int64(0), len(y.words)
    words, links, starts, breaks = x.words, x.links, x.starts, x.breaks
    others, other_starts, link_starts = y.words, y.starts, y.link_starts
    alone = np.empty(len(background.word))
    without = np.full(len(alone), max(settings.weakest, math.log(mixture[NEW])))
    for word in range(len(alone)):
        here, there = starts[word + 1] - starts[word], other_starts[word + 1] - other_starts[word]
        if here and there:
            usual = (here + settings.smooth * background.word[word]) / (len(words) + settings.smooth)
            usual = max(settings.rarest, usual)
            alone[word] = max(usual, 0.5 * usual + 0.5 * background.pair[word])
            without[word] = math.log(mixture[NEW] + mixture[ANYWHERE] * there / n / alone[word])
    best, current = _NEVER, _NEVER
    for i in range(len(words)):
        word = words[i]
        worth = without[word]
        there = other_starts[word + 1] - other_starts[word]
        if there and (i < 2 or n <= settings.wide):
            # Only these words have an expected position.
            votes_on(
                x, y, (zero, zero, zero, n), zero, n, i, i + 1, i, i + 1, np.empty(0, np.bool_), background,
                mixture, settings, bounds, tally,
            )  # fmt: skip
            worth = bounds[i]
        elif there:
            phrase = 0.0
            for step in range(2):
                link = links[i + step]
                if link < 0:
                    continue
                together = link_starts[link + 1] - link_starts[link]
                if together:
                    neighbour = words[i - 1 + 2 * step]
                    times = other_starts[neighbour + 1] - other_starts[neighbour]
                    times -= others[0 if step else n - 1] == neighbour
                    phrase = max(phrase, together / times)
            if phrase:
                copied = mixture[ANYWHERE] * there / n + mixture[PHRASE] * phrase
                worth = math.log(mixture[NEW] + copied / alone[word])
        bounds[i] = worth
        current = max(current, -settings.end_price * (1 - breaks[i])) + worth
        best = max(best, current - settings.end_price * (1 - breaks[i + 1]))
    return best


@kernel
def in_runs(votes: Any, breaks: Any, price: Any, least: Any) -> Any:
    """Which words are in a run of ``votes`` with a sum of at least ``least``, with prices as in :func:`best_run`: bool
    [n].
    """
    n = len(votes)
    behind = np.empty(n)
    current = _NEVER
    for i in range(n - 1, -1, -1):
        current = votes[i] + max(current, -price * (1 - breaks[i + 1]))
        behind[i] = current
    within = np.zeros(n, np.bool_)
    current = _NEVER
    for i in range(n):
        current = max(current, -price * (1 - breaks[i]))
        within[i] = current + behind[i] >= least
        current += votes[i]
    return within
