"""The default rule for content blocks: a scorecard of named yes/no features, each with points, in two rounds.

In the first round a block gets the points of its own features (:mod:`.features`); in the second, points for how it and
the blocks around it fared in the first (:mod:`.surroundings`). If these are not decisive enough, another extraction
library is asked, and the second round is repeated with points for what that library keeps. A block is content if its
points reach the bar of its page. Points are log odds, rounded to tenths; they and the procedure that fitted them are in
``resources/blocks/scorecard.json``.

The bar follows Lipton, Elkan and Naryanaswamy 2014, "Optimal thresholding of classifiers to maximize F1 measure"
(theorem 1): the best bar is half of the best achievable F1. The F1 the points predict for a page enters squared, since
they are overconfident on ambiguous pages. A page whose blocks are clear has a bar near even odds; more of an ambiguous
page is kept, unless it declares itself an article: that is a single text, and its bar is at least even odds.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.base.messages import Message
from workbench.base.resources import resource
from workbench.base.types import Verdict
from workbench.text.blocks import features, surroundings
from workbench.text.blocks.page import Judgement, Page
from workbench.text.blocks.reasons import reason

_CHUNK = 16
_REMEMBERED = 1 << 14
"""Size of the cache of points by feature set; many blocks of a page, and of a site, share the same set."""

SURE = 0.9
"""No second opinion is sought for a page whose points predict at least this F1."""

CLEAR = Message("clear without a second opinion")
"""Appended to the reasons on a page for which a second opinion is available but not needed."""

_CAUSE = 0.25
"""A feature with at least this many points is named as a cause."""


Ask = Callable[[], Sequence[bool] | None]


class _Part(NamedTuple):
    """The sum of some features' points, in tenths, and the features that add and subtract most."""

    tenths: int
    best: tuple[float, str]
    worst: tuple[float, str]


class Table:
    """Points of the features of one round. ``points`` are by name, to a tenth; a feature without an entry counts zero.

    They are added as integer tenths: many blocks are right at the bar, and rounding must not decide which side they
    fall on.
    """

    def __init__(self, names: Sequence[str], points: Mapping[str, float], start: float) -> None:
        self._names = names
        self._points = [points.get(name, 0.0) for name in names]
        self._start = _tenths(start)
        self._looked: dict[int, tuple[float, list[_Part]]] = {}
        self._parts: list[dict[int, _Part]] = [{} for _ in range(0, len(names), _CHUNK)]
        self._chunks = struct.Struct(f"<{len(self._parts)}H")

    def look(self, bits: int) -> tuple[float, list[_Part]]:
        """The points of a block with the features ``bits``, and where they come from."""
        known = self._looked.get(bits)
        if known is None:
            if len(self._looked) >= _REMEMBERED:
                self._looked.clear()
            known = self._looked[bits] = self._look(bits)
        return known

    def _look(self, bits: int) -> tuple[float, list[_Part]]:
        tenths, parts = self._start, []
        for at, chunk in enumerate(self._chunks.unpack(bits.to_bytes(self._chunks.size, "little"))):
            if chunk:
                known = self._parts[at]
                part = known.get(chunk) or known.setdefault(chunk, self._part(at * _CHUNK, chunk))
                tenths += part.tenths
                parts.append(part)
        return tenths / 10, parts

    def _part(self, first: int, chunk: int) -> _Part:
        on = [first + i for i in range(_CHUNK) if chunk >> i & 1]
        each = [(self._points[i], self._names[i]) for i in on]
        return _Part(sum(_tenths(p) for p, _ in each), max(each), min(each))


def _tenths(points: float) -> int:
    return round(10 * points)


class Scorecard(NamedTuple):
    """The tables of the two rounds; the second round has one for pages with a second opinion and one for others."""

    own: Table
    around: Table
    opinion: Table
    generosity: float


