"""Makes the functions that jobs run importable in the processes they are run in."""

import sys
from pathlib import Path

import pytest

from workbench.base import compiling

sys.path.insert(0, str(Path(__file__).parent))

from job_functions import RecordingWatcher


@pytest.fixture
def watcher() -> RecordingWatcher:
    return RecordingWatcher()


@pytest.fixture(autouse=True)
def nothing_compiled_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tests before in this process compiled is no part of the clocks that tests set."""
    monkeypatch.setattr(compiling, "_spent", [0.0])
