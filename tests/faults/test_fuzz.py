"""A few changed files of each format; ``fuzz.py`` is the program for many."""

from __future__ import annotations

import sys

import pytest

from tests.faults import fuzz
from tests.faults.fuzz_seeds import SEEDS


@pytest.mark.skipif(sys.platform == "win32", reason="looks at processes as Linux shows them")
def test_changed_files_are_imported_or_refused_one_by_one() -> None:
    tally = fuzz.Tally()
    fuzz.run(seed=11, files=120, formats=list(SEEDS), batch=120, keep=None, tally=tally)
    assert tally.problems == []
    assert tally.outcomes["imported"] > 120
    assert tally.outcomes["failed"] > 20
