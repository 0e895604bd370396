"""How kernels are compiled: those that Python calls, and those that only kernels call.

The wrapper with which Python or C calls a function takes as long to compile as a short function itself.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit
from numba.core import event
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import Compiler
from numba.extending import register_jitable

from workbench.base import compiling


class _Compiler(Compiler):
    """What a function calls is compiled for it as for a helper, so once: numba stores that by the caller's settings."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)  # type: ignore[no-untyped-call]
        self._flags = self.state.flags
        self.state.flags = self._flags.copy()
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.discard("release_gil")

    def define_pipelines(self) -> Any:
        """The usual passes; called when the settings for what the function calls have been read."""
        self.state.flags = self._flags
        return super().define_pipelines()  # type: ignore[no-untyped-call]


class _Index(IndexDataCacheFile):
    """The index of a kernel's stored code.

    numba unpickles it before it checks that the source file is unchanged: the index of an earlier commit may name
    classes that are gone. One that cannot be read counts as empty, and is written anew.
    """

    def _load_index(self) -> Any:
        with suppress(Exception):  # whatever unpickling raises
            return super()._load_index()  # type: ignore[no-untyped-call]
        return {}


def kernel(function: Callable[..., Any]) -> Any:
    """A function that Python calls, compiled when first called and stored; it runs beside other threads."""
    options: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True, "pipeline_class": _Compiler}
    dispatcher = njit(**options)(function)
    dispatcher._cache._cache_file.__class__ = _Index
    return dispatcher


def helper(function: Callable[..., Any]) -> Any:
    """A function that kernels call, compiled as part of them; where Python calls it, it is not compiled."""
    return register_jitable(no_cfunc_wrapper=True)(function)


class _Listener(event.Listener):
    """Compiling a kernel compiles those it calls: only the outermost is timed, per thread.

    No garbage is collected meanwhile: the compiler makes so many objects that live on that a tenth of its time would
    go into looking through them.
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
    """Count the seconds that numba compiles, for :mod:`workbench.base.compiling`, excluding loads from its cache."""
    event.register("numba:compile", _Listener())  # type: ignore[no-untyped-call]
