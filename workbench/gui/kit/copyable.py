"""Digits to be copied: a fingerprint, a key."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import caption, column, icon_button, row
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme

_HEIGHT = 32


class Copyable(QWidget):
    """The digits ``text``, called ``name``, on one line, to be selected or copied whole."""

    def __init__(self, theme: Theme, name: str, text: str) -> None:
        super().__init__()
        self.field = QLineEdit(text)
        self.field.setReadOnly(True)
        self.field.setFont(fonts.mono(12))
        self.field.setFixedHeight(_HEIGHT)
        self.field.setAccessibleName(name)
        self.field.setCursorPosition(0)
        self.button = icon_button(theme, tr("Copy to clipboard"), "copy", self.copy)
        line = row(self.field, self.button)
        line.setStretch(0, 1)
        self.setLayout(column(caption(name), line, spacing=4))

    def copy(self) -> None:
        """Put all of it on the clipboard, and mark it."""
        QGuiApplication.clipboard().setText(self.field.text())
        self.field.selectAll()
