"""The values of a label set as buttons, each with its key and its colour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.cues import shade
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.problems.guard import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.manager import Theme
from workbench.services.labels.definitions import Value

_LARGE, _SMALL = 40, 30
_LONGEST = 260


@guarded
class ValueButton(QAbstractButton):
    """One value: its colour, its name, its key; chosen, it is framed and filled."""

    def __init__(self, theme: Theme, value: Value, *, large: bool) -> None:
        super().__init__()
        self._theme, self.value = theme, value
        self._height = _LARGE if large else _SMALL
        self._font = font(15 if large else 13, MEDIUM)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(value.name)
        self.setToolTip(value.name)
        if value.key:
            self.setAccessibleDescription(tr("Key {key}", key=value.key))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As wide as its name needs, within limits."""
        name = min(_LONGEST, QFontMetrics(self._font).horizontalAdvance(self.value.name))
        return QSize(name + (66 if self.value.key else 42), self._height)

    def minimumSizeHint(self) -> QSize:
        """As :meth:`sizeHint`."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame, spot, name, key."""
        tokens, on = self._theme.tokens, self.isChecked()
        colour = tokens.source(self.value.colour)
        with painting(self) as painter:
            edge = tokens.accent if self.hasFocus() else colour if on else tokens.border2
            painter.setPen(QPen(QColor(edge), 2 if on or self.hasFocus() else 1))
            ground = QColor(tokens.hover if self.underMouse() else tokens.surface)
            painter.setBrush(ground)
            area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(area, 7, 7)
            if on:
                painter.setBrush(shade(colour, tokens.highlight_alpha))
                painter.drawRoundedRect(area, 7, 7)
            middle = self.height() / 2
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawEllipse(QRectF(13, middle - 5, 10, 10))
            painter.setFont(self._font)
            painter.setPen(QColor(tokens.text))
            room = self.width() - (66 if self.value.key else 42)
            cut = QFontMetrics(self._font).elidedText(self.value.name, Qt.TextElideMode.ElideRight, room + 2)
            painter.drawText(QRectF(31, 0, room + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, cut)
            if self.value.key:
                self._key(painter, QRectF(self.width() - 29, middle - 10, 20, 20))

    def _key(self, painter: QPainter, box: QRectF) -> None:
        tokens = self._theme.tokens
        painter.setPen(QColor(tokens.border2))
        painter.setBrush(QColor(tokens.sunken))
        painter.drawRoundedRect(box, 4, 4)
        painter.setFont(font(11, MEDIUM))
        painter.setPen(QColor(tokens.text2))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.value.key.upper())

    def event(self, event: QEvent) -> bool:
        """Draw anew when the pointer comes or goes."""
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)


class ValueBar(QWidget):
    """The values that can be given; ``chosen`` carries the one that was pressed."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, *, large: bool = True) -> None:
        super().__init__()
        self._theme, self._large = theme, large
        self._layout = FlowLayout(self, 8)
        self.buttons: dict[str, ValueButton] = {}
        self._values: tuple[Value, ...] = ()

    def show_values(self, values: Sequence[Value], chosen: str) -> None:
        """Show ``values``, the one called ``chosen`` as such."""
        if tuple(values) != self._values:
            self._values = tuple(values)
            for old in self.buttons.values():
                self._layout.removeWidget(old)
                old.hide()
                old.deleteLater()
            self.buttons = {}
            for value in values:
                value_button = ValueButton(self._theme, value, large=self._large)
                value_button.clicked.connect(lambda _on=False, value=value: self.chosen.emit(value))
                self._layout.addWidget(value_button)
                value_button.show()
                self.buttons[value.name] = value_button
            self.updateGeometry()
        for name, button in self.buttons.items():
            button.setChecked(name == chosen)
