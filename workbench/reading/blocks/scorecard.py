"""The default rule for content blocks: a scorecard of named yes/no features, each with points, in two rounds.

In the first round a block gets the points of its own features (:mod:`.features`); in the second, points for the scores
of it and the blocks around it in the first. If these are not decisive enough, another extraction library is consulted,
and the second round is repeated with points for the blocks which that library keeps. A block is content if its points
reach the threshold (bar) of its page. Points are log odds, rounded to tenths; they and the fitting procedure are in
``resources/blocks/scorecard.json``.

The bar follows Lipton, Elkan and Naryanaswamy 2014, "Optimal thresholding of classifiers to maximize F1 measure"
(theorem 1): the best bar is half of the best achievable F1. The F1 predicted by the points for a page is squared, since
they are overconfident on ambiguous pages. A page with clear blocks has a bar near even odds; more of an ambiguous page
is kept, unless it declares itself an article: that is a single text, and its bar is at least even odds.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.resources import resource
from workbench.base.types import BlockClass
from workbench.reading.blocks import features
from workbench.reading.blocks.page import Judgement, Page
from workbench.reading.blocks.reasons import reason
from workbench.text.markup import feature_names, surrounding_names

_CHUNK = 16
_REMEMBERED = 1 << 14
"""Size of the cache of points by feature set; many blocks of a page, and of a site, have the same set."""

SURE = 0.9
"""Predicted F1 of a page from which no second opinion is sought."""

CLEAR = Message("clear without a second opinion")
"""Appended to the reasons on a page for which a second opinion is available but not needed."""

_CAUSE = 0.25
"""Points from which a feature is named as a cause."""


Ask = Callable[[], Sequence[bool] | None]


class _Part(NamedTuple):
    """The sum of some features' points, in tenths, and the features that add and subtract most."""

    tenths: int
    best: tuple[float, str]
    worst: tuple[float, str]


