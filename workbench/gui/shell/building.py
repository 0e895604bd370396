"""Builds screens in pieces: the window comes round between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from PySide6.QtCore import QCoreApplication, QEventLoop

from workbench.gui.shell.catalogue import known_screens
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import View


class Building:
    """The screens that are being built. ``place`` puts one that has all its parts into the window, in pieces, too."""

    def __init__(self, context: AppContext, place: Callable[[View], Iterator[None]]) -> None:
        self._context, self._place = context, place
        self._begun: dict[str, tuple[View, Iterator[None]]] = {}

    def go_on(self, view_id: str) -> None:
        """Make the next piece of the screen ``view_id``."""
        if view_id not in self._begun:
            begun = known_screens()[view_id].load()(self._context)
            self._begun[view_id] = begun, chain(begun.pieces, self._place(begun))
        _, pieces = self._begun[view_id]
        try:
            next(pieces)
        except StopIteration:
            self._begun.pop(view_id, None)
        except BaseException:
            self._discard(view_id)
            raise

    def discard(self) -> None:
        """Forget what is not whole: its project was closed."""
        for view_id in list(self._begun):
            self._discard(view_id)

    def _discard(self, view_id: str) -> None:
        view, _ = self._begun.pop(view_id)
        self._context.actions.silence(view_id)
        view.hide()
        view.deleteLater()


def come_round() -> None:
    """Let the window paint, and whatever else is due happen, except what the user does: keys wait in their order."""
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
