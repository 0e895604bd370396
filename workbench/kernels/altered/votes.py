"""The vote of a word: how much more likely it is in a copy of a passage than in its writer's own text.

A word in a copy has one of six origins: it is NEW (added, or replacing another), it continues a phrase IN PLACE, it is
NEAR its expected position or within a WIDE window, it comes from ANYWHERE in the passage, or it continues a PHRASE from
anywhere. ``mixture`` (float64 [6], sum 1) contains the probability of each origin. The vote is log(sum of mixture[k] *
probability of the word under k / probability of the word in the writer's own text).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.altered.pairing import WordPositions
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import first_from

NEW, IN_PLACE, NEAR, WIDE, ANYWHERE, PHRASE = range(6)
WAYS = 6


class VoteConstants(NamedTuple):
    """Constants of votes and passages. Lengths are in words, evidence in natural log-odds."""

    near: int = 8
    """Maximum distance from its expected position at which a phrase continues "in place"."""
    narrow: int = 2
    """Half the window of the origin NEAR."""
    wide: int = 10
    """Half the window of the origin WIDE."""
    pad: float = 0.5
    """Share of the longer side's length that is examined beyond the ends of the other passage."""
    smooth: float = 300.0
    """Weight, in words, of the collection's frequencies when mixed into a text's own."""
    habit: float = 1.0
    """Discount, in occurrences, on a text's own phrases."""
    rarest: float = 0.0005
    """Minimum frequency in a text: rarer words count as this frequent."""
    weakest: float = -3.0
    """The strongest vote of a single word against a passage."""
    end_price: float = 6.0
    """Cost of an end of a passage that is not at a sentence end."""
    gap: float = 30.0
    """Loss of evidence in a hole at which a passage is cut."""
    prior: float = 50.0
    """Prior weight, in words, of the initial mixture."""
    most_new: float = 0.45
    """Maximum assumed share of new words in a passage."""
    rounds: int = 10
    """Maximum number of rounds of refinement."""
    grow: int = 2
    """Number of initial rounds in which a passage may only grow."""
    once: float = 0.5
    """Exponent: a repeated word counts (copies there / copies here) ** once."""


@kernel
def count_within(places: Any, low: Any, high: Any, start: Any, end: Any) -> Any:
    """Number of the ascending ``places[low:high]`` in [start, end)."""
    if end <= start or high <= low:
        return 0
    if places[low] >= start and places[high - 1] < end:
        return high - low
    first = first_from(places, np.int64(low), high, start) if high - low > 12 else low
    count = 0
    for k in range(first, high):
        if places[k] >= end:
            break
        if k - first == 24:
            return count + first_from(places, k, high, end) - k
        if places[k] >= start:
            count += 1
    return count


HABIT, AROUND, HERE, THERE = range(4)


class Tally(NamedTuple):
    """Counts common to all votes on a passage, computed before them.

    ``shares`` float64 [6]: number of the passage's words of each origin. ``words`` int32 [words, 4] and
    ``links`` int32 [pairs of neighbours, 2]: occurrences of each in the passage of ``x`` outside repeated text
    (HABIT), in the examined part of ``y`` (AROUND), in all of the passage of ``x`` (HERE), in that of ``y`` (THERE); 0
    everywhere between passages.
    """

    shares: NDArray[np.float64]
    words: NDArray[np.int32]
    links: NDArray[np.int32]


def tally_for(x: WordPositions) -> Tally:
    """An empty tally for votes on ``x`` and the other text."""
    counts = (np.zeros((len(starts) - 1, n), np.int32) for starts, n in ((x.starts, THERE + 1), (x.link_starts, HERE)))
    return Tally(np.zeros(WAYS), *counts)


@helper
def _add(x: Any, y: Any, passages: Any, low: Any, high: Any, tally: Any, step: Any) -> None:
    """Add ``step`` to the counts of ``tally``; parts that are all of ``y`` are not counted."""
    start, end, other, other_end = passages
    words, links, again, others, other_links = x.words, x.links, x.habits.repeated, y.words, y.links
    of_words, of_links, n = tally.words, tally.links, len(y.words)
    for i in range(start, end):
        of_words[words[i], HERE] += step
        if not again[i]:
            of_words[words[i], HABIT] += step
        if i > 0 and not (again[i - 1] and again[i]):
            of_links[links[i], HABIT] += step
    if other > 0 or other_end < n:
        for i in range(other, other_end):
            of_words[others[i], THERE] += step
    if low > 0 or high < n:
        for i in range(low, high):
            of_words[others[i], AROUND] += step
            if i > low:
                of_links[other_links[i], AROUND] += step


@helper
def _within(numbers: Any, number: Any, start: Any, end: Any) -> Any:
    """Number of elements of ``numbers[start:end]`` equal to ``number``."""
    count = 0
    for i in range(start, end):
        count += numbers[i] == number
    return count


