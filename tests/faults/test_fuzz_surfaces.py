"""Some cases of what strangers send besides files; ``fuzz_surfaces.py`` makes as many as one likes."""

from __future__ import annotations

import pytest

from tests.faults import fuzz_surfaces


@pytest.mark.parametrize(("first", "cases"), [(0, 12), pytest.param(12, 18, marks=pytest.mark.rest)])
@pytest.mark.parametrize("surface", fuzz_surfaces.SURFACES)
def test_what_a_stranger_sends_is_taken_whole_or_refused(surface: str, first: int, cases: int) -> None:
    tally = fuzz_surfaces.fuzz(surface, seed=first, cases=cases)
    assert tally.failed == []
    assert sum(tally.outcomes.values()) == cases
