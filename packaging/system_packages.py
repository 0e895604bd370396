"""Print the Debian packages that are missing here, one a line; nothing when all is there.

    python3 packaging/system_packages.py [test]

With ``test``, also what only the tests need. Runs before anything is installed, so it needs the standard library
only. Debian ships Python without ``venv``; Qt needs
the first list of libraries even without a display, and the second to open a window on one.
"""

import ctypes
import importlib.util
import os
import shutil
import sys

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
WITH_DISPLAY = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def loads(library: str) -> bool:
    """Whether the dynamic linker finds ``library``."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing(libraries: dict[str, str]) -> list[str]:
    """Debian packages of the ``libraries`` (file to package) that do not load, in order, each once."""
    return list(dict.fromkeys(package for library, package in libraries.items() if not loads(library)))


def without_venv() -> list[str]:
    """The package that lets this Python make a virtual environment with pip in it, if that is missing."""
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return []
    return [f"python{sys.version_info.major}.{sys.version_info.minor}-venv"]


def without_java() -> list[str]:
    """The package of a Java that runs Spark, if there is none; only tests need it."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") or (home and os.path.exists(os.path.join(home, "bin", "java"))):
        return []
    return ["openjdk-17-jre-headless"]


def main() -> None:
    """Print what is missing on this machine: the window's libraries only where there is a display."""
    needed = dict(WITHOUT_DISPLAY)
    if os.environ.get("DISPLAY"):
        needed.update(WITH_DISPLAY)
    java = without_java() if "test" in sys.argv[1:] else []
    for package in without_venv() + missing(needed) + java:
        print(package)


if __name__ == "__main__":
    main()
