"""The data types of the product, shared by every layer.

Offsets are Unicode code points in a document's extracted text, half-open ``[start, end)``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag, StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from workbench.base.evidence import RECOGNISED, joined, packed, unpacked, without_places
from workbench.base.gaps import Gaps
from workbench.base.messages import Counted, Message, percent
from workbench.base.tags import Role as Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
else:  # importing numpy takes longer than printing a help
    Ints = Floats = object

Evidence = Mapping[str, Any]
"""Flat, JSON-compatible evidence for a match or score: names to numbers, booleans or short strings."""


KINDS = ("documents", "runs", "matches", "labels", "watches", "measures")
"""The kinds of a project's content, by which changes are announced."""


class Span(NamedTuple):
    """Code points ``[start, end)``."""

    start: int
    end: int

    def overlap(self, other: Span) -> int:
        """Code points shared with ``other``; 0 when disjoint."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


class Anchor(NamedTuple):
    """The text of a link: the span of a page's text that leads to ``address`` (empty if that is not a page)."""

    span: Span
    address: str


class BlockKind(StrEnum):
    """The kind of a block by its layout; it determines whether a line end ends a segment."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    LIST_ITEM = "list-item"
    TABLE_CELL = "table-cell"
    PREFORMATTED = "preformatted"


class BlockClass(StrEnum):
    """Whether a block is content of its page."""

    CONTENT = "content"
    NON_CONTENT = "non-content"


class Block(NamedTuple):
    """A block of a document's text: its span, path, and class with the reason.

    A tuple, as a page has hundreds of them.
    """

    span: Span
    kind: BlockKind = BlockKind.PARAGRAPH
    verdict: BlockClass = BlockClass.CONTENT
    rule: str = ""
    path: str = ""


class LookKind(IntFlag):
    """The look of characters, as a sum of flags; ``PICTURE`` marks a place: its span is empty."""

    BOLD = 1
    ITALIC = 2
    CODE = 4
    PICTURE = 8


MOST_LOOKS = 100_000
"""Maximum number of looks stored per document (the first ones); a book of a million words has a few thousand."""


class Look(NamedTuple):
    """Characters that look different from those around them, or the place of a picture."""

    span: Span
    kind: LookKind


class IntegrityFlag(NamedTuple):
    """A sign that a text hides something: its ``kind`` in English, how many ``characters`` it concerns, and
    the places of the first ones in the text.
    """

    kind: str
    characters: int
    spans: tuple[Span, ...]


class WordBox(NamedTuple):
    """A word recognised in a picture: its page and line from 0, its span in the text, and its box on the page in steps
    of 1 / :data:`BOX_STEPS` of the page's width and height from its top left corner.
    """

    page: int
    line: int
    start: int
    end: int
    left: int
    top: int
    right: int
    bottom: int


BOX_STEPS = 65_535


class PrintedPage(NamedTuple):
    """A page of a printed document: its ``label`` if it differs from its number, otherwise empty, and the offsets in
    the text at which the lines of its body begin, in file order: a footnote or caption comes before the lines below it
    on the page, and in the text after the paragraph that it interrupts.
    """

    label: str
    lines: tuple[int, ...]


_OF_PAGES = ("pdf", "picture")
"""Formats whose pages are pictures; in others, pictures accompany the text."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """How a document's text was obtained: format, encoding and its evidence, and repairs.

    ``hidden`` counts the characters of a web page that browsers do not show, which are left out. ``created`` is the
    file's own creation date (ISO 8601, or empty), not of publication. ``pages`` are those of a PDF or a scan.
    ``integrity``: signs that something is hidden from comparison or from readers. ``ocr`` is the confidence
    of the recognition of each page, 1 to 100 percent; 0 for a page with its own text. ``looks``: emphasis and places of
    pictures, ordered and disjoint; empty in projects of versions that did not store them.
    """

    format: str = "text"
    encoding: str = "utf-8"
    encoding_source: str = ""
    repairs: tuple[str, ...] = ()
    created: str = ""
    hidden: int = 0
    pages: tuple[PrintedPage, ...] = ()
    integrity: tuple[IntegrityFlag, ...] = ()
    ocr: tuple[int, ...] = ()
    looks: tuple[Look, ...] = ()

    @property
    def confidence(self) -> int:
        """Average confidence, 1 to 100 percent, over recognised pages; 0 if there are none."""
        sure = [of_page for of_page in self.ocr if of_page]
        return round(sum(sure) / len(sure)) if sure else 0

    @property
    def recognition(self) -> Message | None:
        """*read from a picture, 91 % certain*; None for text from a file."""
        pages = sum(1 for sure in self.ocr if sure)
        if not pages:
            return None
        share = percent(self.confidence / 100)
        if self.format not in _OF_PAGES:
            pictures = Counted("text of {count} picture", "text of {count} pictures", pages)
            return Message("with {pictures}, {share} certain", pictures=pictures, share=share)
        if len(self.ocr) == 1:
            return Message("read from a picture, {share} certain", share=share)
        return Message(
            "{count} of {pages} pages read from pictures, {share} certain",
            count=pages,
            pages=len(self.ocr),
            share=share,
        )


class DateSource(StrEnum):
    """The source of a document's date: the page's metadata or text, a listing of its site, or the import. ``SITEMAP``
    and ``HEADER`` date its last change, so it was published then or earlier.
    """

    META = "meta tag"
    JSON_LD = "JSON-LD"
    MARKUP = "time element"
    FEED = "feed"
    SITEMAP = "sitemap"
    HEADER = "HTTP header"
    FILE = "file"
    IMPORTER = "importer"

    @property
    def is_last_change(self) -> bool:
        """Whether the date is the date of the last change."""
        return self in (DateSource.SITEMAP, DateSource.HEADER)


@dataclass(frozen=True, slots=True)
class Document:
    """One text. ``id`` is the imported identifier; ``key`` is its integer in a project (0 outside one).

    ``published`` is an ISO 8601 date or time from the page or the importer, or empty; ``dated_by`` is its DateSource,
    empty if unknown; ``language`` a BCP 47 primary subtag or ``und``; ``tags`` are the user's own words
    (:mod:`workbench.base.tags`). ``blocks`` are ordered, disjoint spans; if there are any (web pages), segments do not
    cross block boundaries. ``anchors`` are the texts of links, ordered and disjoint; links without text are omitted.
    ``markup`` is the decoded source of a web page, ``original`` the file of a document with pages, and ``words`` are
    the boxes of recognised words, ordered by page and line, while it is being imported; documents read from a project
    lack all three.
    """

    id: str
    text: str
    role: Role = Role.SOURCE
    key: int = 0
    title: str = ""
    url: str = ""
    site: str = ""
    published: str = ""
    dated_by: str = ""
    language: str = "und"
    origin: str = ""
    blocks: tuple[Block, ...] = ()
    links: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    extraction: Extraction = field(default_factory=Extraction)
    markup: str = ""
    original: bytes = field(default=b"", repr=False)
    words: tuple[WordBox, ...] = field(default=(), repr=False)
    tags: tuple[str, ...] = ()

    @property
    def content_hash(self) -> bytes:
        """SHA-256 of the text in UTF-8 (32 bytes)."""
        return text_hash(self.text)


def text_hash(text: str) -> bytes:
    """SHA-256 of ``text`` in UTF-8 (32 bytes); lone surrogates do not occur in extracted text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Match:
    """One copied passage: ``a`` (the suspect's key) ``[a_span)`` equals or resembles ``b`` ``[b_span)``.

    ``a_gaps``, ``b_gaps``: stretches within the spans that correspond to nothing on the other side, in order.
    """

    a: int
    b: int
    a_span: Span
    b_span: Span
    score: float
    evidence: Evidence = field(default_factory=dict)
    a_gaps: tuple[Span, ...] = ()
    b_gaps: tuple[Span, ...] = ()


