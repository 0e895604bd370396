"""The marks of two passages: corresponding words, and the owner of each character."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise, takewhile
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Span
from workbench.kernels.altered.pairing import WordPositions, sides
from workbench.kernels.altered.word_pairs import PHRASE, REPLACED, WORD, word_pairs
from workbench.methods.altered.marks import MarkSort, WordMark
from workbench.methods.altered.words import TextWords, words_of
from workbench.text.normalisation import fold

_SORTS = (MarkSort.PHRASE, MarkSort.WORD, MarkSort.REPLACED)
_KEPT = (MarkSort.PHRASE, MarkSort.WORD)


def word_marks(a: str, a_span: Span, b: str, b_span: Span) -> list[WordMark]:
    """Marks of the passages ``a[a_span)`` (suspect) and ``b[b_span)`` (source), by position in the suspect.

    Every word of either side is in one mark, and no character is in two marks of one side; in scripts without spaces a
    mark covers both characters of a corresponding pair. Words only in the source come last. A word in another form, as
    *attributes* for *attribute*, is replaced. Symbols beside a change belong to it unless both sides have them there.
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
    marks += [WordMark(MarkSort.LEFT_OUT, None, span) for span in b_rest]
    return _without_common_symbols(marks, a, b)


def _without_common_symbols(marks: Sequence[WordMark], a: str, b: str) -> list[WordMark]:
    """``marks`` with changes limited to where the two texts differ between the neighbours that they have in common.

    Where these have one change between them, it also gets the symbols beside it that only one side has.
    """
    kept = [(mark.a_span, mark.b_span) for mark in marks if mark.a_span and mark.b_span and mark.sort in _KEPT]
    following = dict(pairwise(sorted(kept, key=lambda neighbour: neighbour[1])))
    limits: tuple[dict[Span, Span], dict[Span, Span]] = {}, {}
    for before, after in pairwise(sorted(kept)):
        if following.get(before) == after:
            between = [Span(one.end, other.start) for one, other in zip(before, after, strict=True)]
            for limit, span, differing in zip(limits, between, _differing(a, between[0], b, between[1]), strict=True):
                limit[span] = differing
    spans = [mark.a_span for mark in marks], [mark.b_span for mark in marks]
    ours, theirs = map(_limited, (a, b), spans, limits)
    result = []
    for mark, left, right in zip(marks, ours, theirs, strict=True):
        if left or right:
            one_side = MarkSort.NEW if left else MarkSort.LEFT_OUT
            result.append(WordMark(mark.sort if left and right else one_side, left, right))
    return result


def _differing(a: str, a_span: Span, b: str, b_span: Span) -> tuple[Span, Span]:
    """``a_span`` and ``b_span`` without the symbols with which both begin, and those with which both end."""
    sides = a[slice(*a_span)], b[slice(*b_span)]
    before = _common([*map(_symbols, sides)])
    after = _common([_symbols(side[before:][::-1]) for side in sides])
    return Span(a_span.start + before, a_span.end - after), Span(b_span.start + before, b_span.end - after)


def _limited(text: str, spans: Sequence[Span | None], limits: Mapping[Span, Span]) -> Iterator[Span | None]:
    """The marked ``spans`` of ``text`` within the ``limits`` of the stretches that contain them, None for nothing."""
    stretches = sorted(limits)
    around = []
    for span in spans:
        at = bisect_right(stretches, span.start, key=lambda stretch: stretch.start) - 1 if span else -1
        around.append(stretches[at] if span and at >= 0 and span.end <= stretches[at].end else None)
    number = Counter(around)
    for span, stretch in zip(spans, around, strict=True):
        if span is None or stretch is None:
            yield span
            continue
        low, high = limits[stretch]
        start, end = max(span.start, low), min(span.end, high)
        if number[stretch] == 1 and start < end:
            start -= len(_symbols(text[low:start][::-1]))
            end += len(_symbols(text[end:high]))
        yield Span(start, end) if start < end else None


def _symbols(text: str) -> str:
    """The symbols with which ``text`` begins."""
    return "".join(takewhile(_is_symbol, text))


def _common(symbols: Sequence[str]) -> int:
    """The number of symbols with which two strings of ``symbols`` begin, whatever their width."""
    alike = (normalize("NFKC", one) == normalize("NFKC", other) for one, other in zip(*symbols, strict=False))
    return sum(takewhile(bool, alike))


@lru_cache(maxsize=4096)
def _is_symbol(character: str) -> bool:
    """Whether ``character`` is a mark that is not compared."""
    return category(character)[0] in "PS" and not fold(character).text


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
