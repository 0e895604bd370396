"""The package palimpsest-scale: what only collections beyond a project and Parquet tables need, in a folder of its own.

Laid over the program's folder, it is found there; without it the program says what to install.
"""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

DISTRIBUTIONS = ("duckdb", "pyarrow")
COMPONENTS = "COMPONENTS-scale.tsv"
"""Its list of licences, beside that of the rest."""


def parts() -> set[str]:
    """First parts of the paths of its files, as they are installed and in the folder."""
    found: set[str] = set()
    for name in DISTRIBUTIONS:
        try:
            found |= {file.parts[0] for file in distribution(name).files or []}
        except PackageNotFoundError:
            continue
    return found - {".."}


def packages() -> list[str]:
    """Names of its Python packages."""
    return sorted(part for part in parts() if part.isidentifier())


def beside(folder: Path) -> Path:
    """Where the part of the program's ``folder`` lies once it is apart."""
    return folder.with_name(f"{folder.name}-scale")


def lay_apart(folder: Path) -> None:
    """Move the part out of a finished folder."""
    inside, target = folder / "_internal", beside(folder) / "_internal"
    shutil.rmtree(beside(folder), ignore_errors=True)
    (target / "licences").mkdir(parents=True)
    for name in (*parts(), *(f"licences/{name}" for name in (*DISTRIBUTIONS, COMPONENTS))):
        if (inside / name).exists():
            shutil.move(inside / name, target / name)
