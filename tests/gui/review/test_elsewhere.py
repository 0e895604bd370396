"""Looking for a selected passage in the other documents of the project."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.gui.screens.review.questions import ElsewhereDialog
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext


def shown(qtbot: QtBot) -> ElsewhereDialog:
    dialogs = [w for w in QApplication.topLevelWidgets() if isinstance(w, ElsewhereDialog) and w.isVisible()]
    assert len(dialogs) == 1
    return dialogs[0]


def test_without_a_selection_the_user_is_told_what_to_do(review: ReviewView, context: AppContext) -> None:
    notices: list[str] = []
    context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    review.pair.left.select(3, 3)
    review.questions.ask_elsewhere()
    assert notices == ["Select a passage first, then look for it elsewhere."]


def test_the_places_of_a_passage_are_listed_and_shown(review: ReviewView, context: AppContext, qtbot: QtBot) -> None:
    review.pair.left.setFocus()
    opened = review.pair.opened
    assert opened is not None
    start, end = opened.matches.row(0).a_span
    review.pair.left.select(start, end)
    review.questions.ask_elsewhere()
    dialog = shown(qtbot)
    qtbot.waitUntil(lambda: dialog.pane.document is not None)
    assert dialog.model.rowCount() >= 1
    document = dialog.pane.document
    assert document is not None
    (span,) = dialog.pane.text.regions
    assert document.id != opened.a.id
    assert document.text[slice(*span)]
    dialog.close()
