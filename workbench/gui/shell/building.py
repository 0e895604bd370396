"""Builds screens in pieces, so that the window stays responsive between two of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from PySide6.QtCore import QCoreApplication, QEventLoop

from workbench.gui.shell.catalogue import known_screens
from workbench.gui.shell.modules import import_own
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import View


class Building:
    """The screens being built. ``place`` puts a complete one into the window, also in pieces."""

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
        load = known_screens()[view_id].load
        yield from import_own(load)
        view = load()(self._context)
        placed = False
        try:
            yield from view.pieces
            yield from self._place(view)
            placed = True
        finally:
            if not placed:
                view.hide()
                view.deleteLater()


def come_round() -> None:
    """Process pending events except user input, so that the window paints; keys stay queued in order."""
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
