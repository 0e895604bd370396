"""The parts of a document that are not compared: blocks that are not content, and hidden words among visible ones."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import chain, groupby
from operator import attrgetter

from workbench.base.types import BlockClass, Document, Span
from workbench.text.disguises import Trick

_KINDS = frozenset((Trick.HIDDEN.value, Trick.UNSEEN.value))


def left_out(document: Document) -> tuple[Span, ...]:
    """The spans of ``document`` that are not compared, disjoint and in order; none is empty."""
    blocks = [block.span for block in document.blocks if block.verdict is not BlockClass.CONTENT]
    hidden = (span for span in hidden_words(document) if not _meets(blocks, span))
    return tuple(sorted(span for span in (*blocks, *hidden) if span.end > span.start))


def hidden_words(document: Document) -> tuple[Span, ...]:
    """The words of ``document`` hidden by style or page among visible ones, disjoint and in order.

    Readers do not see them, so they only separate the words around them. If half or more of a line (a paragraph) is
    hidden, nothing on it is left out: a text that is hidden as a whole may be a copy. Spaces on both sides of a word
    are reduced to one.
    """
    if not (flags := document.extraction.integrity):
        return ()
    spans = [span for flag in flags if flag.kind in _KINDS for span in flag.spans]
    return tuple(_among_visible(document.text, spans))


def _among_visible(text: str, spans: list[Span]) -> Iterator[Span]:
    pieces = sorted(chain.from_iterable(_lines_of(text, span) for span in spans))
    for start, of_line in groupby(pieces, lambda piece: text.rfind("\n", 0, piece.start) + 1):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        own: list[Span] = []
        for piece in of_line:
            if own and piece.start <= own[-1].end:
                own[-1] = Span(own[-1].start, max(own[-1].end, piece.end))
            else:
                own.append(piece)
        if 2 * sum(span.end - span.start for span in own) < len(line.strip()):
            yield from (_with_space(text, span) for span in own)


def _lines_of(text: str, span: Span) -> Iterator[Span]:
    """The parts of ``span`` on each line."""
    start = span.start
    for line in text[slice(*span)].split("\n"):
        if line:
            yield Span(start, start + len(line))
        start += len(line) + 1


def _with_space(text: str, span: Span) -> Span:
    """``span`` with the following space, if there is also one before it."""
    spaced = text[span.start - 1 : span.start].isspace() and text[span.end : span.end + 1] == " "
    return Span(span.start, span.end + spaced)


def _meets(blocks: list[Span], span: Span) -> bool:
    """Whether ``span`` shares text with one of the ``blocks``, which are disjoint and in order."""
    before = bisect_right(blocks, span.start, key=attrgetter("start"))
    return any(block.start < span.end and block.end > span.start for block in blocks[max(0, before - 1) : before + 1])
