"""A context and a Review screen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.base.settings import Settings
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext

sys.path.insert(0, str(Path(__file__).parent))

from review_case import ROWS, build, opened


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens after a pause happens at once: asked for before the screen."""
    monkeypatch.setattr("workbench.gui.screens.review.layers._PAUSE_MS", 1)
    monkeypatch.setattr("workbench.gui.judging.verdict_panel._PAUSE_MS", 1)


@pytest.fixture
def context(qtbot: QtBot, tmp_path: Path) -> Iterator[AppContext]:
    """A context without a project; errors of the program fail the test."""
    assert isinstance(QApplication.instance(), QApplication)
    app_context = AppContext(Theme("light", tmp_path / "pictures"), Settings(reviewer="A. Reader", advance=False))
    bugs: list[str] = []
    app_context.bug.connect(lambda _sentence, report: bugs.append(report))
    yield app_context
    app_context.close()
    app_context.deleteLater()
    assert not bugs, bugs[0]


@pytest.fixture
def review(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """Review, open at the first suspect of a run with five matches."""
    build(tmp_path / "case.palimpsest", ROWS, {})
    return opened(qtbot, context, tmp_path / "case.palimpsest")
