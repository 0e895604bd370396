"""The README's commands, CI and the reference agree with the program; missing system packages are named."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from workbench.base import libraries

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text("utf-8")


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ci_runs_the_readme_command() -> None:
    assert "\nsh packaging/run test\n" in README
    assert re.search(r"exec (.*)$", (ROOT / ".ci" / "run").read_text("utf-8"), re.M)[1] == "sh packaging/run test --all"  # type: ignore[index]


def test_the_script_is_valid_for_a_plain_shell() -> None:
    shell = shutil.which("dash") or "sh"
    subprocess.run([shell, "-n", str(ROOT / "packaging" / "run")], check=True)


def test_the_reference_is_current() -> None:
    stale = [p.name for p, text in load("reference").pages() if not p.exists() or p.read_text("utf-8") != text]
    assert stale == [], "run packaging/reference.py"


def test_the_readme_stays_short() -> None:
    assert len(README.encode()) <= 8_000


def test_the_readme_names_every_system_package() -> None:
    packages = load("system_packages")
    for package in (packages.WITHOUT_DISPLAY | packages.WITH_DISPLAY).values():
        assert package in README


def test_a_library_that_does_not_load_is_reported_once_by_its_package() -> None:
    packages = load("system_packages")
    libraries = {"libc.so.6": "libc6", "libabsent-one.so.1": "absent1", "libabsent-two.so.1": "absent1"}
    missing = packages.missing_libraries(libraries)
    assert missing == ["libabsent-one.so.1", "libabsent-two.so.1"]
    assert packages.packages_of(missing, libraries) == ["absent1"]


def test_window_libraries_are_asked_for_only_where_there_is_a_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = load("system_packages")
    monkeypatch.setattr(libraries, "loads", lambda library: False)
    monkeypatch.delenv("DISPLAY", raising=False)
    packages.main()
    assert "libxcb-cursor0" not in capsys.readouterr().out
    monkeypatch.setenv("DISPLAY", ":1")
    packages.main()
    assert "libxcb-cursor0" in capsys.readouterr().out


def test_programs_that_only_tests_run_are_asked_for_with_the_tests_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = load("system_packages")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    printed = {}
    for what in ("run", "test"):
        monkeypatch.setattr(packages.sys, "argv", ["system_packages.py", what])
        packages.main()
        printed[what] = set(capsys.readouterr().out.split())
    needed = {"binutils", "openjdk-17-jre-headless"}  # readelf reads the symbols of a library; Spark runs on Java
    assert printed["test"] >= needed
    assert not printed["run"] & needed
    assert all(package in README for package in needed)


@pytest.mark.slow
def test_a_user_who_may_install_nothing_is_told_the_exact_line(tmp_path: Path) -> None:
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "packaging", folder / "packaging", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "packaging" / "system_packages.py").write_text("print('libegl1')\nprint('libgl1')\n")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("dirname", "sh", "env"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    (tools / "python3").symlink_to(sys.executable)
    (tools / "id").write_text("#!/bin/sh\necho 1000\n")
    (tools / "id").chmod(0o755)
    command = [shutil.which("sh") or "sh", "packaging/run", "setup"]
    done = subprocess.run(command, cwd=folder, env={"PATH": str(tools)}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "sudo apt-get install -y --no-install-recommends libegl1 libgl1" in done.stderr
    assert not (folder / ".venv").exists()


Tools = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_test(tmp_path: Path) -> Tools:
    """``run_test(ruff="exit 1", ..)``: the test command in a set-up checkout whose tools are these shell scripts."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "packaging", folder / "packaging", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "packaging" / "system_packages.py").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    checksum = hashlib.sha256((folder / "pyproject.toml").read_bytes()).hexdigest()
    (folder / ".venv" / "ready-test").write_text(f"Python {platform.python_version()} {checksum} {folder}\n")

    def run(**tools: str) -> subprocess.CompletedProcess[str]:
        # The kernels are compiled by a call with -c, the tests run by one with -m.
        pytest_only = f'[ "$1" = -m ] || exit 0\n{tools.pop("pytest", "echo tested")}'
        for name, lines in {"ruff": "", "mypy": "", "lint-imports": "", "python": pytest_only, **tools}.items():
            (programs / name).write_text(f"#!/bin/sh\n{lines}\n")
            (programs / name).chmod(0o755)
        command = [shutil.which("sh") or "sh", "packaging/run", "test"]
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        return subprocess.run(
            command, cwd=folder, env={"PATH": path}, capture_output=True, text=True, check=False, timeout=120
        )

    return run


def test_the_test_command_fails_as_its_tests_do_and_shows_what_mypy_said(run_test: Tools) -> None:
    passed = run_test(mypy="echo no issues")
    assert (passed.returncode, passed.stdout) == (0, "tested\n")
    assert passed.stderr.endswith("no issues\n")
    assert run_test(pytest="exit 3").returncode == 3


@pytest.mark.parametrize("tools", [{"ruff": "exit 1"}, {"lint-imports": "exit 1"}])
def test_no_test_runs_after_a_check_that_failed(run_test: Tools, tools: dict[str, str]) -> None:
    done = run_test(**tools)
    assert (done.returncode, done.stdout) == (1, "")


def test_wrong_types_stop_the_tests_that_run_meanwhile(run_test: Tools) -> None:
    # Where the suite runs in the background its children ignore the signal, unless they ask for it.
    tests = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL); open('runs', 'w'); time.sleep(100)"
    types = "while ! [ -e runs ]; do sleep .05; done; echo wrong type; exit 1"
    done = run_test(mypy=types, pytest=f'exec {sys.executable} -c "{tests}"')
    assert done.returncode == 1
    assert done.stderr.endswith("wrong type\n")
