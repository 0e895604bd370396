"""Long lists of keys: SQLite limits the variables of one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import BindParameter, Result, Select, func, select

from workbench.project.packing import to_json

T = TypeVar("T")

_VARIABLES = 500


def batched(values: Sequence[T], size: int = _VARIABLES) -> Iterator[list[T]]:
    """``values`` in order, at most ``size`` at a time; numpy scalars become the Python values that SQLite accepts."""
    for start in range(0, len(values), size):
        yield [value.item() if isinstance(value, np.generic) else value for value in values[start : start + size]]


def columns_of(result: Result[Any]) -> dict[str, list[Any]]:
    """The columns of ``result`` by their names, each with all rows."""
    names, rows = list(result.keys()), result.all()
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def among(keys: Sequence[int] | Sequence[str] | BindParameter[str]) -> Select[Any]:
    """``keys``, or a parameter with a JSON list of them, as a subquery for IN: this needs a single variable."""
    listed = keys if isinstance(keys, BindParameter) else to_json(list(keys))
    return select(func.json_each(listed).table_valued("value").c.value)
