from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from scored import IDS, TRUTH, add, label, label_pairs, pairs, passages, refer, scores, store

from workbench.base.errors import ParameterError, UserError
from workbench.base.types import Document, DocumentScore, Label, Match, Results, Role, Span
from workbench.evaluation.choosing import choose_thresholds
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.documents import add_documents, bring_back, delete_documents
from workbench.project.imports import begin_batch
from workbench.services.choosing import find_run
from workbench.services.contents import next_step
from workbench.services.detecting.runs import detect
from workbench.services.labels.targets import pair_target, passage_target
from workbench.services.measuring.evaluating import compare_runs, evaluate
from workbench.services.measuring.figure_request import finished_runs
from workbench.services.measuring.label_selection import Question, score
from workbench.services.measuring.scored_run import read_scored_run
from workbench.services.measuring.sweeping import grid, sweep
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session
from workbench.services.tagging import change_tags_of


def test_documents_are_ranked_by_their_scores(labelled: Session) -> None:
    run = store(labelled, "copied-strings", scores([9, 8, 3, 5, 0, 0]))
    evaluation = evaluate(labelled, run)
    assert (evaluation.threshold, evaluation.precision, evaluation.recall) == (3, 0.75, 1)
    assert evaluation.curve == [(9, 1, 1 / 3), (8, 1, 2 / 3), (5, 2 / 3, 2 / 3), (3, 0.75, 1), (0, 0.5, 1)]
    assert (evaluation.false_positives, evaluation.false_negatives) == ((("b0",),), ())
    assert [s.rule for s in evaluation.suggestions] == [
        *("best F", "precision >= 0.8", "precision >= 0.9", "precision >= 0.95", "precision >= 0.99")
    ]
    at = evaluate(labelled, run, threshold=6)
    assert (at.threshold, at.false_negatives, at.confusion["true_negative"]) == (6, (("s2",),), 3)
    with pytest.raises(UserError, match="highest score is 9"):
        evaluate(labelled, run, threshold=10)


def test_a_suggested_threshold_has_the_corrected_figures_that_the_window_shows(labelled: Session) -> None:
    run = store(labelled, "copied-strings", scores([9, 8, 3, 5, 0, 0]))
    of_run = read_scored_run(labelled, find_run(labelled, run), Question())
    assert of_run.curve is not None
    (best, *_) = choose_thresholds(*of_run.part(of_run.labelled), of_run.curve)
    suggested = {s.threshold: s for s in evaluate(labelled, run).suggestions}
    assert suggested[best.threshold].corrected == (best.precision.value, best.recall.value)
    assert suggested[best.threshold].precision > best.precision.value


def test_a_threshold_that_selects_everything_is_said_to(labelled: Session) -> None:
    useless = evaluate(labelled, store(labelled, "template", scores([0, 0, 1, 9, 8, 0])))
    assert (useless.threshold, useless.precision, useless.everything) == (0, 0.5, True)
    assert [s.everything for s in useless.suggestions] == [True]
    better = evaluate(labelled, store(labelled, "template", scores([9, 8, 0.5, 1, 0, 0])))
    assert not better.everything
    assert not any(s.everything for s in better.suggestions)


def test_other_figures_of_the_evidence_can_rank(labelled: Session) -> None:
    run = store(labelled, "copied-strings", scores([1, 2, 3, 4, 5, 6], covered=0.5))
    assert evaluate(labelled, run, Question(score="covered")).curve == [(0.5, 0.5, 1)]
    with pytest.raises(UserError, match="score, covered"):
        evaluate(labelled, run, Question(score="nothing"))


def test_undecided_and_disputed_labels_are_left_out_and_counted(labelled: Session) -> None:
    label(labelled, {"s0": "unsure"})
    label(labelled, {"b0": "splog"}, who="bob")
    run = store(labelled, "copied-strings", scores([9, 8, 3, 5, 0, 0]))
    evaluation = evaluate(labelled, run)
    assert evaluation.left_out == {
        "labelled as undecided": 1,
        "labelled differently and not resolved": 1,
    }
    assert evaluation.labelled == 4
    assert read_scored_run(labelled, find_run(labelled, run), Question()).left_out == evaluation.left_out


