"""The program starts without what it does not need yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project_files import write_new

WINDOW = """
import sys
from PySide6.QtCore import QEvent, QObject
from workbench.base.settings import Settings
from workbench.gui.shell import app

class Painted(QObject):
    seen = None
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and self.seen is None:
            self.seen = set(sys.modules)
        return False

application = app.application()
controller = app.Controller(Settings(), keep=False)
controller.begin(None, None)
painted = Painted()
controller.window.installEventFilter(painted)
controller.window.show()
"""


def run(code: str) -> list[str]:
    """The words that ``code`` prints in a process of its own."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "heavy"),
    [
        (["--help"], {"numpy", "sqlalchemy", "PySide6", "workbench.base.types"}),
        (["methods"], {"sqlalchemy", "PySide6"}),
        (["demo", "--help"], {"numpy", "sqlalchemy", "PySide6"}),
        (["info", "empty.palimpsest"], {"PySide6", "numba", "workbench.reading.formats"}),
    ],
    ids=lambda value: " ".join(sorted(value)),
)
def test_a_verb_imports_only_what_it_needs(
    typed: list[str], heavy: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_new(tmp_path / "empty.palimpsest")
    code = (
        "import contextlib, io, sys\nfrom workbench.cli.main import main\n"
        f"with contextlib.redirect_stdout(io.StringIO()):\n    assert main({typed!r}) == 0\n"
        f"print(*({heavy!r} & set(sys.modules)))"
    )
    assert run(code) == []


def test_the_window_is_painted_before_what_only_projects_need_is_imported() -> None:
    heavy = {"numpy", "sqlalchemy", "pyqtgraph", "lxml", "rapidfuzz", "workbench.gui.screens.review.view"}
    code = f"{WINDOW}\napp.wait(lambda: painted.seen is not None, 60_000)\nprint(*({heavy!r} & painted.seen))"
    assert run(code) == []


def test_what_screens_need_from_below_the_window_is_imported_ahead() -> None:
    below = {"numpy", "numpy.ma", "sqlalchemy", "workbench.services.review.overview", "workbench.services.labels.queue"}
    code = (
        f"{WINDOW}\napp.wait(lambda: {below!r} <= set(sys.modules), 60_000)\n"
        "controller.window.close()\n"
        f"print(*({below!r} - set(sys.modules)))"
    )
    assert run(code) == []
