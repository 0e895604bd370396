"""Labelling in the window: keys, undo, the way back, what is on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, double_click, settle
from tests.gui.shown import shown
from workbench.base.errors import UserError
from workbench.base.types import Document, DocumentScore, Label, Results, Role
from workbench.gui.kit.figures import FigureBar
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.screens.label.view import LabelView
from workbench.gui.shell.app import Controller
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.documents import add_documents, delete_documents
from workbench.project.listing import keys_of
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.detecting.runs import detect
from workbench.services.labels.batches import assign
from workbench.services.labels.definitions import LabelSet, Value, save_set
from workbench.services.labels.export import export_rows
from workbench.services.labels.label_state import give
from workbench.services.labels.queue import NamedOrder, Order, share_of
from workbench.services.session import Session, create


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    """Six suspects; the last two have the same text."""
    path = tmp_path / "entries.palimpsest"
    create(path)
    texts = [f"Entry number {n} says something of its own." for n in range(5)]
    with Session(path) as session, session.write() as connection:
        documents = [Document(f"e{n}", text, Role.SUSPECT) for n, text in enumerate([*texts, texts[4]])]
        add_documents(connection, documents)
    return path


def stored(path: Path, label_set: str = "class") -> dict[str, dict[str, str]]:
    """Values on disk: document, annotator, value."""
    with Session(path, write=False) as session, session.read() as connection:
        labels_of = labels.by_annotator(connection, label_set)
    return {
        target.removeprefix("document:"): {who: label.value for who, label in by.items()}
        for target, by in labels_of.items()
    }


class Hands:
    """A user at the Label screen."""

    def __init__(self, qtbot: QtBot, controller: Controller) -> None:
        self.qtbot, self.controller = qtbot, controller
        self.window = controller.window
        view = self.window.view("label")
        assert isinstance(view, LabelView)
        self.view = view

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.qtbot.keyClick(self.window.focusWidget() or self.window, key, modifier)
        self.settle()

    def settle(self) -> None:
        settle(self.qtbot, self.controller)

    @property
    def labels(self) -> LabelSession:
        """The screen's, which is another one after the project was read again."""
        assert self.view.label_session is not None
        return self.view.label_session

    @property
    def shown(self) -> str:
        item = self.view.labeller.item
        return "" if item is None else item.target.removeprefix("document:")


@pytest.fixture
def hands(start: Start, entries: Path, qtbot: QtBot) -> Hands:
    controller = start(entries, "label")
    user = Hands(qtbot, controller)
    qtbot.waitExposed(user.window)
    user.view.switch("ann")
    user.settle()
    return user


