"""Where the two sides of a passage differ: sentences first, then characters inside changed sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from workbench.base.types import Span
from workbench.text.segmenting.segmentation import segments

_CHARACTER_LIMIT = 2_000
"""Longest pair of changed stretches (in characters, both together) that is compared character by character;
longer ones are one replacement. Longest blocks first reads best, and is quadratic in the worst case."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference: ``kind`` is inserted (only in b), deleted (only in a) or replaced. Offsets in the whole texts."""

    kind: str
    a_span: Span
    b_span: Span


def differences(a: str, a_span: Span, b: str, b_span: Span) -> list[Edit]:
    """Differences between ``a[a_span)`` and ``b[b_span)``, ordered; empty when equal character for character.

    The fewest sentences are changed, inserted or deleted. Memory grows with the length, time with changed sentences
    times sentences / 64.
    """
    left, right = a[a_span.start : a_span.end], b[b_span.start : b_span.end]
    if left == right:
        return []
    edits = []
    for outer_a, outer_b in _changed(_sentences(left), _sentences(right)):
        for kind, inner_a, inner_b in _characters(left, outer_a, right, outer_b):
            a_from, b_from = a_span.start, b_span.start
            edits.append(Edit(kind, _shift(inner_a, a_from), _shift(inner_b, b_from)))
    return edits


def _shift(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _sentences(text: str) -> list[tuple[Span, str]]:
    """Pieces that cover ``text`` without gaps, cut where sentences end."""
    ends = [s.end for s in segments(text)]
    cuts = sorted({0, len(text), *ends})
    return [(Span(i, j), text[i:j]) for i, j in pairwise(cuts)]


def _changed(a: Sequence[tuple[Span, str]], b: Sequence[tuple[Span, str]]) -> Iterator[tuple[Span, Span]]:
    numbers: dict[str, int] = {}
    left, right = ([numbers.setdefault(text, len(numbers)) for _, text in side] for side in (a, b))
    i = k = 0
    for block in Levenshtein.editops(left, right).as_matching_blocks():
        if block.a > i or block.b > k:
            yield _stretch(a, i, block.a), _stretch(b, k, block.b)
        i, k = block.a + block.size, block.b + block.size


def _stretch(pieces: Sequence[tuple[Span, str]], first: int, last: int) -> Span:
    """Characters of ``pieces[first:last]``; an empty span at the right place when there are none."""
    start = pieces[first][0].start if first < len(pieces) else (pieces[-1][0].end if pieces else 0)
    return Span(start, pieces[last - 1][0].end if last > first else start)


def _characters(left: str, a: Span, right: str, b: Span) -> Iterator[tuple[str, Span, Span]]:
    if a.end - a.start + b.end - b.start > _CHARACTER_LIMIT:
        yield "replaced", a, b
        return
    matcher = SequenceMatcher(None, left[a.start : a.end], right[b.start : b.end], autojunk=False)
    names = {"replace": "replaced", "delete": "deleted", "insert": "inserted"}
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind != "equal":
            yield names[kind], Span(a.start + i, a.start + j), Span(b.start + k, b.start + m)
