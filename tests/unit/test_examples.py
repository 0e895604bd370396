"""The examples that property tests draw."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Each runs pytest twice.
pytestmark = [pytest.mark.slow, pytest.mark.rest]

_TEST = """
import hypothesis, hypothesis.strategies as st
{first}
@hypothesis.given(st.text(), st.integers())
def test_draws(text, number):
    print(ascii(text), number)
"""


def draws(repository: Path, folder: Path, first: str, *options: str) -> list[str]:
    file = folder / "test_draws.py"
    file.write_text(_TEST.format(first=first), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "tests.conftest", "--rootdir", str(repository)]
    shown = subprocess.run(
        [*command, *options, str(file)],
        cwd=repository,
        env=os.environ | {"PALIMPSEST_EXAMPLES": "1"},
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout
    return shown.splitlines()[:-1]


def test_the_suite_draws_the_same_whatever_else_is_loaded(repository: Path, tmp_path: Path) -> None:
    alone = draws(repository, tmp_path, "")
    assert len(alone) > 50
    assert draws(repository, tmp_path, "import workbench.reading.html.page, workbench.methods.digest.method") == alone


def test_the_long_profile_draws_what_its_seed_says(repository: Path, tmp_path: Path) -> None:
    long = ("--hypothesis-profile=long", "--hypothesis-seed=1"), ("--hypothesis-profile=long", "--hypothesis-seed=2")
    first, second = (draws(repository, tmp_path, "", *options) for options in long)
    assert first != second