@kernel
def votes_on(
    x: Any,
    y: Any,
    passages: Any,
    low: Any,
    high: Any,
    inner: Any,
    inner_end: Any,
    first: Any,
    last: Any,
    taken: Any,
    background: Any,
    mixture: Any,
    settings: Any,
    votes: Any,
    tally: Any,
) -> Any:
    """Votes of the words [inner, inner_end) of ``x``, and of words around them as far as a run could continue.

    A vote is the log-odds that the word belongs to a passage copied between ``x[start:end)`` and
    ``y[other:other_end)``, the ``passages``; [low, high) is the part of ``y`` that is examined. Nothing before
    ``first``, after ``last`` or beyond a word that is ``taken`` (bool [n], or [0] for none). The words inside the
    passage are added to the shares in ``tally``. Returns the first and last word examined.

    This is one function, since numba counts references to each array that is passed on, which takes longer than a
    vote.
    """
    _add(x, y, passages, low, high, tally, 1)
    start, end, other, other_end = passages
    words, links, all_here, again = x.words, x.links, x.starts, x.habits.repeated
    habits, habit_links = x.habits.starts, x.habits.link_starts
    others, starts, other_links, link_starts = y.words, y.starts, y.links, y.link_starts
    shares, of_words, of_links = tally.shares, tally.words, tally.links
    often, after_first, after, before = background.word, background.pair, background.after, background.before
    n, m = len(words), len(others)
    all_examined, all_there = low == 0 and high == m, other == 0 and other_end == m
    slope, size = (other_end - other) / max(1, end - start), max(1.0, other_end - other)
    i, left, right = inner, inner, inner_end
    lost, current, peak = 0.0, 0.0, 0.0
    part = 0
    while True:
        if part == 0 and i >= inner_end:
            part = 1
        if part == 1:
            if left <= first or lost < -settings.gap or (len(taken) and taken[left - 1]):
                part = 2
            else:
                left -= 1
                i = left
        if part == 2:
            if right >= last or current < peak - settings.gap or (len(taken) and taken[right]):
                break
            i = right
            right += 1
        word = words[i]
        inside = start <= i < end
        there = starts[word + 1] - starts[word] if all_examined else of_words[word, AROUND]
        copied = 0.0
        in_place, near, wide, anywhere, phrase = 0.0, 0.0, 0.0, 0.0, 0.0
        if there:
            centre = int(other + (i - start) * slope)
            reach = settings.wide
            around = _within(others, word, max(low, centre - reach), min(high, centre + reach + 1))
            wide = around / (2 * reach + 1.0)
            if around:
                reach = settings.narrow
                around = _within(others, word, max(low, centre - reach), min(high, centre + reach + 1))
                near = around / (2 * reach + 1.0)
            anywhere = (starts[word + 1] - starts[word] if all_there else of_words[word, THERE]) / size
            for step in range(2):
                # step 0: after the preceding word; step 1: before the following word. Links are placed at their second
                # word.
                link = links[i + step]
                if link < 0:
                    continue
                together = link_starts[link + 1] - link_starts[link] if all_examined else of_links[link, AROUND]
                if together == 0:
                    continue
                neighbour = words[i - 1 + 2 * step]
                times = starts[neighbour + 1] - starts[neighbour] if all_examined else of_words[neighbour, AROUND]
                # The neighbour of an examined word is one before or after it.
                times -= others[low if step else high - 1] == neighbour
                phrase = max(phrase, together / times)
                nearest = max(low, centre - settings.near - 1 + step)
                farthest = min(high, centre + settings.near + 1 + step)
                together = _within(other_links, link, nearest + 1, farthest)
                if together:
                    times = _within(others, neighbour, nearest + step, farthest - 1 + step)
                    in_place = max(in_place, together / times)
            here = of_words[word, HERE]
            if not inside:
                here += 1
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
            # The word can only be new, whatever the probability.
            shares[NEW] += inside
            worth = max(settings.weakest, math.log(mixture[NEW]))
        else:
            # The probability without copying: from the rest of its text, its phrases, and the collection.
            rest = all_here[word + 1] - all_here[word] - of_words[word, HERE]
            alone = (rest + settings.smooth * often[word]) / (n - (end - start) + settings.smooth)
            alone = max(alone, settings.rarest)
            habit = after_first[word]
            for step in range(2):
                link = links[i + step]
                if link < 0:
                    continue
                habit = max(habit, after[link] if step == 0 else before[link])
                both = habit_links[link + 1] - habit_links[link]
                if both == 0:
                    continue
                side = i - 1 + 2 * step
                # The pair itself is counted neither inside the passage nor outside it.
                both -= of_links[link, HABIT] + (0 if inside or (again[side] and again[i]) else 1)
                if step:
                    # Pairs of the passage's words and the words after them.
                    both += links[start] == link and not (again[start - 1] and again[start])
                    both -= links[end] == link and not (again[end - 1] and again[end])
                if both <= 0:
                    continue
                neighbour = words[side]
                times = habits[neighbour + 1] - habits[neighbour] - of_words[neighbour, HABIT]
                times -= 0 if inside or again[side] else 1
                if step:
                    times += start < n and words[start] == neighbour and not again[start]
                    times -= end < n and words[end] == neighbour and not again[end]
                else:
                    times -= start > 0 and words[start - 1] == neighbour and not again[start - 1]
                    times += end > 0 and words[end - 1] == neighbour and not again[end - 1]
                habit = max(habit, both / (times + settings.habit))
            own = max(alone, 0.5 * alone + 0.5 * habit)
            total = mixture[NEW] * own + copied
            if inside:
                shares[NEW] += mixture[NEW] * own / total
                shares[IN_PLACE] += mixture[IN_PLACE] * in_place / total
                shares[NEAR] += mixture[NEAR] * near / total
                shares[WIDE] += mixture[WIDE] * wide / total
                shares[ANYWHERE] += mixture[ANYWHERE] * anywhere / total
                shares[PHRASE] += mixture[PHRASE] * phrase / total
            worth = max(settings.weakest, math.log(total / own))
        votes[i] = worth
        if part == 0:
            i += 1
        elif part == 1:
            lost = min(0.0, lost) + worth
        else:
            current += worth
            peak = max(peak, current)
    _add(x, y, passages, low, high, tally, -1)
    return left, right


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
