"""Long lists of keys: SQLite limits the variables of one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from sqlalchemy import Select, func, select

from workbench.project.packing import to_json

T = TypeVar("T")

_VARIABLES = 500


def batched(values: Sequence[T], size: int = _VARIABLES) -> Iterator[list[T]]:
    """``values`` in order, at most ``size`` at a time; numpy scalars become the Python values SQLite takes."""
    for start in range(0, len(values), size):
        yield [value.item() if isinstance(value, np.generic) else value for value in values[start : start + size]]


def among(keys: Sequence[int]) -> Select[int]:
    """``keys`` as a subquery, for IN: one variable of one statement, however many there are."""
    return select(func.json_each(to_json(list(keys))).table_valued("value").c.value)
