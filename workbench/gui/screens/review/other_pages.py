"""What Review shows beside pairs: why there is nothing to open, or the documents a run scored."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.gui.kit.parts import dress
from workbench.gui.kit.runs import RunBox
from workbench.gui.screens.review.empty import empty_state
from workbench.gui.screens.review.score_list import ScoreList
from workbench.gui.workspace.context import AppContext
from workbench.services.review.overview import Overview


class OtherPages(QObject):
    """Pages of ``pages`` beside its first, the one with pairs.

    ``run_chosen`` carries a run's number; ``ready`` when shown.
    """

    run_chosen = Signal(int)
    ready = Signal()

    def __init__(self, context: AppContext, pages: QStackedWidget) -> None:
        super().__init__(pages)
        self._context, self._pages = context, pages
        self._empty: QWidget | None = None
        self._by_score = False
        self.scores = ScoreList(context)
        self.scores.runs.chosen.connect(self.run_chosen)
        self.scores.ready.connect(self.ready)
        pages.addWidget(self.scores)

    def show_found(self, overview: Overview) -> None:
        """Show the passages or pairs of a run, or its documents by score where these were asked for."""
        if self._by_score and overview.run is not None and overview.run.scores:
            self.show_overview(overview)
        else:
            self._pages.setCurrentIndex(0)

    def by_score(self, on: bool, overview: Overview) -> None:
        """Ask for the documents by score, or for the passages and pairs."""
        self._by_score = on
        self.show_found(overview)

    def swap(self, overview: Overview) -> None:
        """From one to the other."""
        self.by_score(self._pages.currentWidget() is not self.scores, overview)

    def show_overview(self, overview: Overview) -> None:
        """Show the documents that a run scored; where it scored none, that there is nothing to review."""
        if overview.run is not None and overview.run.scores:
            self._pages.setCurrentWidget(self.scores)
            self.scores.show_overview(overview)
            return
        if self._empty is not None:
            self._pages.removeWidget(self._empty)
            self._empty.deleteLater()
        runs = RunBox()
        runs.chosen.connect(self.run_chosen)
        self._empty = empty_state(self._context, overview, runs)
        if runs.parentWidget() is not None:
            runs.show_runs(overview.runs, overview.run)
        dress(self._empty, self._context.theme)
        self._pages.addWidget(self._empty)
        self._pages.setCurrentWidget(self._empty)
        self.ready.emit()
