"""A few changed project files and indexes; ``fuzz_projects.py`` makes as many as one likes."""

from __future__ import annotations

from pathlib import Path

import fuzz_projects


def test_a_changed_project_or_index_ends_every_verb_with_a_sentence(tmp_path: Path) -> None:
    tally = fuzz_projects.fuzz(range(12), tmp_path / "kept")
    assert not tally.failed
    assert tally.cases == 12
    assert min(tally.codes["0"], tally.codes["1"]) > 2
