"""The only place where child processes are started.

Python started with ``-c`` or ``-m`` looks for modules in the current folder first, which may not be trustworthy; no
child of this program does. A child can import whatever its parent can, because it is given the parent's search path.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Sequence
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
