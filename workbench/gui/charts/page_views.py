"""Pictures of pages side by side, scaled to the available width; taller ones scroll."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from workbench.evaluation.figures import PageView
from workbench.gui.kit.layouts import scroll_down
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import font
from workbench.gui.theme.tokens import LIGHT, Tokens

_GAP, _TITLE = 14, 24


@guarded
class _Pictures(QWidget):
    """All pages at one scale."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = LIGHT
        self.pages: list[tuple[str, QImage]] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        tallest = max((image.height() for _, image in self.pages), default=0)
        return _TITLE + round(tallest * self._scale(width)) + 2

    def sizeHint(self) -> QSize:
        return QSize(480, self.heightForWidth(480))

    def _scale(self, width: int) -> float:
        across = sum(image.width() for _, image in self.pages)
        return max(1, width - _GAP * (len(self.pages) - 1) - 2) / max(1, across)

    def paintEvent(self, _event: QPaintEvent) -> None:
        left, scale = 1.0, self._scale(self.width())
        face = font(12)
        with painting(self) as painter:
            painter.setRenderHint(painter.RenderHint.SmoothPixmapTransform)
            painter.setFont(face)
            for title, image in self.pages:
                box = QRectF(left, _TITLE, image.width() * scale, image.height() * scale)
                painter.setPen(QColor(self.tokens.text2))
                elided = QFontMetrics(face).elidedText(title, Qt.TextElideMode.ElideMiddle, int(box.width()))
                painter.drawText(QRectF(left, 0, box.width(), _TITLE), Qt.AlignmentFlag.AlignVCenter, elided)
                painter.drawImage(box, image)
                painter.setPen(QColor(self.tokens.border2))
                painter.drawRect(box)
                left += box.width() + _GAP


class PageViews(QScrollArea):
    """Shows the pages of a figure."""

    def __init__(self) -> None:
        super().__init__()
        self._pictures = _Pictures()
        scroll_down(self, self._pictures, see_through=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_tokens(self, tokens: Tokens) -> None:
        """Draw titles and frames in the colours of a theme."""
        self._pictures.tokens = tokens
        self._pictures.update()

    @property
    def titles(self) -> list[str]:
        """The title above each page."""
        return [title for title, _ in self._pictures.pages]

    def show_pages(self, name: str, pages: Sequence[PageView]) -> None:
        """Show ``pages``, with the common accessible name ``name``."""
        self._pictures.pages = [(page.title, QImage.fromData(page.data)) for page in pages]
        self.setAccessibleName(name)
        self.setAccessibleDescription(" · ".join(self.titles))
        self._pictures.updateGeometry()
        self._pictures.update()
        self.verticalScrollBar().setValue(0)
