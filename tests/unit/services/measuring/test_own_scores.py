from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from scored import IDS, TRUTH, label_pairs

from workbench.base.errors import ParameterError, UserError
from workbench.base.types import Document, Role, Run, RunState, Tier
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, change_role
from workbench.project.imports import begin_batch
from workbench.reading.formats import Failure
from workbench.services import contents, listing
from workbench.services.detecting.comparing import explain
from workbench.services.detecting.querying import as_text, look_up
from workbench.services.detecting.runs import detect
from workbench.services.measuring.evaluating import evaluate
from workbench.services.measuring.label_selection import NOT_EXAMINED, Question
from workbench.services.measuring.own_scores import ImportScores
from workbench.services.queries import newer_documents
from workbench.services.session import Session

POSITIVE = [float(TRUTH[name] == "splog") for name in IDS]
CONTEXT = Context("test", lambda event: None, lambda: False)


class Imported(NamedTuple):
    run: Run
    scores: int
    failed: Sequence[Failure]


def own(session: Session, text: str, name: str = "own.csv", **options: object) -> Imported:
    file = session.path.parent / name
    file.write_text(text, "utf-8")
    outcome = ImportScores.parse({"file": str(file), "name": "bert", **options}).run(CONTEXT, session.path)
    assert outcome.run is not None
    assert outcome.record["run"] == outcome.run.id
    assert len(outcome.record["failed"]) == len(outcome.failed)
    return Imported(outcome.run, outcome.record["scores"], outcome.failed)


def errors(result: Imported) -> list[tuple[int, str]]:
    return [(int(f.path.rpartition(":")[2]), str(f.error)) for f in result.failed]


def table(values: list[float]) -> str:
    return "id,score\n" + "\n".join(f"{i},{s}" for i, s in zip(IDS, values, strict=True))


def test_own_scores_of_documents_are_measured_like_those_of_a_method(labelled: Session) -> None:
    result = own(labelled, table(POSITIVE))
    assert (result.run.state, result.scores, result.failed) == (RunState.DONE, len(IDS), ())
    evaluation = evaluate(labelled, result.run.id)
    assert (evaluation.precision, evaluation.recall, evaluation.average_precision) == (1, 1, 1)


def test_low_scores_can_be_the_better_ones(labelled: Session) -> None:
    turned = own(labelled, table([1 - value for value in POSITIVE]), lower_is_better=True)
    assert evaluate(labelled, turned.run.id).average_precision == 1
    ids = listing.document_ids(labelled)
    stored = {ids[s.document]: (s.score, s.evidence["given"]) for s in listing.document_scores(labelled, turned.run.id)}
    assert [stored[name] for name in IDS] == [(value, 1 - value) for value in POSITIVE]


def test_only_documents_in_the_file_count_as_examined(labelled: Session) -> None:
    result = own(labelled, f"id,score\n{IDS[0]},-5\n{IDS[5]},-7")
    assert result.run.documents == 2
    assert newer_documents(result.run)(labelled)[0] == 0
    assert evaluate(labelled, result.run.id).left_out[NOT_EXAMINED] == len(IDS) - 2


def test_after_an_import_the_next_step_is_to_import_the_scores_again(labelled: Session) -> None:
    result = own(labelled, table([1 - value for value in POSITIVE]), lower_is_better=True)
    path = str(labelled.path)
    assert contents.next_step(labelled)[:4] == ("report", path, "--run", str(result.run.id))
    with labelled.write() as connection:
        add_documents(connection, [Document("later", "A text.", Role.SUSPECT)], begin_batch(connection))
    wanted = ("scores", "import", path, "FILE", "--name", "bert", "--lower-is-better")
    assert contents.next_step(labelled) == wanted


def test_rows_that_cannot_be_scores_are_listed_and_the_rest_is_stored(labelled: Session) -> None:
    rows = ["id,score", f"{IDS[0]},0.5", f"{IDS[0]},0.6", "nobody,1", f"{IDS[1]},high", f"{IDS[1]},nan", f"{IDS[2]},"]
    result = own(labelled, "\n".join(rows))
    assert result.scores == 1
    assert [line for line, _ in errors(result)] == [3, 4, 5, 6, 7]
    assert "second score" in errors(result)[0][1]
    assert "no document nobody" in errors(result)[1][1]
    with pytest.raises(UserError, match="no scores of documents"):
        own(labelled, "id,score\nnobody,1")
    assert len(listing.all_runs(labelled)) == 1


