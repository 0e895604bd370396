"""The appearance of relations and pages: a colour and dash per class, a colour and shape per role."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from workbench.base.types import Role
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.tokens import Tokens

_CLASSES: dict[str, tuple[int, tuple[float, ...]]] = {
    "mirror": (2, ()),
    "identical copy": (1, ()),
    "near-duplicate": (1, ()),
    "whole copy": (1, ()),
    "inclusion of a copy": (5, (4.0, 2.0)),
    "partial copy": (8, (1.2, 2.2)),
    "archive": (3, (6.0, 2.5)),
    "link collection": (4, (6.0, 2.0, 1.5, 2.0)),
    "inclusion": (5, (4.0, 2.0)),
    "same site": (6, (2.5, 2.0)),
    "citation": (7, (5.0, 2.0, 1.0, 2.0, 1.0, 2.0)),
    "shared sentences": (8, (1.2, 2.2)),
}
"""Source colour (1 to 8) and dash pattern (in line widths) of each class; () is a solid line."""
_OTHERS: tuple[tuple[int, tuple[float, ...]], ...] = (
    (3, (3.0, 1.5)),
    (4, (1.5, 1.5)),
    (5, (8.0, 2.0)),
    (7, (2.0, 4.0)),
)
_ROLES = {Role.SUSPECT: "warn", Role.SOURCE: "accent", Role.BACKGROUND: "text3"}


def relation_pen(name: str, tokens: Tokens, width: float = 1.6) -> QPen:
    """The line of a class of relations; "" (no class) is thin and grey, an unknown class has a line of its own."""
    if not name:
        return QPen(QColor(tokens.text3), width * 0.8)
    number, dash = _CLASSES.get(name) or _OTHERS[sum(map(ord, name)) % len(_OTHERS)]
    pen = QPen(QColor(tokens.source(number)), width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dash:
        pen.setDashPattern(list(dash))
    return pen


def draw_arrow(painter: QPainter, colour: QColor, start: QPointF, end: QPointF, size: float) -> None:
    """The head of an arrow with its tip at ``end``, coming from ``start``; none if there is no room."""
    way = end - start
    length = (way.x() ** 2 + way.y() ** 2) ** 0.5
    if length < 1.5 * size:
        return
    along = way / length
    across = QPointF(-along.y(), along.x()) * (0.42 * size)
    foot = end - along * size
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([end, foot + across, foot - across]))


def draw_page(painter: QPainter, tokens: Tokens, role: Role, centre: QPointF, radius: float) -> None:
    """Draw a page: a square for a suspect, a circle for a source, a triangle for background."""
    painter.setPen(QPen(QColor(tokens.surface), 1.4))
    painter.setBrush(QColor(getattr(tokens, _ROLES[role])))
    if role is Role.SOURCE:
        painter.drawEllipse(centre, radius, radius)
    elif role is Role.SUSPECT:
        side = radius * 0.9
        painter.drawRect(QRectF(centre.x() - side, centre.y() - side, 2 * side, 2 * side))
    else:
        up, down, across = radius * 1.15, radius * 0.75, radius * 1.1
        x, y = centre.x(), centre.y()
        painter.drawPolygon(
            QPolygonF([QPointF(x, y - up), QPointF(x + across, y + down), QPointF(x - across, y + down)])
        )


@guarded
class LineSample(QWidget):
    """The line of a class, for legends."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens, self._name = tokens, ""
        self.setFixedSize(30, 14)

    def show_class(self, name: str, tokens: Tokens) -> None:
        """Show the sample of class ``name``."""
        self._name, self._tokens = name, tokens
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setPen(relation_pen(self._name, self._tokens, 2.4))
            painter.drawLine(QPointF(1, 7), QPointF(29, 7))


@guarded
class PageSample(QWidget):
    """The shape of a role, for legends."""

    def __init__(self, tokens: Tokens, role: Role) -> None:
        super().__init__()
        self._tokens, self._role = tokens, role
        self.setFixedSize(QSize(14, 14))

    def set_tokens(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            draw_page(painter, self._tokens, self._role, QPointF(7, 7), 5.5)
