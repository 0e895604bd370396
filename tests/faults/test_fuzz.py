"""A few changed files of each format; ``fuzz.py`` is the program for many."""

from __future__ import annotations

import sys

import pytest

from tests.faults import fuzz
from tests.faults.fuzz_seeds import SEEDS


@pytest.mark.skipif(sys.platform == "win32", reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("files", [30, pytest.param(120, marks=pytest.mark.rest)])
def test_changed_files_are_imported_or_refused_one_by_one(files: int) -> None:
    tally = fuzz.Tally()
    fuzz.run(seed=11, files=files, formats=list(SEEDS), batch=files, keep=None, tally=tally)
    assert tally.problems == []
    assert tally.outcomes["imported"] > files
    assert tally.outcomes["failed"] > files // 6
