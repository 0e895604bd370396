"""Figures and tables as data, independent of rendering. Files and screen are drawn from the same description."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar
from unicodedata import east_asian_width

from workbench.base.messages import Message
from workbench.base.spreadsheet import write_csv

Style = Literal["line", "points", "steps", "bars"]
Cell = str | int | float | None

DIGITS = 4
"""Significant digits of a number in a table."""


Say = Callable[[str], str]
"""Translates a message."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its title with the unit, whether it is logarithmic, and its limits (None: automatic)."""

    title: str
    log: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """A named series of n points and how it is drawn.

    ``bars`` of a histogram have n + 1 edges in ``x``. In ``steps``, y is constant back to the previous point, like
    precision between two levels of recall. ``band`` is an interval for each point (low, high).
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    style: Style = "line"
    band: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class PageView:
    """A picture of a page: a PNG file as base64 text, and its title."""

    title: str
    png: str

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return b64decode(self.png)


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart; ``notes`` are sentences below it (what was left out, and counts).

    ``reference`` is drawn faintly behind it for comparison: published values, or the ideal. ``pages``, if any,
    are drawn side by side instead, and the series are their underlying numbers.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    notes: tuple[str, ...] = ()
    reference: tuple[Series, ...] = ()
    pages: tuple[PageView, ...] = ()

    def mapped(self, say: Say) -> Figure:
        """The figure with ``say`` of each of its texts."""
        return Figure(
            say(self.title),
            replace(self.x, title=say(self.x.title)),
            replace(self.y, title=say(self.y.title)),
            tuple(replace(series, name=say(series.name)) for series in self.series),
            tuple(map(say, self.notes)),
            tuple(replace(series, name=say(series.name)) for series in self.reference),
            tuple(replace(page, title=say(page.title)) for page in self.pages),
        )

    def table(self) -> Table:
        """The points as rows: series, x (for bars both edges), y, and the ends of the interval, if any."""
        ranges = any(s.style == "bars" for s in self.series)
        bands = any(s.band for s in self.series)
        columns = [Message("series"), self.x.title, self.y.title]
        if ranges:
            columns.insert(2, Message("{axis}, to", axis=self.x.title))
        if bands:
            columns += [Message("interval, from"), Message("interval, to")]
        rows: list[tuple[Cell, ...]] = []
        for s in (*self.series, *self.reference):
            right: Sequence[Cell] = s.x[1:] if s.style == "bars" else [None] * len(s.x)
            around: Sequence[tuple[Cell, Cell]] = s.band or [(None, None)] * len(s.y)
            # The last edge begins no bar.
            for x, end, y, interval in zip(s.x, right, s.y, around, strict=False):
                rows.append((s.name, x, *([end] * ranges), y, *(interval * bands)))
        return Table(self.title, tuple(columns), tuple(rows), self.notes)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under ``columns``; None is an empty cell.

    ``reference`` contains values published by others, for comparison.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    reference: Table | None = None

    def mapped(self, say: Say) -> Table:
        """The table with ``say`` of each of its texts."""
        rows = tuple(tuple(say(cell) if isinstance(cell, str) else cell for cell in row) for row in self.rows)
        reference = None if self.reference is None else self.reference.mapped(say)
        return Table(say(self.title), tuple(map(say, self.columns)), rows, tuple(map(say, self.notes)), reference)

    def combined(self) -> Table:
        """The rows, then the reference's rows under the same columns; a first column names their origin."""
        if self.reference is None:
            return self
        columns = tuple(dict.fromkeys((*self.columns, *self.reference.columns)))
        rows = [
            (whose, *(cells.get(column) for column in columns))
            for whose, table in ((Message("this project"), self), (self.reference.title, self.reference))
            for cells in (dict(zip(table.columns, row, strict=True)) for row in table.rows)
        ]
        return Table(self.title, (Message("values"), *columns), tuple(rows), self.notes)


Drawn = TypeVar("Drawn", Figure, Table, Figure | Table)


def worded(drawn: Drawn, say: Say) -> Drawn:
    """``drawn`` in the language of ``say``; text that is not a message (a label, the name of a method) is kept."""
    return drawn.mapped(lambda text: say(text) if isinstance(text, Message) else text)


def to_csv(table: Table) -> str:
    """The table as CSV with a header line; numbers in full."""
    out = io.StringIO()
    write_csv(out, table.columns, table.rows)
    return out.getvalue()


def to_latex(table: Table) -> str:
    """The table as LaTeX with booktabs rules; columns of numbers are right-aligned.

    For Japanese or Chinese text, a comment names the additional packages.
    """
    kinds = ["r" if _is_numeric(column) else "l" for column in zip(*table.rows, strict=True)] or ["l"] * len(
        table.columns
    )
    texts = [table.title, *table.columns, *(cell for row in table.rows for cell in row), *table.notes]
    wide = any(east_asian_width(c) in "WF" for text in texts if isinstance(text, str) for c in text)
    lines = [
        r"% needs \usepackage{booktabs}",
        *([r"% and \usepackage{xeCJK} in XeLaTeX or \usepackage{luatexja} in LuaLaTeX"] if wide else []),
        r"\begin{table}",
        rf"\caption{{{_escaped(table.title)}}}",
        rf"\begin{{tabular}}{{{''.join(kinds)}}}",
        r"\toprule",
        _row(table.columns),
        r"\midrule",
        *(_row(row) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par {_escaped(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def rounded(value: float, grouped: str = "") -> str:
    """``value`` with four significant digits, but all integer digits; ``grouped`` separates thousands."""
    return f"{value:{grouped}.0f}" if abs(value) >= 10 ** (DIGITS - 1) else f"{value:.{DIGITS}g}"


def _is_numeric(column: Sequence[Cell]) -> bool:
    return all(cell is None or isinstance(cell, int | float) for cell in column)


def _row(cells: Sequence[Cell]) -> str:
    return " & ".join(_cells(cells)) + r" \\"


def _cells(cells: Sequence[Cell]) -> Iterator[str]:
    for cell in cells:
        if cell is None:
            yield ""
        elif isinstance(cell, float):
            yield rounded(cell)
        else:
            yield _escaped(str(cell))


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LIGATURE = re.compile(r"((?P<sign>[-`',])(?=(?P=sign))|[!?](?=`))")
"""Characters that TeX would combine with another."""
_SPECIAL = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    # At the start of a row, TeX would read it as an option of the preceding line.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}


def _escaped(text: str) -> str:
    return _LIGATURE.sub(r"\1{}", "".join(_SPECIAL.get(c, c) for c in _CONTROL.sub(" ", text)))
