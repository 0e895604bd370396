"""Evidence as JSON."""

from __future__ import annotations

from array import array

from workbench.base.evidence import PackedRows, joined, packed


def test_rows_of_columns_are_packed_as_each_alone() -> None:
    columns = {"b": [1, 2], "a": [0.1, 1e-9], "数": [0, 1.0]}
    rows = [{"b": 1, "a": 0.1, "数": 0}, {"b": 2, "a": 1e-9, "数": 1.0}]
    assert [*PackedRows(columns)] == [packed(row) for row in rows]


def test_columns_stay_packed_when_they_are_joined() -> None:
    parts = [
        PackedRows({"b": array("q", [1, 2]), "a": array("d", [0.5, 3])}),
        PackedRows({"a": array("d", [7]), "b": [4]}),
    ]
    whole = joined(parts)
    assert isinstance(whole, PackedRows)
    assert [*whole] == [whole[i] for i in range(3)] == whole[:] == [*parts[0], *parts[1]]
    assert whole.columns["a"] == array("d", [0.5, 3, 7])
    assert joined([parts[0], ["{}"]]) == [*parts[0], "{}"]
    assert joined([]) == []
