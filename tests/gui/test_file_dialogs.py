"""Dialogs for files: what they must not do to the open project."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileSystemModel, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from workbench.gui import i18n
from workbench.gui.kit.file_dialogs import Mode, make_dialog
from workbench.services.session import Session

LOCKS = Path("/proc/locks")


def _locks(project: Path) -> int:
    """The number of this process's locks on the files of a project."""
    nodes = {f":{file.stat().st_ino} " for file in project.parent.glob(f"{project.name}*")}
    own = [line for line in LOCKS.read_text().splitlines() if f" {os.getpid()} " in line and "POSIX" in line]
    return sum(any(node in line for node in nodes) for line in own)


@pytest.mark.skipif(not LOCKS.exists(), reason="locks can only be listed on Linux")
def test_listing_the_folder_of_the_open_project_leaves_its_locks_alone(qtbot: QtBot, project: Path) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    with Session(project) as session:
        with session.read() as connection:
            connection.exec_driver_sql("SELECT 1")
        locks = _locks(project)
        assert locks
        dialog = make_dialog(parent, "Open", project.parent, Mode.ExistingFiles, ["All files (*)"])
        dialog.show()
        model = dialog.findChild(QFileSystemModel)
        assert isinstance(model, QFileSystemModel)
        kind = model.index(str(project)).siblingAtColumn(2)
        qtbot.waitUntil(lambda: model.data(kind) == "palimpsest")
        assert _locks(project) == locks
        dialog.close()
        dialog.deleteLater()


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_no_word_of_the_dialog_stays_english(qtbot: QtBot, tmp_path: Path, language: str) -> None:
    i18n.use(language)
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = make_dialog(parent, "", tmp_path / "a.txt", Mode.AnyFile, ["* (*)"])
    texts = [part.text() for part in dialog.findChildren(QLabel) + dialog.findChildren(QPushButton) if part.text()]
    i18n.use("en")
    assert len(texts) >= 5
    assert all(re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", words) for words in texts), texts
    dialog.deleteLater()


def test_many_endings_do_not_widen_the_dialog_and_are_told_apart(qtbot: QtBot, tmp_path: Path) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    filters = [f"Texts ({' '.join(f'*.ending{n}' for n in range(80))})", "Tables (*.csv)"]
    few = make_dialog(parent, "Open", tmp_path, Mode.ExistingFiles, ["Texts (*.txt)"])
    many = make_dialog(parent, "Open", tmp_path, Mode.ExistingFiles, filters)
    assert many.sizeHint().width() == few.sizeHint().width()
    many.selectNameFilter(filters[1])
    assert many.selectedNameFilter() == filters[1]
