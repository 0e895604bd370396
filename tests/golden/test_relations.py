"""Relations of constructed pages: any change of quality must be deliberate."""

from __future__ import annotations

import pytest

from tests.golden.relations import Outcome, measure

ACCURACY = 0.95


@pytest.fixture(scope="module", params=["default", pytest.param("kang", marks=pytest.mark.rest)])
def outcome(request: pytest.FixtureRequest) -> Outcome:
    return measure(pairs=20, rule=request.param)


def test_relations_of_pages_are_reported(outcome: Outcome) -> None:
    assert sum(outcome.counts.values()) >= 180
    assert outcome.accuracy >= ACCURACY, "\n".join(outcome.lines())


def test_pages_that_share_a_template_are_not_a_pair(outcome: Outcome) -> None:
    assert outcome.template_pairs == 0
