"""Labelled documents, for what is measured of runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scored import TRUTH, add, label

from workbench.services.session import Session


@pytest.fixture
def labelled(path: Path) -> Iterator[Session]:
    """Three splogs and three blogs, by anna."""
    with Session(path) as session:
        add(session)
        label(session, TRUTH)
        yield session
