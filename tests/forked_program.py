"""The command line as a process of its own that need not start an interpreter: the suite's server hands it out.

What the start of the program does is for tests that start one; those of a verb get the same arguments, streams,
folder, environment and exit code from here.
"""

from __future__ import annotations

import multiprocessing.process
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.processes import descendants
from workbench.jobs import children

PROGRAM = (sys.executable, "-m", "workbench")


def run(
    arguments: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 300,
    preexec_fn: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``palimpsest ARGUMENTS``; forked where the suite has a server, else started."""
    if not children._served:
        return subprocess.run(
            [*PROGRAM, *arguments],
            capture_output=True,
            encoding="utf-8",
            cwd=cwd,
            env=env,
            timeout=timeout,
            preexec_fn=preexec_fn,
            check=False,
        )
    with tempfile.TemporaryDirectory(prefix="program-") as folder:
        streams = [Path(folder, name) for name in ("out", "err")]
        process = _forked(arguments, *map(str, streams), cwd, env, preexec_fn)
        process.join(timeout)
        if process.is_alive():
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        code = process.exitcode
        process.close()
        output, errors = (stream.read_text(encoding="utf-8") for stream in streams)
    assert code is not None
    return subprocess.CompletedProcess([*PROGRAM, *arguments], code, output, errors)


class Begun:
    """``palimpsest ARGUMENTS`` under way, to be killed; nobody reads its streams (Linux)."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._process: BaseProcess | subprocess.Popen[bytes]
        if children._served:
            # Its workers are children of the server as it is one.
            self._root = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
            self._others = set(descendants(self._root))
            self._process = _forked(arguments, os.devnull, os.devnull)
        else:
            self._others = set()
            self._process = subprocess.Popen(
                [*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            assert self._process.pid is not None
            self._root = self._process.pid

    def workers(self) -> list[int]:
        """The processes that it has started."""
        return [pid for pid in descendants(self._root) if pid not in self._others and pid != self._process.pid]

    def kill(self) -> None:
        """End it, unless it has ended, and wait for that."""
        self._process.kill()
        if isinstance(self._process, subprocess.Popen):
            self._process.wait()
        else:
            self._process.join()
            self._process.close()


def _forked(
    arguments: Sequence[str],
    output: str,
    errors: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    prepare: Callable[[], None] | None = None,
) -> BaseProcess:
    environment = dict(os.environ if env is None else env)
    start = (list(arguments), str(cwd or Path.cwd()), environment, output, errors, prepare)
    return children.start_function(_main, start, daemon=False)


def _main(
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    output: str,
    errors: str,
    prepare: Callable[[], None] | None,
) -> None:
    # As a program that a shell started, it has no owner to follow.
    multiprocessing.process._parent_process = None  # type: ignore[attr-defined]
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if prepare is not None:
        prepare()
    for number, path in ((0, os.devnull), (1, output), (2, errors)):
        stream = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the life of the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = ["palimpsest", *arguments]
    from workbench.cli.main import main

    try:
        code = main()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    sys.exit(code)
