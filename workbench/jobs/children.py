"""The only place where child processes are started.

Python started with ``-c`` or ``-m`` looks for modules in the current folder first, which may not be trustworthy; no
child of this program does. A child can import whatever its parent can, because it is given the parent's search path.
Programs of the system are not looked for in the current folder either.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.context import SpawnContext
from pathlib import Path

_BOOT = "import sys; sys.path[:] = {path!r}; import runpy; runpy.run_module({module!r}, None, '__main__', True)"


def spawning() -> SpawnContext:
    """The context for starting processes that run a function. They and their resource tracker inherit the setting."""
    os.environ["PYTHONSAFEPATH"] = "1"
    return multiprocessing.get_context("spawn")


def command(module: str) -> tuple[str, ...]:
    """The command that runs ``module`` as a program; its arguments are appended, with absolute paths."""
    path = [entry for entry in sys.path if entry]
    return (sys.executable, "-P", "-c", _BOOT.format(path=path, module=module))


def start(command: Sequence[str], *, errors: int) -> subprocess.Popen[bytes]:
    """Run a :func:`command` in one of the program's folders; its standard error goes to the file ``errors``."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        cwd=Path(__file__).parent,
    )


@dataclass(frozen=True, slots=True)
class Done:
    """What a program of the system left: its exit ``code``, and what it wrote to standard output and error."""

    code: int
    output: bytes
    errors: bytes


def find(program: str) -> str | None:
    """Where the program of the system of that name is; what the path says of the current folder does not count."""
    # Each folder is asked by itself: asked for a bare name, Windows looks in the current folder first.
    return next((path for folder in _path() if (path := shutil.which(str(Path(folder, program))))), None)


def run(program: str, arguments: Sequence[str], *, sent: bytes = b"", seconds: float) -> Done:
    """Run a program of the system by its name in one of this program's folders; ``sent`` is its standard input.

    Raises OSError where it cannot be run, and TimeoutError, which is one, where it takes longer than ``seconds``.
    """
    executable = find(program)
    if executable is None:
        raise FileNotFoundError(f"{program} was not found")
    try:
        done = subprocess.run(
            [executable, *arguments],
            input=sent,
            capture_output=True,
            check=False,
            timeout=seconds,
            cwd=Path(__file__).parent,
            env={**os.environ, "PATH": os.pathsep.join(_path()), "PYTHONSAFEPATH": "1"},
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"{program} did not end within {seconds:g} s") from error
    return Done(done.returncode, done.stdout, done.stderr)


def windows_line(command: Sequence[str]) -> str:
    """``command`` as the one line that programs on Windows take apart again."""
    return subprocess.list2cmdline(command)


def _path() -> list[str]:
    return [folder for folder in os.get_exec_path() if Path(folder).is_absolute()]
