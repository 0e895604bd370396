"""The only place where child processes are started.

Python started with ``-c`` or ``-m`` searches the current folder for modules first, which may not be trustworthy; no
child of this program does. A child can import whatever its parent can, because it gets the parent's search path. A
frozen program is its own interpreter: it starts itself again, with the verb :data:`~workbench.jobs.CHILD`, and searches
only its own folder for modules. System programs are not searched for in the current folder either.
"""

from __future__ import annotations

import ctypes
import importlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import spawn
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import local
from typing import Any, TypeVar

from workbench.jobs import CHILD

Number = TypeVar("Number", ctypes.c_longlong, ctypes.c_byte)

_SHARED = "/dev/shm"
_BOOTSTRAP = "import sys; sys.path[:] = {path!r}; import runpy; runpy.run_module({module!r}, None, '__main__', True)"


def spawning() -> SpawnContext:
    """The context for starting processes that run a function. They and their resource tracker do not import from the
    current folder.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    return multiprocessing.get_context("spawn")


_served = False
"""Whether the children of this process are forked from a server."""


def serve(module: str) -> None:
    """Start a server that imports ``module`` once; when this returns, :func:`start_function` forks from it.

    It ends with the last process that may request a fork. Linux only: elsewhere, and in a frozen program, this
    does nothing, and every child starts its own interpreter.
    """
    global _served
    if _served or not sys.platform.startswith("linux") or getattr(sys, "frozen", False):
        return
    spawning()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])
    first = context.Process(target=_nothing, daemon=True)
    first.start()
    first.join()
    _served = first.exitcode == 0


def _nothing() -> None:
    """The first task of a server; once it is done, the server has imported its module."""


def start_function(
    target: Callable[..., None], arguments: tuple[Any, ...], *, daemon: bool, own_interpreter: bool = False
) -> BaseProcess:
    """Start a process that runs ``target(*arguments)`` in the current environment and folder.

    It is forked from the server if there is one, unless it needs an ``own_interpreter``: a process that reads files
    from strangers must not share its memory layout with the others. Send large ``arguments`` through a pipe: a process
    that ends before reading them would block the start.
    """
    if _served and not own_interpreter:
        # Only the process that called serve can restart a killed server.
        with suppress(ConnectionError, FileNotFoundError):
            return _started(multiprocessing.get_context("forkserver"), target, arguments, daemon)
    return _started(spawning(), target, arguments, daemon)


def _started(
    context: SpawnContext | ForkServerContext,
    target: Callable[..., None],
    arguments: tuple[Any, ...],
    daemon: bool,
) -> BaseProcess:
    if isinstance(context, ForkServerContext):
        target, arguments = _run_forked, (dict(os.environ), target, arguments)
    process = context.Process(target=target, args=arguments, daemon=daemon)
    _start.leaves_script = target.__module__ != "__main__"
    try:
        process.start()
    finally:
        _start.leaves_script = False
    return process


_start = local()
"""``leaves_script``: whether the process that this thread starts does without the script of this one."""
_preparation_data = spawn.get_preparation_data


def _prepared(name: str) -> dict[str, Any]:
    """What a child knows of its parent; only functions from the parent's script need that script to be run again."""
    data: dict[str, Any] = _preparation_data(name)
    if getattr(_start, "leaves_script", False):
        for key in ("init_main_from_name", "init_main_from_path"):
            data.pop(key, None)
    return data


spawn.get_preparation_data = _prepared


