"""Marks on words, as a question of the window asks for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import Cancelled
from workbench.base.types import Match, Span, Tier
from workbench.services.reports.data import tier_name
from workbench.services.reports.strings import ENGLISH
from workbench.services.review.differences import differences
from workbench.services.review.word_marks import (
    MarkSort,
    SameBut,
    WordMark,
    changes,
    outside,
    outside_gaps,
    same_but_for,
    word_marks,
)


class Watched:
    """A context that is cancelled after ``patience`` looks."""

    def __init__(self, patience: int = 100) -> None:
        self._patience = patience

    def check(self) -> None:
        self._patience -= 1
        if self._patience < 0:
            raise Cancelled


A, B = "xx common words here, and more.", "common words there. common words here"


def test_each_passage_has_its_marks_in_offsets_of_the_texts() -> None:
    first, second = word_marks(Watched(), A, B, np.array([[3, 20, 20, 37], [3, 20, 0, 19]]))  # type: ignore[arg-type]
    assert [(m.sort, m.a_span, m.b_span) for m in first] == [(MarkSort.PHRASE, Span(3, 20), Span(20, 37))]
    assert second[0].b_span == Span(0, 12)


def test_of_a_translation_no_words_are_compared() -> None:
    match = Match(1, 2, Span(3, 20), Span(20, 37), 30.0, evidence={"tier": int(Tier.ALTERED), "means": 0, "pairs": 3})
    assert changes(A, B, match) == ([], [])
    assert tier_name(Tier.ALTERED, match.evidence) == "translated"
    assert ENGLISH["translated"] == "in another language"


@pytest.mark.parametrize(
    ("a", "b", "differing"),
    [
        ("在二万五千英尺高度上，功率只有一半。", "在25000英尺高度上，功率只有一半。", SameBut.WRITING),
        ("三月に港が開いた。", "3月に港が開いた。", SameBut.WRITING),
        ("サケは秋に川を上る。", "さけは秋に川を上る。", SameBut.WRITING),
        ("港の朝市は早い。1 網は重い。", "港の朝市は早い。網は重い。", SameBut.INSERTIONS),
        ("港の朝市は早い，網は重い", "港の朝市は早い。網は重い。", SameBut.NOTHING),
        ("第１２回の報告", "第12回の報告", SameBut.NOTHING),
    ],
)
def test_an_equal_passage_says_in_what_its_sides_differ(a: str, b: str, differing: SameBut) -> None:
    match = Match(1, 2, Span(0, len(a)), Span(0, len(b)), 30.0, evidence={"tier": int(Tier.FOLDED)})
    assert same_but_for(match, a, b) is differing
    assert differing is SameBut.NOTHING or ENGLISH[tier_name(Tier.FOLDED, match.evidence, differing)]


def test_it_stops_when_nobody_waits_any_more() -> None:
    with pytest.raises(Cancelled):
        word_marks(Watched(1), A, B, np.array([[3, 20, 20, 37]] * 2))  # type: ignore[arg-type]


FIRST = "The harbour of Velmouth was dug by hand between 1811 and 1824, when the old beach gave no shelter any longer. "
SECOND = (
    "Four hundred labourers removed the clay with spades and carried it in baskets to the marshes behind the church. "
)
OWN = "My grandmother kept a photograph of her wedding on the shelf. "


def altered(suspect: str, source: str, *gaps: Span) -> Match:
    return Match(1, 2, Span(0, len(suspect)), Span(0, len(source)), 1.0, {"tier": Tier.ALTERED}, gaps)


def test_what_was_moved_in_an_altered_passage_is_not_changed_and_what_was_replaced_is() -> None:
    suspect, source = SECOND + FIRST.replace("dug", "built"), FIRST + SECOND
    ours, theirs = changes(suspect, source, altered(suspect, source))
    assert [suspect[slice(*span)] for span in ours] == ["built"]
    assert [source[slice(*span)] for span in theirs] == ["dug"]


def test_text_in_a_gap_is_not_changed() -> None:
    suspect, source = FIRST + OWN + SECOND.replace("clay", "mud"), FIRST + SECOND
    gap = Span(len(FIRST), len(FIRST + OWN))
    ours, _ = changes(suspect, source, altered(suspect, source, gap))
    assert [suspect[slice(*span)] for span in ours] == ["mud"]


def test_words_in_a_gap_are_not_new_words() -> None:
    kept, beside, within = (
        WordMark(MarkSort.PHRASE, Span(0, 9), Span(0, 9)),
        WordMark(MarkSort.NEW, Span(8, 14), None),
        WordMark(MarkSort.NEW, Span(11, 15), None),
    )
    left_out = WordMark(MarkSort.LEFT_OUT, None, Span(11, 15))
    match = replace(altered(FIRST, FIRST), a_gaps=(Span(10, 20),))
    cut = WordMark(MarkSort.NEW, Span(8, 10), None)
    assert outside_gaps([kept, beside, within, left_out], match) == [kept, cut, left_out]


def test_the_changes_of_other_passages_are_those_of_the_edit_script() -> None:
    suspect, source = FIRST, FIRST.replace("1811", "1812")
    match = replace(altered(suspect, source), evidence={"tier": Tier.FOLDED})
    edits = differences(suspect, match.a_span, source, match.b_span)
    assert changes(suspect, source, match) == ([e.a_span for e in edits], [e.b_span for e in edits])
    assert len(edits) == 1


PLACES = st.lists(st.integers(0, 20), max_size=8).map(
    lambda edges: [Span(*pair) for pair in zip(sorted(edges)[::2], sorted(edges)[1::2], strict=False)]
)


@given(PLACES, PLACES)
def test_spans_outside_gaps_are_sets_of_characters(spans: list[Span], gaps: list[Span]) -> None:
    gaps = [gap for gap in gaps if gap.start < gap.end]
    within = {at for gap in gaps for at in range(*gap)}
    left = outside(spans, gaps)
    assert {at for span in left for at in range(*span)} == {at for span in spans for at in range(*span)} - within
    empty = [span for span in spans if span.start == span.end]
    assert [span for span in left if span.start == span.end] == [
        span for span in empty if not any(gap.start < span.start < gap.end for gap in gaps)
    ]
