"""What a label set lists, of which run, with which scores: documents, pairs or passages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scored import add, pairs, passages, scores, store

from workbench.base.types import Document, Label, Match, Role, Run, Span
from workbench.project.documents import add_documents
from workbench.services.labels import label_state
from workbench.services.labels.batches import assign
from workbench.services.labels.definitions import LabelSet, Value, save_set
from workbench.services.labels.label_state import Board, BoardScope, give, host_of, read_board
from workbench.services.labels.targets import TargetKind, document_target, pair_target, passage_target
from workbench.services.session import Session

FIRST = passage_target("s0", Span(0, 7), "b0", Span(2, 9))
SECOND = passage_target("s0", Span(9, 12), "b1", Span(0, 3))


@pytest.fixture
def project(path: Path) -> Iterator[Session]:
    """Six documents, and three runs: passages, then pairs, then scores alone."""
    with Session(path) as session:
        add(session)
        rows = [(1, 4, Span(0, 7), Span(2, 9), 7.0), (1, 5, Span(9, 12), Span(0, 3), 3.0)]
        store(session, "digest", passages(*(Match(*row, evidence={"segments": 1}) for row in rows)))
        store(session, "minhash", pairs({(1, 4): 0.5, (2, 4): 0.75, (1, 2): 0.25}))
        store(session, "copied-strings", scores([3.0, 1.0, 2.0]))
        yield session


def board_of(session: Session, kind: TargetKind, run: int | None = None, *more: str) -> Board:
    save_set(session, LabelSet(kind.value, kind, (Value("yes", "y"), Value("no", "n"))), "ann")
    return read_board(session, BoardScope(kind.value, run, more))


def run_of(board: Board) -> Run:
    assert board.run is not None
    return board.run


def test_the_pairs_of_the_newest_run_that_has_pairs_are_listed_with_both_titles(project: Session) -> None:
    board = board_of(project, TargetKind.PAIR)
    assert run_of(board).method == "minhash"
    named = {item.target: (item.title, item.a, item.b, item.span) for item in board.items}
    assert named == {
        pair_target("s0", "b0"): ("b0 / s0", 4, 1, None),
        pair_target("s1", "b0"): ("b0 / s1", 4, 2, None),
        pair_target("s0", "s1"): ("s0 / s1", 1, 2, None),
    }


def test_the_passages_of_the_newest_run_that_has_some_are_listed_with_their_places(project: Session) -> None:
    board = board_of(project, TargetKind.PASSAGE)
    assert run_of(board).method == "digest"
    assert [(item.target, item.a, item.b, item.span, item.b_span) for item in board.items] == [
        (FIRST, 1, 4, Span(0, 7), Span(2, 9)),
        (SECOND, 1, 5, Span(9, 12), Span(0, 3)),
    ]
    # A run that was chosen is the one, whether it has passages or not.
    assert board_of(project, TargetKind.PASSAGE, 3).items == []


def test_items_that_were_labelled_or_assigned_are_listed_though_no_run_has_them(project: Session) -> None:
    save_set(project, LabelSet("pair", TargetKind.PAIR, (Value("yes", "y"),)), "ann")
    labelled, assigned, gone = pair_target("s2", "b2"), pair_target("s2", "b1"), pair_target("s2", "gone")
    give(project, [Label(labelled, "yes", "ann", "", label_set="pair")])
    assign(project, "pair", [(assigned, "ann"), (gone, "ben")])
    board = read_board(project, BoardScope("pair", 2, (pair_target("s1", "s2"),)))
    targets = [item.target for item in board.items]
    assert len(targets) == len(set(targets)) == 6
    assert {labelled, assigned, pair_target("s1", "s2")} < set(targets)
    # Nobody's work is to label what is not there.
    assert board.assigned == {assigned: {"ann"}}
    assert board.annotators() == ["ann"]


def test_the_facts_of_a_pair_are_those_of_its_first_document_and_tags_those_of_both(path: Path) -> None:
    with Session(path) as session:
        with session.write() as connection:
            documents = [
                Document("a", "text", Role.SOURCE, title="Left", language="ja", tags=("x", "y")),
                Document("b", "text", Role.SUSPECT, title="Right", language="en", tags=("y", "z")),
            ]
            add_documents(connection, documents)
        store(session, "minhash", pairs({(1, 2): 0.5}))
        (item,) = board_of(session, TargetKind.PAIR).items
    assert (item.title, item.role, item.language, item.tags) == ("Left / Right", "source", "ja", ("x", "y", "z"))


def test_each_kind_of_items_has_the_scores_of_its_run(project: Session) -> None:
    def scores_of(kind: TargetKind, run: int) -> dict[str, float]:
        return label_state.scores(project, kind, run_of(board_of(project, kind, run)))

    by_name = {document_target(name): value for name, value in (("s0", 3.0), ("s1", 1.0), ("s2", 2.0))}
    assert scores_of(TargetKind.DOCUMENT, 3) == by_name
    assert scores_of(TargetKind.PAIR, 2) == {
        pair_target("s0", "b0"): 0.5,
        pair_target("s1", "b0"): 0.75,
        pair_target("s0", "s1"): 0.25,
    }
    # A document of a run of pairs: its best one.
    assert scores_of(TargetKind.DOCUMENT, 2) == {
        document_target("s0"): 0.5,
        document_target("s1"): 0.75,
        document_target("b0"): 0.75,
    }
    assert scores_of(TargetKind.PASSAGE, 1) == {FIRST: 7.0, SECOND: 3.0}
    # A document of a run of passages: the sum of its matches, on either side.
    assert scores_of(TargetKind.DOCUMENT, 1) == {
        document_target("s0"): 10.0,
        document_target("b0"): 7.0,
        document_target("b1"): 3.0,
    }


def test_entries_are_ordered_by_the_newest_run_that_scores_documents(project: Session) -> None:
    assert run_of(board_of(project, TargetKind.DOCUMENT)).method == "copied-strings"


@pytest.mark.parametrize(
    ("site", "url", "host"),
    [
        ("own.example", "http://other.example/x", "own.example"),
        ("", "http://Blog.Example:80/x", "blog.example"),
        ("", "", ""),
        ("", "http://[broken/x", ""),
        ("", "only words", ""),
    ],
)
def test_the_host_of_an_entry_is_its_site_or_that_of_its_address(site: str, url: str, host: str) -> None:
    assert host_of(site, url) == host


def test_earlier_entries_of_one_host_come_latest_first_whatever_their_ids(path: Path) -> None:
    dates = {"c": "2024-01-03", "z": "2024-01-01", "a": "2024-01-02", "later": "2024-02-01", "b": ""}
    with Session(path) as session:
        with session.write() as connection:
            documents = [
                Document(name, f"Text of {name}.", Role.SUSPECT, site="host.example", published=when)
                for name, when in dates.items()
            ]
            add_documents(
                connection, [*documents, Document("now", "Now.", site="host.example", published="2024-01-09")]
            )
            add_documents(connection, [Document("far", "Far.", site="other.example", published="2024-01-01")])
        board = read_board(session, BoardScope("class"))
    now = board.items[board.place[document_target("now")]]
    assert [item.title for item in board.earlier(now)] == ["c", "a", "z", "b"]


def test_values_that_labels_have_and_a_set_does_not_are_listed_but_no_longer_offered(project: Session) -> None:
    save_set(project, LabelSet("mood", values=(Value("glad", "g"),)), "ann")
    give(project, [Label(document_target("s0"), value, value, "", label_set="mood") for value in ("glad", "odd")])
    label_set = read_board(project, BoardScope("mood")).label_set
    assert [(value.name, value.retired) for value in label_set.values] == [("glad", False), ("odd", True)]
    assert [value.name for value in label_set.active] == ["glad"]
