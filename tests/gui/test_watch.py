"""Watch: adding, checking, removing with undo, and the analysis."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QMenu, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from tests.gui import slow_jobs
from tests.gui.conftest import Start, finished, settle
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document, Role
from workbench.gui.kit.columns import ColumnsModel
from workbench.gui.kit.option_fields import places_text, typed_places
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.screens.watch.view import WatchView
from workbench.gui.shell.app import Controller
from workbench.project.database import locks_of
from workbench.project.documents import add_documents
from workbench.project.watches import begin_check, watches
from workbench.services.session import Session, create
from workbench.services.watching import store
from workbench.services.watching.analysis import Tally
from workbench.services.watching.reads import every_day, read_watches
from workbench.services.watching.settings import WatchSettings

PAGE = "https://copy.example/page"
COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    create(path)
    documents = [
        Document("source", COPIED, Role.SOURCE, title="草枕", published="2026-01-01"),
        Document("page", "はじめに。" + COPIED, Role.SUSPECT, url=PAGE, site="copy.example", published="2026-01-05"),
    ]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)
    return path


def opened(start: Start, path: Path) -> tuple[Controller, WatchView]:
    controller = start(path, "watch")
    view = controller.window.view("watch")
    assert isinstance(view, WatchView)
    return controller, view


def added(controller: Controller, view: WatchView, qtbot: QtBot, name: str = "mine") -> None:
    controller.context.actions.run("watch.add")
    dialog = view.changing.dialog
    assert dialog is not None
    dialog.name.setText(name)
    dialog.save.click()
    settle(qtbot, controller)


def test_a_watch_is_added_and_taken_back(start: Start, case: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, case)
    assert not view.watches.watches
    added(controller, view, qtbot)
    assert [w.name for w in view.watches.watches] == ["mine"]
    assert view.watch() is not None
    assert "imported suspects" in view.detail.about.text()
    controller.context.history.undo()
    settle(qtbot, controller)
    assert not view.watches.watches
    controller.context.history.redo()
    settle(qtbot, controller)
    assert [w.name for w in view.watches.watches] == ["mine"]
    sentences: list[str] = []
    controller.context.undoable.connect(sentences.append)
    controller.context.actions.run("watch.remove")
    settle(qtbot, controller)
    assert not view.watches.watches
    assert sentences == ["The watch mine was removed."]
    controller.context.history.undo()
    settle(qtbot, controller)
    assert [w.name for w in view.watches.watches] == ["mine"]
    # A dialog without a name, or with that of another watch, stays and says why.
    controller.context.actions.run("watch.add")
    dialog = view.changing.dialog
    assert dialog is not None
    for name, problem in (("  ", "Give the watch a name."), ("mine", "mine")):
        dialog.name.setText(name)
        dialog.save.setFocus()
        dialog.save.click()
        assert dialog.isVisible()
        assert problem in dialog.problem.text()
        # What was typed may stay; a name must be typed.
        assert (dialog.focusWidget() is dialog.name) == (name.strip() == "")
    # Each method has its own options.
    methods, own = dialog.fields["method"], dialog.form.values()
    assert own is not None
    at = methods.currentIndex()
    methods.setCurrentIndex((at + 1) % methods.count())
    other = dialog.form.values()
    assert other is not None
    assert other.keys() != own.keys()
    methods.setCurrentIndex(at)
    assert dialog.form.values() == own
    dialog.reject()
    controller.context.actions.run("watch.change")
    dialog = view.changing.dialog
    assert dialog is not None
    assert (dialog.name.text(), dialog.name.isEnabled()) == ("mine", False)
    before = dialog.settings()
    dialog.fields["places"].setPlainText("https://a.example/one")
    dialog.save.click()
    settle(qtbot, controller)

    def places() -> int:
        (watch,) = view.watches.watches
        return len(WatchSettings.from_dict(watch.settings).places)

    assert len(before.places) == 0
    assert places() > 0
    controller.context.history.undo()
    settle(qtbot, controller)
    assert places() == 0
    controller.context.history.redo()
    settle(qtbot, controller)
    assert places() > 0
    assert "a.example" in view.detail.about.text()


def test_due_watches_are_checked_until_the_project_is_closed_in_any_language(
    start: Start, case: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, case)
    view.automatic.setChecked(True)
    for language, on in (("ja", True), ("en", False)):
        if not on:
            controller.window.projects.close()
            controller.window.projects.open_path(case)
            settle(qtbot, controller)
        controller.choose_language(language)
        controller.window.show_view("watch")
        settle(qtbot, controller)
        again = controller.window.view("watch")
        assert isinstance(again, WatchView)
        assert again.automatic.isChecked() == again._timer.isActive() == on
        assert not again.private.isChecked()


def test_a_check_reports_once_and_the_analysis_counts_it(start: Start, case: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, case)
    added(controller, view, qtbot)
    for reported in (1, 0):
        view.check_now()
        qtbot.waitUntil(lambda: not view._checking)
        settle(qtbot, controller)
        watch = view.watch()
        assert watch is not None
        assert view.watches.checks[watch.id][0].reported == reported
    qtbot.waitUntil(lambda: view.detail.matches.model().rowCount() == 1)
    qtbot.waitUntil(lambda: view.analysis.sources.model().rowCount() == 1)
    source = view.analysis.sources.model()
    assert [source.index(0, i).data() for i in range(5)] == ["草枕", "1", "1", str(len(COPIED)), "4.0"]
    assert view.analysis.sites.model().index(0, 0).data() == "copy.example"
    assert view.analysis.sources.isVisibleTo(view.analysis)
    assert view.analysis.sites.isVisibleTo(view.analysis)
    assert view.analysis.passages.model().index(0, 0).data() == COPIED
    assert "not listed" not in view.analysis.answer.text()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.services.watching.reads._PASSAGES", 0)
        view.load()
        qtbot.waitUntil(lambda: view.analysis.answer.text().endswith(" · 1 more passage is not listed"))
        settle(qtbot, controller)
    requested: list[tuple[object, ...]] = []
    view.detail.opened.connect(lambda *keys: requested.append(keys))
    matches = view.detail.matches.model()
    assert isinstance(matches, ColumnsModel)
    view.detail.matches.opened.emit(matches.key_at(0))
    assert requested == [(1, 2, 1, (5, 5 + len(COPIED), 0, len(COPIED)))]
    assert [matches.index(0, at).data() for at in range(1, 4)] == ["草枕", "whole copy", "100 %"]


def test_case_and_verdict_are_the_same_in_watch_and_in_review(start: Start, case: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, case)
    added(controller, view, qtbot)
    view.check_now()
    qtbot.waitUntil(lambda: not view._checking)
    matches = view.detail.matches.model()
    assert isinstance(matches, ColumnsModel)
    qtbot.waitUntil(lambda: matches.rowCount() == 1)
    view.detail.matches.opened.emit(matches.key_at(0))
    review = controller.window.view("review")
    assert isinstance(review, ReviewView)
    qtbot.waitUntil(lambda: review.page_case.standing is not None)
    settle(qtbot, controller)
    assert review.suspects.case.text_whole().split(" · ")[0] == "Case: new"
    controller.context.actions.run("review.case")
    by_key = review.page_case.dialog
    assert by_key is not None
    by_key.reject()
    review.suspects.case.click()
    dialog = review.page_case.dialog
    assert dialog is not None
    assert dialog is not by_key
    dialog.about.setCurrentIndex(1)
    dialog.state.setCurrentIndex(dialog.state.findData("notice sent"))
    dialog.note.setText("by letter")
    dialog._give()
    qtbot.waitUntil(lambda: review.suspects.case.text_whole().split(" · ")[0] == "Case: notice sent (site)")
    assert "by letter" in review.suspects.case.toolTip()
    controller.context.actions.run("review.verdict-copy")
    settle(qtbot, controller)
    controller.context.show_view("watch")
    settle(qtbot, controller)
    qtbot.waitUntil(lambda: matches.index(0, 7).data() == "Copy")
    assert matches.index(0, 6).data() == "notice sent (site)"
    view.detail.matches.select_keys([0])
    assert "by letter" in view.detail.past.text()
    for _ in range(2):
        controller.context.history.undo()
        settle(qtbot, controller)
    qtbot.waitUntil(lambda: [matches.index(0, at).data() for at in (6, 7)] == ["new", ""])


def test_the_chosen_match_and_the_note_typed_for_it_outlast_a_change(start: Start, case: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, case)
    added(controller, view, qtbot)
    view.check_now()
    qtbot.waitUntil(lambda: not view._checking)
    detail = view.detail
    qtbot.waitUntil(lambda: detail.matches.model().rowCount() == 1)
    settle(qtbot, controller)
    assert not detail.case.isEnabled()
    detail.matches.select_keys([0])
    qtbot.keyClicks(detail.note, "by letter")
    controller.context.announce({"labels"})
    settle(qtbot, controller)
    assert detail.finding() is not None
    assert detail.note.text() == "by letter"
    parts = {part.text(): part.menu() for part in detail.case.menu().actions()}
    assert list(parts) == ["This page", "This site"]
    page = parts["This page"]
    assert isinstance(page, QMenu)
    next(state for state in page.actions() if state.text() == "notice sent").trigger()
    settle(qtbot, controller)
    finding = detail.finding()
    assert finding is not None
    notice = finding.standing.case
    assert (notice.state, notice.note, notice.of_site) == ("notice sent", "by letter", False)
    controller.context.history.undo()
    settle(qtbot, controller)
    assert detail.note.text() == ""


def test_due_watches_are_checked_while_the_window_is_open(start: Start, case: Path, qtbot: QtBot) -> None:
    with Session(case) as session:
        store.add(session, "due", WatchSettings())
    controller, view = opened(start, case)
    view.automatic.setChecked(True)
    qtbot.waitUntil(lambda: bool(view._checking))
    qtbot.waitUntil(lambda: not view._checking)
    settle(qtbot, controller)
    assert view.watches.checks[1][0].reported == 1
    view.automatic.setChecked(False)


def test_what_cannot_be_watched_is_reported_in_the_dialog(start: Start, case: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, case)
    controller.context.actions.run("watch.add")
    dialog = view.changing.dialog
    assert dialog is not None
    dialog.save.click()
    assert "name" in dialog.problem.text()
    dialog.name.setText("mine")
    dialog.fields["places"].setPlainText("file:///etc/passwd")
    dialog.save.click()
    assert "file:///etc/passwd is not an http or https address" in dialog.problem.text()
    dialog.reject()
    assert not view.watches.watches


def test_places_are_typed_one_a_line() -> None:
    places = (
        PageSource(PlaceKind.URL, "https://a.example/"),
        PageSource(PlaceKind.FEED, "https://b.example/feed"),
        PageSource(PlaceKind.SITEMAP, "https://c.example/map.xml"),
    )
    assert typed_places(places_text(places)) == places
    assert typed_places("\n  page https://a.example/ \n\nhttps://a.example/\n") == places[:1]


def test_days_between_are_shown_without_matches() -> None:
    tallies = [Tally("2026-03-01", "", 2, 1, 40, known=1), Tally("2026-02-27", "", 4, 1, 80)]
    days = [(d.name, d.copies, d.known) for d in every_day(tallies)]
    assert days == [("2026-02-27", 4, 0), ("2026-02-28", 0, 0), ("2026-03-01", 2, 1)]
    assert every_day([]) == []


def test_a_watch_says_what_differs_from_the_defaults_and_that_it_was_never_checked(
    start: Start, case: Path, qtbot: QtBot
) -> None:
    with Session(case) as session:
        store.add(session, "mine", WatchSettings(method="digest", parameters={"min_run": 4, "compare": "all"}))
    _, view = opened(start, case)
    assert "Minimum run 4" in view.detail.about.text()
    assert "min_segment" not in view.detail.about.text()
    assert not view.detail.never.isHidden()


def test_a_check_under_way_is_shown_and_not_started_twice(start: Start, case: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, case)
    added(controller, view, qtbot)
    controller.context.actions.run("watch.check")
    assert view.detail.buttons[2].text().strip() == "Checking…"
    assert not view.detail.buttons[2].isEnabled()
    assert not controller.context.actions.offered("watch.check")
    finished(qtbot, controller)
    assert view.detail.buttons[2].text().strip() == "Check now"
    assert view.detail.never.isHidden()


def test_a_check_is_running_as_long_as_a_process_is_at_it_and_interrupted_otherwise(
    start: Start, case: Path, qtbot: QtBot
) -> None:
    with Session(case) as session:
        store.add(session, "mine", WatchSettings())
        with session.write() as connection:
            (watch,) = watches(connection)
            begin_check(connection, watch.id)
    _, view = opened(start, case)
    assert view.detail.checks.model().index(0, 7).data() == "Interrupted"
    page = view.detail.matches.model().index(-1, 0)
    option = QStyleOptionViewItem()
    view.detail.matches.itemDelegateForColumn(0).initStyleOption(option, page)  # type: ignore[attr-defined]
    assert option.textElideMode is Qt.TextElideMode.ElideMiddle
    with Session(case) as session:
        with session.write() as connection:
            locks_of(connection).hold(f"watch-{watch.id}")
        assert read_watches(session).running == {watch.id}
        with session.write() as connection:
            locks_of(connection).retire(f"watch-{watch.id}")
        assert read_watches(session).running == frozenset()


def test_a_check_continues_in_a_window_of_another_language(
    start: Start, case: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, view = opened(start, case)
    added(controller, view, qtbot)
    monkeypatch.setattr("workbench.gui.screens.watch.view.check_and_tell", slow_jobs.endless)
    controller.context.actions.run("watch.check")
    controller.choose_language("ja")
    settle(qtbot, controller)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    again = controller.window.view("watch")
    assert isinstance(again, WatchView)
    assert not controller.context.actions.offered("watch.check")
    assert not again.detail.buttons[2].isEnabled()
    controller.context.jobs.cancel(controller.context.jobs.records[0].id)
    qtbot.waitUntil(lambda: controller.context.actions.offered("watch.check"))
    settle(qtbot, controller)
    assert again.detail.buttons[2].isEnabled()


def test_a_name_that_is_taken_keeps_the_dialog_with_what_was_typed(start: Start, case: Path, qtbot: QtBot) -> None:
    controller, view = opened(start, case)
    added(controller, view, qtbot)
    controller.context.actions.run("watch.add")
    dialog = view.changing.dialog
    assert dialog is not None
    dialog.fields["places"].setPlainText(PAGE)
    dialog.name.setText(" mine")
    dialog.save.click()
    assert dialog.isVisible()
    assert dialog.problem.text() == "There is already a watch called mine."
    assert dialog.fields["places"].toPlainText() == PAGE
    dialog.name.setText("second")
    dialog.save.click()
    settle(qtbot, controller)
    view.load()
    settle(qtbot, controller)
    chosen = view.watch()
    assert chosen is not None
    assert chosen.name == "second"


@pytest.mark.parametrize("name", ["places", "own"])
def test_the_examples_in_the_fields_of_a_new_watch_are_seen_whole(start: Start, case: Path, name: str) -> None:
    controller, view = opened(start, case)
    controller.context.actions.run("watch.add")
    assert view.changing.dialog is not None
    field = view.changing.dialog.fields[name]
    lines = field.placeholderText().count("\n") + 1
    assert (
        lines * field.fontMetrics().lineSpacing() + 2 * field.document().documentMargin() <= field.viewport().height()
    )


def test_settings_of_a_method_are_there_again_after_another_was_looked_at(
    start: Start, case: Path, qtbot: QtBot
) -> None:
    controller, view = opened(start, case)
    controller.context.actions.run("watch.add")
    dialog = view.changing.dialog
    assert dialog is not None
    methods = dialog.fields["method"]
    assert methods.currentData() == "digest"
    dialog.form.set_values({"min_run": 7})
    for name in ("initials", "digest"):
        methods.setCurrentIndex(methods.findData(name))
    values = dialog.form.values()
    assert values is not None
    assert values["min_run"] == 7
    dialog.reject()
