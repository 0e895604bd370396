"""Decorators for kernels: functions called from Python, and helpers called only from kernels.

The wrapper for calling a function from Python or C takes as long to compile as a short function itself.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numba import njit
from numba.core import event
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import Compiler
from numba.extending import register_jitable

from workbench.base import compiling

if TYPE_CHECKING:
    from filelock import FileLock


class _Compiler(Compiler):
    """Functions called by a kernel are compiled like helpers, so once: numba caches them by the caller's settings."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)  # type: ignore[no-untyped-call]
        self._flags = self.state.flags
        self.state.flags = self._flags.copy()
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.discard("release_gil")

    def define_pipelines(self) -> Any:
        """The usual passes; called after the settings for called functions have been read."""
        self.state.flags = self._flags
        return super().define_pipelines()  # type: ignore[no-untyped-call]


class _Index(IndexDataCacheFile):
    """The index of a kernel's stored code.

    numba unpickles it before checking that the source file is unchanged, and the index of an earlier commit may refer
    to classes that no longer exist. An unreadable index counts as empty, and is rewritten.

    Processes that need the same kernel at the same time do not all compile it: one does, the others wait for it.
    """

    _lock: FileLock | None = None
    """Held from the moment the code is not found until it is stored."""

    def load(self, key: Any) -> Any:
        """The stored code, once a process that is compiling it has stored it; None if it must be compiled here."""
        stored = super().load(key)  # type: ignore[no-untyped-call]
        if stored is None and self._lock is None and self._take():
            stored = super().load(key)  # type: ignore[no-untyped-call]
            if stored is not None:
                self.release()
        return stored

    def save(self, key: Any, data: Any) -> None:
        """Store compiled code."""
        try:
            super().save(key, data)  # type: ignore[no-untyped-call]
        finally:
            self.release()

    def _take(self) -> bool:
        """Take the lock; False if there is none here, or its holder takes too long. Raises BusyKernel."""
        from filelock import FileLock, Timeout

        lock = FileLock(f"{self._index_path}.lock", thread_local=False)
        try:
            with suppress(Timeout):
                lock.acquire(timeout=0)
            if not lock.is_locked:
                if _waiting.refused:
                    raise BusyKernel
                with _stopwatch:
                    lock.acquire(timeout=_PATIENCE)
        except (Timeout, OSError, NotImplementedError):
            return False
        self._lock = lock
        return True

    def release(self) -> None:
        """Let other processes compile this kernel, or load what has been stored."""
        if self._lock is not None:
            # Removed while it is held, because waiting processes notice that it is gone.
            with suppress(OSError):
                os.unlink(self._lock.lock_file)
            self._lock.release()
            self._lock = None

    def _load_index(self) -> Any:
        with suppress(Exception):  # unpickling may raise any exception
            return super()._load_index()  # type: ignore[no-untyped-call]
        return {}


class BusyKernel(Exception):
    """Another process is compiling the kernel that was called, within :func:`without_waiting`."""


class _Waiting(threading.local):
    refused = False


_waiting = _Waiting()


@contextmanager
def without_waiting() -> Iterator[None]:
    """Calls of kernels that another process is compiling raise BusyKernel instead of waiting for it."""
    _waiting.refused = True
    try:
        yield
    finally:
        _waiting.refused = False


_PATIENCE = 60.0
"""Seconds to wait for another process that compiles the same kernel, which may have been stopped."""


_IMPORT = re.compile(r"^from (workbench\b[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


@cache
def _source(module: str) -> tuple[bytes, frozenset[str]]:
    """The digest of a module's file, and the names of the modules of this program that it imports."""
    path = getattr(sys.modules[module], "__file__", None)
    content = Path(path).read_bytes() if path else b""
    imports = _IMPORT.findall(content.decode("utf-8"))
    names = {package for package, _ in imports}
    names |= {f"{package}.{name}" for package, imported in imports for name in re.findall(r"\w+", imported)}
    return hashlib.sha256(content).digest(), frozenset(names & sys.modules.keys())


@cache
def _stamp(module: str) -> bytes:
    """A digest of all that compiled code of ``module`` may contain: its file and those it imports, also indirectly.

    numba looks at the file of the kernel alone, but constants and helpers of other modules are compiled into its code.
    """
    known, unread = set(), {module}
    while unread:
        known |= unread
        unread = {name for reader in unread for name in _source(reader)[1]} - known
    return hashlib.sha256(b"".join(_source(name)[0] for name in sorted(known))).digest()


def kernel(function: Callable[..., Any]) -> Any:
    """A function called from Python, compiled on first use and cached; it releases the GIL."""
    options: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True, "pipeline_class": _Compiler}
    dispatcher = njit(**options)(function)
    index = dispatcher._cache._cache_file
    index.__class__ = _Index
    # The stamp of a frozen program is the digest of its executable, which contains every module.
    if not getattr(sys, "frozen", False):
        index._source_stamp += _stamp(function.__module__)
    return dispatcher


def helper(function: Callable[..., Any]) -> Any:
    """A function called from kernels and compiled as part of them; called from Python, it is not compiled."""
    return register_jitable(no_cfunc_wrapper=True)(function)


class _Stopwatch(threading.local):
    """Times what a thread spends compiling, or waiting for another process that does.

    Compiling a kernel compiles the kernels that it calls; only the outermost is timed. Garbage collection is off
    meanwhile: the compiler creates so many long-lived objects that a tenth of its time would be spent scanning them.
    """

    depth = 0
    collects = True
    begun = 0.0

    def __enter__(self) -> None:
        self.depth += 1
        if self.depth == 1:
            self.collects = gc.isenabled()
            gc.disable()
            self.begun = time.perf_counter()
            compiling.begin()

    def __exit__(self, *exception: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            compiling.end(time.perf_counter() - self.begun)
            if self.collects:
                gc.enable()


_stopwatch = _Stopwatch()


class _Listener(event.Listener):
    def on_start(self, event: event.Event) -> None:
        """A compilation begins."""
        _stopwatch.__enter__()

    def on_end(self, event: event.Event) -> None:
        """A compilation ends, or failed."""
        _stopwatch.__exit__()
        index = getattr(event.data["dispatcher"]._cache, "_cache_file", None)
        # What failed is not stored. ``event.is_failed`` is true for what did not fail.
        if sys.exc_info()[0] is not None and isinstance(index, _Index):
            index.release()


def time_compilation() -> None:
    """Report the time numba spends compiling to :mod:`workbench.base.compiling`, excluding loads from its cache."""
    event.register("numba:compile", _Listener())  # type: ignore[no-untyped-call]
