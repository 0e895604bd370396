"""The default rule for content blocks: a scorecard of named yes/no features, each with points, in two rounds.

In the first round a block gets the points of its own features (:mod:`.features`); in the second, points for how it and
the blocks around it fared in the first (:mod:`.surroundings`). Where these do not promise enough, another extraction
library is asked, and the second round is held anew with points for what that keeps. A block is content if its points
reach the bar of its page. Points are log odds, rounded to tenths; they and the way they were found are in
``resources/blocks/scorecard.json``.

The bar follows Lipton, Elkan and Naryanaswamy 2014, "Optimal thresholding of classifiers to maximize F1 measure"
(theorem 1): the best bar is half of the best F1 to be had. What F1 the points promise for a page enters squared, since
they promise too much where a page is hard to tell. A page whose blocks are clear has a bar near even odds; one that is
hard to tell is kept more generously, unless it calls itself an article: that is one text, and even odds are the least.
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
"""Sets of features whose points are kept; many blocks of a page, and of a site, have the same."""

SURE = 0.9
"""Best F1 promised by the points of a page from which on no second opinion is asked for."""

CLEAR = Message("clear without a second opinion")
"""The end of the reasons on a page for which one could be asked, but need not be."""

_CAUSE = 0.25
"""Points from which on a feature is a cause worth telling."""


Ask = Callable[[], Sequence[bool] | None]


class _Part(NamedTuple):
    """What some features give together, in tenths of points, and the one that gives and the one that takes most."""

    tenths: int
    best: tuple[float, str]
    worst: tuple[float, str]


class Table:
    """Points of the features of one round. ``points`` are by name, to a tenth; a feature without points gives none.

    They are added as whole tenths: many blocks are right at a limit, and no rounding must decide on which side.
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
    """A scorecard from points by round and name; ``start`` is what every block has at the outset."""
    return Scorecard(
        Table(features.NAMES, points["own"], points["own"]["start"]),
        Table(surroundings.NAMES, points["around"], points["around"]["start"]),
        Table(surroundings.NAMES, points["opinion"], points["opinion"]["start"]),
        points["bar"]["share"],
    )


@lru_cache(maxsize=3)
def fitted(on: str = "all") -> Scorecard:
    """The scorecard of the program, or ``half`` and ``other``, each fitted on one half of the hosts: their figures on
    the pages of the half that they were not fitted on may be told."""
    return scorecard(json.loads(resource("blocks", "scorecard.json").read_text(encoding="utf-8"))[on])


def judge(page: Page, ask: Ask | None = None, card: Scorecard | None = None) -> Sequence[Judgement]:
    """A judgement for every leaf of ``page``, in order.

    ``ask`` tells which leaves another extractor keeps, None where it cannot; it is called only where the points alone
    promise less than :data:`SURE`.
    """
    card = card or fitted()
    length = features.lengths(page)
    first = [card.own.look(bits) for bits in features.features(page, length)]
    own_points = [points for points, _ in first]
    second = [card.around.look(bits) for bits in surroundings.surroundings(page, own_points, length)]
    best = promised([points for points, _ in second], length)
    clear = False
    if ask is not None:
        if best >= SURE:
            clear = True
        elif (kept := ask()) is not None:
            second = [card.opinion.look(bits) for bits in surroundings.surroundings(page, own_points, length, kept)]
            best = promised([points for points, _ in second], length)
    bar = page_bar([points for points, _ in second], best, card.generosity)
    if page.kind == "article":
        bar = max(bar, min(0.0, max((points for points, _ in second), default=0.0)))
    found = []
    for leaf, (_, own), (points, beside) in zip(page.leaves, first, second, strict=True):
        if points >= bar:
            verdict = Verdict.CONTENT
            causes = sorted([best for _, best, _ in own + beside if best[0] > _CAUSE], reverse=True)
        else:
            verdict = Verdict.NON_CONTENT
            causes = sorted([worst for _, _, worst in own + beside if worst[0] < -_CAUSE])
        why = reason(page, leaf, causes, points, bar)
        found.append(Judgement(verdict, Message.joined("; ", (why, CLEAR)) if clear else why))
    return found


def promised(points: Sequence[float], length: Sequence[float]) -> float:
    """The best F1 that any bar promises a page, if its blocks' odds are what their points say.

    ``length`` weighs the blocks. 1 for a page without blocks.
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
    """The points that a block of a page needs: the odds of ``share`` / 2 of the ``best`` F1 promised, squared.

    Never above the points of the best block, so that a page keeps something.
    """
    bar = min(max(best * best * share / 2, 1e-9), 1 - 1e-9)
    return min(math.log(bar / (1 - bar)), max(points, default=0.0))
