"""Counts the seconds that numba compiles, for :mod:`workbench.base.compiling`; excluding loads from its cache.

No garbage is collected meanwhile: the compiler makes so many objects that live on that a tenth of its time would go
into looking through them.
"""

from __future__ import annotations

import gc
import threading
import time

from numba.core import event

from workbench.base import compiling


class _Listener(event.Listener):
    """Compiling a kernel compiles those it calls: only the outermost is timed, per thread."""

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


def watch() -> None:
    """Start counting."""
    event.register("numba:compile", _Listener())  # type: ignore[no-untyped-call]
