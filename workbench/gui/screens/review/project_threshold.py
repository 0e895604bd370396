"""Review begins at the project's threshold, where one was chosen for what the run's method scores, and names it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from workbench.base.types import Run
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold, used_threshold


class ProjectThreshold(QObject):
    """Calls ``show`` with the threshold in use when another run is followed, or another threshold chosen."""

    def __init__(self, context: AppContext, show: Callable[[UsedThreshold | None], object], parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._show = context, show
        self._run: Run | None = None
        self._kind = TargetKind.PASSAGE
        context.changed.connect(self._changed)

    def follow(self, run: Run, kind: TargetKind) -> None:
        """Another run is shown, whose items are of ``kind``."""
        self._run, self._kind = run, kind
        self._read()

    def _changed(self, kinds: frozenset[str]) -> None:
        if "measures" in kinds and self._run is not None:
            self._read()

    def _read(self) -> None:
        run, kind = self._run, self._kind
        assert run is not None

        def show(used: UsedThreshold | None) -> None:
            if run is self._run:
                self._show(used)

        self._context.background(lambda session: used_threshold(session, run.method, kind), show, owner=self)
