"""Plain reference of how the blocks around each block fared."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Sequence

from tests.unit.reading.blocks.plain_features import thermometer
from workbench.base.types import BlockKind
from workbench.reading.blocks.page import Leaf, Page
from workbench.text.markup.surrounding_names import BIT, LEVELS, POINTS, SHARES, WINDOW

_POINTS = thermometer("points", POINTS, BIT)
_LEVEL_BITS = [thermometer(level, SHARES, BIT) for level in LEVELS]
_WINDOW_BITS = thermometer("window", WINDOW, BIT)
_ALIKE_BITS = thermometer("alike", SHARES, BIT)


class _Shares:
    """The share of a range of leaves, by weighted length, that is chosen."""

    def __init__(self, length: Sequence[float], chosen: Sequence[bool]) -> None:
        self._chosen, self._all = [0.0], [0.0]
        some = total = 0.0
        for size, is_chosen in zip(length, chosen, strict=True):
            total += size
            some += size if is_chosen else 0
            self._chosen.append(some)
            self._all.append(total)

    def of(self, start: int, end: int) -> float:
        """The share in ``leaves[start:end]``."""
        return (self._chosen[end] - self._chosen[start]) / ((self._all[end] - self._all[start]) or 1)

    @property
    def total(self) -> float:
        """The total weighted length of the chosen leaves."""
        return self._chosen[-1]


def surroundings(
    page: Page, points: Sequence[float], length: Sequence[float], keeps: Sequence[bool] | None = None
) -> list[int]:
    """The features of every leaf after a first round gave it ``points``; bit ``i`` stands for ``NAMES[i]``.

    ``keeps`` holds which leaves another extractor keeps, if one was asked.
    """
    leaves, count = page.leaves, len(points)
    content = [p > 0 for p in points]
    shares = _Shares(length, content)
    looks = [_look(page, leaf) for leaf in leaves]
    alike = _by_look(looks, length, content)
    strong = [i for i in range(count) if points[i] > 2 and length[i] >= 100]
    first, last = (strong[0], strong[-1]) if strong else (count, -1)
    whole = _above(shares.of(0, count), "page", (0.1, 0.3, 0.6))
    long_before = _nearest(leaves, length, range(count))
    long_behind = _nearest(leaves, length, range(count - 1, -1, -1))
    around = _around(page, shares)
    rows = []
    for at, leaf in enumerate(leaves):
        bits = whole | (around[leaf.element] if leaf.element >= 0 else 0)
        bits |= _POINTS[bisect_right(POINTS, points[at])]
        previous, following = at > 0 and content[at - 1], at + 1 < count and content[at + 1]
        if previous:
            bits |= BIT["previous"]
        if following:
            bits |= BIT["next"]
        if (beside := long_before[at]) >= 0 and content[beside]:
            bits |= BIT["previous-long"]
        if (beside := long_behind[at]) >= 0 and content[beside]:
            bits |= BIT["next-long"]
        bits |= _WINDOW_BITS[bisect_right(WINDOW, shares.of(max(0, at - 5), min(count, at + 6)))]
        some, total, number = alike[looks[at]]
        bits |= _ALIKE_BITS[bisect_right(SHARES, some / (total or 1))] | (BIT["alike"] if number >= 3 else 0)
        if first <= at <= last:
            bits |= BIT["between"]
        if length[at] < 25:
            bits |= BIT["short"] | (BIT["short-before"] if following else 0) | (BIT["short-after"] if previous else 0)
        if leaf.kind is BlockKind.HEADING:
            bits |= BIT["heading"] | (BIT["heading-of"] if bits & BIT["next-long"] else 0)
        rows.append(bits)
    if keeps is not None:
        _opinion(page, rows, looks, length, keeps, content)
    return rows


def _opinion(
    page: Page,
    rows: list[int],
    looks: Sequence[Hashable],
    length: Sequence[float],
    keeps: Sequence[bool],
    content: Sequence[bool],
) -> None:
    shares, alike, count = _Shares(length, keeps), _by_look(looks, length, keeps), len(keeps)
    much, article = shares.total >= 500, page.kind == "article"
    agreed = sum(size for size, a, b in zip(length, keeps, content, strict=True) if a and b)
    agreement = agreed / (sum(size for size, b in zip(length, content, strict=True) if b) or 1)
    whole = _above(agreement, "agrees", (0.3, 0.6, 0.9)) | (BIT["keeps-nothing"] if shares.total < 100 else 0)
    first = next((at for at in range(count) if keeps[at] and length[at] >= 50), count)
    last = next((at for at in range(count - 1, -1, -1) if keeps[at] and length[at] >= 50), -1)
    for at, leaf in enumerate(page.leaves):
        bits = whole | (BIT["keeps"] if keeps[at] else 0)
        if much and not keeps[at]:
            bits |= BIT["drops"] | (BIT["drops-content"] if content[at] else 0)
            bits |= (BIT["drops-from-article"] if article else 0) | _above(agreement, "drops-and-agrees", (0.6, 0.9))
        if much and not first <= at <= last:
            bits |= BIT["outside"] | (BIT["outside-of-article"] if article else 0)
        if at and keeps[at - 1]:
            bits |= BIT["keeps-previous"]
        if at + 1 < count and keeps[at + 1]:
            bits |= BIT["keeps-next"]
        if leaf.element >= 0 and (parent := page.elements[leaf.element].parent) >= 0:
            e = page.elements[parent]
            if shares.of(e.first, e.end) >= 0.5:
                bits |= BIT["keeps-parent"]
        some, total, _ = alike[looks[at]]
        if 2 * some >= total:
            bits |= BIT["keeps-alike"]
        elif much and not some:
            bits |= BIT["drops-alike"]
        rows[at] |= bits


def _around(page: Page, shares: _Shares) -> list[int]:
    """For each element that directly contains leaves, the features of its ancestors' contents."""
    elements = page.elements
    by_element: dict[int, list[int]] = {}
    by_parent: dict[int, int] = {-1: 0}
    by_leaf = [0] * len(elements)
    for start in {leaf.element for leaf in page.leaves}:
        if start < 0:
            continue
        parent = at = elements[start].parent
        if parent not in by_parent:
            bits = 0
            for level in range(len(LEVELS)):
                if at < 0:
                    break
                e = elements[at]
                if at not in by_element:
                    reached = bisect_right(SHARES, shares.of(e.first, e.end))
                    by_element[at] = [limits[reached] for limits in _LEVEL_BITS]
                bits |= by_element[at][level]
                at = e.parent
            e = elements[parent]
            if e.end - e.first >= 5 and bits & BIT["parent:0.5"]:
                bits |= BIT["filled-parent"]
            by_parent[parent] = bits
        by_leaf[start] = by_parent[parent]
    return by_leaf


