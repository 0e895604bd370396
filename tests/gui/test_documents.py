"""Documents: import with preview, failures, removal and undo, filter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent, QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QToolTip
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from tests.gui.conftest import JAPANESE, Start, finished, settle
from tests.gui.documents_view import import_as, opened, previewed
from tests.gui.shown import shown
from tests.unit.reading.formats.drawn_pdf import drawn_pdf, text
from workbench.base.types import Block, BlockClass, Document, Extraction, Role, Span
from workbench.gui.document.pane import HiddenDialog
from workbench.gui.i18n import say
from workbench.gui.kit.columns import Column
from workbench.gui.screens.documents import columns
from workbench.gui.screens.documents.importing import PasteDialog
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.screens.review.view import ReviewView
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.project.run_documents import present_documents, store_run_documents
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.session import Session, create


def test_the_table_shows_every_document_and_the_text_of_the_first(start: Start, project: Path) -> None:
    _, view = opened(start, project)
    assert view.model.rowCount() == 4
    assert view.chips["suspect"].text() == "Suspects  2"
    assert view.pane.document is not None
    assert view.pane.document.id == "s1"
    assert "created" not in view.pane.facts.text_whole()
    view.pane.show_document(Document("dated", "A text.", extraction=Extraction(created="2020-01-02")))
    assert "file created on 2020-01-02" in view.pane.facts.text_whole()


def test_a_document_that_came_after_the_latest_run_has_no_number_of_matches(start: Start, project: Path) -> None:
    with Session(project) as session, session.write() as connection:
        store_run_documents(connection, 1, present_documents(connection, Role))
        add_documents(connection, [Document("late", "A text that came later.", Role.SUSPECT)])
    _, view = opened(start, project)
    at = next(at for at, column in enumerate(view.model.columns) if column.name == "matches")
    assert [view.model.index(row, at).data() for row in range(5)] == ["1", "1", "1", "1", "–"]
    view.model.sort(at, Qt.SortOrder.AscendingOrder)
    assert {view.model.index(row, at).data() for row in range(1, 4)} == {"1"}, "at an end of the order"


def test_the_text_of_another_document_is_not_shown_where_one_cannot_be_read(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    assert view.pane.document is not None
    with Session(project) as session, session.write() as connection:
        of_s2 = "id = (SELECT text_id FROM document WHERE key = 2)"
        connection.exec_driver_sql(f"UPDATE text SET packed = CAST(substr(packed, 2) AS BLOB) WHERE {of_s2}")
    view.table.select_keys([2])
    settle(qtbot, controller)
    assert "the text of s2 cannot be unpacked" in controller.window.banner.text.text()
    assert "Select a document to read its text here." in shown(view)
    view.table.select_keys([1])
    settle(qtbot, controller)
    assert "Select a document to read its text here." not in shown(view)


def test_text_of_a_document_is_never_markup(start: Start, tmp_path: Path, qtbot: QtBot, project: Path) -> None:
    controller, view = opened(start, project)
    view.importer.paste("<b>bold</b>", "<script>alert(1)</script> & more", Role.SOURCE)
    settle(qtbot, controller)
    view.table.select_keys([5])
    settle(qtbot, controller)
    assert view.pane.title.text_whole() == "<b>bold</b>"
    assert view.pane.title.textFormat() == Qt.TextFormat.PlainText


def test_a_tooltip_reads_no_file_that_a_title_names(
    start: Start, own_picture: Path, qtbot: QtBot, project: Path, qapp: QApplication
) -> None:
    title = f'<img src="{own_picture}">'
    controller, view = opened(start, project)
    view.importer.paste(title, "A text.", Role.SOURCE)
    settle(qtbot, controller)
    view.table.select_keys([5])
    settle(qtbot, controller)
    cell = view.table.visualRect(view.table.currentIndex().siblingAtColumn(0)).center()
    for widget, place in ((view.table.viewport(), cell), (view.pane.title, QPoint(3, 3))):
        QToolTip.hideText()
        QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place)))
        [tip] = [w for w in qapp.allWidgets() if w.inherits("QTipLabel") and isinstance(w, QLabel) and w.isVisible()]
        assert title in tip.text()
        assert tip.textFormat() == Qt.TextFormat.PlainText
        assert tip.height() < 200
    QToolTip.hideText()


def test_dropped_files_are_previewed_then_imported_and_failures_listed(
    start: Start, project: Path, texts: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(texts))])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    copy, place = Qt.DropAction.CopyAction, QPoint(200, 300)
    QApplication.sendEvent(view, QDragEnterEvent(place, copy, data, left, none))
    assert view._overlay.isVisibleTo(view)
    QApplication.sendEvent(view, QDropEvent(place, copy, data, left, none))
    assert not view._overlay.isVisibleTo(view)
    dialog = previewed(qtbot, view)
    assert [i.document is not None for i in dialog.items] == [True, True, False]
    assert dialog.items[0].document is not None
    assert dialog.items[0].document.extraction.encoding == "cp932"
    assert dialog.pane.document is not None
    assert dialog.pane.document.text == JAPANESE
    dialog.list.setCurrentRow(2)
    assert "binary" in dialog.pane.empty.sentence.text()
    import_as(dialog, Role.SUSPECT)
    finished(qtbot, controller)
    assert view.model.total == 6
    assert view.chips["suspect"].text() == "Suspects  4"
    assert view.chips["failed"].text() == "Failed  1"
    assert "1 input failed" in controller.window.banner.text.text()
    view.choose("failed")
    assert view.failures.paths() == ["in/picture.txt"]


def test_a_file_imported_in_another_role_or_with_another_text_is_a_warning(
    start: Start, tmp_path: Path, qtbot: QtBot
) -> None:
    project, essay = tmp_path / "case.palimpsest", tmp_path / "in" / "essay.txt"
    create(project)
    essay.parent.mkdir()
    essay.write_text("An essay of somebody.", "utf-8")
    controller, view = opened(start, project)
    versions = ("An essay of somebody.", "An essay of somebody.", "Another text of the essay.")
    notices = []
    for role, version in zip((Role.SOURCE, Role.SUSPECT, Role.SUSPECT), versions, strict=True):
        essay.write_text(version, "utf-8")
        view.offer([essay.parent])
        dialog = previewed(qtbot, view)
        import_as(dialog, role)
        finished(qtbot, controller)
        notices.append(controller.window.banner.text.text())
    assert "role" not in notices[0]
    assert "1 keeps its role" in notices[1]
    assert "two texts" in notices[2]


def test_a_folder_of_suspects_after_sources_comes_in_as_suspects(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    project = tmp_path / "case.palimpsest"
    create(project)
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document(f"t{n}", f"Source {n}.", Role.SOURCE) for n in range(14)])
    (tmp_path / "suspects").mkdir()
    (tmp_path / "suspects" / "essay.txt").write_text("An essay of somebody.", "utf-8")
    controller, view = opened(start, project)
    view.offer([tmp_path / "suspects"])
    dialog = previewed(qtbot, view)
    qtbot.waitUntil(dialog.go.isEnabled)
    assert dialog.role() is Role.SUSPECT
    assert "suspects" in dialog.why.text()
    assert dialog.pane.document is not None
    assert dialog.pane.document.role is Role.SUSPECT
    dialog.go.click()
    finished(qtbot, controller)
    assert view.chips["suspect"].text() == "Suspects  1"


def test_where_it_is_unclear_what_documents_are_nothing_is_imported_before_a_role_is_chosen(
    start: Start, project: Path, texts: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    view.offer([texts])
    dialog = previewed(qtbot, view)
    qtbot.waitUntil(lambda: bool(dialog.why.text()))
    assert not dialog.go.isEnabled()
    dialog.roles.setFocus()
    qtbot.keyClick(dialog.roles, Qt.Key.Key_Down)
    assert dialog.go.isEnabled()
    assert not dialog.why.text()
    chosen = dialog.role()
    # What the user said stays, whatever is read afterwards.
    dialog.encodings.setCurrentIndex(dialog.encodings.findData("latin-1"))
    qtbot.waitUntil(lambda: not dialog.is_ready())
    previewed(qtbot, view)
    assert dialog.role() is chosen
    dialog.reject()
    settle(qtbot, controller)


def test_an_encoding_given_by_hand_is_previewed(start: Start, project: Path, texts: Path, qtbot: QtBot) -> None:
    _, view = opened(start, project)
    view.offer([texts / "neko.txt"])
    dialog = previewed(qtbot, view)
    dialog.encodings.setCurrentIndex(dialog.encodings.findData("latin-1"))
    qtbot.waitUntil(lambda: not dialog.is_ready())
    previewed(qtbot, view)
    assert dialog.items[0].document is not None
    assert dialog.items[0].document.text != JAPANESE
    dialog.reject()


def test_a_preview_shows_that_the_running_heads_of_a_pdf_do_not_count(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    pages = [text(["A Thesis on Harbours"], y=810) + text([f"Page {n} speaks of ships and of their {n} ropes."])
             for n in ("one", "two", "three", "four")]  # fmt: skip
    (tmp_path / "thesis.pdf").write_bytes(drawn_pdf(pages))
    _, view = opened(start, project)
    view.offer([tmp_path / "thesis.pdf"])
    dialog = previewed(qtbot, view)
    blocks = dialog.pane.blocks.model
    rows = zip(blocks.values("text"), blocks.values("verdict"), blocks.values("rule"), strict=True)
    heads = [(verdict, say(str(rule))) for words, verdict, rule in rows if "Thesis" in str(words)]
    assert heads == [("non-content", "running header, the same on 4 pages")] * 4
    assert not dialog.pane.blocks.isHidden()
    dialog.reject()


def test_a_closed_dialog_stops_its_preview(start: Start, project: Path, texts: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.offer([texts])
    dialog = view.importer.dialog
    assert dialog is not None
    dialog.reject()
    assert dialog.is_ready()
    assert view.model.total == 4
    settle(qtbot, controller)


def test_documents_with_unusual_characters_have_a_filter_and_their_places_a_link(
    start: Start, project: Path, texts: Path, qtbot: QtBot
) -> None:
    prose = "The harbour was quiet in the morning, and the fishermen mended their nets beside the wall of the house. "
    (texts / "picture.txt").write_text(prose.translate(str.maketrans("aeopcx", "аеорсх")) * 2, encoding="utf-8")
    controller, view = opened(start, project)
    assert not view.chips["unusual"].isVisibleTo(view)
    view.offer([texts])
    import_as(previewed(qtbot, view), Role.SOURCE)
    finished(qtbot, controller)
    assert view.chips["unusual"].text() == "Unusual characters  1"
    view.choose("unusual")
    assert view.model.rowCount() == 1
    qtbot.waitUntil(lambda: view.pane.document is not None and view.pane.document.id == "in/picture.txt")
    document = view.pane.document
    assert document is not None
    (flag,) = document.extraction.integrity
    (link,) = (b for b in view.pane.findChildren(QPushButton) if "another script" in b.text())
    assert link.text() == f"{flag.characters} letters of another script that look alike"
    link.click()
    assert view.pane.text.regions == (flag.spans[0],)


def test_a_failed_input_leaves_the_list_when_it_is_imported_and_not_when_that_is_cancelled(
    start: Start, project: Path, texts: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    notices: list[tuple[str, str]] = []
    controller.context.notice.connect(lambda sentence, tone: notices.append((sentence, tone)))
    view.offer([texts])
    import_as(previewed(qtbot, view), Role.SOURCE)
    finished(qtbot, controller)
    assert notices == [("2 documents were imported. 1 input failed; it is listed under Failed.", "warn")]
    (texts / "picture.txt").write_text("Now it is a text.", encoding="utf-8")
    view.choose("failed")
    view.failures.retry()
    dialog = previewed(qtbot, view)
    assert dialog.paths == [texts / "picture.txt"]
    jobs = controller.context.jobs
    jobs.stop()
    import_as(dialog, Role.SOURCE)
    finished(qtbot, controller)
    jobs.resume()
    assert jobs.records[0].state == "cancelled"
    assert view.failures.count() == 1
    view.failures.retry()
    import_as(previewed(qtbot, view), Role.SOURCE)
    finished(qtbot, controller)
    assert view.model.total == 7
    assert "in/picture.txt" in view.model.values("id")
    assert view.failures.count() == 0
    assert not view.chips["failed"].isVisibleTo(view)
    assert [sentence.split(";")[0] for sentence, _ in notices[1:]] == [
        "The import was cancelled",
        "1 document was imported.",
    ]
    view.importer.retry(["gone/somewhere.txt:3"])
    assert notices[-1] == ("gone/somewhere.txt:3 can no longer be found; import it again by hand.", "warn")


def test_failures_can_be_dismissed(start: Start, project: Path, texts: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.offer([texts / "picture.txt", texts / "neko.txt"])
    import_as(previewed(qtbot, view), Role.SOURCE)
    finished(qtbot, controller)
    assert view.failures.count() == 1
    view.failures.dismiss()
    settle(qtbot, controller)
    assert view.failures.count() == 0
    controller.context.history.undo()
    settle(qtbot, controller)
    assert view.failures.count() == 1
    view.failures.table.select_keys([view.failures.model.key_at(0)])
    assert "picture.txt" in view.failures.reason.text()
    controller.context.history.redo()
    settle(qtbot, controller)
    assert view.failures.count() == 0


def test_what_was_filtered_is_remembered_however_long_the_documents_take_to_read(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller, _ = opened(start, project)
    view = DocumentsView(controller.context)
    list(view.pieces)
    qtbot.addWidget(view)
    with qtbot.waitSignal(view.filter.paused):
        view.restore_state({"filter": "s1", "role": "suspect", "sort": [1, True]})
    assert view.model.total == 0
    view.load()
    qtbot.waitUntil(view.is_ready)
    assert [view.model.key_at(row) for row in range(view.model.rowCount())] == [1]


def test_the_filter_counts_exactly_and_says_when_nothing_fits(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    view.filter.setText("title t")
    qtbot.waitUntil(lambda: view.model.rowCount() == 2)
    assert view.count.text() == "2 of 4"
    view.choose("suspect")
    assert view.model.rowCount() == 0
    view.clear_filter()
    assert view.count.text() == "4"
    settle(qtbot, controller)


def test_a_document_that_the_filter_hides_is_not_shown_beside_the_list(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    _, view = opened(start, project)
    qtbot.waitUntil(lambda: view.pane.document is not None)
    assert view.pane.document is not None
    hidden = view.pane.document.key
    view.filter.setText("s2")
    qtbot.waitUntil(lambda: view.pane.document is not None and view.pane.document.key != hidden)
    assert view.table.chosen_keys() == [view.pane.document.key]
    with qtbot.waitSignal(view.filter.paused):
        view.filter.setText("nothing has this title")
    assert view.pane.document is None


@pytest.mark.parametrize("paragraphs", [1, 700])
def test_hard_wrapped_prose_is_read_in_paragraphs(start: Start, project: Path, qtbot: QtBot, paragraphs: int) -> None:
    paragraph = (
        "The licenses for most software are designed to take\naway your freedom to share and change it, as\nknown."
    )
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("wrapped", "\n\n".join([paragraph] * paragraphs), Role.SUSPECT)])
    _, view = opened(start, project)
    view.filter.setText("wrapped")
    qtbot.waitUntil(lambda: view.pane.text.lines.text.startswith("The licenses"))
    numbers = view.pane.text.lines.numbers
    assert np.array_equal(numbers[numbers > 0], np.arange(1, 4 * paragraphs, 4))  # of their first lines, as cited


def test_a_long_text_that_is_laid_out_late_is_not_shown_below_the_next_title(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    view.pane.show_document(Document("long", "A line of a long text.\n" * 3_000))
    view.pane.show_document(Document("short", "A short text."))
    settle(qtbot, controller)
    assert view.pane.text.lines.text == "A short text."


def test_down_goes_from_the_filter_to_the_list(start: Start, project: Path, qtbot: QtBot) -> None:
    _, view = opened(start, project)
    view.filter.setFocus()
    qtbot.keyClick(view.filter, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is view.table
    assert view.table.chosen_keys()
    view.filter.setText("nothing has this title")
    view._filter()
    view.filter.setFocus()
    qtbot.keyClick(view.filter, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is view.filter


def test_the_only_document_is_on_screen_again_once_its_removal_is_undone(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    view.table.select_keys([view.model.key_at(row) for row in range(1, view.model.rowCount())])
    view.remove()
    settle(qtbot, controller)
    view.remove()
    settle(qtbot, controller)
    assert (view.model.rowCount(), view.pane.document) == (0, None)
    controller.context.history.undo()
    qtbot.waitUntil(lambda: view.is_ready() and view.model.rowCount() == 1)
    assert view.pane.document is not None
    assert view.pane.document.key == view.model.key_at(0)


def test_review_says_which_document_of_the_pair_was_removed(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    review = controller.window.view("review")
    assert isinstance(review, ReviewView)
    assert review.pair.opened is not None
    removed = [title._removed.isVisibleTo(title) for title in review.pair.titles]
    documents = controller.window.view("documents")
    assert isinstance(documents, DocumentsView)
    controller.window.show_view("documents")
    settle(qtbot, controller)
    documents.table.select_keys([review.pair.opened.b.key])
    documents.remove()
    for undone in (False, True):
        controller.window.show_view("review")
        settle(qtbot, controller)
        removed += [title._removed.isVisibleTo(title) for title in review.pair.titles]
        if not undone:
            controller.context.history.undo()
    assert removed == [False, False, False, True, False, False]


def test_pasted_text_becomes_a_document(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    controller.context.actions.run("documents.paste")
    dialog = controller.window.findChild(PasteDialog)
    assert dialog is not None
    dialog._body.setPlainText(JAPANESE)
    dialog.accept()
    settle(qtbot, controller)
    assert view.model.total == 5


def test_an_empty_project_says_what_to_do(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    controller = start()
    controller.window.projects.create(tmp_path / "new")
    settle(qtbot, controller)
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    assert controller.context.project == tmp_path / "new.palimpsest"
    assert view._empty.isVisibleTo(view)


def test_documents_can_be_given_another_role_and_undo_gives_each_back_its_own(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    view.table.select_keys([1, 3])
    controller.context.actions.run("documents.role-background")
    settle(qtbot, controller)
    assert sorted(view.model.values("role")) == ["background", "background", "source", "suspect"]
    assert view.table.chosen_keys() == [1, 3]
    for key in ("all", "suspect", "source", "background"):
        assert view.chips[key].accessibleName() == " ".join(view.chips[key].text().split())
    view.table.select_keys([2])
    qtbot.mouseClick(controller.window.banner.button, Qt.MouseButton.LeftButton)
    settle(qtbot, controller)
    assert view.table.chosen_keys() == [1, 3]
    assert sorted(view.model.values("role")) == ["source", "source", "suspect", "suspect"]


def test_the_right_mouse_button_offers_the_roles_of_the_documents_selected(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, project)
    view.table.select_keys([1, 3])
    pane = view.table.viewport()
    place = view.table.visualRect(view.table.selectedIndexes()[0]).center()
    QApplication.sendEvent(pane, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, pane.mapToGlobal(place)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    offered = {action.text(): action for action in menu.actions()}
    assert [*offered][:3] == ["Use as Source", "Use as Suspect", "Use as Background"]
    offered["Use as Background"].trigger()
    menu.close()
    settle(qtbot, controller)
    assert sorted(view.model.values("role")) == ["background", "background", "source", "suspect"]


PAGE = Document(
    "page",
    "Home\nThis is what the page says.",
    Role.SOURCE,
    title="A page with blocks",
    blocks=(
        Block(
            Span(0, 4), verdict=BlockClass.NON_CONTENT, rule="link text is 100 % of the block", path="/html[1]/nav[1]"
        ),
        Block(Span(5, 32), rule="prose", path="/html[1]/p[1]"),
    ),
)


@pytest.fixture
def page(project: Path) -> Path:
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [PAGE])
    return project


def verdicts(view: DocumentsView) -> list[str]:
    return [str(v) for v in view.pane.blocks.model.values("verdict")]


def test_a_verdict_on_a_block_can_be_overturned_undone_and_done_again(start: Start, page: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, page)
    view.table.select_keys([5])
    settle(qtbot, controller)
    blocks = view.pane.blocks
    assert verdicts(view) == ["non-content", "content"]
    view.pane.text.set_caret(10)
    assert blocks.table.chosen_keys() == [1]
    blocks.table.setFocus()
    blocks.table.select_keys([0])
    assert view.pane.text.regions == [(0, 4)] or list(view.pane.text.regions) == [Span(0, 4)]
    controller.context.actions.run("documents.overturn-block")
    settle(qtbot, controller)
    assert verdicts(view) == ["content", "content"]
    assert str(blocks.model.values("rule")[0]).startswith("decided by ")
    assert not view.pane.text.is_ignored(0, 4)
    controller.context.history.undo()
    settle(qtbot, controller)
    assert verdicts(view) == ["non-content", "content"]
    controller.context.history.redo()
    settle(qtbot, controller)
    assert verdicts(view) == ["content", "content"]
    blocks.table.select_keys([0])
    controller.context.actions.run("documents.leave-block")
    settle(qtbot, controller)
    assert verdicts(view) == ["non-content", "content"]


def test_blocks_that_do_not_count_are_grey_and_the_table_counts_those_that_do(
    start: Start, page: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, page)
    view.table.select_keys([5])
    settle(qtbot, controller)
    assert view.pane.text.is_ignored(0, 4)
    assert not view.pane.text.is_ignored(5, 32)
    assert list(view.model.values("blocks"))[-1] == (1, 2)
    assert not view.table.isColumnHidden(5)


def test_what_a_page_hides_is_counted_and_shown_on_demand(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "page.html"
    file.write_text("<p>What anybody can read.</p><p hidden>What nobody sees.</p>", encoding="utf-8")
    import_paths(
        Context("test", lambda event: None, lambda: False), project, [file], Role.SUSPECT, ImportOptions(workers=1)
    )
    controller, view = opened(start, project)
    view.table.select_keys([5])
    settle(qtbot, controller)
    assert view.pane.hidden.text() == "17 hidden characters left out"
    view.pane.show_hidden()
    dialog = view.pane.findChild(HiddenDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.text.toPlainText() == "What nobody sees.", timeout=60_000)
    dialog.close()
    qtbot.waitUntil(lambda: not isValid(dialog), timeout=20_000)
    view.table.select_keys([1])
    settle(qtbot, controller)
    assert not view.pane.hidden.isVisibleTo(view.pane)


def test_a_page_opens_at_its_first_content(start: Start, project: Path, qtbot: QtBot) -> None:
    lines = [f"menu {n}" for n in range(80)] + ["What the page says stands here.", *["And it goes on."] * 80]
    starts = np.cumsum([0, *(len(line) + 1 for line in lines[:-1])]).tolist()
    blocks = tuple(
        Block(
            Span(at, at + len(line)),
            verdict=BlockClass.NON_CONTENT if line.startswith("menu") else BlockClass.CONTENT,
            rule="short" if line.startswith("menu") else "prose",
        )
        for at, line in zip(starts, lines, strict=True)
    )
    text = "\n".join(lines)
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("long", text, Role.SOURCE, title="Long menu", blocks=blocks)])
    controller, view = opened(start, project)
    view.table.select_keys([5])
    settle(qtbot, controller)
    first, last = view.pane.text.visible_offsets()
    assert first <= starts[80] < last
    assert text[first:last].count("menu") < 10
    assert view.pane.blocks.table.rowAt(2) == 80
    assert not view.pane.blocks.table.any_chosen()


def test_the_block_at_the_caret_is_chosen(start: Start, page: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, page)
    view.table.select_keys([5])
    settle(qtbot, controller)
    view.pane.text.set_caret(10)
    assert view.pane.blocks.table.chosen_keys() == [1]


def test_undo_and_redo_say_what_they_would_do(start: Start, project: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, project)
    actions = controller.context.actions
    assert actions.qt("edit.undo").text() == "Undo"
    view.table.select_keys([1, 2])
    actions.run("documents.remove")
    settle(qtbot, controller)
    assert actions.qt("edit.undo").text() == actions["edit.undo"].title == "Undo: Remove 2 documents"
    actions.run("edit.undo")
    settle(qtbot, controller)
    assert actions.qt("edit.undo").text() == "Undo"
    assert actions.qt("edit.redo").text() == "Redo: Remove 2 documents"


def test_a_planted_column_is_shown_sorted_searched_and_kept(
    start: Start, project: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = columns.document_columns

    def planted() -> list[columns.DocumentColumn]:
        backwards = columns.DocumentColumn(
            Column("backwards", "Backwards", width=90),
            lambda page: [name[::-1] for name in page.table.id],
            searched=True,
        )
        nothing = columns.DocumentColumn(Column("nothing", "Nothing"), lambda p: [""] * len(p.table), optional=True)
        return [*usual(), backwards, nothing]

    monkeypatch.setattr(columns, "document_columns", planted)
    controller, view = opened(start, project)
    at = len(usual())
    assert view.model.headerData(at, Qt.Orientation.Horizontal) == "Backwards"
    assert not view.table.isColumnHidden(at)
    assert view.table.isColumnHidden(at + 1)
    view.table.sortByColumn(at, Qt.SortOrder.DescendingOrder)
    assert [view.model.index(row, at).data() for row in range(4)] == ["2t", "2s", "1t", "1s"]
    view.filter.setText("2s")
    qtbot.waitUntil(lambda: [view.model.index(row, at).data() for row in range(view.model.rowCount())] == ["2s"])
    controller.window.close()
    again = start(project, "documents", controller.context.settings).window.view("documents")
    assert isinstance(again, DocumentsView)
    assert again.model.sorted_by() == (at, Qt.SortOrder.DescendingOrder)
