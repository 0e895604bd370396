"""Differences and marks on words as they are drawn on the two sides: the suspect's, the source's."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.types import Span
from workbench.gui.screens.review.word_legend import word_look
from workbench.services.review.differences import Edit
from workbench.services.review.word_marks import WordMark, outside

Side = list[tuple[int, int, str]]
"""Start, end and kind (see ``kit.cues.draw_difference``)."""


def marked_edits(edits: Sequence[Edit]) -> tuple[Side, Side]:
    """What only the suspect has was inserted, what only the source has was deleted."""
    return (
        [(*e.a_span, "replaced" if e.kind == "replaced" else "inserted") for e in edits if _some(e.a_span)],
        [(*e.b_span, "replaced" if e.kind == "replaced" else "deleted") for e in edits if _some(e.b_span)],
    )


def marked_words(marks: Sequence[WordMark]) -> tuple[Side, Side]:
    """Marks of each side."""
    looks = [(mark, word_look(mark.sort).kind) for mark in marks]
    return (
        [(*mark.a_span, kind) for mark, kind in looks if mark.a_span is not None],
        [(*mark.b_span, kind) for mark, kind in looks if mark.b_span is not None],
    )


def without_gaps(side: Side, gaps: Sequence[Span]) -> Side:
    """The marks of a side outside the disjoint ``gaps``, whose text has no counterpart to differ from."""
    return [(*part, kind) for start, end, kind in side for part in outside([Span(start, end)], gaps)]


def _some(span: Span) -> bool:
    return span.end > span.start
