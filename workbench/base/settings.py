"""Settings that the window keeps between sessions: appearance, shortcuts, recent projects, the last session."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from workbench.base.resources import config_dir

RECENT = 12
"""How many recent projects are remembered."""


@dataclass
class Settings:
    """The user's settings, one JSON file. A value of the wrong kind in the file counts as absent.

    ``theme`` is "system", "light" or "dark"; ``language`` "system", "en", "ja" or "zh". ``shortcuts`` maps an action
    id to a key sequence the user chose. ``blind`` hides what other reviewers say until one has judged; ``advance``
    goes on to the next passage after a verdict. ``geometry`` is Qt's window geometry in hexadecimal. ``views`` holds
    each view's state by project path, then view id.
    """

    theme: str = "system"
    language: str = "system"
    reviewer: str = ""
    blind: bool = False
    advance: bool = True
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
        """Drop ``project`` from the recent ones, with its views' state."""
        self.recent = [r for r in self.recent if r != project]
        self.views.pop(project, None)

    def save(self, path: Path | None = None) -> None:
        """Write atomically to ``path`` (the settings file by default). Raises OSError."""
        target = path or settings_file()
        target.parent.mkdir(parents=True, exist_ok=True)
        self.views = {k: v for k, v in self.views.items() if k in self.recent}
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(asdict(self), file, ensure_ascii=False, indent=1)
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def load(path: Path | None = None) -> Settings:
    """Settings from ``path``; defaults for what is absent, damaged or of the wrong kind."""
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
    return settings


def settings_file() -> Path:
    """Where the settings are."""
    return config_dir() / "settings.json"
