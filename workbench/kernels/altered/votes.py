"""The vote of a word: how much likelier it is as part of a copy of a passage than as its writer's own text.

A copied word comes about in one of six ways: it is NEW (added, or put in place of another), it continues a phrase IN
PLACE, it stands NEAR the place where it is expected or within a WIDE window, it comes from ANYWHERE in the passage, or
it continues a PHRASE from anywhere. ``mixture`` (float64 [6], sum 1) says how often each way is taken. The vote is
log(sum of mixture[k] * chance of the word under k / chance of the word in the writer's own text).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from workbench.kernels.compiled import helper, kernel

NEW, IN_PLACE, NEAR, WIDE, ANYWHERE, PHRASE = range(6)
WAYS = 6


class VoteConstants(NamedTuple):
    """Constants of votes and passages. Lengths are in words, evidence in natural logarithms of odds."""

    near: int = 8
    """Largest distance from its expected place at which a phrase continues "in place"."""
    narrow: int = 2
    """Half the window of the way NEAR."""
    wide: int = 10
    """Half the window of the way WIDE."""
    pad: float = 0.5
    """Share of the longer side's length that is examined beyond the ends of the other passage."""
    smooth: float = 300.0
    """Words of collection frequency that are mixed into a text's own frequencies."""
    habit: float = 1.0
    """Discount, in occurrences, on a text's own phrases."""
    rarest: float = 0.0005
    """No word counts as rarer in a text than this."""
    weakest: float = -3.0
    """The strongest vote of a single word against a passage."""
    end_price: float = 6.0
    """Cost of an end of a passage that is not a sentence end."""
    gap: float = 30.0
    """Evidence lost in a hole at which a passage is cut."""
    prior: float = 50.0
    """Prior weight, in words, of the initial mixture."""
    most_new: float = 0.45
    """Largest assumed share of new words in a passage."""
    rounds: int = 10
    """Most rounds of refinement."""
    grow: int = 2
    """In the first rounds a passage may only grow."""
    once: float = 0.5
    """A repeated word counts (copies there / copies here) ** once."""


@kernel
def count_within(places: Any, low: Any, high: Any, start: Any, end: Any) -> Any:
    """How many of the ascending ``places[low:high]`` lie in [start, end)."""
    if end <= start or high <= low:
        return 0
    if places[low] >= start and places[high - 1] < end:
        return high - low
    first = _before(places, np.int64(low), high, start) if high - low > 12 else low
    count = 0
    for k in range(first, high):
        if places[k] >= end:
            break
        if k - first == 24:
            return count + _before(places, k, high, end) - k
        if places[k] >= start:
            count += 1
    return count


@helper
def _before(places: Any, low: Any, high: Any, limit: Any) -> Any:
    """First k in [low, high) with places[k] >= limit, or high."""
    while low < high:
        middle = (low + high) >> 1
        if places[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, inline="always")
def _own_chance(x: Any, i: Any, start: Any, end: Any, background: Any, settings: Any) -> Any:
    """Chance of word i of ``x`` without copying: by the rest of its text, its phrases, and the collection."""
    n, word = len(x.words), x.words[i]
    here = x.starts[word + 1] - x.starts[word]
    rest = here - count_within(x.places, x.starts[word], x.starts[word + 1], start, end)
    alone = (rest + settings.smooth * background.word[word]) / (n - (end - start) + settings.smooth)
    alone = max(alone, settings.rarest)
    phrase = background.pair[word]
    inside = 1 if start <= i < end else 0
    for step in range(2):
        # step 0: after the word before; step 1: before the word behind. Links are placed at their second word.
        link = x.links[i + step]
        if link < 0:
            continue
        phrase = max(phrase, background.after[link] if step == 0 else background.before[link])
        habits, side = x.habits, i - 1 + 2 * step
        low, high = habits.link_starts[link], habits.link_starts[link + 1]
        if high == low:
            continue
        again = habits.repeated[side]
        # The pair itself counts neither inside the passage nor outside of it.
        itself = 0 if inside or (again and habits.repeated[i]) else 1
        both = high - low - itself - count_within(habits.link_places, low, high, start + step, end + step)
        if both <= 0:
            continue
        neighbour = x.words[side]
        low, high = habits.starts[neighbour], habits.starts[neighbour + 1]
        shift = 2 * step - 1
        itself = 0 if inside or again else 1
        times = high - low - itself - count_within(habits.places, low, high, start + shift, end + shift)
        phrase = max(phrase, both / (times + settings.habit))
    return max(alone, 0.5 * alone + 0.5 * phrase)


