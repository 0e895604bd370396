from __future__ import annotations

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.methods.rare_sentences.index import ArrayFile, Sorter

ROW = np.dtype([("hash", np.uint64), ("n", np.int64)])


@pytest.mark.slow
@given(st.lists(st.lists(st.integers(0, 12), max_size=9), max_size=9), st.integers(1, 12))
def test_rows_come_sorted_in_order_of_arrival_whatever_is_held(groups: list[list[int]], memory: int) -> None:
    values = [x for group in groups for x in group]
    expected = sorted(range(len(values)), key=lambda i: values[i])
    with TemporaryDirectory() as folder:
        sorter = Sorter(Path(folder), ROW, memory)
        n = 0
        for group in groups:
            rows = np.zeros(len(group), ROW)
            rows["hash"], rows["n"] = group, np.arange(n, n + len(group))
            n += len(group)
            sorter.add(rows)
        pieces = list(sorter.merged())
        sorter.close()
        assert not list(Path(folder).iterdir())
    assert [int(i) for piece in pieces for i in piece["n"]] == expected
    ends = [(piece["hash"][0], piece["hash"][-1]) for piece in pieces if len(piece)]
    assert all(a[1] < b[0] for a, b in itertools.pairwise(ends))


def test_a_growing_array_is_one_that_numpy_opens(tmp_path: Path) -> None:
    file = ArrayFile(tmp_path / "a.npy", np.uint32)
    for n in (3, 0, 100_000):
        file.append(np.arange(n))
    file.close()
    assert np.array_equal(np.load(tmp_path / "a.npy"), np.r_[np.arange(3), np.arange(100_000)])
    empty = ArrayFile(tmp_path / "b.npy", np.uint8)
    empty.close()
    assert np.load(tmp_path / "b.npy").shape == (0,)
