"""One module starts child processes; a second one would be noticed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "workbench" / "jobs" / "children.py"
MODULES = {"subprocess", "pty", "concurrent.futures.process", "asyncio.subprocess", "joblib"}
NAMES = {"QProcess", "ProcessPoolExecutor", "get_context", "set_start_method", "create_subprocess_exec"}
NAMES |= {"create_subprocess_shell"}
OS = {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"}
MULTIPROCESSING = {"Process", "Pool", "Manager", "Queue", "Event", "Value", "Array", "RawValue", "Pipe"}
_WORDS = re.compile(rf"\b({'|'.join([*MODULES, *NAMES, *OS, 'multiprocessing', 'exec', 'spawn'])})")
"""A module without any of these words can start nothing: not to parse it is quicker."""


def starts(source: str) -> set[str]:
    """What in ``source`` can start a process."""
    modules: set[str] = set()
    if not _WORDS.search(source):
        return modules
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names} & MODULES
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            modules |= {node.module or ""} & MODULES
            modules |= names & NAMES
            if node.module == "os":
                modules |= {name for name in names if _starts(name)}
            if node.module == "multiprocessing":
                modules |= names & MULTIPROCESSING
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in NAMES or (owner == "os" and _starts(node.attr)):
                modules.add(node.attr)
            if owner == "multiprocessing" and node.attr in MULTIPROCESSING:
                modules.add(node.attr)
    return modules


def _starts(name: str) -> bool:
    return name in OS or name.startswith(("exec", "spawn"))


@pytest.mark.slow
def test_child_processes_are_started_in_one_place() -> None:
    violations = {
        str(path.relative_to(ROOT)): names
        for path in sorted((ROOT / "workbench").rglob("*.py"))
        if path != HOME and (names := starts(path.read_text("utf-8")))
    }
    assert not violations


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess",
        "from subprocess import run",
        "import os; os.system('x')",
        "from os import execv",
        "import os; os.posix_spawn('x', [], {})",
        "import multiprocessing; multiprocessing.get_context('spawn')",
        "import multiprocessing; multiprocessing.Process()",
        "from multiprocessing import Pool",
        "from concurrent.futures import ProcessPoolExecutor",
        "from PySide6.QtCore import QProcess",
        "import asyncio; asyncio.create_subprocess_exec('x')",
    ],
)
def test_another_place_would_be_noticed(line: str) -> None:
    assert starts(line)


def test_threads_are_not_processes() -> None:
    assert not starts("from concurrent.futures import ThreadPoolExecutor\nimport multiprocessing.connection")
