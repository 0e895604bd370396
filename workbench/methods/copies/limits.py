"""Where a passage may begin and end: at words, and behind the changed sentences at its edges."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from workbench.base.types import Span
from workbench.text.segmenting.characters import stops
from workbench.text.tokens import UNSPACED, UNSPACED_CLASS

SHORT = 16
"""Characters of a fragment of a sentence, at the limits of a passage, that are left out of it."""
ALIKE = 0.5
"""Share of the words of two sentences at an edge of a passage from which on they belong to it."""
REST = 1 / 3
"""The same of the rests of two sentences that are alike as a whole."""
LONGEST = 400
"""Characters of text that are searched for the end of such a sentence."""
_STOPS = frozenset(stops())
_ANY, _STRONG = re.escape(stops()), re.escape("".join(sorted(_STOPS - set(".!?"))))
_CLOSERS = "[\"'”’»」』）)\\]]*"
_END = re.compile(rf"[.!?]*[{_STRONG}][{_ANY}]*{_CLOSERS}|[.!?]+{_CLOSERS}(?=\s|$|[^\x00-\x7f])|\n")
_WORD = re.compile(rf"[{UNSPACED_CLASS}]|[^\W{UNSPACED_CLASS}]+")


def snap_to_words(text: str, span: Span) -> Span:
    """``span`` without fragments of words and of sentences at its limits; ``span`` itself where little would remain."""
    start, end = span
    while start < end and start > 0 and _letter(text[start - 1]) and _letter(text[start]):
        start += 1
    while end > start and end < len(text) and _letter(text[end - 1]) and _letter(text[end]):
        end -= 1
    if start != span.start:
        start = _after_fragment(text, start, end)
    if 2 * (end - start) < span.end - span.start:
        return span
    while start < end and start != span.start and text[start].isspace():
        start += 1
    while end > start and end != span.end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _after_fragment(text: str, start: int, end: int) -> int:
    """Behind the last stop near ``start``, else ``start``."""
    for i in range(min(start + SHORT, end) - 1, start - 1, -1):
        if text[i] in _STOPS:
            return i + 1
    return start


def sentences(text: str, span: Span) -> int:
    """How many sentences ``span`` has, a beginning of one included."""
    inner = text[slice(*span)].rstrip()
    return 1 + sum(match.end() < len(inner) for match in _END.finditer(inner))


def with_changed_sentences(a: str, a_span: Span, b: str, b_span: Span) -> tuple[Span, Span]:
    """The limits of a passage of ``a`` and ``b``, extended over the changed sentences that continue it on both sides.

    Sentences continue it where at least ALIKE of their words (characters, in scripts without spaces) are the same in
    the same order: the next ones; where it ends within one, the rest, or the whole if it covers more than half.
    """
    start, other = _extended(a, a_span.start, b, b_span.start, forwards=False)
    end, other_end = _extended(a, a_span.end, b, b_span.end, forwards=True)
    return Span(start, end), Span(other, other_end)


def source_place(a: str, edge: Span, b: str, within: Span) -> int:
    """The offset in ``b``, within ``within``, that corresponds to ``edge`` in ``a``: where the same words follow or
    precede; else the end of ``within``.
    """
    after, before = a[edge.end : edge.end + LONGEST].lstrip(), a[max(0, edge.start - LONGEST) : edge.start].rstrip()
    for size in (4 * SHORT, 2 * SHORT, SHORT):
        follows = b.find(after[:size], *within) if len(after) >= size else -1
        if follows >= 0:
            return follows
        precedes = b.find(before[-size:], *within) if len(before) >= size else -1
        if precedes >= 0:
            return precedes + size
    return within.end


def words(text: str) -> list[str]:
    """The words of ``text``; in scripts without spaces its characters."""
    return _WORD.findall(text)


def alike(a: str, b: str) -> float:
    """Share of the words of two sentences, in [0, 1], that are the same in the same order; 0 where there are none."""
    ours, theirs = words(a.casefold()), words(b.casefold())
    both = len(ours) + len(theirs)
    if 2 * sum((Counter(ours) & Counter(theirs)).values()) < REST * both or not both:
        return 0.0  # the order cannot make more of it
    return 2 * _in_order(ours, theirs) / both


def _in_order(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence, by bits (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for i, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << i
    every = (1 << len(a)) - 1
    row = every
    for word in b:
        met = row & places.get(word, 0)
        row = ((row + met) | (row - met)) & every
    return len(a) - row.bit_count()


class _Edge(NamedTuple):
    """The sentence at an edge of a passage, or, where that lies ``between`` two, those on both sides of it.

    ``covered``: what the passage covers of it, or the last sentence; ``rest``: what is left of it, or the next
    sentence; ``limit``: the offset behind ``rest``; ``whole``: all of it.
    """

    covered: str
    rest: str
    whole: str
    limit: int
    between: bool


def _extended(a: str, at: int, b: str, other: int, *, forwards: bool) -> tuple[int, int]:
    """An edge of a passage (offsets in ``a`` and ``b``) behind the sentences that continue it."""
    while True:
        ours, theirs = _edge(a, at, forwards=forwards), _edge(b, other, forwards=forwards)
        more = ours.limit, theirs.limit
        if ours.between and theirs.between:
            goes_on = alike(ours.rest, theirs.rest) >= ALIKE
        elif ours.between or theirs.between:
            within, around = (theirs, ours) if ours.between else (ours, theirs)
            goes_on = alike(within.whole, around.rest) >= ALIKE
            whole = alike(within.whole, around.covered)
            if not goes_on and whole >= ALIKE and whole > alike(within.covered, around.covered):
                goes_on, more = True, (at, theirs.limit) if ours.between else (ours.limit, other)
        else:
            rests = alike(ours.rest, theirs.rest)
            goes_on = rests >= (REST if alike(ours.whole, theirs.whole) >= ALIKE else ALIKE)
        if not goes_on or more == (at, other):
            return at, other
        at, other = more


def _edge(text: str, at: int, *, forwards: bool) -> _Edge:
    """The sentence at the edge ``at`` of a passage that lies before it (``forwards``) or behind it."""
    low, high = max(0, at - LONGEST), min(len(text), at + LONGEST)
    last, lead = low + len(text[low:at].rstrip()), high - len(text[at:high].lstrip())
    ends = [match.end() for match in _END.finditer(text, low, high)]
    between = last == low or lead == high or any(last <= end <= lead for end in ends)
    begins = max((end for end in ends if end < last), default=0 if low == 0 else at)
    stops_at = min((end for end in ends if end > lead), default=high if high == len(text) else at)
    before, after = text[begins:at], text[at:stops_at]
    if forwards:
        return _Edge(before, after, before + after, at + len(after.rstrip()), between)
    return _Edge(after, before, before + after, at - len(before.lstrip()), between)


def _letter(character: str) -> bool:
    """Whether it is a letter or digit of a script written with spaces."""
    return character.isalnum() and not any(low <= ord(character) <= high for low, high, _ in UNSPACED)
