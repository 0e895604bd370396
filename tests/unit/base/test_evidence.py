"""Evidence as JSON."""

from __future__ import annotations

from workbench.base.evidence import packed, packed_rows


def test_rows_of_columns_are_packed_as_each_alone() -> None:
    columns = {"b": [1, 2], "a": [0.1, 1e-9], "数": [0, 1.0]}
    rows = [{"b": 1, "a": 0.1, "数": 0}, {"b": 2, "a": 1e-9, "数": 1.0}]
    assert packed_rows(columns) == [packed(row) for row in rows]
