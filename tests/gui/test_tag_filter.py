"""Documents chosen by tag where a run is reviewed, drawn and labelled."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.relation_case import build
from workbench.gui.kit.tag_chooser import TagChooser
from workbench.gui.screens.label.view import LabelView
from workbench.gui.screens.relations.view import RelationsView
from workbench.gui.screens.review.view import ReviewView
from workbench.services.review.pivot import Pivot
from workbench.services.session import Session
from workbench.services.tagging import change_tags


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
