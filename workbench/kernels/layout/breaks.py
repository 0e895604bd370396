"""Hard breaks of many texts in one compiled pass.

Equals :func:`workbench.text.segmenting.segmentation.hard_breaks`; the rule is in
:mod:`workbench.text.segmenting.layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.base.types import Block
from workbench.kernels.layout.lines import (
    BULLET,
    CLOSING,
    LINE_FEED,
    LOWER,
    MARKERS,
    NO_MARKER,
    OPENING,
    SPACE,
    STOP,
    WIDE,
    first_piece,
    is_structural,
    is_unfinished,
    line_table,
    marker_of,
)
from workbench.text.segmenting.layout import (
    CJK_SLACK,
    FULL_SHARE,
    NARROWEST,
    QUOTE,
    RUNNING_LINES,
    SURELY_PROSE,
    WIDEST,
)
from workbench.text.segmenting.segmentation import Layout

_INDENT, _QUOTE = np.uint32(0x3000), np.uint32(ord(QUOTE))
_START, _END, _FIRST, _LAST, _WIDTH, _UNIT, _MARKER, _REGION, _QUOTED = range(9)
"""Columns of a line: where it starts, where its line end is, its trimmed ``[first, last)``; total columns and those of
its first piece; kind of list marker; its region, -1 for none; quote marks before it.
"""
_COLUMNS = 9


def batch_breaks(
    codes: NDArray[np.uint32],
    ends: NDArray[np.int64],
    blocks: Sequence[Sequence[Block]],
    layout: Layout | str,
    is_open: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Hard breaks of documents end to end, and the ends of the documents other than 0: ascending, possibly with
    duplicates.

    Document i ends at ``ends[i]`` and has ``blocks[i]``. The line ends of a document that is not ``is_open`` are left
    out: they make no difference to its segments. Raises ValueError for an unknown ``layout``.
    """
    layout = Layout(layout)
    starts = np.concatenate([np.zeros(1, np.int64), ends])[:-1]
    of_document = [list(chain.from_iterable([block[0] for block in own])) for own in blocks]
    sizes = np.fromiter(map(len, of_document), np.int64, len(of_document))
    inside = np.fromiter(chain.from_iterable(of_document), np.int64, int(sizes.sum()))
    inside = np.minimum(inside + np.repeat(starts, sizes), np.repeat(ends, sizes))
    edges = np.sort(np.concatenate([starts, ends, inside]))
    edges = edges[np.diff(edges, prepend=-1) > 0]
    line_breaks = edges[:0]
    if len(edges) > 1 and layout is not Layout.NEVER and is_open.any():
        # Of documents that end at the same place, the last holds the piece after it, if there is one.
        document = np.searchsorted(starts, edges[:-1], side="right") - 1
        line_breaks = _scan(codes, edges, is_open[document], layout is Layout.ALWAYS, line_table())
    return np.sort(np.concatenate([edges[edges > 0], line_breaks]), kind="stable")


@njit(cache=True, nogil=True)
def _scan(codes: Any, edges: Any, is_open: Any, always: Any, table: Any) -> Any:
    """Offsets one past the line ends that end a segment, piece by piece; ``always``: all of them."""
    total = 0
    most = 0
    for piece in range(len(edges) - 1):
        if is_open[piece]:
            n = 0
            for i in range(edges[piece], edges[piece + 1]):
                n += codes[i] == LINE_FEED
            total += n
            most = max(most, n)
    breaks = np.empty(total, np.int64)
    if always:
        n = 0
        for piece in range(len(edges) - 1):
            if is_open[piece]:
                for i in range(edges[piece], edges[piece + 1]):
                    if codes[i] == LINE_FEED:
                        breaks[n] = i + 1
                        n += 1
        return breaks
    lines = np.empty((most + 1, _COLUMNS), np.int64)
    item = np.empty(most + 1, np.bool_)
    regions = np.empty((most + 2, 2), np.int64)
    n = 0
    for piece in range(len(edges) - 1):
        if is_open[piece]:
            n = _breaks(codes, edges[piece], edges[piece + 1], table, lines, item, regions, breaks, n)
    return breaks[:n]


