"""The compiled chains of pairs of sentences, compared with every chain there is and with the rule said plainly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.kernels.translated import chains, fresh, links

VALUES = st.sampled_from([-4.0, -1.0, -0.5, 0.0, 0.75, 1.5, 3.0])
ODDS = st.integers(1, 6).flatmap(lambda m: st.lists(st.lists(VALUES, min_size=m, max_size=m), min_size=1, max_size=6))
Chain = tuple[tuple[int, int], ...]


def ends(odds: NDArray[np.float32], skip: float, gap: float, height: int) -> dict[tuple[int, ...], float]:
    """The chains that the kernel gives, computed in blocks of ``height`` rows: ends to worth."""
    room = int((odds > 0).sum())
    rows, worth, used = np.empty((room, 4), np.int64), np.empty(room), 0
    state = fresh(odds.shape[1])
    for low in range(0, len(odds), height):
        used = chains(odds[low : low + height], low, skip, gap, *state, rows, worth, used)
    return {tuple(row): best for row, best in zip(rows[:used].tolist(), worth[:used].tolist(), strict=True)}


def every_chain(n: int, m: int) -> Iterator[Chain]:
    """All chains of pairs that go on in both texts."""

    def on(chain: Chain) -> Iterator[Chain]:
        yield chain
        i, j = chain[-1]
        for k in range(i + 1, n):
            for o in range(j + 1, m):
                yield from on((*chain, (k, o)))

    for i in range(n):
        for j in range(m):
            yield from on(((i, j),))


def worth_of(chain: Chain, odds: NDArray[np.float32], skip: float) -> float:
    passed = sum((k - i - 1) + (o - j - 1) for (i, j), (k, o) in pairwise(chain))
    return sum(float(odds[pair]) for pair in chain) - skip * passed


@given(ODDS, st.sampled_from([0.5, 1.0, 2.0]), st.integers(1, 3))
def test_the_best_chain_is_the_best_of_all_there_are(table: list[list[float]], skip: float, height: int) -> None:
    odds = np.array(table, np.float32)[:4, :4]
    best = max(worth_of(chain, odds, skip) for chain in every_chain(*odds.shape))
    assert max(ends(odds, skip, np.inf, height).values(), default=0.0) == max(best, 0.0)


@given(ODDS, st.sampled_from([0.5, 1.0, 2.0]))
def test_the_links_are_the_best_chain_between_two_pairs(table: list[list[float]], skip: float) -> None:
    odds = np.array(table, np.float32)[:4, :4]
    n, m = odds.shape
    between = [c for c in every_chain(n, m) if c[0] == (0, 0) and c[-1] == (n - 1, m - 1)]
    pairs = tuple(map(tuple, links(odds, skip).tolist()))
    if between:
        assert pairs in between
        assert worth_of(pairs, odds, skip) == max(worth_of(c, odds, skip) for c in between)


@given(ODDS, st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from([1.0, 2.5, 6.0]), st.integers(1, 4))
def test_chains_end_where_they_lost_the_gap_in_any_blocks(
    table: list[list[float]], skip: float, gap: float, height: int
) -> None:
    odds = np.array(table, np.float32)
    assert ends(odds, skip, gap, height) == plainly(odds, skip, gap)


def plainly(odds: NDArray[np.float32], skip: float, gap: float) -> dict[tuple[int, ...], float]:
    """The rule: a cell goes on with the best of the pair before, a new chain, and the places above and to the left."""
    nothing = (0.0, 0.0, None)
    cells: dict[tuple[int, int], tuple[float, float, tuple[int, int] | None]] = {}
    best: dict[tuple[int, int], tuple[float, int, int]] = {}
    for i in range(odds.shape[0]):
        for j in range(odds.shape[1]):
            gain = float(odds[i, j])
            worth, peak, start = cells.get((i - 1, j - 1), nothing)
            ways = [(worth + gain, peak, start)] if start else []
            ways.append((gain, 0.0, (i, j)))
            ways += [
                (worth - skip, peak, start)
                for worth, peak, start in (cells.get((i - 1, j), nothing), cells.get((i, j - 1), nothing))
                if start
            ]
            worth, peak, start = max(ways, key=lambda way: way[0])
            peak = max(peak, worth)
            if worth <= 0 or worth < peak - gap:
                continue
            cells[i, j] = worth, peak, start
            assert start is not None
            if worth > best.get(start, (0.0,))[0]:
                best[start] = worth, i, j
    return {(*start, i, j): worth for start, (worth, i, j) in best.items()}
