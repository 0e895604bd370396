"""Looking for a selected passage in the other documents of the project."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.base.messages import Message
from workbench.base.types import Span
from workbench.gui.screens.review.questions import ElsewhereDialog, WhyDialog
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.methods.core.api import Explanation, Reason
from workbench.services.detecting.comparing import PairExplanation, TextAnswer


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
    assert dialog.answer.text() == "3 documents were searched. Width, case, symbols and spaces make no difference."
    rows = [[dialog.model.index(row, at).data() for at in range(4)] for row in range(dialog.model.rowCount())]
    # The document that is searched from is not listed.
    assert rows == [
        ["題 s2", "Suspect", "0", "2"],
        ["題 t1", "Source", "0", "2"],
        ["題 t2", "Source", "0", "2"],
    ]
    dialog.table.select_keys([3])
    qtbot.waitUntil(lambda: dialog.pane.document is not None and dialog.pane.document.key == 3)
    (span,) = dialog.pane.text.regions
    before = len(opened.matches)
    dialog.add.click()
    qtbot.waitUntil(lambda: review.pair.opened is not None and len(review.pair.opened.matches) == before + 1)
    places = [(m.a_span, m.b_span) for m in map(review.pair.opened.matches.row, range(before + 1))]
    assert (Span(start, end), span) in places
    dialog.close()


def test_the_selected_text_is_asked_about_on_its_side_and_a_rule_selects_its_places(
    review: ReviewView, context: AppContext, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions: list[tuple[object, ...]] = []
    monkeypatch.setattr(context, "aside", lambda _owner, _question, *rest, done: questions.append(rest[3:]))
    pair = review.pair
    for pane, chosen in ((pair.left, (5, 9)), (pair.right, (7, 30)), (pair.left, (8, 8))):
        pane.setFocus()
        pane.select(*chosen)
        review.questions.ask_why()
    assert questions == [
        ("digest", {}, Span(5, 9), False),
        ("digest", {}, Span(7, 30), True),
        ("digest", {}, None, False),
    ]
    opened = pair.opened
    assert opened is not None
    rule = Reason(Message("length"), False, Message("too short"), Span(2, 6), Span(11, 15))
    alike = Explanation(True, Message("The pair matched."), (rule,))
    of_text = TextAnswer(Span(110, 120), Span(110, 120), (Span(310, 320),), alike)
    review.questions._show_why(PairExplanation(alike, of_text), opened)
    (dialog,) = (w for w in QApplication.topLevelWidgets() if isinstance(w, WhyDialog) and w.isVisible())
    # The second match has these characters.
    assert dialog.headline.text() == "This text is part of match 2"
    dialog.list.itemClicked.emit(dialog.list.item(0))
    assert (pair.left.selection, pair.right.selection) == (Span(2, 6), Span(11, 15))
    dialog.close()
