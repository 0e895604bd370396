"""The command line as a program of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = (sys.executable, "-m", "workbench")


def limit_files(size: int) -> None:
    """No file of this process grows beyond ``size`` bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def passages(palimpsest: Run, project: Path, run: int) -> list[str]:
    """The matches of a run without what depends on the order of events."""
    lines = palimpsest("matches", project, run, "--json").stdout.splitlines()
    return sorted(json.dumps([row["a"], row["b"], row["score"], row["evidence"]]) for row in map(json.loads, lines))
