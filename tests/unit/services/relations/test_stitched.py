"""Stitched pages against their definition, written out with sets of characters and all choices of sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.base.types import Block, BlockClass, Document, Matches, PairScore, Results, Role, Span
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.relations import stitched as relations_stitched
from workbench.services.relations.options import StitchedOptions
from workbench.services.relations.stitched import Stitched, StitchedPage, find_stitched, stitched_pages, unrelated
from workbench.services.review import by_hand
from workbench.services.review.pairs import suspect_rows
from workbench.services.session import Session, create

Row = tuple[int, int, int, int, int, int]
LENGTH = 30


def document(number: int, role: Role = Role.SOURCE, blocks: tuple[Block, ...] = ()) -> Document:
    return Document(f"d{number}", chr(0x4E00 + number) * LENGTH, role, blocks=blocks)


def stored(session: Session, rows: list[Row], pairs: tuple[tuple[int, int], ...] = ()) -> int:
    """A finished run with passages ``rows`` (a, b, a_start, a_end, b_start, b_end); its id."""
    with session.write() as connection:
        run = begin_run(connection, "digest", 1, {}, "0" * 64, 1)
        finish_chunk(connection, run.id, 0, Results(columns(rows), tuple(PairScore(a, b, 1.0) for a, b in pairs)))
        finish_run(connection, run.id)
    return run.id


def open_case(path: Path, documents: list[Document]) -> Session:
    create(path)
    session = Session(path)
    with session.write() as connection:
        add_documents(connection, documents)
    return session


def columns(rows: list[Row]) -> Matches:
    a, b, a_start, a_end, b_start, b_end = np.array(rows, np.int64).reshape(-1, 6).T
    return Matches(a, b, a_start, a_end, b_start, b_end, np.ones(len(rows)), np.zeros(len(rows), np.int8))


def covers_of(page: int, documents: list[Document], rows: list[Row], least: int) -> tuple[int, dict[int, set[int]]]:
    """Size of a page's content, and its covers by its sources, as sets of characters."""
    text = documents[page - 1]
    content = set(range(len(text.text)))
    if text.blocks:
        content = {c for b in text.blocks if b.verdict is BlockClass.CONTENT for c in range(*b.span)}
    covers: dict[int, set[int]] = {}
    for a, b, a_start, a_end, b_start, b_end in rows:
        for mine, other, start, end in ((a, b, a_start, a_end), (b, a, b_start, b_end)):
            barred = text.role is not Role.SUSPECT and documents[other - 1].role is Role.SUSPECT
            if mine == page and not barred:
                covers.setdefault(other, set()).update(content & set(range(start, end)))
    return len(content), {q: cover for q, cover in covers.items() if len(cover) >= least}


def choices(covers: dict[int, set[int]], known: set[frozenset[int]], options: StitchedOptions) -> list[tuple[int, ...]]:
    """All choices of enough sources, no two of them related."""

    def related(two: tuple[int, int]) -> bool:
        return frozenset(two) in known or len(covers[two[0]] & covers[two[1]]) >= options.characters

    sizes = range(options.sources, len(covers) + 1)
    every = (choice for size in sizes for choice in combinations(sorted(covers), size))
    return [choice for choice in every if not any(map(related, combinations(choice, 2)))]


