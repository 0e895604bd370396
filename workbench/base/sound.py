"""Conditions that all stored or imported numbers and texts must satisfy, in projects and in imported results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workbench.base.types import Ints, Matches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LAST_TIER = 2


def is_figure(value: object) -> bool:
    """Whether ``value`` is a finite number, as required of scores, sums and shares."""
    return isinstance(value, int | float) and abs(value) < float("inf")


def is_count(value: object) -> bool:
    """Whether ``value`` is an integer that is a valid count."""
    return isinstance(value, int) and 0 <= value < 1 << 62


def is_text(value: object) -> bool:
    """Whether ``value`` is text without lone surrogates, which cannot be stored."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def is_plain(value: object) -> bool:
    """Whether ``value`` is null, text, a finite number or an integer of at most 64 bits, as allowed in JSON and
    columns.
    """
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 64
    return math.isfinite(value) if isinstance(value, float) else value is None or is_text(value)


def outside_texts(matches: Matches, a_characters: Ints, b_characters: Ints) -> NDArray[np.bool_]:
    """Which matches exceed their texts, whose lengths in code points are given (-1: no such text)."""
    import numpy as np

    sides = (
        (matches.a_start, matches.a_end, a_characters),
        (matches.b_start, matches.b_end, b_characters),
    )
    wrong = np.zeros(len(matches), np.bool_)
    for start, end, characters in sides:
        wrong |= (start < 0) | (start > end) | (end > characters)
    return wrong


def without_score(matches: Matches) -> NDArray[np.bool_]:
    """Which matches have an invalid score, tier or figure of evidence."""
    import numpy as np

    wrong: NDArray[np.bool_] = ~np.isfinite(matches.score) | (matches.tier < 0) | (matches.tier > LAST_TIER)
    for column in matches.evidence.values():
        if column.dtype.kind == "f":
            wrong |= ~np.isfinite(column)
    return wrong


def values_of(key: Ints, keys: Ints, values: Ints) -> NDArray[np.int64]:
    """The value (>= 0) of each ``key``, from ``keys`` (ascending) and their ``values``; -1 for unknown keys."""
    import numpy as np

    if not len(keys):
        return np.full(len(key), -1, np.int64)
    at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    known: NDArray[np.int64] = np.where(keys[at] == key, values[at], -1)
    return known
