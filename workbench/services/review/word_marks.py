"""Which words of a passage were kept, replaced or added, as marks on both texts."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.types import Span
from workbench.jobs.context import Context
from workbench.methods.altered.marks import MarkSort, WordMark

__all__ = ["MarkSort", "WordMark", "word_marks"]


def word_marks(ctx: Context, a: str, b: str, passages: Sequence[tuple[Span, Span]]) -> list[list[WordMark]]:
    """Marks of each of ``passages`` (limits in the suspect ``a``, in the source ``b``), whatever method found it.

    Offsets are those of the texts. It loads the compiler: call it in a process of its own. Raises Cancelled.
    """
    from workbench.methods.altered.pair_marks import word_marks as marks

    by_passage = []
    for a_span, b_span in passages:
        ctx.check()
        by_passage.append(marks(a, a_span, b, b_span))
    return by_passage
