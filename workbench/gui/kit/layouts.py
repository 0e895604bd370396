"""Layouts: emptying one, lines of widgets that wrap, three panes side by side."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QSplitter, QWidget

from workbench.gui.problems.guard import guarded


def clear(layout: QLayout) -> None:
    """Remove and delete every widget of ``layout``."""
    while (item := layout.takeAt(0)) is not None:
        part = item.widget()
        if part is not None:
            part.hide()
            part.deleteLater()


@guarded
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


_NARROW = (250, 280)
"""Widths of the outer panes in a small window, logical pixels."""
_LEAST = 400
"""Width that is left to the middle pane, at least."""


class ThreePanes(QSplitter):
    """``left`` and ``right`` are ``widths`` wide, narrower in a window below ``small``, until the user sizes them."""

    def __init__(self, panes: tuple[QWidget, QWidget, QWidget], widths: tuple[int, int], small: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._widths, self._small = widths, small
        self._sized = False
        self.setHandleWidth(10)
        self.setChildrenCollapsible(False)
        for at, pane in enumerate(panes):
            self.addWidget(pane)
            self.setStretchFactor(at, int(at == 1))
        self.splitterMoved.connect(self._user_sized)

    def fit(self, width: int) -> None:
        """Share out ``width`` (of the window's view, logical pixels) unless the user has."""
        if not self._sized:
            left, right = _NARROW if width < self._small else self._widths
            self.setSizes([left, max(_LEAST, width - left - right - 40), right])

    def chosen_sizes(self) -> list[int] | None:
        """The sizes that the user has given, to be kept."""
        return self.sizes() if self._sized else None

    def restore_sizes(self, sizes: object) -> None:
        """Take up sizes that were kept; anything else is passed over."""
        if isinstance(sizes, list) and len(sizes) == 3 and all(isinstance(s, int) for s in sizes) and min(sizes) > 0:
            self.setSizes(sizes)
            self._sized = True

    def _user_sized(self) -> None:
        self._sized = True
