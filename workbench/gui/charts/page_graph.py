"""Pages as points and their pairs as lines; with zoom, panning and keyboard navigation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from workbench.gui.charts.page_graph_paint import GraphContent, GraphPainter, Points
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.cues import blank, draw_focus
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.tokens import LIGHT, Tokens

_MARGIN = 34
_NEAR_PAGE, _NEAR_LINE = 6, 5
"""Distance around a page or line that counts as a hit, in pixels."""
_STEP = 60
_EMPHASISED = 200
"""Maximum number of pairs of the chosen page that are highlighted, strongest first."""


@guarded
class PageGraph(QWidget):
    """``page_chosen`` emits a page's key, ``pair_chosen`` and ``opened`` a pair's row in the run's columns.

    Arrow keys go to the nearest page in their direction, Page Down and Page Up through its pairs, Enter opens the pair;
    plus, minus and 0 zoom; with Shift, arrow keys pan.
    """

    page_chosen = Signal(int)
    pair_chosen = Signal(int)
    opened = Signal(int)

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens = tokens
        self._content = GraphContent.empty()
        self._scale, self._offset = 1.0, QPointF(0, 0)
        self._fitted = True
        self._pixmap = QPixmap()
        self._drawn_for: tuple[object, ...] = ()
        self._hover = (-1, -1)
        self._pressed: QPointF | None = None
        self._moved = False
        self.page = -1
        """Position of the chosen page; -1 for none."""
        self.pair = -1
        """Position of the chosen pair among those drawn; -1 for none."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(240, 200)
        self.setAccessibleName(tr("Graph of pages"))

    # -- content

    def set_content(self, content: GraphContent) -> None:
        """Draw ``content``; the selection is kept if still drawn."""
        before = self._content
        key = int(before.drawing.keys[self.page]) if self.page >= 0 else -1
        row = int(before.drawing.rows[self.pair]) if self.pair >= 0 else -1
        self._content, self._drawn_for = content, ()
        self._hover = (-1, -1)
        self.page = _place(content.drawing.keys, key)
        self.pair = _place(content.drawing.rows, row)
        pages, pairs = len(content.drawing.keys), len(content.drawing.rows)
        counts = trn("{count} page", "{count} pages", pages), trn("{count} pair", "{count} pairs", pairs)
        self.setAccessibleDescription(tr("{pages}, {pairs}", pages=counts[0], pairs=counts[1]))
        self._fitted = True
        self.fit()

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.update()

    def choose_pair(self, row: int) -> None:
        """Highlight the pair in ``row`` of the run's columns (-1: none) without emitting a signal."""
        self.pair = _place(self._content.drawing.rows, row)
        drawing = self._content.drawing
        if self.pair >= 0 and self.page not in (drawing.one[self.pair], drawing.other[self.pair]):
            self.page = int(drawing.one[self.pair])
        self.update()

    def centre_of(self, row: int) -> QPointF:
        """The middle of the pair in ``row`` of the run's columns, in pixels."""
        at = _place(self._content.drawing.rows, row)
        points = self._points()
        drawing = self._content.drawing
        x, y = (points[drawing.one[at]] + points[drawing.other[at]]) / 2
        return QPointF(float(x), float(y))

    # -- view

    def fit(self) -> None:
        """Show everything."""
        drawing = self._content.drawing
        if len(drawing.keys):
            low = np.array([drawing.x.min(), drawing.y.min()])
            size = np.array([drawing.x.max(), drawing.y.max()]) - low
            room = np.array([self.width(), self.height()]) - 2 * _MARGIN
            self._scale = float(np.clip((room / np.maximum(size, 0.6)).min(), 2.0, 190.0))
            middle = (low + size / 2) * self._scale
            self._offset = QPointF(self.width() / 2 - middle[0], self.height() / 2 - middle[1])
        self._fitted = True
        self.update()

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Enlarge by ``factor``; the point ``about`` (by default the centre) stays fixed."""
        centre = about if about is not None else QPointF(self.width() / 2, self.height() / 2)
        scale = float(np.clip(self._scale * factor, 2.0, 1_200.0))
        self._offset = centre + (self._offset - centre) * (scale / self._scale)
        self._scale = scale
        self._fitted = False
        self.update()

    def _points(self) -> Points:
        """Positions of the pages in pixels, float64[n, 2]."""
        drawing = self._content.drawing
        places = np.stack((drawing.x, drawing.y), axis=1) * self._scale
        shown: Points = places + np.array([self._offset.x(), self._offset.y()])
        return shown

    def _radius(self) -> NDArray[np.float64]:
        """Radius of the pages in pixels: smaller where they are close, larger where there is room."""
        size: NDArray[np.float64] = self._content.radius * float(np.clip(self._scale / 60, 0.45, 1.3))
        return size

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep everything in view until the user has panned or zoomed."""
        super().resizeEvent(event)
        if self._fitted:
            self.fit()

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the graph from the cache; above it the selection and the item under the pointer."""
        drawing, place = self._content.drawing, (self._scale, self._offset.x(), self._offset.y())
        key = (self.size(), place, self.tokens.name, self.devicePixelRatioF())
        if key != self._drawn_for:
            self._pixmap, self._drawn_for = self._drawn(), key
        with painting(self) as painter:
            painter.drawPixmap(0, 0, self._pixmap)
            hand = GraphPainter(
                painter, self._content, self._points(), self._radius(), self.tokens, QRectF(self.rect())
            )
            near = self._pairs_of(self.page)[:_EMPHASISED]
            for at in near:
                hand.line(at, 2.6)
            for at in {*drawing.one[near].tolist(), *drawing.other[near].tolist()}:
                hand.page(at)
            ends: list[int] = []
            if self.pair >= 0:
                ends = [int(drawing.one[self.pair]), int(drawing.other[self.pair])]
                hand.halo(self.pair)
                hand.line(self.pair, 3.2)
            chosen = dict.fromkeys([*ends, self.page] if self.page >= 0 else ends)
            for at in chosen:
                hand.chosen(at, first=at == self.page)
            page, pair = self._hover
            if pair >= 0:
                hand.line(pair, 3.0)
            hovered = [page] if page >= 0 else [int(drawing.one[pair]), int(drawing.other[pair])] if pair >= 0 else []
            hand.names(dict.fromkeys([*chosen, *hovered]))
            draw_focus(painter, self, self.tokens.accent)

    def _drawn(self) -> QPixmap:
        pixmap = blank(self, self.tokens.surface)
        with painting(pixmap) as painter:
            GraphPainter(
                painter, self._content, self._points(), self._radius(), self.tokens, QRectF(self.rect())
            ).whole()
        return pixmap

    # -- pointer and keys

    def _at(self, place: QPointF) -> tuple[int, int]:
        """Indexes of the page, else the pair, at ``place``; -1 for none."""
        points, drawing = self._points(), self._content.drawing
        if not len(points):
            return -1, -1
        away = np.hypot(points[:, 0] - place.x(), points[:, 1] - place.y()) - self._radius()
        nearest = int(np.argmin(away))
        if away[nearest] <= _NEAR_PAGE:
            return nearest, -1
        if not len(drawing.rows):
            return -1, -1
        start, way = points[drawing.one], points[drawing.other] - points[drawing.one]
        to = np.array([place.x(), place.y()]) - start
        along = np.clip((to * way).sum(1) / np.maximum(1e-9, (way * way).sum(1)), 0, 1)
        away = np.hypot(*(to - along[:, None] * way).T)
        nearest = int(np.argmin(away))
        return (-1, nearest) if away[nearest] <= _NEAR_LINE else (-1, -1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start a click or a pan."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while the button is down; otherwise show the item under the pointer."""
        place = event.position()
        if self._pressed is not None:
            way = place - self._pressed
            if self._moved or way.manhattanLength() > 4:
                self._moved, self._fitted = True, False
                self._offset += way
                self._pressed = place
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.update()
            return
        hover = self._at(place)
        if hover != self._hover:
            self._hover = hover
            self.setCursor(Qt.CursorShape.PointingHandCursor if max(hover) >= 0 else Qt.CursorShape.ArrowCursor)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click chooses the page or the pair under the pointer."""
        moved, self._pressed = self._moved, None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        if event.button() != Qt.MouseButton.LeftButton or moved:
            return
        page, pair = self._at(event.position())
        if page >= 0:
            self._choose_page(page)
        elif pair >= 0:
            self._choose(pair)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the pair that the first click chose."""
        if event.button() == Qt.MouseButton.LeftButton and max(self._at(event.position())) >= 0:
            self._open()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y()
        if turn:
            self.zoom(1.0015**turn, event.position())
            event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = (-1, -1)
        self.update()

    def _choose_page(self, page: int) -> None:
        """Choose a page, and the strongest of its pairs that are drawn."""
        self.page = page
        content = self._content
        self.setAccessibleDescription(", ".join(filter(None, (content.titles[page], content.hosts[page]))))
        self.page_chosen.emit(int(self._content.drawing.keys[page]))
        if near := self._pairs_of(page):
            self._choose(near[0])
        self.update()

    def _choose(self, pair: int) -> None:
        self.choose_pair(int(self._content.drawing.rows[pair]))
        self.pair_chosen.emit(int(self._content.drawing.rows[pair]))

    def _open(self) -> None:
        if self.pair >= 0:
            self.opened.emit(int(self._content.drawing.rows[self.pair]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See the class."""
        ways = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        key = Qt.Key(event.key())
        if key in ways and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            x, y = ways[key]
            self._offset -= QPointF(_STEP * x, _STEP * y)
            self._fitted = False
            self.update()
        elif key in ways and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._step(*ways[key])
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self._step_pair(1 if key == Qt.Key.Key_PageDown else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.25)
        elif key == Qt.Key.Key_Minus:
            self.zoom(0.8)
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            super().keyPressEvent(event)

    def _step(self, x: int, y: int) -> None:
        """Go to the nearest page in a direction; if none is chosen, to the one in the middle."""
        points = self._points()
        if not len(points):
            return
        if self.page < 0:
            middle = np.array([self.width() / 2, self.height() / 2])
            self._choose_page(int(np.argmin(np.hypot(*(points - middle).T))))
            return
        way = points - points[self.page]
        ahead, aside = way @ np.array([x, y]), np.abs(way @ np.array([y, x]))
        cost = np.where(ahead > 1e-6, ahead + 2 * aside, np.inf)
        nearest = int(np.argmin(cost))
        if np.isfinite(cost[nearest]):
            self._choose_page(nearest)

    def _pairs_of(self, page: int) -> list[int]:
        """Indexes of the drawn pairs of a page, strongest first."""
        drawing = self._content.drawing
        return [] if page < 0 else np.flatnonzero((drawing.one == page) | (drawing.other == page))[::-1].tolist()

    def _step_pair(self, by: int) -> None:
        """Go to the next pair of the chosen page."""
        if near := self._pairs_of(self.page):
            self._choose(near[((near.index(self.pair) if self.pair in near else -1) + by) % len(near)])


def _place(values: NDArray[np.int64], wanted: int) -> int:
    """Index of ``wanted``; -1 if absent."""
    places = np.flatnonzero(values == wanted).tolist()
    return places[0] if places and wanted >= 0 else -1
