"""Reported matches by page and original: their extent, the relation of the two, the page's state and its case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.base.coverage import A, B, content_length, covered
from workbench.base.messages import Message
from workbench.base.types import Document, Span
from workbench.methods.rare_sentences.relations import Direction
from workbench.project.captures import page_states
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.listing import DocumentItem
from workbench.project.pairs import pair_pages
from workbench.project.watches import texts_of
from workbench.services.relations.direction import Conclusion, in_words
from workbench.services.relations.directions import Directions
from workbench.services.review.verdict_index import VerdictIndex
from workbench.services.session import Session
from workbench.services.watching.analysis import Copy, as_matches
from workbench.services.watching.cases import read_cases
from workbench.services.watching.standing import Standing, standing_of

WHOLE = 0.8
"""Minimum share of an original that counts as copying it whole."""
MAIN = 0.5
"""Minimum share of a page that counts as mainly others' text."""
STITCHED = 3
"""Minimum number of originals of a stitched page, which is mainly their text."""


class PageRelation(StrEnum):
    """How a page relates to an original: its whole text and little else, its whole text among other text, parts of
    several originals, a part with a link to the original, or a part without one.
    """

    WHOLE = "whole copy"
    INCLUSION = "inclusion"
    STITCHED = "stitched"
    QUOTATION = "quotation with a link"
    EXCERPT = "excerpt"


@dataclass(frozen=True, slots=True)
class Finding:
    """The text shared by a page and a source, and the direction of copying (``a`` is the page).

    ``characters`` of the original are on the page, a ``share`` (0 to 1) of its content; ``copied`` is the share of the
    page's content in passages. ``verdicts`` are those of review: on the page as a whole, if judged, and on the
    passages.
    """

    page: str
    document: DocumentItem
    source: DocumentItem
    copies: tuple[Copy, ...]
    characters: int
    share: float
    copied: float
    relation: PageRelation
    direction: Conclusion
    standing: Standing
    verdicts: tuple[str, ...]

    @property
    def is_ours(self) -> bool:
        """Whether the user's own text was taken from the page."""
        return self.direction.direction is Direction.B_FROM_A

    @property
    def way(self) -> Message:
        """The direction of copying in words: *theirs from ours*, *ours from theirs*, *cannot tell*."""
        return in_words(self.direction.direction)

    @property
    def signs(self) -> Message:
        """The evidence for :attr:`way`, or the comparisons that decided nothing."""
        return Message("a is the page, b is your own text: {reason}", reason=self.direction.reason)

    @property
    def largest(self) -> Copy:
        """The longest passage."""
        return max(self.copies, key=lambda copy: copy.characters)


def findings(session: Session, copies: Sequence[Copy]) -> list[Finding]:
    """``copies`` by page and source, the largest share of a source first; the origins of the user's own text last."""
    groups: defaultdict[tuple[str, int], list[Copy]] = defaultdict(list)
    for copy in copies:
        groups[copy.match.page, copy.source.key].append(copy)
    pages = list(dict.fromkeys(page for page, _ in groups))
    with session.read() as connection:
        shapes = _Shapes(connection)
        states = page_states(connection, pages)
        texts = _texts_with_copies(connection, copies)
        cases = read_cases(connection).seen_in(session)
        verdicts = session.verdicts.follow(connection)
        directions = Directions(connection, {(_last(of_pair).key, source) for (_, source), of_pair in groups.items()})
        whole: defaultdict[str, list[Copy]] = defaultdict(list)
        for (page, _), of_pair in groups.items():
            whole[page] += of_pair
        made_of_several = {page for page, of_page in whole.items() if _is_stitched(of_page, shapes)}
        rows = []
        for (page, _), of_pair in groups.items():
            document, source = _last(of_pair), of_pair[0].source
            characters = covered(as_matches([c.match for c in of_pair]), B)
            on_page = covered(as_matches([c.match for c in of_pair if c.match.a == document.key]), A)
            share = min(1.0, characters / max(1, shapes.of(source.key).length))
            copied = min(1.0, on_page / max(1, shapes.of(document.key).length))
            linked = shapes.of(source.key).address in shapes.of(document.key).links
            relation = _relation(share, copied, linked=linked, stitched=page in made_of_several)
            rows.append(
                Finding(
                    page,
                    document,
                    source,
                    tuple(of_pair),
                    characters,
                    share,
                    copied,
                    relation,
                    directions.of(document.key, source.key),
                    standing_of(page, texts[source.key], states, cases),
                    _verdicts(verdicts, of_pair),
                )
            )
    return sorted(rows, key=lambda f: (f.is_ours, -f.share, -f.characters, f.page, f.source.key))


