"""Imports and builds screens before they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer

from workbench.gui.workspace.background import Background

PAUSE_MS = 10
"""Milliseconds between two screens that are imported, or two pieces that are built ahead."""


class ScreenPreloader(QTimer):
    """Prepares one screen at a time while nothing else is going on: one that exists opens without a pause.

    ``imports``, one for each screen, are called in a thread of ``reads``. After them, ``missing`` names a screen that
    is not built yet ("" for none), and ``build`` makes the next piece of it. ``is_calm`` says whether nothing else is
    going on. ``last`` is called once when nothing is left to prepare. ``unseen`` are the screens that were never shown:
    what they would remember is not what the user left.
    """

    def __init__(
        self,
        reads: Background,
        imports: Iterable[Callable[[], object]],
        missing: Callable[[], str],
        build: Callable[[str], object],
        is_calm: Callable[[], bool],
        last: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.unseen: set[str] = set()
        self._reads, self._imports = reads, iter(imports)
        self._missing, self._build, self._is_calm = missing, build, is_calm
        self._last: Callable[[], object] | None = last
        self.setInterval(PAUSE_MS)
        self.timeout.connect(self._prepare_next)

    def _prepare_next(self) -> None:
        if not self._is_calm():
            return
        # A screen that cannot be imported or built is not tried again.
        self.stop()
        load = next(self._imports, None)
        if load is not None:
            self._reads.start(load, lambda _: self.start(), self, None, apart=True)
        elif view_id := self._missing():
            self.unseen.add(view_id)
            self._build(view_id)
            self.start()
        elif self._last is not None:
            self._last()
            self._last = None
