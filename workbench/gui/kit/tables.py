"""A table view with the product's look, and delegates for cells that are more than text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from workbench.gui.kit.columns import KEY_ROLE, ColumnsModel
from workbench.gui.problems import guarded, restored
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import ROW

Index = QModelIndex | QPersistentModelIndex

LEAST = 160
"""Minimum width of a stretched column, logical pixels; below that the table scrolls..."""
LEAST_SHARE = 0.4
"""...but all stretched columns together require no more than this share of the table."""
TITLE_ROOM = 36
"""Width that a title needs in addition to its text, logical pixels: padding and the sort indicator."""


@guarded
class Table(QTableView):
    """Rows of a :class:`ColumnsModel`. ``opened`` emits the key of a row on Enter or double click.

    ``least_share`` is the minimum share of the width for the stretched columns if the table is too narrow for all.
    """

    opened = Signal(object)
    selected = Signal()

    def __init__(self, model: ColumnsModel, name: str, *, many: bool = True, least_share: float = LEAST_SHARE) -> None:
        super().__init__()
        self._model = model
        self._least_share = least_share
        self.setModel(model)
        self.setAccessibleName(name)
        self.setFont(fonts.font(13, tabular=True))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if many else mode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        header = self.horizontalHeader()
        header.setFont(fonts.font(13, fonts.SEMIBOLD))
        header.setHighlightSections(False)
        # The default header would check, for each title it draws, whether every row is selected.
        header.setSelectionModel(QItemSelectionModel(model, header))
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setMinimumSectionSize(48)
        for number, column in enumerate(model.columns):
            if column.width:
                title = header.fontMetrics().horizontalAdvance(column.title)
                self.setColumnWidth(number, max(column.width, title + TITLE_ROOM))
        self._stretched = [n for n, column in enumerate(model.columns) if not column.width]
        self._stretching = False
        header.sectionResized.connect(self._resized)
        self.doubleClicked.connect(lambda index: self.opened.emit(index.data(KEY_ROLE)))
        self.selectionModel().selectionChanged.connect(lambda *_: self.selected.emit())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns without a width share the remaining space."""
        super().resizeEvent(event)
        self._stretch()

    def _resized(self, number: int, before: int, after: int) -> None:
        """Handle a column that was resized, hidden or shown; a column resized by the user keeps its width."""
        if self._stretching:
            return
        if number in self._stretched and before and after:
            self._stretched.remove(number)
        self._stretch()

    def _stretch(self) -> None:
        """Stretch the columns; Qt's own stretching would leave them no space if the others need the width."""
        visible = [n for n in self._stretched if not self.isColumnHidden(n)]
        if not visible:
            return
        width = self.viewport().width()
        rest = [n for n in range(len(self._model.columns)) if n not in visible and not self.isColumnHidden(n)]
        share = (width - sum(map(self.columnWidth, rest))) // len(visible)
        self._stretching = True
        for number in visible:
            self.setColumnWidth(number, max(share, min(LEAST, int(self._least_share * width / len(visible)))))
        self._stretching = False

    def chosen_keys(self) -> list[Any]:
        """Keys of the selected rows, in shown order."""
        return self._model.keys_at(chosen_rows(self))

    def any_chosen(self) -> bool:
        """Whether a row is selected."""
        return self.selectionModel().hasSelection()

    def select_keys(self, keys: list[Any]) -> None:
        """Select the shown rows with these keys."""
        rows = self._model.rows_of(keys)
        choose_rows(self, rows)
        if rows:
            self.scrollTo(self._model.index(rows[0], 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the current row, selecting it first if necessary, so that it never acts on a hidden row."""
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            row = self.currentIndex().row()
            if row not in chosen_rows(self):
                choose_rows(self, [row])
            self.opened.emit(self.currentIndex().data(KEY_ROLE))
        else:
            super().keyPressEvent(event)


def chosen_rows(view: QTableView) -> list[int]:
    """The selected rows, in shown order."""
    parts = view.selectionModel().selection().toList()
    return sorted({row for part in parts for row in range(part.top(), part.bottom() + 1)})


def choose_rows(view: QTableView, rows: Sequence[int]) -> None:
    """Select only these rows, ascending; the first becomes the current one."""
    model, selection = view.model(), view.selectionModel()
    # All at once, because receivers of the selection signal query the whole selection.
    chosen = QItemSelection()
    first = 0
    for following, row in enumerate(rows, 1):
        if following == len(rows) or rows[following] != row + 1:
            chosen.select(model.index(rows[first], 0), model.index(row, 0))
            first = following
    selection.select(chosen, selection.SelectionFlag.ClearAndSelect | selection.SelectionFlag.Rows)
    if rows:
        selection.setCurrentIndex(model.index(rows[0], 0), selection.SelectionFlag.NoUpdate)


@guarded
class LanguageDelegate(QStyledItemDelegate):
    """Draws a title in the typeface of its document's language."""

    def __init__(self, language: Callable[[Index], str], parent: QObject) -> None:
        super().__init__(parent)
        self._language = language

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Choose the typeface."""
        super().initStyleOption(option, index)
        option.font = fonts.font(13, fonts.MEDIUM, language=self._language(index))


@guarded
class AddressDelegate(QStyledItemDelegate):
    """Draws an address, eliding its middle: the pages of a site differ at the end."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Choose where text is elided."""
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle


_DOT = 8
"""Diameter of the dot in a tag, in pixels."""


@guarded
class TagDelegate(QStyledItemDelegate):
    """Draws a short text in a tinted frame; ``role`` returns the token of its colour.

    ``dot`` returns the colour of a dot before the text; "" for none.
    """

    def __init__(
        self, theme: Theme, role: Callable[[Index], str], parent: QObject, dot: Callable[[Index], str] = lambda _: ""
    ) -> None:
        super().__init__(parent)
        self._theme, self._role, self._dot = theme, role, dot

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the row's background as usual, and the text in its frame."""
        self.initStyleOption(option, index)
        text = str(index.data() or "")
        option.text = ""
        widget: QWidget | None = option.widget
        style = widget.style() if widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        if not text:
            return
        with restored(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(fonts.font(11, fonts.MEDIUM))
            area, dot = QRect(option.rect), self._dot(index)
            before = _DOT + 4 if dot else 0
            metrics = painter.fontMetrics()
            width = min(metrics.horizontalAdvance(text) + 14 + before, area.width() - 10)
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width - 12 - before)
            frame = QRect(area.left() + 8, area.center().y() - 9, width, 19)
            role = self._role(index)
            soft = self._theme.tokens.soft(role)
            is_tint = soft != self._theme.tokens.sunken
            painter.setPen(Qt.GlobalColor.transparent if is_tint else self._theme.qcolor("border"))
            painter.setBrush(QColor(soft))
            painter.drawRoundedRect(frame, 4, 4)
            if dot:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(dot))
                painter.drawEllipse(frame.left() + 6, frame.center().y() - _DOT // 2 + 1, _DOT, _DOT)
            painter.setPen(self._theme.qcolor(role))
            painter.drawText(frame.adjusted(before, 0, 0, 0), int(Qt.AlignmentFlag.AlignCenter), text)
