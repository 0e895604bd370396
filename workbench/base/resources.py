"""Where bundled files and the user's own folders are."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import platformdirs

_APP = "palimpsest"


def resource(*parts: str) -> Path:
    """A file or folder below ``resources/`` (source tree, installed wheel, or frozen bundle)."""
    here = Path(__file__).resolve().parents[1]
    for root in (here / "resources", here.parent / "resources", Path(sysconfig.get_path("data")) / "share" / _APP):
        # Any package may leave a folder "resources" beside an installed workbench/.
        if (root / "sample" / "manifest.json").is_file():
            return root.joinpath(*parts)
    raise FileNotFoundError("resources/ is missing from this installation")


def cache_dir() -> Path:
    """Folder for derived data (indexes, compiled kernels); deletable at any time. PALIMPSEST_CACHE overrides it."""
    return Path(os.environ.get("PALIMPSEST_CACHE") or platformdirs.user_cache_dir(_APP))


def config_dir() -> Path:
    """Folder for settings and the last session. PALIMPSEST_CONFIG overrides it."""
    return Path(os.environ.get("PALIMPSEST_CONFIG") or platformdirs.user_config_dir(_APP))


def data_dir() -> Path:
    """Folder for projects the program makes by itself (the sample). PALIMPSEST_DATA overrides it."""
    return Path(os.environ.get("PALIMPSEST_DATA") or platformdirs.user_data_dir(_APP))
