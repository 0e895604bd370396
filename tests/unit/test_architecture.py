"""The floors of the program hold, and the contracts that say so would notice if they did not."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON_FILES = sorted(p for top in ("workbench", "tests", "packaging") for p in (ROOT / top).rglob("*.py"))
MAX_LINES = 400
BINARY = {".otf", ".zip", ".png", ".mo", ".pyc", ".nbi", ".nbc", ".gz", ".ico"}
FLOORS = (
    ("workbench.base", "workbench.text"),
    ("workbench.text", "workbench.kernels"),
    ("workbench.kernels", "workbench.project"),
    ("workbench.evaluation", "workbench.jobs"),
    ("workbench.methods", "workbench.jobs"),
    ("workbench.jobs", "workbench.services"),
    ("workbench.services", "workbench.gui"),
    ("workbench.gui", "workbench.cli"),
)
PLANTED = (
    *(("floors", lower, f"import {upper}.planted", f"{upper}.planted") for lower, upper in FLOORS),
    ("strangers", "workbench.methods", "import workbench.project.planted", "workbench.project"),
    ("strangers", "workbench.evaluation", "import workbench.methods.planted", "workbench.methods"),
    ("strangers", "workbench.project", "import workbench.evaluation.planted", "workbench.evaluation"),
    ("models", "workbench.gui.models", "import workbench.gui.widgets.planted", "workbench.gui.widgets"),
    ("no-qt-below-gui", "workbench.jobs", "import PySide6.QtCore", "PySide6"),
    ("home-of-qt", "workbench.cli", "import PySide6.QtWidgets", "PySide6"),
    ("home-of-pyqtgraph", "workbench.gui.views", "import pyqtgraph", "pyqtgraph"),
    ("home-of-sqlalchemy", "workbench.services", "import sqlalchemy", "sqlalchemy"),
    ("home-of-compilers", "workbench.methods", "import numba", "numba"),
    ("home-of-compilers", "workbench.text", "import pydivsufsort", "pydivsufsort"),
    ("home-of-lxml", "workbench.base", "from lxml import etree", "lxml"),
    ("home-of-statistics", "workbench.services", "from sklearn import metrics", "sklearn"),
    ("home-of-statistics", "workbench.cli", "from scipy import stats", "scipy"),
    ("home-of-statistics", "workbench.methods", "from matplotlib import figure", "matplotlib"),
)


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return list(settings["tool"]["importlinter"]["contracts"])


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", command, "--no-cache", "--no-logo"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the linter says about a copy of the package with every violation planted, by contract."""
    folder = tmp_path_factory.mktemp("planted")
    shutil.copytree(ROOT / "workbench", folder / "workbench", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in {package for _, package, _, _ in PLANTED} | {f"workbench.{name}" for name in ("gui.widgets", "cli")}:
        lines = [statement for _, planted_in, statement, _ in PLANTED if planted_in == package]
        folder.joinpath(*package.split("."), "planted.py").write_text("\n".join(lines) + "\n")
    done = lint(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    report = re.sub(r"\s+", " ", done.stdout.partition("Broken contracts")[2])
    named = {contract["id"]: contract["name"] for contract in contracts()}
    starts = sorted((report.find(f"{name} ---"), key) for key, name in named.items())
    ends = [start for start, _ in starts[1:]] + [len(report)]
    return {key: report[start:end] for (start, key), end in zip(starts, ends, strict=True) if start >= 0}


def test_the_package_keeps_every_contract() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("contract", "package", "statement", "imported"), PLANTED)
def test_a_planted_violation_is_caught(
    broken: dict[str, str], contract: str, package: str, statement: str, imported: str
) -> None:
    assert contract in broken, f"{statement!r} in {package} went unnoticed"
    assert re.search(rf"{package}\.planted -> {imported}", broken[contract])


def test_every_contract_has_a_planted_violation() -> None:
    assert {contract["id"] for contract in contracts()} == {contract for contract, _, _, _ in PLANTED}


def test_no_module_outgrows_its_limit() -> None:
    long = {
        str(p.relative_to(ROOT)): n for p in PYTHON_FILES if (n := len(p.read_text("utf-8").splitlines())) > MAX_LINES
    }
    assert not long


def test_item_models_hold_no_widgets() -> None:
    models = [p for p in PYTHON_FILES if p.is_relative_to(ROOT / "workbench" / "gui" / "models")]
    assert not [str(p.relative_to(ROOT)) for p in models if "PySide6.QtWidgets" in imported_by(p)]


def test_the_widget_rule_notices_either_kind_of_import(tmp_path: Path) -> None:
    for line in ("import PySide6.QtWidgets", "from PySide6 import QtWidgets", "from PySide6.QtWidgets import QLabel"):
        planted = tmp_path / "planted.py"
        planted.write_text(line)
        assert "PySide6.QtWidgets" in imported_by(planted)


def test_services_and_workers_load_no_qt() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "workbench").rglob("*.py"))
        if path.name not in ("__init__.py", "__main__.py") and "gui" not in path.relative_to(ROOT).parts
    ]
    code = (
        f"import importlib, sys\nfor name in {modules!r}:\n    importlib.import_module(name)\n"
        "sys.exit(any(name.partition('.')[0] in ('PySide6', 'pyqtgraph') for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_names_this_machine_or_a_package_host() -> None:
    # Spelled in parts so that this file does not name them itself.
    telltale = re.compile(
        "|".join((r"/wo" r"rk/\w", r"/ro" r"ot/\w", r"/ho" r"me/\w", "pypi" r"\.org", "python" r"hosted"))
    )
    offenders = [str(p.relative_to(ROOT)) for p in shipped_text() if telltale.search(p.read_text("utf-8"))]
    assert not offenders


def test_the_interface_accuses_nobody() -> None:
    word = "plagiari"
    named = [p for p in shipped_text() if p.is_relative_to(ROOT / "workbench") or p.is_relative_to(ROOT / "resources")]
    assert not [str(p.relative_to(ROOT)) for p in named if word in p.read_text("utf-8").lower()]


def test_no_work_is_left_as_a_note() -> None:
    note = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
    assert not [str(p.relative_to(ROOT)) for p in PYTHON_FILES if note.search(p.read_text("utf-8"))]


def imported_by(path: Path) -> set[str]:
    """Dotted names that a module imports, with the names taken from a package spelled out."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def shipped_text() -> Iterator[Path]:
    """Every text file of the repository that is written by hand."""
    for top in ("workbench", "resources", "packaging", "tests", ".ci"):
        for path in sorted((ROOT / top).rglob("*")):
            binary = path.suffix in {".otf", ".zip", ".png", ".mo", ".pyc", ".nbi", ".nbc", ".gz", ".ico"}
            if (
                path.is_file()
                and not binary
                and not path.name.endswith("_sjis.txt")
                and "__pycache__" not in path.parts
            ):
                yield path
    yield from (ROOT / name for name in ("README.md", "CHANGELOG.md", "pyproject.toml") if (ROOT / name).exists())
