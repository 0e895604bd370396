"""Weights learnt from labels: what they are, how good they are said to be, and what is needed to learn any."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.methods.splog.test_splog import collection, entries, salad
from workbench.base.errors import UserError
from workbench.base.messages import rate
from workbench.base.types import Document, DocumentScore, Label, Results, Role, Run
from workbench.cli import main as command_line
from workbench.evaluation.classifiers import logistic, predicted_apart
from workbench.jobs.context import Context
from workbench.methods.splog.weights import FEATURES, MEASURED, MOST_WORDS, VOCABULARY, Weights
from workbench.project.documents import add_documents
from workbench.project.labels import add_label
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.importing.batch import import_paths
from workbench.services.labels.label_state import give
from workbench.services.labels.targets import document_target
from workbench.services.listing import all_runs, document_ids, document_scores
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.figures import make_figure
from workbench.services.measuring.label_selection import Question, optimism
from workbench.services.measuring.learning import FEWEST, Learn, fit, learn, named_words
from workbench.services.review.evidence import contributions
from workbench.services.session import Session


def test_logistic_regression_finds_the_weights_that_made_the_labels() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(20_000, 2)) * [1.0, 50.0]
    odds = 0.5 + 2 * x[:, 0] - 0.03 * x[:, 1]
    positive = rng.random(len(x)) < 1 / (1 + np.exp(-odds))
    intercept, slopes = logistic(x, positive)
    assert intercept == pytest.approx(0.5, abs=0.1)
    assert slopes == pytest.approx([2.0, -0.03], rel=0.1)


def test_an_item_is_predicted_by_models_that_did_not_see_it() -> None:
    positive = np.arange(57) % 3 == 0
    seen_of: dict[int, set[int]] = {}

    def predict(seen, others):
        assert abs(int(positive[others].sum()) - 1.9) < 1.2, "both classes are in every fold"
        seen_of.update((int(row), set(seen.tolist())) for row in others)
        return others.astype(float)

    assert predicted_apart(positive, predict).tolist() == list(range(57))
    assert all(row not in seen and len(seen) >= 50 for row, seen in seen_of.items())


def random_figures(rng: np.random.Generator, n: int, strength: float) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Figures of which only the salad has to do with the label."""
    positive = rng.random(n) < 0.4
    columns = {name: rng.random(n) for name in MEASURED}
    columns["salad"] = rng.normal(size=n) + strength * positive
    return columns, positive


def random_texts(rng: np.random.Generator, n: int) -> list[Document]:
    return [Document("", " ".join(f"w{word}" for word in rng.integers(0, 300, 20))) for _ in range(n)]


def test_what_is_said_of_figures_and_words_without_meaning_is_no_better_than_chance() -> None:
    rng = np.random.default_rng(1)
    columns, positive = random_figures(rng, 200, 0.0)
    learnt = learn(columns, positive, random_texts(rng, 200))
    assert learnt.alone[VOCABULARY].average_precision < 0.55, "in-sample it would be far higher"
    assert learnt.apart.average_precision < 0.55, "in-sample it would be far higher"
    assert learnt.error > 0.2


def test_the_figure_that_tells_spam_gets_the_greatest_weight_and_chances_are_calibrated() -> None:
    columns, positive = random_figures(np.random.default_rng(2), 8_000, 2.0)
    learnt = learn(columns, positive, [Document("", "")] * len(positive))
    assert max(learnt.parts, key=lambda name: abs(learnt.parts[name])) == "salad"
    assert learnt.apart.f1 > 0.7
    columns[VOCABULARY] = np.zeros(len(positive))
    chances = fit(columns, positive).probabilities(columns)
    for low in (0.2, 0.4, 0.6):
        some = (chances >= low) & (chances < low + 0.2)
        assert positive[some].mean() == pytest.approx(chances[some].mean(), abs=0.1)


