"""CSV that a spreadsheet opens."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.spreadsheet import neutral, plain, write_csv


@given(st.text("'=+-@＝＋－＠\t\r\n;a1 "))
def test_a_neutral_cell_starts_no_formula_and_reads_back(cell: str) -> None:
    assert neutral(cell)[:1] not in set("=+-@＝＋－＠\t\r")
    assert plain(neutral(cell)) == cell


@pytest.mark.parametrize("row", [{"a": "=1+1", "b": -2.5, "c": "left out"}, ("=1+1", -2.5)])
def test_texts_are_made_neutral_and_numbers_are_not(row: object) -> None:
    out = io.StringIO()
    assert write_csv(out, ("a", "b"), [row]) == 1  # type: ignore[list-item]
    assert list(csv.reader(io.StringIO(out.getvalue()))) == [["a", "b"], ["'=1+1", "-2.5"]]


@given(st.lists(st.text("'=+@,;\"\t\r\na "), min_size=1, max_size=3))
def test_every_cell_reads_back(cells: list[str]) -> None:
    out = io.StringIO()
    write_csv(out, [str(number) for number in range(len(cells))], [cells])
    [_, row] = csv.reader(io.StringIO(out.getvalue(), newline=""))
    assert [plain(cell) for cell in row] == cells


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("cell", ["x;=1+1;y", "x\t@SUM(1)", "x\n=1+1\ny", "x;-2+3;", "x;'=1+1", "a note; - not one"])
def test_no_formula_begins_where_a_spreadsheet_expects_another_separator(cell: str, delimiter: str) -> None:
    out = io.StringIO()
    write_csv(out, ["a", "b"], [["d1", cell]])
    for separators in (f"[{delimiter}\n]", "[,;\t\n]"):
        assert not [c for c in re.split(separators, out.getvalue()) if re.match(r"[=@]|[+-]\S", c)]
    written = out.getvalue().splitlines()[1]
    assert written.startswith('d1,"')


def test_what_begins_no_formula_is_as_it_was() -> None:
    for cell in ("a; b", "three items:\n- one\n- two", "a;b=c", "x - y"):
        assert neutral(cell) == cell
