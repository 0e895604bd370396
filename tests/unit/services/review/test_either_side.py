from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scored import add, pairs, passages, store

from workbench.base.types import Document, Match, Role, Span
from workbench.project.documents import add_documents, load_document
from workbench.project.imports import begin_batch
from workbench.services import listing
from workbench.services.queries import newer_documents
from workbench.services.review.either_side import listed_suspects, rows_of_either
from workbench.services.review.overview import read_overview
from workbench.services.review.passages import passages as units
from workbench.services.review.sides import matches_of_suspect, others_of
from workbench.services.review.splitting import Cut, join, split
from workbench.services.review.unplaced import unmatched
from workbench.services.review.verdicts import give_verdict
from workbench.services.session import Session, create
from workbench.services.tagging import change_tags_of

SOURCE = 7
Row = tuple[int, int, int, int, int]
"""Keys of the documents, first character in either, and how many."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Six suspects (keys 1 to 6) and a source."""
    path = tmp_path_factory.mktemp("either") / "p.palimpsest"
    create(path)
    session = Session(path)
    add(session)
    add(session, ["source"], Role.SOURCE)
    return session


def _match(a: int, b: int, a_start: int, b_start: int, length: int, score: float = 1.0) -> Match:
    return Match(a, b, Span(a_start, a_start + length), Span(b_start, b_start + length), score)


def test_of_two_suspects_that_match_both_are_listed(session: Session) -> None:
    run = store(session, "digest", passages(_match(2, 1, 0, 4, 6, 3.0), _match(3, SOURCE, 0, 0, 5)))
    overview = read_overview(session, run)
    rows = listed_suspects(session, overview)
    assert [(row.id, row.score, row.longest, row.sources) for row in rows] == [
        *(("s0", 3, 6, 1), ("s1", 3, 6, 1), ("s2", 1, 5, 1))
    ]
    assert overview.columns is not None
    assert overview.run is not None
    assert [item.id for item in unmatched(session, overview.columns, overview.run)] == ["b0", "b1", "b2"]
    assert overview.unmatched == 3


def test_suspects_without_a_match_are_listed_as_they_are_counted(session: Session) -> None:
    change_tags_of(session, ["b1", "s2"], ["mail"], [])
    run = store(session, "digest", passages(_match(3, SOURCE, 0, 0, 5)), {"suspect_tags": "mail", "source_tags": ""})
    overview = read_overview(session, run)
    assert overview.columns is not None
    assert overview.run is not None
    listed = [item.id for item in unmatched(session, overview.columns, overview.run)]
    assert (listed, overview.unmatched) == (["b1"], 1)


def test_documents_that_a_run_would_not_cover_do_not_make_it_out_of_date(session: Session) -> None:
    run = store(
        session, "digest", passages(_match(3, SOURCE, 0, 0, 5)), {"suspect_tags": "mail", "source_tags": "-old"}
    )
    with session.write() as connection:
        batch = begin_batch(connection)
        later = [("mail", Role.SUSPECT), ("", Role.SUSPECT), ("", Role.SOURCE), ("old", Role.SOURCE)]
        documents = [
            Document(f"n{n}", f"new {n}", role, tags=(tag,) * bool(tag)) for n, (tag, role) in enumerate(later)
        ]
        add_documents(connection, documents, batch)
    overview = read_overview(session, run)
    assert overview.run is not None
    assert (overview.newer, newer_documents(overview.run)(session)[0]) == (2, 2)


def test_a_verdict_counts_for_both_suspects(session: Session) -> None:
    run = store(session, "digest", passages(_match(5, 4, 1, 2, 6)))
    overview = read_overview(session, run)
    assert overview.columns is not None
    give_verdict(session, overview.columns.unit(0), "copy", "", "anna")
    rows = listed_suspects(session, read_overview(session, run))
    assert {row.id: dict(row.verdicts) for row in rows} == {"b0": {"copy": 1}, "b1": {"copy": 1}}


