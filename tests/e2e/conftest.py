"""The command line as a user's script calls it: a program of its own in an empty folder, without a display."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import forked_program

Run = Callable[..., subprocess.CompletedProcess[str]]
Rows = Callable[..., list[Any]]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    gone = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in gone}
    return kept | {"PALIMPSEST_CONFIG": str(tmp_path_factory.mktemp("own"))}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """``run(argument, .., code=0)``: the finished program, which ended with ``code``."""

    def call(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = forked_program.run([*map(str, arguments)], cwd=tmp_path, env=environment)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return call


@pytest.fixture
def rows(run: Run) -> Rows:
    """``run`` with ``--json``: the objects that it printed."""
    return lambda *arguments, code=0: [
        json.loads(line) for line in run(*arguments, "--json", code=code).stdout.splitlines()
    ]
