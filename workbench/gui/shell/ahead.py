"""Builds screens before they are asked for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

PAUSE_MS = 50
"""Milliseconds between two screens that are built ahead."""


class Ahead(QTimer):
    """Builds one screen at a time while nothing else is going on: one that exists opens without a pause.

    ``missing`` names a screen that is not built yet ("" for none), ``build`` builds it, ``is_calm`` says whether
    nothing else is going on. ``unseen`` are the screens that were never shown: what they would remember is not what
    the user left.
    """

    def __init__(
        self,
        missing: Callable[[], str],
        build: Callable[[str], object],
        is_calm: Callable[[], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.unseen: set[str] = set()
        self._missing, self._build, self._is_calm = missing, build, is_calm
        self.setInterval(PAUSE_MS)
        self.timeout.connect(self._build_next)

    def _build_next(self) -> None:
        view_id = self._missing()
        if not view_id:
            self.stop()
        elif self._is_calm():
            # A screen that cannot be built is not tried again.
            self.stop()
            self.unseen.add(view_id)
            self._build(view_id)
            self.start()
