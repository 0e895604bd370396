"""The Label screen, put together: the queue on the left, the entry in the middle, what helps on the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QInputDialog, QMenu, QStackedWidget, QVBoxLayout, QWidget

from workbench.base.types import Document, Label
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.pace import Pace
from workbench.gui.kit.layouts import ThreePanes
from workbench.gui.kit.parts import EmptyState, button
from workbench.gui.screens.label.desk import USUAL_SET, Desk, kept, options_from
from workbench.gui.screens.label.entry_panel import EntryPanel
from workbench.gui.screens.label.labelling import Labeller
from workbench.gui.screens.label.queue_panel import NEW, QueuePanel
from workbench.gui.screens.label.sets import SetMaker
from workbench.gui.screens.label.side_panel import SidePanel
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import View
from workbench.services.labels import board as service
from workbench.services.labels.annotators import ADJUDICATOR
from workbench.services.labels.beside import Beside, read_beside, read_entry, string_run
from workbench.services.labels.board import Item, Wanted, read_board
from workbench.services.labels.queue import NamedOrder, Order, QueueOptions, progress
from workbench.services.labels.targets import TargetKind
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session

_LEFT, _RIGHT = 280, 360
_SMALL = 1_320
_AHEAD = 4
"""Entries that are read before they are asked for."""
_SLOTS = 36
"""Values that keys can be given for."""


class LabelView(View):
    """One entry at a time; ``load`` brings queue and labels up to date."""

    view_id: ClassVar[str] = "label"
    icon: ClassVar[str] = "label"
    kinds: ClassVar[frozenset[str]] = frozenset({"labels", "documents", "runs", "matches"})
    modes: ClassVar[tuple[str, ...]] = ("settle",)

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.wanted = Wanted(USUAL_SET)
        self.who = ""
        self.options = QueueOptions()
        self.settling = False
        self.desk: Desk | None = None
        self.labeller = Labeller(context, self)
        self.pace = Pace()
        self.queue = QueuePanel(context.theme)
        self.entry = EntryPanel(context)
        self.side = SidePanel(context)
        self.sets = SetMaker(context, self, self.change_set)
        self._request = 0
        self._cache: dict[str, tuple[Document, ...]] = {}
        self._target = ""
        self._last_event = 0
        self._build()
        self._connect()
        context.actions.add(*self._actions())

    @staticmethod
    def name() -> str:
        """The view's name."""
        return tr("Label")

    def _build(self) -> None:
        self.body = ThreePanes((self.queue, self.entry, self.side), (_LEFT, _RIGHT), _SMALL)
        self.queue.setMinimumWidth(230)
        self.side.setMinimumWidth(250)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 10)
        layout.addWidget(self.pages)

    def _connect(self) -> None:
        labeller, queue, entry = self.labeller, self.queue, self.entry
        labeller.moved.connect(self._show_item)
        labeller.chosen.connect(self._show_choice)
        queue.set_chosen.connect(self._choose_set)
        queue.annotator_chosen.connect(self._choose_annotator)
        queue.options_changed.connect(self._set_options)
        queue.blind_changed.connect(self._show_item)
        queue.run_chosen.connect(self._choose_run)
        queue.picked.connect(lambda target: self.do(lambda: labeller.go_to(target)))
        queue.set_menu.connect(self._menu)
        entry.values.chosen.connect(lambda value: self.do(lambda: labeller.choose(value)))
        entry.seconds.chosen.connect(lambda value: self.do(lambda: labeller.choose_second(value)))
        entry.note.edited.connect(labeller.write_note)
        entry.note.left.connect(entry.texts[0].setFocus)
        entry.string_chosen.connect(self.side.choose)
        self.side.edit_asked.connect(lambda: self.sets.change(self.desk, guidelines=True))
        self.side.versions_asked.connect(lambda: self.sets.show_history(self.desk))

    # -- actions

    def _actions(self) -> list[Action]:
        there, shown = self.has_desk, self.has_item
        needs = {there: tr("Open a project first."), shown: tr("Choose an entry first.")}

        def made(
            key: str,
            title: str,
            call: Callable[[], object],
            shortcut: str = "",
            icon: str = "",
            *,
            needs_entry: bool = True,
        ) -> Action:
            enabled = shown if needs_entry else there
            return Action(f"label.{key}", title, call, shortcut, self.view_id, icon, enabled, needs[enabled])

        labeller = self.labeller
        return [
            made("submit", tr("Submit the label"), lambda: self.do(self._submit), "Ctrl+Return", "check"),
            made("skip", tr("Skip the entry"), lambda: self.do(labeller.skip), "Ctrl+Space", "caret-right"),
            made(
                "back",
                tr("Back to the entry before"),
                lambda: self.do(labeller.go_back),
                "Ctrl+Backspace",
                "caret-left",
                needs_entry=False,
            ),
            made("withdraw", tr("Withdraw the label"), lambda: self.do(labeller.withdraw), "Ctrl+Delete", "trash"),
            made(
                "duplicates",
                tr("Label exact duplicates, too"),
                lambda: self.do(self.label_duplicates),
                "Ctrl+D",
                "copy",
                needs_entry=False,
            ),
            made("note", tr("Write a note"), self.entry.note.setFocus, "Ctrl+Shift+N", "note"),
            made(
                "list", tr("Go to the list of entries"), self.queue.table.setFocus, "Ctrl+L", "menu", needs_entry=False
            ),
            made(
                "at-once",
                tr("Submit with the key of the value, or only with Ctrl+Enter"),
                self._toggle_at_once,
                needs_entry=False,
            ),
            made(
                "settle", tr("Settle disagreements"), self._toggle_settling, "Ctrl+Shift+S", "swap", needs_entry=False
            ),
            made("next-tab", tr("Next help beside the text"), self._next_tab, "Ctrl+T", "columns", needs_entry=False),
            made("set-new", tr("New label set…"), self.sets.make, "", "plus", needs_entry=False),
            made(
                "set-edit",
                tr("Change the label set…"),
                lambda: self.sets.change(self.desk),
                "Ctrl+E",
                "label",
                needs_entry=False,
            ),
            made(
                "set-history",
                tr("History of the label set…"),
                lambda: self.sets.show_history(self.desk),
                "",
                "clock",
                needs_entry=False,
            ),
            made(
                "annotator", tr("Switch the annotator…"), self._ask_annotator, "Ctrl+Shift+A", "swap", needs_entry=False
            ),
        ]

    def _value_actions(self, desk: Desk) -> list[Action]:
        """One key a value of the set shown, and one a value that the chosen value asks for."""
        values = desk.board.label_set.active
        actions = []
        for at, value in enumerate(values):
            title = tr("Label: {value}", value=value.name)
            give = partial(self._press, value.name)
            actions.append(
                Action(
                    f"label.value-{at + 1}",
                    title,
                    give,
                    _sequence(value.key),
                    self.view_id,
                    "label",
                    partial(self._can_choose, value.key),
                )
            )
        names = service.followed(desk.board.label_set)[1:]
        follow = next((desk.board.sets[name] for name in names if name in desk.board.sets), None)
        for at, value in enumerate(follow.active if follow is not None else ()):
            title = tr("Second label: {value}", value=value.name)
            give = partial(self._press_second, value.name)
            actions.append(
                Action(
                    f"label.second-{at + 1}",
                    title,
                    give,
                    _sequence(value.key),
                    self.view_id,
                    "label",
                    self._can_choose_second,
                )
            )
        return actions

    def _name_keys(self, desk: Desk) -> None:
        fresh = self._value_actions(desk)
        ids = {action.id for action in fresh}
        stale = [
            a.id for a in self.context.actions if a.id.startswith(("label.value-", "label.second-")) and a.id not in ids
        ]
        self.context.actions.remove(stale)
        self.context.actions.add(*fresh)
        self.context.actions.attach(self.window())

    def do(self, what: Callable[[], object]) -> None:
        """Do it now, or as soon as the entry that is being read is shown."""
        self.pace.do(what)

    def _press(self, name: str) -> None:
        def choose() -> None:
            value = self.desk.board.label_set.value(name) if self.desk is not None else None
            chosen = self.queue.chosen_targets()
            if value is None or self.desk is None:
                return
            if len(chosen) > 1 and self.queue.table.hasFocus():
                items = [self.desk.items[self.desk.place[target]] for target in chosen]
                self.labeller.give_all(items, value.name)
            else:
                self.labeller.choose(value)

        self.do(choose)

    def _press_second(self, name: str) -> None:
        def choose() -> None:
            follow = self.labeller.follow
            value = follow.value(name) if follow is not None else None
            if value is not None:
                self.labeller.choose_second(value)

        self.do(choose)

    def _can_choose(self, key: str) -> bool:
        follow = self.labeller.follow
        return self.has_item() and not (follow is not None and any(value.key == key for value in follow.active))

    def _can_choose_second(self) -> bool:
        return self.has_item() and self.labeller.follow is not None

    def _submit(self) -> None:
        self.entry.note.flush()
        if not self.labeller.value:
            self.context.say(tr("Choose a value first: each has its key."))
        self.labeller.submit()

    def _toggle_at_once(self) -> None:
        self.labeller.at_once = not self.labeller.at_once
        said = (
            tr("The key of a value submits it.")
            if self.labeller.at_once
            else tr("Ctrl+Enter submits the chosen value.")
        )
        self.context.say(said)

    def _next_tab(self) -> None:
        tabs = self.side.tabs
        tabs.setCurrentIndex((tabs.currentIndex() + 1) % tabs.count())

    def label_duplicates(self) -> None:
        """Give the exact duplicates of the last labelled entry, or of this one, the same label."""
        desk = self.desk
        if desk is None:
            return
        source = self._duplicated(desk)
        if source is None:
            self.context.say(tr("No other entry has exactly this text, or none without your label."))
            return
        held = desk.board.label_of(source.target, desk.who)
        assert held is not None
        names = service.followed(desk.board.label_set)[1:]
        seconds = (desk.board.label_of(source.target, desk.who, name) for name in names)
        second = next((given.value for given in seconds if given is not None), "")
        self.labeller.give_all(self._open_duplicates(desk, source), held.value, second)

    def _duplicated(self, desk: Desk) -> Item | None:
        """The labelled entry whose duplicates are meant: the one at hand, else the last one."""
        given = [item for item in (desk.item, self.labeller.last) if item is not None]
        return next(
            (
                item
                for item in given
                if desk.board.label_of(item.target, desk.who) and self._open_duplicates(desk, item)
            ),
            None,
        )

    @staticmethod
    def _open_duplicates(desk: Desk, item: Item) -> list[Item]:
        return [other for other in desk.board.same_text(item) if desk.board.label_of(other.target, desk.who) is None]

    def has_desk(self) -> bool:
        """Whether there is a label set to work with."""
        return self.desk is not None

    def has_item(self) -> bool:
        """Whether an entry is at hand."""
        return self.desk is not None and self.desk.item is not None

    # -- reading

    def open(self, order: NamedOrder, label_set: str = "") -> None:
        """Show what ``order`` lists, in its order."""
        self.options = replace(self.options, order=Order.NAMED, named=order)
        self.wanted = replace(self.wanted, label_set=label_set or self.wanted.label_set, targets=order.targets)
        self.settling, self._target = False, ""
        self.load()

    def load(self) -> None:
        """Read the label set with its labels again; the entry at hand stays."""
        self.set_ready(False)
        if self.context.session is None:
            return
        self._request += 1
        request, wanted, options, who = self._request, self.wanted, self.options, self.annotator()

        def read(session: Session) -> Desk:
            board = read_board(session, wanted)
            scored = options.order in (Order.SCORE, Order.UNCERTAIN) and board.run is not None
            found = service.scores(session, board.label_set.kind, board.run) if scored and board.run else {}
            return Desk(board, who, options, found)

        def show(desk: Desk) -> None:
            if request == self._request:
                self._show_desk(desk)

        self.context.background(read, show, owner=self)

    def annotator(self) -> str:
        """Under which name labels are given now."""
        name = self.who or self.context.settings.reviewer or reviewer() or tr("annotator")
        return f"{ADJUDICATOR}:{name}" if self.settling else name

    def _show_desk(self, desk: Desk) -> None:
        same = self.desk is not None and self.desk.board.label_set.name == desk.board.label_set.name
        target = self._target if same or self._target else ""
        self.desk, self._last_event = desk, desk.board.last_event
        self._cache.clear()
        desk.start(target)
        self.queue.show_board(desk.board, self.who or self._own_name(), self.options)
        self.queue.show_queue(desk)
        self.side.show_guidelines(desk.board.label_set.guidelines)
        self._name_keys(desk)
        self.labeller.take_up(desk)

    def _own_name(self) -> str:
        return self.annotator().removeprefix(f"{ADJUDICATOR}:")

    def follow(self, kinds: frozenset[str]) -> None:
        """Take up labels that came; read all again where anything else changed."""
        if kinds != {"labels"} or self.desk is None:
            self.load()
            return
        desk, after = self.desk, self._last_event
        self.context.background(
            lambda session: service.news(session, desk.board.label_set, after), partial(self._take, desk), owner=self
        )

    def _take(self, desk: Desk, found: tuple[list[Label], int]) -> None:
        if desk is not self.desk or found[1] <= self._last_event:
            return
        events, self._last_event = found
        own = {desk.who}
        desk.board.take(events)
        others = [event.target for event in events if event.who not in own]
        self.queue.show_labels([event.target for event in events])
        if others and self.labeller.item is not None and self.labeller.item.target in others:
            self._show_item()

    # -- the entry at hand

    def _show_item(self) -> None:
        """Show the entry at hand, at once where it was read ahead."""
        desk = self.desk
        if desk is None:
            return
        item = desk.item
        self._target = item.target if item is not None else ""
        self._show_progress()
        if item is None:
            self.pace.failed()
            self._show_nothing(desk)
            self.set_ready()
            return
        self.queue.show_place(item.target)
        documents = self._cache.get(item.target)
        request = self.pace.began()
        if documents is not None:
            self._show_entry(item, documents, request)
            return

        def show(found: tuple[Document, ...]) -> None:
            self._cache[item.target] = found
            self._show_entry(item, found, request)

        def fail(error: Exception) -> None:
            self.context.show_error(error)
            if self.pace.holds(request):
                self.pace.failed()

        self.context.background(read_entry(item), show, owner=self, failed=fail)

    def _show_entry(self, item: Item, documents: Sequence[Document], request: int) -> None:
        desk = self.desk
        if desk is None or not self.pace.holds(request) or desk.item is not item:
            return
        if self.entry.item is not item:
            self.entry.show_entry(item, documents, self._score_words(item))
        self.entry.note.show_note(self.labeller.note)
        self._show_choice()
        blind = self.queue.blind_to_others and not self.settling
        self.side.show_entry(desk.board, item, documents, desk.who, blind=blind)
        self._show_votes(item)
        self.pace.arrived()
        self.set_ready()
        self.context.actions.refresh()
        QTimer.singleShot(0, self, self._read_ahead)

    def _score_words(self, item: Item) -> str:
        desk = self.desk
        if desk is None or self.queue.blind_to_scores or item.target not in desk.scores:
            return ""
        return tr("score {score}", score=f"{desk.scores[item.target]:,.3f}")

    def _show_votes(self, item: Item) -> None:
        desk = self.desk
        assert desk is not None
        votes = desk.board.labels_of(item.target).values() if self.settling else ()
        self.entry.show_votes(tuple(votes))

    def _show_choice(self) -> None:
        desk, labeller = self.desk, self.labeller
        if desk is None or desk.item is None:
            return
        self.entry.show_choice(desk.board.label_set, labeller.value, labeller.follow, labeller.second)
        place = tr("{at} of {total}", at=f"{desk.at + 1:,}", total=f"{len(desk.items):,}")
        self.entry.show_place(place)
        source = self._duplicated(desk)
        count = len(self._open_duplicates(desk, source)) if source is not None else 0
        self.entry.show_duplicates(count, before=source is not desk.item)
        self.context.actions.refresh()

    def _show_progress(self) -> None:
        desk = self.desk
        if desk is None:
            return
        shown = progress(desk.board, desk.who, desk.items)
        self.queue.show_progress(shown)

    def _read_ahead(self) -> None:
        """Read what comes next, and what stands beside the entry, while the user reads."""
        desk, item = self.desk, self.labeller.item
        if desk is None or item is None:
            return
        if not item.b:
            run = string_run(desk.board.runs)

            def show(beside: Beside) -> None:
                if self.labeller.item is item and self.desk is desk:
                    self.side.show_beside(beside)
                    self.entry.show_strings(beside.strings)

            self.context.background(read_beside(item, run), show, owner=self)
        wanted = [other for other in desk.upcoming(_AHEAD) if other.target not in self._cache]
        if not wanted:
            return
        keep = {item.target, *(other.target for other in desk.upcoming(_AHEAD))}

        def read(session: Session) -> dict[str, tuple[Document, ...]]:
            return {other.target: read_entry(other)(session) for other in wanted}

        def take(found: dict[str, tuple[Document, ...]]) -> None:
            if self.desk is desk:
                self._cache = {t: d for t, d in self._cache.items() if t in keep} | found

        self.context.background(read, take, owner=self, failed=lambda _error: None)

    def _show_nothing(self, desk: Desk) -> None:
        """Say why there is no entry, and what to do next."""
        self.entry.show_state(_empty_state(self, desk))
        self.context.actions.refresh()

    # -- choices

    def change_set(self, name: str) -> None:
        """Work with the label set ``name``, as it is now."""
        self.wanted = replace(self.wanted, label_set=name, targets=())
        if self.options.order is Order.NAMED:
            self.options = replace(self.options, order=Order.RANDOM, named=None)
        self.load()
        self.placed.emit()

    def _choose_set(self, name: str) -> None:
        if name == NEW:
            self.sets.make()
            self._show_lists()
        else:
            self._target = ""
            self.change_set(name)

    def _show_lists(self) -> None:
        if self.desk is not None:
            self.queue.show_board(self.desk.board, self.who or self._own_name(), self.options)

    def _choose_annotator(self, name: str) -> None:
        if name == NEW:
            self._ask_annotator()
        else:
            self.switch(name)

    def _ask_annotator(self) -> None:
        name, sure = QInputDialog.getText(self, tr("Annotator"), tr("Who labels from now on?"))
        self._show_lists()
        if sure and name.strip():
            self.switch(" ".join(name.split())[:120])

    def switch(self, name: str) -> None:
        """Label as ``name`` from now on."""
        self.who, self._target = name, ""
        self.load()
        self.placed.emit()

    def _set_options(self, options: QueueOptions) -> None:
        self.options, self._target = options, ""
        self.load()
        self.placed.emit()

    def _choose_run(self, run: int) -> None:
        self.wanted, self._target = replace(self.wanted, run=run), ""
        self.load()

    def _toggle_settling(self) -> None:
        self.set_mode("" if self.settling else "settle")

    def set_mode(self, mode: str) -> None:
        """Settle disagreements, or label."""
        self.settling = mode == "settle"
        self.options, self._target = replace(self.options, conflicts=self.settling), ""
        self.load()

    def _menu(self) -> None:
        menu = QMenu(self)
        for key in ("set-new", "set-edit", "set-history"):
            menu.addAction(self.context.actions.qt(f"label.{key}"))
        menu.popup(self.queue.more.mapToGlobal(self.queue.more.rect().bottomLeft()))

    # -- session

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side panels narrower in a small window, until the user sizes them."""
        super().resizeEvent(event)
        self.body.fit(event.size().width())

    def flush(self) -> None:
        """Write a note that is not written yet."""
        self.entry.note.flush()

    def save_state(self) -> dict[str, Any]:
        """Label set, annotator, queue, sizes."""
        state: dict[str, Any] = {
            "set": self.wanted.label_set,
            "who": self.who,
            "queue": kept(self.options),
            "blind": {"scores": self.queue.blind_to_scores, "others": self.queue.blind_to_others},
            "at_once": self.labeller.at_once,
            "target": self._target,
            "size": self.entry.texts[0].size_px,
        }
        if (sizes := self.body.chosen_sizes()) is not None:
            state["sizes"] = sizes
        return state

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Take up where the user was."""
        match state:
            case {"set": str(name), "who": str(who), "queue": dict(queue), "blind": dict(blind)}:
                self.wanted, self.who = replace(self.wanted, label_set=name), who
                self.options = options_from(queue)
                self.queue.set_blind(blind)
        self.labeller.at_once = state.get("at_once") is not False
        if isinstance(state.get("target"), str):
            self._target = state["target"]
        if isinstance(state.get("size"), int):
            for text in self.entry.texts:
                text.set_size(state["size"])
        self.body.restore_sizes(state.get("sizes"))

    def key_hints(self) -> list[tuple[str, str]]:
        """Keys for the status strip."""
        return [
            ("label.submit", tr("submit")),
            ("label.skip", tr("skip")),
            ("label.back", tr("back")),
            ("label.settle", tr("settle")),
        ]

    def first_focus(self) -> QWidget | None:
        """The text of the entry."""
        return self.entry.texts[0] if self.has_item() else None


