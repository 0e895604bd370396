"""The marks of two passages: corresponding words, and the owner of each character."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Span
from workbench.kernels.altered.pairing import WordPositions, sides
from workbench.kernels.altered.word_pairs import PHRASE, REPLACED, WORD, word_pairs
from workbench.methods.altered.marks import MarkSort, WordMark
from workbench.methods.altered.words import TextWords, words_of
from workbench.text.normalisation import fold

_SORTS = (MarkSort.PHRASE, MarkSort.WORD, MarkSort.REPLACED)


def word_marks(a: str, a_span: Span, b: str, b_span: Span) -> list[WordMark]:
    """Marks of the passages ``a[a_span)`` (suspect) and ``b[b_span)`` (source), by position in the suspect.

    Every word of either side is in one mark, and no character is in two marks of one side; in scripts without spaces a
    mark covers both characters of a corresponding pair. Words only in the source come last. A word in another form, as
    *attributes* for *attribute*, is replaced.
    """
    left, right = a[a_span.start : a_span.end], b[b_span.start : b_span.end]
    ours, theirs = words_of([left, right])
    if not len(ours) or not len(theirs):
        marks = [WordMark(MarkSort.NEW, Span(a_span.start + s, a_span.start + e), None) for s, e in _whole(ours)]
        return marks + [
            WordMark(MarkSort.LEFT_OUT, None, Span(b_span.start + s, b_span.start + e)) for s, e in _whole(theirs)
        ]
    x, y = _side_by_side(ours, theirs)
    rows = _by_form(word_pairs(x, y, 0, len(ours), 0, len(theirs)), _words(ours, left), _words(theirs, right))
    a_spans, a_rest = _spans(ours, rows[:, 0], rows[:, 1:3], a_span.start)
    b_spans, b_rest = _spans(theirs, rows[:, 0], rows[:, 3:5], b_span.start)
    marks = [
        WordMark(_sort(sort, left, right), left, right)
        for sort, left, right in zip(rows[:, 0].tolist(), a_spans, b_spans, strict=True)
        if left is not None or right is not None
    ]
    marks += [WordMark(MarkSort.NEW, span, None) for span in a_rest]
    marks.sort(key=lambda mark: mark.a_span or Span(len(a), len(a)))
    return marks + [WordMark(MarkSort.LEFT_OUT, None, span) for span in b_rest]


def _words(words: TextWords, text: str) -> list[str]:
    return [text[start:end] for start, end in zip(words.start.tolist(), words.end.tolist(), strict=True)]


def _by_form(rows: NDArray[np.int32], ours: list[str], theirs: list[str]) -> NDArray[np.int32]:
    """``rows``, cut where corresponding words have different forms."""
    cut: list[tuple[int, ...]] = []
    for row in rows.tolist():
        sort, first, last, other, other_last = row
        if sort == REPLACED or ours[first:last] == theirs[other:other_last]:
            cut.append(tuple(row))
            continue
        same = [*map(_same_form, ours[first:last], theirs[other:other_last])]
        for alike, places in groupby(range(last - first), same.__getitem__):
            at, *rest = places
            end = at + 1 + len(rest)
            kind = (PHRASE if rest else WORD) if alike else REPLACED
            cut.append((kind, first + at, first + end, other + at, other + end))
    return np.array(cut, np.int32).reshape(-1, 5)


def _same_form(one: str, other: str) -> bool:
    """Whether two corresponding words, the same by their stems if they are English, have the same letters."""
    if one == other:
        return True
    one, other = fold(one).text, fold(other).text
    return not (one.isascii() and other.isascii() and _letters(one) != _letters(other))


def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, word))


def _sort(sort: int, left: Span | None, right: Span | None) -> MarkSort:
    """The sort of a row; a row with no characters left on one side, because pairs own them, is not a replacement."""
    if left is None or right is None:
        return MarkSort.LEFT_OUT if left is None else MarkSort.NEW
    return _SORTS[sort]


def _side_by_side(a: TextWords, b: TextWords) -> tuple[WordPositions, WordPositions]:
    _, places = np.unique(np.concatenate([a.values, b.values]), return_inverse=True)
    numbers: NDArray[np.int32] = places.astype(np.int32)
    x, y, _ = sides(
        numbers[: len(a)],
        numbers[len(a) :],
        np.zeros(len(a) + 1, np.float32),
        np.zeros(len(b) + 1, np.float32),
        np.full(len(numbers), -1, np.int32),
    )
    return x, y


def _whole(words: TextWords) -> list[tuple[int, int]]:
    return [(int(words.start[0]), int(words.close[-1]))] if len(words) else []


def _spans(
    words: TextWords, sorts: NDArray[np.int32], rows: NDArray[np.int32], shift: int
) -> tuple[list[Span | None], list[Span]]:
    """The characters of each row of words ``[first, last)``, and those of words in no row.

    Corresponding words get their characters first; replaced words get the remaining ones.
    """
    owner = np.full(int(words.reach.max()), -1, np.int32)
    corresponds = sorts != REPLACED
    for rank in (np.flatnonzero(~corresponds), np.flatnonzero(corresponds)):
        for r in rank[np.argsort(rows[rank, 0], kind="stable")].tolist():
            first, last = rows[r].tolist()
            # The second character of the last pair; if the next row claims it, it belongs to that row.
            owner[words.start[first] : words.reach[last - 1]] = r
    spans: list[Span | None] = [None] * len(rows)
    for r in range(len(rows)):
        first, last = rows[r].tolist()
        low, high = int(words.start[first]), int(words.reach[last - 1])
        own = np.flatnonzero(owner[low:high] == r)
        if len(own):
            spans[r] = Span(shift + low + int(own[0]), shift + low + int(own[-1]) + 1)
    free: list[Span] = []
    end = 0
    for i in range(len(words)):
        start = max(end, int(words.start[i]))
        own = np.flatnonzero(owner[start : words.reach[i]] < 0)
        if not len(own):
            continue
        start, end = start + int(own[0]), start + int(own[-1]) + 1
        before = free[-1].end - shift if free else -1
        if 0 <= start - before <= 1 and words.breaks[i] == 0 and not (owner[before:start] >= 0).any():
            free[-1] = Span(free[-1].start, shift + end)
        else:
            free.append(Span(shift + start, shift + end))
    return spans, free