@pytest.fixture
def entries_labelled(path: Path, ctx: Context, tmp_path: Path) -> Path:
    """Passages of novels, and word salad made of them, labelled."""
    rng, plain = random.Random(3), collection()
    rows = [{"id": f"b{i}", "text": text, "label": "blog"} for i, text in enumerate(entries()[:50])]
    rows += [{"id": f"s{i}", "text": salad(rng, plain, 16), "label": "splog"} for i in range(30)]
    file = tmp_path / "entries.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    import_paths(ctx, path, [file], Role.SUSPECT)
    return path


def test_learning_scores_all_suspects_anew_and_says_how_good_that_is(entries_labelled: Path, ctx: Context) -> None:
    outcome = Learn(workers=1).run(ctx, entries_labelled)
    record = outcome.record
    assert (record["labelled"], record["positives"]) == (80, 30)
    assert record["cross_validated"]["f1"] > 0.9
    assert any(f"best F {record['cross_validated']['f1']:.3f}" in sentence for sentence in outcome.sentences)
    assert outcome.run is not None
    assert outcome.run.parameters["weights"] == record["weights"]
    with Session(entries_labelled, write=False) as session:
        scores = document_scores(session, outcome.run.id, None)
        ids = document_ids(session)
    assert len(scores) == 80
    by_kind = {kind: [s.score for s in scores if ids[s.document].startswith(kind)] for kind in "bs"}
    assert np.mean(by_kind["s"]) > 0.9
    assert np.mean(by_kind["b"]) < 0.1