def _sequence(key: str) -> str:
    """A portable key sequence for a one-character key."""
    return key.upper() if key.isalpha() else key


def _empty_state(view: LabelView, desk: Desk) -> EmptyState:
    """Why there is no entry, and what to do next."""
    context, theme, board = view.context, view.context.theme, desk.board
    if not board.documents:
        go = button(tr("Go to Documents"), lambda: context.show_view("documents"), kind="primary")
        sentence = tr(
            "Import what is to be labelled: a folder of texts, saved pages, or rows of a JSON Lines or CSV file."
        )
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, go)
    if not board.items and board.label_set.kind is not TargetKind.DOCUMENT:
        go = button(tr("Go to Detect"), lambda: context.show_view("detect"), kind="primary")
        sentence = tr("Pairs and passages come from a run: run a method in Detect, then label what it found.")
        return EmptyState(theme, "detect", tr("No run has found any yet"), sentence, go)
    if view.settling:
        back = button(tr("Back to labelling"), lambda: view.set_mode(""), kind="primary")
        sentence = tr("No entry has labels of several annotators that differ and that nobody has settled.")
        return EmptyState(theme, "circle-check", tr("Nothing to settle"), sentence, back)
    if not desk.items:
        everything = button(
            tr("Show all entries"),
            lambda: view._set_options(QueueOptions(suspects=False)),
            kind="primary",
        )
        sentence = tr(
            "The choices on the left leave no entry: roles, conflicts, what is assigned to you, or the sample."
        )
        return EmptyState(theme, "filter", tr("The queue is empty"), sentence, everything)
    sentence = trn(
        "You have labelled the {count} entry of this queue. Somebody else can label it, too: switch the annotator.",
        "You have labelled all {count} entries of this queue. Somebody else can label them, too: switch the annotator.",
        len(desk.items),
    )
    other = button(tr("Switch the annotator…"), view._ask_annotator, kind="primary")
    again = button(tr("Look through the labels"), lambda: view._set_options(replace(view.options, everything=True)))
    return EmptyState(theme, "circle-check", tr("Everything is labelled"), sentence, other, again)
