"""The translated passages of one pair of texts, by the log-odds of their sentence pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.kernels.translated import chains, fresh, links
from workbench.methods.altered.passage import WordPassage, distinct, holes

Cells = Callable[[int, int, int, int], NDArray[np.float32]]
"""The log-odds of the sentences [low, high) of the suspect with [low, high) of the source."""

SKIP = 0.6
"""Log-odds penalty of a sentence without a translation."""
GAP = 8.0
"""Drop in log-odds at which a passage ends."""
LEAST = 3
"""Minimum number of sentence pairs of a passage."""
TRIED = 4.0
"""Log-odds from which a rejected passage is explained."""
_UNPAIRED = 2.0
"""Weight of a sentence without a translation towards a hole; sentences with a translation have the opposite weight."""
_CELLS = 1 << 20
"""Cells computed between two checks for cancellation."""


@dataclass(frozen=True, slots=True)
class Chain(WordPassage):
    """A passage in sentences, with its holes; ``pairs`` is its number of sentence pairs."""

    pairs: int = 0


@dataclass(frozen=True, slots=True)
class Aligned:
    """Passages of one pair of texts; ``refused``: the rejected ones, best first."""

    passages: list[Chain]
    refused: list[Chain]


def align(cells: Cells, n: int, m: int, min_odds: float, progress: Progress) -> Aligned:
    """The passages of a suspect of ``n`` sentences in a source of ``m``. Raises Cancelled."""
    candidates = _chains(cells, n, m, progress)
    accepted: list[Chain] = []
    refused: list[Chain] = []
    for p in distinct(sorted(candidates, key=lambda p: (-p.odds, p.a_start, p.b_start))):
        pairs = links(cells(p.a_start, p.a_end, p.b_start, p.b_end), SKIP)
        enough = p.odds >= min_odds and len(pairs) >= LEAST
        (accepted if enough else refused).append(_with_holes(p, pairs))
    return Aligned(sorted(accepted, key=lambda p: p.a_start), refused)


def _chains(cells: Cells, n: int, m: int, progress: Progress) -> list[WordPassage]:
    """The best end of every chain of at least TRIED."""
    rows, worth, used = np.empty((0, 4), np.int64), np.empty(0), 0
    state = fresh(m)
    height = max(1, _CELLS // max(1, m))
    for low in range(0, n if m else 0, height):
        progress.check()
        block = cells(low, min(n, low + height), 0, m)
        room = int((block > 0).sum())
        rows = np.concatenate([rows[:used], np.empty((room, 4), np.int64)])
        worth = np.concatenate([worth[:used], np.empty(room)])
        used = chains(block, low, SKIP, GAP, *state, rows, worth, used)
    some = np.flatnonzero(worth[:used] >= TRIED)
    return [
        WordPassage(a, a_end + 1, b, b_end + 1, odds, odds)
        for (a, b, a_end, b_end), odds in zip(rows[some].tolist(), worth[some].tolist(), strict=True)
    ]


def _with_holes(p: WordPassage, pairs: NDArray[np.int64]) -> Chain:
    """``p`` with its ``pairs``, and the runs of sentences in none of them as holes, as in ``altered``."""

    def side(own: NDArray[np.int64], size: int) -> tuple[tuple[int, int], ...]:
        votes = np.full(size, -_UNPAIRED)
        votes[own] = _UNPAIRED
        return holes(votes, 0, size, np.ones(size + 1, np.float32))

    a = tuple((low + p.a_start, high + p.a_start) for low, high in side(pairs[:, 0], p.a_end - p.a_start))
    b = tuple((low + p.b_start, high + p.b_start) for low, high in side(pairs[:, 1], p.b_end - p.b_start))
    return Chain(p.a_start, p.a_end, p.b_start, p.b_end, p.odds, p.odds, a_holes=a, b_holes=b, pairs=len(pairs))
