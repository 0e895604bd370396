"""The name that verdicts, labels and decisions on blocks carry."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import button, caption, column, heading, label, row
from workbench.gui.theme import fonts
from workbench.services.review.verdicts import reviewer

_LONGEST = 120
"""Characters of a name."""


class ReviewerDialog(QDialog):
    """One field: the reviewer's name; left empty, the name of the login counts."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        title = tr("Your name in verdicts and reports")
        self.setWindowTitle(title)
        self.setFixedWidth(460)
        self._name = QLineEdit(name)
        self._name.setMaxLength(_LONGEST)
        self._name.setPlaceholderText(reviewer())
        self._name.setAccessibleName(title)
        self._name.setFont(fonts.font(14))
        self._name.selectAll()
        sentence = tr(
            "Verdicts, labels and decisions on blocks carry this name from now on; earlier ones keep theirs. "
            "If left empty, the name you are logged in with is used."
        )
        go = button(tr("Save"), self.accept, kind="primary")
        go.setDefault(True)
        field = column(caption(tr("Name")), self._name, spacing=4)
        bottom = row(None, button(tr("Cancel"), self.reject), go)
        words = label(sentence, 12, role="muted", wrap=True)
        self.setLayout(column(heading(title), field, words, bottom, spacing=12, margins=(18, 16, 18, 14)))

    def name(self) -> str:
        """The name in the field, on one line; empty for the login's."""
        return " ".join(self._name.text().split())
