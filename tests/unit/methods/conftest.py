"""Kernels are compiled before the first test, so that no test's time includes it."""

import pytest

from workbench.base.progress import Unwatched
from workbench.methods.core.warming import warm_up


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    warm_up(Unwatched())
