"""Line numbers in the margin of a page, as in manuscripts and legal papers; they are not text.

They are separate lines, or the beginning of the line they count. Numbers are omitted if a page has at least LEAST
of them in a column, increasing by a constant step, to the left of all text, unless the text is a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from workbench.reading.formats.running_heads import PdfLine

LEAST = 5
"""Minimum count of line numbers on a page."""
_NUMBER = re.compile(r"(\d{1,5})(?:\s+(?=\S)|$)")
_NEAR = 1.5
"""Tolerance, in points, between the edges of numbers in a column."""
_LONG = 20
"""Minimum characters of a line of text."""
_APART = 0.8
"""Minimum distance between a number and its line, relative to the font size."""


class _Number(NamedTuple):
    """The line number at ``at``: its value, its start and end in points, its baseline, and the line without it, unless
    it is alone.
    """

    at: int
    value: int
    left: float
    right: float
    base: float
    rest: PdfLine | None


def without_numbers(lines: Sequence[PdfLine], rest: Callable[[PdfLine, int], PdfLine]) -> list[PdfLine]:
    """The ``lines`` of a page without their numbers; ``rest`` returns a line from a given character on."""
    numbers: list[_Number] = []
    others: list[float] = []
    for at, line in enumerate(lines):
        measure = line.measure
        if measure is None or measure.turn:
            continue
        number = _number(at, line, rest)
        if number is None:
            others.append(measure.start)
        else:
            numbers.append(number)
    left_out: dict[int, _Number] = {}
    for edge in (_left, _right):
        for group in _below_each_other(numbers, edge):
            beside = [number.rest for number in group if number.rest]
            starts = (*others, *(line.measure.start for line in beside if line.measure))
            if _counts(group) and _is_prose(beside) and max(n.right for n in group) < min(starts, default=0.0):
                left_out |= {number.at: number for number in group}
    kept = ((line, left_out.get(at)) for at, line in enumerate(lines))
    return [number.rest if number and number.rest else line for line, number in kept if not number or number.rest]


def _number(at: int, line: PdfLine, rest: Callable[[PdfLine, int], PdfLine]) -> _Number | None:
    match, measure = _NUMBER.match(line.text), line.measure
    if match is None or measure is None:
        return None
    right = measure.start + measure.word
    if match.end() == len(line.text):
        return _Number(at, int(match[1]), measure.start, right, measure.base, None)
    if not measure.is_row:
        return None
    text = rest(line, match.end())
    if text.measure is None or text.measure.start - right <= _APART * measure.size:
        return None
    return _Number(at, int(match[1]), measure.start, right, measure.base, text)


def _left(number: _Number) -> float:
    return number.left


def _right(number: _Number) -> float:
    return number.right


def _below_each_other(numbers: Sequence[_Number], edge: Callable[[_Number], float]) -> Iterator[list[_Number]]:
    """The numbers that share an edge, from the top down."""
    ordered = sorted(numbers, key=edge)
    cuts = [at for at, (one, other) in enumerate(pairwise(ordered), 1) if edge(other) - edge(one) > _NEAR]
    for first, last in pairwise([0, *cuts, len(ordered)]):
        yield sorted(ordered[first:last], key=lambda number: number.base)


def _is_prose(lines: Sequence[PdfLine]) -> bool:
    """Whether most of the ``lines`` are prose rather than rows of a table."""
    prose = [line for line in lines if len(line.text) >= _LONG and line.measure and not line.measure.is_row]
    return 3 * len(prose) >= 2 * len(lines)


def _counts(group: Sequence[_Number]) -> bool:
    """Whether the numbers increase by one constant step."""
    steps = {after.value - before.value for before, after in pairwise(group)}
    return len(group) >= LEAST and len(steps) == 1 and min(steps) > 0