def test_a_learnt_score_says_what_each_figure_adds_and_so_do_scores_and_explain(
    entries_labelled: Path, ctx: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(*words: object) -> list[dict[str, Any]]:
        assert command_line.main([*map(str, words), "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    outcome = Learn(workers=1).run(ctx, entries_labelled)
    assert outcome.run is not None
    rows = printed("scores", entries_labelled, outcome.run.id)
    for row in rows:
        parts = row["contributions"]
        assert parts["typical"] + sum(parts["figures"].values()) == pytest.approx(parts["log_odds"])
        assert 1 / (1 + np.exp(-parts["log_odds"])) == pytest.approx(row["score"])
    typical = Weights.parse(outcome.run.parameters["weights"]).typical
    for name in MEASURED:
        assert typical[name] == pytest.approx(np.median([row["evidence"][name] for row in rows]), rel=1e-5), name
    (record,) = printed("explain", entries_labelled, "s3")
    (row,) = [row for row in rows if row["id"] == "s3"]
    assert (record["b"], record["contributions"]) == (None, row["contributions"])
    assert [reason["rule"] for reason in record["deciding"]] == [record["reasons"][0]["rule"]]
    assert rate(row["score"]) in record["summary"]
    # Without weights, there is no such sum.
    assert all(row["contributions"] is None for row in printed("scores", entries_labelled, outcome.run.id - 1))
    (plain,) = printed("explain", entries_labelled, "s3", "--run", outcome.run.id - 1)
    assert plain["contributions"] is None


def test_later_entries_are_scored_with_the_weights_of_a_run_and_labels_of_earlier_texts_are_counted(
    entries_labelled: Path, ctx: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = Learn(workers=1).run(ctx, entries_labelled)
    assert outcome.run is not None
    assert outcome.record["of_other_texts"] == 0
    file = tmp_path / "entries.jsonl"
    rows = [json.loads(row) for row in file.read_text(encoding="utf-8").splitlines()]
    rows = [{"id": row["id"], "text": row["text"]} for row in rows]
    rows[0]["text"] = "Another text of this entry."
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert command_line.main(["import", str(entries_labelled), str(file), "--role", "suspect", "--update"]) == 0
    assert f"Next: palimpsest detect {entries_labelled} splog --as {outcome.run.id}" in capsys.readouterr().out
    assert command_line.main(["explain", str(entries_labelled), rows[0]["id"]]) == 0
    assert "detect again to explain the score" in capsys.readouterr().err
    words = ["detect", str(entries_labelled), "splog", "--as", str(outcome.run.id)]
    assert command_line.main([*words, "--workers", "1"]) == 0
    with Session(entries_labelled, write=False) as session:
        latest = all_runs(session)[-1]
    assert latest.id > outcome.run.id
    assert latest.parameters == outcome.run.parameters
    assert command_line.main(["detect", str(entries_labelled), "template", "--as", str(outcome.run.id)]) == 2
    assert "by splog, not by template" in capsys.readouterr().err
    again = Learn(workers=1).run(ctx, entries_labelled)
    assert again.record["of_other_texts"] == 1
    assert any("another text than the present one: 1" in str(sentence) for sentence in again.sentences)


def test_a_method_that_compares_documents_needs_two_to_explain(
    entries_labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line.main(["explain", str(entries_labelled), "s3", "--method", "copies"]) == 2
    assert "name B" in capsys.readouterr().err
    words = ["explain", str(entries_labelled), "s3", "--method", "splog", "--text", "x"]
    assert command_line.main(words) == 2
    assert "need B" in capsys.readouterr().err


def test_scores_of_other_weights_are_not_taken_apart(entries_labelled: Path, ctx: Context) -> None:
    outcome = Learn(workers=1).run(ctx, entries_labelled)
    assert outcome.run is not None
    with Session(entries_labelled, write=False) as session:
        score = document_scores(session, outcome.run.id)[0]
    parts_of = contributions(outcome.run)
    assert parts_of(score) is not None
    assert parts_of(replace(score, score=score.score - 0.01)) is None
    assert parts_of(replace(score, evidence={"length": 3})) is None
    assert contributions(replace(outcome.run, parameters={"weights": "x"}))(score) is None
    assert contributions(replace(outcome.run, method="nothing"))(score) is None


def comments(n: int) -> tuple[list[str], list[bool]]:
    """Short comments of the same few hundred words; spam asks to *subscribe* or to *check* a page."""
    rng = np.random.default_rng(5)
    spam = [bool(at % 3 == 0) for at in range(n)]
    own = {True: (["subscribe", "now"], ["Check", "page"]), False: (["song", "great"], ["曲", "voice"])}
    texts = []
    for each in spam:
        words = [f"word{number}" for number in rng.integers(0, 200, 12)]
        words[3:5] = own[each][int(rng.integers(0, 2))]
        texts.append(" ".join(words))
    return texts, spam


def test_words_of_spam_are_learnt_and_tell_comments_that_no_filter_tells(
    path: Path, ctx: Context, tmp_path: Path
) -> None:
    texts, spam = comments(150)
    rows = [
        {"id": f"c{at}", "text": text} | ({"label": "spam" if own else "ham"} if at < 120 else {})
        for at, (text, own) in enumerate(zip(texts, spam, strict=True))
    ]
    file = tmp_path / "comments.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    import_paths(ctx, path, [file], Role.SUSPECT)
    outcome = Learn(workers=1).run(ctx, path)
    assert outcome.record["cross_validated"]["f1"] > 0.95
    best = max(outcome.record["figures"], key=lambda each: each["f1"])
    assert best["name"] == VOCABULARY
    weights = Weights.parse(outcome.record["weights"])
    assert 0 < len(weights.words) <= MOST_WORDS
    strongest, others = named_words(weights)
    assert {*strongest[:4]} == {"subscribe", "now", "check", "page"}
    assert {*others[:4]} == {"song", "great", "曲", "voice"}
    assert any("subscribe" in sentence and "voice" in sentence for sentence in outcome.sentences)
    assert outcome.run is not None
    with Session(path, write=False) as session:
        scores = document_scores(session, outcome.run.id, None)
        ids = document_ids(session)

    def warning(run: Run) -> str:
        with Session(path, write=False) as session:
            return str(optimism(session, run, Question()))

    # Evaluate says the figure of learning, whatever it measures on the documents that the weights are from.
    measured = outcome.record["cross_validated"]
    low, high = measured["interval"]
    assert f"best F was {measured['f1']:.3f} ({low:.3f} to {high:.3f})" in warning(outcome.run)
    for text, expected in (
        ("", ""),
        ('{"intercept": 1, "figures": {}}', "better than"),
        ("a stranger's", "better than"),
    ):
        assert expected in (sentence := warning(replace(outcome.run, parameters={"weights": text})))
        assert bool(sentence) == bool(expected)
        assert (f"first labelled after {outcome.run.created[:10]} " in sentence) == bool(expected)
    # Nothing was learnt from documents that were all labelled since, unless others are measured, too.
    with Session(path) as session:
        since = [(f"document:c{at}", "spam" if spam[at] else "ham") for at in range(120, 150)]
        give(session, [Label(target, value, "Ann", "", "", label_set="later") for target, value in since])
        assert optimism(session, outcome.run, Question("later")) == ""
        give(session, [Label("document:c0", "ham", "Ann", "", "", label_set="later")])
        assert "best F was" in str(optimism(session, outcome.run, Question("later")))
    by_id = {ids[s.document]: s for s in scores}
    unlabelled = range(120, 150)
    assert all((by_id[f"c{at}"].score > 0.5) == spam[at] for at in unlabelled), "thirty that nobody labelled"
    # The figure is the sum of the weights of its distinct words by the root of their number.
    for at in unlabelled:
        words = {word.lower() for word in texts[at].split()}
        expected = sum(weights.words.get(word, 0) for word in words) / len(words) ** 0.5
        assert by_id[f"c{at}"].evidence[VOCABULARY] == pytest.approx(expected, abs=1e-3)


def test_comparisons_and_figures_warn_of_weights_learnt_from_these_labels(
    path: Path, ctx: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = '{"intercept": 0, "figures": {}, "unseen": [0.7, 0.6, 0.8]}'
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"d{n}", f"text {n}", Role.SUSPECT) for n in range(4)])
        for n in range(4):
            value = "splog" if n % 2 else "blog"
            add_label(connection, Label(document_target(f"d{n}"), value, "reader", "", label_set="class"))
        for parameters in ({}, {"weights": weights}):
            run = begin_run(connection, "splog", 1, parameters, "0", 1)
            results = Results(scores=tuple(DocumentScore(k, k / 9) for k in range(1, 5)))
            finish_chunk(connection, run.id, 0, results, documents=4)
            finish_run(connection, run.id)
    expected = "The weights of run 2 were learnt from labels"
    assert command_line.main(["evaluate", str(path), "1", "--against", "2"]) == 0
    assert expected in capsys.readouterr().err
    for name in ("precision-recall", "scores"):
        figure = make_figure(ctx, path, name, FigureRequest())
        assert any(expected in note and "0.700 (0.600 to 0.800)" in note for note in figure.notes)
        assert not any(expected in note for note in make_figure(ctx, path, name, FigureRequest(runs=(1,))).notes)


def test_weights_of_a_project_that_had_learnt_no_words_are_still_read() -> None:
    weights = Weights.parse('{"intercept": 1, "figures": {"salad": [[0, 2]]}}')
    assert not weights.words
    assert "words" not in weights.text
    zeros = {name: np.zeros(1) for name in FEATURES}
    assert weights.probabilities(zeros)[0] == pytest.approx(1 / (1 + np.exp(-1)))


def test_too_few_labels_are_refused_with_their_number(path: Path, ctx: Context, tmp_path: Path) -> None:
    rows = [
        {"id": f"{i}", "text": text, "label": "splog" if i < 7 else "blog"} for i, text in enumerate(entries()[:50])
    ]
    file = tmp_path / "entries.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    import_paths(ctx, path, [file], Role.SUSPECT)
    with pytest.raises(UserError, match=rf"labelled as spam: 7, as not spam: 43; {FEWEST} of each"):
        Learn(workers=1).run(ctx, path)
    with Session(path, write=False) as session:
        assert not all_runs(session), "nothing is detected in vain"