@njit(cache=True, nogil=True)
def _breaks(codes: Any, a: Any, b: Any, table: Any, lines: Any, item: Any, regions: Any, breaks: Any, n: Any) -> Any:
    """Write the breaks of the piece ``[a, b)`` to ``breaks`` from index n on. Returns the index after them."""
    size, blank = _read(codes, a, b, table, lines)
    if size < 2 or blank:
        return n
    kinds = np.zeros(MARKERS, np.int64)
    for i in range(size):
        kinds[lines[i, _MARKER]] += 1
    for i in range(size):
        marker = lines[i, _MARKER]
        item[i] = marker == BULLET or (marker != NO_MARKER and kinds[marker] > 1)
    count = _regions(lines, size, regions)
    widths = _wrap_widths(codes, table, lines, item, regions, count)
    cut = _cut(codes, table, lines, item, regions, count)
    in_item = False
    for i in range(size - 1):
        region = lines[i, _REGION]
        in_item = item[i] or (in_item and i > 0 and lines[i - 1, _REGION] == region)
        together = region >= 0 and lines[i + 1, _REGION] == region and not item[i + 1]
        if together:
            together = not ((_indented(codes, lines, i + 1) and not in_item) or _turn(codes, table, lines, i))
        if together:
            together = _continues(codes, table, lines, i) or _full(codes, table, lines, i, widths[region])
            together |= lines[i, _END] - lines[i, _START] == cut
        if not together:
            breaks[n] = lines[i, _END] + 1
            n += 1
    return n


@njit(cache=True, nogil=True)
def _read(codes: Any, a: Any, b: Any, table: Any, lines: Any) -> Any:
    """Fill ``lines`` (with region 0 for every line that belongs to one). Returns their number and whether all are
    blank.
    """
    size = 0
    blank = True
    at = a
    while True:
        first = -1
        last = at
        width = columns = quoted = 0
        seen = np.uint32(0)
        gap = False
        i = at
        while i < b:
            word = table[codes[i]]
            if word & SPACE:
                if codes[i] == LINE_FEED:
                    break
                seen |= word
                gap |= i - last >= 2
                if first >= 0:
                    columns += 1 + (word & WIDE)
            elif first >= 0 or codes[i] != _QUOTE:
                if first < 0:
                    first = i
                seen |= word
                columns += 1 + (word & WIDE)
                width = columns
                last = i + 1
            else:
                quoted += 1
            i += 1
        line = lines[size]
        line[_START], line[_END], line[_WIDTH], line[_QUOTED] = at, i, width, quoted
        if first < 0:
            line[_FIRST] = line[_LAST] = at
            line[_UNIT], line[_MARKER], line[_REGION] = 0, NO_MARKER, -1
        else:
            blank = False
            line[_FIRST], line[_LAST] = first, last
            line[_UNIT] = first_piece(codes, first, last, table)
            line[_MARKER] = marker_of(codes, first, last, table)
            line[_REGION] = -1 if is_structural(codes, first, last, table, seen, gap) else 0
        size += 1
        if i >= b:
            return size, blank
        at = i + 1


@njit(cache=True, nogil=True)
def _regions(lines: Any, size: Any, regions: Any) -> Any:
    """Number the regions and write each one's ``[first, past last)`` lines. Returns their number."""
    count = 0
    for i in range(size):
        if lines[i, _REGION] < 0:
            continue
        if i and lines[i - 1, _REGION] >= 0 and lines[i, _QUOTED] == lines[i - 1, _QUOTED]:
            regions[count - 1, 1] = i + 1
        else:
            regions[count, 0], regions[count, 1] = i, i + 1
            count += 1
        lines[i, _REGION] = count - 1
    return count