def _look(page: Page, leaf: Leaf) -> Hashable:
    """A key shared by blocks that look alike: tag and hints of the element and its parent."""
    if leaf.element < 0:
        return None
    e = page.elements[leaf.element]
    if e.parent < 0:
        return e.tag, e.hints
    above = page.elements[e.parent]
    return e.tag, e.hints, above.tag, above.hints


def _by_look(
    looks: Sequence[Hashable], length: Sequence[float], chosen: Sequence[bool]
) -> dict[Hashable, tuple[float, float, int]]:
    """For each look: the weighted length of the chosen leaves and of all leaves, and the number of leaves."""
    shares: defaultdict[Hashable, tuple[float, float, int]] = defaultdict(lambda: (0.0, 0.0, 0))
    for look, size, is_chosen in zip(looks, length, chosen, strict=True):
        some, total, number = shares[look]
        shares[look] = (some + size if is_chosen else some, total + size, number + 1)
    return shares


def _nearest(leaves: Sequence[Leaf], length: Sequence[float], order: range) -> list[int]:
    """For each leaf, the last one before it in ``order`` that is neither a heading nor a short line; -1 if there is
    none.
    """
    nearest, last = [-1] * len(leaves), -1
    for at in order:
        nearest[at] = last
        if length[at] >= 25 and leaves[at].kind is not BlockKind.HEADING:
            last = at
    return nearest


def _above(share: float, name: str, limits: Sequence[float]) -> int:
    bits = 0
    for limit in limits:
        if share < limit:
            break
        bits |= BIT[f"{name}:{limit}"]
    return bits