def test_what_is_left_out_is_among_the_documents_chosen_by_tags(labelled: Session) -> None:
    with labelled.write() as connection:
        add_documents(connection, [Document("new", "A text of its own.", Role.SUSPECT, tags=("t",))])
        connection.exec_driver_sql("UPDATE document SET tags = ',t,' WHERE id IN ('s0', 'b0', 's1')")
    label(labelled, {"s1": "unsure", "b1": "unsure"})
    label(labelled, {"s2": "blog"}, who="bob")
    evaluation = evaluate(labelled, store(labelled, "copied-strings", scores([9, 8, 3, 5, 0, 0])), Question(tags="t"))
    assert evaluation.left_out == {"labelled as undecided": 1, "scored but not labelled": 1}
    assert evaluation.labelled == 2


def test_the_window_counts_labels_of_other_texts_and_items_left_out_as_the_command_line_does(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, TRUTH | {"s1": "unsure", "gone": "unsure", "none": "splog"})
        label(session, {"b0": "splog", "gone": "splog"}, who="bob")
        label_pairs(session, {("s0", "b0"): "near-duplicate", ("s2", "b2"): "not", ("s1", "none"): "not"})
        with session.write() as connection:
            delete_documents(connection, [1])
            add_documents(connection, [Document("s0", "Another text of s0", Role.SUSPECT)], begin_batch(connection))
        examined = Results(scores=tuple(DocumentScore(key, 9.0 - key, {}) for key in range(2, 8)))
        of_documents = store(session, "copied-strings", examined)
        of_pairs = store(session, "shingle", pairs({(7, 4): 0.9, (3, 6): 0.8, (2, 3): 0.3}))
        for run, others, reasons in ((of_documents, 1, 3), (of_pairs, 1, 2)):
            evaluation = evaluate(session, run)
            scored = read_scored_run(session, find_run(session, run), Question())
            assert scored.left_out == evaluation.left_out
            assert scored.of_other_texts == evaluation.of_other_texts == others
            assert len(scored.left_out) == reasons


@pytest.mark.parametrize(
    ("values", "sentence"),
    [({}, "no labels"), (dict.fromkeys(IDS, "splog"), "All 6 labelled documents are positive")],
)
def test_what_is_undefined_is_a_sentence(path: Path, values: dict[str, str], sentence: str) -> None:
    with Session(path) as session:
        add(session)
        label(session, values)
        run = store(session, "copied-strings", scores([1] * 6))
        with pytest.raises(UserError, match=sentence):
            evaluate(session, run)


def test_equal_scores_give_one_threshold(labelled: Session) -> None:
    evaluation = evaluate(labelled, store(labelled, "copied-strings", scores([1] * 6)))
    assert (evaluation.precision, evaluation.recall, len(evaluation.curve)) == (0.5, 1, 1)


def test_labels_without_a_usual_positive_value_must_be_named(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, {name: "red" if i % 2 else "green" for i, name in enumerate(IDS)}, label_set="colour")
        run = store(session, "copied-strings", scores([6, 5, 4, 3, 2, 1]))
        with pytest.raises(UserError, match=r"Available: green, red\. Choose with --positive"):
            evaluate(session, run)
        assert evaluate(session, run, Question("colour", ("green",))).positives == 3
        with pytest.raises(UserError, match="Available: colour"):
            evaluate(session, run, Question("class"))
        with pytest.raises(UserError, match="No label has the value blue"):
            evaluate(session, run, Question("colour", ("blue",)))


def test_a_method_of_passages_scores_documents_by_their_sum(path: Path) -> None:
    with Session(path) as session:
        add(session)
        add(session, ["source"], Role.SOURCE)
        label(session, TRUTH)
        matches = [Match(key, 7, Span(0, 5), Span(0, 5), 2.0) for key in (1, 1, 2)]
        assert evaluate(session, store(session, "digest", passages(*matches))).curve == [
            (4, 1, 1 / 3),
            (2, 1, 2 / 3),
            (0, 0.5, 1),
        ]