def _texts_with_copies(connection: Connection, copies: Sequence[Copy]) -> dict[int, set[int]]:
    """The texts (numbers) in which a copy of each source (key) was reported, or found again: matches that are known
    are not reported with the new text of a page.
    """
    documents: defaultdict[int, set[int]] = defaultdict(set)
    for copy in copies:
        documents[copy.source.key].add(copy.page.key)
    for run in {copy.run for copy in copies if copy.run is not None}:
        for pairs in pair_pages(connection, run):
            for pair in pairs:
                if pair.b in documents:
                    documents[pair.b].add(pair.a)
    texts = texts_of(connection, sorted(set().union(*documents.values())))
    return {source: {texts[key] for key in keys} for source, keys in documents.items()}


def gone_since(session: Session, pages: Sequence[str]) -> dict[str, str]:
    """Times (ISO 8601 in UTC) at which ``pages`` were noticed to be gone, for those that are."""
    with session.read() as connection:
        return {page: state.gone for page, state in page_states(connection, pages).items() if state.gone}


def _last(copies: Sequence[Copy]) -> DocumentItem:
    """The newest text of a page that is among its copies."""
    return max(copies, key=lambda copy: copy.match.a).page


def _relation(share: float, made_up: float, *, linked: bool, stitched: bool) -> PageRelation:
    if share >= WHOLE:
        return PageRelation.WHOLE if made_up >= MAIN else PageRelation.INCLUSION
    if stitched:
        return PageRelation.STITCHED
    return PageRelation.QUOTATION if linked else PageRelation.EXCERPT


def _is_stitched(copies: Sequence[Copy], shapes: _Shapes) -> bool:
    key = max(copy.match.a for copy in copies)
    now = [copy for copy in copies if copy.match.a == key]
    on_page = covered(as_matches([copy.match for copy in now]), A)
    return len({c.source.key for c in now}) >= STITCHED and on_page >= MAIN * shapes.of(key).length


def _verdicts(verdicts: VerdictIndex, copies: Sequence[Copy]) -> tuple[str, ...]:
    """The verdicts on the page as a whole, then on the passages, without duplicates."""
    pages = dict.fromkeys(copy.page.id for copy in copies)
    values = [whole.value for page in pages if (whole := verdicts.suspect(page)) is not None and whole.value]
    for copy in copies:
        match = copy.match
        pair = verdicts.of(copy.page.id, copy.source.id)
        judgement = pair.at(Span(match.a_start, match.a_end), Span(match.b_start, match.b_end))
        if judgement is not None and judgement.value:
            values.append(judgement.value)
    return tuple(dict.fromkeys(values))


@dataclass(frozen=True, slots=True)
class _Shape:
    """Characters of a document's content, its address, and its links, without fragments."""

    length: int
    address: str
    links: frozenset[str]


class _Shapes:
    """The shapes of documents, each read once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[int, _Shape] = {}

    def of(self, key: int) -> _Shape:
        if key not in self._known:
            self._known[key] = _shape(load_document(self._connection, key))
        return self._known[key]


def _shape(document: Document) -> _Shape:
    links = frozenset(link.partition("#")[0] for link in document.links)
    return _Shape(content_length(document), document.url.partition("#")[0] or "\0", links)
