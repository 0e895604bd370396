"""Paste a text as a document."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QPlainTextEdit, QWidget

from workbench.base.types import Role
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.widgets import button, caption, column, label, row
from workbench.gui.kit.words import role_word
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext


class PasteDialog(QDialog):
    """Title, role and text."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Paste text"))
        self.resize(640, 520)
        self._title = QLineEdit()
        self._title.setPlaceholderText(tr("Title"))
        self._title.setAccessibleName(tr("Title"))
        self._role = QComboBox()
        self._role.setAccessibleName(tr("Role"))
        for role in (Role.SUSPECT, Role.SOURCE, Role.BACKGROUND):
            self._role.addItem(role_word(role), role.value)
        self._body = QPlainTextEdit()
        self._body.setAccessibleName(tr("Text"))
        self._body.setPlaceholderText(tr("Paste or type the text here"))
        self._body.setFont(fonts.font(14))
        self._body.setTabChangesFocus(True)
        self._count = label("", 12, role="faint", tabular=True)
        self._go = button(tr("Add"), self.accept, kind="primary")
        self._go.setDefault(True)
        top = row(
            column(caption(tr("Title")), self._title, spacing=4), column(caption(tr("Role")), self._role, spacing=4)
        )
        top.setStretch(0, 1)
        bottom = row(self._count, None, button(tr("Cancel"), self.reject), self._go)
        whole = column(top, caption(tr("Text")), spacing=10, margins=(14, 12, 14, 12))
        whole.addWidget(self._body, 1)
        whole.addLayout(bottom)
        self.setLayout(whole)
        self._body.textChanged.connect(self._changed)
        self._changed()

    def _changed(self) -> None:
        text = self.body_text()
        self._count.setText(trn("{count} character", "{count} characters", len(text)))
        self._go.setEnabled(bool(text.strip()))

    def set_body(self, text: str) -> None:
        """Put ``text`` into the field."""
        self._body.setPlainText(text)

    def title_text(self) -> str:
        """The title."""
        return self._title.text()

    def body_text(self) -> str:
        """The text."""
        return self._body.toPlainText()

    def role(self) -> Role:
        """The role."""
        return Role(self._role.currentData())
