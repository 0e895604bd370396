"""Which bin of a reliability diagram a score belongs to."""

from __future__ import annotations

import numpy as np

from workbench.evaluation.agreement import reliability


def test_a_score_at_a_limit_belongs_to_the_higher_bin_and_certainty_to_the_last() -> None:
    bins = reliability(np.array([0.0, 0.1, 0.9, 0.95, 1.0]), np.array([False, False, True, True, True]))
    assert [(b.low, b.high, b.items) for b in bins] == [
        *((0.0, 0.1, 1), (0.1, 0.2, 1), (0.9, 0.95, 1), (0.95, 0.99, 1), (0.99, 1.0, 1))
    ]
