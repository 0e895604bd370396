"""Limits of the source's side, against all runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernels.altered.pairing import WordPositions, sides
from workbench.kernels.altered.word_pairs import PHRASE, REPLACED, word_pairs
from workbench.methods.altered.kinds import (
    END,
    FRAGMENT,
    OTHER,
    Classified,
    classified,
    narrowed,
    without_own_fragments,
)
from workbench.methods.altered.passage import WordPassage, without_edge_holes
from workbench.methods.core.figures import CopyKind

NUMBERS = st.lists(st.integers(0, 12), min_size=3, max_size=30)
BREAKS = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=31, max_size=31)


def paired(a: list[int], b: list[int], breaks: list[float]) -> tuple[WordPositions, WordPositions]:
    x, y = np.array(a, np.int32), np.array(b, np.int32)
    ends = np.zeros(len(x) + 1, np.float32), np.array(breaks[: len(y) + 1], np.float32)
    left, right, _ = sides(x, y, *ends, np.full(100, -1, np.int32))
    return left, right


def narrowed_pair(a: WordPositions, b: WordPositions, p: WordPassage) -> WordPassage:
    return narrowed(b, p, word_pairs(a, b, p.a_start, p.a_end, p.b_start, p.b_end))


def worth(a: WordPositions, b: WordPositions, start: int, end: int) -> float:
    """What the source's words [start, end) are worth, by the definition."""
    words = [-OTHER] * len(b.words)
    for sort, _, _, first, last in word_pairs(a, b, 0, len(a.words), 0, len(b.words)).tolist():
        words[first:last] = [0.0 if sort == REPLACED else 1.0] * (last - first)
    return sum(words[start:end]) - END * (2 - float(b.breaks[start]) - float(b.breaks[end]))


@given(NUMBERS, NUMBERS, BREAKS)
def test_the_source_keeps_its_best_run_of_words_in_common(a: list[int], b: list[int], breaks: list[float]) -> None:
    x, y = paired(a, b, breaks)
    whole = WordPassage(0, len(a), 0, len(b), 50.0, 50.0)
    passage = narrowed_pair(x, y, whole)
    assert (passage.a_start, passage.a_end, passage.odds) == (0, len(a), 50.0)
    runs = {(s, e): worth(x, y, s, e) for s in range(len(b)) for e in range(s + 1, len(b) + 1)}
    best = max(runs.values())
    expected = {lines_with_pairs(x, y, *run) for run, value in runs.items() if abs(value - best) < 1e-4}
    kept = {(s, e) for s, e in expected if e - s >= 3}
    # Less than three words are nothing to narrow a passage to.
    assert (passage.b_start, passage.b_end) in (kept | ({(0, len(b))} if expected - kept else set()))


def lines_with_pairs(a: WordPositions, b: WordPositions, start: int, end: int) -> tuple[int, int]:
    """[start, end) of the source, a line at its limits taken off as long as it has no word in common."""
    common = {
        place
        for sort, _, _, first, last in word_pairs(a, b, 0, len(a.words), 0, len(b.words)).tolist()
        for place in range(first, last)
        if sort != REPLACED
    }
    if not common & set(range(start, end)):
        return start, end
    ends = [start, *(place for place in range(start + 1, end) if b.breaks[place] > 0), end]
    lines = list(pairwise(ends))
    while not common & set(range(*lines[0])):
        lines.pop(0)
    while not common & set(range(*lines[-1])):
        lines.pop()
    return lines[0][0], lines[-1][1]


@given(NUMBERS, NUMBERS, BREAKS)
def test_a_summary_stays_as_it_is(a: list[int], b: list[int], breaks: list[float]) -> None:
    x, y = paired(a, b, breaks)
    whole = WordPassage(0, len(a), 0, len(b), 50.0, 50.0, summary=True)
    assert narrowed_pair(x, y, whole) == whole


def test_what_the_suspect_has_not_is_cut_off_at_sentence_ends() -> None:
    """Words 50 and up are the source's own; a sentence ends before word 3."""
    copied = list(range(1, 13))
    source = [50, 51, 52, *copied, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65]
    x, y = paired(copied, source, [1.0, 0, 0, 1.0] + [0.0] * 11 + [1.0] + [0.0] * 20)
    passage = narrowed_pair(x, y, WordPassage(0, len(copied), 0, len(source), 50.0, 50.0))
    assert (passage.b_start, passage.b_end) == (3, 15)


def test_a_line_above_the_copied_one_in_the_source_is_not_part_of_it() -> None:
    """A heading of two words, without a full stop, above what was copied, and another below it; then two of one."""
    copied = list(range(1, 13))
    breaks = [1.0, 0.5, 0.5] + [0.0] * 11 + [0.5, 0.5, 1.0]
    x, y = paired(copied, [50, 51, *copied, 52, 53], breaks)
    passage = narrowed_pair(x, y, WordPassage(0, len(copied), 0, 16, 50.0, 50.0))
    assert (passage.b_start, passage.b_end) == (2, 14)
    breaks = [1.0, 0, 0.5] + [0.0] * 11 + [0.5, 0, 1.0]
    x, y = paired(copied, [50, 51, *copied, 52, 53], breaks)
    passage = narrowed_pair(x, y, WordPassage(0, len(copied), 0, 16, 50.0, 50.0))
    assert (passage.b_start, passage.b_end) == (2, 14)


