"""A user's dictionary: a text file with words of the same meaning on each line, separated by tabs."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.resources import open_regular
from workbench.methods.altered.words import units_of

MOST_BYTES = 64 << 20
MOST_UNITS = 12
"""Maximum number of units of a form; longer ones are not looked up."""
MOST_LINES = 3
"""Maximum number of lines with the same word; a word with more meanings is too ambiguous."""
_FACTOR = np.uint64(0xD1342543DE82EF95)


@dataclass(frozen=True)
class Dictionary:
    """``forms``: by their number of units, hashes of forms (uint64, ascending) and the line of each (uint64). A form on
    several lines is repeated. ``digest`` identifies the content.
    """

    forms: dict[int, tuple[NDArray[np.uint64], NDArray[np.uint64]]]
    digest: str = ""

    def entries(self, units: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """The units of a text at which forms of the dictionary begin, and their lines."""
        places, lines = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
        for length, (hashes, line) in self.forms.items():
            here = _hashes(units, length)
            low, high = np.searchsorted(hashes, here, "left"), np.searchsorted(hashes, here, "right")
            count = high - low
            at = np.repeat(np.arange(len(here)), count)
            row = np.repeat(low, count) + np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)
            places.append(at)
            lines.append(line[row])
        return np.concatenate(places), np.concatenate(lines)


def _hashes(units: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """A hash of each ``length`` consecutive units."""
    count = max(0, len(units) - length + 1)
    value = np.zeros(count, np.uint64)
    for step in range(length):
        value = (value ^ units[step : step + count]) * _FACTOR
        value ^= value >> np.uint64(32)
    return value


NONE = Dictionary({})


def read(file: str) -> Dictionary:
    """The dictionary in ``file``, ``NONE`` for "". Raises UserError if it is not a dictionary."""
    if not file:
        return NONE
    path = Path(file)
    try:
        stat = path.stat()
        return _read(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            Message("The dictionary cannot be read."),
            path=path,
            hint=Message(
                "It must be a text file in UTF-8, each line with words of the same meaning, separated by tabs."
            ),
        ) from error


@lru_cache(maxsize=2)
def _read(path: Path, _changed: int, _size: int) -> Dictionary:
    # A project from elsewhere may name a device, which never ends.
    with open_regular(path) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UserError(Message("The dictionary is larger than {most} MB.", most=MOST_BYTES >> 20), path=path)
    forms: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, line in enumerate(data.decode("utf-8-sig").splitlines(), 1):
        words = {word.strip() for word in line.split("\t")} - {""}
        if len(words) < 2 or line.startswith("#"):
            continue
        for word in words:
            units = units_of(word)[0].values
            if 0 < len(units) <= MOST_UNITS:
                forms[len(units)].append((int(_hashes(units, len(units))[0]), number))
    if not forms:
        raise UserError(
            Message("The dictionary has no line with two words or more, separated by tabs."),
            path=path,
        )
    columns = {}
    for length, rows in sorted(forms.items()):
        distinct = sorted(set(rows))
        lines = Counter(value for value, _ in distinct)
        table = np.array([row for row in distinct if lines[row[0]] <= MOST_LINES], np.uint64).reshape(-1, 2)
        columns[length] = np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])
    return Dictionary(columns, hashlib.sha256(data).hexdigest())
