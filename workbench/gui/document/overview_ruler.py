"""The strip beside a pane that shows the whole document: where its matches are, and which part is visible."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from workbench.gui.document.marks import Marks, density
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import tr
from workbench.gui.kit.cues import shade
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.tokens import LIGHT, Tokens

WIDTH = 18
_INSET = 4
_SHORTEST = 2.0
"""Minimum height of a tick, in pixels."""


@guarded
class OverviewRuler(QWidget):
    """Replaces the scroll bar of ``view``. Crowded matches are drawn as a density instead of ticks; drawn once per set
    of matches.
    """

    def __init__(self, view: DocumentView, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self.tokens, self._view = tokens, view
        self._image = QImage()
        self._marks: Marks | None = None
        """The marks that the image shows: as long as they are kept, no others can be mistaken for them."""
        self._drawn_for: tuple[object, ...] = ()
        self.setFixedWidth(WIDTH)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Overview"))
        view.moved.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.fillRect(self.rect(), QColor(self.tokens.sunken))
            view = self._view
            key = (view.lines.length, self.height(), self.tokens.name, round(view.lines.total, -2))
            if view.marks is not self._marks or key != self._drawn_for:
                self._image, self._marks, self._drawn_for = self._ticks(), view.marks, key
            painter.drawImage(QRectF(_INSET, 0, self.width() - 2 * _INSET, self.height()), self._image)
            scale = self.height() / max(1.0, view.lines.total, float(view.viewport().height()))
            for row in np.flatnonzero(np.isin(view.marks.number, list(view.together)) & (view.marks.source == 0)):
                span = np.array([view.marks.start[row], view.marks.end[row]], np.float64)
                y0, y1 = (view.lines.rough_y(span) * scale).tolist()
                colour = view.colour_of(0, int(view.marks.kind[row]))
                painter.fillRect(
                    QRectF(_INSET - 2, y0, self.width() - 2 * _INSET + 4, max(3.0, y1 - y0)), QColor(colour)
                )
            top, height = view.top * scale, max(14.0, view.viewport().height() * scale)
            painter.setPen(QPen(shade(self.tokens.text2, 170), 1))
            painter.setBrush(shade(self.tokens.text2, 26))
            painter.drawRoundedRect(QRectF(1.5, top + 0.5, self.width() - 3, height - 1), 4, 4)

    def _ticks(self) -> QImage:
        """One row per pixel: the colour that covers most of it, with an opacity by the share covered."""
        view, height = self._view, max(1, self.height())
        marks = view.marks
        scale = height / max(1.0, view.lines.total, float(view.viewport().height()))
        y0 = view.lines.rough_y(marks.start.astype(np.float64)) * scale
        y1 = np.maximum(view.lines.rough_y(marks.end.astype(np.float64)) * scale, y0 + _SHORTEST)
        if view.source:
            palette, kinds = self.tokens.sources, (np.where(marks.source > 0, marks.source, view.source) - 1)
        else:
            palette, kinds = self.tokens.rarity, marks.kind.astype(np.int64)
        kinds = kinds % len(palette)
        cover = np.stack([density(y0[kinds == k], y1[kinds == k], height) for k in range(len(palette))])
        best = np.argmax(cover, axis=0)
        amount = cover[best, np.arange(height)]
        colours = np.array([[int(c[5:7], 16), int(c[3:5], 16), int(c[1:3], 16)] for c in palette], np.uint8)
        pixels = np.zeros((height, 4), np.uint8)
        pixels[:, :3] = colours[best]
        pixels[:, 3] = np.where(amount > 0.02, 70 + 130 * np.minimum(1, amount), 0)
        # As wide as it is shown, and premultiplied: stretching and converting at every paint takes milliseconds.
        width = self.width() - 2 * _INSET
        data = pixels.repeat(width, axis=0).tobytes()
        image = QImage(data, width, height, 4 * width, QImage.Format.Format_ARGB32)
        return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Bring the clicked position to the middle of the pane."""
        view = self._view
        share = event.position().y() / max(1, self.height())
        total = max(view.lines.total, float(view.viewport().height()))
        view.verticalScrollBar().setValue(round(share * total - view.viewport().height() / 2))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self._view.viewport(), event)