def test_a_key_labels_the_entry_and_shows_the_next(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    assert stored(entries) == {first: {"ann": "blog"}}
    assert hands.shown not in ("", first)


def test_no_line_is_drawn_above_the_tabs_beside_the_entry(hands: Hands) -> None:
    picture = hands.view.side.tabs.grab().toImage()
    edge = {picture.pixelColor(x, y).name() for y in range(3) for x in range(picture.width())}
    assert len(edge) == 1


@pytest.mark.parametrize("modes", [("settle", ""), ("settle", "agreement", "")])
def test_a_look_at_what_is_to_be_settled_does_not_lose_the_place(hands: Hands, modes: tuple[str, ...]) -> None:
    for _ in range(3):
        hands.press(Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    place = hands.shown
    for mode in modes:
        hands.view.set_mode(mode)
        hands.settle()
        if mode == "settle":
            assert hands.view.save_state()["target"] == f"document:{place}"
    assert hands.shown == place


def test_the_way_back_and_the_list_show_the_entries_first(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    for key in (Qt.Key.Key_L, Qt.Key.Key_Backspace):
        hands.view.set_mode("agreement")
        hands.settle()
        hands.press(key, Qt.KeyboardModifier.ControlModifier)
        assert hands.view.queue.table.isVisible()
    assert hands.shown == first


def test_a_value_that_asks_for_a_type_waits_for_its_key(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_S)
    assert hands.shown == first
    assert stored(entries) == {}
    hands.press(Qt.Key.Key_2)
    assert stored(entries) == {first: {"ann": "splog"}}
    assert stored(entries, "kind") == {first: {"ann": "mail magazine"}}
    assert hands.shown != first


def test_ctrl_enter_submits_without_a_type(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_S)
    hands.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert stored(entries) == {first: {"ann": "splog"}}
    assert stored(entries, "kind") == {}


def test_a_value_that_is_replaced_before_its_type_is_named(hands: Hands, entries: Path) -> None:
    notices: list[str] = []
    hands.controller.context.notice.connect(lambda sentence, _tone: notices.append(sentence))
    first = hands.shown
    hands.press(Qt.Key.Key_S)
    hands.press(Qt.Key.Key_B)
    assert stored(entries) == {first: {"ann": "blog"}}
    assert [sentence for sentence in notices if "splog was still waiting" in sentence and first in sentence]
    notices.clear()
    for key in (Qt.Key.Key_S, Qt.Key.Key_2, Qt.Key.Key_U):
        hands.press(key)
    assert notices == []


def test_another_value_takes_the_type_back(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_S)
    hands.press(Qt.Key.Key_3)
    hands.press(Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier)
    assert hands.shown == first
    hands.press(Qt.Key.Key_B)
    assert stored(entries) == {first: {"ann": "blog"}}
    assert stored(entries, "kind") == {}


def test_undo_takes_every_label_back_and_redo_gives_them_again(hands: Hands, entries: Path) -> None:
    order = []
    for _ in range(6):
        order.append(hands.shown)
        hands.press(Qt.Key.Key_U)
    assert hands.shown == ""
    assert len(stored(entries)) == 6
    for name in reversed(order):
        hands.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert hands.shown == name
        assert hands.view.queue.chosen_targets() == [f"document:{name}"]
    assert stored(entries) == {}
    for _ in range(6):
        hands.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert len(stored(entries)) == 6


def test_skipped_entries_come_at_the_end(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    for _ in range(5):
        assert hands.shown != first
        hands.press(Qt.Key.Key_B)
    assert hands.shown == first
    assert first not in stored(entries)


def test_the_way_back_leads_to_the_first_label_of_an_earlier_session(
    hands: Hands, start: Start, entries: Path, qtbot: QtBot
) -> None:
    order = [hands.shown]
    hands.press(Qt.Key.Key_B)
    order.append(hands.shown)
    hands.press(Qt.Key.Key_U)
    later = Hands(qtbot, start(entries, "label"))
    later.view.switch("ann")
    later.settle()
    for name in reversed(order):
        later.view.do(later.view.labeller.go_back)
        later.settle()
        assert later.shown == name
    assert later.view.labeller.value == "blog"


def test_after_a_crash_the_next_key_overwrites_no_label(
    hands: Hands, start: Start, entries: Path, qtbot: QtBot
) -> None:
    kept = hands.view.save_state()
    hands.press(Qt.Key.Key_B)
    labelled, following = stored(entries), hands.shown
    # What a session keeps is written now and then, labels at once: here the program was killed in between.
    later = Hands(qtbot, start(entries, "label"))
    later.view.restore_state(kept)
    later.view.load()
    later.settle()
    assert later.shown == following
    later.press(Qt.Key.Key_U)
    assert stored(entries) == labelled | {following: {"ann": "unsure"}}


def test_a_kept_place_that_is_still_to_do_is_taken_up(hands: Hands, start: Start, entries: Path, qtbot: QtBot) -> None:
    hands.press(Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    kept, at = hands.view.save_state(), hands.shown
    later = Hands(qtbot, start(entries, "label"))
    later.view.restore_state(kept)
    later.view.load()
    later.settle()
    assert later.shown == at


def test_a_key_that_changes_a_label_says_what_it_changed_with_undo(hands: Hands, entries: Path, qtbot: QtBot) -> None:
    sentences: list[str] = []
    hands.controller.context.undoable.connect(sentences.append)
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    assert sentences == []
    hands.view.do(lambda: hands.view.labeller.go_to(f"document:{first}"))
    hands.settle()
    hands.press(Qt.Key.Key_U)
    (sentence,) = sentences
    assert all(word in sentence for word in (first, "blog", "unsure"))
    hands.controller.context.history.undo()
    hands.settle()
    assert stored(entries) == {first: {"ann": "blog"}}


def test_exact_duplicates_are_labelled_with_one_key_and_one_undo(hands: Hands, entries: Path) -> None:
    hands.view.labeller.go_to("document:e4")
    hands.settle()
    hands.press(Qt.Key.Key_S)
    hands.press(Qt.Key.Key_1)
    hands.press(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert stored(entries) == {"e4": {"ann": "splog"}, "e5": {"ann": "splog"}}
    assert set(stored(entries, "kind")) == {"e4", "e5"}
    hands.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert stored(entries) == {"e4": {"ann": "splog"}}


def test_exact_duplicates_that_are_outside_the_sample_or_others_work_stay_unlabelled(
    hands: Hands, entries: Path
) -> None:
    seed = next(n for n in range(99) if share_of(n, "sample:document:e4") < 0.5 <= share_of(n, "sample:document:e5"))
    with Session(entries) as session:
        save_set(session, LabelSet("mood", values=(Value("glad", "g"),), seed=seed, rate=0.5), "ann")
        save_set(session, LabelSet("tone", values=(Value("loud", "l"),)), "ann")
        assign(session, "tone", [("document:e4", "ann"), ("document:e5", "ben")])
    for name, key in (("mood", Qt.Key.Key_G), ("tone", Qt.Key.Key_L)):
        hands.view.change_set(name)
        hands.settle()
        hands.view.labeller.go_to("document:e4")
        hands.settle()
        hands.press(key)
        hands.press(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        assert set(stored(entries, name)) == {"e4"}


def test_a_selection_is_labelled_at_once(hands: Hands, entries: Path) -> None:
    table = hands.view.queue.table
    table.setFocus()
    table.selectAll()
    hands.press(Qt.Key.Key_B)
    assert {by["ann"] for by in stored(entries).values()} == {"blog"}
    assert len(stored(entries)) == 6


def test_what_is_shown_stays_while_others_are_labelled_and_is_left_once_it_is_among_them(
    hands: Hands, entries: Path
) -> None:
    sentences: list[str] = []
    hands.controller.context.undoable.connect(sentences.append)
    label_session = hands.view.label_session
    assert label_session is not None
    first = hands.shown
    here, *others = sorted(label_session.items, key=lambda item: item.target != f"document:{first}")
    hands.view.labeller.give_all(others[:2], "blog")
    hands.settle()
    assert (hands.shown, hands.view.labeller.value) == (first, "")
    hands.view.labeller.give_all([here, others[2]], "unsure")
    hands.settle()
    assert hands.shown in {item.target.removeprefix("document:") for item in others[3:]}
    assert sentences == ["2 entries: blog", "2 entries: unsure"]
    values = {f"document:{name}": by["ann"] for name, by in stored(entries).items()}
    assert values == dict.fromkeys((o.target for o in others[:2]), "blog") | dict.fromkeys(
        (here.target, others[2].target), "unsure"
    )


def test_the_same_value_for_a_selection_leaves_the_type_of_each_entry(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_S)
    hands.press(Qt.Key.Key_1)
    hands.view.queue.table.setFocus()
    hands.view.queue.table.selectAll()
    hands.press(Qt.Key.Key_S)
    assert {by["ann"] for by in stored(entries).values()} == {"splog"}
    assert stored(entries, "kind") == {first: {"ann": "news update"}}


def test_a_note_is_kept_with_its_label(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.view.entry.note.setPlainText("looks copied")
    hands.view.entry.note.flush()
    hands.press(Qt.Key.Key_B)
    with Session(entries, write=False) as session, session.read() as connection:
        assert labels.by_annotator(connection, "class")[f"document:{first}"]["ann"].note == "looks copied"


def test_what_another_annotator_says_is_hidden_and_does_not_count(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    hands.view.switch("ben")
    hands.settle()
    assert hands.shown == first
    assert hands.view.labeller.value == ""
    hands.press(Qt.Key.Key_U)
    assert stored(entries) == {first: {"ann": "blog", "ben": "unsure"}}


def test_another_annotator_is_named_in_a_dialog_that_does_not_hold_the_window(hands: Hands) -> None:
    hands.controller.context.actions.run("label.annotator")
    (dialog,) = hands.view.findChildren(QInputDialog)
    assert dialog.isVisible()
    dialog.setTextValue("  Ben   Li ")
    dialog.accept()
    hands.settle()
    assert hands.view.who == "Ben Li"


def test_a_disagreement_is_settled_with_one_key_apart_from_the_labels(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    hands.view.switch("ben")
    hands.settle()
    hands.press(Qt.Key.Key_U)
    assert not hands.view.queue.chips["others"].isHidden()
    hands.view.set_mode("settle")
    hands.settle()
    assert hands.view.queue.chips["others"].isHidden()
    assert hands.shown == first
    hands.press(Qt.Key.Key_B)
    assert stored(entries) == {first: {"ann": "blog", "ben": "unsure", "adjudicator:ben": "blog"}}
    assert hands.shown == ""


def test_a_named_order_is_followed(hands: Hands) -> None:
    hands.controller.context.open_label(NamedOrder("Narrows the interval most", ("document:e3", "document:e1")))
    hands.settle()
    assert hands.shown == "e3"
    hands.press(Qt.Key.Key_B)
    assert hands.shown == "e1"
    hands.press(Qt.Key.Key_B)
    assert hands.shown == ""


@pytest.mark.parametrize("place", range(2))
def test_an_order_that_was_chosen_comes_back_with_the_session(hands: Hands, place: int) -> None:
    box = hands.view.queue.order
    box.setCurrentIndex(place)
    box.activated.emit(place)
    hands.settle()
    order = hands.view.options.order
    assert isinstance(order, Order)
    assert hands.view.save_state()["queue"]["order"] == order.value  # type: ignore[index]


def test_the_keys_of_a_set_of_ones_own_work(hands: Hands, entries: Path) -> None:
    with Session(entries) as session:
        save_set(session, LabelSet("mood", values=(Value("glad", "g"), Value("sad", "x"))), "ann")
    hands.view.change_set("mood")
    hands.settle()
    first = hands.shown
    hands.press(Qt.Key.Key_X)
    assert stored(entries, "mood") == {first: {"ann": "sad"}}


def test_the_history_of_an_entry_lists_each_label_and_its_withdrawal(hands: Hands, qtbot: QtBot) -> None:
    first = hands.shown
    hands.view.queue.chips["others"].click()
    hands.settle()
    hands.view.side.tabs.setCurrentIndex(hands.view.side.tabs.count() - 1)
    for key, modifier in ((Qt.Key.Key_B, False), (Qt.Key.Key_U, False), (Qt.Key.Key_Delete, True)):
        hands.view.labeller.go_to(f"document:{first}")
        hands.settle()
        hands.press(key, Qt.KeyboardModifier.ControlModifier if modifier else Qt.KeyboardModifier.NoModifier)
    assert hands.shown == first

    def events() -> list[str]:
        return [words for words in shown(hands.view.side.history) if words.startswith("ann")]

    qtbot.waitUntil(lambda: events() == ["ann: blog", "ann: unsure", "ann: withdrawn"])


def test_the_side_lists_strings_that_are_elsewhere_and_earlier_entries_of_the_host(
    start: Start, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "hosts.palimpsest"
    create(path)
    string = "These forty characters are in three of the entries."
    texts = {"first": f"One opens so. {string}", "second": f"{string} Two ends so.", "other": f"Three: {string}"}
    texts["apart"] = "Nothing of this entry is in any other one."
    hosts = {"first": "a.example", "second": "a.example", "other": "b.example", "apart": "b.example"}
    with Session(path) as session, session.write() as connection:
        add_documents(
            connection,
            [
                Document(
                    name,
                    text,
                    Role.SUSPECT,
                    title=name.title(),
                    url=f"http://{hosts[name]}/{name}",
                    site=hosts[name],
                    published="2011-03-05" if name == "first" else "2011-03-06T23:00:00+09:00",
                )
                for name, text in texts.items()
            ],
        )
    detect(Context("test", lambda event: None, lambda: False), path, "copied-strings", {}, workers=1)
    controller = start(path, "label")
    user = Hands(qtbot, controller)
    qtbot.waitExposed(user.window)
    user.view.switch("ann")
    user.settle()
    side = user.view.side
    user.view.labeller.go_to("document:second")
    user.settle()
    side.tabs.setCurrentIndex(2)
    qtbot.waitUntil(lambda: {"1 earlier entry of a.example", "First", "2011-03-05"} <= set(shown(side.earlier)))
    assert "Other" not in shown(side.earlier)
    side.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: "in 3 documents" in shown(side.strings))
    side.choose(0)
    qtbot.waitUntil(lambda: "2 other documents contain it:" in shown(side.strings))
    qtbot.waitUntil(lambda: {"First", "Other"} <= set(shown(side.strings)))
    user.view.load()
    user.settle()
    qtbot.waitUntil(lambda: {"First", "Other"} <= set(shown(side.strings)))
    user.view.labeller.go_to("document:first")
    user.settle()
    side.tabs.setCurrentIndex(2)
    qtbot.waitUntil(lambda: "There is no earlier entry of a.example in this project." in shown(side.earlier))


def test_labels_of_another_process_are_taken_up(hands: Hands, entries: Path, qtbot: QtBot) -> None:
    with Session(entries) as session, session.write() as connection:
        labels.add_label(connection, Label("document:e2", "blog", "ann", "", label_set="class"))
    qtbot.waitUntil(lambda: hands.labels.board.label_of("document:e2", "ann") is not None)


def test_the_score_of_an_entry_is_shown_once_the_annotator_asks_for_it(hands: Hands, entries: Path) -> None:
    with Session(entries) as session, session.write() as connection:
        keys = list(keys_of(connection, [f"e{n}" for n in range(6)]).values())
        run = begin_run(connection, "splog", 1, {}, "0", 1)
        scores = Results(scores=tuple(DocumentScore(key, 0.25) for key in keys))
        finish_chunk(connection, run.id, 0, scores, documents=6)
        finish_run(connection, run.id)
    hands.view.load()
    hands.settle()
    for wanted in (True, False):
        hands.view.queue.chips["scores"].click()
        hands.settle()
        assert ("score 0.250" in shown(hands.view.entry)) is wanted


def test_an_import_of_the_annotators_own_labels_counts_and_is_shown(
    hands: Hands, entries: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with Session(entries) as session, session.write() as connection:
        labels.add_label(connection, Label("document:e4", "blog", "ben", "", label_set="class"))
    rest = [name for name in ("e0", "e1", "e2") if name != hands.shown][:2]
    file = tmp_path / "ann.csv"
    rows = "".join(f"{name},blog,ann\n" for name in (hands.shown, *rest))
    file.write_text(f"id,label,annotator\n{rows}", encoding="utf-8")
    hands.view.exchange.importer.bring(file, "class", {})
    qtbot.waitUntil(lambda: hands.labels.progress.done == 3)
    hands.settle()
    assert hands.view.labeller.value == "blog"
    hands.press(Qt.Key.Key_U)
    assert hands.shown not in (*rest, "")
    assert hands.labels.progress.done == 3
    total = hands.labels.progress.total
    bars = [bar.accessibleName() for bar in hands.view.queue.findChildren(FigureBar)]
    assert f"Labelled 3 of {total}" in bars
    assert f"{total - 3} to go" in " ".join(shown(hands.view.queue))


def test_a_key_that_changes_a_label_says_so_and_undo_there_undoes_just_that(hands: Hands, entries: Path) -> None:
    first = hands.shown
    banner = hands.window.banner
    hands.press(Qt.Key.Key_B)
    assert not banner.isVisible()
    hands.press(Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier)
    hands.press(Qt.Key.Key_U)
    assert banner.isVisible()
    assert "blog became unsure" in banner.text.text()
    banner.button.click()
    hands.settle()
    assert stored(entries) == {first: {"ann": "blog"}}
    hands.press(Qt.Key.Key_U)
    assert banner.isVisible()
    hands.press(Qt.Key.Key_B)
    # Undo would take back another step than the one that is named.
    assert not banner.isVisible()


def test_a_label_is_for_the_text_that_was_read_even_if_a_new_version_is_not_yet_shown(
    hands: Hands, entries: Path
) -> None:
    def of_other() -> list[bool]:
        with Session(entries, write=False) as session:
            return ["other_text" in row for row in export_rows(session, "class")]

    first = hands.shown
    with Session(entries) as session, session.write() as connection:
        delete_documents(connection, [*keys_of(connection, [first]).values()])
        add_documents(connection, [Document(first, "A text that was written since.", Role.SUSPECT)])
    # As fast as a key: another program's change is looked for a few times a second.
    label_session = hands.view.label_session
    assert label_session is not None
    for _ in range(2):
        hands.view.labeller.choose(label_session.board.label_set.values[0])
    hands.settle()
    assert of_other() == [True, False]
    with Session(entries, write=False) as session:
        assert [row["id"] for row in export_rows(session, "class") if "digest" in row] == [first]


def test_a_label_for_an_earlier_text_is_offered_again_and_one_key_confirms_it(hands: Hands, entries: Path) -> None:
    def of_other() -> list[bool]:
        with Session(entries, write=False) as session:
            return ["other_text" in row for row in export_rows(session, "class")]

    first = hands.shown
    hands.press(Qt.Key.Key_B)
    with Session(entries) as session, session.write() as connection:
        delete_documents(connection, [*keys_of(connection, [first]).values()])
        add_documents(connection, [Document(first, "A text that was written since.", Role.SUSPECT)])
    hands.controller.context.announce({"documents", "labels"})
    hands.settle()
    assert of_other() == [True]
    assert hands.view.label_session is not None
    assert hands.view.label_session.progress.done == 0
    hands.view.labeller.go_to(f"document:{first}")
    hands.settle()
    assert "blog" in hands.view.entry.of_other_text.text()
    assert hands.view.entry.of_other_text.isVisible()
    hands.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (of_other(), hands.view.label_session.progress.done) == ([False], 1)
    assert hands.shown != first
    hands.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (of_other(), hands.view.label_session.progress.done) == ([True], 0)
    assert hands.shown == first
    hands.press(Qt.Key.Key_B)
    assert (of_other(), stored(entries)) == ([False], {first: {"ann": "blog"}})


def test_a_double_click_on_a_value_labels_one_entry(hands: Hands, entries: Path, qtbot: QtBot) -> None:
    before = hands.shown
    double_click(qtbot, hands.view.entry.values.buttons["blog"])
    hands.settle()
    assert stored(entries) == {before: {"ann": "blog"}}


def test_undo_asks_before_it_replaces_a_label_that_was_changed_elsewhere(hands: Hands, entries: Path) -> None:
    first = hands.shown
    hands.press(Qt.Key.Key_B)
    elsewhere = Label(f"document:{first}", "unsure", "ann", "", "second thoughts", label_set="class")
    with Session(entries) as session:
        give(session, [elsewhere])
    hands.settle()
    board = hands.view.label_session.board if hands.view.label_session is not None else None
    assert board is not None
    hands.qtbot.waitUntil(lambda: (board.last(elsewhere.target, "ann") or elsewhere).value == "unsure")
    history = hands.view.context.history
    with pytest.raises(UserError, match="unsure"):
        history.undo()
    assert stored(entries) == {first: {"ann": "unsure"}}
    history.undo()
    hands.settle()
    assert stored(entries) == {}
    history.redo()
    hands.settle()
    assert stored(entries) == {first: {"ann": "blog"}}


def test_an_entry_that_cannot_be_read_is_not_labelled(start: Start, entries: Path, qtbot: QtBot) -> None:
    hands = Hands(qtbot, start(entries, "label"))
    view, run, lost = hands.view, hands.controller.context.actions.run, hands.labels.items[1]
    of_lost = "id = (SELECT text_id FROM document WHERE key = ?)"
    with Session(entries) as session, session.read() as connection:
        whole = connection.exec_driver_sql(f"SELECT packed FROM text WHERE {of_lost}", (lost.a,)).scalar_one()
    for unread in (True, False):
        packed = whole[1:] if unread else whole
        with Session(entries) as session, session.write() as connection:
            connection.exec_driver_sql(f"UPDATE text SET packed = ? WHERE {of_lost}", (packed, lost.a))
        view.reader.clear()
        view.labeller.go_to(lost.target)
        hands.settle()
        assert ("This entry could not be read" in shown(view)) == unread
        run("label.value-1")
        hands.settle()
        assert bool(stored(entries)) == (not unread)
        if unread:
            run("label.skip")
            hands.settle()
            assert view.labeller.item is not None
            assert view.labeller.item.target != lost.target
            assert "This entry could not be read" not in shown(view)
