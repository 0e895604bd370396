"""The floors of the program hold, and the contracts that say so would notice if they did not."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from workbench.jobs.children import start_function

ROOT = Path(__file__).resolve().parents[2]
PYTHON_FILES = sorted(p for top in ("workbench", "tests", "packaging") for p in (ROOT / top).rglob("*.py"))
BINARY = {".otf", ".zip", ".png", ".mo", ".pyc", ".nbi", ".nbc", ".gz", ".ico"}
FLOORS = (
    ("workbench.base", "workbench.text"),
    ("workbench.text", "workbench.kernels"),
    ("workbench.kernels", "workbench.reading"),
    ("workbench.reading", "workbench.methods"),
    ("workbench.kernels", "workbench.project"),
    ("workbench.evaluation", "workbench.jobs"),
    ("workbench.methods", "workbench.jobs"),
    ("workbench.jobs", "workbench.services"),
    ("workbench.methods", "workbench.scaleout"),
    ("workbench.jobs", "workbench.scaleout"),
    ("workbench.scaleout", "workbench.services"),
    ("workbench.services", "workbench.gui"),
    ("workbench.gui", "workbench.cli"),
)
PLANTED = (
    *(("floors", lower, f"import {upper}.planted", f"{upper}.planted") for lower, upper in FLOORS),
    ("strangers", "workbench.methods", "import workbench.project.planted", "workbench.project"),
    ("strangers", "workbench.evaluation", "import workbench.methods.planted", "workbench.methods"),
    ("strangers", "workbench.project", "import workbench.evaluation.planted", "workbench.evaluation"),
    ("door-to-the-project", "workbench.gui.screens.start", "import workbench.project.planted", "workbench.project"),
    ("door-to-the-project", "workbench.cli", "import workbench.project.labels", "workbench.project"),
    ("rooms-of-the-window", "workbench.gui.kit", "import workbench.gui.shell.window", "workbench.gui.shell"),
    (
        "screens",
        "workbench.gui.screens.start",
        "import workbench.gui.screens.jobs.planted",
        "workbench.gui.screens.jobs",
    ),
    ("no-qt-below-gui", "workbench.jobs", "import PySide6.QtCore", "PySide6"),
    ("home-of-qt", "workbench.cli", "import PySide6.QtWidgets", "PySide6"),
    ("home-of-pyqtgraph", "workbench.gui.screens.start", "import pyqtgraph", "pyqtgraph"),
    ("home-of-sqlalchemy", "workbench.services", "import sqlalchemy", "sqlalchemy"),
    ("home-of-compilers", "workbench.methods", "import numba", "numba"),
    ("home-of-compilers", "workbench.text", "import pydivsufsort", "pydivsufsort"),
    ("home-of-lxml", "workbench.base", "from lxml import etree", "lxml"),
    ("home-of-engines", "workbench.services", "import duckdb", "duckdb"),
    ("home-of-engines", "workbench.methods", "import pyarrow", "pyarrow"),
    ("home-of-statistics", "workbench.services", "from sklearn import metrics", "sklearn"),
    ("home-of-statistics", "workbench.cli", "from scipy import stats", "scipy"),
    ("home-of-statistics", "workbench.methods", "from matplotlib import figure", "matplotlib"),
)
CIRCLES = (
    ("workbench.methods", "workbench.methods.digest.parameters", "workbench.methods.copies.method"),
    ("workbench.methods.initials", "workbench.methods.initials.parameters", "workbench.methods.initials.finding"),
    ("workbench.services.engines", "workbench.services.engines.setup", "workbench.services.engines.running"),
    ("workbench.gui.screens.review", "workbench.gui.screens.review.pair_data", "workbench.gui.screens.review.view"),
)
"""Folder in which an import closes a circle, the file that gets the import, and the file it imports."""


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
    for package in {package for _, package, _, _ in PLANTED} | {
        f"workbench.{name}" for name in ("gui.screens.jobs", "cli")
    }:
        lines = [statement for _, planted_in, statement, _ in PLANTED if planted_in == package]
        folder.joinpath(*package.split("."), "planted.py").write_text("\n".join(lines) + "\n")
    for _, importer, imported in CIRCLES:
        with folder.joinpath(*importer.split(".")).with_suffix(".py").open("a") as file:
            file.write(f"import {imported}\n")
    done = lint(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    report = re.sub(r"\s+", " ", done.stdout.partition("Broken contracts")[2])
    named = {contract["id"]: contract["name"] for contract in contracts()}
    starts = sorted((report.find(f"{name} ---"), key) for key, name in named.items())
    ends = [start for start, _ in starts[1:]] + [len(report)]
    return {key: report[start:end] for (start, key), end in zip(starts, ends, strict=True) if start >= 0}


@pytest.mark.slow
def test_the_package_keeps_every_contract() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("contract", "package", "statement", "imported"), PLANTED)
def test_a_planted_violation_is_caught(
    broken: dict[str, str], contract: str, package: str, statement: str, imported: str
) -> None:
    assert contract in broken, f"{statement!r} in {package} went unnoticed"
    assert re.search(rf"{package}\.planted -> {imported}", broken[contract])


@pytest.mark.slow
@pytest.mark.parametrize("folder", [folder for folder, _, _ in CIRCLES])
def test_a_planted_circle_is_caught(broken: dict[str, str], folder: str) -> None:
    assert f"No cycles are allowed in {folder}. " in broken["circles"]


def test_every_contract_has_a_planted_violation() -> None:
    assert {contract["id"] for contract in contracts()} == {contract for contract, _, _, _ in PLANTED} | {"circles"}


@pytest.mark.slow
def test_services_and_workers_load_no_qt() -> None:
    process = start_function(_end_with_1_where_qt_is_loaded, (), daemon=False)
    process.join()
    assert process.exitcode == 0


def _end_with_1_where_qt_is_loaded() -> None:
    for path in sorted((ROOT / "workbench").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if path.name not in ("__init__.py", "__main__.py") and "gui" not in parts:
            import_module(".".join(parts))
    sys.exit(any(name.partition(".")[0] in ("PySide6", "pyqtgraph") for name in sys.modules))


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
    for top in ("workbench", "resources", "packaging", "tests", "docs", ".ci"):
        for path in sorted((ROOT / top).rglob("*")):
            binary = path.suffix in {".otf", ".zip", ".png", ".mo", ".pyc", ".nbi", ".nbc", ".gz", ".ico"}
            if (
                path.is_file()
                and not binary
                and not path.name.endswith("_sjis.txt")
                and "__pycache__" not in path.parts
            ):
                yield path
    own = ("*.md", "*.toml", "noxfile.py", ".editorconfig", ".pre-commit-config.yaml")
    yield from (path for pattern in own for path in sorted(ROOT.glob(pattern)))


MESSAGE_FLOORS = ("base", "text", "reading", "project", "jobs", "evaluation", "methods", "services")
SHOWN = {"Failure": 1, "Notice": 1, "warn": 0, "damaged": 0, "advance": 0, "Reason": 0, "Explanation": 1}
"""What takes a sentence that the window shows, besides errors, and the place of the first among its arguments."""


def bare_sentences(top: Path) -> list[str]:
    """Places below the window where a sentence is no Message."""
    sources = {
        path: path.read_text(encoding="utf-8")
        for floor in MESSAGE_FLOORS
        for path in sorted((top / floor).rglob("*.py"))
    }
    bases = {
        name: set(re.findall(r"\w+", above))
        for source in sources.values()
        for name, above in re.findall(r"^ *class (\w+)\(([^)]*)\)", source, re.M)
    }
    errors = {"UserError"}
    while more := {name for name, above in bases.items() if above & errors} - errors:
        errors |= more
    takers = SHOWN | dict.fromkeys(errors, 0)
    # Most modules call none of them and need not be parsed.
    calls = re.compile(rf"\b(?:{'|'.join(takers)})\(")
    return [
        f"{path.relative_to(top)}:{node.lineno}"
        for path, source in sources.items()
        if calls.search(source)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and (name := _last_name(node.func)) in takers
        for argument in (*node.args[takers[name] :], *(k.value for k in node.keywords if k.arg == "hint"))
        if _is_sentence(argument)
    ]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_sentence(node: ast.expr) -> bool:
    parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and " " in str(part.value)) for part in parts
    )


FILLED_LATER = {
    "base/locators.py",
    "gui/screens/documents/selectors_dialog.py",
    "gui/shell/commands.py",
    "methods/rare_sentences/relations.py",
    "methods/sketches/explaining.py",
    "methods/sketches/winnowing/sketch.py",
    "services/engines/setup.py",
    "services/labels/definitions.py",
}
"""Modules with sentences that are filled elsewhere, or whose braces are for the user to write."""
SHORTER_IN_THE_PLURAL = {
    "{length}; {count} other source of this run also matches here",
    "{length}; the {count} other document does not contain it verbatim",
    "{count} vowel with an accent",
}
_BRACES = re.compile(r"\{(\w+)\}")
_SENTENCES = re.compile(r"\b(?:Message|Counted|trn?)\(")


def unfilled(source: str, *, later: bool = False) -> set[str]:
    """Sentences whose names in braces are not those of the values, or whose plural comes first; with ``later`` they may
    be without any value.
    """
    sentences: set[str] = set()
    if not (_BRACES.search(source) and _SENTENCES.search(source)):
        return sentences
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or _last_name(node.func) not in ("Message", "Counted", "tr", "trn"):
            continue
        forms = [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        values = {keyword.arg for keyword in node.keywords}
        if not forms or None in values or (later and not values):
            continue
        names = {name for form in forms for name in _BRACES.findall(form)}
        if names - ({"count"} if len(forms) == 2 else set()) != values:
            sentences.add(forms[0])
        if len(forms) == 2 and len(forms[1]) < len(forms[0]) and forms[0] not in SHORTER_IN_THE_PLURAL:
            sentences.add(forms[0])
    return sentences


@pytest.mark.slow
def test_every_name_in_a_sentence_has_its_value() -> None:
    top = ROOT / "workbench"
    files = {str(path.relative_to(top)).replace("\\", "/"): path for path in sorted(top.rglob("*.py"))}
    assert files.keys() >= FILLED_LATER
    sentences = {
        name: lacking
        for name, path in files.items()
        if (lacking := unfilled(path.read_text("utf-8"), later=name in FILLED_LATER))
    }
    assert sentences == {}


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ('Message("at {place}", place=1)', True),
        ('Message("at {place}")', False),
        ('Message("at {place}", places=1)', False),
        ('tr("{one} of {other}", one=1)', False),
        ('trn("{count} file of {all}", "{count} files of {all}", 2)', False),
        ('trn("{count} file", "{count} files", 2)', True),
        ('trn("{count} files", "{count} file", 2)', False),
        ('trn("is {number}", "are {number}", 2, number=2)', True),
        ('Message("at {place}", **values)', True),
        ('Message("nowhere", place=1)', True),
    ],
)
def test_a_sentence_without_a_value_is_noticed(source: str, right: bool) -> None:
    assert (unfilled(source) == set()) is right


@pytest.mark.slow
def test_sentences_below_the_window_are_messages() -> None:
    assert bare_sentences(ROOT / "workbench") == []


@pytest.mark.parametrize(
    "planted",
    [
        "raise Late(f'The {path} is late.')",
        "raise UserError('It is late.')",
        "raise UserError(message, hint='Try later.')",
        "Failure(path, 'It is late.')",
        "ctx.warn('It is late.' if late else message)",
        "Reason('a b', True, detail)",
    ],
)
def test_a_planted_sentence_that_is_not_a_message_is_caught(planted: str, tmp_path: Path) -> None:
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "new.py").write_text(f"class Late(UserError): ...\n{planted}\n", encoding="utf-8")
    assert bare_sentences(tmp_path) == ["services/new.py:2"]


def test_the_picture_of_the_layers_is_as_the_imports_are() -> None:
    done = subprocess.run([sys.executable, "packaging/architecture.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "python packaging/architecture.py draws it again"
