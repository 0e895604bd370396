"""What counts of the open suspect, and leaving things out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from workbench.gui.screens.review.counting import ExclusionsDialog
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.services.review.exclusions import ExclusionKind


def _shares(review: ReviewView) -> str:
    return review.suspects.shares.text_whole()


def _follow(context: AppContext, review: ReviewView) -> None:
    context.changed.connect(review.follow)


def _known(qtbot: QtBot, review: ReviewView, words: str) -> None:
    qtbot.waitUntil(lambda: _shares(review) == words)


def _dialog(review: ReviewView) -> ExclusionsDialog:
    review.excluding.ask()
    dialog = review.excluding._dialog
    assert dialog is not None
    return dialog


def test_both_shares_follow_a_verdict_and_its_undo(qtbot: QtBot, context: AppContext, review: ReviewView) -> None:
    _follow(context, review)
    qtbot.waitUntil(lambda: _shares(review) != "")
    before = _shares(review)
    assert before.endswith("matched")
    review.verdicts.ask("not-copy")
    qtbot.waitUntil(lambda: "after 1 exclusion" in _shares(review))
    assert _shares(review).startswith(before)
    context.history.undo()
    _known(qtbot, review, before)


def test_passages_judged_not_copied_are_among_what_does_not_count(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    _follow(context, review)
    qtbot.waitUntil(lambda: _shares(review) != "")
    dialog = _dialog(review)
    assert "judged" not in dialog._amount.text()
    review.verdicts.ask("not-copy")
    qtbot.waitUntil(lambda: dialog._amount.text().endswith("judged not to be copies, which do not count: 1"))
    context.history.undo()
    qtbot.waitUntil(lambda: "judged" not in dialog._amount.text())


def test_shares_that_were_read_before_a_verdict_and_arrive_after_it_are_brought_up_to_date(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    _follow(context, review)
    qtbot.waitUntil(lambda: _shares(review) != "")
    before = review.excluding.counted
    assert before is not None
    review.verdicts.ask("not-copy")
    qtbot.waitUntil(lambda: "after 1 exclusion" in _shares(review))
    qtbot.waitUntil(lambda: context.reads.pending == 0)
    shown: list[str] = []
    review.excluding.changed.connect(lambda: shown.append(_shares(review)))
    review.excluding._show_read(before)
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert "after 1 exclusion" not in shown[0]
    assert "after 1 exclusion" in _shares(review)


def test_the_share_of_the_suspect_before_is_not_shown_while_that_of_the_next_is_read(
    qtbot: QtBot, review: ReviewView
) -> None:
    qtbot.waitUntil(lambda: _shares(review) != "")
    first, shown = _shares(review), [""]
    review.excluding.changed.connect(lambda: shown.append(_shares(review)))
    review.context.actions.run("review.next-suspect")
    qtbot.waitUntil(lambda: len(shown) == 3)
    assert shown[1] == ""
    assert shown[2] not in ("", first)


def test_counted_shares_of_a_run_that_is_no_longer_open_rank_nothing(qtbot: QtBot, review: ReviewView) -> None:
    ranked: list[object] = []
    review.excluding.ranked.connect(ranked.append)
    for later, count in ((0, 1), (1, 0)):
        ranked.clear()
        review.excluding.rank()
        opened = review.pair.opened
        assert opened is not None
        review.excluding._opened = replace(opened, run=replace(opened.run, id=opened.run.id + later))
        qtbot.waitUntil(lambda: review.context.asides.pending == 0)
        assert len(ranked) == count


def test_the_active_match_is_left_out_and_counted_again_by_the_same_key(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    _follow(context, review)
    qtbot.waitUntil(lambda: _shares(review) != "")
    before = _shares(review)
    context.actions.run("review.exclude")
    qtbot.waitUntil(lambda: "after 1 exclusion" in _shares(review))
    assert review.evidence._counting.text() == "Does not count"
    context.actions.run("review.exclude")
    _known(qtbot, review, before)
    assert review.evidence._counting.text() == ""
    context.history.undo()
    qtbot.waitUntil(lambda: "after 1 exclusion" in _shares(review))
    context.history.undo()
    _known(qtbot, review, before)


def test_the_dialog_leaves_out_for_a_reason_and_restores(qtbot: QtBot, context: AppContext, review: ReviewView) -> None:
    _follow(context, review)
    qtbot.waitUntil(lambda: _shares(review) != "")
    before = _shares(review)
    dialog = _dialog(review)
    dialog.propose(ExclusionKind.SHORTER, "none")
    dialog.add.click()
    assert "number of characters" in dialog._problem.text()
    dialog.what.setText("41")
    dialog.reason.setText("formulas")
    dialog.add.click()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 1)
    assert "after 1 exclusion" in dialog.total.text()
    shown = [str(dialog.model.index(0, column).data()) for column in range(dialog.model.columnCount())]
    assert shown[:3] == ["Passages with fewer than 41 characters", "this document", "formulas"]
    dialog.table.select_keys([0])
    dialog.restore.click()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 0)
    _known(qtbot, review, before)
    dialog.what.setText("  ")
    dialog.kind.setCurrentIndex(dialog.kind.findData(ExclusionKind.PHRASE))
    dialog.add.click()
    assert dialog._problem.text() == "Choose what to leave out."
    # Quotations and the like are left out, and counted again, by their boxes.
    for kind, box in dialog.toggles.items():
        # There is none in this text.
        assert not box.isEnabled()
        assert box.text().endswith("0 matched characters, 0 %")
        dialog._toggled(kind, True)
        qtbot.waitUntil(lambda kind=kind: [e.kind for e in dialog._listed] == [kind])
        assert box.isChecked()
        assert box.isEnabled()
        box.click()
        qtbot.waitUntil(lambda: not dialog._listed)
        assert not box.isChecked()
    _known(qtbot, review, before)
    dialog.close()


def test_a_phrase_is_left_out_wherever_it_is(qtbot: QtBot, context: AppContext, review: ReviewView) -> None:
    _follow(context, review)
    qtbot.waitUntil(lambda: _shares(review) != "")
    review.excluding.ask(ExclusionKind.PHRASE, "ここは誰も写していない文である。")
    dialog = review.excluding._dialog
    assert dialog is not None
    dialog.add.click()
    # All that is matched is that sentence, but for the heading at the start of the text.
    qtbot.waitUntil(lambda: "after 1 exclusion" in _shares(review))
    counted = review.excluding.counted
    assert counted is not None
    assert counted.shares.counted < counted.shares.matched // 4
    dialog.close()


def test_the_source_of_the_open_pair_is_proposed(qtbot: QtBot, context: AppContext, review: ReviewView) -> None:
    qtbot.waitUntil(lambda: _shares(review) != "")
    review.excluding.ask(ExclusionKind.SOURCE)
    dialog = review.excluding._dialog
    assert dialog is not None
    opened = review.pair.opened
    assert opened is not None
    assert dialog.what.text() == opened.b.id
    dialog.close()
    review.excluding.read()  # with the dialog gone


def test_a_report_says_what_does_not_count(
    qtbot: QtBot, context: AppContext, review: ReviewView, tmp_path: Path
) -> None:
    _follow(context, review)
    qtbot.waitUntil(lambda: _shares(review) != "")
    context.actions.run("review.exclude")
    qtbot.waitUntil(lambda: "after 1 exclusion" in _shares(review))
    opened = review.pair.opened
    assert opened is not None
    with qtbot.waitSignal(context.offered):
        review.reporter.write("suspect", opened, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert _shares(review) in page
    assert "The passage at characters" in page
    assert "does not count" in page


def test_a_source_and_its_site_are_left_out_by_a_key_and_counted_again_by_the_same(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    qtbot.waitUntil(lambda: _shares(review) != "")
    before = _shares(review)
    context.actions.run("review.exclude-source")
    qtbot.waitUntil(lambda: "after 1 exclusion" in _shares(review))
    context.actions.run("review.exclude-source")
    _known(qtbot, review, before)
    context.actions.run("review.exclude-site")
    assert _shares(review) == before


def test_the_menu_of_a_source_leaves_its_site_out_in_all_documents(
    qtbot: QtBot, context: AppContext, review: ReviewView
) -> None:
    qtbot.waitUntil(lambda: _shares(review) != "")
    columns = review.overview.columns
    opened = review.pair.opened
    assert columns is not None
    assert opened is not None
    other = next(key for key in columns.items if key > 2 and key != opened.b.key)
    item = replace(columns.items[other], site="example.org")
    assert context.session is not None
    with context.session.write() as connection:
        connection.exec_driver_sql("UPDATE document SET site = 'example.org' WHERE key = ?", (other,))
    review.excluding.leave_out_site(item, everywhere=True)
    qtbot.waitUntil(lambda: "after 1 exclusion" in _shares(review))
    counted = review.excluding.counted
    assert counted is not None
    [effect] = counted.shares.effects
    assert (effect.exclusion.kind, effect.exclusion.what, effect.exclusion.suspect) == ("site", "example.org", "")
    chip = next(chip for chip in review.pair.strip.chips if chip.item.key == other)
    chip.customContextMenuRequested.emit(chip.rect().center())
    menus = [menu for menu in review.findChildren(QMenu) if menu.isVisible()]
    assert any("site" in action.text() or "same in all" in action.text() for menu in menus for action in menu.actions())
    for menu in menus:
        menu.close()
    review.pair.left.menu_requested.emit(QPoint(10, 10))
    menus = [menu for menu in review.pair.findChildren(QMenu) if menu.isVisible()]
    keys = ("review.exclude-source", "review.exclude-site", "review.split", "review.why")
    assert {review.context.actions.qt(key) for key in keys} <= {action for menu in menus for action in menu.actions()}
    for menu in menus:
        menu.close()