def _run_forked(environment: dict[str, str], target: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """In a forked process: adopt the owner's environment, and use the server for its own children."""
    global _served
    from multiprocessing import forkserver, resource_tracker

    _served = True
    # Only the process that started the server can wait for it: others would start a second server.
    forkserver._forkserver.ensure_running = resource_tracker.ensure_running  # type: ignore[method-assign]
    if os.environ != environment:
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
    target(*arguments)


def shared_value(kind: type[Number]) -> Number:
    """A number of the C type ``kind``, 0 at first, shared with the processes that receive it when they are started.

    If no file can be created in the shared memory folder (some containers), the temporary folder is used.
    """
    if sys.platform.startswith("linux") and not os.access(_SHARED, os.W_OK | os.X_OK):
        from multiprocessing import heap

        heap.Arena._dir_candidates = []  # type: ignore[attr-defined]
    value: Number = spawning().RawValue(kind, 0)
    return value


def command(module: str) -> tuple[str, ...]:
    """The command that runs ``module`` as a program; its arguments are appended, with absolute paths."""
    if getattr(sys, "frozen", False):
        return (sys.executable, CHILD, module)
    path = [entry for entry in sys.path if entry]
    return (sys.executable, "-P", "-c", _BOOTSTRAP.format(path=path, module=module))


def run_module(module: str, arguments: Sequence[str]) -> int:
    """Run ``main()`` of ``module`` in this process with these arguments, and return its exit code."""
    sys.argv[1:] = arguments
    code: int = importlib.import_module(module).main()
    return code


def start(command: Sequence[str], *, errors: int) -> subprocess.Popen[bytes]:
    """Run a :func:`command` in one of the program's folders; its standard error goes to the file ``errors``."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        cwd=_own_folder(),
    )


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a system program: its exit ``code``, standard output and standard error."""

    code: int
    output: bytes
    errors: bytes


def find(program: str) -> str | None:
    """The path of the system program ``program``; entries of PATH that mean the current folder are ignored."""
    # Each folder is searched separately: for a bare name, Windows looks in the current folder first.
    return next((path for folder in _path() if (path := shutil.which(str(Path(folder, program))))), None)


def run(program: str, arguments: Sequence[str], *, sent: bytes = b"", seconds: float) -> Done:
    """Run a system program by name in one of this program's folders; ``sent`` is its standard input.

    Raises OSError if it cannot be run, including TimeoutError if it takes longer than ``seconds``.
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
            cwd=_own_folder(),
            env={**os.environ, "PATH": os.pathsep.join(_path()), "PYTHONSAFEPATH": "1"},
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"{program} did not end within {seconds:g} s") from error
    return Done(done.returncode, done.stdout, done.stderr)


def run_confined(
    executable: str, arguments: Sequence[str], folder: Path, *, seconds: float, memory: int, check: Callable[[], None]
) -> int:
    """Run the system program ``executable`` on a file from a stranger, and return its exit code.

    ``folder`` is its home and temporary folder; nothing else of the user's environment is passed on. On Linux it may
    allocate ``memory`` bytes and, if the system supports that, has no network and none of the user's other files. It
    and its children are killed when this process ends, after ``seconds``, and when ``check``, called ten times a
    second, raises. Raises OSError if it cannot be run, including TimeoutError.
    """
    environment = {
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LC_ALL": "C.UTF-8",
        "PATH": os.pathsep.join(_path()),
        **{name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},
    }
    process = subprocess.Popen(
        [*_alone(folder, executable), *_limited(memory, seconds), executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    end = time.monotonic() + seconds
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_CHECKED)
            check()
            if time.monotonic() > end:
                raise TimeoutError(f"{Path(executable).name} did not end within {seconds:g} s")
    finally:
        if sys.platform == "win32":
            process.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()


_CHECKED = 0.1
"""Seconds between two calls of ``check``."""


_ALONE = ("--map-root-user", "--net", "--pid", "--fork", "--kill-child")
_ROOM = """
set -e
PATH=$PATH:/usr/sbin:/sbin
home=$1 program=$2 root=$1/root
shift 2
mkdir -p "$root"
mount -t tmpfs -o mode=755 tmpfs "$root"
for name in usr bin sbin lib lib32 lib64 etc opt nix gnu var/cache/fontconfig var/lib/libreoffice; do
  if [ -L "/$name" ]; then cp -P "/$name" "$root/$name"
  elif [ -d "/$name" ]; then mkdir -p "$root/$name"; mount --rbind "/$name" "$root/$name"; fi
done
mkdir -p "$root/dev" "$root/proc" "$root/tmp" "$root$home"
for name in null zero random urandom; do : > "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mount -t proc proc "$root/proc" || :
mount --bind "$home" "$root$home"
[ -d "$root$program" ] || { mkdir -p "$root$program"; mount --rbind "$program" "$root$program"; }
exec chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$home" "$@"
"""
"""A shell script that runs a command where only the system's programs and the folder $1 exist; $2: the program's."""


def _alone(folder: Path, executable: str) -> tuple[str, ...]:
    """A command prefix that isolates ``executable`` from the network and from the user's files outside ``folder``, and
    ends its processes with it; the last alone, or nothing, if the system does not support more.
    """
    unshare, shell = (find(name) if sys.platform == "linux" else None for name in ("unshare", "sh"))
    if unshare is None or shell is None:
        return ()
    program = str(Path(executable).resolve().parent.parent)
    room = (unshare, *_ALONE, "--mount", shell, "-c", _ROOM, shell, str(folder), program)
    return next((prefix for prefix in (room, (unshare, *_ALONE)) if _works(prefix)), ())


@lru_cache(maxsize=4)
def _works(prefix: tuple[str, ...]) -> bool:
    return subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0


def _limited(memory: int, seconds: float) -> tuple[str, ...]:
    executable = find("prlimit") if sys.platform == "linux" else None
    return () if executable is None else (executable, f"--data={memory}", f"--cpu={round(2 * seconds) + 1}")


def windows_line(command: Sequence[str]) -> str:
    """``command`` as the single line that programs on Windows parse."""
    return subprocess.list2cmdline(command)


def _own_folder() -> Path:
    """One of the program's own folders; the modules of a frozen program are in an archive, not in folders."""
    return Path(sys.executable if getattr(sys, "frozen", False) else __file__).resolve().parent


def _path() -> list[str]:
    return [folder for folder in os.get_exec_path() if Path(folder).is_absolute()]