class PointsTable:
    """Points of the features of one round. ``points`` are by name, to a tenth; features without an entry count zero.

    They are added as integer tenths: many blocks are exactly at the bar, and must not be decided by rounding.
    """

    def __init__(self, names: Sequence[str], points: Mapping[str, float], start: float) -> None:
        self._names = names
        self._points = [points.get(name, 0.0) for name in names]
        self._start = _tenths(start)
        self._looked: dict[int, tuple[float, list[_Part]]] = {}
        self._parts: list[dict[int, _Part]] = [{} for _ in range(0, len(names), _CHUNK)]
        self._chunks = struct.Struct(f"<{len(self._parts)}H")
        self._tenths = np.array([_tenths(p) for p in self._points], np.int64)

    def points(self, rows: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The points of blocks with the features ``rows`` (uint8 [n, number of names]): float64 [n]."""
        from workbench.kernels.pages.features import scores

        return scores(rows, self._tenths, self._start) / 10

    def look(self, bits: int) -> tuple[float, list[_Part]]:
        """The points of a block with the features ``bits``, and their origin."""
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

    own: PointsTable
    around: PointsTable
    opinion: PointsTable
    generosity: float


def scorecard(points: Mapping[str, Mapping[str, float]]) -> Scorecard:
    """A scorecard from points by round and name; ``start`` is the initial points of every block."""
    return Scorecard(
        PointsTable(feature_names.NAMES, points["own"], points["own"]["start"]),
        PointsTable(surrounding_names.NAMES, points["around"], points["around"]["start"]),
        PointsTable(surrounding_names.NAMES, points["opinion"], points["opinion"]["start"]),
        points["bar"]["share"],
    )


@lru_cache(maxsize=3)
def fitted(on: str = "all") -> Scorecard:
    """The program's scorecard, or ``half`` and ``other``, each fitted on one half of the hosts, so that each can be
    evaluated fairly on the other half.
    """
    return scorecard(json.loads(resource("blocks", "scorecard.json").read_text(encoding="utf-8"))[on])


@dataclass(frozen=True, slots=True)
class Weighed:
    """The leaves of a page with their ``points`` (float64 [l]); those that reach the ``bar`` are ``content``.

    ``own`` and ``around`` are their features in both rounds, ``table`` the points of the second; ``clear``: no second
    opinion was needed.
    """

    page: Page
    own: NDArray[np.uint8]
    around: NDArray[np.uint8]
    points: NDArray[np.float64]
    bar: float
    clear: bool
    card: Scorecard
    table: PointsTable

    @property
    def content(self) -> NDArray[np.bool_]:
        """Whether each leaf is content: bool [l]."""
        return self.points >= self.bar

    def judgements(self) -> list[Judgement]:
        """The judgement of every leaf, with its reason."""
        judgements = []
        for leaf, own, around, points in zip(
            self.page.leaves,
            features.bits_of(self.own),
            features.bits_of(self.around),
            self.points.tolist(),
            strict=True,
        ):
            is_content = points >= self.bar
            causes = _causes(self.card.own, self.table, own, around, is_content)
            why = reason(self.page, leaf, causes, points, self.bar)
            verdict = BlockClass.CONTENT if is_content else BlockClass.NON_CONTENT
            judgements.append(Judgement(verdict, Message.joined("; ", (why, CLEAR)) if self.clear else why))
        return judgements


def judge(
    page: Page, ask: Ask | None = None, card: Scorecard | None = None, *, lean: float = 0.0
) -> Sequence[Judgement]:
    """A judgement for every leaf of ``page``, in order; the parameters are those of :func:`weigh`."""
    return weigh(page, ask, card, lean=lean).judgements()


def weigh(page: Page, ask: Ask | None = None, card: Scorecard | None = None, *, lean: float = 0.0) -> Weighed:
    """The points of every leaf of ``page``. Leaves with at least the page's bar plus ``lean`` points are content, and
    the best leaf always is.

    ``ask`` returns which leaves another extractor keeps, or None if unknown; it is called only if the points alone
    predict less than :data:`SURE`.
    """
    card = card or fitted()
    length = features.lengths(page)
    own = features.table(page, length)
    first = card.own.points(own)
    around, table = features.surroundings(page, first, length), card.around
    points = table.points(around)
    best = expected_f1(points, length)
    clear = False
    if ask is not None:
        if best >= SURE:
            clear = True
        elif (keeps := ask()) is not None:
            around, table = features.surroundings(page, first, length, keeps), card.opinion
            points = table.points(around)
            best = expected_f1(points, length)
    bar = page_bar(points, best, card.generosity)
    if page.kind == "article":
        bar = max(bar, min(0.0, _most(points)))
    if lean:
        bar = min(bar + lean, _most(points))
    return Weighed(page, own, around, points, bar, clear, card, table)


@lru_cache(maxsize=_REMEMBERED)
def _causes(own: PointsTable, around: PointsTable, own_bits: int, bits: int, is_content: bool) -> tuple[str, ...]:
    """Names of the features that contribute most for, or against, a block, in descending order."""
    parts = own.look(own_bits)[1] + around.look(bits)[1]
    if is_content:
        return tuple([name for _, name in sorted([p.best for p in parts if p.best[0] > _CAUSE], reverse=True)])
    return tuple([name for _, name in sorted([p.worst for p in parts if p.worst[0] < -_CAUSE])])


def expected_f1(points: Sequence[float] | NDArray[np.float64], length: Sequence[float] | NDArray[np.float64]) -> float:
    """The best expected F1 of any bar on a page, assuming that the points of its blocks are their log odds.

    ``length`` contains the blocks' weights. 1 for a page without blocks.
    """
    if not len(points):
        return 1.0
    chances = np.array([_chance(p) for p in np.asarray(points).tolist()])
    sizes = np.asarray(length)
    order = np.lexsort((sizes, chances))[::-1]
    # Cumulative sums add in order, like a loop.
    expected = np.cumsum(chances * sizes)[-1]
    right, taken = np.cumsum((chances * sizes)[order]), np.cumsum(sizes[order])
    whole = taken + expected
    return float(np.max(2 * right / np.where(whole, whole, 1)))


@lru_cache(maxsize=_REMEMBERED)
def _chance(points: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, points))))


def page_bar(points: Sequence[float] | NDArray[np.float64], best: float, share: float) -> float:
    """The points that a block of a page needs: the log odds of ``best`` ** 2 * ``share`` / 2, ``best`` being the
    predicted F1.

    Never above the points of the best block, so that some of the page is kept.
    """
    bar = min(max(best * best * share / 2, 1e-9), 1 - 1e-9)
    return min(math.log(bar / (1 - bar)), _most(points))


def _most(points: Sequence[float] | NDArray[np.float64]) -> float:
    return float(np.max(points)) if len(points) else 0.0
