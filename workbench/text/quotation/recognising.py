"""Which parts of a text are marked as someone else's words, and which are references or notes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from workbench.base.messages import Message
from workbench.base.types import Block, Span
from workbench.text.quotation.marks import marked
from workbench.text.quotation.references import notes, reference_lists

_LINE = re.compile(r"[^\n\r\u2028\u2029\u0085\x0b\x0c]+")
_BREAK = re.compile(r"\n[ \t\u3000]*\n|\r\n[ \t\u3000]*\r\n|\u2029")
# A bar quotes mail, but not where more bars make the line a row of a table.
_QUOTED_LINE = re.compile(r"\s{0,3}(?:[>＞]|[|｜](?!.*[|｜]))\s?")
_INDENT = re.compile(r"(?:\u3000{2,}|[ ]{4,}|\t+)")
_VERSE_END = re.compile(r"(?:[.,!?…—–-][\"'”’)\]]*|[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef])\s*$")
_SHORTEST_BLOCK = 10
_QUOTE_TAGS = re.compile(r"(?:^|/)(?:blockquote|quote)\b")
_REMEMBERED = 8
"""Texts: a pair is read by several parts of the window at once, and again after each change."""
_NOTE_TAGS = re.compile(r"^(?:footnotes|endnotes)/")


class CitationKind(StrEnum):
    """A quotation in quotation marks, a block quotation, references, or a note."""

    QUOTATION = "quotation"
    BLOCK_QUOTATION = "block-quotation"
    REFERENCES = "references"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited part of a text, its kind, and how it was recognised."""

    span: Span
    kind: CitationKind
    why: Message


def citations(text: str, blocks: Sequence[Block] = ()) -> list[Citation]:
    """All citations of ``text`` in its order. They do not overlap: references come before notes, blocks, and marks.

    ``blocks`` are the document's, where its format has any. Rules and lists of words only: linear in the text. Those of
    the last few texts are remembered.
    """
    return [*_citations(text, tuple(blocks))]


@lru_cache(maxsize=_REMEMBERED)
def _citations(text: str, blocks: tuple[Block, ...]) -> tuple[Citation, ...]:
    paragraphs = [block.span for block in blocks if block.span.end > block.span.start] or _paragraphs(text)
    recognised: list[Citation] = []
    for candidates in (
        _references(text, paragraphs),
        _notes(text, paragraphs, blocks),
        _blocks(text, blocks),
        _marks(text, paragraphs),
    ):
        recognised = _added(recognised, list(candidates))
    return tuple(recognised)


def _references(text: str, paragraphs: list[Span]) -> Iterator[Citation]:
    for span, heading in reference_lists(text, paragraphs):
        why = Message("list under the heading “{heading}”", heading=heading) if heading else Message("entries by form")
        yield Citation(span, CitationKind.REFERENCES, why)


def _notes(text: str, paragraphs: list[Span], blocks: Sequence[Block]) -> Iterator[Citation]:
    of_format = [block.span for block in blocks if _NOTE_TAGS.search(block.path)]
    yield from (Citation(span, CitationKind.NOTE, Message("note of the document")) for span in of_format)
    if not of_format:
        for span, heading in notes(text, paragraphs):
            why = (
                Message("notes under the heading “{heading}”", heading=heading)
                if heading
                else Message("sign of a note")
            )
            yield Citation(span, CitationKind.NOTE, why)


def _blocks(text: str, blocks: Sequence[Block]) -> Iterator[Citation]:
    if blocks:
        for block in blocks:
            if _QUOTE_TAGS.search(block.path):
                yield Citation(block.span, CitationKind.BLOCK_QUOTATION, Message("block quotation of the document"))
        return
    yield from _plain_blocks(text)


