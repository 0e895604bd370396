"""A match says how many other documents of the project hold its text, and leads to them."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.gui.screens.review.layers import _spread_words
from workbench.gui.screens.review.questions import ElsewhereDialog
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext


@pytest.mark.usefixtures("no_pauses")
def test_the_other_places_of_a_match_are_listed_and_one_click_away(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    context.settings.common_from = 1
    panel = review.evidence
    # The first match begins with the suspect's own name; the rest of all four documents is the same sentence.
    qtbot.waitUntil(lambda: "none of 2 other documents" in panel._run.text())
    assert "a changed passage of 40 characters" in panel._run.text()
    assert panel._holders.isHidden()
    review.pair.go_to(1)
    qtbot.waitUntil(lambda: bool(panel._holders.text()))
    opened = review.pair.opened
    assert opened is not None
    holders = review.common.holders(review.pair.active)
    assert opened.a.key not in holders
    assert opened.b.key not in holders
    assert f"is also in {len(holders)} other document" in panel._run.text()
    assert panel._common.isHidden() == (len(holders) <= 1)
    review.excluding.ask()
    dialog = review.excluding._dialog
    assert dialog is not None
    assert dialog.common.value() == 1
    dialog.common.setValue(len(holders))
    dialog.close()
    assert panel._common.isHidden()
    assert context.settings.common_from == len(holders)
    panel._holders.click()
    elsewhere = next(d for d in review.window().findChildren(ElsewhereDialog) if d.isVisible())
    elsewhere.close()


@pytest.mark.usefixtures("no_pauses")
def test_common_passages_of_a_document_are_left_out_at_once_and_counted_again_by_undo(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    context.changed.connect(review.follow)
    context.settings.common_from = 1
    review.excluding.ask()
    dialog = review.excluding._dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: review.excluding.counted is not None)
    opened, counted = review.pair.opened, review.excluding.counted
    assert opened is not None
    assert counted is not None
    before, notices = counted.shares.counted, [""]
    context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    dialog.leave_common.click()
    qtbot.waitUntil(lambda: len(dialog._listed) == 3)
    assert {exclusion.reason for exclusion in dialog._listed} == {"Common phrase (in more than 1 other documents)"}
    after = review.excluding.counted
    assert after is not None
    assert 0 < after.shares.counted < before
    dialog.leave_common.click()
    qtbot.waitUntil(lambda: "No further passage" in notices[-1])
    assert len(dialog._listed) == 3
    context.history.undo()
    qtbot.waitUntil(lambda: not dialog._listed)
    dialog.common.setValue(1)
    dialog.leave_all_common.click()
    qtbot.waitUntil(lambda: len(dialog._listed) == 3)
    context.history.undo()
    qtbot.waitUntil(lambda: not dialog._listed)


@pytest.mark.parametrize(
    ("count", "others", "changed", "words"),
    [
        (0, 0, False, "a run; the project has no other document to search"),
        (0, 0, True, "a run; the project has no other document to search"),
        (0, 1, False, "a run that occurs nowhere else in 1 other document"),
        (0, 3, True, "a run; none of 3 other documents contains it verbatim"),
        (1, 3, False, "a run that is also in 1 other document of 3"),
        (2, 3, True, "a run; 2 other documents of 3 contain it verbatim"),
    ],
)
def test_nothing_is_said_about_documents_that_do_not_exist(count: int, others: int, changed: bool, words: str) -> None:
    assert _spread_words("a run", count, others, changed=changed) == words
