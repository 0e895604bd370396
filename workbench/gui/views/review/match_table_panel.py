"""All matches of the run in one table."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QLineEdit, QTableView, QVBoxLayout

from workbench.gui.i18n import tr
from workbench.gui.models.columns import KEY_ROLE
from workbench.gui.models.match_table import MatchTable
from workbench.gui.models.review_run import Judged, RunColumns
from workbench.gui.parts import ThemeWatch, button, heading, label, line, row
from workbench.gui.theme.fonts import font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import ROW
from workbench.gui.views.review.verdicts import pair_looks, verdict_looks

_PAUSE_MS = 120


class MatchTablePanel(QFrame):
    """A sortable table of every match.

    ``opened`` carries the match's row in the run's columns; ``left`` asks for the texts again.
    """

    opened = Signal(int)
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        self.model = MatchTable(self)
        self._columns: RunColumns | None = None
        self._shown: RunColumns | None = None
        self._judged: Judged | None = None
        self._threshold = 0.0
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter by title"))
        self.filter.setAccessibleName(tr("Filter matches"))
        self.filter.setClearButtonEnabled(True)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._narrow)
        self.filter.textChanged.connect(lambda _text: self._pause.start())
        self._count = label("", 12, role="faint", tabular=True)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setFont(font(12, tabular=True))
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName(tr("All matches"))
        self.table.activated.connect(self._open)
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
        title = row(self._heading, self._count, None, self.filter, back, margins=(14, 9, 12, 9))
        title.setStretch(3, 1)
        layout.addLayout(title)
        layout.addWidget(line())
        layout.addWidget(self.table, 1)
        ThemeWatch(self, theme, self._mark)

    def set_columns(self, columns: RunColumns, judged: Judged | None = None) -> None:
        """The matches to show, and what was said of them; the table takes them once it is visible."""
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
            self._shown = self._columns
            self.model.set_columns(self._columns)
            hidden = self.model.hidden(whole=self._columns.whole)
            for at in range(len(self.model.columns)):
                self.table.setColumnHidden(at, at in hidden)
            self._heading.setText(tr("All pairs") if self._columns.whole else tr("All matches"))
        self._mark()
        self._narrow()

    def _mark(self) -> None:
        """Show the verdicts, in the colours of the theme."""
        if self._judged is None or self._shown is None or self._shown is not self._columns:
            return
        looks = pair_looks() if self._shown.whole else verdict_looks()
        words = {look.value: (look.short, self._theme.icon(look.icon, look.role)) for look in looks}
        self.model.show_verdicts(self._judged, words)

    def _narrow(self) -> None:
        self.model.narrow(self.filter.text(), self._threshold)
        total = 0 if self._columns is None else len(self._columns.matches)
        shown = self.model.rowCount()
        self._count.setText(
            f"{shown:,}" if shown == total else tr("{shown} of {total}", shown=f"{shown:,}", total=f"{total:,}")
        )

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(int(index.data(KEY_ROLE)))
