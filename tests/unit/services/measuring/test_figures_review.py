from __future__ import annotations

from pathlib import Path

import pytest
from drawing import figure
from scored import add, label, passages, scores, store

from workbench.base.errors import UserError
from workbench.base.types import Document, Label, Match, Role, Span
from workbench.evaluation.figures import Figure
from workbench.evaluation.intervals import proportion_interval
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, delete_documents
from workbench.project.imports import begin_batch
from workbench.project.labels import add_labels
from workbench.services.labels.targets import pair_target, passage_target
from workbench.services.measuring.label_selection import Question
from workbench.services.session import Session


@pytest.fixture
def reviewed(path: Path) -> Path:
    """A suspect and a source."""
    with Session(path) as session, session.write() as connection:
        roles = (("a", Role.SUSPECT), ("b", Role.SOURCE))
        add_documents(connection, [Document(name, name * 900, role) for name, role in roles])
    return path


def judge(session: Session, values: dict[Span, str]) -> None:
    """Verdicts on passages with the same limits in suspect and source."""
    events = [Label(passage_target("a", span, "b", span), value, "anna", "") for span, value in values.items()]
    with session.write() as connection:
        add_labels(connection, events)


def _histogram(ctx: Context, path: Path, values: list[float]) -> Figure:
    with Session(path) as session:
        names = [f"d{i}" for i in range(len(values))]
        add(session, names)
        label(session, {name: "splog" if i % 2 else "blog" for i, name in enumerate(names)})
        store(session, "copied-strings", scores(values))
    return figure(ctx, path, "scores")


def test_scores_with_a_long_tail_are_counted_in_bins_of_equal_ratios(ctx: Context, path: Path) -> None:
    values = [0.0, 0.0, 0.0, *(float(1 + i) for i in range(20)), 5000.0]
    drawn = _histogram(ctx, path, values)
    assert drawn.x.log
    first, second = drawn.series
    assert (first.x[0], first.x[-1]) == (1, 5000)
    assert sum(first.y) + sum(second.y) == 21
    assert max(first.y) < 6
    assert drawn.notes[-1] == "Not drawn, since they score 0 or less: 2 of blog, 1 of splog."


def test_scores_without_a_long_tail_are_counted_in_equal_bins(ctx: Context, path: Path) -> None:
    drawn = _histogram(ctx, path, [0.0, 1.0, 2.0, 2.5])
    assert not drawn.x.log
    assert sum(sum(bars.y) for bars in drawn.series) == 4
    assert not any("Not drawn" in note for note in drawn.notes)


def test_reliability_sets_what_is_claimed_against_what_labels_say(ctx: Context, reviewed: Path) -> None:
    spans = [Span(i * 100, i * 100 + 50) for i in range(8)]
    claimed = [0.95, 0.95, 0.95, 0.95, 0.25, 0.25, 0.25, 0.6]
    values = ["copy", "partial", "copy", "not-copy", "not-copy", "not-copy", "copy"]
    with Session(reviewed) as session:
        rows = [Match(1, 2, span, span, score) for span, score in zip(spans, claimed, strict=True)]
        store(session, "copies", passages(*rows))
        judge(session, dict(zip(spans, values, strict=False)))
    drawn = figure(ctx, reviewed, "reliability", question=Question("verdict"))
    (observed,) = drawn.series
    assert drawn.reference[0].y == (0, 1)
    assert observed.x == pytest.approx((0.25, 0.95))
    assert observed.y == pytest.approx((1 / 3, 3 / 4))
    assert observed.band[1] == pytest.approx(proportion_interval(3, 4))
    assert "7 matches, 3 of them wrong; left out: 1" in drawn.notes[0]
    error = (3 * abs(0.25 - 1 / 3) + 4 * abs(0.95 - 3 / 4)) / 7
    assert f"{error:.3f}" in drawn.notes[1]


def test_a_match_around_a_labelled_passage_is_only_judged_where_that_is_most_of_it(
    ctx: Context, reviewed: Path
) -> None:
    with Session(reviewed) as session:
        store(
            session,
            "copies",
            passages(Match(1, 2, Span(0, 90), Span(0, 90), 0.9), Match(1, 2, Span(200, 400), Span(200, 400), 0.9)),
        )
        judge(session, {Span(10, 60): "copy", Span(300, 350): "copy"})
    drawn = figure(ctx, reviewed, "reliability", question=Question("verdict"))
    assert drawn.series[0].y == (1.0,)
    assert "left out: 1" in drawn.notes[0]


