"""Views made before they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from workbench.gui.views.catalogue import VIEWS

if TYPE_CHECKING:
    from workbench.gui.window import Window

PAUSE_MS = 50
"""Milliseconds between two views that are made ahead."""


class Ahead(QTimer):
    """Makes one view at a time while nothing else is going on: what is there already opens without a pause.

    ``unseen`` are the views that were never shown: what they would remember is not what the user left.
    """

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.unseen: set[str] = set()
        self._window = window
        self.setInterval(PAUSE_MS)
        self.timeout.connect(self._make)

    def _make(self) -> None:
        window = self._window
        missing = next((v.view_id for v in VIEWS if not window.has_view(v.view_id)), None)
        if window.context.session is None or missing is None:
            self.stop()
        elif self._is_calm():
            # A view that cannot be made is not tried again.
            self.stop()
            self.unseen.add(missing)
            view = window.view(missing)
            # After it is dressed; showing it does the rest.
            window.context.theme.later(view, view.ensurePolished)
            self.start()

    def _is_calm(self) -> bool:
        window = self._window
        if not window.isVisible() or window.context.reads.pending:
            return False
        return window.has_view(window.current) and window.view(window.current).is_ready()
