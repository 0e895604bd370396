"""Gives labels: each is on disk before the next entry is shown, and can be undone without limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.base.types import Label
from workbench.gui.i18n import tr, trn
from workbench.gui.screens.label.queue_panel import QueuePanel
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services.labels import label_state as service
from workbench.services.labels.definitions import LabelSet, Value
from workbench.services.labels.label_state import Item, followed
from workbench.services.labels.queue import to_do


class NoteOf(NamedTuple):
    """The subject of a note: an entry in a label set, and the annotator."""

    target: str
    label_set: str
    who: str
    name: str


class Labeller(QObject):
    """Keeps the choice for the current entry until it is submitted.

    ``moved`` is emitted when another entry is current, ``chosen`` when the choice or a label of the current entry
    changed.
    """

    moved = Signal()
    chosen = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self.label_session: LabelSession | None = None
        self.value = self.second = ""
        self.note = ""
        self.at_once = True
        """A value without a following set is submitted with its key."""
        self.last: Item | None = None
        """The last labelled entry."""
        self.read_text = ("", "")
        """The target of the shown entry, and the digest of its text if it is a document."""
        self._after: list[Callable[[], object]] = []
        context.changes.settled.connect(self._settled)

    # -- the current entry

    @property
    def item(self) -> Item | None:
        """The current entry."""
        return None if self.label_session is None else self.label_session.item

    @property
    def waiting(self) -> bool:
        """Whether a label must be written before the next entry is shown, which another program delays."""
        return bool(self._after)

    @property
    def follow(self) -> LabelSet | None:
        """The label set that follows the chosen value."""
        if self.label_session is None or not self.value:
            return None
        value = self.label_session.board.label_set.value(self.value)
        return self.label_session.board.sets.get(value.then) if value is not None and value.then else None

    def set_session(self, label_session: LabelSession | None) -> None:
        """Work with ``label_session`` from now on."""
        self.label_session, self.last = label_session, None
        self._after.clear()
        self.recall()

    def recall(self) -> None:
        """Set the choice to the annotator's existing label for the current entry."""
        self.value = self.second = self.note = ""
        if self.label_session is not None and self.item is not None:
            label = self.label_session.board.label_of(self.item.target, self.label_session.who)
            last = self.label_session.board.last(self.item.target, self.label_session.who)
            self.note = last.note if last is not None else ""
            if label is not None:
                self.value = label.value
                follow = self.follow
                second = follow and self.label_session.board.label_of(
                    self.item.target, self.label_session.who, follow.name
                )
                self.second = second.value if second else ""
        self.moved.emit()

    def choose(self, value: Value) -> None:
        """Choose a value for the current entry; submit it unless another set follows."""
        if self.item is None or self.waiting:
            return
        if value.name != self.value:
            self._warn_of_waiting(value.name)
            self.second = ""
        self.value = value.name
        if self.at_once and self.follow is None:
            self.submit()
        else:
            self.chosen.emit()

    def _warn_of_waiting(self, after: str) -> None:
        """Say that the chosen value, which a key for the next entry may replace, was never submitted."""
        if self.label_session is None or self.item is None or self.follow is None or not self.at_once:
            return
        label = self.label_session.board.label_of(self.item.target, self.label_session.who)
        if label is None or label.value != self.value:
            waiting = tr(
                "{entry}: {before} was still waiting for its type and became {after} "
                "(Ctrl+Enter submits it without one).",
                entry=self.item.title,
                before=self.value,
                after=after,
            )
            self._context.say(waiting, "warn")

    def choose_second(self, value: Value) -> None:
        """Choose a value of the set that follows the chosen value."""
        if self.item is None or self.follow is None or self.waiting:
            return
        self.second = value.name
        if self.at_once:
            self.submit()
        else:
            self.chosen.emit()

    def submit(self) -> None:
        """Write the choice, then show the next entry."""
        if self.label_session is None or self.item is None or not self.value or self.waiting:
            return
        label_session, item = self.label_session, self.item
        self.last = item
        before, after = label_session.board.label_of(item.target, label_session.who), self.value
        title = tr("Label {value}", value=after)

        def done() -> None:
            self._step(label_session.go_on)
            if before is not None and before.value != after:
                changed = tr("{entry}: {before} became {after}.", entry=item.title, before=before.value, after=after)
                self._context.say_undoable(changed)

        self._do(title, label_session, [item], self._labels([item]), done)

    def withdraw(self) -> None:
        """Withdraw the annotator's label for the current entry."""
        if self.label_session is None or self.item is None or self.waiting:
            return
        label = self.label_session.board.label_of(self.item.target, self.label_session.who)
        if label is not None:
            self.value = self.second = ""
            labels = self._labels([self.item])
            self._do(tr("Withdraw the label"), self.label_session, [self.item], labels, self.recall)
        else:
            self._context.say(tr("You have not labelled this entry."))

    def write_note(self, about: NoteOf, note: str) -> None:
        """Save ``note``, typed for ``about``: with its label, or by itself if there is none yet."""
        if self._context.session is None:
            return
        label_session = self.label_session
        here = label_session is not None and label_session.board.label_set.name == about.label_set
        last = (
            label_session.board.last(about.target, about.who, about.label_set)
            if here and label_session is not None
            else None
        )
        value, text = (
            ("", "") if last is None or label_session is None else (last.value, label_session.board.text_of(last))
        )
        label = Label(about.target, value, about.who, "", note, label_set=about.label_set, digest=text)
        before = "" if last is None else last.note
        if self.about == about:
            self.note = note
        try:
            written = self._context.change(lambda session: service.note(session, label), label)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        if here and label_session is not None:
            label_session.board.take(service.stamped([written]))
        self._context.history.push(
            tr("Note on an entry"),
            lambda: self._note_again(about, replace(label, note=before)),
            lambda: self._note_again(about, label),
        )
        self._context.announce({"labels"})

    def _note_again(self, about: NoteOf, label: Label) -> None:
        """Write a note on undo or redo."""
        written = self._context.change(lambda session: service.note(session, label), label)
        label_session = self.label_session if isValid(self) else None
        if label_session is not None and label_session.board.label_set.name == about.label_set:
            label_session.board.take(service.stamped([written]))
            self._step(lambda: label_session.go_to(about.target))
        self._context.announce({"labels"})

    @property
    def about(self) -> NoteOf | None:
        """The subject of a note on the current entry."""
        return self._about(self.item)

    @property
    def note_on_last(self) -> tuple[NoteOf, str] | None:
        """The subject of the note on the last labelled entry, and the note; None if there is none."""
        about = self._about(self.last)
        if about is None or self.label_session is None:
            return None
        last = self.label_session.board.last(about.target, about.who)
        return about, "" if last is None else last.note

    def _about(self, item: Item | None) -> NoteOf | None:
        if self.label_session is None or item is None:
            return None
        return NoteOf(item.target, self.label_session.board.label_set.name, self.label_session.who, item.title)

    def give_all(self, items: Sequence[Item], value: str, second: str = "") -> None:
        """Give several entries the same value as one step; each keeps its note."""
        if self.label_session is None or self.waiting or not items:
            return
        label_session, here = self.label_session, self.item
        self.value, self.second = value, second
        labels = self._labels(items)
        count = trn("{count} entry", "{count} entries", len(items))
        among = here is not None and any(item.target == here.target for item in items)

        def done() -> None:
            if among:
                self._step(label_session.go_on)
            else:
                self.recall()
            self._context.say_undoable(tr("{entries}: {value}", entries=count, value=value))

        self._do(tr("Label {entries} {value}", entries=count, value=value), label_session, items, labels, done)

    def duplicated(self) -> Item | None:
        """The labelled entry with unlabelled exact duplicates: the current one, else the last one, else None."""
        if self.label_session is None:
            return None
        label_session = self.label_session
        labelled = (
            item
            for item in (self.item, self.last)
            if item is not None and not to_do(label_session.board, label_session.who, item)
        )
        return next((item for item in labelled if label_session.duplicates(item)), None)

    def give_duplicates(self) -> bool:
        """Give the exact duplicates of :meth:`duplicated` its labels. Returns whether there are any."""
        source = self.duplicated()
        if self.label_session is None or source is None:
            return False
        board, who = self.label_session.board, self.label_session.who
        value, *seconds = (board.label_of(source.target, who, name) for name in service.followed(board.label_set))
        second = next((label.value for label in seconds if label is not None), "")
        if value is not None:
            self.give_all(self.label_session.duplicates(source), value.value, second)
        return True

    def skip(self) -> None:
        """Leave the current entry for later."""
        if self.label_session is not None and not self.waiting:
            self._step(self.label_session.skip)

    def go_back(self) -> None:
        """Go to the previous entry."""
        if self.label_session is not None and not self.waiting:
            self._step(self.label_session.go_back)

    def go_to(self, target: str) -> None:
        """Go to an entry of the queue."""
        if self.label_session is not None and not self.waiting:
            label_session = self.label_session
            self._step(lambda: label_session.go_to(target))

    def _step(self, move: Callable[[], object]) -> None:
        move()
        self.recall()

    # -- writing

    def _labels(self, items: Sequence[Item]) -> list[Label]:
        """The choice as labels of ``items``; a second label that no longer belongs there is withdrawn."""
        assert self.label_session is not None
        board, who = self.label_session.board, self.label_session.who
        follow = self.follow
        labels = []
        for item in items:
            before = board.label_of(item.target, who)
            last = board.last(item.target, who)
            note = self.note if item is self.item else "" if last is None else last.note
            target, digest = self.read_text
            # A new version that another program has imported may not be shown yet.
            text = digest if target == item.target else board.present_text(item.target)
            confirms = board.is_of_other_text(before)
            if before is None or confirms or (before.value, before.note) != (self.value, note):
                name = board.label_set.name
                labels.append(Label(item.target, self.value, who, "", note, label_set=name, digest=text))
            for name in service.followed(board.label_set)[1:]:
                belongs = follow is not None and follow.name == name
                if belongs and not self.second and before is not None and before.value == self.value:
                    continue  # The same value for several entries: each keeps its own second one.
                wanted = self.second if belongs else ""
                label = board.label_of(item.target, who, name)
                if (label.value if label is not None else "") != wanted or board.is_of_other_text(label):
                    labels.append(Label(item.target, wanted, who, "", label_set=name, digest=text))
        return labels

    def _do(
        self,
        title: str,
        label_session: LabelSession,
        items: Sequence[Item],
        labels: Sequence[Label],
        then: Callable[[], object],
    ) -> None:
        """Write ``labels`` of ``items`` with undo, then continue."""
        if not labels:
            then()
            return
        before = [self._before(label_session, label) for label in labels]
        if not self._write(label_session, items, labels):
            return

        def again(what: Sequence[Label], replaced: Sequence[Label]) -> Callable[[], None]:
            warnings: set[tuple[str, str]] = set()

            def write() -> None:
                if (changed := self._changed(replaced)) is not None and (changed.value, changed.note) not in warnings:
                    warnings.add((changed.value, changed.note))
                    name = next((item.title for item in items if item.target == changed.target), changed.target)
                    value = changed.value or tr("withdrawn")
                    raise UserError(
                        tr("{name} was changed elsewhere since: {value}. Repeat to replace it.", name=name, value=value)
                    )
                if not isValid(self):  # This view was replaced by one in another language
                    self._context.change(lambda session: service.give(session, list(what)), list(what))
                    self._context.announce({"labels"})
                    return
                now = self.label_session
                if now is not None and self._write(now, items, what):
                    self._once_written(self.recall)
                    self._step(lambda: now.go_to(items[0].target))

            return write

        self._context.history.push(title, again(before, labels), again(labels, before))
        self._once_written(then)

    def _changed(self, expected: Sequence[Label]) -> Label | None:
        """The first present label, as far as the board has it, that differs from the ``expected`` one."""
        board = self.label_session.board if isValid(self) and self.label_session is not None else None
        for label in expected:
            if board is None or label.label_set not in followed(board.label_set) or board.only not in ("", label.who):
                continue
            last = board.last(label.target, label.who, label.label_set)
            if last is not None and (last.value, last.note) != (label.value, label.note):
                return last
        return None

    @staticmethod
    def _before(label_session: LabelSession, label: Label) -> Label:
        """The event that restores the state before ``label``."""
        last = label_session.board.last(label.target, label.who, label.label_set)
        if last is None:
            return replace(label, value="", note="")
        return replace(last, when="", old="", digest=label_session.board.text_of(last))

    def _write(self, label_session: LabelSession, items: Sequence[Item], labels: Sequence[Label]) -> bool:
        """Write ``labels``, immediately or after another program has finished; returns whether that was possible."""
        pending = list(labels)
        was = [to_do(label_session.board, label_session.who, item) for item in items]
        try:
            written = self._context.change(lambda session: service.give(session, pending), pending)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            self.recall()
            return False
        label_session.board.take(service.stamped(written))
        for open_before, item in zip(was, items, strict=True):
            label_session.count(open_before, item)
        self._context.announce({"labels"})
        return True

    def _once_written(self, then: Callable[[], object]) -> None:
        """Call ``then`` once everything written is on disk."""
        if self._context.changes.waiting:
            self._after.append(then)
        else:
            then()

    def _settled(self) -> None:
        """Called when labels that waited for another program are on disk."""
        after, self._after = self._after, []
        for call in after:
            call()