def test_reliability_refuses_scores_that_are_not_probabilities(ctx: Context, reviewed: Path) -> None:
    with Session(reviewed) as session:
        store(session, "digest", passages(Match(1, 2, Span(0, 50), Span(0, 50), 80.0)))
        judge(session, {Span(0, 50): "copy"})
    with pytest.raises(UserError, match="probabilities"):
        figure(ctx, reviewed, "reliability", question=Question("verdict"), runs=(1,))


def test_half_of_a_match_is_not_most_of_it(ctx: Context, reviewed: Path) -> None:
    with Session(reviewed) as session:
        store(
            session, "copies", passages(*(Match(1, 2, Span(at, at + 100), Span(at, at + 100), 0.9) for at in (0, 200)))
        )
        judge(session, {Span(0, 50): "copy", Span(200, 251): "copy"})
    drawn = figure(ctx, reviewed, "reliability", question=Question("verdict"))
    assert "1 match, 0 of them wrong; left out: 1" in drawn.notes[0]


def test_reliability_is_that_of_the_requested_figure_and_of_documents_that_are_there(
    ctx: Context, reviewed: Path
) -> None:
    with Session(reviewed) as session:
        add(session, ["removed"])
        here, there = Match(1, 2, Span(0, 50), Span(0, 50), 9.0, {"odds": 1}), Span(0, 50)
        store(session, "copies", passages(here, Match(3, 2, there, there, 9.0, {"odds": 1})))
        judge(session, {Span(0, 50): "copy"})
        with session.write() as connection:
            target = passage_target("removed", there, "b", there)
            add_labels(connection, [Label(target, "not-copy", "anna", "")])
            delete_documents(connection, [3])
    drawn = figure(ctx, reviewed, "reliability", question=Question("verdict", score="odds"))
    assert drawn.series[0].y == (1.0,)
    assert "1 match, 0 of them wrong; left out: 0" in drawn.notes[0]
    with pytest.raises(UserError, match="No label"):
        figure(ctx, reviewed, "reliability", question=Question("verdict", score="odds", tags="mail"))


def test_a_curve_of_passages_says_what_its_precision_is_of(ctx: Context, reviewed: Path) -> None:
    with Session(reviewed) as session:
        store(session, "copies", passages(Match(1, 2, Span(0, 90), Span(0, 90), 0.9)))
        target = passage_target("a", Span(0, 45), "b", Span(0, 45))
        with session.write() as connection:
            add_labels(connection, [Label(target, "copy", "anna", "", label_set="reference")])
    drawn = figure(ctx, reviewed, "precision-recall", runs=(1,))
    assert drawn.series[0].y == (0.5,)
    assert any("in characters" in note for note in drawn.notes)


def test_reliability_knows_references_that_name_the_pair_in_reverse(ctx: Context, reviewed: Path) -> None:
    with Session(reviewed) as session:
        store(session, "copies", passages(Match(2, 1, Span(0, 50), Span(100, 150), 0.9)))
        target = passage_target("a", Span(100, 150), "b", Span(0, 50))
        with session.write() as connection:
            add_labels(connection, [Label(target, "copy", "anna", "", label_set="reference")])
        whole = Label(pair_target("a", "b"), "copy", "anna", "", label_set="reference pairs")
        with session.write() as connection:
            add_labels(connection, [whole])
    drawn = figure(ctx, reviewed, "reliability", question=Question("reference"))
    assert "1 match, 0 of them wrong; left out: 0" in drawn.notes[0]


def test_reliability_leaves_out_labels_of_an_earlier_text(ctx: Context, reviewed: Path) -> None:
    with Session(reviewed) as session:
        with session.write() as connection:
            rows = ((Span(0, 50), "copy"), (Span(100, 150), "not-copy"))
            events = [Label(passage_target("a", s, "b", s), value, "anna", "") for s, value in rows]
            add_labels(connection, events[:1])
            delete_documents(connection, [1])
            add_documents(connection, [Document("a", "c" * 900, Role.SUSPECT)], begin_batch(connection))
            add_labels(connection, events[1:])
        store(session, "copies", passages(*(Match(3, 2, s, s, 0.9) for s, _ in rows)))
    drawn = figure(ctx, reviewed, "reliability", question=Question("verdict", ("copy",)))
    assert "1 match, 1 of them wrong; left out: 1" in drawn.notes[0]
