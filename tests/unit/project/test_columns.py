from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from match_samples import random_matches, rows

from workbench.base.errors import ProjectError
from workbench.base.gaps import Gaps
from workbench.base.types import Matches
from workbench.project.columns import pack_gaps, pack_matches, unpack_gaps, unpack_matches
from workbench.project.packing import LIMIT, Packed, flat, object_from_json, pack, unpack


@given(seed=st.integers(0, 2**32), size=st.integers(0, 300))
@settings(max_examples=40)
def test_matches_come_back_as_they_were(seed: int, size: int):
    matches = random_matches(np.random.default_rng(seed), size, suspects=range(1, 2**40, 1))
    back = unpack_matches(pack_matches(matches), size)
    back = replace(back, gaps=unpack_gaps(pack_gaps(matches.gaps), back))
    assert rows(back) == rows(matches)
    assert all(getattr(back, name).dtype == getattr(matches, name).dtype for name in Matches.columns())
    assert all(back.evidence[name].dtype == matches.evidence[name].dtype for name in matches.evidence)


@pytest.mark.parametrize(
    "column",
    [
        np.array([True, False]),
        np.array([0, 2**63], np.uint64),
        np.array([-(2**62), 2**62]),
        np.array([np.nan, np.inf]),
        np.array([2.0**60, -(2.0**60)]),
        np.array([0.1, 0.2], np.float32),
        np.array([3.0, 4.0], np.float32),
    ],
)
def test_evidence_of_any_numeric_type_keeps_its_values(column):
    two = random_matches(np.random.default_rng(1), 2, suspects=range(1, 9))
    matches = Matches(*(getattr(two, name) for name in Matches.columns()), evidence={"x": column})
    back = unpack_matches(pack_matches(matches), 2).evidence["x"]
    assert back.dtype == column.dtype
    np.testing.assert_array_equal(back, column)


def spoilt_blobs() -> Iterator[Packed]:
    good = pack_matches(random_matches(np.random.default_rng(1), 50, suspects=range(1, 9)))
    plain = unpack(good, "it")
    yield Packed(good.size, good.data[:-1])
    yield Packed(good.size - 1, good.data)
    yield Packed(LIMIT + 1, good.data)
    yield pack(plain[:-1])
    yield pack(plain + b"\0")
    yield pack(plain[:2])
    yield pack(b"\xff\xff\xff\xff" + plain[4:])
    yield pack(plain.replace(b'"a_start"', b'"a_stars"'))
    yield pack(plain.replace(b'"tier"', b'"tire"'))
    yield pack(plain.replace(b'"|i1"', b'"|O1"'))
    yield pack(plain.replace(b'["a",', b"[{ },"))
    yield pack(re.sub(rb'"evidence\.\w+"', lambda match: b"1" * len(match[0]), plain, count=1))
    far = random_matches(np.random.default_rng(1), 50, suspects=range(1, 9))
    far.a_start[:], far.a_end[:] = 2**62, 2**62 + 2**61
    yield pack_matches(far)


@pytest.mark.parametrize("blob", list(spoilt_blobs()))
def test_a_spoilt_blob_is_a_sentence(blob: Packed):
    with pytest.raises(ProjectError, match="damaged"):
        unpack_matches(blob, 50)


ONE = Matches(*np.array([[1], [2], [10], [20], [30], [50]], np.int64), np.ones(1), np.full(1, 2, np.int8))


@pytest.mark.parametrize(
    "gaps",
    [
        [(1, 0, 12, 14)],
        [(-1, 0, 12, 14)],
        [(0, 2, 12, 14)],
        [(0, 0, 9, 14)],
        [(0, 0, 12, 21)],
        [(0, 1, 12, 14)],
        [(0, 0, 12, 12)],
        [(0, 0, 12, 11)],
        [(0, 0, 12, 15), (0, 0, 14, 16)],
        [(0, 0, 2**62, 2**62 + 1)],
    ],
    ids=str,
)
def test_gaps_outside_their_match_are_damage(gaps: list[tuple[int, int, int, int]]):
    assert len(unpack_gaps(pack_gaps(Gaps.of([(0, 0, 10, 12), (0, 0, 12, 20), (0, 1, 49, 50)])), ONE)) == 3
    with pytest.raises(ProjectError, match="damaged"):
        unpack_gaps(pack_gaps(Gaps.of(gaps)), ONE)


def test_a_blob_of_other_columns_has_no_gaps():
    with pytest.raises(ProjectError, match="damaged"):
        unpack_gaps(pack_matches(ONE), ONE)


def test_a_flipped_byte_in_a_blob_is_always_noticed():
    good = pack_matches(random_matches(np.random.default_rng(2), 400, suspects=range(1, 9)))
    for place in range(0, len(good.data), 37):
        data = bytearray(good.data)
        data[place] ^= 0x55
        with pytest.raises(ProjectError):
            unpack_matches(Packed(good.size, bytes(data)), 400)


@pytest.mark.slow
def test_a_bomb_is_refused_by_its_recorded_size():
    bomb = zstandard.ZstdCompressor(level=19).compress(bytes(200_000_000))
    assert len(bomb) < 50_000
    with pytest.raises(ProjectError, match="recorded size"):
        unpack(Packed(1000, bomb), "a text")


def test_a_frame_that_does_not_tell_its_size_is_refused():
    writer = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    frame = writer.compress(bytes(10_000)) + writer.flush()
    with pytest.raises(ProjectError, match="recorded size"):
        unpack(Packed(100, frame), "a text")


@pytest.mark.parametrize("text", ["", "[]", "nul", '{"a":', "[" * 100_000, "1"])
def test_json_that_is_not_an_object_is_a_sentence(text: str):
    with pytest.raises(ProjectError, match="damaged"):
        object_from_json(text, "it")


@pytest.mark.parametrize("text", ['{"a": []}', '{"a": 1' + "0" * 20 + "}", '{"a": -1' + "0" * 20 + "}"])
def test_evidence_that_no_column_can_hold_is_a_sentence(text: str):
    with pytest.raises(ProjectError, match="plain values"):
        flat(object_from_json(text, "it"), "it")


def test_a_broken_frame_leaves_the_next_one_readable() -> None:
    whole = pack(b"some words of a text")
    for cut in range(1, len(whole.data)):
        with pytest.raises(ProjectError):
            unpack(Packed(whole.size, whole.data[:cut]), "it")
        assert unpack(whole, "it") == b"some words of a text"
