"""A run beside its labels: what is listed behind every figure, in parts, and what is kept of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import IDS, TRUTH, add, label, label_pairs, pairs, passages, refer, scores, store
from sqlalchemy import update

from workbench.base.types import Document, Label, Match, Role, Span
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, delete_documents, load_document
from workbench.project.imports import begin_batch
from workbench.project.labels import add_labels
from workbench.project.tables import sheet_rows
from workbench.services.choosing import find_run
from workbench.services.detecting.runs import detect
from workbench.services.labels.targets import TargetKind, passage_target
from workbench.services.measuring import sheets
from workbench.services.measuring.evaluating import coincident, differences, evaluate
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.label_selection import NOT_EXAMINED, Question
from workbench.services.measuring.learning import label_next
from workbench.services.measuring.paper_values import paper_values
from workbench.services.measuring.scored_run import (
    POSITIVE,
    Cell,
    ScoredRun,
    label_sources,
    read_evaluation_input,
    read_scored_run,
)
from workbench.services.measuring.sheets import command_of, draw_sheet, read_sheets, set_removed
from workbench.services.measuring.subgroups import Attribute, read_groups
from workbench.services.measuring.sweeping import can_vary, read_points, usual_values
from workbench.services.measuring.thresholds import (
    UsedThreshold,
    use_threshold,
    used_threshold,
    used_thresholds,
    withdraw_threshold,
)
from workbench.services.queries import remove
from workbench.services.review import by_hand
from workbench.services.review.assigning import assign
from workbench.services.session import Session

GIVEN = [9.0, 8, 3, 5, 0, 0]


def scored_run_of(session: Session, run: int, question: Question | None = None) -> ScoredRun:
    return read_scored_run(session, find_run(session, run), question or Question())


@pytest.mark.slow
@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5, 7.0]), min_size=6, max_size=6), st.floats(-1, 8))
def test_the_cells_hold_what_a_look_at_every_item_finds(values: list[float], threshold: float) -> None:
    import tempfile

    from workbench.services.session import create

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "p.palimpsest")
        create(path)
        with Session(path) as session:
            add(session)
            label(session, TRUTH)
            scored = scored_run_of(session, store(session, "copied-strings", scores(values)))
    for cell in Cell:
        rows = scored.cell(cell, threshold)
        names = {scored.identity(int(scored.a[row])) for row in rows}
        right = cell in (Cell.TRUE_POSITIVE, Cell.FALSE_NEGATIVE)
        selected = cell in (Cell.TRUE_POSITIVE, Cell.FALSE_POSITIVE)
        wanted = {
            name
            for name, value in zip(IDS, values, strict=True)
            if (value >= threshold) == selected and (TRUTH[name] == "splog") == right
        }
        assert names == wanted
        assert scored.curve is not None
        assert scored.curve.counts(threshold)._asdict()[cell.value] == len(rows)
    low, high = sorted((threshold, 2.5))
    between = {scored.identity(int(scored.a[row])) for row in scored.between(low, high)}
    assert between == {name for name, value in zip(IDS, values, strict=True) if low <= value <= high}


def test_the_surest_errors_come_first(labelled: Session) -> None:
    scored = scored_run_of(labelled, store(labelled, "copied-strings", scores([1, 2, 9, 8, 7, 0])))
    wrong = [scored.identity(int(scored.a[row])) for row in scored.cell(Cell.FALSE_POSITIVE, 5)]
    missed = [scored.identity(int(scored.a[row])) for row in scored.cell(Cell.FALSE_NEGATIVE, 5)]
    assert (wrong, missed) == (["b0", "b1"], ["s0", "s1"])


def test_unlabelled_items_are_selected_but_not_counted(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, {"s0": "splog", "b0": "blog", "s1": "unsure"})
        scored = scored_run_of(session, store(session, "copied-strings", scores(GIVEN)))
        whole = scored_run_of(session, 1, Question(complete=True))
    assert (len(scored), scored.selected(1), int(scored.labelled.sum())) == (6, 4, 2)
    assert scored.left_out == {"labelled as undecided": 1, "scored but not labelled": 3}
    assert (int(whole.labelled.sum()), whole.left_out) == (5, {"labelled as undecided": 1})


def test_what_was_added_by_hand_counts_as_missed_by_the_run(path: Path) -> None:
    copied, other = Match(1, 4, Span(0, 6), Span(0, 6), 9.0), Match(1, 5, Span(0, 6), Span(0, 6), 8.0)
    with Session(path) as session:
        add(session)
        run = store(session, "copied-strings", passages(copied, other))
        with session.write() as connection:
            for source, value in (("b0", "copy"), ("b1", "not-copy")):
                target = passage_target("s0", Span(0, 6), source, Span(0, 6))
                add_labels(connection, [Label(target, value, "anna", "", label_set="verdict")])
        with session.read() as connection:
            a, b = load_document(connection, "s2"), load_document(connection, "b2")
        by_hand.add(session, a, Span(0, 6), b, Span(0, 6), "anna")
        with session.write() as connection:
            target = passage_target("s2", Span(0, 6), "b2", Span(0, 6))
            add_labels(connection, [Label(target, "copy", "anna", "", label_set="verdict")])
        assign(session, ["s0"], "anna", "all")
        scored = scored_run_of(session, run)
        assert [source.name for source in label_sources(session, find_run(session, run))] == ["verdict"]
        evaluation = evaluate(session, run)
    assert scored.chosen.label_set == "verdict"
    assert scored.curve is not None
    assert (evaluation.labelled, evaluation.positives, evaluation.recall) == (3, 2, 0.5)
    assert scored.curve.counts(0.0)._asdict() == {
        "true_positive": 1,
        "false_positive": 1,
        "false_negative": 1,
        "true_negative": 0,
    }


def test_documents_of_one_length_are_one_group(path: Path) -> None:
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(name, f"text of {name}", Role.SUSPECT) for name in IDS])
        label(session, TRUTH)
        scored = scored_run_of(session, store(session, "copied-strings", scores(GIVEN)))
        (group,) = read_groups(session, scored, Attribute.LENGTH)
    assert (group.labelled, group.positives, group.low, group.high) == (6, 3, 10, 10)


def test_the_curve_is_the_one_that_the_command_line_prints(labelled: Session) -> None:
    run = store(labelled, "copied-strings", scores(GIVEN))
    scored, evaluation = scored_run_of(labelled, run), evaluate(labelled, run)
    assert scored.curve is not None
    points = zip(
        scored.curve.threshold.tolist(), scored.curve.precision.tolist(), scored.curve.recall.tolist(), strict=True
    )
    assert list(points) == evaluation.curve


def test_verdicts_measure_the_judged_passages_on_the_command_line_as_in_the_window(path: Path) -> None:
    matches = [Match(1, at, Span(0, 6), Span(0, 6), 10.0 - at) for at in (4, 5, 6)]
    targets = [passage_target("s0", Span(0, 6), source, Span(0, 6)) for source in ("b0", "b1")]
    with Session(path) as session:
        add(session)
        run = store(session, "copied-strings", passages(*matches))
        with session.write() as connection:
            labels = zip(targets, ("not-copy", "copy"), strict=True)
            add_labels(connection, [Label(*judged, "anna", "", label_set="verdict") for judged in labels])
        scored, evaluation = scored_run_of(session, run), evaluate(session, run, threshold=0)
    assert scored.curve is not None
    assert [(t, p) for t, p, _ in evaluation.curve] == [(6.0, 0.0), (5.0, 0.5)]
    assert [t for t, *_ in evaluation.curve] == scored.curve.threshold.tolist()
    assert (evaluation.labelled, evaluation.positives, evaluation.precision) == (2, 1, 0.5)
    assert evaluation.left_out == scored.left_out == {"scored but not labelled": 1}
    assert evaluation.false_positives == ((targets[0],),)


def test_pairs_that_were_not_reported_are_missed_whatever_the_threshold(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label_pairs(session, {("s0", "s1"): "near-duplicate", ("b0", "b1"): "not", ("s1", "s2"): "near-duplicate"})
        run = store(session, "shingle", pairs({(1, 2): 0.9, (4, 5): 0.3, (1, 6): 0.8}))
        scored = scored_run_of(session, run)
    assert scored.kind is TargetKind.PAIR
    assert (len(scored), scored.reported) == (4, 3)
    missed = scored.cell(Cell.FALSE_NEGATIVE, 0.0)
    assert [scored.target(int(row)) for row in missed] == ['pair:["s1", "s2"]']


def test_a_reference_passage_is_found_where_a_match_touches_it_on_both_sides(path: Path) -> None:
    with Session(path) as session:
        add(session)
        for start in (0, 30):
            refer(session, "s2", Span(start, start + 6), "b2", Span(start, start + 6))
        run = store(
            session,
            "digest",
            passages(
                Match(3, 6, Span(2, 8), Span(2, 8), 6.0),
                Match(3, 6, Span(1, 5), Span(1, 5), 4.0),
                Match(3, 6, Span(30, 36), Span(60, 66), 9.0),
            ),
        )
        scored = scored_run_of(session, run)
    assert scored.kind is TargetKind.PASSAGE
    assert scored.score[:2].tolist() == [9.0, 6.0]
    assert np.isnan(scored.score[2])
    assert (scored.truth == POSITIVE).tolist() == [False, True, True]
    assert scored.curve is not None
    assert tuple(scored.curve.counts(0)) == (1, 1, 1, 0)
    assert scored.target(1) == "match:s2:0-6:b2:0-6"


def test_pairs_of_a_removed_document_count_neither_in_the_window_nor_on_the_command_line(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label_pairs(session, {("s0", "s1"): "near-duplicate", ("b0", "b1"): "not", ("s1", "s2"): "near-duplicate"})
        run = store(session, "shingle", pairs({(1, 2): 0.9, (4, 5): 0.3, (2, 3): 0.8}))
        remove(session, [3])
        scored, evaluation = scored_run_of(session, run), evaluate(session, run)
    assert scored.curve is not None
    assert (scored.curve.total, scored.curve.positives) == (evaluation.labelled, evaluation.positives) == (2, 1)
    assert scored.left_out == evaluation.left_out == {"labelled but not examined by the run": 1}


def test_without_labels_the_ground_says_what_is_there(path: Path) -> None:
    with Session(path) as session:
        assert (
            read_evaluation_input(session, None, Question()).documents,
            read_evaluation_input(session, None, Question()).run,
        ) == (
            0,
            None,
        )
        add(session)
        run = store(session, "copied-strings", scores(GIVEN))
        inputs = read_evaluation_input(session, None, Question())
        assert inputs.run is not None
        assert (inputs.run.id, inputs.scored, inputs.sources, inputs.documents) == (run, None, (), 6)
        label(session, {"s0": "splog"})
        inputs = read_evaluation_input(session, None, Question())
        assert inputs.scored is not None
        assert inputs.scored.curve is None
        assert "both classes" in str(inputs.scored.problem)
        label(session, {"b0": "blog"})
        assert read_evaluation_input(session, 99, Question(labels="gone", positive=("x",))).scored is not None
        assert [s.name for s in label_sources(session, find_run(session, run))] == ["class"]


def test_labels_are_complete_only_in_the_set_that_was_called_so(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, {"s0": "splog", "b0": "blog"})
        refer(session, "s2", Span(0, 6), "b2", Span(0, 6))
        matched = store(session, "digest", passages(Match(3, 6, Span(0, 6), Span(0, 6), 6.0)))
        scored_run = store(session, "copied-strings", scores(GIVEN))
        reference = read_evaluation_input(session, matched, Question("reference")).scored
        assert reference is not None
        assert reference.question.complete
        inputs = read_evaluation_input(session, scored_run, reference.question)
        chosen = read_evaluation_input(session, scored_run, Question("class", complete=True))
    assert inputs.scored is not None
    assert (inputs.question, int(inputs.scored.labelled.sum())) == (Question("class"), 2)
    assert chosen.question.complete


def test_the_suspect_of_a_pair_comes_first_whatever_its_name(path: Path) -> None:
    with Session(path) as session:
        add(session, ["z0", "z1"])
        add(session, ["a0", "a1"], Role.SOURCE)
        label_pairs(session, {("z0", "a0"): "near-duplicate", ("z1", "a1"): "not", ("z0", "z1"): "near-duplicate"})
        scored = scored_run_of(session, store(session, "shingle", pairs({(1, 3): 0.9, (2, 4): 0.3})))
    names = [(scored.identity(int(scored.a[row])), scored.identity(int(scored.b[row]))) for row in range(len(scored))]
    assert names == [("z0", "a0"), ("z1", "a1"), ("z0", "z1")]
    assert [scored.target(row) for row in range(2)] == ['pair:["a0", "z0"]', 'pair:["a1", "z1"]']


def test_next_labels_name_unlabelled_items_and_end_when_all_are_known(path: Path) -> None:
    with Session(path) as session:
        names = [f"d{i:03}" for i in range(300)]
        add(session, names)
        run = store(session, "copied-strings", scores([float(i) for i in range(300)]))
        label(session, {"d000": "blog", "d299": "splog", "d150": "splog", "d100": "blog"})
        scored = scored_run_of(session, run)
        advice = label_next(scored, 140.0)
        again = label_next(scored, 140.0)
        assert advice.targets == again.targets
        assert advice.needed is not None
        assert len(advice.targets) == max(10, min(200, advice.needed))
        assert len(set(advice.targets)) == len(advice.targets)
        assert not {"document:d000", "document:d299", "document:d150", "document:d100"} & set(advice.targets)
        label(session, {name: "splog" if i >= 140 else "blog" for i, name in enumerate(names)})
        rest = label_next(scored_run_of(session, run), 140.0)
    assert (rest.targets, rest.needed) == ((), None)
    assert rest.rates["f1"] == (1.0, (1.0, 1.0))


def test_groups_divide_the_labelled_items(labelled: Session) -> None:
    run = store(labelled, "copied-strings", scores(GIVEN))
    label(labelled, {"s0": "blog", "b0": "blog", "s1": "splog"}, who="bob")
    label(labelled, {"s0": "RSS", "s1": "QA", "s2": "QA"}, label_set="kind")
    scored = scored_run_of(labelled, run)
    by_length = read_groups(labelled, scored, Attribute.LENGTH)
    assert sum(group.labelled for group in by_length) == int(scored.labelled.sum())
    by_who = {
        group.name: (group.labelled, group.positives) for group in read_groups(labelled, scored, Attribute.ANNOTATOR)
    }
    assert by_who == {"anna": (6, 3), "bob": (3, 1)}
    kinds = {group.name: (group.labelled, group.positives) for group in read_groups(labelled, scored, Attribute.KIND)}
    assert kinds == {"QA": (5, 2)}
    for who in ("bob", "cid"):
        label(labelled, {"s1": "QA", "s2": "RSS" if who == "cid" else "QA"}, label_set="kind", who=who)
    kinds = {group.name: (group.labelled, group.positives) for group in read_groups(labelled, scored, Attribute.KIND)}
    assert kinds == {"QA": (5, 2)}, "the majority's kind, not the last one"
    (language,) = read_groups(labelled, scored, Attribute.LANGUAGE)
    assert language.curve is not None
    assert scored.curve is not None
    assert language.curve.threshold.tolist() == scored.curve.threshold.tolist()
    # Values are listed by name, in any order of labels.
    names = ("thin", "loud", "apt", "zany", "odd", "keen")
    label(labelled, dict(zip(IDS, names, strict=True)), label_set="mood")
    assert scored_run_of(labelled, run, Question("mood", ("apt",))).values == tuple(sorted(names))


USED = UsedThreshold(
    "copied-strings", TargetKind.DOCUMENT, 5.0, 1, "class", 6, 0.5, 0.25, 1 / 3, (0.1, 0.9), (0.05, 0.5), True, "anna"
)


def test_by_annotator_what_nobody_labelled_is_negative_where_the_labels_are_complete(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, {"s0": "splog", "s1": "splog"}, "anna")
        label(session, {"s0": "splog", "s2": "splog"}, "bob")
        run = store(session, "copied-strings", scores([3, 2, 1, 4, 5, 6]))
        scored = scored_run_of(session, run, Question(complete=True))
        groups = read_groups(session, scored, Attribute.ANNOTATOR)
    assert [(group.name, group.labelled, group.positives) for group in groups] == [("anna", 2, 2), ("bob", 2, 2)]
    assert [group.curve and tuple(group.curve.counts(3)) for group in groups] == [(1, 3, 1, 0)] * 2


def test_the_latest_threshold_holds_until_it_is_withdrawn(path: Path) -> None:
    with Session(path) as session:
        assert used_threshold(session, "copied-strings", TargetKind.DOCUMENT) is None
        use_threshold(session, USED)
        threshold = used_threshold(session, "copied-strings", TargetKind.DOCUMENT)
        assert threshold is not None
        assert (threshold.value, threshold.recall_interval, threshold.corrected, threshold.who) == (
            5.0,
            (0.05, 0.5),
            True,
            "anna",
        )
        assert used_threshold(session, "copied-strings", TargetKind.PAIR) is None
        assert [t.method for t in used_thresholds(session)] == ["copied-strings"]
        withdraw_threshold(session, "copied-strings", TargetKind.DOCUMENT)
        assert used_threshold(session, "copied-strings", TargetKind.DOCUMENT) is None


def test_a_damaged_threshold_counts_for_nothing(path: Path) -> None:
    with Session(path) as session:
        use_threshold(session, USED)
        with session.write() as connection:
            connection.exec_driver_sql('UPDATE threshold_event SET facts = \'{"run": "x"}\'')
        assert used_threshold(session, "copied-strings", TargetKind.DOCUMENT) is None
        assert "thresholds that are not numbers" in session.left_out()


def test_points_of_a_sweep_differ_in_what_is_varied_only(labelled: Session) -> None:
    base = store(labelled, "copied-strings", scores(GIVEN), {"min_length": 5, "corpus": "background"})
    other = store(labelled, "copied-strings", scores([1] * 6), {"min_length": 9, "corpus": "background"})
    store(labelled, "copied-strings", scores(GIVEN), {"min_length": 9, "corpus": "suspects"})
    scored = scored_run_of(labelled, base)
    known: dict[object, object] = {}
    points = read_points(labelled, scored, ["min_length"], known)  # type: ignore[arg-type]
    assert [(p.run.id, p.varied) for p in points] == [(base, {"min_length": 5}), (other, {"min_length": 9})]
    assert scored.curve is not None
    assert points[0].counts == scored.curve.counts(float(scored.curve.threshold[scored.curve.best()]))
    assert len(read_points(labelled, scored, ["min_length", "corpus"], known)) == 3  # type: ignore[arg-type]


def test_points_of_a_sweep_follow_a_label_that_was_changed(labelled: Session) -> None:
    base = store(labelled, "copied-strings", scores(GIVEN), {"min_length": 5})
    known: dict[object, object] = {}

    def counts() -> dict[str, int]:
        scored = scored_run_of(labelled, base)
        (point,) = read_points(labelled, scored, ["min_length"], known)  # type: ignore[arg-type]
        assert point.counts is not None
        assert scored.curve is not None
        assert point.counts == scored.curve.counts(float(scored.curve.threshold[scored.curve.best()]))
        return point.counts._asdict()

    before = counts()
    label(labelled, {"s0": "blog"})
    assert sum(counts().values()) == sum(before.values())


def test_points_of_a_sweep_follow_documents_that_were_removed(labelled: Session) -> None:
    base = store(labelled, "copied-strings", scores(GIVEN), {"min_length": 5})
    known: dict[object, object] = {}
    for left in (6, 5):
        scored = scored_run_of(labelled, base)
        (point,) = read_points(labelled, scored, ["min_length"], known)  # type: ignore[arg-type]
        assert point.counts is not None
        assert sum(point.counts) == int(scored.labelled.sum()) == left
        remove(labelled, [2])


def test_a_sweep_over_what_is_read_has_runs_on_other_texts_while_they_are_as_they_were(
    ctx: Context, labelled: Session, path: Path
) -> None:
    with labelled.write() as connection:
        add_documents(connection, [Document("u", "Another text, in the background.", Role.BACKGROUND)])
    runs = [
        detect(ctx, path, "copied-strings", {"corpus": corpus, "min_length": 3}, workers=1)
        for corpus in ("suspects", "background")
    ]
    assert runs[0].corpus_hash != runs[1].corpus_hash
    scored = scored_run_of(labelled, runs[0].id)
    assert [p.run.id for p in read_points(labelled, scored, ["corpus"], {})] == [runs[1].id, runs[0].id]
    with labelled.write() as connection:
        add_documents(connection, [Document("v", "A text that came later.", Role.BACKGROUND)])
    assert [p.run.id for p in read_points(labelled, scored, ["corpus"], {})] == [runs[0].id]


def test_usual_values_lie_in_the_range_of_the_parameter() -> None:
    for spec in can_vary("copied-strings"):
        values = usual_values(spec, spec.default)
        assert [spec.check(value) for value in values] == values


def test_runs_are_compared_with_the_base(ctx: Context, labelled: Session, path: Path) -> None:
    base = store(labelled, "copied-strings", scores(GIVEN))
    same = store(labelled, "copied-strings", scores([value * 2 for value in GIVEN]), {"min_length": 3})
    none = store(labelled, "shingle", pairs({(1, 2): 0.5}))
    first, second = differences(ctx, path, base, [same, none], Question())
    assert (first.items, first.average_precision, first.p) == (6, 0.0, 1.0)
    assert second.run == none
    curves = [scored_run_of(labelled, run).curve for run in (base, same)]
    assert coincident([c for c in curves if c is not None]) == [(0, 1)]


def test_a_sheet_keeps_what_it_was_drawn_from(ctx: Context, labelled: Session, path: Path) -> None:
    run = store(labelled, "copied-strings", scores(GIVEN))
    request = FigureRequest((run,), Question("class", ("splog",)))
    number = draw_sheet(ctx, path, "Mine", "precision-recall", request)
    (sheet,) = read_sheets(labelled)
    assert (sheet.id, sheet.name, sheet.request, sheet.fresh) == (number, "Mine", request, True)
    assert sheet.ground.runs == {str(run): {"method": "copied-strings", "parameters": {}}}
    assert command_of(sheet, Path("a b.palimpsest")) == (
        "palimpsest figure 'a b.palimpsest' precision-recall --out precision-recall.svg --runs=1 --labels=class "
        "--positive=splog"
    )
    hostile = replace(request, question=Question("class", ("splog", "--out", "/other.svg", "\x15ls")))
    assert command_of(replace(sheet, request=hostile), Path("p")).endswith(
        " --labels=class '--positive=splog,--out,/other.svg,<U+0015>ls'"
    )
    label(labelled, {"b2": "splog"}, who="bob")
    assert not read_sheets(labelled)[0].fresh
    set_removed(labelled, number, removed=True)
    assert read_sheets(labelled) == []
    set_removed(labelled, number, removed=False)
    table = draw_sheet(ctx, path, "Table", "thresholds", replace(request, question=Question(score="score")))
    assert [s.id for s in read_sheets(labelled)] == [number, table]


@pytest.mark.parametrize("drawn", ["{", "{}", '{"ground": 1}'])
def test_a_sheet_that_cannot_be_read_is_counted_as_left_out_and_the_others_are_listed(
    ctx: Context, labelled: Session, path: Path, drawn: str
) -> None:
    request = FigureRequest((store(labelled, "copied-strings", scores(GIVEN)),), Question("class", ("splog",)))
    damaged, whole = (draw_sheet(ctx, path, name, "precision-recall", request) for name in ("Mine", "Yours"))
    with labelled.write() as connection:
        connection.execute(update(sheet_rows).where(sheet_rows.c.id == damaged).values(drawn=drawn))
    for _ in range(2):
        assert [sheet.id for sheet in read_sheets(labelled)] == [whole]
    assert labelled.left_out() == {"sheets that cannot be read": 1}


def test_a_sheet_is_outdated_by_labels_given_while_it_was_drawn(
    ctx: Context, labelled: Session, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store(labelled, "copied-strings", scores(GIVEN))
    make_figure = sheets.make_figure

    def draw(*arguments: Any) -> object:
        content = make_figure(*arguments)
        label(labelled, {"b2": "splog"}, who="bob")
        return content

    monkeypatch.setattr(sheets, "make_figure", draw)
    draw_sheet(ctx, path, "Mine", "precision-recall", FigureRequest((run,), Question("class", ("splog",))))
    assert not read_sheets(labelled)[0].fresh


@pytest.mark.parametrize("name", ["best-by-length", "thresholds", "templates"])
def test_the_papers_own_figures_agree_with_each_other(name: str) -> None:
    reference = paper_values(name)
    assert reference is not None
    assert reference.table is not None
    for row in reference.table.rows:
        precision, recall, f = (float(cell) for cell in row[-3:])  # type: ignore[arg-type]
        # The paper's row of 400 templates does not follow from its own precision and recall.
        assert abs(2 * precision * recall / (precision + recall) - f) < 0.0035 or row[0] == 400


def test_a_pair_whose_document_was_imported_again_was_not_examined(path: Path) -> None:
    with Session(path) as session:
        add(session)
        run = store(session, "shingle", pairs({(1, 2): 0.9, (3, 4): 0.8, (5, 6): 0.7}))
        (a, b, c, d, e, f) = IDS
        with session.write() as connection:
            role = load_document(connection, 1).role
            delete_documents(connection, [1])
            again = Document(a, "Quite another text stands here now.", role)
            add_documents(connection, [again], begin_batch(connection))
        label_pairs(session, {(a, b): "not", (c, d): "near-duplicate", (e, f): "not"})
        scored = scored_run_of(session, run)
        evaluation = evaluate(session, run)
    assert scored.score.tolist() == [0.8, 0.7]
    assert evaluation.left_out == scored.left_out == {NOT_EXAMINED: 1}
    assert evaluation.false_positives == ()


def test_by_annotator_labels_of_an_earlier_text_do_not_count_beside_those_of_the_present_one(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, dict.fromkeys(IDS, "blog") | {"s0": "splog", "s1": "splog"}, "anna")
        with session.write() as connection:
            delete_documents(connection, [1])
            again = Document("s0", "Quite another text stands here now.", Role.SUSPECT)
            add_documents(connection, [again], begin_batch(connection))
        label(session, {"s0": "blog"}, "bob")
        run = store(session, "splog", scores([0.9] * 7))
        groups = read_groups(session, scored_run_of(session, run), Attribute.ANNOTATOR)
    assert {group.name: (group.labelled, group.positives) for group in groups} == {"anna": (5, 1), "bob": (1, 0)}