@njit(cache=True, nogil=True)
def _wrap_widths(codes: Any, table: Any, lines: Any, item: Any, regions: Any, count: Any) -> Any:
    """Wrap width that applies to each region; 0 if there is none."""
    widths = np.zeros(count, np.int64)
    running = np.zeros(count, np.int64)
    for r in range(count):
        for i in range(regions[r, 0], regions[r, 1] - 1):
            running[r] += _runs(codes, table, lines, item, i)
        widths[r] = _wrapped_width(codes, table, lines, item, regions[r : r + 1], running[r])
    proven = np.sort(widths[widths > 0])
    if len(proven):
        inherited = proven[(len(proven) - 1) // 2]
    else:
        inherited = _wrapped_width(codes, table, lines, item, regions[:count], running.sum())
    for r in range(count):
        if running[r] < RUNNING_LINES:
            widths[r] = inherited
            if not inherited:
                width = _own_width(lines[regions[r, 0] : regions[r, 1], _WIDTH])
                widths[r] = width if SURELY_PROSE <= width <= WIDEST else 0
    return widths


@njit(cache=True, nogil=True)
def _own_width(widths: Any) -> Any:
    n = len(widths)
    return np.sort(widths)[n - 1 - n // 10]


@njit(cache=True, nogil=True)
def _wrapped_width(codes: Any, table: Any, lines: Any, item: Any, regions: Any, running: Any) -> Any:
    """Wrap width established by the ``running`` lines of ``regions``; 0 if there is none."""
    if running < RUNNING_LINES:
        return 0
    every = np.empty(running, np.int64)
    n = 0
    for r in range(len(regions)):
        for i in range(regions[r, 0], regions[r, 1] - 1):
            if _runs(codes, table, lines, item, i):
                every[n] = lines[i, _WIDTH]
                n += 1
    width = _own_width(every)
    if not NARROWEST <= width <= WIDEST:
        return 0
    full = 0
    for r in range(len(regions)):
        for i in range(regions[r, 0], regions[r, 1] - 1):
            full += _runs(codes, table, lines, item, i) and _full(codes, table, lines, i, width)
    return width if full >= FULL_SHARE * running else 0


@njit(cache=True, nogil=True)
def _cut(codes: Any, table: Any, lines: Any, item: Any, regions: Any, count: Any) -> Any:
    """The number of characters after which the text was cut, whatever their width; 0 if it was not."""
    most = 0
    for r in range(count):
        most += regions[r, 1] - regions[r, 0]
    sizes = np.empty(most, np.int64)
    n = 0
    for r in range(count):
        for i in range(regions[r, 0], regions[r, 1] - 1):
            if _runs(codes, table, lines, item, i):
                sizes[n] = lines[i, _END] - lines[i, _START]
                n += 1
    if n < RUNNING_LINES:
        return 0
    ordered = np.sort(sizes[:n])
    best = size = times = 0
    for at in range(n):
        times = times + 1 if at and ordered[at] == ordered[at - 1] else 1
        if times >= best:
            best, size = times, ordered[at]
    return size if size >= NARROWEST and best >= FULL_SHARE * n else 0


@njit(cache=True, nogil=True)
def _runs(codes: Any, table: Any, lines: Any, item: Any, i: Any) -> Any:
    """Whether line ``i``, which is not the last of its region, is a running line."""
    if item[i + 1] or _indented(codes, lines, i + 1) or lines[i, _WIDTH] > WIDEST:
        return False
    return not table[codes[lines[i, _LAST] - 1]] & STOP


@njit(cache=True, nogil=True)
def _indented(codes: Any, lines: Any, i: Any) -> Any:
    return lines[i, _FIRST] > lines[i, _START] and codes[lines[i, _START]] == _INDENT


@njit(cache=True, nogil=True)
def _turn(codes: Any, table: Any, lines: Any, i: Any) -> Any:
    """Whether line ``i`` ends one turn of a dialogue and the next line begins another."""
    closing, opening = table[codes[lines[i, _LAST] - 1]], table[codes[lines[i + 1, _FIRST]]]
    return closing & CLOSING != 0 and opening & OPENING != 0


@njit(cache=True, nogil=True)
def _full(codes: Any, table: Any, lines: Any, i: Any, width: Any) -> Any:
    """Whether the first piece of line ``i + 1`` would not have fitted on line ``i`` within ``width`` columns."""
    wide = (table[codes[lines[i, _LAST] - 1]] | table[codes[lines[i + 1, _FIRST]]]) & WIDE
    slack = CJK_SLACK if wide else 1
    return width > 0 and lines[i, _WIDTH] <= WIDEST and lines[i, _WIDTH] + lines[i + 1, _UNIT] + slack > width


@njit(cache=True, nogil=True)
def _continues(codes: Any, table: Any, lines: Any, i: Any) -> Any:
    if lines[i, _WIDTH] < NARROWEST:
        return False
    if table[codes[lines[i + 1, _FIRST]]] & LOWER:
        return True
    return is_unfinished(codes, lines[i, _FIRST], lines[i, _LAST], table)
