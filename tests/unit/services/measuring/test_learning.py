"""Weights learnt from labels: what they are, how good they are said to be, and what is needed to learn any."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from tests.unit.methods.splog.test_splog import collection, entries, salad
from workbench.base.errors import UserError
from workbench.base.types import Role
from workbench.evaluation.classifiers import logistic, predicted_apart
from workbench.jobs.context import Context
from workbench.methods.splog.weights import FEATURES
from workbench.services.importing.batch import import_paths
from workbench.services.listing import document_ids, document_scores
from workbench.services.measuring.learning import FEWEST, Learn, fit, learn
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
    columns = {name: rng.random(n) for name in FEATURES}
    columns["salad"] = rng.normal(size=n) + strength * positive
    return columns, positive


def test_what_is_said_of_figures_without_meaning_is_no_better_than_chance() -> None:
    columns, positive = random_figures(np.random.default_rng(1), 200, 0.0)
    learnt = learn(columns, positive)
    assert learnt.apart.average_precision < 0.55, "in-sample it would be far higher"
    assert learnt.error > 0.2


def test_the_figure_that_tells_spam_gets_the_greatest_weight_and_chances_are_calibrated() -> None:
    columns, positive = random_figures(np.random.default_rng(2), 8_000, 2.0)
    learnt = learn(columns, positive)
    assert max(learnt.parts, key=lambda name: abs(learnt.parts[name])) == "salad"
    assert learnt.apart.f1 > 0.7
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


def test_too_few_labels_are_refused_with_their_number(path: Path, ctx: Context, tmp_path: Path) -> None:
    rows = [
        {"id": f"{i}", "text": text, "label": "splog" if i < 7 else "blog"} for i, text in enumerate(entries()[:50])
    ]
    file = tmp_path / "entries.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    import_paths(ctx, path, [file], Role.SUSPECT)
    with pytest.raises(UserError, match=rf"7 documents are labelled as spam and 43 as not; {FEWEST} of each"):
        Learn(workers=1).run(ctx, path)
