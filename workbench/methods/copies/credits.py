"""Parts of a passage that are credited in the suspect: quotations, reference lists and notes."""

from __future__ import annotations

import re
from bisect import bisect_right

from workbench.base.types import Document, Span
from workbench.methods.copies.limits import SHORT, sentence_spans, words
from workbench.text.quotation import MARKS, Citation, CitationKind, citations

_QUOTED = 12
"""Number of words (characters, in scripts without spaces) from which quoted text is a sentence rather than a term."""
_PROBE = 2 * SHORT
"""Tolerance, in characters, when locating a quotation and each of its sentences in the source."""
_NEAR = 160
_YEAR_OR_PAGE = r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\b[pS]p?\.\s?\d|\d\s?[頁页]"
_BRACKETS = (
    rf"[(（\[［〔【](?:\d{{1,3}}|[^()（）\[\]［］]{{0,80}}?(?:{_YEAR_OR_PAGE})[^()（）\[\]［］]{{0,60}})[)）\]］〕】]"
)
_NOTE_NUMBER = r"(?:\d{1,3}|[¹²³⁰⁴-⁹]{1,3})(?!\w)"
_CREDIT_AFTER = re.compile(rf"[.,;。，、]?(?:\s*({_BRACKETS})|({_NOTE_NUMBER}))")
_CREDIT_BEFORE = re.compile(rf"({_BRACKETS})[^.!?。！？]{{0,60}}$")
_NUMBER = re.compile(r"\d+|[¹²³⁰⁴-⁹]+")
_LIST_MARKS = frozenset("・•‣◦·∙-*–—■□◆◇●○▪▫►▶※>")
"""Marks before an item of a list or a quoted line."""
_BEFORE_WORDS = _LIST_MARKS.union(MARKS)


def credit_edges(own: Document, a_span: Span, source: str, b_span: Span) -> list[Span]:
    """The edges of quotations, reference lists and notes within a passage, each from the end of the text before it to
    the start of the text after it.

    An edge is the quotation mark, otherwise empty; the passage has more than SHORT characters on both sides of it.
    Quotation marks and indents that are also in the source, as in a dialogue, are ignored.
    """
    start, end = a_span
    edges = {
        edge
        for citation in citations(own.text, own.blocks)
        if citation.span.overlap(a_span) and _is_credit(citation, own, source, b_span)
        for edge in _edges(citation)
        if min(len(own.text[start : edge.start].strip()), len(own.text[edge.end : end].strip())) > SHORT
    }
    return sorted(edges)


def credit_of(own: Document, a_span: Span, source: str, b_span: Span) -> int:
    """The number, from 1, of the citation in ``own`` that contains most of a passage; 0 if it is not credited."""
    for number, citation in enumerate(citations(own.text, own.blocks), 1):
        if 2 * citation.span.overlap(a_span) > a_span.end - a_span.start and _is_credit(citation, own, source, b_span):
            return number
    return 0


def _is_credit(citation: Citation, own: Document, source: str, b_span: Span) -> bool:
    if citation.kind is CitationKind.BLOCK_QUOTATION:
        text = own.text[slice(*citation.span)]
        indent = text[: len(text) - len(text.lstrip())]
        return not indent or f"\n{indent}" not in source[slice(*b_span)]
    return citation.kind is not CitationKind.QUOTATION or _is_added(own.text, citation.span, source, b_span)


def without_added_marks(own: str, a_span: Span, source: str, b_span: Span) -> Span:
    """``a_span`` without quotation marks at its ends, and list marks before it, that are not in the source."""
    start, end = a_span
    first, last = source[b_span.start : b_span.start + 1], source[b_span.end - 1 : b_span.end]
    while start < end and own[start] != first and (own[start] in _BEFORE_WORDS or own[start].isspace()):
        start += 1
    while start < end and own[end - 1] != last and own[end - 1] in MARKS:
        end -= 1
    return Span(start, end)


def _edges(citation: Citation) -> tuple[Span, Span]:
    start, end = citation.span
    mark = citation.kind is CitationKind.QUOTATION
    return Span(start, start + mark), Span(end - mark, end)


def _is_added(own: str, quotation: Span, source: str, within: Span) -> bool:
    """Whether ``quotation`` is long, and its words are outside quotation marks in the source, or in marks without the
    credit that the suspect gives.

    If none of its words are equal in the source, the origin of the marks is unknown.
    """
    inner = own[quotation.start + 1 : quotation.end - 1]
    if len(words(inner)) < _QUOTED:
        return False
    probes = [probe for probe in _probes(inner) if len(probe) > SHORT]
    near = [at for probe in probes if (at := source.find(probe, *within)) >= 0]
    places = near or [at for probe in probes if (at := source.find(probe)) >= 0]
    if not places:
        return False
    quoted = _marked_at(source, places)
    if quoted:
        return all(_adds(_credit(own, quotation), _credit(source, span)) for span in quoted)
    beside = own[quotation.start : quotation.start + SHORT], own[quotation.end - SHORT : quotation.end]
    # If the mark was copied, its partner in the source may be elsewhere.
    return all(source.find(mark, *within) < 0 for mark in beside)


def is_copied_with_marks(own: str, quotation: Span, a_span: Span, source: str, b_span: Span) -> bool:
    """Whether a passage goes on before or after ``quotation``, and the source has the marks as well: a copied dialogue
    rather than a quotation from the source.

    ``quotation`` and ``a_span`` are in ``own``, ``b_span`` is in ``source``. A credit that only ``own`` gives is added.
    """
    start, end = quotation
    if max(start - a_span.start, a_span.end - end) <= SHORT:
        return False
    inner = own[start + 1 : end - 1]
    probes = [probe for probe in _probes(inner) if len(probe) > SHORT or probe == inner]
    places = [at for probe in probes if (at := source.find(probe, *b_span)) >= 0]
    return any(not _adds(_credit(own, quotation), _credit(source, span)) for span in _marked_at(source, places))


def _probes(inner: str) -> list[str]:
    """Parts of a quotation, and of each of its sentences, to look for in the source."""
    whole = Span(0, len(inner))
    return [
        inner[at : min(at + _PROBE, end)]
        for start, end in (whole, *sentence_spans(inner, whole))
        for at in range(start, end, _PROBE)
    ]


def _marked_at(source: str, places: list[int]) -> set[Span]:
    """The quotations of ``source`` that contain ``places``."""
    if not places:
        return set()
    theirs = [c.span for c in citations(source) if c.kind is CitationKind.QUOTATION]
    return {span for at in places if (span := _covering(theirs, at)) is not None}


def _covering(spans: list[Span], at: int) -> Span | None:
    before = bisect_right(spans, at, key=lambda span: span.start) - 1
    return spans[before] if before >= 0 and at < spans[before].end else None


def _credit(text: str, quotation: Span) -> str:
    """The year and page, or the number in a list of references, in brackets beside ``quotation``, or the number of a
    note after it; "" for none.
    """
    after = _CREDIT_AFTER.match(text, quotation.end)
    before = _CREDIT_BEFORE.search(text, max(0, quotation.start - _NEAR), quotation.start)
    return next((credit[credit.lastindex or 0] for credit in (after, before) if credit), "")


def _adds(credit: str, theirs: str) -> bool:
    """Whether ``credit`` names another place than ``theirs``, beside the same quotation in the source."""
    numbers, others = _NUMBER.findall(credit), _NUMBER.findall(theirs)
    return bool(numbers) and (not others or (len(numbers) > 1 and numbers != others))
