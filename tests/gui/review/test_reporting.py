"""Reports from Review."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from workbench.gui.kit import file_dialogs
from workbench.gui.screens.review import ReviewView
from workbench.gui.screens.review.reporting import report_name
from workbench.gui.workspace.context import AppContext


@pytest.mark.parametrize(("kind", "pairs"), [("pair", 1), ("suspect", 2), ("run", 3)])
def test_a_report_is_written_as_a_job_and_offered_for_opening(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str,
    pairs: int,
) -> None:  # fmt: skip
    path = tmp_path / "findings.jsonl"
    asked: list[Path] = []
    monkeypatch.setattr(
        file_dialogs, "save_file", lambda _parent, _title, start, _filters: asked.append(start) or (path, "")
    )
    with qtbot.waitSignal(context.offered) as offered:
        review.report(kind)
    assert str(path) in offered.args[0]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len({row["pair"] for row in rows[1:]}) == pairs
    assert asked[0].parent == tmp_path


def test_a_report_without_a_suffix_is_a_page(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_: (tmp_path / "findings v1.0", ""))
    with qtbot.waitSignal(context.offered):
        review.report("suspect")
    assert (tmp_path / "findings v1.0.html").read_text(encoding="utf-8").startswith("<!")


def test_a_report_that_cannot_be_written_says_so(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_: (tmp_path / "gone" / "report.html", ""))
    with qtbot.waitSignal(context.notice) as said:
        review.report("run")
    assert said.args[1] == "danger"
    assert "report.html" in said.args[0]


def test_a_suggested_name_holds_no_characters_that_files_cannot_have(review: ReviewView) -> None:
    from dataclasses import replace

    opened = review.pair.opened
    assert opened is not None
    odd = replace(opened, a=replace(opened.a, title='../a: "b"? <c>.'))
    assert report_name("suspect", odd) == ".. a b c"
    assert report_name("run", odd) == "run 1"
