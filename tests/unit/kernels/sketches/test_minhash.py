"""MinHash signatures: how close their estimates come, beside datasketch's on the same sets."""

from __future__ import annotations

import random

import numpy as np
from datasketch import MinHash

from workbench.kernels.sketches.minhash import agreement, band_keys, signatures
from workbench.kernels.sketches.shingles import Rows

PERMUTATIONS = 256


def pairs_of_sets() -> tuple[list[set[int]], list[float]]:
    """Sets in pairs of every resemblance, and those resemblances."""
    rng = random.Random(1)
    sets, true = [], []
    for i in range(120):
        size, both = rng.randrange(100, 800), i / 120
        drawn = [rng.getrandbits(64) for _ in range(2 * size)]
        common = drawn[: int(size * both)]
        a, b = {*common, *drawn[len(common) : size]}, {*common, *drawn[size : 2 * size - len(common)]}
        sets += [a, b]
        true.append(len(a & b) / len(a | b))
    return sets, true


def rows(sets: list[set[int]]) -> Rows:
    values = np.array([v for s in sets for v in s], np.uint64)
    return Rows(values, np.cumsum([0, *map(len, sets)]))


def test_signatures_agree_as_often_as_the_sets_resemble() -> None:
    sets, true = pairs_of_sets()
    sketches = signatures(rows(sets), PERMUTATIONS)
    estimates = np.array(
        [agreement(sketches, np.array([2 * i]), sketches, np.array([2 * i + 1]))[0] for i in range(len(true))]
    )
    error = estimates - true
    spread = np.sqrt(np.mean(np.array(true) * (1 - np.array(true))) / PERMUTATIONS)
    assert abs(error.mean()) < 3 * spread / np.sqrt(len(true))
    assert np.sqrt((error**2).mean()) < 1.25 * spread
    theirs = []
    for i in range(0, len(true), 4):
        a, b = (MinHash(num_perm=PERMUTATIONS) for _ in range(2))
        a.update_batch([v.to_bytes(8, "little") for v in sets[2 * i]])
        b.update_batch([v.to_bytes(8, "little") for v in sets[2 * i + 1]])
        theirs.append(a.jaccard(b) - true[i])
    assert np.sqrt((error**2).mean()) < 1.25 * np.sqrt(np.mean(np.square(theirs)))


def test_columns_are_uncorrelated_permutations_of_32_bits() -> None:
    single = signatures(Rows(np.arange(4000, dtype=np.uint64) << np.uint64(32), np.arange(4001)), 16)
    assert all(len(np.unique(column)) == 4000 for column in single.T)
    order = np.argsort(single, axis=0).argsort(axis=0)
    assert np.abs(np.corrcoef(order.T) - np.eye(16)).max() < 0.08


def test_order_and_repetition_change_nothing_and_no_shingles_give_all_ones() -> None:
    values = np.array([5, 9, 7, 7, 5, 9, 7], np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    sketches = signatures(Rows(values, np.array([0, 3, 7, 7])), 8)
    assert (sketches[0] == sketches[1]).all()
    assert (sketches[2] == 0xFFFFFFFF).all()


def test_equal_bands_and_only_they_have_equal_keys() -> None:
    rng = np.random.default_rng(3)
    sketches = rng.integers(0, 2, (60, 12), dtype=np.uint32)
    keys = band_keys(sketches, 4, 3)
    for band in range(4):
        part = sketches[:, 3 * band : 3 * band + 3]
        equal = (part[:, None] == part[None]).all(axis=2)
        assert ((keys[band][:, None] == keys[band][None]) == equal).all()
