"""A match says how many other documents of the project hold its text, and leads to them."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.gui.screens.review.elsewhere_dialog import ElsewhereDialog
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext


def test_where_else_a_match_stands_is_said_and_one_click_away(
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
    assert f"stands in {len(holders)} other document" in panel._run.text()
    assert panel._common.isHidden() == (len(holders) <= 1)
    context.settings.common_from = len(holders)
    review.excluding.common_changed.emit()
    assert panel._common.isHidden()
    panel._holders.click()
    dialog = next(d for d in review.window().findChildren(ElsewhereDialog) if d.isVisible())
    dialog.close()
