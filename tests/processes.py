"""Waiting for what other processes and threads do."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Whether ``condition`` came true in time; on a busy machine much takes long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def is_alive(pid: int) -> bool:
    """Alive and not a zombie that waits for its (dead) parent's parent."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False


def descendants(root: int) -> list[int]:
    """Processes below ``root``, at any depth (Linux)."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    below, waiting = [], [root]
    while waiting:
        next_below = children.get(waiting.pop(), [])
        below += next_below
        waiting += next_below
    return below
