"""Layouts: clearing one, scrolling one, wrapping rows of widgets, three panes side by side."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFrame, QLayout, QLayoutItem, QScrollArea, QSplitter, QSplitterHandle, QWidget

from workbench.gui.problems import guarded


def clear(layout: QLayout) -> None:
    """Remove and delete every widget of ``layout``."""
    while (item := layout.takeAt(0)) is not None:
        part = item.widget()
        if part is not None:
            part.hide()
            part.deleteLater()


def fit(dialog: QWidget) -> None:
    """Set the height of ``dialog``, whose width is fixed, to the height that its layout needs."""
    if (layout := dialog.layout()) is not None:
        layout.activate()
        height = (
            layout.totalHeightForWidth(dialog.width()) if layout.hasHeightForWidth() else layout.sizeHint().height()
        )
        dialog.resize(dialog.width(), height)


def scroll_down(area: QScrollArea, body: QWidget, *, see_through: bool = False) -> None:
    """Let ``area`` scroll ``body`` vertically only; ``see_through``: without its own background."""
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(body)
    if see_through:
        area.viewport().setAutoFillBackground(False)
        body.setAutoFillBackground(False)


@guarded
class FlowLayout(QLayout):
    """Visible widgets keep their preferred size; the height depends on the width."""

    def __init__(self, parent: QWidget, spacing: int) -> None:
        self._items: list[QLayoutItem] = []
        self._heights: dict[int, int] = {}
        """By width, until the layout is invalidated: Qt asks for the same ones again and again."""
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def invalidate(self) -> None:
        """Discard the cached heights."""
        self._heights.clear()
        super().invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item."""
        self._heights.clear()
        self._items.append(item)

    def count(self) -> int:
        """Number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """An item; None if out of range."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return an item; None if out of range."""
        self._heights.clear()
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """None: the layout does not expand."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Always true: the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._place(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def setGeometry(self, area: QRect) -> None:
        """Place the widgets."""
        super().setGeometry(area)
        self._place(area, move=True)

    def sizeHint(self) -> QSize:
        """The size of the largest widget."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """The size of the largest widget."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, area: QRect, *, move: bool) -> int:
        x, y = area.x(), area.y()
        line: list[tuple[QLayoutItem, QPoint, QSize]] = []
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if line and x + size.width() > area.right() + 1:
                x, y, line = area.x(), y + self._end_line(line, move=move) + self.spacing(), []
            line.append((item, QPoint(x, y), size))
            x += size.width() + self.spacing()
        return y + self._end_line(line, move=move) - area.y()

    def _end_line(self, line: list[tuple[QLayoutItem, QPoint, QSize]], *, move: bool) -> int:
        """Centre the widgets of a line vertically; returns its height."""
        height = max((size.height() for _, _, size in line), default=0)
        for item, at, size in line if move else ():
            item.setGeometry(QRect(at + QPoint(0, (height - size.height()) // 2), size))
        return height


_NARROW = (250, 280)
"""Widths of the outer panes in a small window, logical pixels."""
_LEAST = 400
"""Minimum width of the middle pane."""


@guarded
class _Handle(QSplitterHandle):
    """Draws nothing, without a style sheet, which would take longer than all the panes: every widget in them would be
    styled by it, again with each widget around them.
    """

    def paintEvent(self, event: QPaintEvent) -> None:
        pass


@guarded
class ThreePanes(QSplitter):
    """``left`` and ``right`` are ``widths`` wide, narrower in a window below ``small``, until the user resizes them."""

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

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)

    def fit(self, width: int) -> None:
        """Distribute ``width`` (of the window's view, logical pixels) unless the user has set sizes."""
        if not self._sized:
            left, right = _NARROW if width < self._small else self._widths
            self.setSizes([left, max(_LEAST, width - left - right - 40), right])

    def chosen_sizes(self) -> list[int] | None:
        """The sizes set by the user, for saving."""
        return self.sizes() if self._sized else None

    def restore_sizes(self, sizes: object) -> None:
        """Restore saved sizes; anything else is ignored."""
        if isinstance(sizes, list) and len(sizes) == 3 and all(isinstance(s, int) for s in sizes) and min(sizes) > 0:
            self.setSizes(sizes)
            self._sized = True

    def _user_sized(self) -> None:
        self._sized = True
