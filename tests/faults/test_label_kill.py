"""A window that is killed while somebody labels: no label is lost, none is doubled."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.labelling_program import events_by_target, label_with_kills, make_project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")


@pytest.mark.parametrize(("kills", "entries"), [(1, 16), pytest.param(3, 40, marks=pytest.mark.rest)])
def test_a_killed_window_loses_no_label_and_doubles_none(tmp_path: Path, kills: int, entries: int) -> None:
    project = tmp_path / "labels.palimpsest"
    make_project(project, entries)
    outcome = label_with_kills(project, kills=kills, entries=entries, seed=4)
    events = events_by_target(project)
    assert outcome.kills == kills
    assert outcome.finished
    assert all(events[target, value] == 1 for target, value in outcome.written.items())
    assert sum(events.values()) == len({target for target, _ in events}) == entries
