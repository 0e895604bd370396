"""Document fingerprints and gathering against plain references."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.kernels.trustable_lcs.sentence_groups import (
    EAST_ASIA,
    document_fingerprints,
    gather,
    smallest_windows,
    with_sentences,
)

MASK = (1 << 64) - 1


def mix(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def reference(
    sentences: list[tuple[int, int]], rotations: int, groups: int, members: int, cover: int, alone: bool
) -> list[int]:
    """Fingerprints of a document of (fingerprint, length) sentences."""
    lengths = dict(reversed(sentences))
    hashes = {s: mix(s) << 64 | mix(s ^ 0x9E3779B97F4A7C15) for s in lengths}
    fingerprints: list[int] = []
    in_first = 0
    for r in range(rotations):
        turned = {(h << 8 * r | h >> (128 - 8 * r)) & ((1 << 128) - 1): s for s, h in hashes.items()}
        for g in range(groups):
            chosen = sorted(h for h in turned if h % groups == g)[:members]
            if len(chosen) == members and sum(lengths[turned[h]] for h in chosen) > cover:
                value = 0x9E3779B97F4A7C15
                for h in chosen:
                    value = mix(value ^ turned[h])
                fingerprints.append(value)
        if r == 0:
            in_first = len(fingerprints)
    if alone and (in_first < groups or len(sentences) < groups * members) and sentences:
        for r in range(rotations):
            turned = {(h << 8 * r | h >> (128 - 8 * r)) & ((1 << 128) - 1): s for s, h in hashes.items()}
            fingerprints.append(mix(turned[min(turned)] ^ 0xD1B54A32D192ED03))
    return sorted(set(fingerprints))


SENTENCES = st.lists(st.tuples(st.integers(1, MASK) | st.integers(1, 5), st.just(30)), max_size=40)


@given(
    st.lists(SENTENCES, max_size=3),
    st.integers(1, 16),
    st.integers(1, 8),
    st.integers(1, 5),
    st.integers(0, 130),
    st.booleans(),
)
def test_fingerprints_equal_their_definition(
    documents: list[list[tuple[int, int]]], rotations: int, groups: int, members: int, cover: int, alone: bool
) -> None:
    flat = [s for d in documents for s in d]
    bounds = np.cumsum([0, *map(len, documents)])
    values, edges = document_fingerprints(
        np.array([s for s, _ in flat], np.uint64),
        np.array([n for _, n in flat], np.int32),
        bounds,
        rotations=rotations,
        groups=groups,
        members=members,
        cover=cover,
        alone=alone,
    )
    for i, document in enumerate(documents):
        got = values[edges[i] : edges[i + 1]].tolist()
        assert got == reference(document, rotations, groups, members, cover, alone)


@given(SENTENCES, st.integers(1, 16), st.integers(1, 8), st.integers(1, 5), st.integers(0, 130), st.booleans())
def test_more_rotations_never_lose_a_fingerprint(
    document: list[tuple[int, int]], rotations: int, groups: int, members: int, cover: int, alone: bool
) -> None:
    sentences, lengths = np.array([s for s, _ in document], np.uint64), np.array([n for _, n in document], np.int32)
    fewer, more = (
        document_fingerprints(
            sentences, lengths, np.array([0, len(document)]), rotations=r, groups=groups, members=members, cover=cover,
            alone=alone,
        )[0]
        for r in (rotations, 16)
    )  # fmt: skip
    assert set(fewer.tolist()) <= set(more.tolist())


def test_at_most_112_with_the_papers_numbers() -> None:
    sentences = np.arange(1, 2001, dtype=np.uint64)
    values, _ = document_fingerprints(
        sentences, np.full(2000, 30, np.int32), np.array([0, 2000]), rotations=16, groups=7, members=4, cover=100,
        alone=False,
    )  # fmt: skip
    assert len(values) == 112


@given(st.lists(st.tuples(st.sets(st.integers(0, 9)), st.lists(st.integers(0, 9))), max_size=5))
def test_sentences_follow_the_fingerprints_of_their_document_each_once(rows: list[tuple[set[int], list[int]]]) -> None:
    mark = np.uint64(1 << 63)
    values, sentences = (np.array([x for row in rows for x in row[side]], np.uint64) for side in (0, 1))
    bounds, sentence_bounds = (np.cumsum([0, *(len(row[side]) for row in rows)]) for side in (0, 1))
    both, ends = with_sentences(values, bounds, sentences, sentence_bounds, mark)
    expected = [[*prints, *(x + (1 << 63) for x in sorted(set(of)))] for prints, of in rows]
    assert [both[ends[i] : ends[i + 1]].tolist() for i in range(len(rows))] == expected


def read_batches(
    prints: list[set[int]], limit: int, transitive: bool
) -> tuple[list[dict[int, int]], NDArray[np.bool_]]:
    """Partners (and shared fingerprints) of each document through the kernel."""
    rows = sorted((f, d) for d, of in enumerate(prints) for f in of)
    members = np.array([d for _, d in rows], np.int64)
    names = sorted({f for f, _ in rows})
    group = np.array([names.index(f) for f, _ in rows], np.int64)
    group_start = np.searchsorted(group, np.arange(len(names)))
    by_document = np.argsort(members, kind="stable")
    n = len(prints)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(members, minlength=n))])
    starts, more = np.zeros(n + 1, np.int64), np.zeros(n, np.bool_)
    partners, shared = np.zeros(n * limit, np.int64), np.zeros(n * limit, np.int64)
    counts = np.zeros(n, np.int32)
    for first in range(n):
        gather(
            first, first + 1, by_document, bounds, group, group_start, members, limit, transitive,
            starts, partners, shared, more, counts,
        )  # fmt: skip
    assert not counts.any()
    rows_of = [slice(int(starts[d]), int(starts[d + 1])) for d in range(n)]
    return [dict(zip(partners[r].tolist(), shared[r].tolist(), strict=True)) for r in rows_of], more


PRINTS = st.lists(st.sets(st.integers(0, 8), max_size=4), max_size=10)


def gathered(prints: list[set[int]], limit: int, transitive: bool) -> tuple[list[dict[int, int]], list[bool]]:
    """Partners of each document by definition, in order."""
    partners: list[dict[int, int]] = []
    more = []
    for d, mine in enumerate(prints):
        members = [[c for c in range(d) if f in prints[c]] for f in mine]
        counts = Counter(c for of in members for c in of[:limit])
        brought = {e: 0 for c in most_shared(counts, limit) for e in partners[c] if e not in counts and transitive}
        every = most_shared(counts, limit) | brought
        partners.append(dict(list(every.items())[:limit]))
        more.append(any(len(of) > limit for of in members) or max(len(counts), len(every)) > limit)
    return partners, more


def most_shared(counts: Counter[int], limit: int) -> dict[int, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit])


@given(PRINTS, st.integers(1, 3) | st.just(100), st.booleans())
def test_gathering_goes_down_the_order_and_hands_on_up_to_the_limit(
    prints: list[set[int]], limit: int, transitive: bool
) -> None:
    partners, more = read_batches(prints, limit, transitive)
    expected, left_out = gathered(prints, limit, transitive)
    assert [list(of.items()) for of in partners] == [list(of.items()) for of in expected]
    assert more.tolist() == left_out


def polynomial(letters: list[int]) -> int:
    value = 0
    for letter in letters:
        value = value * 0xD1342543DE82EF95 + letter & MASK
    return value


@given(st.lists(st.sampled_from([ord("a"), ord("b"), ord("c"), 0x4E00, 0x4E01]), max_size=60), st.integers(1, 8))
def test_windows_are_the_smallest_of_all_by_hash(letters: list[int], number: int) -> None:
    wide, narrow = 3, 5
    hashes = set()
    for i, letter in enumerate(letters):
        size = wide if letter >= EAST_ASIA else narrow
        if i + size <= len(letters):
            hashes.add(mix(polynomial(letters[i : i + size])))
    smallest = smallest_windows(np.array(letters, np.uint32), number, wide, narrow)
    assert smallest.tolist() == sorted(hashes)[:number]
