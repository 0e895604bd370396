"""The window: opening, moving between views, palette, themes, languages, session."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.gui.conftest import PATIENCE_MS, Start, add_run, settle, small_case
from workbench.base import settings as settings_file
from workbench.base.settings import Settings
from workbench.base.types import Document, Role
from workbench.gui import i18n
from workbench.gui.judging.verdicts import state_words
from workbench.gui.kit import file_dialogs
from workbench.gui.problems import recorder
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.screens.start.view import RecentModel, StartView
from workbench.gui.shell.catalogue import SCREENS as CATALOGUE
from workbench.gui.shell.error_dialog import BugDialog
from workbench.gui.shell.keys import KeysDialog
from workbench.gui.shell.palette import Palette
from workbench.services.session import create

VIEWS = ("start", "documents", "detect", "review", "jobs", "label", "evaluate", "relations")


def test_a_first_start_shows_start_and_no_project(start: Start) -> None:
    window = start().window
    assert window.windowTitle() == "Palimpsest"
    assert window.current == "start"
    assert not window.rail.buttons["documents"].isEnabled()
    assert window.status.state.text() == "No project is open"


@pytest.mark.parametrize(
    ("view", "step"),
    [
        ("documents", "Import files…"),
        ("review", "Go to Documents"),
        ("label", "Go to Documents"),
        ("evaluate", "Go to Documents"),
        ("relations", "Go to Documents"),
        ("watch", "New watch…"),
    ],
)
def test_the_keyboard_is_on_the_next_step_where_there_is_nothing_yet(
    start: Start, tmp_path: Path, qtbot: QtBot, view: str, step: str
) -> None:
    create(tmp_path / "empty.palimpsest")
    controller = start(tmp_path / "empty.palimpsest", view)
    settle(qtbot, controller)
    focus = controller.window.focusWidget()
    assert isinstance(focus, QPushButton)
    assert focus.text().strip() == step


@pytest.mark.parametrize(("language", "where"), [("en", "Everywhere"), ("ja", "すべての画面"), ("zh", "所有界面")])
def test_the_list_of_shortcuts_says_where_they_are_and_what_its_field_is_for(
    start: Start, qtbot: QtBot, language: str, where: str
) -> None:
    controller = start()
    i18n.use(language)
    try:
        dialog = KeysDialog(controller.context, controller.window)
        qtbot.addWidget(dialog)
    finally:
        i18n.use("en")
    assert where in list(dialog.model.values("where"))
    field = dialog.edit.findChild(QLineEdit)
    assert field is not None
    assert field.fontMetrics().horizontalAdvance(field.placeholderText()) + 30 <= dialog.edit.width()


def test_the_title_names_the_project(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "jobs")
    assert controller.window.windowTitle() == "case"
    controller.context.close_project()
    settle(qtbot, controller)
    assert controller.window.windowTitle() == "Palimpsest"


def test_the_status_strip_names_only_keys_that_do_something(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "label")
    window, actions = controller.window, controller.context.actions

    def hints() -> list[str]:
        return [part.text() for part in window.status.findChildren(QLabel) if part.property("role") == "tag"]

    settle(qtbot, controller)
    qtbot.waitUntil(lambda: "Ctrl+Space" in hints())
    actions.run("label.team")
    qtbot.waitUntil(lambda: "Ctrl+Space" not in hints())
    assert "Alt+2" in hints()
    actions.set_shortcut("label.settle", "Ctrl+Alt+2")
    qtbot.waitUntil(lambda: "Ctrl+Alt+2" in hints())


def test_every_view_shows_with_the_project_and_names_what_can_be_used(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "documents")
    for view in VIEWS:
        controller.window.show_view(view)
        settle(qtbot, controller)
        assert controller.window.current == view
        unnamed = [w for w in _usable(controller.window) if not _name(w)]
        assert not unnamed, (view, [(type(w).__name__, w.objectName(), w.parentWidget()) for w in unnamed])


def _usable(window: QWidget) -> list[QWidget]:
    kinds = (QAbstractButton, QLineEdit, QComboBox, QPlainTextEdit, QAbstractItemView)
    inside = [w for kind in kinds for w in window.findChildren(kind) if w.isVisibleTo(window)]
    return [w for w in inside if w.focusPolicy() & Qt.FocusPolicy.TabFocus and not w.objectName().startswith("qt_")]


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or text


def test_digits_with_control_move_between_views(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents")
    qtbot.keyClick(controller.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: controller.window.current == "detect")
    settle(qtbot, controller)


def test_the_palette_runs_what_is_typed(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents")
    controller.context.actions.run("window.palette")
    palette = controller.window.findChild(Palette)
    assert palette is not None
    qtbot.keyClicks(palette.query, "go to jobs")
    qtbot.keyClick(palette.query, Qt.Key.Key_Return)
    assert controller.window.current == "jobs"
    settle(qtbot, controller)


def test_the_palette_wraps_with_the_arrows_and_says_when_nothing_fits(start: Start, qtbot: QtBot) -> None:
    controller = start()
    controller.window.commands.open_palette()
    palette = controller.window.findChild(Palette)
    assert palette is not None
    qtbot.keyClick(palette.query, Qt.Key.Key_Up)
    assert palette.list.currentIndex().row() == palette.model.rowCount() - 1
    qtbot.keyClicks(palette.query, "qqqq")
    assert palette.none.isVisibleTo(palette)
    height = palette.height()
    palette.query.setText("go to")
    assert palette.list.isVisibleTo(palette)
    assert palette.height() == height
    palette.reject()


def test_the_palette_names_the_view_of_an_action_that_belongs_to_another_one(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "label")
    controller.window.show_view("documents")
    controller.window.commands.open_palette()
    palette = controller.window.findChild(Palette)
    assert palette is not None
    qtbot.keyClicks(palette.query, "merge batch")
    assert palette.none.text() == "“Merge batches…” belongs to another view. Go to Label first."
    for query in ("qqqq", "mrgbtchs"):
        palette.query.setText(query)
        assert palette.none.text() == "No action has this name."
    palette.reject()
    settle(qtbot, controller)


def test_missing_recent_projects_are_marked_and_can_be_forgotten(start: Start, project: Path, qtbot: QtBot) -> None:
    gone = str(project.with_name("gone.palimpsest"))
    settings = Settings(theme="light", language="en", recent=[str(project), gone])
    controller = start(None, "start", settings)
    view = controller.window.view("start")
    assert isinstance(view, StartView)
    qtbot.waitUntil(lambda: [view.model.index(r).data(RecentModel.MISSING) for r in range(2)] == [False, True])
    view.list.clicked.emit(view.model.index(1))
    assert "no longer exists" in controller.window.banner.text.text()
    view.list.setCurrentIndex(view.model.index(1))
    qtbot.keyClick(view.list, Qt.Key.Key_Delete)
    assert settings.recent == [str(project)]
    view.list.clicked.emit(view.model.index(0))
    settle(qtbot, controller)
    assert controller.window.current == "documents"


def test_a_dropped_project_is_opened(
    start: Start, project: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = start()
    projects = controller.window.projects
    # Dropped texts ask for a project first, beside them and with their name, and are then offered for import.
    texts = [tmp_path / "essay.txt", tmp_path / "other.txt"]
    questions: list[tuple[str, Path]] = []
    offers: list[object] = []
    answers = [None, tmp_path / "mine"]

    def save_file(_parent: object, title: str, begin: Path, _patterns: object) -> tuple[Path | None, str]:
        questions.append((title, begin))
        return answers[len(questions) - 1], ""

    monkeypatch.setattr(file_dialogs, "save_file", save_file)
    monkeypatch.setattr(projects, "_offer", offers.append)
    projects.drop(texts)
    assert controller.context.project is None
    projects.drop(texts)
    qtbot.waitUntil(lambda: bool(offers))
    settle(qtbot, controller)
    assert questions == [("New project for the dropped texts", tmp_path / "essay.palimpsest")] * 2
    assert controller.context.project == tmp_path / "mine.palimpsest"
    assert controller.window.current == "documents"
    controller.window.show_view("jobs")
    projects.drop(texts[1:])
    assert offers == [texts, texts[1:]]
    assert controller.window.current == "documents"
    assert len(questions) == 2
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(project))])
    move, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    place = QPoint(200, 200)
    for event in (QDragEnterEvent(place, move, data, left, none), QDropEvent(place, move, data, left, none)):
        QCoreApplication.sendEvent(controller.window, event)
    settle(qtbot, controller)
    assert controller.context.project == project


def test_a_project_that_cannot_be_opened_is_explained(start: Start, tmp_path: Path, qtbot: QtBot) -> None:
    broken = tmp_path / "broken.palimpsest"
    broken.write_bytes(b"not a project" * 100)
    controller = start()
    controller.window.projects.open_path(broken)
    settle(qtbot, controller)
    assert controller.context.session is None
    assert "broken.palimpsest" in controller.window.banner.text.text()
    assert controller.window.banner.property("tone") == "danger"


def test_the_window_stays_usable_while_another_program_holds_a_project(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    locked = tmp_path / "held.palimpsest"
    create(locked)
    other = sqlite3.connect(locked, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    controller = start(project, "documents")
    window, context = controller.window, controller.context
    window.projects.open_path(locked)
    assert context.project == project
    assert window.status.state.text() == "Opening held…"
    window.show_view("detect")
    other.close()
    qtbot.waitUntil(lambda: context.project == locked)
    settle(qtbot, controller)
    assert window.current == "documents"
    assert window.status.state.text() == "Ready"


def test_of_two_projects_the_one_asked_for_last_is_opened(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.palimpsest"
    create(other)
    controller = start()
    controller.window.projects.open_path(project)
    controller.window.projects.open_path(other)
    settle(qtbot, controller)
    assert controller.context.project == other
    controller.window.projects.open_path(project)
    controller.window.projects.close()
    settle(qtbot, controller)
    assert controller.context.project is None


def test_an_exception_in_a_slot_shows_a_report_to_copy(start: Start, qtbot: QtBot, qapp: object) -> None:
    controller = start()
    QTimer.singleShot(0, lambda: [][0])
    banner = controller.window.banner
    qtbot.waitUntil(lambda: banner.isVisible() and banner.button.isVisible())
    banner.button.click()
    dialog = controller.window.findChild(BugDialog)
    assert dialog is not None
    dialog.copy_report()
    copied = QGuiApplication.clipboard().text()
    assert "IndexError: list index out of range" in copied
    assert "view start" in copied
    assert "PySide6" in copied
    dialog.accept()
    recorder().clear()
    # Where it hides nothing that has the keyboard, a sentence is below.
    if (control := controller.window.focusWidget()) is not None:
        control.clearFocus()
    controller.context.say("Something happened.", "warn")
    assert banner.y() > controller.window.height() / 2


def test_light_and_dark_switch_live_and_are_remembered(start: Start) -> None:
    controller = start()
    assert controller.theme.tokens.name == "light"
    controller.context.actions.run("window.theme")
    assert controller.theme.tokens.name == "dark"
    assert controller.context.settings.theme == "dark"
    assert controller.window.top.theme_button.accessibleName() == "Light appearance"


def test_the_language_switches_live_and_stays_where_the_user_was(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "detect")
    controller.choose_language("ja")
    settle(qtbot, controller)
    assert controller.window.current == "detect"
    assert controller.window.rail.buttons["documents"].text() != "Documents"
    controller.choose_language("en")
    settle(qtbot, controller)
    assert i18n.current() == "en"
    assert controller.window.rail.buttons["documents"].text() == "Documents"


def test_undo_is_named_in_the_language_that_was_chosen_since(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "detect")
    title = i18n.tr("{words} on {target}", words=state_words("copy")[0], target="essay.txt")
    controller.context.history.push(title, lambda: None, lambda: None)
    for language in ("ja", "zh"):
        controller.choose_language(language)
        settle(qtbot, controller)
        expected = i18n.tr("{words} on {target}", words=state_words("copy")[0], target="essay.txt")
        assert expected != title
        shown = controller.context.actions["edit.undo"].title
        assert shown == i18n.tr("Undo: {title}", title=expected)
    assert controller.context.history.undo() == expected


def test_nothing_is_listed_in_the_old_language_nor_a_project_that_is_not_recent(
    start: Start, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    gone = tmp_path / "gone.palimpsest"
    create(gone)
    controller = start(project, "evaluate", Settings(theme="light", language="en", recent=[str(gone)]))
    window, context = controller.window, controller.context
    window.commands.open_palette()
    assert any(action.title == "Open gone" for action in context.actions)
    palette = window.findChild(Palette)
    assert palette is not None
    palette.reject()
    window.projects.close()
    context.settings.forget(str(gone))
    controller.choose_language("ja")
    settle(qtbot, controller)
    controller.window.commands.open_palette()
    titles = [action.title for action in context.actions]
    assert not [title for title in titles if title.isascii()], titles
    assert not [title for title in titles if "gone" in title]


def test_the_session_comes_back(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents")
    view = controller.window.view("documents")
    assert isinstance(view, DocumentsView)
    view.table.select_keys([3])
    view.choose("source")
    controller.window.close()
    again = start(None, None, settings_file.load())
    view = again.window.view("documents")
    assert isinstance(view, DocumentsView)
    assert again.context.project == project
    assert again.window.current == "documents"
    assert view.table.chosen_keys() == [3]
    assert view.model.rowCount() == 2


def test_shortcuts_are_changed_in_the_dialog_and_kept(start: Start) -> None:
    controller = start()
    controller.context.actions.run("window.keys")
    dialog = controller.window.findChild(KeysDialog)
    assert dialog is not None
    dialog.assign("file.new", "Ctrl+O")
    assert controller.context.settings.shortcuts == {"file.new": "Ctrl+O", "file.open": ""}
    assert "no longer has a shortcut" in dialog.state.text()
    dialog.reset()
    assert controller.context.settings.shortcuts == {}
    dialog.accept()


SHOTS = (("start", "matches"), pytest.param(("documents", "detect"), marks=pytest.mark.rest))


@pytest.fixture(scope="module", params=SHOTS, ids=" and ".join)
def shots(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[list[Path], list[list[int | str]]]:
    """The screenshots that one process took; its exit codes, and the compilers that it loaded."""
    folder = tmp_path_factory.mktemp("shots")
    code = "import sys, json; from pathlib import Path; from workbench.gui.shell.app import run; "
    code += "codes = [run(Path(sys.argv[1]), Path(sys.argv[2]) / f'{v}.png', v) for v in sys.argv[3:]]; "
    code += "print(json.dumps([codes, [m for m in ('numba', 'pydivsufsort') if m in sys.modules]]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(small_case(folder / "case.palimpsest")), str(folder), *request.param],
        capture_output=True,
        text=True,
        timeout=PATIENCE_MS / 1000,
        env=os.environ | {"PALIMPSEST_CONFIG": str(folder / "config"), "PALIMPSEST_DATA": str(folder / "data")},
        check=True,
    )
    return [folder / f"{view}.png" for view in request.param], json.loads(done.stdout.splitlines()[-1])


def test_screenshots_are_pictures_with_content(shots: tuple[list[Path], list[list[int | str]]]) -> None:
    for path in shots[0]:
        image = QImage(str(path))
        assert image.width() == 1440
        colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
        assert len(colours) > 20


def test_the_windows_process_never_loads_the_kernels(shots: tuple[list[Path], list[list[int | str]]]) -> None:
    assert shots[1] == [[0] * len(shots[0]), []]


def test_references_to_none_and_true_are_not_lost(start: Start) -> None:
    # PySide6 6.12 on Python 3.11 drops a reference at every signal; the process dies when the count reaches zero.
    controller = start()
    before = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(600):
        controller.context.notice.emit("", "info")
        controller.window.isVisible()
    after = sys.getrefcount(None), sys.getrefcount(True)
    assert all(now >= then - 200 for then, now in zip(before, after, strict=True))


def test_the_sample_opens_on_its_finished_run_with_one_click_or_two_in_any_language(start: Start, qtbot: QtBot) -> None:
    controller = start()
    controller.context.actions.run("file.sample")
    controller.choose_language("ja")
    controller.context.actions.run("file.sample")
    qtbot.waitUntil(lambda: controller.window.current == "review")
    settle(qtbot, controller)
    assert [record.state for record in controller.context.jobs.records] == ["done"]
    project = controller.context.project
    assert project is not None
    assert project.name == "sample.palimpsest"
    controller.window.projects.close()
    assert controller.window.current == "start"
    controller.context.actions.run("file.sample")
    qtbot.waitUntil(lambda: controller.window.current == "review")
    settle(qtbot, controller)


def test_nothing_of_one_project_is_seen_in_the_next(start: Start, project: Path, tmp_path: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents")
    window = controller.window
    documents = window.view("documents")
    assert isinstance(documents, DocumentsView)
    documents.table.select_keys([2])
    window.show_view("review")
    settle(qtbot, controller)
    other = tmp_path / "other.palimpsest"
    texts = [Document(f"new{n}", "新しい文である。" * 9, role=role, title=f"New {n}") for n, role in enumerate(Role)]
    create(other)
    add_run(other, texts, [(2, 1)], {})
    window.projects.open_path(other)
    settle(qtbot, controller)
    window.show_view("review")
    settle(qtbot, controller)
    review = window.view("review")
    assert isinstance(review, ReviewView)
    assert review.pair.opened is not None
    assert review.pair.opened.a.id == "new1"
    assert not window.banner.isVisible()
    window.projects.open_path(project)
    settle(qtbot, controller)
    settle(qtbot, controller)
    documents = window.view("documents")
    assert isinstance(documents, DocumentsView)
    assert documents.table.chosen_keys() == [2]


def test_a_remembered_pair_that_is_gone_gives_way_to_the_first_suspect(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    settings = Settings(theme="light", language="en", recent=[str(project)])
    settings.views[str(project)] = {"review": {"run": 1, "a": 77, "b": 78}}
    controller = start(project, "review", settings)
    settle(qtbot, controller)
    review = controller.window.view("review")
    assert isinstance(review, ReviewView)
    assert review.pair.opened is not None
    assert not controller.window.banner.isVisible()


@pytest.mark.usefixtures("ahead")
def test_views_are_made_ahead_and_forget_nothing(start: Start, project: Path, qtbot: QtBot) -> None:
    left = {"review": {"run": 1, "threshold": 3.0}}
    settings = Settings(theme="light", language="en", views={str(project): left})
    window = start(project, "documents", settings).window
    qtbot.waitUntil(lambda: all(window.has_view(v.view_id) for v in CATALOGUE))
    window.save_session()
    assert settings.views[str(project)]["review"] == left["review"]
    assert window.current == "documents"


def test_what_nobody_sees_follows_the_theme_soon_and_at_once_when_shown(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project, "documents")
    window, theme = controller.window, controller.context.theme
    jobs, detect = window.view("jobs"), window.view("detect")
    theme.set_mode("dark")
    dark = theme.sheet
    assert window.top.styleSheet() == dark
    # The view is drawn in one piece: not before it follows.
    assert window.view("documents").styleSheet() == dark or not window.view("documents").updatesEnabled()
    qtbot.waitUntil(lambda: window.view("documents").updatesEnabled())
    assert window.view("documents").styleSheet() == dark
    theme.toggle()
    theme.toggle()
    window.show_view("jobs")
    assert jobs.styleSheet() == dark
    assert jobs.updatesEnabled()
    qtbot.waitUntil(lambda: detect.styleSheet() == dark)
    settle(qtbot, controller)


def test_dialogs_of_the_window_wear_its_style_sheet(start: Start, qtbot: QtBot) -> None:
    controller = start()
    controller.window.commands.open_keys()
    dialog = controller.window.findChild(KeysDialog)
    assert dialog is not None
    assert dialog.styleSheet() == controller.context.theme.sheet
    controller.context.theme.set_mode("dark")
    assert dialog.styleSheet() == controller.context.theme.sheet
    dialog.reject()


def test_a_notice_floats_over_the_view_and_moves_nothing(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "documents", Settings(theme="light", language="en"))
    settle(qtbot, controller)
    window = controller.window
    before = window.stack.geometry()
    controller.context.say("One sentence. " * 40, "warn")
    settle(qtbot, controller)
    assert window.banner.isVisible()
    assert window.stack.geometry() == before
    assert window.banner.text.height() >= window.banner.text.heightForWidth(window.banner.text.width())
    window.resize(960, 600)
    settle(qtbot, controller)
    host = window.banner.parentWidget()
    assert host.rect().contains(window.banner.geometry())
    window.show_view("detect")
    settle(qtbot, controller)
    middle = window.banner.mapTo(window, window.banner.rect().center())
    assert window.banner.isAncestorOf(window.childAt(middle)) or window.childAt(middle) is window.banner


def test_a_failing_view_does_not_keep_the_window_open(
    start: Start, project: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(theme="light", language="en")
    controller = start(project, "documents", settings)
    settle(qtbot, controller)
    controller.window.show_view("review")
    settle(qtbot, controller)

    def fail(_view: ReviewView) -> None:
        raise AttributeError("no place")

    monkeypatch.setattr(ReviewView, "save_state", fail)
    monkeypatch.setattr(ReviewView, "flush", fail)
    window = controller.window
    with qtbot.waitSignal(window.closed):
        window.close()
    assert not window.isVisible()
    assert "documents" in settings.views[str(project)]
    wheres = [problem.where for problem in recorder()]
    recorder().clear()
    assert {"review.flush", "review.save_state"} <= set(wheres)


def test_a_remark_goes_with_the_next_command_and_an_error_stays(start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "review")
    window, context = controller.window, controller.window.context
    settle(qtbot, controller)
    context.actions.run("review.previous-suspect")
    assert "first suspect" in window.banner.text.text()
    assert window.banner.isVisible()
    context.actions.run("review.next-suspect")
    settle(qtbot, controller)
    assert "first suspect" not in window.banner.text.text() or not window.banner.isVisible()
    context.say("The disk is full.", "danger")
    context.actions.run("review.sync")
    assert window.banner.isVisible()
    assert window.banner.text.text() == "The disk is full."


def test_it_is_said_once_that_settings_cannot_be_saved(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    controller = start()
    sentences: list[str] = []
    controller.context.notice.connect(lambda sentence, _tone: sentences.append(sentence))

    def refuse(_settings: Settings) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/ann/settings.json")

    monkeypatch.setattr(Settings, "save", refuse)
    for _ in range(2):
        controller.context.actions.run("window.theme")
    assert sentences == [
        "The settings of this window cannot be saved (/ann/settings.json: No space left on device); "
        "they last until it is closed."
    ]
