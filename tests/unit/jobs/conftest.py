"""Makes the functions that jobs run importable in the processes they are run in."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from job_functions import RecordingWatcher


@pytest.fixture
def watcher() -> RecordingWatcher:
    return RecordingWatcher()
