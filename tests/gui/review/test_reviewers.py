"""Several reviewers: no verdict replaces another's, conflicts are listed and settled, suspects are closed apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from review_case import ROWS, build, opened, settled

from tests.gui.conftest import double_click
from workbench.base.types import Document, Role
from workbench.gui.judging.verdicts import become, viewer
from workbench.gui.screens.review.actions import reviewer_menu
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.project.documents import add_documents, delete_documents
from workbench.project.imports import begin_batch
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.judgement import CONFLICT
from workbench.services.review.overview import read_overview
from workbench.services.review.pairs import open_pair
from workbench.services.review.verdicts import Unit, give_verdict, judgement_of
from workbench.services.session import Session


def act(qtbot: QtBot, review: ReviewView, *names: str) -> None:
    for name in names:
        review.context.actions.run(f"review.{name}")
        settled(qtbot, review)


def switch(qtbot: QtBot, review: ReviewView, name: str, *, blind: bool = False) -> None:
    become(review.context, name, blind=blind)
    qtbot.waitUntil(lambda: review.overview.viewer.name == name and review.overview.viewer.blind == blind)
    settled(qtbot, review)


def verdicts(review: ReviewView) -> list[tuple[str, str]]:
    """Reviewer and verdict on the shown match, as stored."""
    pair, session = review.pair.opened, review.context.session
    assert pair is not None
    assert session is not None
    judgement = open_pair(session, 1, pair.a.key, pair.b.key).judgements[review.pair.active]
    return [] if judgement is None else [(label.who, label.value) for label in judgement.verdicts]


def pressed(review: ReviewView) -> list[str]:
    return [name for name, button in review.evidence.verdict.buttons.items() if button.isChecked()]


def test_verdicts_on_passages_leave_the_suspect_open_and_its_own_verdict_closes_it(
    qtbot: QtBot, review: ReviewView
) -> None:
    act(qtbot, review, "verdict-copy")
    model, panel = review.suspects.model, review.suspects
    assert panel._progress.text() == "1 of 4 judged · 1 copy"
    assert (model.item(0).state, model.state_counts()["open"], model.state_counts()["copy"]) == ("open", 2, 0)
    act(qtbot, review, "decide-partial")
    assert (model.item(0).state, model.state_counts()["open"], model.state_counts()["partial"]) == ("partial", 1, 1)
    assert panel.verdict.reviewer.text() == (viewer(review.context).name or "no name")
    assert panel.verdict.buttons["partial"].isChecked()
    assert review.context.history.undo_title() == "Partial on 題 s1"
    review.context.history.undo()
    settled(qtbot, review)
    assert model.item(0).state == "open"
    assert not panel.verdict.buttons["partial"].isChecked()
    assert verdicts(review) == [("A. Reader", "copy")]


def test_what_was_said_of_a_suspect_is_shown_where_nothing_holds(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    path = tmp_path / "case.palimpsest"
    build(path, ROWS, {})
    with Session(path) as session:
        with session.write() as connection:
            delete_documents(connection, [1])
            add_documents(connection, [Document("s1", "Another text.", Role.SUSPECT)], begin_batch(connection))
        for name in ("s1", "s2"):
            give_verdict(session, Unit(name), "copy", "", "Ann")
    review = opened(qtbot, context, path)
    panel = review.suspects.verdict
    settled(qtbot, review)
    qtbot.waitUntil(lambda: panel.history.isVisibleTo(panel))
    assert "Copy · Ann · another version" in panel.history._lines.text()
    assert not panel.others.isVisibleTo(panel)
    act(qtbot, review, "next-suspect")
    qtbot.waitUntil(lambda: not panel.history.isVisibleTo(panel))


def test_the_note_of_a_suspect_is_kept_with_its_verdict(qtbot: QtBot, review: ReviewView) -> None:
    panel = review.suspects.verdict
    act(qtbot, review, "decide-undecided")
    panel.note.setPlainText("ask the author")
    act(qtbot, review, "next-suspect", "previous-suspect")
    qtbot.waitUntil(lambda: panel.note.toPlainText() == "ask the author")
    assert panel.buttons["undecided"].isChecked()
    assert review.context.session is not None
    (first, _) = listed_suspects(review.context.session, read_overview(review.context.session, 1))
    assert first.decision is not None
    assert (first.decision.value, first.decision.label.note) == ("undecided", "ask the author")


def test_a_second_reviewers_verdict_stands_beside_the_first_and_a_conflict_is_listed(
    qtbot: QtBot, review: ReviewView
) -> None:
    act(qtbot, review, "verdict-copy")
    switch(qtbot, review, "B. Reader")
    assert pressed(review) == []
    others = review.evidence.verdict.others
    assert "A. Reader · Copy" in others._lines[0].text()
    act(qtbot, review, "verdict-not-copy")
    assert verdicts(review) == [("A. Reader", "copy"), ("B. Reader", "not-copy")]
    assert pressed(review) == ["not-copy"]
    assert others.conflict.text().startswith("The verdicts differ. Which one is right?")
    # One of those who differ is told that a report says so.
    assert "one of those who disagreed" in others.conflict.text()
    assert review.overview.judged is not None
    assert list(review.overview.judged.values().values()) == [CONFLICT]
    assert review.suspects.model.state_counts()[CONFLICT] == 1
    review.suspects.set_state(CONFLICT)
    assert [review.suspects.model.key_at(at) for at in range(review.suspects.model.rowCount())] == [1]
    review.context.history.undo()
    settled(qtbot, review)
    assert verdicts(review) == [("A. Reader", "copy")]


def test_a_conflict_is_settled_beside_the_verdicts_and_left_open_again_by_undo(
    qtbot: QtBot, review: ReviewView
) -> None:
    act(qtbot, review, "verdict-copy")
    refused: list[str] = []
    review.context.actions.refused.connect(refused.append)
    act(qtbot, review, "settle-copy")
    assert refused == ["Settle as: Copy: Only verdicts that differ can be settled."]
    switch(qtbot, review, "B. Reader")
    act(qtbot, review, "verdict-not-copy")
    switch(qtbot, review, "C. Reader")
    act(qtbot, review, "settle-partial", "settle-partial")
    assert verdicts(review) == [("A. Reader", "copy"), ("B. Reader", "not-copy")]
    assert review.overview.judged is not None
    assert list(review.overview.judged.values().values()) == ["partial"]
    assert "Settled as Partial · C. Reader" in review.evidence.verdict.others.result.text()
    assert pressed(review) == []
    review.context.history.undo()
    settled(qtbot, review)
    assert list(review.overview.judged.values().values()) == [CONFLICT]
    chip = review.evidence.verdict.others.buttons["copy"]
    for value in ("copy", CONFLICT):
        double_click(qtbot, chip)
        settled(qtbot, review)
        assert list(review.overview.judged.values().values()) == [value]


def test_a_blind_reviewer_sees_nothing_of_others_until_judging(qtbot: QtBot, review: ReviewView) -> None:
    act(qtbot, review, "verdict-copy", "decide-copy")
    switch(qtbot, review, "B. Reader", blind=True)
    judged = review.overview.judged
    assert judged is not None
    assert judged.values() == {}
    assert review.suspects.model.item(0).state == "open"
    assert review.suspects._progress.text() == "0 of 4 judged"
    assert all(line.isHidden() for line in review.evidence.verdict.others._lines)
    assert review.evidence.verdict.history.isHidden()
    act(qtbot, review, "verdict-not-copy")
    assert list(review.overview.judged.values().values()) == [CONFLICT]  # type: ignore[union-attr]
    assert "A. Reader · Copy" in review.evidence.verdict.others._lines[0].text()
    assert review.suspects.model.item(0).state == "open"
    switch(qtbot, review, "B. Reader")
    assert review.suspects.model.item(0).state == "copy"


def test_the_menu_of_reviewers_names_those_of_the_project_and_switches_to_one(qtbot: QtBot, review: ReviewView) -> None:
    notices: list[str] = []
    review.context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    act(qtbot, review, "verdict-copy")
    switch(qtbot, review, "Ben & Co")

    def entries() -> dict[str, bool]:
        menu = reviewer_menu(review.context, review)
        marks = {action.text(): action.isChecked() for action in menu.actions() if action.isCheckable()}
        menu.close()
        return marks

    blind = "Blind review on or off"
    # An ampersand in a name is not a mnemonic.
    assert entries() == {"A. Reader": False, "Ben && Co": True, blind: False}
    menu = reviewer_menu(review.context, review)
    menu.actions()[0].trigger()
    menu.close()
    qtbot.waitUntil(lambda: review.overview.viewer.name == "A. Reader")
    assert notices == ["A. Reader is now the reviewer."]
    act(qtbot, review, "blind")
    assert entries()[blind]
    act(qtbot, review, "blind", "advance", "advance")
    assert notices[1:] == [
        "Blind review: others' verdicts are hidden until you have judged.",
        "Other reviewers' verdicts are shown.",
        "After a verdict, the next passage without one is shown.",
        "After a verdict, the passage stays.",
    ]


def test_the_history_prints_a_withdrawn_verdict_as_withdrawn(qtbot: QtBot, review: ReviewView) -> None:
    act(qtbot, review, "verdict-copy", "clear")
    lines = review.evidence.verdict.history._lines.text().splitlines()
    assert [line.split("  ")[1] for line in lines] == ["Copy withdrawn · A. Reader", "Copy · A. Reader"]


def test_reviewers_differ_on_a_suspect_and_it_stays_open(qtbot: QtBot, review: ReviewView) -> None:
    assert review.context.session is not None
    act(qtbot, review, "decide-copy")
    give_verdict(review.context.session, Unit("s1"), "not-copy", who="B. Reader")
    review.context.announce({"labels"})
    settled(qtbot, review)
    model = review.suspects.model
    assert (model.item(0).state, model.state_counts()[CONFLICT], model.state_counts()["open"]) == ("open", 1, 2)
    review.suspects.verdict.others.buttons["copy"].click()
    settled(qtbot, review)
    assert model.item(0).state == "copy"
    judgement = judgement_of(review.context.session, Unit("s1"))
    assert judgement is not None
    assert [label.value for label in judgement.verdicts] == ["copy", "not-copy"]


KEYS = {"1": Qt.Key.Key_1, "3": Qt.Key.Key_3}


@pytest.mark.parametrize(("passages", "conflicts", "most"), [(3, 0, 7), (8, 1, 12)])
def test_a_finished_run_is_a_report_in_few_keys(
    qtbot: QtBot,
    context: AppContext,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    passages: int,
    conflicts: int,
    most: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """From a finished run to the report: each passage judged, a conflict settled, the suspect decided."""
    rows = [(1, 3 + at % 2, 60 * at, 60 * at + 40, 60 * at, 60 * at + 40, 40.0, 0) for at in range(passages)]
    path = tmp_path / "case.palimpsest"
    build(path, rows, {})
    requested: list[str] = []
    monkeypatch.setattr(
        "workbench.gui.screens.review.reporting.Reporter.ask", lambda _self, kind, _o: requested.append(kind)
    )
    context.settings.advance = True
    review = opened(qtbot, context, path)
    context.actions.attach(review)
    review.activateWindow()
    assert context.session is not None
    view = open_pair(context.session, 1, 1, 3)
    for match in list(view.matches)[:conflicts]:
        give_verdict(context.session, Unit("s1", "t1", (match.a_span, match.b_span)), "not-copy", who="B. Reader")
    keys = 0

    def key(code: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        nonlocal keys
        keys += 1
        qtbot.keyClick(review.pair.left, code, modifiers)
        settled(qtbot, review)

    for _ in range(passages):
        key(Qt.Key.Key_1)
    for _ in range(conflicts):
        assert review.overview.judged is not None
        assert review.verdicts.current() is not None
        assert review.verdicts.current().conflict  # type: ignore[union-attr]
        key(Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier)
    key(Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert requested == ["suspect"]
    keys += 1  # Return saves under the name that is proposed.
    (row,) = listed_suspects(context.session, read_overview(context.session, 1))
    assert row.decision is not None
    assert (row.decision.value, row.verdicts) == ("copy", {"copy": passages})
    with capsys.disabled():
        print(f"\n{passages} passages, {conflicts} conflicts: {keys} keys from a finished run to a report")
    assert keys <= most


def opened_on_the_next(qtbot: QtBot, context: AppContext, folder: Path) -> ReviewView:
    """Review of a new project in ``folder``, where a verdict leads to the next passage."""
    path = folder / "case.palimpsest"
    build(path, ROWS, {})
    context.settings.advance = True
    return opened(qtbot, context, path)


def test_after_a_verdict_the_next_passage_without_one_is_shown(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    review = opened_on_the_next(qtbot, context, tmp_path)
    sentences: list[str] = []
    context.notice.connect(lambda sentence, _tone: sentences.append(sentence))
    places = []
    act(qtbot, review, "next")
    for _ in range(4):
        act(qtbot, review, "verdict-copy")
        assert review.pair.outline is not None
        places.append(review.pair.outline.place_of(review.pair.active))
    assert places == [2, 3, 0, 0]
    assert sentences == [
        "All passages of this suspect are judged. The suspect itself has no verdict yet. Next suspect: Alt+PgDown."
    ]
    review.context.history.undo()
    settled(qtbot, review)
    assert verdicts(review) == []


def test_the_key_of_the_last_verdict_pressed_again_undoes_nothing(
    qtbot: QtBot, context: AppContext, tmp_path: Path
) -> None:
    review = opened_on_the_next(qtbot, context, tmp_path)
    act(qtbot, review, *["verdict-copy"] * 4)
    sentences: list[str] = []
    context.notice.connect(lambda sentence, _tone: sentences.append(sentence))
    after = review.suspects.model.item(0).verdict_counts
    assert after == (("copy", 4),)
    act(qtbot, review, "verdict-copy", "decide-copy", "decide-copy", "verdict-copy")
    assert review.suspects.model.item(0).verdict_counts == after
    assert review.suspects.model.item(0).state == "copy"
    assert sentences[0].startswith("All passages of this suspect are judged. The suspect itself has no verdict yet.")
    assert sentences[-1] == "This suspect and all its passages are judged. Next suspect: Alt+PgDown."
    act(qtbot, review, "clear")
    assert review.suspects.model.item(0).verdict_counts == (("copy", 3),)


def test_filtering_opens_the_first_suspect_left_and_clearing_comes_back(qtbot: QtBot, review: ReviewView) -> None:
    def chosen() -> list[str]:
        return [state for state, chip in review.suspects.chips.items() if chip.isChecked()]

    # At first all suspects are listed, and the chip says so.
    assert chosen() == [""]
    review.suspects.chips["open"].click()
    assert chosen() == ["open"]
    review.suspects.chips[""].click()
    assert chosen() == [""]
    review.suspects.filter.setText("s2")
    qtbot.waitUntil(lambda: review.pair.opened is not None and review.pair.opened.a.id == "s2")
    settled(qtbot, review)
    review.suspects.filter.setText("")
    qtbot.waitUntil(lambda: review.pair.opened is not None and review.pair.opened.a.id == "s1")
    settled(qtbot, review)
    assert review.suspects.current_key() == 1


def test_conflicts_are_gone_through_and_listed_in_the_table(qtbot: QtBot, review: ReviewView) -> None:
    session = review.context.session
    assert session is not None
    sentences: list[str] = []
    review.context.notice.connect(lambda sentence, _tone: sentences.append(sentence))
    act(qtbot, review, "conflict")
    assert sentences == ["No verdicts differ in this run."]
    for pair in ((1, 3), (2, 4)):
        view = open_pair(session, 1, *pair)
        match = view.matches.row(len(view.matches) - 1)
        unit = Unit(view.a.id, view.b.id, (match.a_span, match.b_span))
        give_verdict(session, unit, "copy", who="A. Reader")
        give_verdict(session, unit, "not-copy", who="B. Reader")
    review.context.announce({"labels"})
    settled(qtbot, review)
    places = []
    for _ in range(3):
        act(qtbot, review, "conflict")
        assert review.pair.opened is not None
        places.append((review.pair.opened.a.id, review.pair.active))
    assert places == [("s1", 2), ("s2", 0), ("s1", 2)]
    act(qtbot, review, "table")
    assert review.table.conflicts.text() == "Conflict 2"
    review.table.conflicts.click()
    assert review.table.model.rowCount() == 2
    review.table.conflicts.click()
    assert review.table.model.rowCount() == 5


def test_f8_goes_to_a_suspect_whose_own_verdicts_differ_after_its_passages(qtbot: QtBot, review: ReviewView) -> None:
    session = review.context.session
    assert session is not None
    sentences: list[str] = []
    review.context.notice.connect(lambda sentence, _tone: sentences.append(sentence))
    view = open_pair(session, 1, 2, 4)
    match = view.matches.row(0)
    for unit in (Unit("s2"), Unit("s2", "t2", (match.a_span, match.b_span))):
        give_verdict(session, unit, "copy", who="A. Reader")
        give_verdict(session, unit, "not-copy", who="B. Reader")
    review.context.announce({"labels"})
    settled(qtbot, review)
    for times in (0, 1, 1, 2):
        act(qtbot, review, "conflict")
        assert review.pair.opened is not None
        assert review.pair.opened.a.id == "s2"
        assert sum("“題 s2” itself differ" in sentence for sentence in sentences) == times
        assert "No verdicts differ in this run." not in sentences
    assert review.suspects.verdict.others.conflict.isVisibleTo(review.suspects)
