"""The Label screen: the queue on the left, the entry in the middle, help on the right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QInputDialog, QMenu, QStackedWidget, QVBoxLayout, QWidget

from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.load_gate import LoadGate
from workbench.gui.kit.layouts import ThreePanes
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.tips import give_tips
from workbench.gui.kit.widgets import EmptyState, button, icon_button, row
from workbench.gui.screens.label import SCREEN
from workbench.gui.screens.label.entry_panel import EntryPanel, unread_state
from workbench.gui.screens.label.exchange import Exchange
from workbench.gui.screens.label.labelling import Labeller, ValueKeys
from workbench.gui.screens.label.queue_panel import NEW, QueuePanel
from workbench.gui.screens.label.session import EntryReader, LabelSession, Texts, kept, options_from
from workbench.gui.screens.label.sets import SetMaker
from workbench.gui.screens.label.side_panel import SidePanel
from workbench.gui.screens.label.team_panel import TeamPanel
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import Command, Screen, View
from workbench.services.labels import label_state as service
from workbench.services.labels.entry_context import EntryContext, read_entry, read_entry_context, string_run
from workbench.services.labels.label_state import BoardScope, Item, read_board
from workbench.services.labels.queue import NamedOrder, Order, QueueOptions
from workbench.services.labels.targets import ADJUDICATOR, TargetKind
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session

_LEFT, _RIGHT = 280, 360
_SMALL = 1_320
_CONTEXT_MS = 30
"""Milliseconds that an entry is shown before its context is read, to avoid reading while a key is held down."""
Calls = Mapping[str, Callable[[], object]]


class LabelView(View):
    """One entry at a time; ``load`` brings queue and labels up to date."""

    declaration: ClassVar[Screen] = SCREEN
    kinds: ClassVar[frozenset[str]] = frozenset({"labels", "documents", "runs", "matches"})

    def build(self) -> Iterator[None]:
        context = self.context
        self.wanted = BoardScope()
        self.who = ""
        self.options = QueueOptions()
        self.label_session: LabelSession | None = None
        self.labeller = Labeller(context, self)
        self.pace = LoadGate(context, self)
        yield
        self.queue = QueuePanel(context.theme)
        yield
        self.entry = EntryPanel(context)
        yield
        self.side = SidePanel(context)
        yield
        self.sets = SetMaker(context, self, self.change_set)
        self.exchange = Exchange(context, self, lambda: self.label_session)
        self.keys = ValueKeys(context, self.labeller, self.queue, self.do, self.has_item)
        self.reader = EntryReader(context, self)
        self.mode = ""
        self._after_entry = after_pause(self._show_context, _CONTEXT_MS, self)
        self._unread: Item | None = None
        """The current entry, if it could not be read."""
        self._target = ""
        self._left_at = {True: "", False: ""}
        """Where the user was when settling, or not settling, was left."""
        self._restored = False
        """Whether ``_target`` is from an earlier session."""
        self._last_event = 0
        yield
        self._build()
        yield
        self._connect()
        context.actions.add(*self._actions())

    def _build(self) -> None:
        self.body = ThreePanes((self.queue, self.entry, self.side), (_LEFT, _RIGHT), _SMALL)
        self.queue.setMinimumWidth(230)
        run, theme = self.context.actions.run, self.context.theme
        outside = {
            "assign": (tr("Assign…"), "plus"),
            "share": (tr("Write a batch…"), "export"),
            "merge": (tr("Merge batches…"), "import"),
            "import": (tr("Import labels…"), "import"),
            "export": (tr("Export labels…"), "export"),
        }
        buttons = {
            f"label.{key}": icon_button(theme, words, icon, partial(run, f"label.{key}"))
            for key, (words, icon) in outside.items()
        }
        self.team = TeamPanel(self.context, list(buttons.values()))
        self.team.ready.connect(self.set_ready)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.body)
        self.pages.addWidget(self.team)
        words = {"": tr("Label"), "settle": tr("Settle disagreements"), "agreement": tr("Progress and agreement")}
        self.chips = {mode: button(word, partial(self.set_mode, mode), kind="chip") for mode, word in words.items()}
        self.chips[""].setChecked(True)
        modes = {mode or "page": self.chips[mode] for mode in self.chips}
        buttons |= {"label.page": modes["page"], "label.settle": modes["settle"], "label.team": modes["agreement"]}
        give_tips(self.context.actions, buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 10)
        layout.setSpacing(8)
        layout.addLayout(row(*self.chips.values(), None, spacing=6, margins=(2, 0, 0, 0)))
        layout.addWidget(self.pages, 1)

    def _connect(self) -> None:
        labeller, queue, entry = self.labeller, self.queue, self.entry
        labeller.moved.connect(self._show_item)
        labeller.chosen.connect(self._show_choice)
        queue.set_chosen.connect(self._choose_set)
        queue.annotator_chosen.connect(self._choose_annotator)
        queue.options_changed.connect(self._set_options)
        queue.blind_changed.connect(self.load)
        queue.run_chosen.connect(self._choose_run)
        queue.picked.connect(lambda target: self.do(lambda: labeller.go_to(target)))
        queue.set_menu.connect(self._menu)
        entry.values.chosen.connect(lambda value: self.do(lambda: labeller.choose(value)))
        entry.seconds.chosen.connect(lambda value: self.do(lambda: labeller.choose_second(value)))
        entry.note.edited.connect(labeller.write_note)
        entry.note.left.connect(entry.texts[0].setFocus)
        entry.note.finished.connect(self._finish_note)
        self.context.project_changed.connect(entry.note.forget)
        entry.string_chosen.connect(self.side.choose)
        self.side.edit_asked.connect(lambda: self.sets.change(self.label_session, guidelines=True))
        self.side.versions_asked.connect(lambda: self.sets.show_history(self.label_session))

    # -- actions

    def _actions(self) -> list[Action]:
        labeller = self.labeller
        about_entry = (
            ("submit", tr("Submit the label"), lambda: self.do(self._submit), "Ctrl+Return", "check"),
            ("withdraw", tr("Withdraw the label"), lambda: self.do(labeller.withdraw), "Ctrl+Delete", "trash"),
            ("note", tr("Write a note"), self.entry.note.setFocus, "Ctrl+Shift+N", "note"),
            ("note-last", tr("Write a note on the last label"), self._note_last, "Ctrl+Alt+N", "note"),
        )
        sets, exchange, queue = self.sets, self.exchange, self.queue
        back, copies = partial(self.do, labeller.go_back), partial(self.do, self.label_duplicates)
        on_entries: tuple[Command, ...] = (
            ("back", tr("Back to the previous entry"), back, "Ctrl+Backspace", "caret-left"),
            ("duplicates", tr("Also label exact duplicates"), copies, "Ctrl+D", "copy"),
            ("list", tr("Go to the list of entries"), queue.table.setFocus, "Ctrl+L", "menu"),
            ("next-tab", tr("Next help tab beside the text"), self._next_tab, "Ctrl+T", "columns"),
        )
        about_set = (
            ("page", tr("Label entries"), lambda: self.set_mode(""), "Alt+1", "label"),
            ("settle", tr("Settle disagreements"), lambda: self.set_mode("settle"), "Alt+2", "swap"),
            ("team", tr("Progress and agreement"), lambda: self.set_mode("agreement"), "Alt+3", "evaluate"),
            ("at-once", tr("Submit with the value's key, or with Ctrl+Enter"), self._toggle_at_once, "", ""),
            ("annotator", tr("Switch the annotator…"), self._ask_annotator, "Ctrl+Shift+A", "swap"),
            ("set-new", tr("New label set…"), sets.make, "Ctrl+Shift+E", "plus"),
            ("set-edit", tr("Change the label set…"), lambda: sets.change(self.label_session), "Ctrl+E", "label"),
            (
                "set-history",
                tr("History of the label set…"),
                lambda: sets.show_history(self.label_session),
                "",
                "clock",
            ),
            ("assign", tr("Assign entries…"), exchange.ask_assign, "", "plus"),
            ("share", tr("Write the batch of the annotator…"), exchange.ask_share, "", "export"),
            ("merge", tr("Merge batches…"), exchange.ask_merge, "", "import"),
            ("import", tr("Import labels…"), exchange.ask_import, "", "import"),
            ("export", tr("Export labels…"), exchange.ask_export, "", "export"),
        )
        shown = (
            (key, title, partial(self._where_shown, act), keys, icon) for key, title, act, keys, icon in on_entries
        )
        skip: Command = ("skip", tr("Skip the entry"), partial(self.do, labeller.skip), "Ctrl+Space", "caret-right")
        return [
            *self.make_actions((skip,), self._has_entry, tr("Select an entry first.")),
            *self.make_actions(about_entry, self.has_item, tr("Select an entry first.")),
            *self.make_actions((*shown, *about_set), self.has_session, tr("Open a project first.")),
        ]

    def _where_shown(self, act: Callable[[], object]) -> None:
        """Show the entries, then ``act`` on them."""
        if not self._on_entries:
            self.set_mode("")
        act()

    def do(self, what: Callable[[], object]) -> None:
        """Run ``what`` now, or once the entry being read is shown; a typed note is saved first.

        The focus leaves the note, because the next key is meant for the next entry.
        """
        self.flush()
        if self.entry.note.hasFocus():
            self.entry.texts[0].setFocus()
        self.pace.do(what)

    def _submit(self) -> None:
        if not self.labeller.value:
            self.context.say(tr("Choose a value first: each has a key."))
        self.labeller.submit()

    def _finish_note(self) -> None:
        """Submit the finished note with the value, if one has been chosen."""
        is_editing_other = self.entry.note.is_editing_other
        self.entry.texts[0].setFocus()
        self.entry.note.flush()
        if not is_editing_other:
            self.do(self._submit)

    def _note_last(self) -> None:
        last = self.labeller.note_on_last
        if last is None:
            self.context.say(tr("Nothing has been labelled yet."))
        else:
            self.entry.note.edit_other(*last)

    def _toggle_at_once(self) -> None:
        self.labeller.at_once = not self.labeller.at_once
        sentence = (
            tr("Pressing a value's key submits it.")
            if self.labeller.at_once
            else tr("Ctrl+Enter submits the chosen value.")
        )
        self.context.say(sentence)

    def _next_tab(self) -> None:
        tabs = self.side.tabs
        tabs.setCurrentIndex((tabs.currentIndex() + 1) % tabs.count())

    def label_duplicates(self) -> None:
        """Give the exact duplicates of this entry, or of the last labelled one, the same label."""
        if not self.labeller.give_duplicates():
            self.context.say(tr("No other entry without your label has exactly this text."))

    def has_session(self) -> bool:
        """Whether there is a label set to work with."""
        return self.label_session is not None

    def has_item(self) -> bool:
        """Whether there is a current entry, and it is shown or about to be."""
        return self._has_entry() and self.labeller.item is not self._unread

    def _has_entry(self) -> bool:
        return self._on_entries and self.labeller.item is not None

    # -- reading

    def open(self, order: NamedOrder, label_set: str = "") -> None:
        """Show the entries of ``order``, in its order."""
        self.options = replace(self.options, order=Order.NAMED, named=order)
        self.wanted = replace(self.wanted, label_set=label_set or self.wanted.label_set, targets=order.targets)
        self._target = ""
        self.set_mode("")

    def load(self) -> None:
        """Read the label set with its labels again; the current entry is kept."""
        self.set_ready(False)
        if self.context.session is None:
            return
        hidden = self.queue.blind_to_others and not self.mode
        if hidden and self.options.conflicts:
            self.options = replace(self.options, conflicts=False)
        wanted, options, who = self.wanted, self.options, self.annotator()
        seen = not self.queue.blind_to_scores

        def read(session: Session) -> LabelSession:
            board = read_board(session, wanted, who if hidden else "")
            scored = seen or options.order in (Order.SCORE, Order.UNCERTAIN)
            scores = service.scores(session, board.label_set.kind, board.run) if scored and board.run else {}
            return LabelSession(board, who, options, scores)

        self.context.latest(self, "label_session", read, self._show_session)

    def annotator(self) -> str:
        """The name under which labels are given."""
        name = self.who or self.context.settings.reviewer or reviewer() or tr("annotator")
        return f"{ADJUDICATOR}:{name}" if self.settling else name

    def _show_session(self, label_session: LabelSession) -> None:
        same = (
            self.label_session is not None
            and self.label_session.board.label_set.name == label_session.board.label_set.name
        )
        target = self._target if same or self._target else ""
        self.label_session, self._last_event = label_session, label_session.board.last_event
        if not self.wanted.label_set:
            self.wanted = replace(self.wanted, label_set=label_session.board.label_set.name)
        self.reader.clear()
        label_session.start(target, only_open=self._restored)
        self._restored = False
        self.queue.show_board(label_session.board, self.who or self._own_name(), self.options)
        self.queue.show_queue(label_session)
        # Settling is choosing among others' labels.
        self.queue.chips["others"].setVisible(not self.settling)
        self.side.show_guidelines(say(label_session.board.label_set.guidelines))
        self.keys.name(label_session)
        self.context.actions.attach(self.window())
        self.labeller.set_session(label_session)
        if self.mode == "agreement":
            self.set_ready(False)
            self.team.show_session(label_session)
        elif not same:
            self._offer_annotator(label_session)

    def _offer_annotator(self, label_session: LabelSession) -> None:
        """Offer the annotator to whom all is assigned, as in a batch, in place of the login name."""
        people = set[str]().union(*label_session.board.assigned.values())
        if len(people) == 1 and not self.who and label_session.who not in people:
            (name,) = people
            self.context.offer(
                tr("The entries are assigned to {name}; you label as {who}.", name=name, who=label_session.who),
                tr("Label as {name}", name=name),
                partial(self.switch, name),
            )

    def _own_name(self) -> str:
        return self.annotator().removeprefix(f"{ADJUDICATOR}:")

    def follow(self, kinds: frozenset[str]) -> None:
        """Show new labels; reload everything if anything else changed."""
        if kinds != {"labels"} or self.label_session is None or not self._on_entries:
            self.load()
            return
        label_session, after = self.label_session, self._last_event
        self.context.background(
            lambda session: service.news(session, label_session.board.label_set, after),
            partial(self._take, label_session),
            owner=self,
        )

    def _take(self, label_session: LabelSession, news: service.News) -> None:
        if label_session is not self.label_session:
            return
        if news.defined != label_session.board.defined:
            self.load()
            return
        if news.last_event <= self._last_event:
            return
        events, self._last_event = news.events, news.last_event
        own = {label_session.who}
        changed = label_session.take(events)
        others = [event.target for event in events if event.who not in own]
        self.queue.show_labels([event.target for event in events])
        self._show_progress()
        if self.labeller.item is not None and self.labeller.item.target in changed:
            self.labeller.recall()
        elif others and self.labeller.item is not None and self.labeller.item.target in others:
            self._show_item()

    # -- the current entry

    def _show_item(self) -> None:
        """Show the current entry, at once if it was read ahead."""
        label_session = self.label_session
        if label_session is None:
            return
        item, self._unread = label_session.item, None
        self._target = item.target if item is not None else ""
        self._show_progress()
        if item is None:
            self.pace.give_up()
            self._show_nothing(label_session)
            self._entry_ready()
            return
        self.queue.show_place(item.target)
        self.pace.load(
            read_entry(item),
            lambda texts: self._show_entry(label_session, item, texts),
            lambda: self._show_unread(item),
            known=self.reader.texts(item),
        )

    def _show_unread(self, item: Item) -> None:
        """Show that ``item`` could not be read, in place of the entry before, which would be labelled as this one."""
        self._unread = item
        self.entry.show_state(unread_state(self.context.theme, self._show_item, partial(self.do, self.labeller.skip)))
        self.context.actions.refresh()
        self._entry_ready()

    def _show_entry(self, label_session: LabelSession, item: Item, documents: Texts) -> None:
        self.reader.keep(item, documents)
        is_document = label_session.board.label_set.kind is TargetKind.DOCUMENT
        self.labeller.read_text = (item.target, documents[0].content_hash.hex() if is_document else "")
        score = self._score_words(item)
        if self.entry.shown != (item, score):
            self.entry.show_entry(item, documents, score)
        self.entry.note.defer_change()
        self.entry.note.show_note(self.labeller.about, self.labeller.note)
        self._show_votes(item)
        self._show_choice()
        self._entry_ready()
        self._after_entry.start()
        self.reader.read_ahead(label_session, item)

    def _entry_ready(self) -> None:
        """Report that the entry is shown, unless the screen shows something else."""
        if self._on_entries:
            self.set_ready()

    def _score_words(self, item: Item) -> str:
        label_session = self.label_session
        if label_session is None or self.queue.blind_to_scores or item.target not in label_session.scores:
            return ""
        return tr("score {score}", score=f"{label_session.scores[item.target]:,.3f}")

    def _show_votes(self, item: Item) -> None:
        label_session = self.label_session
        assert label_session is not None
        board = label_session.board
        votes = board.labels_of(item.target) if self.settling else {}
        others = [vote for who, vote in votes.items() if who != label_session.who]
        of_others = {vote.who for vote in others if board.is_of_other_text(vote)}
        self.entry.show_votes(others, board.label_set, of_others)

    def _show_choice(self) -> None:
        label_session, labeller = self.label_session, self.labeller
        if label_session is None or label_session.item is None:
            return
        self.entry.show_choice(label_session.board.label_set, labeller.value, labeller.follow, labeller.second)
        place = tr("{at} of {total}", at=f"{label_session.at + 1:,}", total=f"{len(label_session.items):,}")
        self.entry.show_place(place)
        own = label_session.board.label_of(label_session.item.target, label_session.who)
        self.entry.show_of_other_text(own.value if own and label_session.board.is_of_other_text(own) else "")
        source = labeller.duplicated()
        count = len(label_session.duplicates(source)) if source is not None else 0
        self.entry.show_duplicates(count, before=source is not label_session.item)
        self.context.actions.refresh()

    def _show_progress(self) -> None:
        label_session = self.label_session
        if label_session is None:
            return
        self.queue.show_progress(label_session.progress, tr("Settled") if self.settling else tr("Labelled"))

    def _show_context(self) -> None:
        """Show the entry's context."""
        label_session, item = self.label_session, self.labeller.item
        documents = None if item is None else self.reader.texts(item)
        if label_session is None or item is None or documents is None:
            return
        blind = self.queue.blind_to_others and not self.settling
        self.side.show_entry(label_session.board, item, documents, label_session.who, blind=blind)
        self._read_context(label_session, item)

    def _read_context(self, label_session: LabelSession, item: Item) -> None:
        if not item.b:
            run = string_run(label_session.board.runs)

            def show(beside: EntryContext) -> None:
                if self.labeller.item is item and self.label_session is label_session:
                    self.side.show_context(beside)
                    self.entry.show_strings(beside.strings)

            self.context.latest(self, "beside", read_entry_context(item, run), show)

    def _show_nothing(self, label_session: LabelSession) -> None:
        """Show why there is no entry, and what to do next."""
        calls = {
            "back": lambda: self.set_mode(""),
            "everything": lambda: self._set_options(QueueOptions(conflicts=self.settling, suspects=False)),
            "annotator": self._ask_annotator,
            "again": lambda: self._set_options(replace(self.options, everything=True)),
            "make": self.sets.make,
        }
        self.entry.show_state(empty_state(self.context, label_session, calls, settling=self.settling))
        self.context.actions.refresh()

    # -- choices

    def change_set(self, name: str) -> None:
        """Work with the label set ``name``, in its current state."""
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
        if self.label_session is not None:
            self.queue.show_board(self.label_session.board, self.who or self._own_name(), self.options)

    def _choose_annotator(self, name: str) -> None:
        if name == NEW:
            self._ask_annotator()
        else:
            self.switch(name)

    def _ask_annotator(self) -> None:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(tr("Annotator"))
        dialog.setLabelText(tr("Who labels from now on?"))
        dialog.textValueSelected.connect(self._name_annotator)
        dialog.open()
        self._show_lists()

    def _name_annotator(self, text: str) -> None:
        if name := " ".join(text.split())[:120]:
            self.switch(name)

    def switch(self, name: str) -> None:
        """Continue labelling as ``name``."""
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

    @property
    def settling(self) -> bool:
        """Whether the user is settling disagreements."""
        return self.mode == "settle"

    @property
    def _on_entries(self) -> bool:
        return self.mode != "agreement"

    def set_mode(self, mode: str) -> None:
        """Settle disagreements ("settle"), view progress and agreement ("agreement"), or label ("")."""
        was, self.mode = self.mode, mode
        for name, chip in self.chips.items():
            chip.setChecked(name == mode)
        self.pages.setCurrentWidget(self.team if mode == "agreement" else self.body)
        if "settle" in (was, mode) and was != mode:
            self._left_at[was == "settle"] = self._target
            self.options = replace(self.options, conflicts=self.settling)
            self._target = self._left_at[self.settling]
        self.load()
        self.placed.emit()

    def _menu(self) -> None:
        menu = QMenu(self)
        for key in ("set-new", "set-edit", "set-history", "", "assign", "share", "merge", "", "import", "export"):
            if key:
                menu.addAction(self.context.actions.qt(f"label.{key}"))
            else:
                menu.addSeparator()
        menu.popup(self.queue.more.mapToGlobal(self.queue.more.rect().bottomLeft()))

    # -- session

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make side panels narrower in a small window, until the user resizes them."""
        super().resizeEvent(event)
        self.body.fit(event.size().width())

    def flush(self) -> None:
        self.entry.note.flush()

    def save_state(self) -> dict[str, Any]:
        state: dict[str, Any] = {
            "set": self.wanted.label_set,
            "who": self.who,
            "queue": kept(self.options),
            "blind": {"scores": self.queue.blind_to_scores, "others": self.queue.blind_to_others},
            "at_once": self.labeller.at_once,
            "target": self._left_at[False] if self.settling else self._target,
            "size": self.entry.texts[0].size_px,
        }
        if (sizes := self.body.chosen_sizes()) is not None:
            state["sizes"] = sizes
        return state

    def restore_state(self, state: Mapping[str, Any]) -> None:
        match state:
            case {"set": str(name), "who": str(who), "queue": dict(queue), "blind": dict(blind)}:
                self.wanted, self.who = replace(self.wanted, label_set=name), who
                self.options = options_from(queue)
                self.queue.set_blind(blind)
        self.labeller.at_once = state.get("at_once") is not False
        if isinstance(state.get("target"), str):
            self._target, self._restored = state["target"], True
        if isinstance(state.get("size"), int):
            for text in self.entry.texts:
                text.set_size(state["size"])
        self.body.restore_sizes(state.get("sizes"))

    def key_hints(self) -> list[tuple[str, str]]:
        return [
            ("label.submit", tr("submit")),
            ("label.skip", tr("skip")),
            ("label.back", tr("back")),
            ("label.settle", tr("settle")),
            ("label.team", tr("agreement")),
        ]

    def first_focus(self) -> QWidget | None:
        return self.entry.texts[0] if self.has_item() else None


def empty_state(context: AppContext, label_session: LabelSession, calls: Calls, *, settling: bool) -> EmptyState:
    """Why there is no entry, and what to do next; ``calls`` are the functions of the buttons: back, everything,
    annotator, again, make.
    """
    theme, board = context.theme, label_session.board
    if not board.documents:
        go = button(tr("Go to Documents"), lambda: context.show_view("documents"), kind="primary")
        make = button(tr("New label set…"), calls["make"])
        sentence = tr(
            "Import the items to label: a folder of texts, saved pages, or rows of a JSON Lines or CSV file. A "
            "label set defines the possible values."
        )
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, go, make)
    if not board.items and board.label_set.kind is not TargetKind.DOCUMENT:
        go = button(tr("Go to Detect"), lambda: context.show_view("detect"), kind="primary")
        sentence = tr("Pairs and passages come from a run: run a method in Detect, then label what it found.")
        return EmptyState(theme, "detect", tr("No run has found any yet"), sentence, go)
    if settling and not any(board.is_open_conflict(item.target) for item in board.items):
        back = button(tr("Back to labelling"), calls["back"], kind="primary")
        sentence = tr("No entry has labels of several annotators that differ and that nobody has settled.")
        return EmptyState(theme, "circle-check", tr("Nothing to settle"), sentence, back)
    if not label_session.items:
        everything = button(tr("Show all entries"), calls["everything"], kind="primary")
        sentence = tr(
            "No entry matches the filters on the left: roles, a tag, conflicts, entries assigned to you, or the sample."
        )
        return EmptyState(theme, "filter", tr("The queue is empty"), sentence, everything)
    sentence = trn(
        "You have labelled the {count} entry of this queue. Another annotator can also label it: switch the annotator.",
        "You have labelled all {count} entries of this queue. Another annotator can also label them: switch the "
        "annotator.",
        len(label_session.items),
    )
    other = button(tr("Switch the annotator…"), calls["annotator"], kind="primary")
    again = button(tr("Look through the labels"), calls["again"])
    return EmptyState(theme, "circle-check", tr("Everything is labelled"), sentence, other, again)
