"""Review begins at the project's threshold, where one was chosen for what the run's method scores, and names it."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.base.types import Run
from workbench.gui.screens.review.score_panel import ScorePanel
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold, used_threshold


class ProjectThreshold(QObject):
    """Sets the threshold of ``scores`` when another run is shown, or another threshold chosen."""

    def __init__(self, context: AppContext, scores: ScorePanel, parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._scores = context, scores
        self._run: Run | None = None
        self._kind = TargetKind.PASSAGE
        context.changed.connect(self._changed)

    def follow(self, run: Run, *, whole: bool) -> None:
        """Another run is shown; ``whole``: its matches stand for pairs."""
        self._run, self._kind = run, TargetKind.PAIR if whole else TargetKind.PASSAGE
        self._read()

    def _changed(self, kinds: frozenset[str]) -> None:
        if "measures" in kinds and self._run is not None:
            self._read()

    def _read(self) -> None:
        run, kind = self._run, self._kind
        assert run is not None

        def show(used: UsedThreshold | None) -> None:
            if run is self._run:
                self._scores.show_used(used)

        self._context.background(lambda session: used_threshold(session, run.method, kind), show, owner=self)
