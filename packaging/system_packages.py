"""Print the Debian packages that are missing here, one a line; nothing when all is there.

    python3 packaging/system_packages.py [test]

With ``test``, also what only the tests need. Runs before anything is installed, so it needs the standard library
only. Debian ships Python without ``venv``; Qt needs
the first list of libraries even without a display, and the second to open a window on one.
"""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from workbench.base.libraries import WITH_DISPLAY, WITHOUT_DISPLAY, missing_libraries, packages_of


def without_venv() -> list[str]:
    """The package that lets this Python make a virtual environment with pip in it, if that is missing."""
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return []
    return [f"python{sys.version_info.major}.{sys.version_info.minor}-venv"]


def without_test_tools() -> list[str]:
    """Packages of the programs that only tests run: a Java for Spark, and what reads the symbols of a library."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java") or (home and os.path.exists(os.path.join(home, "bin", "java")))
    return ([] if java else ["openjdk-17-jre-headless"]) + ([] if shutil.which("readelf") else ["binutils"])


def main() -> None:
    """Print what is missing on this machine: the window's libraries only where there is a display."""
    needed = dict(WITHOUT_DISPLAY)
    if os.environ.get("DISPLAY"):
        needed.update(WITH_DISPLAY)
    tools = without_test_tools() if "test" in sys.argv[1:] else []
    for package in without_venv() + packages_of(missing_libraries(needed), needed) + tools:
        print(package)


if __name__ == "__main__":
    main()
