"""Where the two sides of a passage differ: sentences first, then words and characters inside changed sentences.

A side is read as a sequence of *units*: words; single characters of scripts written without spaces, and marks, each
with the combining marks after it (composed or not is no difference); and white space, collapsed to one space. White
space beside a script without spaces, or at either end of the passage, is ignored: line ends and spaces made by a format
or its reader are not differences. Nor are soft hyphens, and a hyphen at the end of a line, if the other side has the
word in one piece; otherwise only the line end is ignored. Nor is the same character in simplified and traditional
Chinese, or in its new and old Japanese form, if the two sides are in these two scripts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from rapidfuzz.distance import Indel, Levenshtein

from workbench.base.types import Span
from workbench.services.review.spans import difference, union_of
from workbench.text.scripts import script_fold
from workbench.text.segmenting.segmentation import Layout, segments
from workbench.text.tokens import SPACELESS_CLASS, UNSPACED_CLASS

_READABLE, _LONGEST = 2_000, 20_000
"""Total number of units of a pair of changed stretches. Up to the first limit, the longest blocks are matched first,
which reads best and is quadratic in the worst case; up to the second, the fewest units are changed, which takes 25 MB
of memory; beyond it the stretches are one replacement.
"""
_ALIKE, _MOST_SENTENCES = 0.5, 2_500
"""Share of the units of two sentences in common from which one is the other, moved and changed; and the maximum number
of pairs that are compared.
"""
_SPACELESS = re.compile(f"[{SPACELESS_CLASS}]")
_SOFT_HYPHEN = "\u00ad"
_HYPHENS = ("-", "\u2010")
_LINE_END = re.compile(r"[\n\r\v\f\x85\u2028\u2029]")
_COMBINED = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Accents, voiced sound marks and variation selectors, which are read with the character before them."""
_UNIT = re.compile(rf"\s+|(?:(?![{UNSPACED_CLASS}])[\w\u0300-\u036f{_SOFT_HYPHEN}])+|(?s:.)[{_COMBINED}]*")


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference: ``kind`` is inserted (only in b), deleted (only in a) or replaced. Offsets in the whole texts."""

    kind: str
    a_span: Span
    b_span: Span


class TextUnit(NamedTuple):
    """A unit of a text: its compared form, and its place."""

    key: str
    span: Span


def differences(a: str, a_span: Span, b: str, b_span: Span) -> list[Edit]:
    """Differences between ``a[a_span)`` and ``b[b_span)``, ordered; empty when equal unit for unit.

    The fewest sentences are changed, inserted or deleted. Memory grows with the length, time with changed sentences
    times sentences / 64.
    """
    left, right = a[a_span.start : a_span.end], b[b_span.start : b_span.end]
    # The same character in another script is not a difference; each stays one code point.
    if fold := script_fold(left, right):
        left, right = left.translate(fold), right.translate(fold)
    if left == right:
        return []
    a_units, b_units = units(left), units(right)
    a_words, b_words = _words(left, a_units), _words(right, b_units)
    a_units, b_units = _unbroken(left, a_units, b_words), _unbroken(right, b_units, a_words)
    edits = []
    for outer_a, outer_b in _changed(_sentences(left, a_units), _sentences(right, b_units)):
        for kind, inner_a, inner_b in _inside(a_units, outer_a, b_units, outer_b):
            a_place, b_place = _place(a_units, inner_a, len(left)), _place(b_units, inner_b, len(right))
            edits.append(Edit(kind, _shift(a_place, a_span.start), _shift(b_place, b_span.start)))
    return edits


def differing(
    a: str,
    a_span: Span,
    b: str,
    b_span: Span,
    edits: Sequence[Edit],
    gaps: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
) -> int:
    """Number of characters on both sides in ``edits``, without sentences that the other side has at another place; of
    one that was also changed, only the changes count. Text in ``gaps`` of either side does not count.
    """
    if not edits:
        return 0
    left, right = a[slice(*a_span)], b[slice(*b_span)]
    if fold := script_fold(left, right):
        left, right = left.translate(fold), right.translate(fold)
    sides = []
    for text, start in ((left, a_span.start), (right, b_span.start)):
        bounds = [*(sentence.start for sentence in segments(text)), len(text)]
        sides.append([("".join(text[i:j].split()), _shift(Span(i, j), start)) for i, j in pairwise(bounds)])
    common = Counter(key for key, _ in sides[0]) & Counter(key for key, _ in sides[1])
    number = 0
    moved: list[dict[Span, int]] = []
    spans = zip(*((e.a_span, e.b_span) for e in edits), strict=True)
    for sentences, changed, apart in zip(sides, spans, gaps, strict=True):
        free = common.copy()
        same = []
        for key, span in sentences:
            if free[key]:
                free[key] -= 1
                same.append(span)
        different = difference(union_of(changed), union_of([*same, *apart]))
        number += different.length
        before = different.length_before(np.array([span for _, span in sentences]).reshape(-1, 2))
        sizes = zip((span for _, span in sentences), np.diff(before)[:, 0].tolist(), strict=True)
        moved.append({span: size for span, size in sizes if 2 * size >= span.end - span.start > 0})
    for x, y in _counterparts(a, [*moved[0]], b, [*moved[1]]):
        changes = sum(end - start for edit in differences(a, x, b, y) for start, end in (edit.a_span, edit.b_span))
        number -= max(0, moved[0][x] + moved[1][y] - changes)
    return number


def _counterparts(
    a: str, a_sentences: Sequence[Span], b: str, b_sentences: Sequence[Span]
) -> Iterator[tuple[Span, Span]]:
    """Sentences of ``a`` and ``b`` that have most of their units in common, the most similar first, each once."""
    if len(a_sentences) * len(b_sentences) > _MOST_SENTENCES:
        return
    left, right = (
        [[unit.key for unit in units(t[slice(*span)])] for span in spans]
        for t, spans in ((a, a_sentences), (b, b_sentences))
    )
    alike = ((Indel.normalized_similarity(x, y), i, j) for i, x in enumerate(left) for j, y in enumerate(right))
    used_a, used_b = set(), set()
    for _, i, j in sorted((row for row in alike if row[0] >= _ALIKE), key=lambda row: (-row[0], row[1:])):
        if i not in used_a and j not in used_b:
            used_a.add(i)
            used_b.add(j)
            yield a_sentences[i], b_sentences[j]


def units(text: str) -> list[TextUnit]:
    """The units of ``text``, in order."""
    pieces = ((piece.group(), Span(*piece.span())) for piece in _UNIT.finditer(text))
    keyed = (
        TextUnit(" " if key.isspace() else normalize("NFC", key.replace(_SOFT_HYPHEN, "")), span)
        for key, span in pieces
    )
    return [unit for unit in keyed if unit.key and (unit.key != " " or _divides(text, unit.span))]


def _words(text: str, units: Sequence[TextUnit]) -> set[str]:
    """The compared forms of the units of ``text``, and the words hyphenated at its line ends in one piece."""
    keys = {unit.key for unit in units}
    for at in range(3, len(units) + 1):
        if (length := _broken(text, units[max(0, at - 4) : at])) > 0:
            keys.add(units[at - length].key + units[at - 1].key)
    return keys


def _unbroken(text: str, units: Sequence[TextUnit], words: Container[str]) -> list[TextUnit]:
    """``units`` of ``text``, joining words hyphenated at line ends if ``words`` has them in one piece."""
    joined: list[TextUnit] = []
    for unit in units:
        joined.append(unit)
        if (length := _broken(text, joined[-4:])) > 0:
            first, *_, last = joined[-length:]
            if (whole := first.key + last.key) in words or length == _SOFT_HYPHEN_UNITS:
                joined[-length:] = [TextUnit(whole, Span(first.span.start, last.span.end))]
            else:
                del joined[-2]
    return joined


_SOFT_HYPHEN_UNITS = 3
"""Number of units of a word that is broken by a soft hyphen, which belongs to its first part."""


def _broken(text: str, last: Sequence[TextUnit]) -> int:
    """The number of the ``last`` units of ``text`` that form a word hyphenated at a line end; 0 for none."""
    if (
        len(last) < _SOFT_HYPHEN_UNITS
        or last[-2].key != " "
        or not _is_word(last[-1])
        or not _LINE_END.search(text, *last[-2].span)
    ):
        return 0
    before = last[-3]
    if text[before.span.end - 1] == _SOFT_HYPHEN and _is_word(before):
        return _SOFT_HYPHEN_UNITS
    return 4 if len(last) == 4 and before.key in _HYPHENS and _is_word(last[-4]) else 0


def _is_word(unit: TextUnit) -> bool:
    return unit.key[0].isalnum()


def _divides(text: str, space: Span) -> bool:
    """Whether the white space at ``space`` is between two characters of scripts written with spaces."""
    beside = text[max(0, space.start - 1) : space.start], text[space.end : space.end + 1]
    return all(character and not _SPACELESS.match(character) for character in beside)


def _shift(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _place(units: Sequence[TextUnit], rows: Span, length: int) -> Span:
    """Characters of ``units[rows)``; an empty span at the right place if there are none."""
    if rows.end > rows.start:
        return Span(units[rows.start].span.start, units[rows.end - 1].span.end)
    at = units[rows.start].span.start if rows.start < len(units) else length
    return Span(at, at)


def _sentences(text: str, units: Sequence[TextUnit]) -> list[tuple[Span, tuple[str, ...]]]:
    """The rows of ``units`` that form each sentence of ``text``, without gaps, with its compared form."""
    ends = [s.end for s in segments(text, layout=Layout.NEVER)]
    starts = [unit.span.start for unit in units]
    edges = sorted({0, *(bisect_left(starts, end) for end in ends), len(units)})
    return [(Span(i, j), _key(units[i:j])) for i, j in pairwise(edges)]


def _key(sentence: Sequence[TextUnit]) -> tuple[str, ...]:
    """The compared form of a sentence: without the space before it."""
    first = 1 if sentence[0].key == " " else 0
    return tuple(unit.key for unit in sentence[first:])


def _changed(
    a: Sequence[tuple[Span, tuple[str, ...]]], b: Sequence[tuple[Span, tuple[str, ...]]]
) -> Iterator[tuple[Span, Span]]:
    numbers: dict[tuple[str, ...], int] = {}
    left, right = ([numbers.setdefault(keys, len(numbers)) for _, keys in side] for side in (a, b))
    i = k = 0
    for block in Levenshtein.editops(left, right).as_matching_blocks():
        if block.a > i or block.b > k:
            yield _stretch(a, i, block.a), _stretch(b, k, block.b)
        i, k = block.a + block.size, block.b + block.size


def _stretch(pieces: Sequence[tuple[Span, tuple[str, ...]]], first: int, last: int) -> Span:
    """Rows of ``pieces[first:last]``; an empty span at the right place when there are none."""
    start = pieces[first][0].start if first < len(pieces) else (pieces[-1][0].end if pieces else 0)
    return Span(start, pieces[last - 1][0].end if last > first else start)


def _inside(left: Sequence[TextUnit], a: Span, right: Sequence[TextUnit], b: Span) -> Iterator[tuple[str, Span, Span]]:
    """Differences between ``left[a)`` and ``right[b)``, in rows."""
    size = a.end - a.start + b.end - b.start
    if size > _LONGEST:
        yield "replaced", a, b
        return
    one, other = ([unit.key for unit in units[span.start : span.end]] for units, span in ((left, a), (right, b)))
    names = {"replace": "replaced", "delete": "deleted", "insert": "inserted"}
    opcodes: Iterable[tuple[str, int, int, int, int]]
    if size > _READABLE:
        opcodes = (tuple(op) for op in Levenshtein.opcodes(one, other))  # type: ignore[misc]
    else:
        opcodes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    for kind, i, j, k, m in opcodes:
        if kind != "equal":
            yield names[kind], Span(a.start + i, a.start + j), Span(b.start + k, b.start + m)