def passages_between(*rows: tuple[int, int, float]) -> Results:
    return passages(*(Match(a, b, Span(0, 5), Span(0, 5), score) for a, b, score in rows))


def test_of_two_documents_that_share_a_passage_both_are_scored(labelled: Session) -> None:
    run = store(labelled, "digest", passages_between((1, 2, 2.0), (3, 1, 4.0)))
    assert evaluate(labelled, run, threshold=2).false_negatives == ()
    _, scored = score(labelled, run, Question())
    assert dict(zip(scored.names, scored.scores.tolist(), strict=True)) == {
        **{("s0",): 6, ("s1",): 2, ("s2",): 4},
        **{("b0",): 0, ("b1",): 0, ("b2",): 0},
    }


def test_documents_that_were_compared_both_ways_count_the_greater_sum_once(labelled: Session) -> None:
    run = store(labelled, "digest", passages_between((1, 2, 2.0), (1, 2, 2.0), (2, 1, 3.0)))
    assert evaluate(labelled, run).curve == [(4, 1, 2 / 3), (0, 0.5, 1)]


@pytest.mark.parametrize("shared", [((1, 2), (3, 4)), ((1, 2),), ((1, 3), (5, 6))])
def test_runs_that_find_the_same_are_equal_whatever_their_method_reports(
    labelled: Session, shared: tuple[tuple[int, int], ...]
) -> None:
    by_passages = store(labelled, "digest", passages_between(*((a, b, 1.0) for a, b in shared)))
    by_pairs = store(labelled, "shingle", pairs(dict.fromkeys(shared, 1.0)))
    in_any = {key for pair in shared for key in pair}
    by_score = store(labelled, "copied-strings", scores([float(key in in_any) for key in range(1, 7)]))
    for one, other in combinations((by_passages, by_pairs, by_score), 2):
        compared = compare_runs(labelled, one, other)
        assert (compared.items, compared.difference, compared.p) == (6, 0, 1)
        assert compared.interval in (None, (0, 0))
    totals = evaluate(labelled, by_pairs)
    assert totals.labelled == 6
    assert totals.curve[-1] == (0, 0.5, 1)


def test_a_run_that_finds_more_of_what_is_wanted_is_not_called_the_worse(labelled: Session) -> None:
    few = store(labelled, "digest", passages_between((1, 2, 5.0)))
    all_of_them = store(labelled, "shingle", pairs({(1, 2): 0.9, (2, 3): 0.9}))
    assert compare_runs(labelled, all_of_them, few).difference > 0
    assert compare_runs(labelled, few, all_of_them).difference < 0


def test_a_figure_that_ranks_pairs_ranks_their_documents(labelled: Session) -> None:
    run = store(labelled, "shingle", pairs({(1, 2): 0.9, (2, 4): 0.4}))
    _, scored = score(labelled, run, Question(score="resemblance"))
    assert [value for value in scored.scores.tolist() if value] == [0.2, 0.45, 0.45]
    with pytest.raises(UserError, match="no values for documents"):
        evaluate(labelled, store(labelled, "digest", passages_between((1, 2, 5.0))), Question(score="resemblance"))


