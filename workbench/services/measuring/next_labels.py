"""What to label next: the items whose labels narrow the interval of F at a threshold most."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.evaluation.allocation import Strata, make_strata, plan, population_interval
from workbench.evaluation.intervals import Interval, Ints
from workbench.services.measuring.scored_run import POSITIVE, ScoredRun

WITHIN = 0.05
"""Target half-width of the interval of F."""
MOST = 200
"""Most items passed to Label at a time."""


@dataclass(frozen=True, slots=True)
class NextLabels:
    """``targets``, named as in the label log, in labelling order.

    ``needed`` labels bring the interval of F at the threshold within ± :data:`WITHIN` (0: reached; None: nothing left).
    ``rates`` are precision, recall and F over everything the run scored, with 95 % intervals.
    """

    targets: tuple[str, ...]
    needed: int | None
    rates: Mapping[str, tuple[float, Interval]]


def label_next(scored: ScoredRun, threshold: float, *, most: int = MOST, seed: int = 0) -> NextLabels:
    """The next items to label of ``scored``: as many as needed, at most ``most``, and at least ten if available.

    The order within a stratum is random, fixed by ``seed``, so that labels remain an unbiased sample.
    """
    order = _shuffled(scored, seed)
    known = scored.labelled[order]
    score = np.nan_to_num(scored.score, nan=-np.inf)
    strata = make_strata(score, scored.selected(threshold), known, scored.truth[order] == POSITIVE)
    chosen, needed = plan(strata, most, WITHIN)
    waiting = _waiting(strata, known)
    rows = [int(order[waiting[k].pop()]) for k in chosen[: max(10, min(most, needed or 0))]]
    return NextLabels(
        tuple(scored.target(row) for row in rows),
        None if known.all() else needed,
        population_interval(strata),
    )


def _shuffled(scored: ScoredRun, seed: int) -> Ints:
    """Rows of ``scored`` in order of score, equal scores in random order: strata may cut through them."""
    draw = np.random.default_rng(seed).random(len(scored))
    return np.lexsort((draw, -np.nan_to_num(scored.score, nan=-np.inf))).astype(np.int64)


def _waiting(strata: Strata, known: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[list[int]]:
    """Places without a label in each stratum, in random order."""
    queues = []
    for k in range(len(strata.size)):
        places = np.flatnonzero((strata.number == k) & ~known)
        seed = int.from_bytes(hashlib.blake2b(f"{k}".encode(), digest_size=4).digest(), "big")
        queues.append(np.random.default_rng(seed).permutation(places).tolist())
    return queues
