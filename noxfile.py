"""Everyday tasks: ``nox -l`` lists them, ``nox -s NAME -- ARGUMENTS`` runs one.

They use the environment that ``sh packaging/run test`` sets up, so run nox from there: ``.venv/bin/nox -s unit``.
"""

from __future__ import annotations

import os
import shutil
import sys

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "unit"]
# Tests start hundreds of Python processes: without stored bytecode each would compile every module.
COMMON = {"QT_SCALE_FACTOR": "1", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": ""}
OFFSCREEN = COMMON | {"QT_QPA_PLATFORM": "offscreen"}
DISPLAY = COMMON | {"QT_QPA_PLATFORM": "xcb"}


def python(session: nox.Session, *arguments: str, env: dict[str, str] | None = None) -> None:
    """Run this environment's Python with ``arguments``."""
    session.run(sys.executable, *arguments, env=env or OFFSCREEN, external=True)


def pytest(session: nox.Session, *arguments: str, env: dict[str, str] | None = None) -> None:
    """Run pytest with ``arguments`` and those of the command line."""
    python(session, "-m", "pytest", *arguments, *session.posargs, env=env)


def warm(session: nox.Session) -> None:
    """Compile the kernels that changed: once, where each of pytest's workers would."""
    python(session, "-m", "workbench", "prepare", "--json")


@nox.session
def lint(session: nox.Session) -> None:
    """Style, types and the contracts between the layers."""
    python(session, "-m", "ruff", "check")
    python(session, "-m", "ruff", "format", "--check")
    python(session, "-m", "mypy")
    python(session, "-m", "mypy", "--config-file", "tests/mypy.toml")
    python(session, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-logo")


@nox.session
def test(session: nox.Session) -> None:
    """One test file, or whatever pytest is given: nox -s test -- tests/unit/text -k width."""
    pytest(session, "-q")


@nox.session
def unit(session: nox.Session) -> None:
    """The unit tests that are not marked slow: about a minute on two cores."""
    warm(session)
    pytest(session, "-q", "-n", "2", "--dist", "worksteal", "-m", "not slow", "-p", "no:pytest-qt", "tests/unit")


@nox.session(name="all")
def everything(session: nox.Session) -> None:
    """All tests, with all examples and kills."""
    warm(session)
    whole = OFFSCREEN | {"PALIMPSEST_EXAMPLES": "1", "PALIMPSEST_FAULT_ROUNDS": "2"}
    pytest(session, "-n", os.environ.get("PALIMPSEST_TEST_WORKERS", "3"), "--dist", "worksteal", env=whole)


@nox.session
def gui(session: nox.Session) -> None:
    """The window's tests on a display of their own (needs xvfb)."""
    if shutil.which("xvfb-run") is None:
        session.error("xvfb-run is missing; on Debian: apt-get install xvfb xauth")
    command = ("xvfb-run", "-a", sys.executable, "-m", "pytest", "-q", "tests/gui", *session.posargs)
    session.run(*command, env=DISPLAY, external=True)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Speed beside peers: nox -s benchmarks -- digest copied_strings; without names the window's."""
    for name in session.posargs or ("window",):
        python(session, "-m", f"tests.benchmarks.{name}")


@nox.session
def golden(session: nox.Session) -> None:
    """Quality on texts of known truth: nox -s golden -- copies relations; without names the near-duplicates."""
    for name in session.posargs or ("near_duplicates",):
        python(session, "-m", f"tests.golden.{name}")
