"""The content of a report about one pair of documents, ready to be written."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from workbench.base.coverage import A, B, covered
from workbench.base.evidence import is_recognised, is_translation
from workbench.base.locators import Locator, place
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Block, BlockClass, Document, Ints, Label, Match, Matches, Span, Tier
from workbench.services.relations.direction import Conclusion
from workbench.services.relations.earlier import Chain
from workbench.services.review.judgement import Judgement, without_slips
from workbench.services.review.spans import share
from workbench.services.review.word_marks import SameBut, changes, outside, same_but_for
from workbench.text.segmenting.segmentation import wrapped_line_ends
from workbench.text.tokens import joint

CONTEXT = 80
"""Number of characters of context shown on either side of a passage."""

_BLANK_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class ReportStretch:
    """A stretch of a passage; ``changed`` if it differs from the other side, ``own`` if it is within the copy's limits
    but not copied.
    """

    text: str
    changed: bool
    own: bool = False


@dataclass(frozen=True, slots=True)
class PassageSide:
    """A passage in one document, its ``place`` as people cite it, and context of at most CONTEXT characters around it.

    ``left_out`` counts characters at the end of the passage missing from ``pieces``; ``gaps``, within ``span``, are not
    part of the match.
    """

    span: Span
    place: Locator
    before: str
    pieces: tuple[ReportStretch, ...]
    after: str
    left_out: int = 0
    gaps: tuple[Span, ...] = ()

    @property
    def stretches(self) -> list[Span]:
        """The passage without gaps."""
        return outside([self.span], self.gaps)


@dataclass(frozen=True, slots=True)
class ReportMatch:
    """A match: both sides, its figures, the current verdict and its history.

    ``number`` is its place in its passage, from 1; ``characters`` counts those it covers in the suspect. ``others`` is
    the number of other documents with its text; ``holders`` names them if it is a common phrase. ``history`` excludes
    ``undone`` events; ``notes`` are the notes without a verdict. ``earlier``: the documents that the source itself took
    the passage from. ``same_but_for``: in what the sides of an equal match differ.
    """

    number: int
    a: PassageSide
    b: PassageSide
    characters: int
    tier: int
    score: float
    evidence: Mapping[str, Any]
    judgement: Judgement | None
    history: tuple[Label, ...]
    others: int = 0
    holders: tuple[str, ...] = ()
    undone: int = 0
    notes: tuple[Label, ...] = ()
    same_but_for: SameBut = SameBut.NOTHING
    earlier: Chain = ()


def tier_name(tier: int, evidence: Mapping[str, Any], same_but_for: str = "") -> str:
    """The name of a tier among the strings of reports; ``same_but_for`` is a value of SameBut."""
    if same_but_for:
        return f"same_but_for_{same_but_for}"
    if is_translation(evidence):
        return "translated"
    return "same_as_read" if tier < Tier.ALTERED and is_recognised(evidence) else f"tier{tier}"


@dataclass(frozen=True, slots=True)
class ReportPassage:
    """Neighbouring matches: reordered sentences are parts of one passage. ``number`` counts from 1.

    ``characters``: number of the suspect's characters covered by the parts.
    """

    number: int
    parts: tuple[ReportMatch, ...]
    characters: int


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
class WholePair:
    """Two documents compared as a whole: the run's score and figures (``containment`` is that of the suspect), and the
    judgement of the pair; ``earlier`` are verdicts that were given for other texts of the two.
    """

    score: float
    figures: Mapping[str, float]
    judgement: Judgement | None
    earlier: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportPair:
    """All passages of a pair in the order of the suspect; coverage is a share (0..1) of each text. ``direction``: which
    of the two copied from the other (``a`` is the suspect); None without evidence. ``whole``: the comparison of whole
    documents, None if the run found passages in them.
    """

    number: int
    a: ReportDocument
    b: ReportDocument
    coverage_a: float
    coverage_b: float
    passages: tuple[ReportPassage, ...]
    direction: Conclusion | None = None
    whole: WholePair | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PairMatches:
    """The n ``matches`` of a pair, those of a passage together; ``passage`` int64[n] is its number, from 0.

    ``judgements`` and ``histories`` belong to the first matches: later ones only count as covered. ``others`` int64[n],
    ``holders``, ``notes`` and ``earlier`` are as in :class:`ReportMatch`, for those first ones.
    """

    matches: Matches
    passage: Ints
    judgements: Sequence[Judgement | None]
    histories: Sequence[Sequence[Label]]
    others: Ints
    holders: Sequence[tuple[str, ...]]
    notes: Sequence[tuple[Label, ...]]
    earlier: Sequence[Chain]


def report_pair(
    number: int, a: ReportDocument, b: ReportDocument, in_pair: PairMatches, watcher: Progress | None = None
) -> ReportPair:
    """The report of the pair ``a``, ``b`` with the matches ``in_pair``. Raises Cancelled."""
    texts, matches = (a.document.text, b.document.text), in_pair.matches
    watcher = watcher or NullProgress()
    passages: list[list[ReportMatch]] = []
    shown = replace(matches.take(slice(len(in_pair.judgements))), evidence={})
    for row, judgement in enumerate(in_pair.judgements):
        watcher.check()
        if in_pair.passage[row] >= len(passages):
            passages.append([])
        one = _match(len(passages[-1]) + 1, a.document, b.document, matches.row(row), judgement, in_pair.histories[row])
        others, holders, notes = int(in_pair.others[row]), in_pair.holders[row], in_pair.notes[row]
        passages[-1].append(replace(one, others=others, holders=holders, notes=notes, earlier=in_pair.earlier[row]))
    return ReportPair(
        number,
        a,
        b,
        share(covered(matches, A), len(texts[0])),
        share(covered(matches, B), len(texts[1])),
        tuple(
            ReportPassage(at + 1, tuple(parts), covered(shown.take(in_pair.passage[: len(shown)] == at), A))
            for at, parts in enumerate(passages)
        ),
    )


def _match(
    number: int, a: Document, b: Document, match: Match, judgement: Judgement | None, events: Sequence[Label]
) -> ReportMatch:
    changed = changes(a.text, b.text, match)
    history, undone = without_slips(events)
    evidence = {name: value for name, value in match.evidence.items() if name != "tier" and value == value}
    return ReportMatch(
        number,
        side(a, match.a_span, changed[0], match.a_gaps),
        side(b, match.b_span, changed[1], match.b_gaps),
        match.a_span.end - match.a_span.start - sum(gap.end - gap.start for gap in match.a_gaps),
        int(match.evidence.get("tier", 0)),
        match.score,
        evidence,
        judgement,
        tuple(history),
        undone=undone,
        same_but_for=same_but_for(match, a.text, b.text),
    )


def side(document: Document, span: Span, changed: Sequence[Span], own: Sequence[Span] = ()) -> PassageSide:
    """The ``span`` of a document cut at the ``changed`` and ``own`` spans inside it (all disjoint), with its context.

    Line ends that only wrap prose are joined, as on the screen.
    """
    text, read = document.text, partial(_read, document.text, _wraps(document.text, document.blocks))
    pieces, at = [], span.start
    for part, is_own in sorted([*((change, False) for change in changed), *((gap, True) for gap in own)]):
        if part.start > at:
            pieces.append(ReportStretch(read(at, part.start), False))
        if part.end > part.start:
            pieces.append(ReportStretch(read(part.start, part.end), not is_own, is_own))
        at = max(at, part.end)
    if at < span.end:
        pieces.append(ReportStretch(read(at, span.end), False))
    first, last = max(0, span.start - CONTEXT), min(len(text), span.end + CONTEXT)
    # The context is the text itself, without running heads, page numbers and menus.
    near = (b for b in document.blocks if b.span.start < last and b.span.end > first)
    others = [block.span for block in near if block.verdict is BlockClass.NON_CONTENT]
    around = (outside([part], others) for part in (Span(first, span.start), Span(span.end, last)))
    begin, end = (_BLANK_LINES.sub("\n", "".join(read(*part) for part in parts)) for parts in around)
    before = ("…" if first > 0 else "") + begin
    after = end + ("…" if last < len(text) else "")
    return PassageSide(span, place(document, span), before, tuple(pieces), after, gaps=tuple(own))


@lru_cache(maxsize=8)
def _wraps(text: str, blocks: tuple[Block, ...]) -> list[int]:
    ends: list[int] = wrapped_line_ends(text, blocks).tolist()
    return ends


def _read(text: str, wraps: Sequence[int], start: int, end: int) -> str:
    """``text[start:end]`` without the line ends ``wraps`` (ascending)."""
    parts, at = [], start
    for wrap in wraps[bisect_left(wraps, start) : bisect_left(wraps, end)]:
        parts += [text[at:wrap].rstrip(" \t"), joint(text[wrap - 1], text[wrap + 1])]
        at = wrap + 1
        while at < end and text[at] in " \t":
            at += 1
    return "".join((*parts, text[at:end]))
