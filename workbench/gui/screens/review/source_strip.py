"""The sources of the open suspect, numbered and coloured; a click opens one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.parts import label
from workbench.gui.problems.guard import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.services.review.pairs import Source

_SHOWN = 5
"""Sources with a button of their own; the menu lists all."""


@guarded
class SourceChip(QAbstractButton):
    """One source: its number in its colour, its title."""

    def __init__(self, theme: Theme, item: Source) -> None:
        super().__init__()
        self._theme, self.item = theme, item
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        count = trn("{count} match", "{count} matches", item.matches) if item.matches else f"{item.best:.3f}"
        self.setAccessibleName(
            tr("Source {number}: {title}, {count}", number=item.number, title=item.title, count=count)
        )
        self.setToolTip(f"{item.title}\n{count}")

    def sizeHint(self) -> QSize:
        """As wide as its title needs, within limits."""
        text = QFontMetrics(font(12, language=self.item.language)).horizontalAdvance(self.item.title)
        return QSize(min(190, text + 46), 24)

    def minimumSizeHint(self) -> QSize:
        """The number must show."""
        return QSize(44, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A pill with the number on its colour."""
        tokens = self._theme.tokens
        with painting(self) as painter:
            area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            colour = tokens.source(self.item.number)
            painter.setPen(
                QPen(QColor(tokens.accent if self.hasFocus() else colour if self.isChecked() else tokens.border), 1)
            )
            painter.setBrush(QColor(tokens.accent_soft if self.isChecked() else tokens.surface))
            painter.drawRoundedRect(area, 12, 12)
            spot = QRectF(4, 4, 16, 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(spot, 8, 8)
            painter.setPen(QColor(tokens.surface))
            painter.setFont(font(10, SEMIBOLD, tabular=True))
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, str(self.item.number))
            face = font(12, MEDIUM if self.isChecked() else font().weight(), language=self.item.language)
            painter.setFont(face)
            painter.setPen(QColor(tokens.text if self.isChecked() else tokens.text2))
            room = self.width() - 36
            cut = QFontMetrics(face).elidedText(self.item.title, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(26, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, cut)


class SourceStrip(QFrame):
    """Shown only where a suspect has more than one source. ``chosen`` carries the source's key.

    ``menu_asked`` carries a source's key and the place on the screen of the menu that is wanted.
    """

    chosen = Signal(int)
    menu_asked = Signal(int, QPoint)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        # However many sources there are, the panes keep their widths.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        self._parts: list[QWidget] = []
        self.everything = QToolButton(self)
        self.everything.setProperty("kind", "flat")
        self.everything.setText(tr("All…"))
        self.everything.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.chips: list[SourceChip] = []
        self.hide()

    def show_sources(self, sources: Sequence[Source], opened: int) -> None:
        """List ``sources``; the one whose key is ``opened`` is marked."""
        for part in self._parts:
            self._layout.removeWidget(part)
            part.hide()
            part.deleteLater()
        while self._layout.count():
            self._layout.takeAt(0)
        self._parts, self.chips = [], []
        self.setVisible(len(sources) > 1)
        if len(sources) < 2:
            return
        self._add(label(trn("{count} source", "{count} sources", len(sources)), 12, role="muted"))
        first = list(sources[:_SHOWN])
        first += [s for s in sources[_SHOWN:] if s.key == opened]
        for item in first:
            chip = SourceChip(self._theme, item)
            chip.setChecked(item.key == opened)
            chip.clicked.connect(lambda _on=False, key=item.key: self.chosen.emit(key))
            chip.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            chip.customContextMenuRequested.connect(
                lambda at, chip=chip: self.menu_asked.emit(chip.item.key, chip.mapToGlobal(at))
            )
            self.chips.append(chip)
            self._add(chip)
        # What is made later comes last for Tab, wherever it stands; the button that stays marks the place.
        for before, after in pairwise((self.everything, *self.chips, self.everything)):
            self.setTabOrder(before, after)
        self.everything.setVisible(len(sources) > len(first))
        self._layout.addWidget(self.everything)
        self._layout.addStretch(1)
        if len(sources) > len(first):
            self._list(sources, opened)

    def _list(self, sources: Sequence[Source], opened: int) -> None:
        if (old := self.everything.menu()) is not None:
            old.deleteLater()
        menu = QMenu(self.everything)
        for item in sources:
            figure = f"{item.matches:,}" if item.matches else f"{item.best:.3f}"
            words = f"{item.number}  {item.title}  ({figure})".replace("&", "&&")
            action = menu.addAction(words)
            action.triggered.connect(lambda _on=False, key=item.key: self.chosen.emit(key))
            action.setCheckable(True)
            action.setChecked(item.key == opened)
        self.everything.setMenu(menu)

    def _add(self, part: QWidget) -> None:
        self._parts.append(part)
        self._layout.addWidget(part)
