"""The output of a verb: results on standard output, everything else on standard error.

Nothing else in the command line writes to a terminal. Its content may come from untrusted files; therefore control
characters are escaped, except the program's own line ends.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TextIO

from workbench.services.review.visible import visible


def command(*words: object) -> str:
    """A command line of the program; words with spaces or characters that are special to a shell are quoted."""
    return shlex.join(["palimpsest", *map(str, words)])


DONE, FAILED, USAGE = 0, 1, 2
"""Exit codes."""
CANCELLED = "Cancelled. Finished work is kept."

_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u08e2\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f]"
)
"""Control, format and line-separator characters (Unicode 15) that JSON allows unescaped; escaping keeps its meaning."""
_WIDTH_SAMPLE = 500


def json_line(value: Any) -> str:
    """``value`` as JSON on one line. Characters that are invisible, or would reverse the line, are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def line(text: str) -> str:
    """``text`` on one line and safe for a terminal (see :func:`workbench.services.review.visible.visible`)."""
    return visible(text, keep="")


def shorten(text: str, columns: int) -> str:
    """``text`` cut to at most ``columns`` terminal columns, with an ellipsis if it was cut."""
    if _width(text) <= columns:
        return text
    from wcwidth import clip

    return clip(text, 0, columns - 1).rstrip() + "…"


def _width(text: str) -> int:
    """Terminal columns of ``text``."""
    if text.isascii() and text.isprintable():
        return len(text)
    from wcwidth import width

    return width(text)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a printed table; ``limit`` in terminal columns, 0 for none."""

    title: str
    right: bool = False
    limit: int = 0


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Aligned lines, header first. Widths follow the first 500 rows, so that millions of rows stream."""
    cells = (_cells(columns, row) for row in rows)
    sample = list(islice(cells, _WIDTH_SAMPLE))
    header = [c.title for c in columns]
    widths = [max(map(_width, column)) for column in zip(header, *sample, strict=True)]
    for row in chain([header], sample, cells):
        padded = (_pad(cell, w, right=c.right) for cell, w, c in zip(row, widths, columns, strict=True))
        yield "  ".join(padded).rstrip()


def _pad(text: str, columns: int, *, right: bool) -> str:
    """``text`` with spaces to at least ``columns`` terminal columns; ``right``: before it, otherwise after it."""
    spaces = " " * (columns - _width(text))
    return spaces + text if right else text + spaces


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

    def _write(self, row: str) -> None:
        """Write a line of results that is safe for a terminal. Raises Unwritable."""
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
            self.row(value)

    def row(self, value: Mapping[str, Any]) -> None:
        """Write one JSON object, with or without ``--json``."""
        self._write(json_line(value))

    def say(self, text: str = "") -> None:
        """Write a line for people, part of the result; does nothing with ``--json``."""
        if not self.as_json:
            self._write(line(text))

    def text(self, text: str) -> None:
        """Write a text of several lines for people; does nothing with ``--json``."""
        for row in text.split("\n"):
            self.say(row)

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        """Write a table for people; does nothing with ``--json``."""
        if not self.as_json:
            for row in table(columns, rows):
                self._write(row)

    def note(self, text: str) -> None:
        """Write a line to standard error: a warning, hint or error."""
        self.err.write(line(text) + "\n")
        self.err.flush()

    def progress(self, value: Mapping[str, Any]) -> None:
        """Write one JSON object to standard error."""
        self.err.write(json_line(value) + "\n")


def plural(count: int, noun: str, many: str = "") -> str:
    """``1 match``, ``1,234 matches``."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def time_text(when: str) -> str:
    """A stored time (ISO 8601, UTC) to the second: ``2026-11-30 07:29:53``."""
    return when[:19].replace("T", " ")


def seconds_text(seconds: float) -> str:
    """A human-readable duration: ``0.4 s``, ``12 s``, ``3 min``, ``2.5 h``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
