"""Builds screens in pieces, so that the window stays responsive, and imports the modules they need.

Lower layers are imported in a thread, the window's own modules in its thread: a Qt type is created on first access. If
that happens in another thread while the window handles events, the process occasionally crashes (PySide 6.11), so no
module that uses one may be imported there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import CodeType

from PySide6.QtCore import QCoreApplication, QEventLoop
from shiboken6 import isValid

from workbench.gui.shell.catalogue import known_screens
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import View
from workbench.methods.core import registry

_OWN = "workbench.gui"
_BELOW = "workbench."
_CHARTS = "pyqtgraph"
_QT = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets")
_SLICE = 0.008
"""Seconds between two checks for pending work of the window."""


def import_below(module: str) -> None:
    """Import, in any thread, the lower-layer modules that ``module``, one of the window's, needs."""
    own, below, _ = _needed(module)
    for name in (n for n in below if n not in own):
        import_module(name)


def import_for_project(module: str) -> None:
    """Import, in any thread, what ``module`` needs with a project open: the records of all methods, too."""
    import_below(module)
    registry.facts()


def import_own(module: str) -> Iterator[None]:
    """Import ``module`` and the window's modules that it needs, in the window's thread; yields regularly."""
    own, _, charts = _needed(module)
    if charts:
        yield from import_charts()
    began = time.perf_counter()
    for name in own:
        if name not in sys.modules:
            import_module(name)
            if time.perf_counter() - began > _SLICE:
                yield
                began = time.perf_counter()


def import_charts() -> Iterator[None]:
    """Import the library that draws charts, in the window's thread; one piece of it takes 50 ms."""
    if _CHARTS in sys.modules:
        return
    began = time.perf_counter()
    # It copies all names of Qt, which would create all types at once.
    for module in map(import_module, _QT):
        for name in dir(module):
            getattr(module, name, None)
            if time.perf_counter() - began > _SLICE:
                yield
                began = time.perf_counter()
    yield
    import_module(_CHARTS)
    yield


@cache
def _needed(module: str) -> tuple[list[str], list[str], bool]:
    """The window's modules needed for ``module`` (in order of dependence), the lower-layer modules, and whether any
    draws charts.
    """
    own: dict[str, None] = {}
    below: dict[str, None] = {}
    seen: set[str] = set()
    charts = False

    def add_imports(name: str) -> None:
        nonlocal charts
        charts = charts or name.split(".")[0] == _CHARTS
        if not name.startswith(_BELOW) or name in seen or name in sys.modules:
            return
        seen.add(name)
        if not name.startswith(_OWN):
            below[name] = None
        elif (code := _code(name)) is not None:
            # Only imported modules have names with dots.
            for needed in code.co_names:
                add_imports(needed)
            own[name] = None

    add_imports(module)
    return list(own), list(below), charts


def _code(name: str) -> CodeType | None:
    spec = find_spec(name)
    loader = None if spec is None else spec.loader
    return None if loader is None else loader.get_code(name)  # type: ignore[attr-defined]


class Building:
    """The screens being built. ``place`` adds a complete one to the window, also in pieces."""

    def __init__(self, context: AppContext, place: Callable[[View], Iterator[None]]) -> None:
        self._context, self._place = context, place
        self._begun: dict[str, Generator[None, None, None]] = {}

    def go_on(self, view_id: str) -> None:
        """Build the next piece of the screen ``view_id``."""
        if view_id not in self._begun:
            self._begun[view_id] = self._all(view_id)
        try:
            next(self._begun[view_id])
        except StopIteration:
            self._begun.pop(view_id, None)
        except BaseException:
            self._discard(view_id)
            raise

    def discard(self) -> None:
        """Discard unfinished screens: their project was closed."""
        for view_id in list(self._begun):
            self._discard(view_id)

    def _discard(self, view_id: str) -> None:
        self._begun.pop(view_id).close()
        self._context.actions.silence(view_id)

    def _all(self, view_id: str) -> Generator[None, None, None]:
        screen = known_screens()[view_id]
        yield from import_own(screen.module)
        view = screen.load()(self._context)
        placed = False
        try:
            yield from view.pieces
            yield from self._place(view)
            placed = True
        finally:
            if not placed and isValid(view):
                view.hide()
                view.deleteLater()


def process_events() -> None:
    """Process pending events except user input, so that the window paints; keys stay queued in order."""
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
