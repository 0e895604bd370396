"""A layout that fills lines from the left and begins a new one where a widget does not fit."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Widgets that are shown keep the size they ask for; the height follows the width."""

    def __init__(self, parent: QWidget, spacing: int) -> None:
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        """Take an item."""
        self._items.append(item)

    def count(self) -> int:
        """Items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """An item; None outside."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Give an item away; None outside."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """None."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Height of all lines in ``width``."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, area: QRect) -> None:
        """Place the widgets."""
        super().setGeometry(area)
        self._place(area, move=True)

    def sizeHint(self) -> QSize:
        """As small as the largest widget."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """As small as the largest widget."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, area: QRect, *, move: bool) -> int:
        x, y, height = area.x(), area.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if x > area.x() and x + size.width() > area.right() + 1:
                x, y, height = area.x(), y + height + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, height = x + size.width() + self.spacing(), max(height, size.height())
        return y + height - area.y()
