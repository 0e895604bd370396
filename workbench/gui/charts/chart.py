"""The common parts of the charts."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QFocusEvent, QPainter
from PySide6.QtWidgets import QFrame

from workbench.gui.problems import guarded
from workbench.gui.theme.fonts import font
from workbench.gui.theme.tokens import Tokens


@guarded
class Chart(pg.PlotWidget):  # type: ignore[misc]
    """A plot without frame, menus and mouse zoom that shows when it has the keyboard focus."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(background=None, enableMenu=False)
        self.tokens = tokens
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        item = self.getPlotItem()
        item.hideButtons()
        item.setMouseEnabled(False, False)

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._outline()

    def style_bar_axes(self) -> None:
        """Style the axes for bars: a line below, numbers without ticks, faint horizontal lines."""
        item = self.getPlotItem()
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setTextPen(self.tokens.text3)
            axis.setPen(pg.mkPen(self.tokens.border) if side == "bottom" else pg.mkPen(None))
            axis.setStyle(tickFont=font(11, tabular=True), tickLength=0, tickTextOffset=5, maxTickLevel=0)
        item.showGrid(y=True, alpha=0.1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._outline()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._outline()

    def _outline(self) -> None:
        edge = self.tokens.accent if self.hasFocus() else "transparent"
        self.setStyleSheet(f"background: transparent; border: 1px solid {edge}")
