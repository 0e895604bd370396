"""CSV that a spreadsheet opens."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.spreadsheet import neutral, plain, write_csv


@given(st.text("'=+-@＝＋－＠\t\ra1"))
def test_a_neutral_cell_starts_no_formula_and_reads_back(cell: str) -> None:
    assert neutral(cell)[:1] not in set("=+-@＝＋－＠\t\r")
    assert plain(neutral(cell)) == cell


@pytest.mark.parametrize("row", [{"a": "=1+1", "b": -2.5, "c": "left out"}, ("=1+1", -2.5)])
def test_texts_are_made_neutral_and_numbers_are_not(row: object) -> None:
    out = io.StringIO()
    assert write_csv(out, ("a", "b"), [row]) == 1  # type: ignore[list-item]
    assert list(csv.reader(io.StringIO(out.getvalue()))) == [["a", "b"], ["'=1+1", "-2.5"]]