spans = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 14)).map(lambda s: (s[0], min(LENGTH, s[0] + s[1])))


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Document], list[Row], tuple[tuple[int, int], ...], StitchedOptions]:
    count = draw(st.integers(2, 6))
    documents = []
    for number in range(count):
        role = draw(st.sampled_from((Role.SOURCE, Role.SUSPECT)))
        cut = draw(st.integers(1, LENGTH))
        verdicts = draw(st.tuples(*[st.sampled_from(list(BlockClass))] * 2))
        edges = (0, cut, LENGTH)
        blocks = tuple(
            Block(Span(edges[i], edges[i + 1]), verdict=verdicts[i]) for i in (0, 1) if edges[i] < edges[i + 1]
        )
        documents.append(document(number, role, blocks if draw(st.booleans()) else ()))
    ends = st.tuples(st.integers(1, count), st.integers(1, count)).filter(lambda p: p[0] != p[1])
    rows = draw(st.lists(st.tuples(ends, spans, spans).map(lambda r: (*r[0], *r[1], *r[2])), min_size=1, max_size=12))
    pairs = tuple(draw(st.lists(ends, max_size=2, unique=True)))
    options = StitchedOptions(draw(st.integers(1, 3)), draw(st.sampled_from((0.0, 0.3, 0.6))), draw(st.integers(1, 6)))
    return documents, rows, pairs, options


@pytest.mark.slow
@given(cases())
@settings(max_examples=300)
def test_what_is_reported_is_what_the_definition_says(
    case: tuple[list[Document], list[Row], tuple[tuple[int, int], ...], StitchedOptions],
) -> None:
    documents, rows, pairs, options = case
    roles = {key: text.role for key, text in enumerate(documents, 1)}
    reported = find_stitched(columns(rows), pairs, roles, lambda key: replace(documents[key - 1], key=key), options)
    assert reported.undecided == 0
    pages = {page.key: page for page in reported.pages}
    known = {frozenset(row[:2]) for row in rows} | {frozenset(pair) for pair in pairs}
    for key in roles:
        length, covers = covers_of(key, documents, rows, options.characters)
        possible = choices(covers, known, options)
        most = max((sum(len(covers[q]) for q in choice) for choice in possible), default=0)
        covered = {
            choice: len(set().union(*(covers[q] for q in choice)))
            for choice in possible
            if sum(len(covers[q]) for q in choice) == most
        }
        enough = {choice: size for choice, size in covered.items() if size >= options.share * length}
        if key in pages:
            chosen = tuple(sorted(s.key for s in pages[key].sources))
            assert pages[key].covered == enough[chosen]
            assert {s.key: s.characters for s in pages[key].sources} == {q: len(covers[q]) for q in chosen}
            assert (pages[key].length, pages[key].others) == (length, len(covers) - len(chosen))
        else:
            # Of choices that weigh the same any one may be judged.
            assert not covered or len(enough) < len(covered)


@given(st.lists(st.sets(st.integers(0, 30), min_size=1), min_size=1, max_size=4))
def test_what_covers_have_in_common_is_counted_in_characters(covers: list[set[int]]) -> None:
    def spans(places: set[int]) -> np.ndarray:
        inside = np.isin(np.arange(-1, 32), list(places)).astype(int)
        return np.flatnonzero(np.diff(inside)).reshape(-1, 2)

    table = relations_stitched._overlaps([spans(places) for places in covers])
    assert table.tolist() == [[len(one & other) for other in covers] for one in covers]


@pytest.fixture
def stitched(tmp_path: Path) -> tuple[Session, list[Row]]:
    """Page 1 is made of 2, 3 and 4, ten characters each; 5 is a copy of it."""
    session = open_case(tmp_path / "case.palimpsest", [document(n) for n in range(5)])
    rows: list[Row] = [(1, q, 10 * i, 10 * i + 10, 0, 10) for i, q in enumerate((2, 3, 4))]
    return session, rows


def only(pages: Sequence[StitchedPage]) -> StitchedPage:
    assert len(pages) == 1
    return pages[0]


OPTIONS = StitchedOptions(characters=5)


def test_a_page_is_reported_with_its_sources_and_their_shares(stitched: tuple[Session, list[Row]]) -> None:
    session, rows = stitched
    with session:
        page = only(stitched_pages(session, stored(session, rows), OPTIONS).pages)
    assert (page.key, page.length, page.covered, page.share) == (1, 30, 30, 1.0)
    assert [(s.key, s.characters) for s in page.sources] == [(2, 10), (3, 10), (4, 10)]
    assert (page.others, page.proven) == (0, True)


