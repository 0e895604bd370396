"""Which words of a passage were kept, replaced or added, as marks on both texts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from workbench.base.evidence import is_recognised, is_translation
from workbench.base.types import Ints, Match, Span, Tier
from workbench.jobs.context import Context
from workbench.methods.altered.marks import MarkSort, WordMark
from workbench.services.review.differences import differences
from workbench.text import scripts

__all__ = ["MarkSort", "WordMark", "changes", "outside_gaps", "word_marks"]

_KEPT = (MarkSort.PHRASE, MarkSort.WORD)


def word_marks(ctx: Context, a: str, b: str, limits: Ints) -> list[list[WordMark]]:
    """Marks of passages, found by any method, with ``limits`` int64[n, 4]: start and end in the suspect ``a``, then in
    the source ``b``.

    Offsets refer to the texts. Loads the compiler: call it in a separate process. Raises Cancelled.
    """
    from workbench.methods.altered.pair_marks import word_marks as marks

    by_passage = []
    for start, end, b_start, b_end in limits.tolist():
        ctx.check()
        by_passage.append(marks(a, Span(start, end), b, Span(b_start, b_end)))
    return by_passage


def changes(a: str, b: str, match: Match) -> tuple[list[Span], list[Span]]:
    """The parts of each side of a match of the texts ``a`` and ``b`` that differ from the other side, in order.

    In an altered passage: words in no common phrase or word, wherever these are, so moved words do not count. In other
    passages: the changes of the edit script. Gaps of the match are excluded. For a translation, which differs entirely:
    nothing.
    """
    if is_translation(match.evidence):
        return [], []
    if int(match.evidence.get("tier", Tier.EXACT)) == Tier.ALTERED:
        from workbench.methods.altered.pair_marks import word_marks as marks

        rows = [mark for mark in marks(a, match.a_span, b, match.b_span) if mark.sort not in _KEPT]
        sides = [mark.a_span for mark in rows], [mark.b_span for mark in rows]
    else:
        edits = differences(a, match.a_span, b, match.b_span)
        sides = [edit.a_span for edit in edits], [edit.b_span for edit in edits]
    one, other = (sorted(span for span in side if span is not None) for side in sides)
    return outside(one, match.a_gaps), outside(other, match.b_gaps)


class SameBut(StrEnum):
    """In what the sides of an equal match differ, if not in symbols, width or case."""

    NOTHING = ""
    SCRIPT = "script"
    SPACES = "spaces"
    """Line ends and spaces alone."""
    INSERTIONS = "insertions"
    """Letters or figures between the sentences of one side, such as the number of a row."""
    WRITING = "writing"
    """The form of numbers, kana or characters."""


def same_but_for(match: Match, a: str, b: str) -> SameBut:
    """In what the sides of an equal ``match`` of the texts ``a`` and ``b`` differ."""
    if int(match.evidence.get("tier", Tier.EXACT)) != Tier.FOLDED or is_recognised(match.evidence):
        return SameBut.NOTHING
    sides = a[match.a_span.start : match.a_span.end], b[match.b_span.start : match.b_span.end]
    one, other = ("".join(side.split()) for side in sides)
    if one == other:
        return SameBut.SPACES
    if scripts.same_but_for_script(*sides):
        return SameBut.SCRIPT
    shorter, longer = sorted(map(scripts.letters, sides), key=len)
    if shorter == longer:
        return SameBut.NOTHING
    rest = iter(longer)
    inserted = len(shorter) < len(longer) and all(letter in rest for letter in shorter)
    return SameBut.INSERTIONS if inserted else SameBut.WRITING


def same_but_for_script(match: Match, a: str, b: str) -> bool:
    """Whether the sides of an equal ``match`` of the texts ``a`` and ``b`` are the same in two scripts."""
    return same_but_for(match, a, b) is SameBut.SCRIPT


def outside_gaps(marks: Sequence[WordMark], match: Match) -> list[WordMark]:
    """``marks`` without insertions in a gap of ``match``, which has no counterpart."""
    kept: list[WordMark] = []
    for mark in marks:
        if mark.a_span is not None and mark.b_span is None:
            kept += [WordMark(mark.sort, part, None) for part in outside([mark.a_span], match.a_gaps)]
        elif mark.b_span is not None and mark.a_span is None:
            kept += [WordMark(mark.sort, None, part) for part in outside([mark.b_span], match.b_gaps)]
        else:
            kept.append(mark)
    return kept


def outside(spans: Sequence[Span], gaps: Sequence[Span]) -> list[Span]:
    """The parts of ``spans`` outside the disjoint ``gaps``; an empty span outside the gaps is kept."""
    parts = list(spans)
    for gap in gaps:
        parts = [
            Span(first, last)
            for start, end in parts
            for first, last in ((start, min(end, gap.start)), (max(start, gap.end), end))
            if first < last or first == last == start == end
        ]
    return parts
