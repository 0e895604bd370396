"""The pages of Evaluate: each is built when it is first shown, so that the screen opens quickly."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.gui.i18n import tr
from workbench.gui.screens.evaluate import SCREEN
from workbench.gui.screens.evaluate.compare_page import ComparePage
from workbench.gui.screens.evaluate.sheets_page import SheetsPage
from workbench.gui.screens.evaluate.subgroups_page import SubgroupsPage
from workbench.gui.screens.evaluate.sweep_page import SweepPage
from workbench.gui.workspace.context import AppContext
from workbench.services.measuring.scored_run import EvaluationInput, ScoredRun

MODES = SCREEN.modes
CURVES, COMPARISON, SUBGROUPS, SWEEP, SHEETS = MODES


def page_titles() -> dict[str, str]:
    """The title of each page."""
    titles = (tr("Curves"), tr("Runs"), tr("Subgroups"), tr("Sweeps"), tr("Sheets"))
    return dict(zip(MODES, titles, strict=True))


class Pages(QStackedWidget):
    """``curves`` is the page that is there from the start. ``opened`` carries the key of a run to show there."""

    opened = Signal(int)

    def __init__(self, context: AppContext, curves: QWidget) -> None:
        super().__init__()
        self._context = context
        self.curves = curves
        self._empty: QWidget | None = None
        self.addWidget(curves)

    @cached_property
    def comparison(self) -> ComparePage:
        """Runs against runs."""
        page = ComparePage(self._context)
        page.opened.connect(self.opened)
        self.addWidget(page)
        return page

    @cached_property
    def subgroups(self) -> SubgroupsPage:
        """The run in parts."""
        page = SubgroupsPage(self._context)
        self.addWidget(page)
        return page

    @cached_property
    def sweep(self) -> SweepPage:
        """The method under many parameters."""
        page = SweepPage(self._context)
        page.opened.connect(self.opened)
        self.addWidget(page)
        return page

    @cached_property
    def sheets(self) -> SheetsPage:
        """The papers' figures."""
        page = SheetsPage(self._context)
        self.addWidget(page)
        return page

    def is_sweeping(self) -> bool:
        """Whether a sweep is running."""
        return "sweep" in vars(self) and self.sweep.is_running()

    def has_sheet(self) -> bool:
        """Whether a sheet is chosen."""
        # A page that is being built asks this, too: it is not built again for the answer.
        return "sheets" in vars(self) and self.sheets.has_sheet()

    def show_page(self, mode: str, bench: ScoredRun, ground: EvaluationInput, threshold: float) -> None:
        """Show ``bench`` on the page ``mode``; the curves are filled by the screen itself."""
        match mode:
            case "runs-compared":
                self.setCurrentWidget(self.comparison)
                self.comparison.show_bench(bench, ground.runs)
            case "subgroups":
                self.setCurrentWidget(self.subgroups)
                self.subgroups.show_bench(bench, threshold)
            case "sweep":
                self.setCurrentWidget(self.sweep)
                self.sweep.show_bench(bench)
            case "sheets":
                self.show_sheets(bench)
            case _:
                self.setCurrentWidget(self.curves)

    def show_sheets(self, bench: ScoredRun | None) -> None:
        """Show the sheets; new ones are drawn with the question of ``bench``, if there is one."""
        self.setCurrentWidget(self.sheets)
        self.sheets.show_bench(bench)

    def show_empty(self, empty: QWidget) -> None:
        """Show ``empty`` in place of the pages."""
        if self._empty is not None:
            self.removeWidget(self._empty)
            self._empty.deleteLater()
        self._empty = empty
        self.addWidget(empty)
        self.setCurrentWidget(empty)
