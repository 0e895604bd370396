"""Keys in order, with equal ones in the order of their documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.base.progress import NullProgress
from workbench.kernels.sketches.shingles import Rows
from workbench.methods.sketches import columns
from workbench.methods.sketches.columns import Postings


@pytest.mark.parametrize("in_files", [False, True])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 7, 2**63]), max_size=9), max_size=9))
def test_postings_sorted_in_parts_are_all_keys_in_order_with_their_documents(
    rows: list[list[int]], in_files: bool, tmp_path: Path
) -> None:
    values = np.array([key for row in rows for key in row], np.uint64)
    keys = Rows(values, np.cumsum([0, *map(len, rows)]).astype(np.int64))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_SORTED", 2)
        postings = Postings.of(keys, None, NullProgress(), tmp_path if in_files else None)
    expected = sorted((key, number) for number, row in enumerate(rows) for key in row)
    assert list(zip(postings.keys.tolist(), postings.holders.tolist(), strict=True)) == expected
    assert postings.tables.tolist() == [0, len(values)]
