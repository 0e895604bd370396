"""The order of the queue, the fixed sample, progress and pace."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Document, Label, Role
from workbench.project.documents import add_documents
from workbench.project.listing import ids_of
from workbench.services.labels.definitions import LabelSet, Value, save_set
from workbench.services.labels.label_state import Board, BoardScope, give, news, read_board, shared_path
from workbench.services.labels.queue import (
    NamedOrder,
    Order,
    QueueOptions,
    decision,
    pace,
    progress,
    queue,
    share_of,
)
from workbench.services.reports.content import moment
from workbench.services.session import Session
from workbench.services.tagging import change_tags


def targets(board: Board, who: str = "ann", scores: dict[str, float] | None = None, **options: object) -> list[str]:
    items = queue(board, who, QueueOptions(**options), scores)  # type: ignore[arg-type]
    return [item.target.removeprefix("document:") for item in items]


def label(number: int, value: str, who: str = "ann", when: str = "") -> Label:
    return Label(f"document:e{number:02}", value, who, when, label_set="class")


def board_of(path: Path, name: str = "class") -> Board:
    with Session(path, write=False) as session:
        return read_board(session, BoardScope(name))


def test_the_random_order_is_a_permutation_that_the_seed_decides(project: Path) -> None:
    first = targets(board_of(project))
    assert sorted(first) == [f"e{n:02}" for n in range(40)]
    assert first != sorted(first)
    assert targets(board_of(project)) == first
    with Session(project) as session:
        save_set(session, LabelSet("class", values=(Value("blog"), Value("splog")), seed=2), "ann")
    assert targets(board_of(project)) != first


def test_documents_that_come_later_move_no_other(project: Path) -> None:
    with Session(project) as session:
        save_set(session, LabelSet("class", values=(Value("blog"),), rate=0.5, seed=3), "ann")
    before = targets(board_of(project))
    assert 5 < len(before) < 35
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document(f"n{n}", f"New {n}", Role.SUSPECT) for n in range(30)])
    after = targets(board_of(project))
    assert [name for name in after if name.startswith("e")] == before


@given(st.integers(0, 1000))
def test_shares_are_spread_evenly(seed: int) -> None:
    shares = [share_of(seed, str(n)) for n in range(2000)]
    assert all(0 <= share < 1 for share in shares)
    assert sum(share < 0.25 for share in shares) == pytest.approx(500, abs=110)


def test_scores_order_the_queue_highest_first_and_unscored_last(project: Path) -> None:
    scores = {"document:e03": 5.0, "document:e07": 9.0, "document:e01": 7.0}
    assert targets(board_of(project), scores=scores, order=Order.SCORE)[:3] == ["e07", "e01", "e03"]


def test_the_most_uncertain_come_first(project: Path) -> None:
    scores = {f"document:e{n:02}": float(n) for n in range(40)}
    with Session(project) as session:
        give(session, [label(n, "splog" if n >= 30 else "blog") for n in (5, 20, 29, 30, 35, 39)])
    board = board_of(project)
    assert decision(board, scores) == 30.0
    assert set(targets(board, scores=scores, order=Order.UNCERTAIN)[:5]) == {"e28", "e29", "e30", "e31", "e32"}


@pytest.mark.parametrize("order", [Order.SCORE, Order.UNCERTAIN])
def test_entries_without_a_score_come_last(project: Path, order: Order) -> None:
    scores = {f"document:e{n:02}": float(n) for n in (3, 8, 11, 27)}
    assert set(targets(board_of(project), scores=scores, order=order)[:4]) == {"e03", "e08", "e11", "e27"}


def test_entries_without_a_score_come_after_the_least_uncertain_one(project: Path) -> None:
    scores = {f"document:e{n:02}": float(n) for n in (3, 8, 11, 12, 27, 30)}
    with Session(project) as session:
        give(session, [label(n, "blog" if n == 8 else "splog") for n in (3, 8, 11, 27)])
    board = board_of(project)
    assert decision(board, scores) == 3.0
    assert set(targets(board, scores=scores, order=Order.UNCERTAIN)[:6]) == {"e03", "e08", "e11", "e12", "e27", "e30"}


def test_without_labels_the_median_is_uncertain(project: Path) -> None:
    assert decision(board_of(project), {f"document:e{n:02}": float(n) for n in range(5)}) == 2.0


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=25))
def test_the_decision_is_where_f_is_largest(judged: list[tuple[int, bool]]) -> None:
    positives = sum(positive for _, positive in judged)
    board = board_with(judged)
    scores = {f"document:e{n}": float(score) for n, (score, _) in enumerate(judged)}
    if 0 < positives < len(judged):

        def f(threshold: float) -> float:
            chosen = [positive for score, positive in judged if score >= threshold]
            return 2 * sum(chosen) / (len(chosen) + positives)

        best = max(f(score) for score, _ in judged)
        assert f(decision(board, scores)) == pytest.approx(best)


def board_with(judged: list[tuple[int, bool]]) -> Board:
    from workbench.services.labels.label_state import Item

    items = [Item(f"document:e{n}", "", n + 1) for n in range(len(judged))]
    board = Board(LabelSet("class", values=(Value("blog"), Value("splog"))), {}, items)
    board.take(
        Label(f"document:e{n}", "splog" if positive else "blog", "ann", "2024", label_set="class")
        for n, (_, positive) in enumerate(judged)
    )
    return board


def test_only_conflicts_that_nobody_settled(project: Path) -> None:
    with Session(project) as session:
        give(session, [label(1, "blog"), label(1, "splog", "ben"), label(2, "blog"), label(2, "blog", "ben")])
        give(session, [label(3, "blog"), label(3, "splog", "ben"), label(3, "blog", "adjudicator:cat")])
    assert targets(board_of(project), conflicts=True) == ["e01"]


def test_who_settles_has_the_assignments_of_the_person(project: Path) -> None:
    with Session(project) as session:
        give(session, [label(n, value, who) for n in (1, 2) for who, value in (("ann", "blog"), ("ben", "splog"))])
    board = board_of(project)
    board.assigned = {"document:e01": {"ann"}, "document:e02": {"ben"}}
    assert targets(board, "adjudicator:ann", conflicts=True, mine=True) == ["e01"]


def test_a_named_order_is_taken_as_it_is(project: Path) -> None:
    named = NamedOrder("next", ("document:e09", "document:unknown", "document:e02"))
    assert targets(board_of(project), order=Order.NAMED, named=named) == ["e09", "e02"]


def test_sources_are_left_out_unless_they_are_wished_for(project: Path) -> None:
    assert "source" not in targets(board_of(project))
    assert "source" in targets(board_of(project), suspects=False)


def test_a_tag_chooses_documents_and_a_minus_sign_those_without_any(project: Path) -> None:
    with Session(project) as session, session.read() as connection:
        keys = {name: key for key, name in ids_of(connection).items()}
    with Session(project) as session:
        change_tags(session, [keys["e03"], keys["e07"]], ["news"], [])
    board = board_of(project)
    assert sorted(targets(board, tag="news")) == ["e03", "e07"]
    assert sorted(targets(board, tag="-")) == sorted({*targets(board)} - {"e03", "e07"})
    assert targets(board, tag="mail") == []


def test_pace_is_the_median_gap_without_breaks() -> None:
    times = ["10:00:00", "10:00:02", "10:00:06", "11:00:00", "11:00:03"]
    events = [label(n, "blog", when=f"2024-01-01T{time}.000Z") for n, time in enumerate(times)]
    assert pace([label.when for label in events]) == 3.0
    assert pace([events[0].when]) is None


def test_labels_that_were_imported_together_say_nothing_of_the_pace() -> None:
    together = [f"2024-01-01T10:00:00.{n:03}Z" for n in range(5)]
    assert pace(together) is None
    assert pace([*together, "2024-01-01T10:00:08.004Z"]) == 8.0


def test_progress_counts_what_is_asked_of_the_annotator(project: Path) -> None:
    with Session(project) as session:
        give(
            session,
            [label(1, "blog", when="2024-01-01T10:00:00.000Z"), label(2, "blog", when="2024-01-01T10:00:10.000Z")],
        )
    board = board_of(project)
    whole = queue(board, "ann", QueueOptions())
    figures = progress(board, "ann", whole)
    assert (figures.done, figures.total, figures.seconds, figures.remaining) == (2, 40, 10.0, 380.0)
    board.assigned = {"document:e01": {"ann"}, "document:e30": {"ann", "ben"}}
    assert (progress(board, "ann", whole).done, progress(board, "ann", whole).total) == (1, 2)


def test_who_has_assignments_only_elsewhere_is_asked_nothing_here(project: Path) -> None:
    board = board_of(project)
    board.assigned = {"document:e01": {"ann"}}
    scope = [item for item in board.items if item.target != "document:e01"]
    assert (progress(board, "ann", scope).total, progress(board, "ben", scope).total) == (0, len(scope))


def test_a_board_takes_up_what_came_since(project: Path) -> None:
    board = board_of(project)
    with Session(project) as session:
        give(session, [label(4, "blog")])
        give(session, [label(4, "")])
        give(session, [label(5, "splog", "ben")])
        since = news(session, board.label_set, board.last_event)
    board.take(since.events)
    assert board.label_of("document:e04", "ann") is None
    assert board.label_of("document:e05", "ben") is not None
    assert (since.last_event, since.defined) == (3, board.defined)
    assert board.annotators() == ["ben"]


def test_earlier_entries_of_the_same_blog_come_first(project: Path) -> None:
    board = board_of(project)
    item = board.items[board.place["document:e06"]]
    assert [other.target[-3:] for other in board.earlier(item)] == ["e04", "e02", "e00", "e05", "e03", "e01"]


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        ("http://h/x/1", "http://h/x/2", 1),
        ("http://h/x/1", "http://h/y/1", 0),
        ("http://h", "http://h", 0),
        ("", "", 0),
    ],
)
def test_the_path_that_two_addresses_share(a: str, b: str, shared: int) -> None:
    assert shared_path(a, b) == shared


def test_exact_duplicates_are_known(project: Path) -> None:
    board = board_of(project)
    assert [o.target for o in board.same_text(board.items[board.place["document:e38"]])] == ["document:e39"]
    assert board.same_text(board.items[board.place["document:e01"]]) == []


def test_of_thresholds_with_the_same_f_the_decision_is_at_the_highest() -> None:
    # 9 alone: one of two found, nothing wrong; from 3 on: both found, and two wrong. F is 2/3 both times.
    board = board_with([(9, True), (7, False), (5, False), (3, True)])
    assert decision(board, {f"document:e{n}": float(score) for n, score in enumerate((9, 7, 5, 3))}) == 9.0


@pytest.mark.parametrize("when", ["0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59", "soon"])
def test_a_time_at_the_ends_of_the_calendar_is_not_an_error(when: str) -> None:
    assert pace([when, when]) in (None, 0.0)
    assert moment(when) in (when, "0001-01-01 00:00:00 UTC", "9999-12-31 23:59:59 UTC")


def test_of_two_labels_at_one_moment_the_one_later_in_the_log_holds(project: Path) -> None:
    board = board_of(project)
    moment_of_both = "2026-01-01T00:00:00Z"
    board.take([label(1, "splog", when=moment_of_both), label(1, "blog", when=moment_of_both)])
    current = board.label_of("document:e01", "ann")
    assert current is not None
    assert current.value == "blog"
    board.take([label(1, "splog", when="2025-01-01T00:00:00Z")])
    assert board.label_of("document:e01", "ann") == current
