"""Long lists of keys, a query for each few hundred: SQLite limits the variables of one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")

_VARIABLES = 500


def batched(values: Sequence[T], size: int = _VARIABLES) -> Iterator[list[T]]:
    """``values`` in order, at most ``size`` at a time; numpy scalars become the Python values SQLite takes."""
    for start in range(0, len(values), size):
        yield [value.item() if isinstance(value, np.generic) else value for value in values[start : start + size]]
