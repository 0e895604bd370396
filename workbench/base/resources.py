"""Paths of bundled files and of the user's own folders, and opening files the user names."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

import platformdirs

_APP = "palimpsest"


def resource(*parts: str) -> Path:
    """A file or folder below ``resources/``: inside the installed package, or beside it in the source tree."""
    package = Path(__file__).resolve().parents[1]
    for root in (package / "resources", package.parent / "resources"):
        # Any other package may install a folder "resources" next to workbench/.
        if (root / "sample" / "manifest.json").is_file():
            return root.joinpath(*parts)
    raise FileNotFoundError("resources/ is missing from this installation")


def cache_dir() -> Path:
    """Folder for derived data (indexes, compiled kernels); deletable at any time. PALIMPSEST_CACHE overrides it."""
    return Path(os.environ.get("PALIMPSEST_CACHE") or platformdirs.user_cache_dir(_APP))


def config_dir() -> Path:
    """Folder for settings and the last session. PALIMPSEST_CONFIG overrides it."""
    return Path(os.environ.get("PALIMPSEST_CONFIG") or platformdirs.user_config_dir(_APP))


def state_dir() -> Path:
    """Folder for the window's state while it runs. Inside PALIMPSEST_CONFIG if that is set."""
    own = os.environ.get("PALIMPSEST_CONFIG")
    return Path(own) / "state" if own else Path(platformdirs.user_state_dir(_APP))


def data_dir() -> Path:
    """Folder for projects the program creates itself (the sample). PALIMPSEST_DATA overrides it."""
    return Path(os.environ.get("PALIMPSEST_DATA") or platformdirs.user_data_dir(_APP))


def open_regular(path: Path) -> BufferedReader:
    """``path`` opened for reading. Raises OSError, also for pipes, devices and sockets, which may never end."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return os.fdopen(descriptor, "rb")