def test_sources_that_share_text_with_each_other_are_not_different_sources(stitched: tuple[Session, list[Row]]) -> None:
    session, rows = stitched
    with session:
        assert not stitched_pages(session, stored(session, [*rows, (3, 2, 20, 25, 20, 25)]), OPTIONS).pages
        assert not stitched_pages(session, stored(session, rows, ((4, 2),)), OPTIONS).pages


def test_a_copy_of_the_stitched_page_does_not_hide_it(stitched: tuple[Session, list[Row]]) -> None:
    session, rows = stitched
    copy: list[Row] = [(5, 1, 0, 30, 0, 30), *((5, q, 10 * i, 10 * i + 10, 0, 10) for i, q in enumerate((2, 3, 4)))]
    with session:
        pages = stitched_pages(session, stored(session, [*rows, *copy]), OPTIONS).pages
    assert [(p.key, [s.key for s in p.sources], p.others) for p in pages] == [(1, [2, 3, 4], 1), (5, [2, 3, 4], 1)]


def test_a_source_that_three_suspects_quote_is_not_stitched_from_them(tmp_path: Path) -> None:
    documents = [document(0), *(document(n, Role.SUSPECT) for n in (1, 2, 3))]
    rows: list[Row] = [(q, 1, 0, 10, 10 * i, 10 * i + 10) for i, q in enumerate((2, 3, 4))]
    with open_case(tmp_path / "case.palimpsest", documents) as session:
        assert not stitched_pages(session, stored(session, rows), OPTIONS).pages


def test_pages_whose_search_was_cut_short_are_counted(
    stitched: tuple[Session, list[Row]], monkeypatch: pytest.MonkeyPatch
) -> None:
    session, rows = stitched
    with session:
        run = stored(session, rows)
        assert stitched_pages(session, run, OPTIONS).undecided == 0
        monkeypatch.setattr(relations_stitched, "unrelated", partial(unrelated, steps=0))
        assert stitched_pages(session, run, OPTIONS) == Stitched((), 1)


def test_a_run_without_passages_is_refused_with_a_reason(tmp_path: Path) -> None:
    with open_case(tmp_path / "case.palimpsest", [document(n) for n in range(3)]) as session:
        run = stored(session, [], ((1, 2), (1, 3)))
        with pytest.raises(UserError, match="no passages"):
            stitched_pages(session, run)


@pytest.mark.parametrize(("covered", "is_stitched"), [(15, True), (14, False)])
def test_a_page_is_stitched_from_the_share_asked_for_on(tmp_path: Path, covered: int, is_stitched: bool) -> None:
    documents = [document(1, Role.SUSPECT), document(2), document(3)]
    rows = [(1, 2, 0, 7, 0, 7), (1, 3, 7, covered, 0, covered - 7)]
    with open_case(tmp_path / "p.palimpsest", documents) as session:
        result = stitched_pages(session, stored(session, rows), StitchedOptions(sources=2, characters=5, share=0.5))
    assert bool(result.pages) == is_stitched


def test_a_page_of_paragraphs_is_as_long_in_relations_as_in_review(tmp_path: Path) -> None:
    blocks = tuple(Block(Span(10 * i, 10 * i + 9)) for i in range(3))
    page, *originals = (document(n, blocks=blocks if n == 0 else ()) for n in range(4))
    rows: list[Row] = [(1, 2, 0, 10, 0, 10), (1, 3, 10, 20, 0, 10)]
    with open_case(tmp_path / "case.palimpsest", [page, *originals]) as session:
        run = stored(session, rows)
        by_hand.add(session, page, Span(20, 29), originals[2], Span(0, 9), "Ann")
        stitched = only(stitched_pages(session, run, OPTIONS).pages)
        with session.read() as connection:
            row = next(row for row in suspect_rows(connection, run) if row.key == 1)
    assert (stitched.length, stitched.covered, stitched.share) == (row.length, 29, row.coverage)
