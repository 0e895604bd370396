"""Marks on words, as a question of the window asks for them."""

from __future__ import annotations

import pytest

from workbench.base.errors import Cancelled
from workbench.base.types import Span
from workbench.services.review.word_marks import MarkSort, word_marks


class Asked:
    """A context that is cancelled after ``patience`` looks."""

    def __init__(self, patience: int = 100) -> None:
        self._patience = patience

    def check(self) -> None:
        self._patience -= 1
        if self._patience < 0:
            raise Cancelled


A, B = "xx common words here, and more.", "common words there. common words here"


def test_each_passage_has_its_marks_in_offsets_of_the_texts() -> None:
    first, second = word_marks(Asked(), A, B, [(Span(3, 20), Span(20, 37)), (Span(3, 20), Span(0, 19))])  # type: ignore[arg-type]
    assert [(m.sort, m.a_span, m.b_span) for m in first] == [(MarkSort.PHRASE, Span(3, 20), Span(20, 37))]
    assert second[0].b_span == Span(0, 12)


def test_it_stops_when_nobody_waits_any_more() -> None:
    with pytest.raises(Cancelled):
        word_marks(Asked(1), A, B, [(Span(3, 20), Span(20, 37))] * 2)  # type: ignore[arg-type]