@njit(cache=True, nogil=True, inline="always")
def _continued(x: Any, y: Any, i: Any, step: Any, low: Any, high: Any) -> Any:
    """How often a neighbour of word i continues in ``y`` as it does here, for words of ``y`` in [low, high).

    ``step`` 0: the neighbour before, 1: the one behind. ``low``, ``high`` bound both words.
    """
    link, neighbour = x.links[i + step], x.words[i - 1 + 2 * step]
    together = count_within(y.link_places, y.link_starts[link], y.link_starts[link + 1], low + 1, high)
    if together == 0:
        return 0.0
    first, last = y.starts[neighbour], y.starts[neighbour + 1]
    return together / count_within(y.places, first, last, low + step, high - 1 + step)


@njit(cache=True, nogil=True, inline="always")
def vote(
    x: Any,
    y: Any,
    i: Any,
    start: Any,
    end: Any,
    other: Any,
    other_end: Any,
    low: Any,
    high: Any,
    background: Any,
    mixture: Any,
    settings: Any,
    shares: Any,
) -> Any:
    """Log-odds that word i of ``x`` belongs to a passage copied between ``x[start:end)`` and ``y[other:other_end)``.

    [low, high): the examined part of ``y``. If i is inside its passage, ``shares`` (float64 [6]) grows by how much of
    the word came about in each way.
    """
    word = x.words[i]
    inside = start <= i < end
    first, last = y.starts[word], y.starts[word + 1]
    in_place, near, wide, anywhere, phrase = 0.0, 0.0, 0.0, 0.0, 0.0
    if last > first:
        centre = int(other + (i - start) * ((other_end - other) / max(1, end - start)))
        reach = settings.wide
        around = count_within(y.places, first, last, max(low, centre - reach), min(high, centre + reach + 1))
        wide = around / (2 * reach + 1.0)
        if around:
            reach = settings.narrow
            around = count_within(y.places, first, last, max(low, centre - reach), min(high, centre + reach + 1))
            near = around / (2 * reach + 1.0)
        anywhere = count_within(y.places, first, last, other, other_end) / max(1.0, other_end - other)
        for step in range(2):
            link = x.links[i + step]
            if link < 0 or y.link_starts[link + 1] == y.link_starts[link]:
                continue
            continued = _continued(x, y, i, step, low, high)
            if continued == 0:
                continue
            phrase = max(phrase, continued)
            # The neighbour stands one before (step 0) or one behind (step 1) the word.
            nearest, farthest = centre - settings.near - 1 + step, centre + settings.near + 1 + step
            in_place = max(in_place, _continued(x, y, i, step, max(low, nearest), min(high, farthest)))
        here = count_within(x.places, x.starts[word], x.starts[word + 1], start, end)
        if not inside:
            here += 1
        there = count_within(y.places, first, last, low, high)
        if here > there:
            # A word of one text explains one word of the other, not every repetition.
            share = (there / here) ** settings.once
            anywhere *= share
            phrase *= share
    copied = (
        mixture[IN_PLACE] * in_place
        + mixture[NEAR] * near
        + mixture[WIDE] * wide
        + mixture[ANYWHERE] * anywhere
        + mixture[PHRASE] * phrase
    )
    if copied == 0:
        # The word can only be new, however likely that is.
        shares[NEW] += inside
        return max(settings.weakest, math.log(mixture[NEW]))
    own = _own_chance(x, i, start, end, background, settings)
    total = mixture[NEW] * own + copied
    if inside:
        shares[NEW] += mixture[NEW] * own / total
        shares[IN_PLACE] += mixture[IN_PLACE] * in_place / total
        shares[NEAR] += mixture[NEAR] * near / total
        shares[WIDE] += mixture[WIDE] * wide / total
        shares[ANYWHERE] += mixture[ANYWHERE] * anywhere / total
        shares[PHRASE] += mixture[PHRASE] * phrase / total
    return max(settings.weakest, math.log(total / own))


@kernel
def learn(mixture: Any, shares: Any, prior: Any, settings: Any) -> None:
    """The updated ``mixture``, from the origins of a passage's words and the prior."""
    total = 0.0
    for k in range(WAYS):
        mixture[k] = shares[k] + settings.prior * prior[k]
        total += mixture[k]
    for k in range(WAYS):
        mixture[k] /= total
    if mixture[NEW] > settings.most_new:
        factor = (1 - settings.most_new) / (1 - mixture[NEW])
        for k in range(1, WAYS):
            mixture[k] *= factor
        mixture[NEW] = settings.most_new
