"""Starting the program again on a project that is open in a window raises that window.

The request is a file beside the window's marker (see :mod:`workbench.gui.shell.lifetime`); the window removes it when
read. This module does not use Qt, so that the second start need not load it.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from workbench.gui.shell.lifetime import running_windows

PATIENCE = 3.0
"""Seconds to wait for the window's answer."""
_LOOK = 0.02
"""Seconds between two checks for the answer."""
_TOKEN = "XDG_ACTIVATION_TOKEN"
"""The environment variable with the token that a Wayland desktop gives to a started program, to raise its window."""


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """A request to show ``project``, at ``view`` unless empty; ``token`` allows raising the window on Wayland."""

    project: str
    view: str
    token: str


def bring_forward(folder: Path, project: Path, view: str | None, patience: float = PATIENCE) -> bool:
    """Ask the window whose marker in ``folder`` names ``project`` to raise itself; returns whether one answered.

    May take ``patience`` seconds.
    """
    for marker, shown in running_windows(folder):
        if shown and _same(Path(shown), project) and _ask(marker, project, view or "", patience):
            return True
    return False


def take_request(marker: Path) -> ShowRequest | None:
    """The latest request to the window of ``marker``, marked as answered."""
    with suppress(OSError, ValueError, TypeError):
        request = ShowRequest(**json.loads(_request(marker).read_text(encoding="utf-8")))
        _request(marker).unlink()
        if request.token:
            os.environ[_TOKEN] = request.token
        return request
    return None


def _same(one: Path, other: Path) -> bool:
    with suppress(OSError):
        return one.samefile(other)
    return False


def _request(marker: Path) -> Path:
    return marker.with_suffix(".ask")


def _ask(marker: Path, project: Path, view: str, patience: float) -> bool:
    request, fresh = _request(marker), marker.with_suffix(f".{os.getpid()}.new")
    wish = ShowRequest(str(project.absolute()), view, os.environ.get(_TOKEN, ""))
    until = time.monotonic() + patience
    with suppress(OSError):
        fresh.write_text(json.dumps(asdict(wish)), encoding="utf-8")
        fresh.replace(request)
        while request.exists():
            if time.monotonic() > until:
                request.unlink(missing_ok=True)
                return False
            time.sleep(_LOOK)
        return True
    return False
