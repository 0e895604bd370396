"""What pyproject.toml cannot say: the files of resources/ are installed inside the package ``workbench``.

There every way of installing finds them: into an environment, with --user, with --target, frozen.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

RESOURCES = Path("resources")
NOT_SHIPPED = ("sample/templates", "screenshots")
"""Below resources/: what the sample is made from, and the pictures of the README."""


def shipped(folder: Path) -> list[Path]:
    """The files below ``folder`` that are installed, relative to it, in order."""
    files = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in files if not path.as_posix().startswith(NOT_SHIPPED)]


class BuildWithResources(build_py):
    """Copies resources/ into the package, unless it is used in place."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib, "workbench", "resources")
        shutil.rmtree(target, ignore_errors=True)
        for path in shipped(RESOURCES):
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(RESOURCES / path, target / path)


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildWithResources})
