"""A threshold chosen in Evaluate is followed, and named, by Review and Relations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.evaluate_case import build as build_scored
from tests.gui.evaluate_case import scores
from tests.gui.relation_case import build as build_pages
from workbench.gui.screens.evaluate.view import EvaluateView
from workbench.gui.screens.relations.view import RelationsView
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell.app import Controller
from workbench.services.labels.sets import LABEL_SET
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold, withdraw_threshold
from workbench.services.session import Session


def used_at(value: float, method: str, kind: TargetKind) -> UsedThreshold:
    return UsedThreshold(method, kind, value, 1, LABEL_SET, 9, 0.75, 0.6, 0.7, (0.5, 1.0), (0.4, 0.9), corrected=False)


def use(path: Path, used: UsedThreshold) -> None:
    with Session(path) as session:
        use_threshold(session, used)


def review_of(controller: Controller) -> ReviewView:
    view = controller.window.view("review")
    assert isinstance(view, ReviewView)
    return view


def test_review_begins_at_the_threshold(qtbot: QtBot, start: Start, project: Path) -> None:
    """The passages of the project fixture score 20 each."""
    use(project, used_at(20.0, "digest", TargetKind.PASSAGE))
    review = review_of(start(project, "review"))
    qtbot.waitUntil(lambda: "0.75" in review.scores._used_words.text())
    assert review.scores.threshold == 20.0
    assert "0.40–0.90" in review.scores._used_words.toolTip()


def test_a_threshold_above_every_score_of_a_run_is_the_one_in_the_field(
    qtbot: QtBot, start: Start, project: Path, tmp_path: Path
) -> None:
    use(project, used_at(50.0, "digest", TargetKind.PASSAGE))
    review = review_of(start(project, "review"))
    qtbot.waitUntil(lambda: review.scores.threshold == 50.0)
    assert review.scores.field.value() == 50.0
    review.scores.reset()
    assert review.scores.threshold == 20.0
    path = build_scored(tmp_path / "scored.palimpsest")
    use(path, used_at(500.0, "copied-strings", TargetKind.DOCUMENT))
    view = start(path, "evaluate").window.view("evaluate")
    assert isinstance(view, EvaluateView)
    assert (view.curves.threshold, view.curves.bar.field.value()) == (500.0, 500.0)
    view.go_to_best()
    assert view.curves.threshold == view.curves.bar.field.value() < 500
    _, relations = relations_at(start, tmp_path / "pages.palimpsest", 7.0)
    assert relations.groups.threshold.value() == 7.0


def test_the_field_of_evaluate_has_the_decimals_of_the_few_scores_that_are_not_whole(
    start: Start, tmp_path: Path
) -> None:
    view = start(build_scored(tmp_path / "scored.palimpsest"), "evaluate").window.view("evaluate")
    assert isinstance(view, EvaluateView)
    assert view.scored is not None
    bar = view.curves.bar
    bar.set_bench(replace(view.scored, ascending=np.r_[np.zeros(10_050), np.linspace(0, 0.9, 50)]))
    bar.field.setValue(0.35)
    assert bar.field.value() == 0.35


def test_what_scores_exactly_the_threshold_is_shown(qtbot: QtBot, start: Start, project: Path) -> None:
    """The field shows fewer decimals than a threshold has."""
    use(project, used_at(19.9996, "digest", TargetKind.PASSAGE))
    review = review_of(start(project, "review"))
    qtbot.waitUntil(lambda: review.scores.threshold == 19.9996)


def test_the_documents_by_score_begin_at_the_threshold_and_show_the_rest_when_asked(
    qtbot: QtBot, start: Start, tmp_path: Path
) -> None:
    path = build_scored(tmp_path / "scored.palimpsest", labels=False)
    limit = sorted(scores())[-12]
    use(path, used_at(limit, "copied-strings", TargetKind.DOCUMENT))
    controller = start(path, "review")
    review = review_of(controller)
    review.open(1, 0)
    settle(qtbot, controller)
    listed = review.panels.other.scores
    reaching = sum(score >= limit for score in scores())
    qtbot.waitUntil(lambda: listed.model.rowCount() == reaching)
    assert "R 0.60" in listed._used_words.text()
    lowest = int(np.argmin(scores())) + 1
    review.open(1, lowest)
    settle(qtbot, controller)
    assert listed.pane.document is not None
    assert listed.pane.document.key == lowest
    listed.below.click()
    assert listed.model.rowCount() == reaching
    listed.below.click()
    assert listed.model.rowCount() == len(scores())
    listed.below.click()
    assert listed.model.rowCount() == reaching
    controller.context.change(lambda s: withdraw_threshold(s, "copied-strings", TargetKind.DOCUMENT), None)
    controller.context.announce({"measures"})
    qtbot.waitUntil(lambda: listed.model.rowCount() == len(scores()))
    assert listed._used_words.isHidden()
    assert listed.below.isHidden()


def relations_at(start: Start, path: Path, threshold: float) -> tuple[Controller, RelationsView]:
    use(build_pages(path), used_at(threshold, "rare-sentences", TargetKind.PAIR))
    controller = start(path, "relations")
    view = controller.window.view("relations")
    assert isinstance(view, RelationsView)
    return controller, view


def test_relations_follow_the_threshold_and_its_withdrawal(qtbot: QtBot, start: Start, tmp_path: Path) -> None:
    controller, view = relations_at(start, tmp_path / "pages.palimpsest", 0.4)
    assert (view.groups.figure.currentData(), view.groups.threshold.value()) == ("score", 0.4)
    assert "0.75" in view.groups._used.text()
    assert view.clusters is not None
    assert view.clusters.edges.sum() == 3
    controller.context.change(lambda s: withdraw_threshold(s, "rare-sentences", TargetKind.PAIR), None)
    controller.context.announce({"measures"})
    qtbot.waitUntil(lambda: view.groups.threshold.value() == 0)
    qtbot.waitUntil(lambda: view.clusters is not None and view.clusters.edges.sum() > 3)
    assert view.groups._used.isHidden()


def test_relations_keep_every_decimal_of_the_threshold(qtbot: QtBot, start: Start, tmp_path: Path) -> None:
    controller, view = relations_at(start, tmp_path / "pages.palimpsest", 0.3951)
    controller.context.announce({"documents"})
    settle(qtbot, controller)
    assert view.groups.threshold.value() == 0.3951
