"""Sentence-like segments of a text, aware of its layout.

The rule in full (the compiled pass in ``kernels`` is checked against this module):

1. *Hard breaks* (:func:`hard_breaks`) cut the text into pieces. They are at both ends of every block, and one past
   each ``\\n`` that ends a segment under the chosen :class:`Layout` (``LAYOUT``: the rule in
   :mod:`workbench.text.segmenting.layout`, applied separately to each block and to each stretch outside blocks).
2. Each piece is scanned from its start. A *run* is a longest sequence of stops (:class:`CharClass` ``STRONG_STOP``,
   ``WEAK_STOP``). Let ``before`` be the code point before the run and ``after`` the one following it, in the piece.
   The run ends a segment unless it has no strong stop, and ``before`` and ``after`` both exist and are ``GRAPHIC``, and
   ``after`` is not a ``CLOSER``. (So ``3.14``, ``e.g.``, ``a.txt?x=1`` stay whole in any width;
   ``である．次`` is split.)
3. A run that ends a segment includes all ``CLOSER`` and stop characters that directly follow it; the segment ends after
   them, and the scan continues there.
4. The rest of the piece is also a segment.
5. ``SPACE`` characters are trimmed from both ends; segments of white space only are dropped.

Following Sakurai, Matsuo and Kikui (2009), section 3: separators are 。．.？?！! and block-level boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Block, Span
from workbench.text.segmenting.characters import CharClass, char_class, stops
from workbench.text.segmenting.layout import QUOTE, line_breaks


class Layout(StrEnum):
    """Which line ends also end a segment."""

    LAYOUT = "layout"
    """Those of list items, headings, table rows and paragraphs, but not those that wrap prose."""
    NEVER = "never"
    """None (as in the paper); block boundaries still end segments."""
    ALWAYS = "always"
    """All."""


def hard_breaks(text: str, blocks: Sequence[Block] = (), layout: Layout | str = Layout.LAYOUT) -> NDArray[np.int32]:
    """Offsets (code points, ascending, distinct, inside ``(0, len(text))``) at which a segment always ends.

    Raises ValueError for an unknown ``layout``.
    """
    layout = Layout(layout)
    bounds = {0, len(text)}
    for block in blocks:
        bounds.update((min(block.span.start, len(text)), min(block.span.end, len(text))))
    edges = sorted(bounds)
    breaks = set(edges)
    if layout is Layout.ALWAYS:
        breaks.update(i + 1 for i in _newlines(text))
    elif layout is Layout.LAYOUT:
        for start, end in pairwise(edges):
            breaks.update(line_breaks(text, start, end))
    return np.array(sorted(b for b in breaks if 0 < b < len(text)), np.int32)


def wrapped_line_ends(text: str, blocks: Sequence[Block] = ()) -> NDArray[np.int32]:
    """Offsets of each ``\\n`` that only wraps prose (between two lines of one paragraph), ascending.

    They end no segment, neither line is blank, and the second line is not quoted mail.
    """
    ends = np.array([n for n in _newlines(text) if _BETWEEN.match(text, max(0, n - 1))], np.int32)
    if not len(ends):
        return ends
    return ends[~np.isin(ends + 1, hard_breaks(text, blocks))]


def segments(text: str, *, blocks: Sequence[Block] = (), layout: Layout | str = Layout.LAYOUT) -> list[Span]:
    """Segments of ``text`` in order, disjoint, trimmed, never empty; the rule is in the module's docstring."""
    edges = [0, *hard_breaks(text, blocks, layout).tolist(), len(text)]
    spans = []
    for start, end in pairwise(edges):
        for a, b in _sentences(text, start, end):
            while a < b and text[a].isspace():
                a += 1
            while a < b and text[b - 1].isspace():
                b -= 1
            if a < b:
                spans.append(Span(a, b))
    return spans


_BETWEEN = re.compile(rf"[^\n]\n[^\S\n]*[^\s{QUOTE}]")


def _newlines(text: str) -> Iterator[int]:
    at = text.find("\n")
    while at >= 0:
        yield at
        at = text.find("\n", at + 1)


@lru_cache(maxsize=1)
def _stop_runs() -> re.Pattern[str]:
    return re.compile(f"[{re.escape(stops())}]+")


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Untrimmed segments of the piece ``[start, end)``."""
    first = at = start
    while run := _stop_runs().search(text, at, end):
        at = run.end()
        if _ends(text, run, start, end):
            while at < end and char_class(text[at]) & (CharClass.CLOSER | CharClass.STRONG_STOP | CharClass.WEAK_STOP):
                at += 1
            yield first, at
            first = at
    if first < end:
        yield first, end


def _ends(text: str, run: re.Match[str], start: int, end: int) -> bool:
    """Whether a run of stops ends a segment (rule 2)."""
    if run.start() == start or run.end() == end:
        return True
    if any(char_class(c) & CharClass.STRONG_STOP for c in set(run.group())):
        return True
    before, after = char_class(text[run.start() - 1]), char_class(text[run.end()])
    return not (before & after & CharClass.GRAPHIC) or bool(after & CharClass.CLOSER)
