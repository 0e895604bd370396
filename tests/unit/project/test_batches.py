"""Keys in batches."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.project.batches import batched


@pytest.mark.parametrize("count", [0, 1, 499, 500, 501, 1200])
def test_batches_hold_every_value_once_and_in_order(count: int) -> None:
    parts = list(batched(range(count)))
    assert [value for part in parts for value in part] == list(range(count))
    assert all(0 < len(part) <= 500 for part in parts)


def test_numpy_keys_become_python_numbers() -> None:
    (part,) = batched(np.arange(3))  # type: ignore[arg-type, var-annotated]
    assert part == [0, 1, 2]
    assert {type(value) for value in part} == {int}
