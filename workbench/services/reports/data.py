"""What a report says about one pair of documents, ready to be written down."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, Label, Match, Matches, Span
from workbench.services.review.coverage import covered, share
from workbench.services.review.differences import differences
from workbench.services.review.judgement import Judgement

CONTEXT = 80
"""Characters shown on either side of a passage."""

_BLANK_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a passage; ``changed`` where it differs from the other side."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Side:
    """A passage in one document, with context of at most CONTEXT characters around it.

    ``left_out`` counts characters at the end of the passage that ``pieces`` lack.
    """

    span: Span
    before: str
    pieces: tuple[Piece, ...]
    after: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ReportPassage:
    """A passage: both sides, its figures, the verdict that holds and everything that was said before."""

    number: int
    a: Side
    b: Side
    characters: int
    tier: int
    score: float
    evidence: Mapping[str, Any]
    judgement: Judgement | None
    history: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A document and the facts that identify it.

    ``imported`` and ``captured`` (when a host first gave this text) are ISO 8601 UTC, empty when not recorded;
    ``body_sha256`` is of the bytes that were captured.
    """

    document: Document
    sha256: str
    imported: str
    captured: str = ""
    body_sha256: str = ""


@dataclass(frozen=True, slots=True)
class ReportPair:
    """All passages of a pair in the order of the suspect; coverage is 0..1 of either text."""

    number: int
    a: ReportDocument
    b: ReportDocument
    coverage_a: float
    coverage_b: float
    passages: tuple[ReportPassage, ...]


def report_pair(
    number: int,
    a: ReportDocument,
    b: ReportDocument,
    matches: Matches,
    judgements: Sequence[Judgement | None],
    histories: Sequence[Sequence[Label]],
    watcher: Watcher | None = None,
) -> ReportPair:
    """The report of the pair ``a``, ``b`` and its ``matches`` (in the order of a).

    ``judgements`` and ``histories`` belong to the first of them: those after are only counted as covered. Raises
    Cancelled.
    """
    texts = a.document.text, b.document.text
    watcher = watcher or Unwatched()
    passages: list[ReportPassage] = []
    for verdict, events, match in zip(judgements, histories, matches, strict=False):
        watcher.check()
        passages.append(_passage(len(passages) + 1, *texts, match, verdict, tuple(events)))
    return ReportPair(
        number,
        a,
        b,
        share(covered(matches.a_start, matches.a_end), len(texts[0])),
        share(covered(matches.b_start, matches.b_end), len(texts[1])),
        tuple(passages),
    )


def _passage(
    number: int, a: str, b: str, match: Match, judgement: Judgement | None, events: tuple[Label, ...]
) -> ReportPassage:
    edits = differences(a, match.a_span, b, match.b_span)
    evidence = {name: value for name, value in match.evidence.items() if name != "tier" and value == value}
    return ReportPassage(
        number,
        side(a, match.a_span, [e.a_span for e in edits]),
        side(b, match.b_span, [e.b_span for e in edits]),
        match.a_span.end - match.a_span.start,
        int(match.evidence.get("tier", 0)),
        match.score,
        evidence,
        judgement,
        events,
    )


def side(text: str, span: Span, changed: Sequence[Span]) -> Side:
    """``text[span)`` cut at the ``changed`` spans inside it (ordered, disjoint), with its context."""
    pieces, at = [], span.start
    for change in changed:
        if change.start > at:
            pieces.append(Piece(text[at : change.start], False))
        if change.end > change.start:
            pieces.append(Piece(text[change.start : change.end], True))
        at = max(at, change.end)
    if at < span.end:
        pieces.append(Piece(text[at : span.end], False))
    first, last = max(0, span.start - CONTEXT), min(len(text), span.end + CONTEXT)
    before = ("…" if first > 0 else "") + _BLANK_LINES.sub("\n", text[first : span.start])
    after = _BLANK_LINES.sub("\n", text[span.end : last]) + ("…" if last < len(text) else "")
    return Side(span, before, tuple(pieces), after)
