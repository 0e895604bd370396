"""An evidence pack: what proves more of it than its fingerprint, and what to do with the fingerprint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import tr
from workbench.gui.judging.key_dialog import KeyDialog, read_key, show_problem
from workbench.gui.kit.copyable import Copyable
from workbench.gui.kit.layouts import fit
from workbench.gui.kit.parts import WholeText, button, column, heading, label, row
from workbench.gui.kit.reports import open_file
from workbench.gui.problems.guard import guarded
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.services.reports.exporting import Written
from workbench.services.reports.pack import Seal
from workbench.services.timestamps import Service, load, save

_WIDTH = 720
_INDENT = 26
"""Pixels before what belongs to a tick: the width of its box."""


@guarded
class SealDialog(QDialog):
    """Whether a pack called ``name`` is signed and timestamped. One that is ``anonymous`` is not signed unasked."""

    def __init__(self, theme: Theme, parent: QWidget, name: str, *, anonymous: bool) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWindowTitle(tr("Evidence pack"))
        self.setFixedWidth(_WIDTH)
        self._service = load() or Service("")
        self.sign = _tick(tr("Sign it with my key"))
        self.stamp = _tick(tr("Have a timestamp service say that it exists now"))
        self._key_words = label("", 12, role="muted", wrap=True)
        self.key_button = button(tr("Your key…"), self._open_key, kind="link")
        self.address = QLineEdit(self._service.url)
        self.address.setPlaceholderText("https://freetsa.org/tsr")
        self.address.setAccessibleName(tr("Address of the timestamp service (RFC 3161)"))
        self.address.setFont(fonts.font(13))
        self.address.setEnabled(False)
        self.stamp.toggled.connect(self.address.setEnabled)
        self.problem = label("", 12, role="danger", wrap=True)
        self.problem.hide()
        go = button(tr("Write the pack"), self.accept, kind="primary")
        go.setDefault(True)
        key_line = row(self._key_words, self.key_button, margins=(_INDENT, 0, 0, 0))
        key_line.setStretch(0, 1)
        sent = tr("It receives the hash of the list of files, and nothing else.")
        self.setLayout(
            column(
                heading(name),
                column(self.sign, key_line, spacing=4),
                column(
                    self.stamp,
                    column(self.address, label(sent, 12, role="muted"), margins=(_INDENT, 0, 0, 0), spacing=4),
                    spacing=4,
                ),
                self.problem,
                row(None, button(tr("Cancel"), self.reject), go),
                spacing=14,
                margins=(18, 16, 18, 14),
            )
        )
        self._show_key()
        if anonymous:
            self.sign.setChecked(False)

    def seal(self) -> Seal:
        """What was chosen."""
        return Seal(self.sign.isChecked(), self.stamp.isChecked())

    def accept(self) -> None:
        """Keep the service for the next time; stay where its address is none."""
        url = self.address.text().strip()
        if self.stamp.isChecked() and url != self._service.url:
            try:
                save(Service(url))
            except UserError as error:
                show_problem(self.problem, error)
                return
        super().accept()

    def _show_key(self) -> None:
        key = read_key(self.problem)
        self.sign.setEnabled(bool(key))
        self.sign.setChecked(bool(key))
        if key:
            words = tr("Whoever has the public half of your key can tell that this pack is yours.")
        else:
            words = tr("You have no key: your evidence packs are not signed.")
        self._key_words.setText(words)

    def _open_key(self) -> None:
        dialog = KeyDialog(self._theme, self)
        dialog.finished.connect(lambda _code: self._show_key())
        dialog.open()


class PackDialog(QDialog):
    """The pack that was ``written`` to ``path``: its fingerprint, and what to do with it.

    ``counted`` says what it holds; ``save_report`` writes the report that names it.
    """

    def __init__(
        self,
        theme: Theme,
        parent: QWidget,
        path: Path,
        written: Written,
        seal: Seal,
        counted: str,
        save_report: Callable[[], object],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Evidence pack"))
        self.setFixedWidth(_WIDTH)
        self.fingerprint = Copyable(theme, tr("Fingerprint"), written.fingerprint)
        what = tr(
            "Hand the fingerprint on by another way than the pack. Whoever has it can tell this pack from any other "
            "with File › Check an evidence pack, or “palimpsest verify”. It does not stand in the pack itself; "
            "the report that goes with the pack can name it."
        )
        self.words = WholeText("", 12)
        self.words.set_text(" ".join(_facts(written, seal, counted)))
        self.report = button(tr("Save the report that names it…"), save_report)
        close = button(tr("Close"), self.accept, kind="primary")
        close.setDefault(True)
        folder = button(tr("Open its folder"), lambda: open_file(path.parent))
        self.setLayout(
            column(
                heading(tr("The evidence pack was written")),
                WholeText(str(path), 13),
                self.words,
                self.fingerprint,
                label(what, 12, role="muted", wrap=True),
                row(self.report, folder, None, close),
                spacing=12,
                margins=(18, 16, 18, 14),
            )
        )
        fit(self)


def _facts(written: Written, seal: Seal, counted: str) -> list[str]:
    facts = [tr("It holds {count}.", count=counted)]
    facts.append(tr("It is signed with your key.") if written.signed else tr("It is not signed."))
    if seal.stamp:
        facts.append(tr("A timestamp says when it existed."))
    if written.names is not None:
        facts.append(tr("Who is who stands in {path}; keep it apart.", path=written.names))
    return facts


def _tick(text: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setFont(fonts.font(13))
    return box
