"""How much of a collection is measured."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", params=[5, pytest.param(1, marks=pytest.mark.rest)], ids=["a fifth", "all"])
def every(request: pytest.FixtureRequest) -> int:
    """Of how many suspects one is examined: a fifth of them says at once what all say in the slow rest."""
    number: int = request.param
    return number
