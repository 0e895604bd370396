"""Evaluate, open on the small project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.conftest import Start
from tests.gui.evaluate_case import build, shown
from workbench.gui.screens.evaluate.view import EvaluateView
from workbench.gui.shell.app import Controller


@pytest.fixture
def case(tmp_path: Path) -> Path:
    return build(tmp_path / "case.palimpsest")


@pytest.fixture
def controller(start: Start, case: Path) -> Controller:
    return start(case, "evaluate", ask=lambda controller: shown(controller).open(1))


@pytest.fixture
def view(controller: Controller) -> EvaluateView:
    return shown(controller)
