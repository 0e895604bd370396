"""CSV files whose cells a spreadsheet will not run as formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_BEGINS = "'*[=+\\-@＝＋－＠\t\r]"
_BEGINS_INSIDE = "'*(?:[=@＝＠]|[+\\-＋－]\\S)"
_FORMULA = re.compile(f"\\A(?={_BEGINS})|(?<=[;\t\r\n])(?={_BEGINS_INSIDE})")
"""The beginnings of formulas in a cell. A spreadsheet that expects semicolons or tabs begins a cell at each of them,
and a row at each line end, even within quotation marks.
"""
_NEUTRAL = "'"
_NEUTRALISED = re.compile(f"\\A'(?={_BEGINS})|(?<=[;\t\r\n])'(?={_BEGINS_INSIDE})")
_QUOTED = re.compile('[",;\t\r\n]')


def neutral(cell: str) -> str:
    """``cell`` with an apostrophe wherever a spreadsheet would run it as a formula; :func:`plain` reverses this."""
    return _FORMULA.sub(_NEUTRAL, cell)


def plain(cell: str) -> str:
    """``cell`` as it was before :func:`neutral`."""
    return _NEUTRALISED.sub("", cell)


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Mapping[str, Any] | Sequence[Any]]) -> int:
    """Write a header line and ``rows`` with neutralised texts. Returns the number of rows.

    A row is a sequence in the order of ``columns``, or a mapping by column name, whose other keys are ignored.
    """
    file.write(_line(columns))
    written = 0
    for row in rows:
        file.write(_line([row.get(column, "") for column in columns] if isinstance(row, Mapping) else row))
        written += 1
    return written


def _line(cells: Sequence[Any]) -> str:
    texts = [neutral(cell) if isinstance(cell, str) else "" if cell is None else str(cell) for cell in cells]
    if texts == [""]:
        return '""\n'
    quoted = (f'"{text.replace(chr(34), chr(34) * 2)}"' if _QUOTED.search(text) else text for text in texts)
    return ",".join(quoted) + "\n"