class Tier(IntEnum):
    """How similar the two sides of a match are, the most similar first; ``title`` is the English name."""

    EXACT = 0, "Exact"
    FOLDED = 1, "Exact ignoring symbols and spaces"
    ALTERED = 2, "Altered"

    title: str

    def __new__(cls, value: int, title: str) -> Tier:
        """A tier of this value and English name."""
        tier = int.__new__(cls, value)
        tier._value_ = value
        tier.title = title
        return tier


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches by the million, as columns of equal length n.

    ``a``, ``b`` are document keys; the four offsets are code points; ``evidence`` maps a name to a column of n numbers.
    ``tier`` contains values of :class:`Tier`. ``gaps`` are within the limits of the matches, but not part of them.
    """

    a: Ints
    b: Ints
    a_start: Ints
    a_end: Ints
    b_start: Ints
    b_end: Ints
    score: Floats
    tier: NDArray[np.int8]
    evidence: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    gaps: Gaps = field(default_factory=Gaps.none)

    @classmethod
    def empty(cls) -> Matches:
        """No matches."""
        import numpy as np

        none = np.zeros(0, np.int64)
        return cls(none, none, none, none, none, none, np.zeros(0), np.zeros(0, np.int8))

    @classmethod
    def of(cls, matches: Sequence[Match]) -> Matches:
        """Columns of ``matches``, whose evidence has the same names in each, ``tier`` among them (see :meth:`row`)."""
        import numpy as np

        if not matches:
            return cls.empty()
        places = np.array([(m.a, m.b, *m.a_span, *m.b_span) for m in matches], np.int64).T.copy()
        evidence = {name: np.array([m.evidence[name] for m in matches]) for name in matches[0].evidence}
        tier = evidence.pop("tier").astype(np.int8)
        gaps = Gaps.of(
            (at, side, *gap)
            for at, m in enumerate(matches)
            for side, stretches in enumerate((m.a_gaps, m.b_gaps))
            for gap in stretches
        )
        a, b, a_start, a_end, b_start, b_end = places
        score = np.array([m.score for m in matches])
        return cls(a, b, a_start, a_end, b_start, b_end, score, tier, evidence, gaps)

    @classmethod
    def concatenate(cls, parts: Sequence[Matches]) -> Matches:
        """All of ``parts`` in order; non-empty parts must have the same evidence names, except RECOGNISED."""
        import numpy as np

        parts = [p for p in parts if len(p)]
        if not parts:
            return cls.empty()
        joined: dict[str, Any] = {c: np.concatenate([getattr(p, c) for p in parts]) for c in cls.columns()}
        evidence = {k: np.concatenate([p.evidence[k] for p in parts]) for k in parts[0].evidence if k != RECOGNISED}
        if any(RECOGNISED in p.evidence for p in parts):
            sure = [p.evidence.get(RECOGNISED, np.zeros(len(p))) for p in parts]
            evidence[RECOGNISED] = np.concatenate(sure)
        return cls(**joined, evidence=evidence, gaps=Gaps.concatenate([(p.gaps, len(p)) for p in parts]))

    @staticmethod
    def columns() -> tuple[str, ...]:
        """Names of the fixed columns."""
        return ("a", "b", "a_start", "a_end", "b_start", "b_end", "score", "tier")

    def __len__(self) -> int:
        return len(self.a)

    def take(self, index: Any) -> Matches:
        """Rows chosen by a numpy index or mask, in that order."""
        taken: dict[str, Any] = {c: getattr(self, c)[index] for c in self.columns()}
        evidence = {k: v[index] for k, v in self.evidence.items()}
        return Matches(**taken, evidence=evidence, gaps=self.gaps.take(index, len(self)))

    def from_other_side(self) -> Matches:
        """The same passages with suspect and source exchanged; other places in the source are then unknown."""
        return Matches(
            *(self.b, self.a, self.b_start, self.b_end, self.a_start, self.a_end, self.score, self.tier),
            evidence=without_places(self.evidence),
            gaps=self.gaps.from_other_side(),
        )

    def row(self, i: int) -> Match:
        """Row ``i`` as one :class:`Match` (evidence includes ``tier``)."""
        evidence = {k: v[i].item() for k, v in self.evidence.items()} | {"tier": int(self.tier[i])}
        gaps = (tuple(Span(*gap) for gap in side) for side in self.gaps.within(i))
        return Match(
            int(self.a[i]),
            int(self.b[i]),
            Span(int(self.a_start[i]), int(self.a_end[i])),
            Span(int(self.b_start[i]), int(self.b_end[i])),
            float(self.score[i]),
            evidence,
            *gaps,
        )

    def __iter__(self) -> Iterator[Match]:
        return (self.row(i) for i in range(len(self)))


@dataclass(frozen=True, slots=True)
class PairScore:
    """A pair of documents (keys; ``a`` is the suspect). Figures the method does not compute are ``None``."""

    a: int
    b: int
    score: float
    resemblance: float | None = None
    containment: float | None = None
    relation: str | None = None
    evidence: Evidence = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PairScores(Sequence[PairScore]):
    """Pairs by the million, as columns of equal length n: the fields of :class:`PairScore`. ``a`` and ``b`` are int64,
    ``evidence`` is JSON as :func:`workbench.base.evidence.packed` writes it.
    """

    a: Ints
    b: Ints
    score: Sequence[float]
    resemblance: Sequence[float | None]
    containment: Sequence[float | None]
    relation: Sequence[str | None]
    evidence: Sequence[str]

    @classmethod
    def of(cls, pairs: Sequence[PairScore]) -> PairScores:
        """``pairs`` as columns."""
        import numpy as np

        if isinstance(pairs, PairScores):
            return pairs
        return cls(
            a=np.array([pair.a for pair in pairs], np.int64),
            b=np.array([pair.b for pair in pairs], np.int64),
            score=[pair.score for pair in pairs],
            resemblance=[pair.resemblance for pair in pairs],
            containment=[pair.containment for pair in pairs],
            relation=[pair.relation for pair in pairs],
            evidence=[packed(pair.evidence) for pair in pairs],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Sequence[PairScore]]) -> PairScores:
        """All of ``parts`` in order."""
        import numpy as np

        columns = [cls.of(part) for part in parts if len(part)]
        none = np.zeros(0, np.int64)
        return cls(
            a=np.concatenate([none, *(c.a for c in columns)]),
            b=np.concatenate([none, *(c.b for c in columns)]),
            score=joined([c.score for c in columns]),
            resemblance=joined([c.resemblance for c in columns]),
            containment=joined([c.containment for c in columns]),
            relation=joined([c.relation for c in columns]),
            evidence=joined([c.evidence for c in columns]),
        )

    def __len__(self) -> int:
        return len(self.a)

    @overload
    def __getitem__(self, at: int) -> PairScore: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[PairScore, ...]: ...
    def __getitem__(self, at: int | slice) -> PairScore | tuple[PairScore, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        figures = (self.score[at], self.resemblance[at], self.containment[at], self.relation[at])
        return PairScore(int(self.a[at]), int(self.b[at]), *figures, unpacked(self.evidence[at]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """One number for one document (key)."""

    document: int
    score: float
    evidence: Evidence = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Region:
    """A trustable region of a pair: most of its text occurs in both."""

    a: int
    b: int
    a_span: Span
    b_span: Span
    slope: float


@dataclass(frozen=True, slots=True)
class Results:
    """Results of one call of ``detect``. ``excluded`` counts what was left out, by reason."""

    matches: Matches = field(default_factory=Matches.empty)
    pairs: Sequence[PairScore] = ()
    scores: tuple[DocumentScore, ...] = ()
    regions: tuple[Region, ...] = ()
    excluded: Mapping[str, int] = field(default_factory=dict)


class RunState(StrEnum):
    """State of a run. ``INTERRUPTED`` is a run whose process died; it can be resumed."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"

    @property
    def resumable(self) -> bool:
        """Whether a run in this state can be resumed."""
        return self in (RunState.INTERRUPTED, RunState.CANCELLED, RunState.FAILED)


