"""The classes of relations in a run: legend and filter in one, and the shapes of pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.base.types import Role
from workbench.gui.charts.relation_looks import PageSample, relation_pen
from workbench.gui.i18n import tr
from workbench.gui.judging.relation_words import relation_meaning, relation_word
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.widgets import label, row
from workbench.gui.kit.words import role_word
from workbench.gui.problems.guard import guarded, painting
from workbench.gui.screens.relations.run import Mask
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.tokens import LIGHT, Tokens


@guarded
class ClassChip(QAbstractButton):
    """A class with its line and how many pairs have it; pressed: its pairs are shown."""

    def __init__(self, name: str, count: int, tokens: Tokens) -> None:
        super().__init__()
        self.name, self.tokens = name, tokens
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._face = font(12, MEDIUM, tabular=True)
        self.setFont(self._face)
        self.setToolTip(relation_meaning(name) or relation_word(name))
        self.show_count(count)

    def show_count(self, count: int) -> None:
        """Say how many pairs are of the class."""
        self.setText(f"{relation_word(self.name)} {count:,}")
        self.setAccessibleName(self.text())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Line, words and room."""
        return QSize(QFontMetrics(self._face).horizontalAdvance(self.text()) + 56, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw frame, line and text; hidden classes are hollow and struck through."""
        tokens, on = self.tokens, self.isChecked()
        with painting(self) as painter:
            edge = tokens.accent if self.hasFocus() else tokens.border2 if on else tokens.border
            painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
            painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.sunken if on else tokens.surface))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 11, 11)
            if on:
                painter.setPen(relation_pen(self.name, tokens, 2.4))
                painter.drawLine(QPointF(11, 12), QPointF(37, 12))
            face = font(12, MEDIUM, tabular=True)
            face.setStrikeOut(not on)
            painter.setFont(face)
            painter.setPen(QColor(tokens.text if on else tokens.text3))
            painter.drawText(QRectF(44, 0, self.width() - 46, 24), Qt.AlignmentFlag.AlignVCenter, self.text())


class ClassLegend(QWidget):
    """One chip per class; ``changed`` is emitted when classes are switched on or off."""

    changed = Signal()

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self._tokens = tokens
        self.chips: list[ClassChip] = []
        self._flow = FlowLayout(self, spacing=6)
        self.setAccessibleName(tr("Classes of relations"))

    def show_classes(self, names: Sequence[str], counts: Sequence[int]) -> None:
        """Show the classes, switched on except those that were off before."""
        off = {chip.name for chip in self.chips if not chip.isChecked()}
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = []
        for name, count in zip(names, counts, strict=True):
            chip = ClassChip(name, count, self._tokens)
            chip.setChecked(name not in off)
            chip.clicked.connect(self.changed)
            self._flow.addWidget(chip)
            self.chips.append(chip)
        self.updateGeometry()

    def show_counts(self, counts: Sequence[int]) -> None:
        """Say how many pairs of the selection are of each class; a class that has none is not offered."""
        for chip, count in zip(self.chips, counts, strict=True):
            chip.show_count(count)
            chip.setVisible(count > 0)
        self.updateGeometry()

    def chosen_mask(self) -> Mask:
        """Which classes are on, bool[classes]."""
        return np.array([chip.isChecked() for chip in self.chips], np.bool_)

    def show_all(self) -> None:
        """Switch every class on."""
        for chip in self.chips:
            chip.setChecked(True)
        self.changed.emit()

    def set_tokens(self, tokens: Tokens) -> None:
        self._tokens = tokens
        for chip in self.chips:
            chip.tokens = tokens
            chip.update()


class PageLegend(QWidget):
    """The shape of each role."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._samples = {role: PageSample(tokens, role) for role in (Role.SUSPECT, Role.SOURCE, Role.BACKGROUND)}
        self._parts = {role: QWidget() for role in self._samples}
        whole = row(spacing=14)
        for role, sample in self._samples.items():
            self._parts[role].setLayout(row(sample, label(role_word(role), 12, role="muted"), spacing=5))
            whole.addWidget(self._parts[role])
        self.setLayout(whole)

    def show_roles(self, roles: frozenset[Role]) -> None:
        """Show only the roles that are drawn."""
        for role, part in self._parts.items():
            part.setVisible(role in roles)

    def set_tokens(self, tokens: Tokens) -> None:
        for sample in self._samples.values():
            sample.set_tokens(tokens)
