"""MinHash signatures: how close their estimates come, beside datasketch's on the same sets."""

from __future__ import annotations

import random

import numpy as np
import pytest
from datasketch import MinHash

from workbench.kernels.fold_table import fold_table
from workbench.kernels.mixing import mix
from workbench.kernels.sketches.minhash import agreement, band_keys, signatures, text_signatures
from workbench.kernels.sketches.shingle_pass import shingle_codes, texts_of
from workbench.kernels.sketches.shingles import Rows
from workbench.text.normalisation import FoldOptions
from workbench.text.tokens import Tokens

PERMUTATIONS = 256
HALF = 2**32 - 1


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


def hash_of(value: int, turn: int) -> int:
    return int(mix(np.uint64(value) ^ mix(np.uint64(turn))))


def place(value: int, column: int, columns: int) -> tuple[int, int]:
    """Place of a shingle in the order of a column: the first round in which it falls there, and its hash in it."""
    for turn in range(columns):
        if (hash_of(value, turn) >> 32) * columns >> 32 == column:
            return turn, hash_of(value, turn) & HALF
    return columns, hash_of(value, columns + column) & HALF


@pytest.mark.parametrize("columns", [1, 3, 8, 50])
def test_each_column_holds_the_least_shingle_in_the_order_of_that_column(columns: int) -> None:
    rng = random.Random(columns)
    sets = [{rng.getrandbits(64) for _ in range(size)} for size in (1, 2, 3, 7, 40)]
    for own, signature in zip(sets, signatures(rows(sets), columns).tolist(), strict=True):
        assert signature == [min(place(v, p, columns) for v in own)[1] for p in range(columns)]


@pytest.mark.parametrize("size", [2, 6, 30, 200])
def test_estimates_are_unbiased_and_as_certain_as_of_independent_columns_for_every_size(
    size: int,
) -> None:
    rng, trials, both = random.Random(size), 400, size // 2
    sets: list[set[int]] = []
    for _ in range(trials):
        drawn = [rng.getrandbits(64) for _ in range(2 * size - both)]
        sets += [{*drawn[:size]}, {*drawn[size - both :]}]
    sketches = signatures(rows(sets), 64)
    a = np.arange(0, 2 * trials, 2)
    estimates, true = agreement(sketches, a, sketches, a + 1), both / (2 * size - both)
    spread = np.sqrt(true * (1 - true) / 64)
    assert abs(estimates.mean() - true) < 4 * spread / np.sqrt(trials)
    assert estimates.std() < 1.15 * spread


@pytest.mark.parametrize("mode", [Tokens.CHARACTERS, Tokens.AUTO, Tokens.WORDS])
def test_one_pass_over_texts_gives_what_their_shingles_give(mode: Tokens) -> None:
    rng = random.Random(6)
    drawn = ["".join(rng.choices("aAb 漢字、かｶ\ufdfaﬁ\u0301", k=rng.randrange(80))) for _ in range(60)]
    texts = ["", "、", "\ufdfa" * 300, *drawn]
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32).copy()
    ends = np.cumsum([len(t) for t in texts], dtype=np.int64)
    cut = texts_of(codes, ends, fold_table(FoldOptions()), mode, 3)
    shingles, context = shingle_codes(cut)
    signed = text_signatures(cut, 20)
    assert (signed.values == signatures(shingles, 20)).all()
    assert signed.sizes.tolist() == [len(set(shingles.of(i).tolist())) for i in range(len(texts))]
    assert signed.context.tolist() == context.tolist() == ["\u0301" in text for text in texts]


def test_the_orders_of_the_columns_are_uncorrelated() -> None:
    single = signatures(Rows(np.arange(4000, dtype=np.uint64) << np.uint64(32), np.arange(4001)), 16)
    # Of 4,000 hashes of 32 bits two are equal with a chance of 0.002 in each column.
    assert sum(4000 - len(np.unique(column)) for column in single.T) <= 2
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