def _plain_blocks(text: str) -> Iterator[Citation]:
    """Blocks of plain text: lines that begin with >, and paragraphs indented in every line where most are not."""
    groups = list(_line_groups(text))
    indented = [all(_INDENT.match(text, line.start) for line in group) for group in groups]
    usual = sum(indented) * 2 > len(groups)
    introduced = False
    for group, inner in zip(groups, indented, strict=True):
        introduced |= not inner
        run: list[Span] = []
        for line in [*group, None]:
            if line is not None and _QUOTED_LINE.match(text, line.start, line.end):
                run.append(line)
            elif run:
                yield from _block(text, run, Message("lines that begin with a quotation mark of mail"))
                run = []
        if inner and introduced and not usual and _is_set_in(text, group):
            yield from _block(text, group, Message("indented block"))


def _is_set_in(text: str, lines: Sequence[Span]) -> bool:
    """Whether indented ``lines`` are words rather than a centred heading, a listing or a table.

    The lines after the first begin at one column, and one or more ends as a sentence or a verse does; Chinese and
    Japanese verse ends without a mark.
    """
    words = [text[line.start : line.end] for line in lines]
    columns = {len(line) - len(line.lstrip()) for line in words[1:]}
    return len(columns) <= 1 and any(_VERSE_END.search(line) for line in words)


def _block(text: str, lines: Sequence[Span], why: Message) -> Iterator[Citation]:
    span = Span(lines[0].start, lines[-1].end)
    if len(text[span.start : span.end].strip()) >= _SHORTEST_BLOCK:
        yield Citation(span, CitationKind.BLOCK_QUOTATION, why)


def _marks(text: str, paragraphs: list[Span]) -> Iterator[Citation]:
    for span, mark in marked(text, paragraphs):
        yield Citation(span, CitationKind.QUOTATION, Message("between {mark} marks", mark=mark))


def _paragraphs(text: str) -> list[Span]:
    """Paragraphs of plain text: its lines, or, where they are wrapped, what blank lines divide."""
    lines = [Span(*line.span()) for line in _LINE.finditer(text) if not line[0].isspace()]
    return [span for group in _line_groups(text) for span in (_joined(text, group))] if len(lines) > 1 else lines


def _joined(text: str, group: Sequence[Span]) -> list[Span]:
    """The lines of ``group`` as one paragraph where they look wrapped: long, of one width, not ending sentences."""
    lengths = [line.end - line.start for line in group]
    longest = max(lengths)
    if len(group) < 3 or not 30 <= longest <= 120:
        return list(group)
    wide = sum(length >= 0.75 * longest for length in lengths[:-1])
    return [Span(group[0].start, group[-1].end)] if wide >= 0.8 * (len(group) - 1) else list(group)


def _line_groups(text: str) -> Iterator[list[Span]]:
    """Lines with text, in groups that blank lines divide."""
    group: list[Span] = []
    at = 0
    for line in _LINE.finditer(text):
        gap = text[at : line.start()]
        if group and (line[0].isspace() or gap.count("\n") > 1 or "\u2029" in gap):
            yield group
            group = []
        if not line[0].isspace():
            group.append(Span(*line.span()))
        at = line.end()
    if group:
        yield group


def _added(earlier: list[Citation], more: list[Citation]) -> list[Citation]:
    """``earlier`` and the parts of ``more`` outside of it, in order; both are ordered and without overlap."""
    result: list[Citation] = []
    first = 0
    for citation in more:
        at = citation.span.start
        while first < len(earlier) and earlier[first].span.end <= at:
            first += 1
        inside = first
        while inside < len(earlier) and earlier[inside].span.start < citation.span.end:
            if earlier[inside].span.start > at:
                result.append(Citation(Span(at, earlier[inside].span.start), citation.kind, citation.why))
            at = max(at, earlier[inside].span.end)
            inside += 1
        if at < citation.span.end:
            result.append(Citation(Span(at, citation.span.end), citation.kind, citation.why))
    return sorted((*earlier, *result), key=lambda c: c.span)