def scorecard(points: Mapping[str, Mapping[str, float]]) -> Scorecard:
    """A scorecard from points by round and name; ``start`` is what every block starts with."""
    return Scorecard(
        Table(features.NAMES, points["own"], points["own"]["start"]),
        Table(surroundings.NAMES, points["around"], points["around"]["start"]),
        Table(surroundings.NAMES, points["opinion"], points["opinion"]["start"]),
        points["bar"]["share"],
    )


@lru_cache(maxsize=3)
def fitted(on: str = "all") -> Scorecard:
    """The program's scorecard, or ``half`` and ``other``, each fitted on one half of the hosts, so that each can be
    evaluated fairly on the pages of the other half.
    """
    return scorecard(json.loads(resource("blocks", "scorecard.json").read_text(encoding="utf-8"))[on])


def judge(page: Page, ask: Ask | None = None, card: Scorecard | None = None) -> Sequence[Judgement]:
    """A judgement for every leaf of ``page``, in order.

    ``ask`` returns which leaves another extractor keeps, or None if it cannot say; it is called only if the points
    alone predict less than :data:`SURE`.
    """
    card = card or fitted()
    length = features.lengths(page)
    own = features.features(page, length)
    first = [card.own.look(bits) for bits in own]
    own_points = [points for points, _ in first]
    around, round_two = surroundings.surroundings(page, own_points, length), card.around
    second = [round_two.look(bits) for bits in around]
    best = promised([points for points, _ in second], length)
    clear = False
    if ask is not None:
        if best >= SURE:
            clear = True
        elif (keeps := ask()) is not None:
            around, round_two = surroundings.surroundings(page, own_points, length, keeps), card.opinion
            second = [round_two.look(bits) for bits in around]
            best = promised([points for points, _ in second], length)
    bar = page_bar([points for points, _ in second], best, card.generosity)
    if page.kind == "article":
        bar = max(bar, min(0.0, max((points for points, _ in second), default=0.0)))
    judgements = []
    for leaf, own_bits, bits, (points, _) in zip(page.leaves, own, around, second, strict=True):
        is_content = points >= bar
        why = reason(page, leaf, _causes(card.own, round_two, own_bits, bits, is_content), points, bar)
        verdict = Verdict.CONTENT if is_content else Verdict.NON_CONTENT
        judgements.append(Judgement(verdict, Message.joined("; ", (why, CLEAR)) if clear else why))
    return judgements


@lru_cache(maxsize=_REMEMBERED)
def _causes(own: Table, around: Table, own_bits: int, bits: int, is_content: bool) -> tuple[str, ...]:
    """Names of the features that decide most for, or against, a block with these features, the first one most."""
    parts = own.look(own_bits)[1] + around.look(bits)[1]
    if is_content:
        return tuple([name for _, name in sorted([p.best for p in parts if p.best[0] > _CAUSE], reverse=True)])
    return tuple([name for _, name in sorted([p.worst for p in parts if p.worst[0] < -_CAUSE])])


def promised(points: Sequence[float], length: Sequence[float]) -> float:
    """The best expected F1 of any bar on a page, taking its blocks' odds to be what their points say.

    ``length`` holds the blocks' weights. 1 for a page without blocks.
    """
    chances = [1 / (1 + math.exp(-max(-30.0, min(30.0, p)))) for p in points]
    expected = sum(p * n for p, n in zip(chances, length, strict=True))
    best = right = taken = 0.0
    for chance, size in sorted(zip(chances, length, strict=True), reverse=True):
        right += chance * size
        taken += size
        best = max(best, 2 * right / ((taken + expected) or 1))
    return best if points else 1.0


def page_bar(points: Sequence[float], best: float, share: float) -> float:
    """The points that a block of a page needs: the odds of ``share`` / 2, where ``share`` is the predicted F1 ``best``
    squared.

    Never above the points of the best block, so that some of the page is kept.
    """
    bar = min(max(best * best * share / 2, 1e-9), 1 - 1e-9)
    return min(math.log(bar / (1 - bar)), max(points, default=0.0))
