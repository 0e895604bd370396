"""The small pieces every screen is made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QDialog, QPushButton
from pytestqt.qtbot import QtBot

from workbench.base.types import Run, RunState
from workbench.gui.kit.runs import RunBox, changed_parameters
from workbench.gui.kit.widgets import ChoiceBox, ElidedLink, EmptyState, Paragraph, apply_style, button, row
from workbench.gui.theme.manager import Theme


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space], ids=lambda key: key.name)
def test_enter_presses_the_button_that_has_the_keyboard_and_not_the_default_one(qtbot: QtBot, key: Qt.Key) -> None:
    pressed: list[str] = []
    dialog = QDialog()
    qtbot.addWidget(dialog)
    cancel = button("Cancel", lambda: pressed.append("cancel"))
    default: QPushButton = button("Import", lambda: pressed.append("import"))
    default.setDefault(True)
    dialog.setLayout(row(cancel, default))
    with qtbot.waitExposed(dialog):
        dialog.show()
    cancel.setFocus()
    qtbot.keyClick(cancel, key)
    assert pressed == ["cancel"]


def test_a_sentence_in_another_width_is_not_cut(qtbot: QtBot) -> None:
    words = "The line is not JSON (Expecting a delimiter in line one, column fifteen), so it was left out. " * 3
    empty = EmptyState(Theme("light"), "documents", "Cannot be read", words)
    qtbot.addWidget(empty)
    empty.sentence.setFixedWidth(260)
    narrow = Paragraph(words, 13, 260)
    qtbot.addWidget(narrow)
    assert empty.sentence.sizeHint() == narrow.sizeHint()
    assert empty.sentence.minimumSizeHint().height() > Paragraph(words, 13, 440).sizeHint().height()


def test_a_choice_too_long_for_its_box_ends_in_dots(qtbot: QtBot) -> None:
    box = ChoiceBox()
    qtbot.addWidget(box)
    apply_style(box, Theme("light"))
    box.resize(150, 30)

    def drawn(words: str) -> QImage:
        box.clear()
        box.addItem(words)
        return box.grab().toImage()

    whole = "memory by number of documents"
    picture = drawn(whole)
    cuts = [f"{whole[:end]}…" for end in range(len(whole))]
    # Those that fit into the box beside its arrow.
    assert any(drawn(cut) == picture for cut in cuts if box.fontMetrics().horizontalAdvance(cut) < 125)


def test_a_link_too_long_for_its_place_ends_in_dots_and_says_all_elsewhere(qtbot: QtBot) -> None:
    pressed: list[int] = []
    link, words = ElidedLink(lambda: pressed.append(1)), "495 suspects without a match"
    qtbot.addWidget(link)
    link.set_text(words)
    link.show()
    link.resize(400, 30)
    qtbot.waitUntil(lambda: link.text() == words)
    link.resize(90, 30)
    qtbot.waitUntil(lambda: link.text().endswith("…"))
    assert link.fontMetrics().horizontalAdvance(link.text()) < 90
    assert (link.toolTip(), link.accessibleName(), link.text_whole()) == (words, words, words)
    link.click()
    assert pressed == [1]


def test_a_run_of_imported_scores_is_called_by_their_program(qtbot: QtBot) -> None:
    detection = Run(1, "digest", 1, {"min_run": 3}, "", RunState.DONE, "")
    own = Run(2, "own-scores", 1, {"name": "bert", "lower_is_better": False}, "", RunState.DONE, "")
    box = RunBox()
    qtbot.addWidget(box)
    box.show_runs([detection, own], own)
    assert [box.itemText(at) for at in range(box.count())] == ["Run 2 · bert", "Run 1 · digest"]
    assert changed_parameters(own) == {"name": "bert"}


def test_a_full_disk_does_not_keep_the_window_from_opening(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "full").touch()
    Theme("light", tmp_path / "full" / "pictures").apply()
