"""Words of a passage that were kept, replaced or added, as marks on both texts for display."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.base.messages import Counted, Message
from workbench.base.types import Span


class MarkSort(StrEnum):
    """The meaning of a mark for its words."""

    PHRASE = "phrase"
    """Two or more words that are consecutive on both sides."""
    WORD = "word"
    """The same single word on both sides."""
    REPLACED = "replaced"
    """A few words that replace each other between two corresponding words."""
    NEW = "new"
    """Words of the suspect that are not in the source's passage."""
    LEFT_OUT = "left-out"
    """Words of the source that are not in the suspect's passage."""


@dataclass(frozen=True, slots=True)
class WordMark:
    """A stretch of one side or of both; offsets in the whole texts. NEW has no ``b_span``, LEFT_OUT no ``a_span``."""

    sort: MarkSort
    a_span: Span | None
    b_span: Span | None


def counted(marks: list[WordMark]) -> str:
    """The number of stretches of each sort, in words."""
    counts = {sort: sum(mark.sort is sort for mark in marks) for sort in MarkSort}
    parts = {
        MarkSort.PHRASE: Counted("{count} phrase", "{count} phrases", counts[MarkSort.PHRASE]),
        MarkSort.WORD: Counted("{count} single word", "{count} single words", counts[MarkSort.WORD]),
        MarkSort.REPLACED: Counted("{count} replacement", "{count} replacements", counts[MarkSort.REPLACED]),
        MarkSort.NEW: Counted("{count} added stretch", "{count} added stretches", counts[MarkSort.NEW]),
        MarkSort.LEFT_OUT: Message("{count} left out", count=f"{counts[MarkSort.LEFT_OUT]:,}"),
    }
    return Message.joined(", ", (part for sort, part in parts.items() if counts[sort]))
