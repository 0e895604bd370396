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
    line_end,
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
_START, _END, _FIRST, _LAST, _WIDTH, _UNIT, _MARKER, _REGION, _QUOTED, _RUNNING = range(10)
"""Columns of a line: where it starts, where its line end is, its trimmed ``[first, last)``; total columns and those of
its first piece; kind of list marker; its region, -1 for none; quote marks before it; 1 for a running line, else 0.
"""
_COLUMNS = 10


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
    breaks = np.empty(1 << 6, np.int64)
    lines = np.empty((1 << 6, _COLUMNS), np.int64)
    n = 0
    for piece in range(len(edges) - 1):
        if not is_open[piece]:
            continue
        first, end = edges[piece], edges[piece + 1]
        if always:
            at = line_end(codes, first, end)
            while at < end:
                if n == len(breaks):
                    breaks = np.concatenate((breaks, np.empty_like(breaks)))
                breaks[n] = at + 1
                n += 1
                at = line_end(codes, at + 1, end)
        else:
            size, blank = _read(codes, first, end, table, lines)
            while size < 0:
                lines = np.empty((2 * len(lines), _COLUMNS), np.int64)
                size, blank = _read(codes, first, end, table, lines)
            if n + size > len(breaks):
                breaks = np.concatenate((breaks, np.empty(len(breaks) + size, np.int64)))
            if size > 1 and not blank:
                n = _breaks(codes, table, lines[:size], breaks, n)
    return breaks[:n]


@njit(cache=True, nogil=True)
def _breaks(codes: Any, table: Any, lines: Any, breaks: Any, n: Any) -> Any:
    """Write the breaks of a piece with these ``lines`` to ``breaks`` from index n on. Returns the index after them."""
    size = len(lines)
    item, regions = np.empty(size, np.bool_), np.empty((size, 2), np.int64)
    kinds = np.zeros(MARKERS, np.int64)
    for i in range(size):
        kinds[lines[i, _MARKER]] += 1
    for i in range(size):
        marker = lines[i, _MARKER]
        item[i] = marker == BULLET or (marker != NO_MARKER and kinds[marker] > 1)
    count = _regions(lines, size, regions)
    for i in range(size):
        lines[i, _RUNNING] = i + 1 < size and _runs(codes, table, lines, item, i)
    widths = _wrap_widths(codes, table, lines, regions, count)
    cut = _cut(lines, size)
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
    """Fill ``lines`` (with region 0 for every line that belongs to one). Returns their number, or -1 if there is too
    little room, and whether all are blank.
    """
    size = 0
    blank = True
    at = a
    while True:
        if size == len(lines):
            return -1, False
        end = line_end(codes, at, b)
        first, last = at, end
        quoted = 0
        while first < end and (table[codes[first]] & SPACE or codes[first] == _QUOTE):
            quoted += codes[first] == _QUOTE
            first += 1
        while last > first and table[codes[last - 1]] & SPACE:
            last -= 1
        line = lines[size]
        line[_START], line[_END], line[_QUOTED] = at, end, quoted
        if first == end:
            line[_FIRST] = line[_LAST] = at
            line[_WIDTH], line[_UNIT], line[_MARKER], line[_REGION] = 0, 0, NO_MARKER, -1
        else:
            blank = False
            seen = np.uint32(0)
            wide = np.uint32(0)
            for code in codes[first:last]:
                word = table[code]
                seen |= word
                wide += word & WIDE
            line[_FIRST], line[_LAST], line[_WIDTH] = first, last, last - first + np.int64(wide)
            line[_UNIT] = first_piece(codes, first, last, table)
            line[_MARKER] = marker_of(codes, first, last, table)
            line[_REGION] = -1 if is_structural(codes, first, last, table, seen) else 0
        size += 1
        if end >= b:
            return size, blank
        at = end + 1


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
def _wrap_widths(codes: Any, table: Any, lines: Any, regions: Any, count: Any) -> Any:
    """Wrap width that applies to each region; 0 if there is none."""
    widths = np.zeros(count, np.int64)
    running = np.zeros(count, np.int64)
    for r in range(count):
        running[r] = lines[regions[r, 0] : regions[r, 1], _RUNNING].sum()
        widths[r] = _wrapped_width(codes, table, lines, regions[r, 0], regions[r, 1], running[r])
    proven = np.sort(widths[widths > 0])
    if len(proven):
        inherited = proven[(len(proven) - 1) // 2]
    else:
        inherited = _wrapped_width(codes, table, lines, 0, regions[count - 1, 1] if count else 0, running.sum())
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
def _wrapped_width(codes: Any, table: Any, lines: Any, a: Any, b: Any, running: Any) -> Any:
    """Wrap width established by the ``running`` lines of ``lines[a:b]``; 0 if there is none."""
    if running < RUNNING_LINES:
        return 0
    every = np.empty(running, np.int64)
    n = 0
    for i in range(a, b):
        if lines[i, _RUNNING]:
            every[n] = lines[i, _WIDTH]
            n += 1
    width = _own_width(every)
    if not NARROWEST <= width <= WIDEST:
        return 0
    full = 0
    for i in range(a, b):
        full += lines[i, _RUNNING] and _full(codes, table, lines, i, width)
    return width if full >= FULL_SHARE * running else 0


@njit(cache=True, nogil=True)
def _cut(lines: Any, size: Any) -> Any:
    """The number of characters after which the text was cut, whatever their width; 0 if it was not."""
    sizes = np.empty(size, np.int64)
    n = 0
    for i in range(size):
        if lines[i, _RUNNING]:
            sizes[n] = lines[i, _END] - lines[i, _START]
            n += 1
    if n < RUNNING_LINES:
        return 0
    ordered = np.sort(sizes[:n])
    best = most = times = 0
    for at in range(n):
        times = times + 1 if at and ordered[at] == ordered[at - 1] else 1
        if times >= best:
            best, most = times, ordered[at]
    return most if most >= NARROWEST and best >= FULL_SHARE * n else 0


@njit(cache=True, nogil=True)
def _runs(codes: Any, table: Any, lines: Any, item: Any, i: Any) -> Any:
    """Whether line ``i`` is a running line."""
    if lines[i, _REGION] < 0 or lines[i + 1, _REGION] != lines[i, _REGION]:
        return False
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