def test_pairs_count_in_either_order_and_unreported_ones_are_missed(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label_pairs(session, {("s1", "s0"): "near-duplicate", ("b0", "b1"): "near-duplicate", ("s0", "b0"): "not"})
        run = store(session, "shingle", pairs({(1, 2): 0.9, (1, 4): 0.4, (2, 5): 0.8}))
        evaluation = evaluate(session, run)
        assert (evaluation.labelled, evaluation.positives, evaluation.left_out) == (
            3,
            2,
            {"reported but not labelled": 1},
        )
        assert (evaluation.precision, evaluation.recall, evaluation.false_negatives) == (1, 0.5, (("b0", "b1"),))
        whole = evaluate(session, run, Question(complete=True), threshold=0.4)
        assert (whole.labelled, sum(whole.confusion.values()), whole.precision) == (3, 4, pytest.approx(1 / 3))
        assert evaluate(session, run, Question(score="resemblance")).threshold == 0.45


def test_items_labelled_as_undecided_are_left_out_even_if_the_labels_are_complete(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label(session, {"s0": "splog", "s1": "unsure"})
        documents = evaluate(session, store(session, "copied-strings", scores([9.0, 8, 3, 5, 0, 0])), EVERY)
        label_pairs(session, {("s0", "s1"): "near-duplicate", ("s0", "b0"): "unsure"})
        of_pairs = evaluate(session, store(session, "shingle", pairs({(1, 2): 0.9, (1, 4): 0.8, (2, 5): 0.7})), EVERY)
    for measured, items in ((documents, 5), (of_pairs, 2)):
        assert (measured.labelled, sum(measured.confusion.values())) == (1, items)
        assert measured.left_out == {"labelled as undecided": 1}


EVERY = Question(complete=True)


def test_runs_are_compared_on_what_both_examined_even_if_the_labels_are_complete(path: Path) -> None:
    few = {"suspect_tags": "few", "source_tags": "few"}
    with Session(path) as session:
        add(session)
        change_tags_of(session, ["s0", "s1", "b0"], ["few"], [])
        label(session, {"s0": "splog", "s1": "splog", "s2": "splog"})
        whole = store(session, "copied-strings", scores([6, 5, 4, 3, 2, 1]))
        examined = Results(scores=tuple(DocumentScore(key, 7 - key, {}) for key in (1, 2, 4)))
        part = store(session, "copied-strings", examined, few)
        compared = compare_runs(session, whole, part, EVERY)
        assert (compared.items, compared.first.f1, compared.second.f1, compared.p) == (3, 1, 1, 1)
        label_pairs(session, {("s0", "s1"): "near-duplicate", ("s1", "s2"): "near-duplicate"})
        whole = store(session, "shingle", pairs({(1, 2): 0.9, (2, 3): 0.8, (1, 4): 0.3}))
        part = store(session, "shingle", pairs({(1, 2): 0.9}), few)
        compared = compare_runs(session, whole, part, EVERY)
        assert (compared.items, compared.first.f1, compared.second.f1) == (2, 1, 1)


def test_a_pair_with_a_document_of_an_excluded_tag_is_not_measured(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label_pairs(session, {("s0", "b0"): "near-duplicate", ("s1", "b1"): "near-duplicate", ("s2", "b2"): "not"})
        change_tags_of(session, ["s0"], ["mail"], [])
        run = store(session, "shingle", pairs({(1, 4): 0.9, (2, 5): 0.8, (3, 6): 0.7}))
        for tags, labelled in (("-mail", 2), ("", 3)):
            assert evaluate(session, run, Question(tags=tags)).labelled == labelled
            assert len(read_scored_run(session, find_run(session, run), Question(tags=tags)).truth) == labelled


def test_pair_labels_that_list_positives_only_need_complete(path: Path) -> None:
    with Session(path) as session:
        add(session)
        label_pairs(session, {("s1", "s0"): "near-duplicate", ("b0", "b1"): "near-duplicate"})
        run = store(session, "shingle", pairs({(1, 2): 0.9}))
        with pytest.raises(UserError, match="both classes"):
            evaluate(session, run)
        evaluation = evaluate(session, run, Question(complete=True))
        assert (evaluation.precision, evaluation.recall) == (1, 0.5)


def test_passages_are_measured_as_pan_does(path: Path) -> None:
    with Session(path) as session:
        add(session, ["a", "c"])
        add(session, ["b"], Role.SOURCE)
        refer(session, "a", Span(0, 10), "b", Span(0, 10))
        refer(session, "c", Span(0, 10), "b", Span(0, 10))
        right = Match(1, 3, Span(0, 5), Span(0, 5), 5.0), Match(1, 3, Span(5, 10), Span(5, 10), 5.0)
        wrong = Match(1, 3, Span(10, 11), Span(10, 11), 1.0)
        evaluation = evaluate(session, store(session, "digest", passages(*right, wrong)))
        assert evaluation.passages is not None
        measures = evaluation.passages.measures
        assert (evaluation.threshold, measures.precision, measures.recall, measures.granularity) == (5, 1, 0.5, 2)
        assert evaluation.false_negatives == (("c", "b"),)
        assert evaluation.curve == [(5, 1, 0.5), (1, pytest.approx(2 / 3), 0.5)]
        with pytest.raises(UserError, match="found no passage"):
            evaluate(session, store(session, "digest", Results()))


def test_reference_passages_of_a_text_that_was_replaced_are_left_out_unless_they_are_still_there(path: Path) -> None:
    with Session(path) as session:
        add(session, ["a"])
        add(session, ["b"], Role.SOURCE)
        refer(session, "a", Span(0, 3), "b", Span(0, 3))
        refer(session, "a", Span(5, 9), "b", Span(5, 9))
        with session.write() as connection:
            delete_documents(connection, [1])
            add_documents(connection, [Document("a", "New. of a", Role.SUSPECT)], begin_batch(connection))
        run = store(session, "digest", passages(Match(3, 2, Span(5, 9), Span(5, 9), 5.0)))
        evaluation = evaluate(session, run)
        assert (evaluation.recall, evaluation.false_negatives) == (1, ())
        assert evaluation.left_out == {"labelled in another text of the document": 1}


@pytest.mark.slow
def test_two_runs_are_compared_on_the_same_labels(labelled: Session) -> None:
    good = store(labelled, "copied-strings", scores([9, 8, 7, 1, 0, 0]))
    bad = store(labelled, "copied-strings", scores([0, 0, 1, 7, 8, 9]))
    comparison = compare_runs(labelled, good, bad)
    assert comparison.items == 6
    assert comparison.difference > 0.4
    assert comparison.interval is not None
    assert comparison.interval[0] > 0
    assert compare_runs(labelled, good, "length").second.method == "length"
    assert compare_runs(labelled, good, good).p == 1


def test_the_baseline_of_length_needs_no_run(labelled: Session) -> None:
    assert evaluate(labelled, "length").curve[0][0] == 6 * len("text of b2. ")


@pytest.fixture
def compared(path: Path) -> Path:
    """A labelled project with something to compare with."""
    with Session(path) as session:
        add(session)
        add(session, ["source"], Role.SOURCE)
        label(session, TRUTH)
    return path


@pytest.mark.slow
def test_a_sweep_uses_its_runs_again(ctx: Context, compared: Path) -> None:
    path = compared
    first = detect(ctx, path, "digest", {}, workers=1)
    points = sweep(ctx, path, first.id, {"min_run": ["2", "3"]}, workers=1)
    assert [p.varied for p in points] == [{"min_run": 2}, {"min_run": 3}]
    again = sweep(ctx, path, first.id, {"min_run": ["3", "2"]}, workers=1)
    assert {p.run.id for p in again} == {p.run.id for p in points}
    with pytest.raises(ParameterError):
        grid("digest", {"min_run": ["many"]})
    with pytest.raises(ParameterError):
        grid("digest", {"nothing": ["1"]})


@pytest.mark.slow
def test_the_points_of_a_sweep_do_not_take_the_place_of_the_run_that_was_made(ctx: Context, compared: Path) -> None:
    first = detect(ctx, compared, "digest", {"min_run": 3}, workers=1)
    swept = sweep(ctx, compared, first.id, {"min_run": [2, 3, 4]}, workers=1)
    assert [p.run.varied_from for p in swept] == [first.id, None, first.id]
    with Session(compared, write=False) as session:
        assert find_run(session).id == first.id
        assert finished_runs(session)["digest"].id == first.id
        assert f"--run {first.id} " in " ".join(next_step(session))
    wanted = detect(ctx, compared, "digest", {"min_run": 2}, workers=1, resume=True)
    assert (wanted.id, wanted.varied_from) == (swept[0].run.id, None)
    with Session(compared, write=False) as session:
        assert find_run(session).id == wanted.id


def test_a_project_of_sweeps_alone_has_a_latest_run(ctx: Context, compared: Path) -> None:
    varied = detect(ctx, compared, "digest", {}, workers=1, varied_from=7)
    with Session(compared, write=False) as session:
        assert find_run(session) == varied


def test_figures_that_are_equal_in_every_resample_have_no_interval(labelled: Session) -> None:
    perfect = evaluate(labelled, store(labelled, "copied-strings", scores([6, 5, 4, 3, 2, 1])))
    assert (perfect.average_precision, perfect.intervals["average_precision"]) == (1, None)
    assert perfect.intervals["precision"] == pytest.approx((0.292, 1), abs=0.001)
    refer(labelled, "s0", Span(0, 6), "b0", Span(0, 6))
    refer(labelled, "s0", Span(7, 9), "b0", Span(7, 9))
    run = store(labelled, "digest", passages(Match(1, 4, Span(0, 6), Span(0, 6), 2.0)))
    quality = evaluate(labelled, run, Question("reference")).passages
    assert quality is not None
    assert (quality.measures.recall, quality.interval) == (0.5, None)


def test_passages_are_right_if_the_run_compared_the_two_in_reverse_to_the_reference(path: Path) -> None:
    with Session(path) as session:
        add(session)
        refer(session, "s0", Span(0, 6), "s1", Span(4, 10))
        refer(session, "s2", Span(0, 6), "b2", Span(0, 6))
        turned = Match(2, 1, Span(4, 10), Span(0, 6), 2.0)
        run = store(session, "digest", passages(turned, Match(3, 6, Span(0, 6), Span(0, 6), 2.0)))
        evaluation = evaluate(session, run)
        assert (evaluation.precision, evaluation.recall, evaluation.false_negatives) == (1, 1, ())
        scored = read_scored_run(session, find_run(session, run), Question("reference"))
        assert (scored.score.tolist(), scored.truth.tolist()) == ([2, 2], [1, 1])
        assert evaluation.of_other_texts == scored.of_other_texts == 0


@pytest.mark.parametrize("label_set", ["reference", "verdict"])
def test_passages_are_ranked_by_the_requested_figure(path: Path, label_set: str) -> None:
    with Session(path) as session:
        add(session)
        spans = Span(0, 6), Span(0, 6)
        rows = [Match(key, key + 3, *spans, 4.0 - key, {"segments": key}) for key in (1, 2, 3)]
        run = store(session, "digest", passages(*rows))
        refer(session, "s2", spans[0], "b2", spans[1])
        for key, value in enumerate(("not-copy", "not-copy", "copy")):
            give_verdict(session, Unit(f"s{key}", f"b{key}", spans), value, who="anna")
        best = [evaluate(session, run, Question(label_set, score=name)) for name in ("", "segments")]
        assert [(e.threshold, e.precision, e.recall) for e in best] == [(1, pytest.approx(1 / 3), 1), (3, 1, 1)]
        scored = read_scored_run(session, find_run(session, run), Question(label_set, score="segments"))
        assert scored.score.tolist() == [3, 2, 1]
        with pytest.raises(UserError, match="no value weight"):
            evaluate(session, run, Question(label_set, score="weight"))


@pytest.mark.parametrize("value", ["not a copy", "unsure"])
def test_passages_in_a_reference_whose_label_is_undecided_are_neither_right_nor_wrong(path: Path, value: str) -> None:
    with Session(path) as session:
        add(session)
        refer(session, "s0", Span(0, 6), "b0", Span(0, 6))
        target = passage_target("s1", Span(0, 6), "b1", Span(0, 6))
        judged_by = {"anna": "copy", "bob": value} if value == "not a copy" else {"anna": value}
        with session.write() as connection:
            events = [Label(target, judged, who, "", label_set="reference") for who, judged in judged_by.items()]
            labels.add_labels(connection, events)
        rows = [Match(key, key + 3, Span(0, 6), Span(0, 6), 2.0) for key in (1, 2, 3)]
        run = store(session, "digest", passages(*rows))
        evaluation = evaluate(session, run, Question("reference"))
        assert (evaluation.labelled, evaluation.precision, evaluation.recall) == (1, 0.5, 1)
        assert evaluation.left_out["found where the label is undecided"] == 1
        scored = read_scored_run(session, find_run(session, run), Question("reference"))
        assert scored.curve is not None
        assert tuple(scored.curve.counts(0)) == (1, 1, 0, 0)
        assert [(scored.identity(int(key)), truth) for key, truth in zip(scored.a, scored.truth, strict=True)] == [
            ("s0", 1),
            ("s1", -1),
            ("s2", 0),
        ]
        assert scored.left_out == evaluation.left_out


@pytest.mark.parametrize("label_set", ["reference", "verdict"])
@pytest.mark.parametrize("is_known", [False, True])
def test_passages_of_removed_documents_are_not_measured(path: Path, label_set: str, is_known: bool) -> None:
    with Session(path) as session:
        add(session)
        spans = Span(0, 6), Span(0, 6)
        run = store(session, "digest", passages(*(Match(key, key + 3, *spans, 2.0) for key in (1, 2, 3))))
        for a, b in (("s0", "b0"), ("s1", "b1")):
            refer(session, a, spans[0], b, spans[1])
            give_verdict(session, Unit(a, b, spans), "copy", who="anna")
        give_verdict(session, Unit("s2", "b2", spans), "not-copy", who="anna")
        with session.write() as connection:
            if is_known:
                known = (pair_target(f"s{n}", f"b{n}") for n in (0, 1, 2))
                labels.add_labels(connection, [Label(p, "copy", "a", "", label_set="reference pairs") for p in known])
            delete_documents(connection, [2, 3])
        question = Question(label_set)
        scored = read_scored_run(session, find_run(session, run), question)
        assert [scored.target(row) for row in range(len(scored))] == ["match:s0:0-6:b0:0-6"]
        assert scored.truth.tolist() == [1]
        if label_set == "reference":
            evaluation = evaluate(session, run, question)
            assert (evaluation.precision, evaluation.recall) == (1, 1)
            assert evaluation.left_out["found in documents that were removed"] == 2


def test_by_tag_passages_are_those_of_tagged_suspects_whatever_their_sources_are(path: Path) -> None:
    with Session(path) as session:
        add(session)
        change_tags_of(session, ["s0", "b0"], ["mail"], [])
        places = {"s0": Span(0, 10), "s1": Span(2, 12)}
        for name, span in places.items():
            refer(session, name, span, "b0", span)
        run = store(
            session,
            "digest",
            passages(*(Match(IDS.index(name) + 1, 4, span, span, 2.0) for name, span in places.items())),
        )
        for tags, reference, found_in in (("mail", 1, ["s0"]), ("-mail", 1, ["s1"]), ("", 2, ["s0", "s1"])):
            measured = evaluate(session, run, Question("reference", tags=tags))
            assert measured.passages is not None
            quality = measured.passages
            assert (quality.reference, quality.detected, quality.measures.recall) == (reference, reference, 1.0)
            scored = read_scored_run(session, find_run(session, run), Question("reference", tags=tags))
            assert sorted({scored.identity(int(key)) for key in scored.a.tolist()}) == found_in


def test_an_undecided_reference_stays_undecided_after_undo_of_an_import_of_new_versions(path: Path) -> None:
    with Session(path) as session:
        add(session)
        refer(session, "s0", Span(0, 6), "b0", Span(0, 6))
        target = passage_target("s1", Span(0, 6), "b1", Span(0, 6))
        with session.write() as connection:
            labels.add_labels(connection, [Label(target, "unsure", "anna", "", label_set="reference")])
        run = store(session, "digest", passages(*(Match(k, k + 3, Span(0, 6), Span(0, 6), 2.0) for k in (1, 2))))
        with session.write() as connection:
            delete_documents(connection, [2])
            add_documents(connection, [Document("s1", "Another text.", Role.SUSPECT)], begin_batch(connection))
        with session.write() as connection:
            bring_back(connection, [2])
        evaluation = evaluate(session, run, Question("reference"))
    assert (evaluation.precision, evaluation.left_out["found where the label is undecided"]) == (1, 1)
