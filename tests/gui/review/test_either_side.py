"""A suspect that the run compared from the other side alone is reviewed as any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from review_case import build, opened, settled

from workbench.cli.main import main
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project import labels
from workbench.services.labels.sets import LABEL_SET, SUSPECT_LABELS
from workbench.services.review.pivot import Pivot

ROWS = [(1, 2, 0, 40, 100, 140, 40.0, 0), (1, 2, 200, 220, 300, 320, 20.0, 1), (1, 3, 50, 60, 0, 10, 10.0, 0)]
"""Suspect 2 stands on the second side alone; suspect 1 has a source as well."""


@pytest.fixture
def review(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    build(tmp_path / "two.palimpsest", ROWS, {})
    return opened(qtbot, context, tmp_path / "two.palimpsest")


def verdicts(review: ReviewView) -> dict[str, str]:
    assert review.context.session is not None
    with review.context.session.read() as connection:
        sets = [labels.current(connection, name) for name in (LABEL_SET, SUSPECT_LABELS)]
    return {target: label.value for current in sets for target, label in current.items()}


def test_window_and_command_line_list_the_same_suspects(
    review: ReviewView, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(tmp_path / "two.palimpsest"), "suspects", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    model = review.suspects.model
    items = [model.item(row) for row in range(model.rowCount())]
    assert [(item.row.id, item.passages, item.matches) for item in items] == [
        (line["id"], line["passages"], line["matches"]) for line in lines
    ]
    assert {(item.row.id, item.matches, item.source) for item in items} == {("s1", 3, "題 s2"), ("s2", 2, "題 s1")}
    model.set_threshold(30)
    assert [(model.item(row).row.id, model.item(row).matches) for row in range(2)] == [("s1", 1), ("s2", 1)]


def test_it_opens_on_the_left_and_its_verdicts_are_those_of_the_pair(qtbot: QtBot, review: ReviewView) -> None:
    review.opening.open_pair(2, None)
    settled(qtbot, review)
    pair = review.pair.opened
    assert pair is not None
    assert (pair.a.id, pair.b.id, pair.limits(0)) == ("s2", "s1", (100, 140, 0, 40))

    for number, value in enumerate(("copy", "not-copy")):
        review.pair.go_to(number)
        review.context.actions.run(f"review.verdict-{value}")
        settled(qtbot, review)
    assert verdicts(review) == {"match:s1:0-40:s2:100-140": "copy", "match:s1:200-220:s2:300-320": "not-copy"}
    pair = review.pair.opened
    assert pair is not None
    assert [None if one is None else one.value for one in pair.judgements] == ["copy", "not-copy"]

    def counts() -> dict[str, dict[str, int]]:
        model = review.suspects.model
        items = [model.item(row) for row in range(model.rowCount())]
        return {item.row.id: dict(item.verdict_counts) for item in items}

    qtbot.waitUntil(lambda: counts() == {name: {"copy": 1, "not-copy": 1} for name in ("s1", "s2")})
    review.context.history.undo()
    qtbot.waitUntil(lambda: counts() == {name: {"copy": 1} for name in ("s1", "s2")})


def test_its_own_verdict_is_its_own(qtbot: QtBot, review: ReviewView) -> None:
    review.opening.open_pair(2, None)
    settled(qtbot, review)
    review.suspects.verdict.chosen.emit("copy")
    settled(qtbot, review)
    assert verdicts(review) == {"document:s2": "copy"}
    model = review.suspects.model
    qtbot.waitUntil(lambda: {model.item(row).row.id: model.item(row).state for row in range(2)}["s2"] == "copy")
    assert {model.item(row).row.id: model.item(row).state for row in range(2)}["s1"] == "open"


def test_its_passages_are_split_as_the_run_compared_them(qtbot: QtBot, review: ReviewView) -> None:
    review.opening.open_pair(2, None)
    settled(qtbot, review)
    review.pair.left.setFocus()
    review.pair.left.set_caret(120)
    review.context.actions.run("review.split")
    settled(qtbot, review)
    review.opening.list_by(Pivot.SUSPECTS)
    settled(qtbot, review)
    model = review.suspects.model
    qtbot.waitUntil(lambda: {model.item(row).row.id: model.item(row).matches for row in range(2)} == {"s1": 4, "s2": 3})
