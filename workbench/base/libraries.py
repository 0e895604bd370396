"""The system libraries that a window needs, the Debian packages that contain them, and which of them are missing.

Uses only the standard library: the script that sets up a checkout imports it before anything is installed.
"""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

WITHOUT_DISPLAY = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libX11.so.6": "libx11-6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""Libraries that Qt needs even when it only draws to an image."""
WITH_DISPLAY = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""Further libraries that it needs to open a window on an X display."""
_OF_QT = {False: "lib/libQt6Gui.so.6", True: "plugins/platforms/libqxcb.so"}
"""The part of Qt that fails without them, by whether a window will open on an X display."""


def loads(library: str) -> bool:
    """Whether the dynamic linker finds ``library``."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_libraries(libraries: Iterable[str]) -> list[str]:
    """The ``libraries`` (file names) that do not load, in order."""
    return [library for library in libraries if not loads(library)]


def packages_of(missing: Iterable[str], libraries: Mapping[str, str]) -> list[str]:
    """The Debian packages of the ``missing`` libraries, each once."""
    return list(dict.fromkeys(libraries[library] for library in missing))


def why_no_window(*, on_x: bool) -> str:
    """A sentence that names every missing library that Qt needs and the command that installs them; empty if Qt can
    start.

    ``on_x``: a window will open on an X display. Packages may bundle libraries that only Qt finds: if Qt itself loads,
    none is missing.
    """
    libraries = WITHOUT_DISPLAY | (WITH_DISPLAY if on_x else {})
    missing = missing_libraries(libraries)
    if not missing or _qt_loads(on_x):
        return ""
    sentence = f"The window needs libraries that this system lacks: {', '.join(missing)}."
    if shutil.which("apt-get"):
        return f"{sentence} Install them with: sudo apt-get install {' '.join(packages_of(missing, libraries))}"
    if shutil.which("dnf"):
        wanted = " ".join(f"'{library}()(64bit)'" for library in missing)
        return f"{sentence} Install them with: sudo dnf install {wanted}"
    return f"{sentence} Install the packages of your system that they are in, and start again."


def _qt_loads(on_x: bool) -> bool:
    """Whether the part of Qt that needs the libraries finds them; False if Qt's files are not found."""
    qt = find_spec("PySide6")
    if qt is None or not qt.submodule_search_locations:
        return True
    part = Path(qt.submodule_search_locations[0], "Qt", _OF_QT[on_x])
    return not part.is_file() or loads(str(part))
