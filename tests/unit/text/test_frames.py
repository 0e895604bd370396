"""What is around a block, by its path: lists and their numbers, tables and their columns."""

from __future__ import annotations

import pytest

from workbench.base.types import Block, Span
from workbench.text.markup.frames import frames_of


def blocks(*paths: str) -> list[Block]:
    return [Block(Span(at, at + 1), path=path) for at, path in enumerate(paths)]


@pytest.mark.parametrize(
    ("path", "number"), [("ol[1]/li[3]/p[7]", 3), ("ul[1]/li[3]/p[7]", 0), ("ol[1]/ul[1]/li[2]", 0)]
)
def test_items_of_numbered_lists_have_a_number_and_others_none(path: str, number: int) -> None:
    (frame,) = frames_of(blocks(path))
    assert (frame.number, frame.lists) == (number, path.count("l["))


def test_cells_of_a_row_are_in_columns_of_their_own_whatever_their_names() -> None:
    row = "table[1]/tr[2]"
    frames = frames_of(blocks(f"{row}/th[1]", f"{row}/td[1]", f"{row}/td[2]", "table[1]/tr[3]/td[1]"))
    cells = [frame.cell for frame in frames if frame.cell is not None]
    assert [(cell.row[-2], cell.column, cell.is_heading) for cell in cells] == [
        ("2", 1, True),
        ("2", 2, False),
        ("2", 3, False),
        ("3", 1, False),
    ]


@pytest.mark.parametrize(
    ("paths", "columns"),
    [
        (("th[1]", "td[1]", "th[2]", "td[2]", "td[2]/p[2]", "th[3]"), [1, 2, 3, 4, 4, 5]),
        (("th[1]", "td[1]/table[1]/tr[1]/td[1]", "td[1]/table[1]/tr[1]/td[2]", "td[2]"), [1, 1, 2, 3]),
    ],
)
def test_headings_among_the_cells_of_a_row_and_tables_within_move_no_cell(
    paths: tuple[str, ...], columns: list[int]
) -> None:
    row = "/html[1]/body[1]/table[1]/tr[1]"
    twice = [*(f"{row}/{path}" for path in paths), "/html[1]/p[1]"] * 2
    frames = frames_of(blocks(*twice))
    assert [frame.cell.column for frame in frames if frame.cell is not None] == columns * 2
