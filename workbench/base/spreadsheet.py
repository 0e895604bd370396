"""CSV files whose cells a spreadsheet will not run as formulas."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_FORMULA = re.compile("'*[=+\\-@＝＋－＠\t\r]")
_NEUTRAL = "'"


def neutral(cell: str) -> str:
    """``cell``, prefixed with an apostrophe if a spreadsheet would run it as a formula; :func:`plain` reverses this."""
    return _NEUTRAL + cell if _FORMULA.match(cell) else cell


def plain(cell: str) -> str:
    """``cell`` as it was before :func:`neutral`."""
    return cell[1:] if cell.startswith(_NEUTRAL) and _FORMULA.match(cell) else cell


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Mapping[str, Any] | Sequence[Any]]) -> int:
    """Write a header line and ``rows`` with neutralised texts. Returns the number of rows.

    A row is a sequence in the order of ``columns``, or a mapping by column name, whose other keys are ignored.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([neutral(column) for column in columns])
    written = 0
    for row in rows:
        cells = [row.get(column, "") for column in columns] if isinstance(row, Mapping) else row
        writer.writerow([neutral(cell) if isinstance(cell, str) else cell for cell in cells])
        written += 1
    return written
