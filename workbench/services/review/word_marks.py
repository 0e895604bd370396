"""Which words of a passage were kept, replaced or added, as marks on both texts."""

from __future__ import annotations

from workbench.base.types import Span
from workbench.jobs.context import Context
from workbench.methods.altered.marks import MarkSort, WordMark

__all__ = ["MarkSort", "WordMark", "word_marks"]


def word_marks(ctx: Context, a: str, a_span: Span, b: str, b_span: Span) -> list[WordMark]:
    """Marks of ``a[a_span)`` (suspect) and ``b[b_span)`` (source), whatever method found them; offsets in the texts.

    It loads the compiler: call it in a process of its own.
    """
    from workbench.methods.altered.pair_marks import word_marks as marks

    ctx.check()
    return marks(a, a_span, b, b_span)
