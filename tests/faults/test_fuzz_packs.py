"""Some changed evidence packs; ``fuzz_packs.py`` makes as many as one likes."""

from __future__ import annotations

from pathlib import Path

from tests.faults import fuzz_packs


def test_no_changed_pack_is_called_whole(tmp_path: Path) -> None:
    tally = fuzz_packs.fuzz(range(600), tmp_path / "kept")
    assert tally.failed == []
    assert min(tally.outcomes["refused"], tally.outcomes["changed"]) > 100