def test_a_passage_repeated_within_a_document_is_listed_and_counted_once(session: Session) -> None:
    rows = [_match(2, 2, 0, 5, 4, 9.0), _match(2, SOURCE, 0, 0, 6, 3.0), _match(3, 2, 1, 1, 6, 2.0)]
    run = store(session, "digest", passages(*rows))
    for least, expected in ((None, [(2, 2), (2, SOURCE), (3, 2)]), (3.0, [(2, 2), (2, SOURCE)])):
        shown = [(m.a, m.b) for m in listing.matches(session, run, document=2, min_score=least)]
        assert sorted(shown) == expected
        assert listing.count_matches(session, run, document=2, min_score=least) == len(expected)


@pytest.mark.parametrize("pair", [(2, 3), (4, 2)])
def test_a_suspect_on_both_sides_has_all_its_matches_where_one_of_its_pairs_was_split(
    session: Session, pair: tuple[int, int]
) -> None:
    run = store(session, "digest", passages(_match(2, 3, 0, 0, 6), _match(4, 2, 0, 0, 6)))
    with session.read() as connection:
        a, b = (load_document(connection, key) for key in pair)
    label = split(session, a, b, (Span(0, 6), Span(0, 6)), Cut(3, 3), "anna")
    try:
        with session.read() as connection:
            matches = matches_of_suspect(connection, run, 2, others_of(connection, run, 2))
    finally:
        join(session, [label], "anna")
    other = 3 if pair == (4, 2) else 4
    parts = [(7 - other, 0, 3), (7 - other, 3, 6)]
    assert sorted((match.b, *match.a_span) for match in matches) == sorted([(other, 0, 6), *parts])
    assert len(set(units(matches).tolist())) == 3


def test_of_compared_documents_both_are_listed(session: Session) -> None:
    run = store(session, "shingle", pairs({(1, 2): 0.5, (3, 2): 0.75, (4, SOURCE): 0.6}))
    rows = listed_suspects(session, read_overview(session, run))
    assert [(row.id, row.score, row.passages) for row in rows] == [
        *(("s1", 0.75, 2), ("s2", 0.75, 1), ("b0", 0.6, 1), ("s0", 0.5, 1))
    ]


rows_drawn = st.lists(
    st.tuples(
        *(st.integers(1, 4), st.sampled_from((1, 2, 3, 4, SOURCE)), st.integers(0, 7), st.integers(0, 7)),
        st.integers(1, 4),
    ).filter(lambda row: row[0] != row[1]),
    min_size=1,
    max_size=8,
    unique=True,
)


def _reference(rows: list[Row], key: int) -> list[tuple[int, int, int]]:
    """(partner, first character, length) of the passages of suspect ``key``, where compared both ways as it says."""
    own = [(b, a_start, n) for a, b, a_start, _, n in rows if a == key]
    partners = {partner for partner, _, _ in own}
    return own + [(a, b_start, n) for a, b, _, b_start, n in rows if b == key and a not in partners]


@settings(max_examples=40, phases=(Phase.explicit, Phase.generate))
@given(rows_drawn)
def test_both_sides_are_counted_as_lists_count_them(session: Session, rows: list[Row]) -> None:
    matches = [_match(*row, score=float(sum(row))) for row in rows]
    overview = read_overview(session, store(session, "digest", passages(*matches)))
    listed = {row.key: row for row in listed_suspects(session, overview)}
    expected = {key: shared for key in range(1, 5) if (shared := _reference(rows, key))}
    assert listed.keys() == expected.keys()
    for key, shared in expected.items():
        row = listed[key]
        inside = {place for _, start, length in shared for place in range(start, start + length)}
        assert row.coverage == len(inside) / row.length
        assert row.longest == max(length for *_, length in shared)
        assert (row.matches, row.sources) == (len(shared), len({partner for partner, *_ in shared}))
        # In texts so short, all passages of a pair are neighbours.
        assert row.passages == row.sources
        assert overview.columns is not None
        assert len(rows_of_either(overview.columns, key)) == len(shared)
