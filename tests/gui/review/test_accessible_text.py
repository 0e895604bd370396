"""What a screen reader reads of a document."""

from __future__ import annotations

import gc

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.gui.document import accessible as document_accessible
from workbench.gui.document.layout import DocumentLayout
from workbench.gui.document.view import DocumentView
from workbench.gui.screens.review.view import ReviewView

TEXT = "吾輩は𠮷である。\nSecond line.\n"


def document_view(qtbot: QtBot) -> DocumentView:
    document_accessible.install()
    view = DocumentView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.set_document(DocumentLayout(TEXT), "ja")
    view.show()
    return view


def test_the_text_the_caret_and_the_selection_are_given_in_utf16_units(qtbot: QtBot) -> None:
    view = document_view(qtbot)
    interface = QAccessible.queryAccessibleInterface(view)
    text = interface.textInterface()
    assert interface.role() == QAccessible.Role.Document
    assert text.characterCount() == len(TEXT) + 1
    assert text.text(0, text.characterCount()) == TEXT
    assert text.text(3, 5) == "𠮷"
    view.set_caret(4)
    assert text.cursorPosition() == 5
    text.setCursorPosition(5)
    assert view.caret == 4
    text.setSelection(0, 3, 5)
    assert view.selected_text() == "𠮷"
    assert text.selectionCount() == 1
    assert tuple(text.selection(0)) == (3, 5)  # type: ignore[attr-defined]


def test_a_character_is_found_where_it_is_said_to_be(qtbot: QtBot) -> None:
    text = QAccessible.queryAccessibleInterface(document_view(qtbot)).textInterface()
    for offset in (0, 2, 12):
        place = text.characterRect(offset)
        assert text.offsetAtPoint(QPoint(place.left() + 1, place.center().y())) == offset


def test_views_come_and_go_with_their_texts(qtbot: QtBot) -> None:
    document_accessible.install()
    for _ in range(20):
        view = DocumentView()
        view.set_document(DocumentLayout(TEXT), "ja")
        assert QAccessible.queryAccessibleInterface(view).textInterface().text(0, 2) == "吾輩"
        view.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        del view
    gc.collect()


def test_passages_at_the_caret_are_named_as_the_evidence_names_them_and_those_of_other_sources_too(
    review: ReviewView,
) -> None:
    pair = review.pair
    pair.go_to(1)
    assert review.panels.evidence._title.text() == "Match 2"
    for view, offset in ((pair.left, 120), (pair.right, 320)):
        view.set_caret(offset)
        assert "match 2" in view.accessibleDescription().split(", ")
    pair.left.set_caret(20)
    assert {"match 1", "match of source 2"} <= set(pair.left.accessibleDescription().split(", "))
