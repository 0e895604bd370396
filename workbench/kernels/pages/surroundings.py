"""Features from the scores around each block, with the names in :mod:`workbench.text.markup.surrounding_names`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import mix
from workbench.text.markup import surrounding_names as named
from workbench.text.markup.columns import KINDS, Columns

_AT = {name: at for at, name in enumerate(named.NAMES)}
_HEADING_KIND = KINDS.index(named.HEADING)
_POINTS, _POINT = np.array(named.POINTS, np.float64), _AT[f"points:{named.POINTS[0]}"]
_SHARES, _WINDOW = np.array(named.SHARES, np.float64), np.array(named.WINDOW, np.float64)
_PAGE, _AGREES = np.array(named.PAGE, np.float64), np.array(named.AGREES, np.float64)
_DROPS_AND_AGREES = np.array(named.DROPS_AND_AGREES, np.float64)
_LEVELS = np.array([_AT[f"{level}:{named.SHARES[0]}"] for level in named.LEVELS], np.int32)
_OF_WINDOW, _OF_ALIKE = _AT[f"window:{named.WINDOW[0]}"], _AT[f"alike:{named.SHARES[0]}"]
_OF_PAGE, _OF_AGREES = _AT[f"page:{named.PAGE[0]}"], _AT[f"agrees:{named.AGREES[0]}"]
_OF_DROPS = _AT[f"drops-and-agrees:{named.DROPS_AND_AGREES[0]}"]
_PREVIOUS, _NEXT, _NEXT_LONG, _PREVIOUS_LONG = (_AT[n] for n in ("previous", "next", "next-long", "previous-long"))
_ALIKE, _BETWEEN, _SHORT, _HEADING = (_AT[n] for n in ("alike", "between", "short", "heading"))
_BEFORE, _AFTER, _HEADING_OF = (_AT[n] for n in ("short-before", "short-after", "heading-of"))
_FILLED, _PARENT_HALF = _AT["filled-parent"], _AT["parent:0.5"]
_KEEPS, _KEEPS_PREVIOUS, _KEEPS_NEXT = (_AT[n] for n in ("keeps", "keeps-previous", "keeps-next"))
_KEEPS_PARENT, _KEEPS_NOTHING, _KEEPS_ALIKE = (_AT[n] for n in ("keeps-parent", "keeps-nothing", "keeps-alike"))
_DROPS, _DROPS_CONTENT, _DROPS_ALIKE = (_AT[n] for n in ("drops", "drops-content", "drops-alike"))
_DROPS_FROM_ARTICLE, _OUTSIDE = _AT["drops-from-article"], _AT["outside"]
_OUTSIDE_OF_ARTICLE = _AT["outside-of-article"]


def surroundings(
    columns: Columns,
    hints: NDArray[np.int32],
    points: NDArray[np.float64],
    length: NDArray[np.float64],
    keeps: NDArray[np.bool_] | None,
    *,
    is_article: bool,
) -> NDArray[np.uint8]:
    """The features of every leaf from the ``points`` of a first round: uint8 [l, len(NAMES)].

    ``hints``: for each of the page's hints (the last is for none), the first equal one. ``keeps``: which leaves
    another extractor keeps, if one was asked.
    """
    rows = np.zeros((len(columns.leaves), len(named.NAMES)), np.uint8)
    if len(rows):
        looks = _looks(columns.leaves, columns.elements, hints)
        content = points > 0
        _around(columns.leaves, columns.elements, looks, points, length, content, rows)
        if keeps is not None:
            _opinion(columns.leaves, columns.elements, looks, length, keeps, content, is_article, rows)
    return rows


@kernel
def _looks(leaves: Any, elements: Any, hints: Any) -> Any:
    """A number for each leaf, shared by leaves with the same tags and hints of the element and its parent."""
    n = len(leaves)
    room = 16
    while room < 2 * n:
        room *= 2
    mask = np.int64(room - 1)
    slots = np.full(room, -1, np.int64)
    keys = np.full((n, 4), -1, np.int64)
    looks = np.empty(n, np.int64)
    for i in range(n):
        at = leaves[i, 3]
        value = np.uint64(0)
        if at >= 0:
            keys[i, 0], keys[i, 1] = elements[at, 1], hints[elements[at, 2]]
            parent = elements[at, 0]
            if parent >= 0:
                keys[i, 2], keys[i, 3] = elements[parent, 1], hints[elements[parent, 2]]
        for k in range(4):
            value = mix(value + np.uint64(keys[i, k] + 1))
        slot = np.int64(value & np.uint64(mask))
        while slots[slot] >= 0:
            other = slots[slot]
            if (
                keys[other, 0] == keys[i, 0]
                and keys[other, 1] == keys[i, 1]
                and keys[other, 2] == keys[i, 2]
                and keys[other, 3] == keys[i, 3]
            ):
                break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot] = i
        looks[i] = slots[slot]
    return looks


@helper
def _sums(length: Any, chosen: Any) -> Any:
    """The weighted length of the first 0, 1, 2 … leaves: of chosen ones, and of all."""
    sums = np.zeros((len(length) + 1, 2))
    for i in range(len(length)):
        sums[i + 1, 0] = sums[i, 0] + (length[i] if chosen[i] else 0.0)
        sums[i + 1, 1] = sums[i, 1] + length[i]
    return sums


@helper
def _share(sums: Any, first: Any, end: Any) -> Any:
    """The share of chosen leaves in ``leaves[first:end]``."""
    whole = sums[end, 1] - sums[first, 1]
    return (sums[end, 0] - sums[first, 0]) / (whole if whole else 1.0)


@helper
def _alike(looks: Any, length: Any, chosen: Any) -> Any:
    """By look: the weighted length of the chosen leaves and of all, and the number of leaves."""
    shares = np.zeros((len(looks), 3))
    for i in range(len(looks)):
        at = looks[i]
        shares[at, 0] += length[i] if chosen[i] else 0.0
        shares[at, 1] += length[i]
        shares[at, 2] += 1
    return shares


@helper
def _above(share: Any, limits: Any, feature: Any, row: Any) -> Any:
    """Set a feature for every limit that is reached."""
    for k in range(len(limits)):
        if share < limits[k]:
            break
        row[feature + k] = 1


@kernel
def _around(leaves: Any, elements: Any, looks: Any, points: Any, length: Any, content: Any, rows: Any) -> Any:
    n = len(leaves)
    sums = _sums(length, content)
    alike = _alike(looks, length, content)
    first, last = n, -1
    for i in range(n):
        if points[i] > 2 and length[i] >= 100:
            first = min(first, i)
            last = i
    whole = _share(sums, 0, n)
    beside = -1
    for i in range(n):
        row = rows[i]
        _above(whole, _PAGE, _OF_PAGE, row)
        if leaves[i, 3] >= 0:
            at = elements[leaves[i, 3], 0]
            parent = at
            for k in range(len(_LEVELS)):
                if at < 0:
                    break
                _above(_share(sums, elements[at, 4], elements[at, 5]), _SHARES, _LEVELS[k], row)
                at = elements[at, 0]
            if parent >= 0 and elements[parent, 5] - elements[parent, 4] >= 5 and row[_PARENT_HALF]:
                row[_FILLED] = 1
        _above(points[i], _POINTS, _POINT, row)
        previous, following = i > 0 and content[i - 1], i + 1 < n and content[i + 1]
        if previous:
            row[_PREVIOUS] = 1
        if following:
            row[_NEXT] = 1
        if beside >= 0 and content[beside]:
            row[_PREVIOUS_LONG] = 1
        if length[i] >= 25 and leaves[i, 2] != _HEADING_KIND:
            beside = i
        _above(_share(sums, max(0, i - 5), min(n, i + 6)), _WINDOW, _OF_WINDOW, row)
        some, total = alike[looks[i], 0], alike[looks[i], 1]
        _above(some / (total if total else 1.0), _SHARES, _OF_ALIKE, row)
        if alike[looks[i], 2] >= 3:
            row[_ALIKE] = 1
        if first <= i <= last:
            row[_BETWEEN] = 1
        if length[i] < 25:
            row[_SHORT] = 1
            if following:
                row[_BEFORE] = 1
            if previous:
                row[_AFTER] = 1
    beside = -1
    for i in range(n - 1, -1, -1):
        row = rows[i]
        if beside >= 0 and content[beside]:
            row[_NEXT_LONG] = 1
        if length[i] >= 25 and leaves[i, 2] != _HEADING_KIND:
            beside = i
        if leaves[i, 2] == _HEADING_KIND:
            row[_HEADING] = 1
            if row[_NEXT_LONG]:
                row[_HEADING_OF] = 1


@kernel
def _opinion(
    leaves: Any,
    elements: Any,
    looks: Any,
    length: Any,
    keeps: Any,
    content: Any,
    is_article: Any,
    rows: Any,
) -> Any:
    n = len(leaves)
    sums = _sums(length, keeps)
    alike = _alike(looks, length, keeps)
    agreed = wanted = 0.0
    first, last = n, -1
    for i in range(n):
        if content[i]:
            wanted += length[i]
            if keeps[i]:
                agreed += length[i]
        if keeps[i] and length[i] >= 50:
            first = min(first, i)
            last = i
    much = sums[n, 0] >= 500
    agreement = agreed / (wanted if wanted else 1.0)
    for i in range(n):
        row = rows[i]
        _above(agreement, _AGREES, _OF_AGREES, row)
        if sums[n, 0] < 100:
            row[_KEEPS_NOTHING] = 1
        if keeps[i]:
            row[_KEEPS] = 1
        elif much:
            row[_DROPS] = 1
            if content[i]:
                row[_DROPS_CONTENT] = 1
            if is_article:
                row[_DROPS_FROM_ARTICLE] = 1
            _above(agreement, _DROPS_AND_AGREES, _OF_DROPS, row)
        if much and not first <= i <= last:
            row[_OUTSIDE] = 1
            if is_article:
                row[_OUTSIDE_OF_ARTICLE] = 1
        if i and keeps[i - 1]:
            row[_KEEPS_PREVIOUS] = 1
        if i + 1 < n and keeps[i + 1]:
            row[_KEEPS_NEXT] = 1
        if leaves[i, 3] >= 0:
            parent = elements[leaves[i, 3], 0]
            if parent >= 0 and _share(sums, elements[parent, 4], elements[parent, 5]) >= 0.5:
                row[_KEEPS_PARENT] = 1
        some, total = alike[looks[i], 0], alike[looks[i], 1]
        if 2 * some >= total:
            row[_KEEPS_ALIKE] = 1
        elif much and not some:
            row[_DROPS_ALIKE] = 1
