"""Documents as sentences with their units: the parts of a sentence that may survive a translation.

A unit is a number by its value, a month, a Latin word (its stem), a Han character or a pair of adjacent ones in a
spelling common to old and new Japanese, traditional and simplified forms, or an entry of a dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document
from workbench.kernels.altered.classes import canonical
from workbench.kernels.altered.cutting import CHARACTER, NUMBER, WORD, Units
from workbench.methods.altered.words import units_of
from workbench.methods.digest.parameters import DigestParameters
from workbench.methods.digest.segments import segment
from workbench.methods.translated.dictionary import Dictionary


class UnitKind(IntEnum):
    """The kind of a unit."""

    NUMBER = 0
    LATIN = 1
    HAN = 2
    HAN_PAIR = 3
    ENTRY = 4
    SMALL = 5
    """Largest number that is ignored, as it is common in lists and headings."""


_SENTENCES = DigestParameters(min_segment=1)
_HAN = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_SALT = np.array([0x9E37, 0x79B9, 0x7F4A, 0x7C15, 0xF39C, 0x9E37], np.uint64) << np.uint64(47)
_ODD = np.uint64(0x9E3779B97F4A7C15)
SMALLEST = 31
_MONTHS = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
)
_MONTH = "月"
_NEAR = 2
"""Maximum distance, in units, between a month's name and a number that together form a date."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences of d documents, s in all.

    ``start``, ``end`` int64 [s]: offsets in the document; document i has the sentences ``bounds[i]:bounds[i + 1]``.
    ``prints`` uint64 [s]: equal for identically written sentences. Sentence j has the distinct units
    ``first[j]:first[j + 1]`` of ``values`` (uint64, ascending) and ``kinds`` (uint8).
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    bounds: NDArray[np.int64]
    prints: NDArray[np.uint64]
    first: NDArray[np.int64]
    values: NDArray[np.uint64]
    kinds: NDArray[np.uint8]


def sentences_of(documents: Sequence[Document], dictionary: Dictionary) -> Sentences:
    """The sentences of ``documents`` with their units."""
    cut = segment(documents, _SENTENCES)
    rows, values, kinds = [], [], []
    for i, document in enumerate(documents):
        first, last = int(cut.bounds[i]), int(cut.bounds[i + 1])
        at, value, kind = _units(document.text, dictionary)
        row = np.searchsorted(cut.start[first:last], at, "right") - 1
        within = (row >= 0) & (at < cut.end[first:last][row]) if last > first else np.zeros(len(at), np.bool_)
        rows.append(row[within] + first)
        values.append(value[within])
        kinds.append(kind[within])
    row = np.concatenate([np.zeros(0, np.int64), *rows])
    value = np.concatenate([np.zeros(0, np.uint64), *values])
    kind = np.concatenate([np.zeros(0, np.uint8), *kinds])
    order = np.lexsort((value, row))
    row, value, kind = row[order], value[order], kind[order]
    new = np.ones(len(row), np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (value[1:] != value[:-1])
    first_unit = np.searchsorted(row[new], np.arange(len(cut.start) + 1))
    return Sentences(cut.start, cut.end, cut.bounds, cut.fingerprints, first_unit, value[new], kind[new])


_NOTHING = (np.zeros(0, np.int64), np.zeros(0, np.uint64), np.zeros(0, np.uint8))


def _units(text: str, dictionary: Dictionary) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint8]]:
    """The units of a text: the start of each, its value and its :class:`UnitKind`."""
    units, folded = units_of(text)
    if not len(units.values):
        return _NOTHING
    at = folded.start[units.first].astype(np.int64)
    code = canonical()[folded.codes[units.first]]
    characters = units.kinds == CHARACTER
    latin = (units.kinds == WORD) & _is_latin(folded.codes[units.first])
    han = characters & _is_han(code)
    pair = han[:-1] & han[1:] & (folded.start[units.first[1:]] == folded.end[units.last[:-1] - 1])
    left, right = code[:-1][pair].astype(np.uint64), code[1:][pair].astype(np.uint64)
    months, month = _months(units, code)
    entries, entry = dictionary.entries(units.values)
    numbers = units.kinds == NUMBER
    small = numbers & np.isin(units.values, _small_numbers())
    parts = (
        (at[numbers & ~small], units.values[numbers & ~small], UnitKind.NUMBER),
        (at[small], units.values[small], UnitKind.SMALL),
        (at[months], month * _ODD, UnitKind.NUMBER),
        (at[latin], units.values[latin], UnitKind.LATIN),
        (at[han], code[han].astype(np.uint64) * _ODD, UnitKind.HAN),
        (at[:-1][pair], (left << np.uint64(21) | right) * _ODD, UnitKind.HAN_PAIR),
        (at[entries], entry * _ODD, UnitKind.ENTRY),
    )
    kinds = np.concatenate([np.full(len(place), kind, np.uint8) for place, _, kind in parts])
    values = np.concatenate([value ^ _SALT[kind] for _, value, kind in parts])
    return np.concatenate([place for place, _, _ in parts]), values, kinds


def _is_han(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = np.any([(low <= codes) & (codes <= high) for low, high in _HAN], axis=0)
    return inside


def _is_latin(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Whether code points are Latin letters or digits; a word that begins with one consists of these."""
    return (codes < 0x250) | ((codes >= 0x1E00) & (codes < 0x1F00))


@lru_cache(maxsize=1)
def _named_months() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Values of the names of months, ascending, and the number of each month."""
    months = {int(units_of(name)[0].values[0]): i for names in _MONTHS for i, name in enumerate(names.split(), 1)}
    values = np.array(sorted(months), np.uint64)
    return values, np.array([months[value] for value in values.tolist()], np.uint64)


@lru_cache(maxsize=1)
def _small_numbers() -> NDArray[np.uint64]:
    """Values of the numbers 0 to SMALLEST."""
    return np.array([units_of(f"{number}日")[0].values[0] for number in range(SMALLEST + 1)], np.uint64)


def _months(units: Units, code: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The units that denote a month, by a number before 月 or an English name near a number, and its number."""
    values, kinds = units.values, units.kinds
    numbers = np.flatnonzero(kinds[:-1] == NUMBER)
    before = numbers[code[numbers + 1] == canonical()[ord(_MONTH)]]
    of_number = {int(value): number for number, value in enumerate(_small_numbers()[:13].tolist())}
    counted = [
        (at, of_number.get(value, 0)) for at, value in zip(before.tolist(), values[before].tolist(), strict=True)
    ]
    names, month = _named_months()
    place = np.minimum(np.searchsorted(names, values), len(names) - 1)
    some = np.flatnonzero((names[place] == values) & (kinds == WORD))
    near = [(at, kinds[max(0, at - _NEAR) : at + _NEAR + 1]) for at in some.tolist()]
    dated = [(at, int(month[place[at]])) for at, around in near if (around == NUMBER).any()]
    months = [(at, number) for at, number in counted + dated if number]
    return np.array([at for at, _ in months], np.int64), np.array([number for _, number in months], np.uint64)
