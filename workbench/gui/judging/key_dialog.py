"""The key that signs the user's evidence packs: the public key to share, and the location of the private key."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QLabel, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr
from workbench.gui.kit.layouts import clear, fit
from workbench.gui.kit.widgets import Copyable, WholeText, button, column, heading, label, row
from workbench.gui.theme.manager import Theme
from workbench.services.signing import create_key, key_file, public_key

_WIDTH = 720


class KeyDialog(QDialog):
    """Shows the user's key, or offers to create one."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        title = tr("Your key for evidence packs")
        self.setWindowTitle(title)
        self.finished.connect(self.deleteLater)
        self.setFixedWidth(_WIDTH)
        about = tr(
            "Evidence packs that you write can be signed with your key. Anyone who has the public key can tell your "
            "packs from those of others. The public key is also printed on the cover of your reports."
        )
        self.problem = label("", 12, role="danger", wrap=True)
        self.problem.hide()
        self.make = button(tr("Create key"), self._create, kind="primary")
        self._key = column()
        self.close_button = button(tr("Close"), self.accept)
        self.setLayout(
            column(
                heading(title),
                label(about, 12, role="muted", wrap=True),
                self._key,
                self.problem,
                row(None, self.close_button, self.make),
                spacing=12,
                margins=(18, 16, 18, 14),
            )
        )
        self._show(read_key(self.problem))

    def _create(self) -> None:
        try:
            self._show(create_key())
        except UserError as error:
            show_problem(self.problem, error)

    def _show(self, key: str | None) -> None:
        """Show ``key``, "" if there is none yet, None if it cannot be read."""
        self.make.setVisible(key == "")
        if key is None:
            return
        if not key:
            self._key.addWidget(label(tr("You have no key: your evidence packs are not signed."), wrap=True))
            return
        clear(self._key)
        self._key.addWidget(Copyable(self._theme, tr("Public key: give it to those who check your packs"), key))
        words = tr("The private key is in {path}. Keep a copy, and do not share it.", path=key_file())
        self._key.addWidget(WholeText(words, 12))
        self.close_button.setDefault(True)
        fit(self)


def read_key(problem: QLabel) -> str | None:
    """The user's public key, "" if there is none; None if it cannot be read, which ``problem`` then shows."""
    try:
        return public_key()
    except UserError as error:
        show_problem(problem, error)
        return None


def show_problem(problem: QLabel, error: UserError) -> None:
    """Show the error in the label ``problem``."""
    problem.setText(say(error.sentence))
    problem.show()
