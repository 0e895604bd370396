"""SimHash fingerprints against Charikar's definition in plain Python."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from workbench.kernels.fold_table import fold_table
from workbench.kernels.sketches.shingle_pass import shingle_codes, texts_of
from workbench.kernels.sketches.shingles import Rows, distinct, occurrences
from workbench.kernels.sketches.simhash import distances, near, simhashes, table_keys, text_simhashes
from workbench.text.normalisation import FoldOptions
from workbench.text.tokens import Tokens


def ones(n: int) -> np.ndarray:
    return np.ones(n, np.int32)


def test_bits_follow_the_weighted_votes_of_the_features() -> None:
    rng = random.Random(1)
    values = [rng.getrandbits(64) for _ in range(50)]
    weights = [rng.randrange(1, 20) for _ in values]
    prints = simhashes(Rows(np.array(values, np.uint64), np.array([0, 30, 50])), np.array(weights, np.int32), 128)
    for d, rows in enumerate((range(30), range(30, 50))):
        expected = 0
        for bit in range(64):
            votes = sum(weights[i] if values[i] >> bit & 1 else -weights[i] for i in rows)
            expected |= (votes >= 0) << bit
        assert int(prints[d, 0]) == expected


def test_votes_of_three_weighted_features_by_hand() -> None:
    values = Rows(np.array([0b100110, 0b110000, 0b001001], np.uint64), np.array([0, 3]))
    # Votes, from the sixth bit on: 4+5-3, -4+5-3, -4-5+3, 4-5-3, 4-5-3, -4-5+3.
    assert simhashes(values, np.array([4, 5, 3], np.int32), 32).tolist() == [[0b100000]]


def test_fingerprints_of_32_bits_are_the_lower_halves_of_those_of_64() -> None:
    rng = np.random.default_rng(4)
    rows = Rows(rng.integers(0, 2**64, 400, dtype=np.uint64), np.arange(0, 401, 20))
    short, long = (simhashes(rows, ones(400), bits) for bits in (32, 64))
    assert short.shape == (20, 1)
    assert (short == (long & np.uint64(0xFFFFFFFF))).all()


@pytest.mark.parametrize("words", [1, 2])
def test_the_share_of_equal_bits_follows_the_angle(words: int) -> None:
    rng = random.Random(2)
    errors = []
    for i in range(200):
        common, rest = int(400 * i / 200), 400 - int(400 * i / 200)
        drawn = [rng.getrandbits(64) for _ in range(common + 2 * rest)]
        both = [*drawn[: common + rest], *drawn[:common], *drawn[common + rest :]]
        rows = Rows(np.array(both, np.uint64), np.array([0, 400, 800]))
        prints = simhashes(rows, ones(800), 64 * words)
        distance = distances(prints, np.array([0]), prints, np.array([1]))[0]
        errors.append(distance / (64 * words) - math.acos(common / 400) / math.pi)
    assert abs(np.mean(errors)) < 0.015
    assert np.sqrt(np.mean(np.square(errors))) < 1.3 * math.sqrt(0.16 / (64 * words))


def test_the_halves_of_long_fingerprints_are_independent() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2**64, 200 * 40, dtype=np.uint64)
    prints = simhashes(Rows(values, np.arange(0, 200 * 40 + 1, 40)), ones(200 * 40), 128)
    differing = [int(a ^ b).bit_count() for a, b in prints.tolist()]
    assert 30 < np.mean(differing) < 34


@pytest.mark.parametrize("bits", [32, 64, 192])
def test_one_pass_over_texts_gives_what_their_sets_of_shingles_give(bits: int) -> None:
    rng = random.Random(bits)
    texts = ["", "、", *("".join(rng.choices("abc漢字かな、 ", k=rng.randrange(900))) for _ in range(40))]
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32).copy()
    ends = np.cumsum([len(t) for t in texts], dtype=np.int64)
    cut = texts_of(codes, ends, fold_table(FoldOptions()), Tokens.AUTO, 4)
    sets, prints = distinct(shingle_codes(cut)[0]), text_simhashes(cut, bits)
    assert (prints.values == simhashes(sets, ones(len(sets.values)), bits)).all()
    assert prints.sizes.tolist() == sets.sizes.tolist()
    assert max(sets.sizes) > 255


def test_distances_count_differing_bits() -> None:
    rng = np.random.default_rng(4)
    prints = rng.integers(0, 2**64, (300, 2), dtype=np.uint64)
    expected = [
        sum(int(x ^ y).bit_count() for x, y in zip(row, prints[7].tolist(), strict=True)) for row in prints.tolist()
    ]
    assert distances(prints, np.full(300, 7), prints, np.arange(300)).tolist() == expected
    rows = np.empty(300, np.int64)
    n = near(prints, prints[7], 5, 290, np.uint64(60), rows)
    assert rows[:n].tolist() == [i for i in range(5, 290) if expected[i] <= 60]


def test_keys_join_the_bits_of_blocks() -> None:
    prints = np.array([[0b1011, 0b1], [0b1010, 0b1]], np.uint64)
    keys = table_keys(prints, np.array([0, 2, 34, 66]), np.array([[0, 1], [1, 2]]))
    assert keys[0, 0] != keys[0, 1]
    assert keys[1, 0] == keys[1, 1]


def test_occurrences_are_those_in_the_document() -> None:
    rng = np.random.default_rng(5)
    rows = Rows(rng.integers(0, 5, 60, dtype=np.uint64), np.array([0, 20, 20, 60]))
    sets = distinct(rows)
    counts = occurrences(rows)
    for d in range(3):
        own = rows.of(d).tolist()
        values_of_document = sets.of(d).tolist()
        assert counts[sets.bounds[d] : sets.bounds[d + 1]].tolist() == [own.count(v) for v in values_of_document]