@dataclass(frozen=True, slots=True)
class Run:
    """One application of a method with its parameters to the corpus whose hash is ``corpus_hash`` (hex).

    ``varied_from``: the run whose parameters a sweep varied to make this one. ``taken_over``: how many of ``documents``
    were examined in the run that it ``continues``, whose results it reuses. ``watch`` is the watch that started it;
    None if a person did. ``part``: it examined only some documents. ``seconds`` excludes compiling,
    which happens once per machine.
    """

    id: int
    method: str
    version: int
    parameters: Mapping[str, Any]
    corpus_hash: str
    state: RunState
    created: str
    finished: str = ""
    seconds: float = 0.0
    documents: int = 0
    matches: int = 0
    pairs: int = 0
    scores: int = 0
    excluded: Mapping[str, int] = field(default_factory=dict)
    message: str = ""
    varied_from: int | None = None
    continues: int | None = None
    taken_over: int = 0
    watch: int | None = None
    part: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """One event of the append-only label log: annotator, value, target and time.

    ``target`` is ``document:ID`` or ``match:A:start-end:B:start-end`` with imported ids; ``value`` empty means the
    label was withdrawn. ``when`` is ISO 8601 UTC. ``digest`` identifies the text of a passage at the time of the label:
    the SHA-256 of each side in hex, separated by a colon; or that of a document that has had several; empty if unknown.
    """

    target: str
    value: str
    who: str
    when: str
    note: str = ""
    old: str = ""
    label_set: str = "verdict"
    digest: str = ""
