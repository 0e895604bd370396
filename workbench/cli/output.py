"""The output of a verb: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TextIO

from workbench.services.review.visible import visible

DONE, FAILED, USAGE = 0, 1, 2
"""Exit codes."""
CANCELLED = "Cancelled. What was finished is kept."

_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_WIDTH_SAMPLE = 500


def json_line(value: Any) -> str:
    """``value`` as JSON on one line. Characters that some readers treat as a line end are escaped."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)


def line(text: str) -> str:
    """``text`` on one line and safe for a terminal (see :func:`workbench.services.review.visible.visible`)."""
    return visible(text, keep="")


def shorten(text: str, columns: int) -> str:
    """``text`` cut to at most ``columns`` terminal columns, with an ellipsis if it was cut."""
    from wcwidth import clip, width

    return text if width(text) <= columns else clip(text, 0, columns - 1).rstrip() + "…"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a printed table; ``limit`` in terminal columns, 0 for none."""

    title: str
    right: bool = False
    limit: int = 0


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Aligned lines, header first. Widths follow the first 500 rows, so that millions of rows stream."""
    from wcwidth import ljust, rjust, width

    cells = (_cells(columns, row) for row in rows)
    sample = list(islice(cells, _WIDTH_SAMPLE))
    header = [c.title for c in columns]
    widths = [max(map(width, column)) for column in zip(header, *sample, strict=True)]
    for row in chain([header], sample, cells):
        padded = ((rjust if c.right else ljust)(cell, w) for cell, w, c in zip(row, widths, columns, strict=True))
        yield "  ".join(padded).rstrip()


def _cells(columns: Sequence[Column], row: Sequence[str]) -> list[str]:
    safe = (line(cell) for cell in row)
    return [shorten(cell, c.limit) if c.limit else cell for cell, c in zip(safe, columns, strict=True)]


class Unwritable(Exception):
    """Standard output cannot be written: its reader is gone, or the disk is full."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"The results cannot be written ({error.strerror}).")


class Output:
    """The two streams of a verb. With ``as_json`` results are JSON and the ``say`` lines are left out."""

    def __init__(self, as_json: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self.out = out or sys.stdout
        self.err = err or sys.stderr

    def write(self, row: str) -> None:
        """Write a line of results unchanged. Raises Unwritable."""
        try:
            self.out.write(row + "\n")
        except OSError as error:
            raise Unwritable(error) from error

    def flush(self) -> None:
        """Flush buffered output. Raises Unwritable."""
        try:
            self.out.flush()
        except OSError as error:
            raise Unwritable(error) from error

    def record(self, value: Mapping[str, Any]) -> None:
        """Write one JSON object; does nothing without ``--json``."""
        if self.as_json:
            self.write(json_line(value))

    def say(self, text: str = "") -> None:
        """Write a line for people, part of the result; does nothing with ``--json``."""
        if not self.as_json:
            self.write(text)

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        """Write a table for people; does nothing with ``--json``."""
        if not self.as_json:
            for row in table(columns, rows):
                self.write(row)

    def note(self, text: str) -> None:
        """Write a line to standard error: a warning, hint or error."""
        self.err.write(line(text) + "\n")
        self.err.flush()


def plural(count: int, noun: str, many: str = "") -> str:
    """``1 match``, ``1,234 matches``."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def seconds_text(seconds: float) -> str:
    """A human-readable duration: ``0.4 s``, ``12 s``, ``3 min``, ``2.5 h``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
