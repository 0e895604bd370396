"""Label sets, shares, imports and agreement in the window."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.gui import slow_jobs
from tests.gui.conftest import Start, settle
from tests.gui.shown import shown
from workbench.base.types import Block, BlockClass, Document, Label, Role, Span
from workbench.gui.judging.label_import import ImportLabelsDialog
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.figures import FigureBar
from workbench.gui.kit.tables import Table
from workbench.gui.screens.label.queue_panel import NEW
from workbench.gui.screens.label.set_dialog import MarkdownView, SetDialog
from workbench.gui.screens.label.sets import VersionsDialog
from workbench.gui.screens.label.view import LabelView
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services.labels.batches import assign_all, export_batch
from workbench.services.labels.definitions import LabelSet, Value, history, read_sets, save_set
from workbench.services.labels.label_state import BoardScope, give, read_board
from workbench.services.labels.queue import QueueOptions
from workbench.services.labels.values import value_counts
from workbench.services.session import Session, create
from workbench.services.tagging import change_tags_of


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    """Twelve suspects; ann and ben labelled all, and differ about the first two."""
    path = tmp_path / "team.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(f"e{n:02}", f"Entry {n}.", Role.SUSPECT) for n in range(12)])
        rows = [
            (n, who, "splog" if n % 3 == 0 or (who == "ben" and n < 3) else "blog")
            for who in ("ann", "ben")
            for n in range(12)
        ]
        give(session, [Label(f"document:e{n:02}", value, who, "", label_set="class") for n, who, value in rows])
    return path


@pytest.fixture
def view(start: Start, entries: Path, qtbot: QtBot) -> LabelView:
    controller = start(entries, "label")
    label_view = controller.window.view("label")
    assert isinstance(label_view, LabelView)
    label_view.switch("ann")
    settle(qtbot, controller)
    return label_view


def wait_for(qtbot: QtBot, view: LabelView) -> None:
    qtbot.waitUntil(lambda: view.is_ready() and not view.context.reads.pending and not view.context.asides.pending)


def test_agreement_is_shown_by_pair_value_and_time_and_is_not_that_of_another_set(
    view: LabelView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.set_mode("agreement")
    wait_for(qtbot, view)
    assert view.team.matrix.accessibleDescription().startswith("ann, ben: 0.6")
    # accessibleDescription of the course: one block, ten of twelve entries agree
    assert view.team.course.accessibleDescription().endswith(": 0.83")
    assert view.team.matrix.isVisible()
    assert view.team.course.isVisible()
    monkeypatch.setattr(view.context, "aside", lambda *_arguments, **_options: None)
    assert view.label_session is not None
    view.change_set(next(name for name in view.label_session.board.sets if name != "class"))
    qtbot.waitUntil(lambda: not view.context.reads.pending)
    assert "Measuring…" in shown(view.team)
    assert not view.team.matrix.isVisible()


def test_before_the_first_label_agreement_says_why_there_is_none(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "one.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("e1", "Entry.", Role.SUSPECT)])
    label_view = start(path, "label").window.view("label")
    assert isinstance(label_view, LabelView)
    label_view.set_mode("agreement")
    wait_for(qtbot, label_view)
    assert "This project has no labels." in shown(label_view.team)
    assert not label_view.team.matrix.isVisible()


def test_the_progress_of_others_does_not_depend_on_the_filters_of_ones_queue(
    view: LabelView, entries: Path, qtbot: QtBot
) -> None:
    with Session(entries) as session:
        assign_all(session, "class", ["ann", "ben"], 1)
    view.queue.options_changed.emit(QueueOptions(mine=True))
    view.set_mode("agreement")
    wait_for(qtbot, view)
    names = [bar.accessibleName() for bar in view.team.findChildren(FigureBar)]
    assert [name for name in names if " of " in name] == ["ann 6 of 6", "ben 6 of 6"]


def test_how_entries_got_their_value_is_reported(view: LabelView, entries: Path, qtbot: QtBot) -> None:
    def words() -> list[str]:
        view.set_mode("")
        view.load()
        wait_for(qtbot, view)
        view.set_mode("agreement")
        wait_for(qtbot, view)
        return [part.text() for part in view.team.findChildren(QLabel) if part.isVisibleTo(view.team)]

    assert {"e01", "e02"} <= set(words())
    with Session(entries) as session:
        give(session, [Label(f"document:e{n:02}", "blog", "cleo", "", label_set="class") for n in (1, 2)])
    shown = words()
    assert not {"e01", "e02"} & set(shown)
    assert "Every labelled entry has a settled value." in shown
    assert "2 entries by majority" in shown


def test_the_page_beside_the_text_takes_no_width_from_it(view: LabelView, qtbot: QtBot) -> None:
    view.window().resize(1280, 800)
    wait_for(qtbot, view)
    before = view.entry.width()
    for at in range(view.side.tabs.count()):
        view.side.tabs.setCurrentIndex(at)
        wait_for(qtbot, view)
        assert view.entry.width() == before
    blocks = (
        Block(Span(0, 10), verdict=BlockClass.NON_CONTENT, rule="links among the words", path="/html/body/nav"),
        Block(Span(12, 31), rule="in the part that holds the text", path="/html/body/main/p"),
    )
    text = "Navigation\n\nWhat the page says." + " More of it." * 9_000
    page = Document("page", text, Role.BACKGROUND, url="https://a.example/", language="zh-Hant", blocks=blocks)
    view.side.tabs.setCurrentWidget(view.side.page.parentWidget())
    view.side.page.show_document(page)
    wait_for(qtbot, view)
    assert view.side.page.isVisible()
    qtbot.waitUntil(lambda: view.side.page.blocks.isVisible())
    assert view.entry.width() == before
    pane = view.side.page

    def tags() -> list[QLabel]:
        return [part for part in pane.findChildren(QLabel) if part.property("role") == "tag" and part.isVisible()]

    qtbot.waitUntil(lambda: len(tags()) == 4)
    shown = tags()
    assert all(part.width() >= part.sizeHint().width() for part in shown)
    assert all(part.mapTo(pane, part.rect().topRight()).x() < pane.width() for part in shown)
    bar = view.side.tabs.tabBar()
    for at in range(bar.count()):
        assert bar.tabRect(at).width() >= bar.fontMetrics().horizontalAdvance(bar.tabText(at))
        assert bar.tabRect(at).right() <= view.side.tabs.width()


def test_a_set_is_made_with_its_keys_and_used(view: LabelView, entries: Path, qtbot: QtBot) -> None:
    sets = view.queue.sets
    assert sets.currentText() == "class"
    sets.setCurrentIndex(sets.findData(NEW))
    sets.activated.emit(sets.currentIndex())
    assert sets.currentText() == "class"
    qtbot.waitUntil(lambda: isinstance(view.sets.dialog, SetDialog))
    dialog = view.sets.dialog
    assert isinstance(dialog, SetDialog)
    dialog.name.setText("mood")
    dialog.rows[0].name.setText("glad")
    dialog.rows[1].name.setText("sad")
    dialog.guidelines.setPlainText("# Rule")
    qtbot.keyClick(dialog.save, Qt.Key.Key_Return)
    wait_for(qtbot, view)
    assert view.label_session is not None
    assert [(v.name, v.key) for v in view.label_session.board.label_set.active] == [("glad", "g"), ("sad", "s")]
    assert view.queue.sets.currentText() == "mood"
    assert list(view.entry.values.buttons) == ["glad", "sad"]


def change_set(view: LabelView, qtbot: QtBot, *, guidelines: bool = False) -> SetDialog:
    """Open the dialog of the shown set anew."""
    view.sets.dialog = None
    view.sets.change(view.label_session, guidelines=guidelines)
    qtbot.waitUntil(lambda: isinstance(view.sets.dialog, SetDialog) and view.sets.dialog.isVisible())
    assert isinstance(view.sets.dialog, SetDialog)
    return view.sets.dialog


def choose_for_labels(dialog: SetDialog, row: int, choice: int) -> str:
    """Remove a value that labels have, and choose what becomes of these; what was asked."""
    dialog.rows[row].remove.click()
    # The style draws a separator as a line, whatever its text.
    question, *choices = (action for action in dialog.menu.actions() if not action.isSeparator())
    choices[choice].trigger()
    dialog.menu.close()
    return question.text()


def counts(path: Path) -> dict[str, int]:
    with Session(path, write=False) as session:
        return value_counts(session, "class")


def show_others(view: LabelView, qtbot: QtBot) -> None:
    """Let the board hold what others said."""
    view.queue.chips["others"].click()
    wait_for(qtbot, view)


def test_a_set_whose_values_differ_in_case_is_changed_without_merging_them(
    view: LabelView, entries: Path, qtbot: QtBot
) -> None:
    with Session(entries) as session:
        give(
            session, [Label(f"document:e0{n}", v, "ann", "", label_set="class") for n, v in ((3, "Blog"), (4, "BLOG"))]
        )
    before = counts(entries)
    view.load()
    wait_for(qtbot, view)
    dialog = change_set(view, qtbot)
    # Labels of documents cannot become labels of pairs.
    assert not dialog.kind.isEnabled()
    dialog.guidelines.setPlainText("# Rule")
    dialog.save.click()
    wait_for(qtbot, view)
    with Session(entries, write=False) as session:
        assert read_sets(session)["class"].guidelines == "# Rule"
    assert counts(entries) == before
    dialog = change_set(view, qtbot)
    row = next(of for of in dialog.rows if of.before == "Blog")
    row.name.setText("blog")
    dialog.save.click()
    dialog.save.click()
    wait_for(qtbot, view)
    assert counts(entries) == {**{v: n for v, n in before.items() if v != "Blog"}, "blog": before["blog"] + 1}
    view.context.history.undo()
    wait_for(qtbot, view)
    assert counts(entries) == before


def test_a_renamed_value_takes_its_labels_along_and_undo_brings_the_name_back(
    view: LabelView, entries: Path, qtbot: QtBot
) -> None:
    before = counts(entries)
    sentences: list[str] = []
    view.context.undoable.connect(sentences.append)
    show_others(view, qtbot)
    dialog = change_set(view, qtbot)
    assert [of.used.text() for of in dialog.rows] == [str(before["blog"]), str(before["splog"]), ""]
    dialog.rows[1].name.setText("junk")
    dialog.save.click()
    wait_for(qtbot, view)
    assert counts(entries) == {"blog": before["blog"], "junk": before["splog"]}
    assert sentences == ["Renamed with all labels: splog → junk."]
    assert view.label_session is not None
    assert [value.name for value in view.label_session.board.label_set.active] == ["blog", "junk", "unsure"]
    own = view.label_session.board.label_of("document:e00", "ann")
    assert own is not None
    assert own.value == "junk"
    view.context.history.undo()
    wait_for(qtbot, view)
    assert counts(entries) == before
    assert [value.name for value in view.label_session.board.label_set.active] == ["blog", "splog", "unsure"]
    view.context.history.redo()
    wait_for(qtbot, view)
    assert counts(entries)["junk"] == before["splog"]


def test_two_values_are_made_one_after_a_question_that_says_how_many(
    view: LabelView, entries: Path, qtbot: QtBot
) -> None:
    before = counts(entries)
    dialog = change_set(view, qtbot)
    dialog.rows[1].name.setText("Blog")
    dialog.save.click()
    assert dialog.isVisible()
    assert str(before["splog"]) in dialog.problem.text()
    assert counts(entries) == before
    dialog.save.click()
    wait_for(qtbot, view)
    assert counts(entries) == {"blog": 24}
    view.context.history.undo()
    wait_for(qtbot, view)
    assert counts(entries) == before


def test_removing_a_value_says_how_many_labels_have_it_and_offers_another(
    view: LabelView, entries: Path, qtbot: QtBot
) -> None:
    before = counts(entries)
    dialog = change_set(view, qtbot)
    question = choose_for_labels(dialog, 1, 2)
    assert str(before["splog"]) in question
    dialog.save.click()
    wait_for(qtbot, view)
    assert counts(entries) == {"blog": before["blog"], "unsure": before["splog"]}


def test_a_wrong_set_says_what_is_wrong_and_stays_open(view: LabelView, qtbot: QtBot) -> None:
    dialog = change_set(view, qtbot)
    dialog.rows[1].key.setText("b")
    dialog.save.click()
    assert dialog.isVisible()
    assert "b" in dialog.problem.text()
    dialog.reject()


def test_escape_asks_before_it_discards_what_is_in_the_fields(view: LabelView, qtbot: QtBot) -> None:
    dialog = change_set(view, qtbot)
    dialog.guidelines.setPlainText("A splog repeats what others wrote.")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.problem.isVisible()
    dialog.rows[0].name.setText("journal")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_changing_a_set_can_be_undone_and_its_history_seen(view: LabelView, entries: Path, qtbot: QtBot) -> None:
    dialog = change_set(view, qtbot)
    choose_for_labels(dialog, 1, 0)
    dialog.save.click()
    wait_for(qtbot, view)
    with Session(entries, write=False) as session:
        assert [(v.name, v.retired) for v in read_sets(session)["class"].values] == [
            ("blog", False),
            ("splog", True),
            ("unsure", False),
        ]
    view.context.history.undo()
    wait_for(qtbot, view)
    with Session(entries, write=False) as session:
        assert "splog" in [v.name for v in read_sets(session)["class"].active]
        assert len(history(session, "class")) == 2
    view.sets.show_history(view.label_session)
    qtbot.waitUntil(lambda: isinstance(view.sets.dialog, VersionsDialog))
    versions = view.sets.dialog
    assert isinstance(versions, VersionsDialog)
    assert "2 versions" in shown(versions)
    # The newest first.
    assert [(versions.box.setCurrentIndex(at), versions.values.text())[1] for at in range(2)] == [
        "blog (b) · splog (s) · unsure (u)",
        "blog (b) · splog (s) – retired · unsure (u)",
    ]
    versions.close()


def test_a_set_that_nobody_changed_has_no_history_and_its_guidelines_are_opened_first(
    view: LabelView, qtbot: QtBot
) -> None:
    notices: list[str] = []
    view.context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    view.sets.show_history(view.label_session)
    qtbot.waitUntil(lambda: notices == ["The label set class has not been changed."])
    for guidelines in (False, True):
        dialog = change_set(view, qtbot, guidelines=guidelines)
        assert dialog.guidelines.isVisible() is guidelines
        dialog.reject()


def test_assigning_can_be_undone(view: LabelView, entries: Path, qtbot: QtBot) -> None:
    view.exchange.assign(["ann", "ben", "cat"], 2)
    wait_for(qtbot, view)
    with Session(entries, write=False) as session:
        assert sum(len(names) for names in read_board(session, BoardScope("class")).assigned.values()) == 24
    view.context.history.undo()
    with Session(entries, write=False) as session:
        assert read_board(session, BoardScope("class")).assigned == {}


def test_who_shares_the_entries_is_asked_with_the_load_of_each(view: LabelView, entries: Path, qtbot: QtBot) -> None:
    view.exchange.ask_assign()
    dialog = view.exchange.dialog
    assert dialog is not None
    assert (dialog.annotators(), dialog.each()) == (["ann", "ben"], 2)
    assert dialog.words.text() == (
        "12 entries in the queue; about 12 for each annotator. Existing assignments are kept."
    )
    dialog.names.setPlainText("ann\n\n  Ben   Li \nann")
    dialog.count.setValue(3)
    assert dialog.annotators() == ["ann", "Ben Li"]
    assert dialog.words.text() == "Enter at least 3 annotators."
    assert not dialog.go.isEnabled()
    dialog.names.clear()
    dialog.count.setValue(1)
    assert dialog.words.text() == "Enter at least 1 annotator."
    dialog.count.setValue(3)
    dialog.names.setPlainText("ann\nBen Li\ncleo\ndan\nElla")
    assert "about 7 for each" in dialog.words.text()
    dialog.count.setValue(1)
    dialog.go.click()
    wait_for(qtbot, view)
    with Session(entries, write=False) as session:
        assigned = read_board(session, BoardScope("class")).assigned
    assert len(assigned) == 12
    assert sorted(Counter(who for names in assigned.values() for who in names).values()) == [2, 2, 2, 3, 3]


def test_a_share_begins_with_its_label_set_and_offers_its_annotator(
    start: Start, entries: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with Session(entries) as session:
        save_set(session, LabelSet("mood", values=(Value("glad", "g"), Value("sad", "x"))), "ann")
        assign_all(session, "mood", ["Sato", "Li"], 1)
    ctx = Context("test", lambda _event: None, lambda: False)
    export_batch(ctx, entries, "mood", "Sato", tmp_path / "sato.palimpsest")
    controller = start(tmp_path / "sato.palimpsest", "label")
    settle(qtbot, controller)
    label_view = controller.window.view("label")
    assert isinstance(label_view, LabelView)
    assert label_view.label_session is not None
    assert label_view.label_session.board.label_set.name == "mood"
    assert "Sato" in controller.window.banner.text.text()
    controller.window.banner.button.click()
    settle(qtbot, controller)
    assert label_view.label_session.who == "Sato"
    assert label_view.save_state()["set"] == "mood"


def test_a_share_goes_out_and_comes_back(
    view: LabelView, entries: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    notices: list[str] = []
    view.context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    view.context.offered.connect(lambda sentence, _title, _action: notices.append(sentence))
    share = tmp_path / "cat.palimpsest"
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_rest: (tmp_path / "cat", ""))
    assert view.label_session is not None
    view.label_session.who = "cat"
    view.exchange.ask_share()
    qtbot.waitUntil(lambda: bool(notices))
    assert notices == [f"The batch was written to {share}: 12 entries."]
    with Session(share) as session:
        with session.write() as connection:
            add_documents(connection, [Document("new", "Only in the share.", Role.SUSPECT)])
        give(session, [Label(f"document:{name}", "unsure", "cat", "", label_set="class") for name in ("e04", "new")])
        change_tags_of(session, ["e05", "e06"], ["odd"], [])
        save_set(session, LabelSet("mood", values=(Value("glad", "g"),)), "cat")
        assign_all(session, "mood", ["Li"], 1)
    view.context.undoable.connect(notices.append)
    view.exchange.offer_merge(share)
    dialog = view.exchange.merging
    assert dialog is not None
    qtbot.waitUntil(dialog.go.isEnabled)
    assert dialog.summary.text() == (
        "1 label would be added. 1 was refused. "
        "Label sets that change: mood. 12 labels would be assigned. 2 documents would get tags."
    )
    assert (dialog.tabs.tabText(0), dialog.tabs.tabText(4)) == ("Who (1)", "Refused (1)")
    assert shown_row(dialog.refused, 0) == ["new", "The document is not in this project."]
    assert [(s.who, dict(s.events)) for s in dialog.result_shown.speakers] == [("cat", {"class": 1})]
    dialog.go.click()
    qtbot.waitUntil(lambda: len(notices) == 2)
    assert notices[1] == "1 label was added. 1 was refused."
    wait_for(qtbot, view)
    with Session(entries, write=False) as session:
        label = read_board(session, BoardScope("class")).label_of("document:e04", "cat")
    assert label is not None
    assert label.value == "unsure"


def test_the_preview_of_a_damaged_project_says_so_where_its_changes_would_be(
    view: LabelView, tmp_path: Path, qtbot: QtBot
) -> None:
    damaged = tmp_path / "damaged.palimpsest"
    damaged.write_bytes(b"SQLite format 3\0" + bytes(4_000))
    view.exchange.offer_merge(damaged)
    dialog = view.exchange.merging
    assert dialog is not None
    qtbot.waitUntil(lambda: "damaged" in dialog.summary.text())
    assert dialog.tabs.tabText(0) == "Who"
    assert not dialog.state.text()
    assert not dialog.go.isEnabled()
    dialog.reject()


def shown_row(table: Table, at: int) -> list[str]:
    """What a table shows in a row."""
    model = table.model()
    return [str(model.index(at, column).data()) for column in range(model.columnCount())]


def test_after_a_merge_that_failed_the_next_file_is_shown(
    view: LabelView, entries: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = [tmp_path / name for name in ("first.palimpsest", "second.palimpsest")]
    for copy in copies:
        with sqlite3.connect(entries) as source, sqlite3.connect(copy) as other:
            source.backup(other)
    monkeypatch.setattr("workbench.gui.screens.label.exchange.open_files", lambda *_rest: list(copies))
    monkeypatch.setattr("workbench.gui.screens.label.exchange.merge_batch", slow_jobs.failing)
    view.exchange.ask_merge()
    first = view.exchange.merging
    assert first is not None
    qtbot.waitUntil(lambda: first.result_shown is not None)
    first.accept()
    qtbot.waitUntil(lambda: view.exchange.merging is not first)
    assert view.exchange.merging is not None
    assert view.exchange.merging.batch == copies[1]
    view.exchange.merging.close()


def test_a_copy_in_anothers_name_is_asked_about_and_undone_as_one(
    view: LabelView, entries: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    before = counts(entries)
    copy = tmp_path / "copy.palimpsest"
    with sqlite3.connect(entries) as source, sqlite3.connect(copy) as other:
        source.backup(other)
    with Session(copy) as session:
        give(session, [Label(f"document:e{n:02}", "unsure", "ben", "", label_set="class") for n in range(12)])
    view.exchange.offer_merge(copy)
    dialog = view.exchange.merging
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.result_shown is not None)
    assert not dialog.go.isEnabled()
    assert {who: box.text() for who, box in dialog.boxes.items()} == {"ben": "Accept 12 events by ben"}
    assert "0 labels would be added. 24 were already known. 12 are held back" in dialog.summary.text()
    assert dialog.doubts.model().rowCount() == 12
    assert shown_row(dialog.doubts, 1)[:4] == ["ben", "e01", "splog", "unsure"]
    assert shown_row(dialog.doubts, 1)[5] == "contradicts the same person's decision here"
    dialog.boxes["ben"].click()
    qtbot.waitUntil(dialog.go.isEnabled)
    assert dialog.doubts.model().rowCount() == 0
    # The two that they differed about are in conflict already.
    assert dialog.turns.model().rowCount() == 10
    assert shown_row(dialog.turns, 0) == ["e00", "class", "splog", "conflict", "ben"]
    assert dialog.boxes["ben"].text() == "Held-back events by ben are accepted"
    assert counts(entries) == before
    dialog.go.click()
    qtbot.waitUntil(lambda: counts(entries).get("unsure") == 12)
    wait_for(qtbot, view)
    qtbot.waitUntil(lambda: bool(view.context.history.undo_title()))
    view.context.history.undo()
    wait_for(qtbot, view)
    assert counts(entries) == before


def test_a_set_that_an_import_brings_and_assignments_of_another_program_appear_in_label(
    view: LabelView, entries: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "topic.csv"
    file.write_text("id,label,annotator,set\ne00,advert,ann,topic\ne01,praise,ann,topic\n", encoding="utf-8")
    view.exchange.importer.bring(file, "class", {})
    qtbot.waitUntil(lambda: view.queue.sets.findData("topic") >= 0)
    # The list may know of the set before the import can be undone.
    history = view.context.history
    qtbot.waitUntil(lambda: history.undo_title() == "Import labels from topic.csv")
    history.undo()
    qtbot.waitUntil(lambda: view.queue.sets.findData("topic") < 0)
    qtbot.waitUntil(lambda: history.redo_title() == "Import labels from topic.csv")
    history.redo()
    qtbot.waitUntil(lambda: view.queue.sets.findData("topic") >= 0)
    assert view.queue.chips["mine"].isHidden()
    with Session(entries) as session:
        assign_all(session, "class", ["ann", "ben"], 1)
    qtbot.waitUntil(lambda: not view.queue.chips["mine"].isHidden())


def test_labels_that_a_file_would_change_are_named_and_changed_where_that_is_wanted(
    view: LabelView, entries: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    offers: list[tuple[str, str, Callable[[], object]]] = []
    view.context.offered.connect(lambda sentence, title, action: offers.append((sentence, title, action)))
    file = tmp_path / "again.csv"
    rows = ["e00,blog,ann", "e01,blog,ann", "e03,blog,ann", "gone,blog,ann"]
    file.write_text("\n".join(["id,label,annotator", *rows]), encoding="utf-8")
    before = counts(entries)
    view.exchange.importer.bring(file, "class", {})
    qtbot.waitUntil(lambda: len(offers) == 1)
    sentence, title, change = offers[0]
    assert sentence == (
        "0 labels were imported. 1 already existed. 1 row was refused. again.csv:5: There is no document gone in this "
        "project. 2 rows contradict the existing labels and were left out. e00, labelled by ann: here splog, in the "
        "file blog."
    )
    assert title == "Change the labels"
    assert counts(entries) == before == {"splog": 10, "blog": 14}
    change()
    qtbot.waitUntil(lambda: counts(entries) != before)
    assert counts(entries) == {"splog": 8, "blog": 16}
    history = view.context.history
    qtbot.waitUntil(lambda: history.undo_title() == "Import labels from again.csv")
    history.undo()
    assert counts(entries) == before
    history.redo()
    assert counts(entries) == {"splog": 8, "blog": 16}


def test_a_file_with_any_headings_is_shown_before_it_is_imported(view: LabelView, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "wide.csv"
    file.write_text("Entry,Rater A\ne01,splog\ne02,blog\n", encoding="utf-8")
    importer = view.exchange.importer
    importer.offer(file, "class")
    qtbot.waitUntil(lambda: importer.dialog is not None)
    dialog = importer.dialog
    assert isinstance(dialog, ImportLabelsDialog)
    assert dialog.meaning() == {"Entry": "id", "Rater A": "label:Rater A"}
    box = dialog.boxes["Entry"]
    assert (box.currentData(), box.currentText() == "id") == ("id", False)
    dialog.boxes["Rater A"].setCurrentIndex(0)
    assert not dialog.go.isEnabled()
    dialog.boxes["Rater A"].setCurrentIndex(1)
    notices: list[str] = []
    view.context.undoable.connect(notices.append)
    dialog.go.click()
    qtbot.waitUntil(lambda: bool(notices))
    assert "2 labels were imported" in notices[0]


def test_guidelines_fetch_nothing_and_take_no_html(qtbot: QtBot, own_picture: Path) -> None:
    address = QUrl.fromLocalFile(str(own_picture))
    view = MarkdownView("Guidelines")
    qtbot.addWidget(view)
    view.show_markdown(
        f"# Title\n\n![]({address.toString()})\n\n<script>alert(1)</script><b>bold</b>\n\n[link]({address.toString()})"
    )
    view.show()
    shown = view.document().resource(QTextDocument.ResourceType.ImageResource, address)
    assert (shown.width(), shown.height()) == (1, 1)
    assert "<b>bold</b>" in view.toPlainText()
    assert not view.openLinks()


def test_a_retired_value_is_shown_where_it_holds_but_has_no_key(view: LabelView, entries: Path, qtbot: QtBot) -> None:
    with Session(entries) as session:
        save_set(session, LabelSet("class", values=(Value("blog", "b"),)), "ann")
    view.change_set("class")
    wait_for(qtbot, view)
    view._set_options(view.options.__class__(everything=True))
    wait_for(qtbot, view)
    view.labeller.go_to("document:e03")
    wait_for(qtbot, view)
    assert view.entry.values.buttons["splog"].isChecked()
    assert [a.id for a in view.context.actions if a.id.startswith("label.value-")] == ["label.value-1"]
