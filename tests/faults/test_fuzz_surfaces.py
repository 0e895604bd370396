"""Some cases of what strangers send besides files; ``fuzz_surfaces.py`` makes as many as one likes."""

from __future__ import annotations

import pytest

from tests.faults import fuzz_surfaces


@pytest.mark.parametrize("surface", fuzz_surfaces.SURFACES)
def test_what_a_stranger_sends_is_taken_whole_or_refused(surface: str) -> None:
    tally = fuzz_surfaces.fuzz(surface, seed=0, cases=30)
    assert tally.failed == []
    assert sum(tally.outcomes.values()) == 30
