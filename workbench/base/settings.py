"""Settings stored between the window's sessions: appearance, shortcuts, recent projects, the last session."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from workbench.base.resources import config_dir

RECENT = 12
"""Maximum number of recent projects remembered."""
_LOCK_S = 0.5
"""Seconds to wait while another window writes, which takes about a millisecond."""
_DEPTH = 3
"""Levels merged separately: settings, projects, views; the state of a view is one value."""


@dataclass
class Settings:
    """The user's settings, one JSON file. A value of the wrong kind in the file counts as absent.

    ``theme`` is "system", "light" or "dark"; ``language`` "system", "en", "ja" or "zh". ``shortcuts`` maps an action id
    to a key sequence the user chose. ``blind`` hides other reviewers' verdicts until the user has judged; ``advance``
    shows the next passage after a verdict; a passage is called common if it occurs in more than ``common_from``
    other documents. ``geometry`` is Qt's window geometry in hexadecimal. ``views`` contains each view's state by
    project path, then view id.
    """

    theme: str = "system"
    language: str = "system"
    reviewer: str = ""
    blind: bool = False
    advance: bool = True
    common_from: int = 3
    recent: list[str] = field(default_factory=list)
    shortcuts: dict[str, str] = field(default_factory=dict)
    last_project: str = ""
    last_view: str = "start"
    geometry: str = ""
    views: dict[str, dict[str, Any]] = field(default_factory=dict)

    def remember(self, project: Path) -> None:
        """Put ``project`` first among the recent ones."""
        name = str(project)
        self.recent = [name, *(r for r in self.recent if r != name)][:RECENT]
        self.last_project = name

    def forget(self, project: str) -> None:
        """Remove ``project`` from the recent ones, and the state of its views."""
        self.recent = [r for r in self.recent if r != project]
        self.views.pop(project, None)

    def __post_init__(self) -> None:
        self._stored: dict[str, Any] = {}

    def _values(self) -> dict[str, Any]:
        """A copy of all settings by name."""
        return {f.name: deepcopy(getattr(self, f.name)) for f in fields(self)}

    def save(self, path: Path | None = None) -> None:
        """Write the changes made here since the last :meth:`save` or :func:`load`, atomically; raises OSError.

        Changes that other windows wrote to ``path`` (the settings file by default) meanwhile are kept.
        """
        from filelock import FileLock, Timeout

        mine = self._values()
        if mine == self._stored:
            return
        target = path or settings_file()
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(target.with_suffix(".lock"))
        # Without the lock a change of another window made in the same moment may be lost, nothing else.
        with contextlib.suppress(Timeout):
            lock.acquire(timeout=_LOCK_S, poll_interval=0.002)
        try:
            _replace(target, _merged(self._stored, mine, load(target)._values(), _DEPTH))
        finally:
            lock.release()
        self._stored = mine


def _merged(
    before: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any], depth: int
) -> dict[str, Any]:
    """``theirs`` with the changes from ``before`` to ``mine``; nested mappings likewise, to ``depth`` levels."""
    result = dict(theirs)
    for key in {**before, **mine}:
        if key in before and key in mine and before[key] == mine[key]:
            continue
        was, now, there = (side.get(key, {}) for side in (before, mine, theirs))
        if key not in mine:
            result.pop(key, None)
        elif key == "recent":
            result[key] = _recent([*was], now, [*there])
        elif depth > 1 and isinstance(now, dict) and isinstance(was, dict) and isinstance(there, dict):
            result[key] = _merged(was, now, there, depth - 1)
        else:
            result[key] = mine[key]
    return result


def _recent(before: list[str], mine: list[str], theirs: list[str]) -> list[str]:
    """``mine``, then those opened only by another window; projects forgotten in either are dropped."""
    dropped = {r for r in before if r not in mine or r not in theirs}
    opened = (r for r in theirs if r not in mine)
    return [r for r in (*mine, *opened) if r not in dropped][:RECENT]


def _replace(target: Path, content: dict[str, Any]) -> None:
    content["views"] = {k: v for k, v in content["views"].items() if k in content["recent"]}
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: Path | None = None) -> Settings:
    """Settings from ``path``; defaults for values absent, damaged or of the wrong kind."""
    try:
        stored = json.loads((path or settings_file()).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Settings()
    settings = Settings()
    if isinstance(stored, dict):
        for f in fields(Settings):
            value = stored.get(f.name)
            if isinstance(value, type(getattr(settings, f.name))):
                setattr(settings, f.name, value)
    settings.recent = [r for r in settings.recent if isinstance(r, str)]
    settings.shortcuts = {k: v for k, v in settings.shortcuts.items() if isinstance(v, str)}
    settings.views = {k: v for k, v in settings.views.items() if isinstance(v, dict)}
    settings._stored = settings._values()
    return settings


def settings_file() -> Path:
    """Path of the settings file."""
    return config_dir() / "settings.json"
