"""All matches of the run in one table."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QVBoxLayout

from workbench.gui.i18n import tr, trn
from workbench.gui.judging.verdicts import pair_looks, state_words, verdict_looks
from workbench.gui.kit.columns import KEY_ROLE
from workbench.gui.kit.parts import ThemeWatch, button, heading, label, line, row
from workbench.gui.kit.pauses import FILTER_MS, FilterField, after_pause
from workbench.gui.kit.tables import choose_rows, chosen_rows
from workbench.gui.screens.review.match_table import MatchTable
from workbench.gui.screens.review.passage_words import passage_words
from workbench.gui.theme.fonts import font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import ROW
from workbench.services.review.judgement import CONFLICT
from workbench.services.review.overview import Judged, RunColumns
from workbench.services.review.spread import Spread


class MatchTablePanel(QFrame):
    """A sortable table of every match.

    ``opened`` carries the match's row in the run's columns; ``left`` asks for the texts again; ``selected`` comes when
    other rows are, ``listed`` when the table is brought up to date. What is selected stays so, whatever is read again.
    """

    opened = Signal(int)
    selected = Signal()
    left = Signal()
    listed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        self.model = MatchTable(self)
        self._columns: RunColumns | None = None
        self._shown: RunColumns | None = None
        self._judged: Judged | None = None
        self._spread: Spread | None = None
        self._threshold = 0.0
        self._pause = after_pause(self._narrow, FILTER_MS, self)
        self._count = label("", 12, role="faint", tabular=True)
        self.table = QTableView()
        self.filter = FilterField(self.table, tr("Filter by title"), tr("Filter matches"))
        self.filter.paused.connect(self._narrow)
        self.table.setModel(self.model)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setFont(font(12, tabular=True))
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName(tr("All matches"))
        self.table.activated.connect(self._open)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._tell())
        self.table.doubleClicked.connect(self._open)
        self.table.horizontalHeader().setMinimumSectionSize(72)
        for at, column in enumerate(self.model.columns):
            self.table.setColumnWidth(at, column.width)
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        self.filter.setMaximumWidth(320)
        self._heading = heading(tr("All matches"))
        back = button(tr("Back to the texts"), self.left.emit)
        self.conflicts = button("", self._mark, kind="chip", tip=tr("Only matches on which the verdicts differ"))
        self.conflicts.hide()
        title = row(self._heading, self._count, self.conflicts, None, self.filter, back, margins=(14, 9, 12, 9))
        title.setStretch(4, 1)
        layout.addLayout(title)
        layout.addWidget(line())
        layout.addWidget(self.table, 1)
        ThemeWatch(self, theme, self._mark)

    def set_columns(self, columns: RunColumns, judged: Judged | None = None) -> None:
        """The matches to show, and their verdicts; the table takes them once it is visible."""
        self._columns, self._judged = columns, judged
        if self.isVisible():
            self.refresh()

    def set_threshold(self, threshold: float) -> None:
        """Only matches at or above ``threshold``."""
        self._threshold = threshold
        if self.isVisible():
            self._pause.start()

    def refresh(self) -> None:
        """Bring the table up to date."""
        if self._columns is not None and self._columns is not self._shown:
            self._shown, self._spread = self._columns, None
            self.model.set_columns(self._columns)
            hidden = self.model.hidden(whole=self._columns.whole)
            for at in range(len(self.model.columns)):
                self.table.setColumnHidden(at, at in hidden)
            self._heading.setText(tr("All pairs") if self._columns.whole else tr("All matches"))
        self._mark()
        self._narrow()
        self.listed.emit()

    def show_spread(self, columns: RunColumns, spread: Spread) -> None:
        """Which matches of ``columns`` are one passage, and where else each stands."""
        if columns is self._shown:
            self._spread = spread
            self.model.show_others(spread.others)
            self._tell()

    def _mark(self) -> None:
        """Show the verdicts, in the colours of the theme."""
        if self._judged is None or self._shown is None or self._shown is not self._columns:
            return
        looks = pair_looks() if self._shown.whole else verdict_looks()
        words = {look.value: (look.short, self._theme.icon(look.icon, look.role)) for look in looks}
        words[CONFLICT] = (state_words(CONFLICT)[0], self._theme.icon("warning", "warn"))
        self.model.show_verdicts(self._judged, words)
        rows = self._judged.conflicts()
        self.conflicts.setText(f"{state_words(CONFLICT)[0]} {len(rows):,}")
        self.conflicts.setVisible(len(rows) > 0 or self.conflicts.isChecked())
        chosen = self.chosen_rows() if self.conflicts.isChecked() else []
        self.model.narrow_to(rows if self.conflicts.isChecked() else None)
        if chosen:
            choose_rows(self.table, self.model.rows_of(chosen))
        self._tell()
        # Sorted by verdicts, what was just judged goes elsewhere.
        if self.table.selectionModel().hasSelection():
            self.table.scrollTo(self.table.currentIndex())

    def chosen_rows(self) -> list[int]:
        """The selected matches by their rows in the run's columns, in shown order."""
        return [int(key) for key in self.model.keys_at(chosen_rows(self.table))]

    def choose(self, row: int) -> None:
        """Select the match in ``row`` of the run's columns alone, if the filter shows it."""
        at = self.model.row_of(row)
        if at >= 0:
            self._go(at)

    def step(self, by: int) -> bool:
        """Select the next (1) or previous (-1) row alone; False where there is none."""
        at = self.table.currentIndex().row() + by
        there = 0 <= at < self.model.rowCount()
        if there:
            self._go(at)
        return there

    def go_to_end(self, *, last: bool) -> None:
        """Select the last or first row alone."""
        if self.model.rowCount():
            self._go(self.model.rowCount() - 1 if last else 0)

    def _go(self, at: int) -> None:
        choose_rows(self.table, [at])
        self.table.scrollTo(self.model.index(at, 0))

    def _narrow(self) -> None:
        if not self.model.is_narrowed(self.filter.text(), self._threshold):
            chosen = self.chosen_rows()
            self.model.narrow(self.filter.text(), self._threshold)
            choose_rows(self.table, self.model.rows_of(chosen))
        self._tell()

    def _tell(self) -> None:
        """How many are shown, or chosen."""
        total = 0 if self._columns is None else len(self._columns.matches)
        shown, chosen = self.model.rowCount(), len(chosen_rows(self.table))
        words = f"{shown:,}" if shown == total else tr("{shown} of {total}", shown=f"{shown:,}", total=f"{total:,}")
        if self._spread is not None:
            among = passage_words(self._spread.passages_among(self.model.order.astype(np.int64)), shown)
            words = among if shown == total else tr("{shown} · {total} in all", shown=among, total=f"{total:,}")
        self._count.setText(words if chosen < 2 else trn("{count} chosen", "{count} chosen", chosen))
        self.selected.emit()

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(int(index.data(KEY_ROLE)))
