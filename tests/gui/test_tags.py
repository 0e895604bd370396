"""Tags of documents: given and taken away, and documents chosen by them wherever they are listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.documents_view import opened
from tests.gui.relation_case import build
from workbench.gui.kit.tag_chooser import TagChooser
from workbench.gui.screens.documents.tagging import TagsDialog
from workbench.gui.screens.label.view import LabelView
from workbench.gui.screens.relations.view import RelationsView
from workbench.gui.screens.review.view import ReviewView
from workbench.services.review.pivot import Pivot
from workbench.services.session import Session
from workbench.services.tagging import change_tags, tags


def choose(chooser: TagChooser, tag: str) -> None:
    chooser.choose(tag)
    chooser.chosen.emit()


def put(project: Path, keys: list[int], tag: str) -> None:
    with Session(project) as session:
        change_tags(session, keys, [tag], [])


def pairs(view: RelationsView) -> list[int]:
    """Rows of the pairs in the table."""
    view.picture.show_mode("table")
    return [view.picture.model.key_at(row) for row in range(view.picture.model.rowCount())]


def test_review_lists_the_suspects_sources_or_pairs_with_a_tag(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    view = controller.window.view("review")
    assert isinstance(view, ReviewView)
    panel = view.panels.suspects
    assert not panel.tag_chooser.isVisibleTo(panel)
    put(project, [2, 3], "mail")
    qtbot.waitUntil(lambda: panel.tag_chooser.isVisibleTo(panel))
    settle(qtbot, controller)
    choose(panel.tag_chooser, "mail")
    assert [panel.model.key_at(row) for row in range(panel.model.rowCount())] == [2]
    assert panel.current_key() == 2
    view.opening.list_by(Pivot.SOURCES)
    settle(qtbot, controller)
    assert [panel.model.key_at(row) for row in range(panel.model.rowCount())] == [3]
    view.opening.list_by(Pivot.PAIRS)
    settle(qtbot, controller)
    assert panel.model.rowCount() == 2
    choose(panel.tag_chooser, "-")
    assert panel.model.rowCount() == 0


def test_relations_draws_the_pairs_with_a_page_of_a_tag(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    controller = start(build(tmp_path / "pages.palimpsest"), "relations")
    view = controller.window.view("relations")
    assert isinstance(view, RelationsView)
    assert view.run.columns is not None
    a, b = view.run.columns.a, view.run.columns.b
    put(tmp_path / "pages.palimpsest", [int(a[0])], "mail")
    qtbot.waitUntil(lambda: view.picture.tag_chooser.isVisibleTo(view.picture))
    settle(qtbot, controller)
    choose(view.picture.tag_chooser, "mail")
    settle(qtbot, controller)
    shown = pairs(view)
    assert 0 < len(shown) < len(a)
    assert set(shown) == {row for row in range(len(a)) if a[0] in (a[row], b[row])}
    choose(view.picture.tag_chooser, "-")
    settle(qtbot, controller)
    assert {*pairs(view)} == {row for row in range(len(a)) if a[0] not in (a[row], b[row])}
    view.picture.show_all()
    settle(qtbot, controller)
    assert len(pairs(view)) == len(a)


def test_label_queues_the_entries_with_a_tag(start: Start, project: Path, qtbot: QtBot) -> None:
    put(project, [2], "mail")
    controller = start(project, "label")
    view = controller.window.view("label")
    assert isinstance(view, LabelView)
    assert view.label_session is not None
    assert len(view.label_session.items) == 2
    choose(view.queue.tag_chooser, "mail")
    settle(qtbot, controller)
    assert [item.a for item in view.label_session.items] == [2]
    assert view.save_state()["queue"]["tag"] == "mail"


def test_tags_of_selected_documents_change_together_and_undo_gives_each_back_its_own(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    with Session(project) as session:
        change_tags(session, [1, 2], ["mail"], [])
    controller, view = opened(start, project)
    assert view.tag_chooser.isVisibleTo(view)
    view.table.select_keys([2, 3])
    controller.context.actions.run("documents.tags")
    dialog = view.tagging.dialog
    assert dialog is not None
    box = dialog.list.item(0)
    assert (box.text(), box.checkState()) == ("mail", Qt.CheckState.PartiallyChecked)
    dialog.new.setText("-wrong")
    assert not dialog.go.isEnabled()
    dialog.new.setText("news")
    box.setCheckState(Qt.CheckState.Unchecked)
    dialog.accept()
    settle(qtbot, controller)
    with Session(project) as session:
        assert tags(session) == {"mail": 1, "news": 2}
    controller.context.history.undo()
    settle(qtbot, controller)
    with Session(project) as session:
        assert tags(session) == {"mail": 2}
    controller.context.history.redo()
    settle(qtbot, controller)
    with Session(project) as session:
        assert tags(session) == {"mail": 1, "news": 2}


@pytest.mark.parametrize("tags", [0, 3, 40])
def test_the_dialog_of_tags_is_no_higher_than_its_tags_need(qtbot: QtBot, tags: int) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    dialog = TagsDialog(2, {f"tag{number}": number % 3 for number in range(tags)}, window)
    dialog.open()
    rows = dialog.list
    needed = 0 if not tags else rows.sizeHintForRow(0) * min(tags, 8)
    qtbot.waitUntil(lambda: dialog.height() < 170 + needed)
    if 0 < tags <= 8:
        qtbot.waitUntil(lambda: rows.verticalScrollBar().maximum() == 0)


def test_documents_are_filtered_by_tag(start: Start, project: Path, qtbot: QtBot) -> None:
    with Session(project) as session:
        change_tags(session, [1, 2], ["mail"], [])
    controller, view = opened(start, project)
    view.tag_chooser.choose("mail")
    view.tag_chooser.chosen.emit()
    assert view.model.rowCount() == 2
    state = view.save_state()
    view.tag_chooser.choose("-")
    view.tag_chooser.chosen.emit()
    assert view.model.rowCount() == view.model.total - 2
    view.restore_state(state)
    view.load()
    settle(qtbot, controller)
    assert view.tag_chooser.state() == "mail"
    view.clear_filter()
    assert view.model.rowCount() == view.model.total
    view.filter.setText("mail")
    view._filter()
    assert view.model.rowCount() == 2
