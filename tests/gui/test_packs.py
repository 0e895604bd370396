"""The user's key and the check of a pack, in the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.faults.test_forged_packs import archive, files_of
from tests.gui.conftest import Start
from workbench.gui.judging.key_dialog import KeyDialog
from workbench.gui.kit.widgets import Copyable, WholeText
from workbench.gui.shell.check_pack import CheckPackDialog
from workbench.gui.shell.window import Window
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.session import Session
from workbench.services.signing import create_key, key_file, public_key


def words(dialog: CheckPackDialog | KeyDialog) -> str:
    """All that is said."""
    labels = [part.text() for part in dialog.findChildren(QLabel) if not part.isHidden()]
    return " ".join([*labels, *(part.text_whole() for part in dialog.findChildren(WholeText))])


def shown_for(window: Window, qtbot: QtBot, action: str, kind: type) -> object:
    window.context.actions.run(action)
    qtbot.waitUntil(lambda: bool(window.findChildren(kind)))
    return window.findChildren(kind)[-1]


def test_a_key_is_made_once_and_its_public_half_copied(start: Start, project: Path, qtbot: QtBot) -> None:
    window = start(project, "documents").window
    dialog = shown_for(window, qtbot, "window.key", KeyDialog)
    assert isinstance(dialog, KeyDialog)
    assert "You have no key" in words(dialog)
    dialog.make.click()
    assert public_key()
    assert dialog.make.isHidden()
    assert str(key_file()) in words(dialog)
    dialog.findChildren(Copyable)[0].button.click()
    assert QApplication.clipboard().text() == public_key()
    dialog.accept()
    key_file().write_text("no key")
    again = shown_for(window, qtbot, "window.key", KeyDialog)
    assert isinstance(again, KeyDialog)
    assert "cannot be read" in again.problem.text()
    assert again.make.isHidden()
    again.accept()


def test_a_check_says_what_is_proven_and_what_was_changed(
    start: Start, project: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    key, pack = create_key(), tmp_path / "p.zip"
    with Session(project, write=False) as session:
        fingerprint = export(session, Selection(1), pack).fingerprint
    dialog = shown_for(start(project, "documents").window, qtbot, "file.check", CheckPackDialog)
    assert isinstance(dialog, CheckPackDialog)
    assert not dialog.go.isEnabled()

    def check(**fields: object) -> str:
        for name, value in {"file": pack, "fingerprint": "", "key": "", **fields}.items():
            getattr(dialog, name).setText(str(value))
        dialog.go.click()
        qtbot.waitUntil(dialog.go.isEnabled)
        return words(dialog)

    alone = check()
    assert "only comparing the fingerprint" in alone
    assert f"Signed by the key {key}" in alone
    assert "when it was made is not proven" in alone
    both = check(fingerprint=fingerprint, key=key)
    assert "is the one that you gave" in both
    assert "Signed by the key that you gave" in both
    assert "not the pack that was handed out" in check(key="0" * 64)
    assert "64 hexadecimal digits" in check(key="short")
    assert "cannot be read" in check(file=tmp_path / "gone.zip")
    forged = [(name, b"other" if name == "README.txt" else body) for name, body in files_of(pack)]
    (tmp_path / "forged.zip").write_bytes(archive(forged))
    assert "README.txt was changed" in check(file=tmp_path / "forged.zip")
    dialog.reject()