def limits_with_fragment(size: int, near: int, end: float = 1.0) -> tuple[int, int]:
    """The suspect's limits: ``size`` words, with an ``end`` of a sentence (1) or a line (.5), before 20 copied ones,
    all in the source: the last ``near``, backwards, before the same words there, the rest after them.
    """
    fragment, copied = list(range(50, 50 + size)), list(range(20))
    a = fragment + copied
    cut = size - near
    b = [*reversed(fragment[cut:]), *copied, 90, 91, 92, *fragment[:cut]]
    ours = np.zeros(len(a) + 1, np.float32)
    ours[[0, size, -1]] = 1, end, 1
    theirs = np.zeros(len(b) + 1, np.float32)
    x, y, _ = sides(np.array(a, np.int32), np.array(b, np.int32), ours, theirs, np.full(100, -1, np.int32))
    p = WordPassage(0, len(a), 0, len(b), 50.0, 50.0)
    kept = without_own_fragments(x, p, word_pairs(x, y, 0, len(a), 0, len(b)))
    return kept.a_start, kept.a_end


@pytest.mark.parametrize(
    ("hole", "limits"), [((0, 3), (3, 23)), ((0, 5), (5, 23)), ((3, 5), (5, 23)), ((9, 12), (3, 23))]
)
def test_without_the_writers_own_sentence_no_hole_is_at_a_limit_or_beyond_it(
    hole: tuple[int, int], limits: tuple[int, int]
) -> None:
    p = own_sentence_before(3, WordPassage(0, 23, 0, 23, 50.0, 50.0, a_holes=(hole,)))
    assert (p.a_start, p.a_end) == limits
    assert p.a_holes == ((hole,) if hole[0] > limits[0] else ())


@given(st.lists(st.integers(0, 12), min_size=2, max_size=8, unique=True).map(sorted))
def test_the_words_outside_of_holes_stay_and_no_hole_is_at_a_limit(bounds: list[int]) -> None:
    holes = tuple(pairwise(bounds))[:: 1 + len(bounds) % 2]
    outside = [word for word in range(2, 11) if not any(low <= word < high for low, high in holes)]
    start, end, inner = without_edge_holes(holes, 2, 11)
    if outside:
        assert (start, end) == (outside[0], outside[-1] + 1)
    assert [word for word in range(start, end) if not any(low <= word < high for low, high in inner)] == outside


def test_a_passage_that_is_all_holes_keeps_its_limits() -> None:
    p = WordPassage(0, 23, 0, 23, 50.0, 50.0, a_holes=((0, 23),))
    assert own_sentence_before(3, p) == p


def own_sentence_before(size: int, p: WordPassage) -> WordPassage:
    """``p`` without the writer's own: ``size`` words before 20 copied ones, which the source has after these."""
    fragment, copied = list(range(50, 50 + size)), list(range(20))
    a, b = fragment + copied, copied + fragment
    ours, theirs = np.zeros(len(a) + 1, np.float32), np.zeros(len(b) + 1, np.float32)
    ours[[0, size, -1]], theirs[[0, 20, -1]] = 1, 1
    x, y, _ = sides(np.array(a, np.int32), np.array(b, np.int32), ours, theirs, np.full(100, -1, np.int32))
    return without_own_fragments(x, p, word_pairs(x, y, 0, len(a), 0, len(b)))


def test_a_short_sentence_whose_words_the_source_uses_elsewhere_is_the_writers_own() -> None:
    assert limits_with_fragment(FRAGMENT, 0) == (FRAGMENT, FRAGMENT + 20)
    assert limits_with_fragment(FRAGMENT + 1, 0) == (0, FRAGMENT + 21)


def test_a_list_item_without_a_full_stop_above_the_copy_is_the_writers_own() -> None:
    assert limits_with_fragment(2, 0, end=0.5) == (2, 22)


def test_a_list_item_whose_last_word_the_source_has_before_the_copy_is_the_writers_own() -> None:
    assert limits_with_fragment(4, 1, end=0.5) == (4, 24)
    assert limits_with_fragment(2, 1, end=0.5) == (0, 22)


def test_a_sentence_of_which_half_precedes_the_copy_in_the_source_belongs_to_it() -> None:
    assert limits_with_fragment(10, 4) == (10, 30)
    assert limits_with_fragment(10, 5) == (0, 30)


def test_the_kind_of_a_passage_is_that_of_its_words_outside_holes() -> None:
    rows = np.array([(PHRASE, 0, 10, 100, 110), (PHRASE, 20, 30, 110, 120)], np.int32)
    whole = WordPassage(0, 30, 100, 120, 9.0, 9.0)
    assert classified(whole, rows).shared == 2 / 3
    assert classified(replace(whole, a_holes=((10, 20),)), rows) == Classified(CopyKind.LIGHTLY_CHANGED, 1.0)
    assert classified(replace(whole, a_holes=((0, 20),)), rows).shared == 1
    assert classified(replace(whole, a_holes=((0, 30),)), rows).shared == 0
    beyond = np.array([(PHRASE, 0, 12, 100, 112), (PHRASE, 20, 30, 112, 122)], np.int32)
    assert classified(replace(whole, a_holes=((10, 20),)), beyond) == Classified(CopyKind.LIGHTLY_CHANGED, 1.0)


def test_holes_at_the_limits_of_the_sources_side_do_not_belong_to_it() -> None:
    """Words 50 and up are the source's own; no sentence ends beside the copied ones."""
    copied = list(range(1, 13))
    x, y = paired(copied, [50, 51, *copied, 52, 53], [1.0] + [0.0] * 15 + [1.0])
    whole = WordPassage(0, len(copied), 0, 16, 50.0, 50.0)
    assert (narrowed_pair(x, y, whole).b_start, narrowed_pair(x, y, whole).b_end) == (0, 16)
    passage = narrowed_pair(x, y, replace(whole, b_holes=((0, 2), (6, 8), (14, 16))))
    assert (passage.b_start, passage.b_end, passage.b_holes) == (2, 14, ((6, 8),))
