"""Tells the table of all matches what is read in a process of its own: passages, and how many documents hold each."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.gui.screens.review.match_table_panel import MatchTablePanel
from workbench.gui.screens.review.opening import Opening
from workbench.gui.workspace.context import AppContext
from workbench.services.review.overview import RunColumns
from workbench.services.review.spread import Spread, read_spread


class TableSpread(QObject):
    """Asks once the table shows a run's matches, and again when documents came or went."""

    def __init__(self, context: AppContext, table: MatchTablePanel, opening: Opening) -> None:
        super().__init__(table)
        self._context, self._table, self._opening = context, table, opening
        self._of: RunColumns | None = None
        table.listed.connect(self._follow)
        context.changed.connect(self._changed)

    def follow_common(self) -> None:
        """Another number of documents makes a phrase common."""
        self._table.model.show_common_from(self._context.settings.common_from)

    def _changed(self, kinds: frozenset[str]) -> None:
        if "documents" in kinds:
            self._of = None
            if self._table.isVisible():
                self._follow()

    def _follow(self) -> None:
        columns, run, project = self._opening.overview.columns, self._opening.overview.run, self._context.project
        self.follow_common()
        if columns is None or columns is self._of or columns.whole or run is None or project is None:
            return
        self._of = columns

        def arrived(spread: Spread) -> None:
            if self._of is columns and len(spread.passage) == len(columns.matches):
                self._table.show_spread(columns, spread)

        self._context.aside(self, read_spread, project, run.id, done=arrived)
