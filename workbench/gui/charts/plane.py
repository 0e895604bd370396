"""A chart whose axes and content are drawn once, as a picture, with moving marks on top."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from workbench.gui.charts.scales import Even, Scale
from workbench.gui.kit.cues import blank, draw_focus, shade
from workbench.gui.problems import guarded, painting, restored
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens

_GRAB = 7
"""Distance from the line, in logical pixels, within which it can be grabbed."""
_MARGIN = 4
_LEFT = 44
"""Usual width of the left margin, logical pixels."""
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageDown: -20, Qt.Key.Key_PageUp: 20}


@guarded
class Plane(QWidget):
    """Axes ``x`` and ``y`` around an area of content.

    With a ``mark`` (a value of ``x``) a line crosses the area. ``moved`` emits the value to which it is dragged;
    ``stepped`` the steps requested by keys (a large number for the ends), and whether they change the brush.
    ``brushed`` emits the ends of the region that the user marked beside the line, or None after a mere click;
    ``opened`` is emitted on Enter.
    """

    moved = Signal(float)
    stepped = Signal(int, bool)
    brushed = Signal(object)
    opened = Signal()

    def __init__(self, name: str, x_title: str = "", y_title: str = "", tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens = tokens
        self.x_scale: Scale = Even()
        self.y_scale: Scale = Even()
        self.titles = (x_title, y_title)
        self.mark: float | None = None
        self.mark_words = ""
        self.brush: tuple[float, float] | None = None
        self.brushable = False
        self.flag_above = False
        self.left, self.top, self.right, self.bottom = _LEFT, 10, 12, 34
        self._picture = QPixmap()
        self._drawn_for: tuple[object, ...] = ()
        self._holding = ""
        self._began = 0.0
        self.setMinimumSize(140, 78)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(name)

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.redraw()

    def redraw(self) -> None:
        """Draw the content again."""
        self._drawn_for = ()
        self.update()

    def set_mark(self, value: float | None, words: str = "") -> None:
        """Move the line, labelled ``words``; None removes it."""
        if (value, words) != (self.mark, self.mark_words):
            before = self._mark_area()
            self.mark, self.mark_words = value, words
            self.setAccessibleDescription(words)
            self.update(before.united(self._mark_area()).toAlignedRect())

    def set_brush(self, ends: tuple[float, float] | None) -> None:
        """Shade the values from one end to the other."""
        if ends != self.brush:
            self.brush = ends
            self.update()

    def fit_left(self) -> None:
        """Make room on the left for the axis's title and figures, whatever its scale."""
        metrics = QFontMetrics(font(11, tabular=True))
        widest = max((metrics.horizontalAdvance(words) for _, words in self._y_ticks(self.area())), default=0)
        self.left = max(_LEFT, widest + (26 if self.titles[1] else 10))

    def _y_ticks(self, area: QRectF) -> list[tuple[float, str]]:
        return self.y_scale.ticks(max(2, int(area.height() / 34)))

    def area(self) -> QRectF:
        """The rectangle of the content."""
        width = max(10.0, self.width() - self.left - self.right)
        return QRectF(self.left, self.top, width, max(10.0, self.height() - self.top - self.bottom))

    def point(self, x: float, y: float) -> QPointF:
        """Pixels of positions on both axes (0 to 1)."""
        area = self.area()
        return QPointF(area.left() + x * area.width(), area.bottom() - y * area.height())

    def value_at(self, at: float) -> float:
        """The value of x at pixel ``at``."""
        area = self.area()
        return self.x_scale.value((at - area.left()) / area.width())

    @abstractmethod
    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the content."""

    def draw_over(self, painter: QPainter, area: QRectF) -> None:
        """Draw the moving parts: the brush and the line."""
        if self.brush is not None:
            ends = sorted(area.left() + self.x_scale.place(value) * area.width() for value in self.brush)
            box = QRectF(ends[0], area.top(), max(2.0, ends[1] - ends[0]), area.height())
            painter.setPen(QPen(QColor(self.tokens.accent), 1, Qt.PenStyle.DashLine))
            painter.setBrush(shade(self.tokens.accent, 34))
            painter.drawRect(box)
        if self.mark is not None:
            self._draw_mark(painter, area)

    def _mark_x(self) -> float:
        area = self.area()
        return area.left() + self.x_scale.place(self.mark or 0.0) * area.width()

    def _flag(self) -> QRectF:
        """The position of the line's label: inside the area."""
        area, width = self.area(), 0.0
        if self.mark_words:
            width = QFontMetrics(font(11, SEMIBOLD, tabular=True)).horizontalAdvance(self.mark_words) + 12.0
        left = min(max(self._mark_x() - width / 2, area.left()), area.right() - width)
        return QRectF(left, area.top() - (20 if self.flag_above else 0), width, 18)

    def _mark_area(self) -> QRectF:
        if self.mark is None:
            return QRectF()
        line = QRectF(self._mark_x() - 3, 0, 6, self.height())
        return line.united(self._flag()).adjusted(-2, -2, 2, 2)

    def mark_stretches(self, area: QRectF) -> list[tuple[float, float]]:
        """The visible parts of the line, from top to bottom, excluding labels."""
        return [(area.top(), area.bottom())]

    def _draw_mark(self, painter: QPainter, area: QRectF) -> None:
        at = self._mark_x()
        painter.setPen(QPen(QColor(self.tokens.text), 1.6))
        for top, bottom in self.mark_stretches(area):
            painter.drawLine(QPointF(at, top), QPointF(at, bottom))
        if self.mark_words:
            flag = self._flag()
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.tokens.text))
            painter.drawRoundedRect(flag, 4, 4)
            painter.setPen(QColor(self.tokens.surface))
            painter.setFont(font(11, SEMIBOLD, tabular=True))
            painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, self.mark_words)

    def paintEvent(self, event: QPaintEvent) -> None:
        key = (self.width(), self.height(), self.devicePixelRatioF(), self.tokens.name)
        if key != self._drawn_for:
            self._picture, self._drawn_for = self._drawn(), key
        with painting(self) as painter:
            painter.drawPixmap(0, 0, self._picture)
            self.draw_over(painter, self.area())
            draw_focus(painter, self, self.tokens.accent)

    def _drawn(self) -> QPixmap:
        picture = blank(self, self.tokens.surface)
        with painting(picture) as painter:
            area = self.area()
            self.draw_axes(painter, area)
            with restored(painter):
                painter.setClipRect(area.adjusted(-1, -1, 1, 1))
                self.draw(painter, area)
            self.draw_words(painter, area)
        return picture

    def draw_words(self, painter: QPainter, area: QRectF) -> None:
        """Draw the legend beside the content."""

    def draw_axes(self, painter: QPainter, area: QRectF) -> None:
        """Draw faint lines, figures and titles."""
        self.draw_x_axis(painter, area)
        painter.setFont(font(11, tabular=True))
        for place, words in self._y_ticks(area):
            y = area.bottom() - place * area.height()
            painter.setPen(QPen(QColor(self.tokens.border), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(self.tokens.text3))
            right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(QRectF(0, y - 8, area.left() - 6, 16), right, words)
        if self.titles[1]:
            with restored(painter):
                painter.translate(2, area.center().y())
                painter.rotate(-90)
                painter.setPen(QColor(self.tokens.text2))
                box = QRectF(-area.height() / 2, 0, area.height(), 14)
                painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), self.titles[1])

    def draw_x_axis(self, painter: QPainter, area: QRectF) -> None:
        """Draw the line at the bottom, its figures, and the title."""
        painter.setFont(font(11, tabular=True))
        metrics = QFontMetrics(painter.font())
        painter.setPen(QPen(QColor(self.tokens.border2), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        reached = -1e9
        for place, words in self.x_scale.ticks(max(2, int(area.width() / 52))):
            at, width = area.left() + place * area.width(), metrics.horizontalAdvance(words)
            left = min(max(at - width / 2, 0), self.width() - width - 1)
            if left < reached + 6:
                continue
            reached = left + width
            painter.setPen(QPen(QColor(self.tokens.border2), 1))
            painter.drawLine(QPointF(at, area.bottom()), QPointF(at, area.bottom() + 3))
            painter.setPen(QColor(self.tokens.text3))
            painter.drawText(QPointF(left, area.bottom() + 14), words)
        if self.titles[0]:
            painter.setPen(QColor(self.tokens.text2))
            box = QRectF(area.left(), area.bottom() + 16, area.width(), 16)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), self.titles[0])

    # -- input

    def is_grab_at(self, at: QPointF) -> bool:
        """Whether a press at ``at`` grabs the line."""
        return self.mark is not None and (not self.brushable or abs(at.x() - self._mark_x()) <= _GRAB)

    def dragged_to(self, at: QPointF) -> None:
        """Drag the line to ``at``."""
        self.moved.emit(self.value_at(at.x()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Grab the line, or begin a region."""
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        at = event.position()
        if self.is_grab_at(at):
            self._holding = "mark"
            self.dragged_to(at)
        elif self.brushable:
            self._holding, self._began = "brush", at.x()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._holding == "mark":
            self.dragged_to(at)
        elif self._holding == "brush" and abs(at.x() - self._began) > _MARGIN:
            self.brushed.emit((self.value_at(min(self._began, at.x())), self.value_at(max(self._began, at.x()))))
        elif self.mark is not None:
            shape = Qt.CursorShape.SplitHCursor if self.is_grab_at(at) else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Release the line; a click beside it moves it there and removes the region."""
        if self._holding == "brush" and abs(event.position().x() - self._began) <= _MARGIN:
            self.brushed.emit(None)
            if self.mark is not None:
                self.dragged_to(event.position())
        self._holding = ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys step, Page Up and Page Down jump, Home and End go to the ends; with Shift they mark a region."""
        steps = {**_KEYS, Qt.Key.Key_Home: -(10**9), Qt.Key.Key_End: 10**9}.get(Qt.Key(event.key()))
        if steps is not None and self.mark is not None:
            self.stepped.emit(steps, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        elif event.key() == Qt.Key.Key_Escape and self.brush is not None:
            self.brushed.emit(None)
        else:
            super().keyPressEvent(event)
