"""Plain references of the kernels of ``altered``: slow, by the definition."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from workbench.kernels.altered.pairing import REPEATED, Background, WordPositions, sides
from workbench.kernels.altered.votes import VoteConstants


def numbered(a: Sequence[int], b: Sequence[int]) -> tuple[WordPositions, WordPositions]:
    """Two texts of small numbers as sides without sentence ends."""
    x, y = np.array(a, np.int32), np.array(b, np.int32)
    breaks = np.zeros(len(x) + 1, np.float32), np.zeros(len(y) + 1, np.float32)
    left, right, _ = sides(x, y, *breaks, np.full(100, -1, np.int32))
    return left, right


def flat(a: WordPositions, share: float = 0.01) -> Background:
    """A background in which every word is equally likely and nothing is a formula."""
    words, links = len(a.starts) - 1, len(a.link_starts) - 1
    return Background(np.full(words, share), np.zeros(words), np.zeros(links), np.zeros(links))


def repeated(x: Sequence[int], length: int = REPEATED) -> list[bool]:
    """Which words are within a stretch of ``length`` words that occurs more than once."""
    stretches = [tuple(x[i : i + length]) for i in range(len(x) - length + 1)]
    often = Counter(stretches)
    return [any(often[s] > 1 for s in stretches[max(0, i - length + 1) : i + 1]) for i in range(len(x))]


def own_chance(
    x: list[int], i: int, start: int, end: int, share: float, s: VoteConstants, *, source: bool = False
) -> float:
    """Chance of word i in its own text, outside [start, end)."""
    outside = [k for k in range(len(x)) if not start <= k < end]
    alone = (sum(x[k] == x[i] for k in outside) + s.smooth * share) / (len(outside) + s.smooth)
    alone = max(alone, s.rarest)
    phrase, again = 0.0, repeated(x) if source else [False] * len(x)
    for side in (-1, 1):
        if not 0 <= i + side < len(x):
            continue
        neighbour = x[i + side]
        both = times = 0
        for k, word in enumerate(x):
            if word != neighbour or k == i + side or start <= k - side < end:
                continue
            times += not again[k]
            both += 0 <= k - side < len(x) and x[k - side] == x[i] and not (again[k] and again[k - side])
        if both:
            phrase = max(phrase, both / (times + s.habit))
    return max(alone, 0.5 * alone + 0.5 * phrase)


def vote(
    x: list[int],
    y: list[int],
    i: int,
    start: int,
    end: int,
    other: int,
    other_end: int,
    low: int,
    high: int,
    share: float,
    mixture: Sequence[float],
    s: VoteConstants,
    *,
    source: bool = False,
) -> float:
    """Log-odds of word i, by going over all of ``y``; ``source``: ``x`` is the source."""
    own = own_chance(x, i, start, end, share, s, source=source)
    centre = int(other + (i - start) * ((other_end - other) / max(1, end - start)))

    def window(reach: int) -> float:
        places = range(max(low, centre - reach), min(high, centre + reach + 1))
        return sum(y[p] == x[i] for p in places) / (2 * reach + 1)

    ways = [own, 0.0, window(s.narrow), window(s.wide), 0.0, 0.0]
    ways[4] = sum(y[p] == x[i] for p in range(other, other_end)) / max(1, other_end - other)
    for side in (-1, 1):
        if not 0 <= i + side < len(x):
            continue
        places = [p for p in range(low, high) if low <= p + side < high and y[p + side] == x[i + side]]
        near = [p for p in places if abs(p - centre) <= s.near]
        for way, some in ((1, near), (5, places)):
            if some:
                ways[way] = max(ways[way], sum(y[p] == x[i] for p in some) / len(some))
    here = sum(x[k] == x[i] for k in range(start, end)) + (not start <= i < end)
    there = sum(y[p] == x[i] for p in range(low, high))
    if x[i] in y and here > there:
        ways[4] *= (there / here) ** s.once
        ways[5] *= (there / here) ** s.once
    return max(s.weakest, math.log(sum(m * w for m, w in zip(mixture, ways, strict=True)) / own))


def best_run(
    votes: Sequence[float], breaks: Sequence[float], price: float, start: int, end: int, gap: float
) -> tuple[float, int, int]:
    """The best run that ends behind ``start`` and begins before ``end``, by trying every run; holes do not count."""
    best = (-1e9, start, end)
    for first in range(end):
        for last in range(max(first, start), len(votes)):
            worth = sum(votes[first : last + 1]) - price * (1 - breaks[first]) - price * (1 - breaks[last + 1])
            if worth > best[0]:
                best = (worth, first, last + 1)
    return best


def scores(text: Sequence[int], holders: dict[int, dict[int, float]], miss: float, sources: int) -> list[float]:
    """The best sum over any stretch of ``text`` that begins and ends with a word of the source."""
    best = [0.0] * sources
    for source in range(sources):
        gains = [holders.get(word, {}).get(source, -miss) for word in text]
        for i in range(len(gains)):
            for j in range(i, len(gains)):
                best[source] = max(best[source], sum(gains[i : j + 1]))
    return best


def greedy_pairs(a: Sequence[int], b: Sequence[int]) -> Counter[int]:
    """Lengths of the phrases chosen when always the longest common one of words still free is taken."""
    a_free, b_free = [True] * len(a), [True] * len(b)
    lengths: Counter[int] = Counter()
    while True:
        best = (0, 0, 0)
        for i in range(len(a)):
            for j in range(len(b)):
                k = 0
                while i + k < len(a) and j + k < len(b) and a[i + k] == b[j + k] and a_free[i + k] and b_free[j + k]:
                    k += 1
                best = max(best, (k, -i, -j))
        length, i, j = best[0], -best[1], -best[2]
        if not length:
            return lengths
        lengths[length] += 1
        for k in range(length):
            a_free[i + k] = b_free[j + k] = False
