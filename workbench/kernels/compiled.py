"""Decorators for kernels: functions called from Python, and helpers called only from kernels.

The wrapper for calling a function from Python or C takes as long to compile as a short function itself.
"""

from __future__ import annotations

import gc
import hashlib
import re
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import event
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import Compiler
from numba.extending import register_jitable

from workbench.base import compiling


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
    """

    def _load_index(self) -> Any:
        with suppress(Exception):  # unpickling may raise any exception
            return super()._load_index()  # type: ignore[no-untyped-call]
        return {}


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


class _Listener(event.Listener):
    """Compiling a kernel compiles the kernels that it calls; only the outermost is timed, per thread.

    Garbage collection is off meanwhile: the compiler creates so many long-lived objects that a tenth of its time would
    be spent scanning them.
    """

    def __init__(self) -> None:
        self._here = threading.local()

    def on_start(self, event: event.Event) -> None:
        """A compilation begins."""
        self._here.depth = getattr(self._here, "depth", 0) + 1
        if self._here.depth == 1:
            self._here.collects = gc.isenabled()
            gc.disable()
            self._here.begun = time.perf_counter()
            compiling.begin()

    def on_end(self, event: event.Event) -> None:
        """A compilation ends, or failed."""
        self._here.depth = getattr(self._here, "depth", 1) - 1
        if self._here.depth == 0:
            compiling.end(time.perf_counter() - self._here.begun)
            if self._here.collects:
                gc.enable()


def time_compilation() -> None:
    """Report the time numba spends compiling to :mod:`workbench.base.compiling`, excluding loads from its cache."""
    event.register("numba:compile", _Listener())  # type: ignore[no-untyped-call]