def test_own_scores_of_pairs_and_passages(labelled: Session) -> None:
    pairs = own(labelled, f"a,b,score\n{IDS[0]},{IDS[1]},0.9\n{IDS[0]},{IDS[2]},-0.1\n{IDS[3]},,1")
    assert [line for line, _ in errors(pairs)] == [3, 4]
    (pair,) = listing.pair_scores(labelled, pairs.run.id)
    ids = listing.document_ids(labelled)
    assert ({ids[pair.a], ids[pair.b]}, pair.score) == ({IDS[0], IDS[1]}, 0.9)
    rows = [
        {"a": {"id": IDS[0], "start": 0, "end": 3}, "b": {"id": IDS[1], "start": 1, "end": 4}, "score": 2},
        {"a": {"id": IDS[0], "start": 0, "end": 99_999}, "b": {"id": IDS[1], "start": 1, "end": 4}, "score": 2},
        {"id": IDS[0], "score": 1},
    ]
    own_passages = own(labelled, "\n".join(map(json.dumps, rows)), "own.jsonl", of="passages")
    assert [line for line, _ in errors(own_passages)] == [2, 3]
    (match,) = listing.matches(labelled, own_passages.run.id)
    assert match.evidence["tier"] == Tier.ALTERED
    assert (ids[match.a], match.a_span, ids[match.b], match.b_span, match.score) == (IDS[0], (0, 3), IDS[1], (1, 4), 2)


def test_imported_scores_are_not_searched_and_do_not_explain(labelled: Session) -> None:
    run = own(labelled, table([1.0] * len(IDS))).run
    answer = explain(CONTEXT, labelled.path, IDS[0], IDS[1], run.method, run.parameters)
    assert "imported" in answer.explanation.summary
    assert run.method not in look_up(CONTEXT, labelled.path, as_text("some text to look up", "-")).unasked


def test_the_columns_of_a_file_of_scores_can_have_other_names(labelled: Session) -> None:
    result = own(labelled, f"Doc;Probability\n{IDS[0]};0.25", columns="Doc=id,Probability=score")
    (score,) = listing.document_scores(labelled, result.run.id)
    assert score.score == 0.25


def test_scores_without_a_file_or_a_name_are_not_imported() -> None:
    with pytest.raises(ParameterError, match="file of scores"):
        ImportScores.parse({"name": "bert"})
    with pytest.raises(ParameterError, match="program or model"):
        ImportScores.parse({"file": "own.csv", "name": " "})


def test_passages_have_the_suspect_first_and_no_impossible_spans(labelled: Session) -> None:
    with labelled.write() as connection:
        change_role(connection, [4], Role.SOURCE)
    rows = [
        {"a": {"id": "b0", "start": 1, "end": 4}, "b": {"id": "s0", "start": 0, "end": 3}, "score": 2},
        {"a": {"id": "s0", "start": 0, "end": 3}, "b": {"id": "b0", "start": 1, "end": 4}, "score": 2},
        {"target": "match:s0:9-2:b0:0-3", "score": 1},
        {"a": {"id": "s0", "start": 0, "end": 3}, "b": {"id": "s0", "start": 1, "end": 4}, "score": 2},
    ]
    passages = own(labelled, "\n".join(map(json.dumps, rows)), "own.jsonl")
    assert [line for line, _ in errors(passages)] == [2, 3, 4]
    (match,) = listing.matches(labelled, passages.run.id)
    assert (match.a, match.a_span, match.b, match.b_span) == (1, (0, 3), 4, (1, 4))


def test_pairs_that_are_not_in_the_file_count_as_nothing_found(labelled: Session) -> None:
    label_pairs(labelled, {("s0", "s1"): "near-duplicate", ("b0", "b1"): "near-duplicate", ("s0", "b2"): "not"})
    run = own(labelled, "a,b,score\ns0,s1,0.9").run
    evaluation = evaluate(labelled, run.id, Question("near-duplicate"))
    assert (evaluation.precision, evaluation.recall) in {(1, 0.5), (2 / 3, 1)}
    assert evaluation.left_out.get(NOT_EXAMINED, 0) == 0


def test_columns_of_labels_beside_the_scores_are_ignored_and_capitals_are_read(labelled: Session) -> None:
    result = own(labelled, "ID,Label,Score,Time\ns0,splog,0.5,0.53\ns1,blog,,1")
    assert (result.scores, errors(result)) == (1, [(3, "The row has no score.")])
    with pytest.raises(UserError, match="too far apart"):
        own(labelled, "id,score\ns0,-1e308\ns1,1e308", lower_is_better=True)


def test_imported_scores_are_not_applied(labelled: Session) -> None:
    with pytest.raises(UserError, match="cannot be computed"):
        detect(CONTEXT, labelled.path, "own-scores", {})
    assert listing.all_runs(labelled) == []
