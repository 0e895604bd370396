"""The pairs of a run as columns."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.base.errors import ParameterError, ProjectError
from workbench.base.types import Document, Match, Matches, PairScore, Results, Role, Span
from workbench.jobs.context import Context
from workbench.methods.rare_sentences.relations import Direction
from workbench.project import pairs as stored_pairs
from workbench.project.captures import Capture, Outcome, add_captures
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.listing import pair_scores
from workbench.services.relations.directions import Directions, read_direction
from workbench.services.relations.export import export_graph
from workbench.services.relations.pair_columns import (
    columns_with_directions,
    is_current,
    pair_of,
    read_pairs,
    with_directions,
)
from workbench.services.review import by_hand
from workbench.services.session import Session

PAIRS = (
    PairScore(1, 2, 0.5, 0.5, 0.75, "mirror", {"url_similarity": 1.0, "direction": "a to b", "linked": True}),
    PairScore(1, 3, 0.25, 0.25, None, "citation", {"shared": 4}),
    PairScore(2, 3, 0.125, 0.125, None, "citation"),
)


@pytest.fixture
def stored(path: Path) -> Session:
    session = Session(path)
    with session.write() as connection:
        add_documents(connection, [Document(f"d{n}", "文" * n, site="site") for n in (1, 2, 3)])
        run = begin_run(connection, "shingle", 1, {}, "0" * 64, 1)
        finish_chunk(connection, run.id, 0, Results(pairs=PAIRS))
        finish_run(connection, run.id)
    return session


@pytest.mark.parametrize("page", [1, 2, 5_000])
def test_pairs_become_columns_whatever_the_page(stored: Session, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(stored_pairs, "_PAGE", page)
    with stored:
        columns = read_pairs(stored, 1)
    assert list(zip(columns.a.tolist(), columns.b.tolist(), strict=True)) == [(1, 2), (1, 3), (2, 3)]
    assert columns.resemblance.tolist() == [0.5, 0.25, 0.125]
    assert np.isnan(columns.containment).tolist() == [False, True, True]
    assert [columns.relations[code] for code in columns.relation] == ["mirror", "citation", "citation"]
    assert columns.relations == ("citation", "mirror")
    assert columns.words == {"direction": ["a to b", "", ""]}
    assert np.array_equal(columns.numbers["shared"], [np.nan, 4, np.nan], equal_nan=True)
    assert columns.numbers["linked"][0] == 1
    assert {key: item.id for key, item in columns.items.items()} == {1: "d1", 2: "d2", 3: "d3"}
    assert (columns.row_of(3, 1), columns.row_of(1, 3), columns.row_of(3, 4)) == (1, 1, -1)


def test_a_pair_of_a_method_that_stores_no_direction_has_the_one_that_review_and_reports_give(path: Path) -> None:
    ours = Document("ours", "文" * 20, Role.SOURCE, url="http://ours.example/", published="2022-05-01")
    theirs = Document("theirs", "文" * 20, Role.SUSPECT, url="http://theirs.example/", published="2019-01-01")
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [replace(ours, links=(theirs.url,)), theirs])
            run = begin_run(connection, "trustable-lcs", 1, {}, "0" * 64, 1)
            finish_chunk(connection, run.id, 0, Results(pairs=(PairScore(2, 1, 1.0, 1.0, 1.0, "near-duplicate"),)))
            finish_run(connection, run.id)
        pair, review = pair_of(session, run.id, 2, 1), read_direction(2, 1)(session)
        columns = columns_with_directions(session, read_pairs(session, run.id))
        (listed,) = with_directions(session, [*pair_scores(session, run.id)])
    assert pair is not None
    assert review is not None
    assert pair.evidence["direction"] == str(Direction.B_FROM_A)
    assert pair.evidence == review.evidence
    assert {name: values[0] for name, values in columns.words.items()} == review.evidence
    assert review.evidence.items() <= dict(listed.evidence).items()
    assert columns.towards().tolist() == [-1 if pair.evidence["direction"] == Direction.A_FROM_B else 1]


def test_figures_are_those_that_some_pair_has(stored: Session) -> None:
    with stored:
        columns = read_pairs(stored, 1)
    assert columns.figures() == ["resemblance", "containment", "score"]
    assert columns.usual_figure() == "resemblance"
    with pytest.raises(ParameterError, match="not a value"):
        columns.figure("matches")


def test_an_unknown_run_is_refused(stored: Session) -> None:
    with stored, pytest.raises(ProjectError, match="no run 9"):
        read_pairs(stored, 9)


def test_an_arrow_leads_from_the_original_to_the_copy(path: Path) -> None:
    ways = {(1, 2): "b from a", (1, 3): "a from b", (2, 3): "cannot tell"}
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(f"d{n}", "文" * n) for n in (1, 2, 3)])
            run = begin_run(connection, "rare-sentences", 1, {}, "0" * 64, 1)
            scores = tuple(PairScore(a, b, 0.5, evidence={"direction": way}) for (a, b), way in ways.items())
            finish_chunk(connection, run.id, 0, Results(pairs=scores))
            finish_run(connection, run.id)
        columns = read_pairs(session, run.id)
    from_to = {1: (columns.a, columns.b), -1: (columns.b, columns.a)}
    arrows = [
        (int(from_to[way][0][row]), int(from_to[way][1][row])) if way else None
        for row, way in enumerate(columns.towards().tolist())
    ]
    assert arrows == [(1, 2), (3, 1), None]


@pytest.mark.parametrize(("visit", "believed"), [("2026-03-10T11:40:00Z", True), ("2026-03-10T10:40:00Z", False)])
def test_a_date_is_doubted_only_for_a_visit_of_its_host_an_hour_before_the_page_was_seen(
    path: Path, visit: str, believed: bool
) -> None:
    # A crawl visits one page of a host after the other: that it saw another one first does not mean that this one was
    # not there.
    first = Document("first", "文" * 20, url="http://a.example/1", published="2026-03-10T10:00:00Z")
    second = Document("second", "文" * 21, url="http://b.example/1", published="2026-03-10T10:30:00Z")
    seen = [
        Capture("http://a.example/other", "http://a.example/other", visit, Outcome.NEW, 200, 3),
        Capture(first.url, first.url, "2026-03-10T12:00:00Z", Outcome.NEW, 200, 1),
    ]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [first, second, Document("other", "文" * 22, url="http://a.example/other")])
            add_captures(connection, "fetch", seen)
        with session.read() as connection:
            conclusion = Directions(connection, {(1, 2)}).of(1, 2)
    assert conclusion.direction is (Direction.B_FROM_A if believed else Direction.UNKNOWN)


@pytest.mark.parametrize("page", [1, 2, 5_000])
def test_passages_found_by_hand_are_counted_as_in_the_list_of_pairs(
    path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(stored_pairs, "_PAGE", page)
    texts = [Document(f"d{n}", "a text of forty letters that all have it", Role.SUSPECT, key=n) for n in range(1, 5)]
    rows = [Match(a, b, Span(0, 6), Span(0, 6), 2.0, {"tier": 0}) for a, b in ((1, 2), (1, 4), (3, 4))]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, texts)
            run = begin_run(connection, "digest", 1, {}, "0" * 64, 1)
            finish_chunk(connection, run.id, 0, Results(Matches.of(rows)))
            finish_run(connection, run.id)
        before = read_pairs(session, run.id)
        for a, b in ((1, 2), (1, 3), (4, 1)):
            by_hand.add(session, texts[a - 1], Span(10, 20), texts[b - 1], Span(10, 20), "Ann")
        columns = read_pairs(session, run.id)
        assert is_current(session, columns)
        assert not is_current(session, before)
        listed = list(pair_scores(session, run.id))
        read = (column.tolist() for column in (columns.a, columns.b, columns.matches, columns.score))
        assert [*zip(*read, strict=True)] == [(p.a, p.b, p.evidence["matches"], p.score) for p in listed]
        of_two = pair_of(session, run.id, 1, 2)
        assert of_two is not None
        assert (of_two.matches, of_two.covered_a) == (2, 16)
    export_graph(ctx, path, run.id, out := path.with_suffix(".csv"))
    with out.open(encoding="utf-8-sig", newline="") as file:
        counts = {(row["a"], row["b"]): int(row["matches"]) for row in csv.DictReader(file)}
    assert counts["d1", "d2"] == 2
