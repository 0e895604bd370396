"""All maximal runs against brute force over all pairs of places."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.errors import Cancelled
from workbench.base.progress import NullProgress
from workbench.kernels.digest import runs as kernel
from workbench.kernels.digest.fingerprint_suffixes import suffix_array
from workbench.kernels.digest.runs import Digests, Runs, allowed, find_runs, locate, required_lengths

Rows = set[tuple[int, int, int, int]]
DOCUMENTS = st.lists(st.lists(st.integers(1, 3), max_size=10), min_size=1, max_size=5)
SPREAD = 2**61 + 12345


def digest_text(documents: list[list[int]]) -> np.ndarray:
    return np.array([0, *(x for d in documents for x in (*(v * SPREAD for v in d), 0))], np.uint64)


def queries(documents: list[list[int]], end: int) -> Digests:
    flat = np.array([v * SPREAD for d in documents for v in d], np.uint64)
    bounds = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    ends = np.full(len(documents), end, np.int64)
    return Digests(flat, bounds, ends, ends, ends)


def search(text: np.ndarray, digests: Digests, bits: np.ndarray, n: int, t: float, most: int = 0) -> Runs:
    index = suffix_array(text)
    slots = locate(digests, text, index)
    counted = np.where(allowed(digests, slots, index), bits, -1.0)
    return find_runs(digests, slots, required_lengths(counted, digests.bounds, n, t), text, index, most)


def rows(runs: Runs) -> Rows:
    columns = (runs.document, runs.query, runs.place, runs.length)
    return set(zip(*(c.tolist() for c in columns), strict=True))


def brute_force(text: np.ndarray, digests: Digests, bits: np.ndarray, n: int, t: float) -> Rows:
    runs = set()
    for d in range(len(digests.bounds) - 1):
        first, last = int(digests.bounds[d]), int(digests.bounds[d + 1])
        for j in range(first, last):
            for place in range(len(text)):
                if place >= digests.limit[d] or digests.own_start[d] <= place < digests.own_end[d]:
                    continue
                length = 0
                while j + length < last and text[place + length] == digests.fingerprints[j + length]:
                    length += 1
                extends = j > first and text[place - 1] == digests.fingerprints[j - 1]
                enough = (n and length >= n) or (t and bits[j : j + length].sum() >= t)
                if length and not extends and enough:
                    runs.add((d, j, place, length))
    return runs


@pytest.mark.slow
@settings(max_examples=400)
@given(DOCUMENTS, DOCUMENTS, st.integers(0, 4), st.integers(0, 9), st.data())
def test_every_accepted_maximal_run_is_found_once(
    sources: list[list[int]], suspects: list[list[int]], n: int, t: int, data: st.DataObject
) -> None:
    text = digest_text(sources)
    digests = queries(suspects, len(text))
    costs = data.draw(st.tuples(*[st.integers(0, 4)] * 3))
    bits = np.array([float(costs[v - 1]) for d in suspects for v in d])
    runs = search(text, digests, bits, n, float(t))
    assert rows(runs) == brute_force(text, digests, bits, n, float(t))
    assert len(runs.query) == len(rows(runs))


@given(DOCUMENTS, st.integers(1, 3))
def test_a_collection_with_itself_pairs_each_document_with_earlier_ones(documents: list[list[int]], n: int) -> None:
    text = digest_text(documents)
    base = queries(documents, len(text))
    own = base.bounds[:-1] + np.arange(1, len(documents) + 1)
    digests = Digests(base.fingerprints, base.bounds, own, own, own + np.diff(base.bounds))
    bits = np.ones(len(base.fingerprints))
    assert rows(search(text, digests, bits, n, 0.0)) == brute_force(text, digests, bits, n, 0.0)


def test_all_rows_arrive_when_the_work_is_done_in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    text = digest_text([[1, 2, 1, 2, 1], [2, 1, 2]])
    digests = queries([[1, 2, 1], [2, 1, 2, 1]], len(text))
    bits = np.ones(7)
    whole = rows(search(text, digests, bits, 1, 0.0))
    monkeypatch.setattr(kernel, "_ROWS", 2)
    monkeypatch.setattr(kernel, "_STEPS", 3)
    assert rows(search(text, digests, bits, 1, 0.0)) == whole == brute_force(text, digests, bits, 1, 0.0)


def test_runs_at_more_places_than_the_limit_are_counted_not_reported() -> None:
    text = digest_text([[1, 2]] * 4 + [[3, 1]])
    digests = queries([[1, 2, 3, 1]], len(text))
    runs = search(text, digests, np.ones(4), 2, 0.0, most=3)
    assert rows(runs) == {(0, 2, 13, 2)}
    assert runs.frequent == 1


@pytest.mark.slow
@settings(max_examples=400)
@given(DOCUMENTS, DOCUMENTS, st.integers(1, 4), st.integers(1, 4))
def test_a_run_is_omitted_only_if_all_its_required_parts_are_frequent(
    sources: list[list[int]], suspects: list[list[int]], n: int, most: int
) -> None:
    text = digest_text(sources)
    digests = queries(suspects, len(text))
    bits = np.ones(len(digests.fingerprints))
    places = Counter(tuple(text[i : i + n].tolist()) for i in range(len(text) - n + 1))

    def is_rare(run: tuple[int, int, int, int]) -> bool:
        _, _, place, length = run
        return any(places[tuple(text[i : i + n].tolist())] <= most for i in range(place, place + length - n + 1))

    runs = search(text, digests, bits, n, 0.0, most)
    assert rows(runs) == {run for run in brute_force(text, digests, bits, n, 0.0) if is_rare(run)}
    assert len(runs.query) == len(rows(runs))


def test_boilerplate_in_every_document_can_be_cancelled() -> None:
    class Impatient(NullProgress):
        looks = 0

        def check(self) -> None:
            self.looks += 1
            if self.looks > 3:
                raise Cancelled

    text = digest_text([[1]] * 400_000)
    digests = queries([[1]] * 100, len(text))
    index = suffix_array(text)
    slots = locate(digests, text, index)
    with pytest.raises(Cancelled):
        find_runs(digests, slots, np.ones(100, np.int64), text, index, progress=Impatient())
