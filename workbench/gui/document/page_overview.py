"""Thumbnails of all pages of a document with its marks and the current page."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea

from workbench.gui.document.page_layout import SMALL, PageLayout
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.cues import shade
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.tokens import LIGHT, Tokens
from workbench.reading.printed_pages import NOWHERE, boxes_of

_GAP = 12
_LABEL = 20
"""Space in pixels for the number below a page."""
_READ = 0.3
"""Assumed position of the reader's eyes as a share of the view's height; it decides the current page unless the caret
does.
"""
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


@guarded
class PageOverview(QAbstractScrollArea):
    """Thumbnails of a view's pages, while it shows pages. ``chosen`` emits a page, from 0."""

    chosen = Signal(int)

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.tokens = tokens
        self._view: DocumentView | None = None
        self._layout: PageLayout | None = None
        self.current = 0
        """The page that is marked."""
        self._active = -1
        self._height = float(SMALL)
        """Height of a row: of its tallest page, with the number."""
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumWidth(SMALL + 2 * _GAP)
        self.setAccessibleName(tr("Page thumbnails"))

    def sizeHint(self) -> QSize:
        return QSize(SMALL + 2 * _GAP + self.verticalScrollBar().sizeHint().width(), super().sizeHint().height())

    def follow(self, view: DocumentView | None, layout: PageLayout | None) -> None:
        """Show the pages ``layout`` of ``view``; None clears the overview."""
        if self._layout is not None:
            self._layout.feed.small_arrived.disconnect(self._arrived)
        if self._view is not None:
            self._view.moved.disconnect(self._moved)
        self._view, self._layout, self._active = view, layout, -1
        if view is not None and layout is not None:
            self._height = max((SMALL * s.height / s.width for s in layout.sizes), default=SMALL) + _LABEL + _GAP
            layout.feed.small_arrived.connect(self._arrived)
            view.moved.connect(self._moved)
        self._set_range()
        self._moved()

    def page_at(self, place: QPoint) -> int:
        """The page at ``place`` in the viewport; -1 for none."""
        for page in () if self._layout is None else self._seen(self._layout):
            if self._cell(page).contains(place.toPointF()):
                return page
        return -1

    def _columns(self) -> int:
        return max(1, (self.viewport().width() - _GAP) // (SMALL + _GAP))

    def _cell(self, page: int) -> QRectF:
        assert self._layout is not None
        row, column = divmod(page, self._columns())
        size = self._layout.sizes[page]
        top = _GAP + row * self._height - self.verticalScrollBar().value()
        return QRectF(_GAP + column * (SMALL + _GAP), top, SMALL, SMALL * size.height / size.width)

    def _set_range(self) -> None:
        pages = 0 if self._layout is None else len(self._layout.labels)
        rows = -(-pages // self._columns())
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, round(_GAP + rows * self._height - self.viewport().height())))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(round(self._height / 3))

    def _arrived(self, _page: int) -> None:
        self.viewport().update()

    def _choose(self, page: int) -> None:
        self.current = page
        self.chosen.emit(page)
        self._moved()

    def _follow_view(self, view: DocumentView, layout: PageLayout) -> None:
        """Mark the page of a newly active match, else keep the marked page while it is visible."""
        height = view.viewport().height()
        seen = range(layout.piece_at_y(view.top), layout.piece_at_y(view.top + height) + 1)
        if view.active != self._active:
            self._active = view.active
            rows = np.flatnonzero((view.marks.number == view.active) & (view.marks.source == 0))
            if len(rows):
                self.current = layout.piece_at(int(view.marks.start[rows[0]]))
        if self.current not in seen:
            self.current = layout.piece_at_y(view.top + _READ * height)

    def _moved(self) -> None:
        if self._layout is not None and self._view is not None:
            self._follow_view(self._view, self._layout)
            cell = self._cell(self.current)
            bar = self.verticalScrollBar()
            if cell.top() < 0 or cell.bottom() > self.viewport().height():
                bar.setValue(round(bar.value() + cell.center().y() - self.viewport().height() / 2))
            here = tr("Page {number}", number=self._layout.labels[self.current])
            marks = trn("{count} match", "{count} matches", self._matches(self.current))
            self.setAccessibleDescription(f"{here}, {marks}")
        self.viewport().update()

    def _matches(self, page: int) -> int:
        assert self._layout is not None
        return 0 if self._view is None else len(self._view.marks.within(*self._layout.limits(page)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the visible pages, and request those that are not ready."""
        with painting(self.viewport()) as painter:
            painter.fillRect(self.viewport().rect(), QColor(self.tokens.sunken))
            if self._layout is None or self._view is None:
                return
            seen = self._seen(self._layout)
            self._layout.feed.request_thumbnails(seen)
            for page in seen:
                self._page(painter, self._layout, self._view, page)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(self.tokens.accent), 2))
                painter.drawRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1))

    def _seen(self, layout: PageLayout) -> range:
        """The pages in the rows that are in view."""
        top, columns = self.verticalScrollBar().value() - _GAP, self._columns()
        first, last = (int((y // self._height) * columns) for y in (top, top + self.viewport().height()))
        return range(max(0, first), min(last + columns, len(layout.labels)))

    def _page(self, painter: QPainter, layout: PageLayout, view: DocumentView, page: int) -> None:
        cell, scale = self._cell(page), SMALL / layout.sizes[page].width
        painter.fillRect(cell, QColor("#ffffff"))
        image = layout.feed.small.get(page)
        if image is not None:
            painter.drawImage(cell, image)
        places = layout.feed.places.get(page, NOWHERE)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        start, end = layout.limits(page)
        for row in view.marks.within(start, end).tolist():
            shown = int(view.marks.source[row]) or view.source
            active = not view.marks.source[row] and int(view.marks.number[row]) in view.together
            colour = shade(LIGHT.source(shown) if shown else LIGHT.accent, 190 if active else 110)
            for box in boxes_of(places, int(view.marks.start[row]), int(view.marks.end[row])):
                left, top = cell.left() + box.left * scale, cell.top() + box.top * scale
                painter.fillRect(
                    QRectF(left, top, (box.right - box.left) * scale, (box.bottom - box.top) * scale), colour
                )
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        here = page == self.current
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self.tokens.accent if here else self.tokens.border), 2 if here else 1))
        painter.drawRect(cell)
        painter.setPen(QColor(self.tokens.text if here else self.tokens.text2))
        painter.setFont(font(11, MEDIUM, tabular=True))
        words, count = layout.labels[page], self._matches(page)
        if count:
            words += " · " + trn("{count} match", "{count} matches", count)
        painter.drawText(QRectF(cell.left(), cell.bottom(), SMALL, _LABEL), Qt.AlignmentFlag.AlignCenter, words)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        page = self.page_at(event.position().toPoint())
        if page >= 0:
            self._choose(page)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys move from page to page."""
        step = _STEPS.get(Qt.Key(event.key()), 0)
        step = step or {Qt.Key.Key_Up: -self._columns(), Qt.Key.Key_Down: self._columns()}.get(Qt.Key(event.key()), 0)
        page = self.current + step
        if step and self._layout is not None:
            if 0 <= page < len(self._layout.labels):
                self._choose(page)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit as many pages into a row as possible."""
        self._set_range()
        self._moved()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Draw newly visible pages."""
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