VIEW = "label"
_VALUE, _SECOND = f"{VIEW}.value-", f"{VIEW}.second-"


class ValueKeys:
    """One command per value of the shown label set.

    ``do`` runs a function once the entry being read is shown; ``shown`` returns whether an entry is shown.
    """

    def __init__(
        self,
        context: AppContext,
        labeller: Labeller,
        queue: QueuePanel,
        do: Callable[[Callable[[], object]], object],
        shown: Callable[[], bool],
    ) -> None:
        self._actions, self._labeller, self._queue = context.actions, labeller, queue
        self._do, self._shown = do, shown

    def name(self, label_session: LabelSession) -> None:
        """Replace the commands with one for each value of the label set of ``label_session``."""
        board = label_session.board
        fresh = [
            self._action(f"{_VALUE}{at}", tr("Label: {value}", value=value.name), value, self.press, second=False)
            for at, value in enumerate(board.label_set.active, 1)
        ]
        sets = (board.sets[name] for name in followed(board.label_set)[1:] if name in board.sets)
        seconds = {value.name: value for label_set in sets for value in label_set.active}
        fresh += [
            self._action(
                f"{_SECOND}{at}", tr("Second label: {value}", value=name), value, self.press_second, second=True
            )
            for at, (name, value) in enumerate(seconds.items(), 1)
        ]
        ids = {action.id for action in fresh}
        gone = [a.id for a in self._actions if a.id.startswith((_VALUE, _SECOND)) and a.id not in ids]
        self._actions.remove(gone)
        self._actions.add(*fresh)

    def _action(self, key: str, title: str, value: Value, call: Callable[[str], object], *, second: bool) -> Action:
        shortcut = value.key.upper() if value.key.isalpha() else value.key
        enabled = self._asks_second if second else partial(self._can_choose, value.key)
        return Action(
            key,
            title,
            partial(call, value.name),
            shortcut,
            view=VIEW,
            icon="label",
            enabled=enabled,
            needs=partial(self._missing, second=second),
        )

    def press(self, name: str) -> None:
        """Choose the value called ``name`` for the current entry, or for the entries selected in the list."""

        def choose() -> None:
            label_session, chosen = self._labeller.label_session, self._queue.chosen_targets()
            value = label_session.board.label_set.value(name) if label_session is not None else None
            if label_session is None or value is None:
                return
            if len(chosen) > 1 and self._queue.table.hasFocus():
                self._labeller.give_all(
                    [label_session.items[label_session.place[target]] for target in chosen], value.name
                )
            else:
                self._labeller.choose(value)

        self._do(choose)

    def press_second(self, name: str) -> None:
        """Choose the value called ``name`` of the set that follows the chosen value."""

        def choose() -> None:
            follow = self._labeller.follow
            value = follow.value(name) if follow is not None else None
            if value is not None:
                self._labeller.choose_second(value)

        self._do(choose)

    def _can_choose(self, key: str) -> bool:
        """Whether a value with this key can be chosen now: the key is not that of a second value."""
        follow = self._labeller.follow
        return self._shown() and not (follow is not None and any(value.key == key for value in follow.active))

    def _missing(self, *, second: bool) -> str:
        if second and self._shown():
            return tr("First choose the value that these values belong to.")
        return tr("Select an entry first.")

    def _asks_second(self) -> bool:
        return self._shown() and self._labeller.follow is not None
