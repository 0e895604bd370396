"""The session of one annotator: the queue, the current entry, the history. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from PySide6.QtCore import QObject

from workbench.base.types import Document, Label
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.entry_context import read_entry
from workbench.services.labels.label_state import Board, Item
from workbench.services.labels.queue import RECENT, Order, Progress, QueueOptions, asked_of, pace, queue, to_do
from workbench.services.session import Session

Texts = tuple[Document, ...]
_AHEAD = 16
"""Number of entries that are read ahead."""


class LabelSession:
    """The entries of ``board`` for ``who`` under ``options``; ``item`` is the current one."""

    def __init__(self, board: Board, who: str, options: QueueOptions, scores: Mapping[str, float]) -> None:
        self.board, self.who, self.options, self.scores = board, who, options, scores
        self.items: Sequence[Item] = queue(board, who, options, scores)
        self.place = {item.target: at for at, item in enumerate(self.items)}
        self.item: Item | None = None
        self._skipped: set[str] = set()
        mine = board.labels_by(who)
        self._trail = [label.target for label in mine if label.target in self.place]
        self._whens = [label.when for label in mine[-RECENT:]]
        self._assigned = {item.target for item in asked_of(board, who, self.items)}
        whole = queue(board, "", QueueOptions(suspects=options.suspects))
        self._work = {item.target for item in asked_of(board, who, [*whole, *self.items])}
        """The entries of the sample, or the annotator's own, whatever the filters."""
        self._done = sum(not to_do(board, who, item) for item in self.items if item.target in self._assigned)

    @property
    def at(self) -> int:
        """The position of the current entry in the queue; -1 for none."""
        return -1 if self.item is None else self.place.get(self.item.target, -1)

    @property
    def progress(self) -> Progress:
        """The annotator's progress and pace."""
        return Progress(self.who, self._done, len(self._assigned), pace(self._whens))

    def is_open(self, item: Item) -> bool:
        """Whether ``item`` is open: the annotator has yet to label it."""
        if self.options.conflicts and self.board.is_settled(item.target):
            return False
        return self.options.everything or to_do(self.board, self.who, item)

    def upcoming(self, count: int) -> list[Item]:
        """The next entries after the current one, as far as known."""
        return list(islice(filter(self._is_next, islice(self.items, self.at + 1, None)), count))

    def duplicates(self, item: Item) -> list[Item]:
        """The exact duplicates of ``item`` that the annotator is asked for and has yet to label."""
        same = (other for other in self.board.same_text(item) if other.target in self._work)
        return [other for other in same if to_do(self.board, self.who, other)]

    def start(self, target: str = "", *, only_open: bool = False) -> None:
        """Start with ``target`` if it is in the queue (and, with ``only_open``, open), else with the first open entry.

        A target stored by an earlier session may be older than the log: a key press there would overwrite a label.
        """
        there = self.items[self.place[target]] if target in self.place else None
        if there is not None and only_open and not self.is_open(there):
            there = None
        self.item = there or self._following(-1)

    def go_on(self) -> None:
        """Go to the next open entry; skipped entries come last."""
        here = self.at
        if self.item is not None:
            self._remember(self.item.target)
        self.item = self._following(here)

    def skip(self) -> None:
        """Go to the next open entry; the current one returns at the end."""
        if self.item is not None:
            self._skipped.add(self.item.target)
        self.go_on()

    def go_back(self) -> None:
        """Go to the previous entry, labelled or skipped; every call goes further back."""
        before = self._before()
        if before:
            del self._trail[len(before) - 1 :]
            self.item = self.items[self.place[before[-1]]]

    def go_to(self, target: str) -> None:
        """Go to an entry of the queue."""
        if target in self.place and (self.item is None or target != self.item.target):
            if self.item is not None:
                self._remember(self.item.target)
            self.item = self.items[self.place[target]]

    def count(self, was_open: bool, item: Item) -> None:
        """Update the count for ``item``, which was open (or not) before it was labelled or its label withdrawn."""
        is_open = to_do(self.board, self.who, item)
        if item.target in self._assigned:
            self._done += int(was_open) - int(is_open)
        label = self.board.label_of(item.target, self.who)
        if label is not None:
            self._skipped.discard(item.target)
            self._whens = [*self._whens[1 - RECENT :], label.when]

    def take(self, events: Sequence[Label]) -> set[str]:
        """Apply events of the log; returns the entries that the annotator labelled otherwise elsewhere."""
        own = (event for event in events if event.who == self.who and event.label_set == self.board.label_set.name)
        before = {event.target: self._state(event.target) for event in own}
        self.board.take(events)
        changed = {target for target, state in before.items() if state != self._state(target)}
        for target in changed & self.place.keys():
            self.count(before[target][1], self.items[self.place[target]])
        return changed

    def _state(self, target: str) -> tuple[str, bool]:
        """The annotator's value for ``target``, and whether it is yet to be labelled or confirmed."""
        label = self.board.label_of(target, self.who)
        return ("", True) if label is None else (label.value, self.board.is_of_other_text(label))

    def _before(self) -> list[str]:
        """The history, without the current entry at its end."""
        trail = self._trail
        end = len(trail)
        while end and self.item is not None and trail[end - 1] == self.item.target:
            end -= 1
        return trail[:end]

    def _remember(self, target: str) -> None:
        if not self._trail or self._trail[-1] != target:
            self._trail.append(target)

    def _is_next(self, item: Item) -> bool:
        return item.target not in self._skipped and self.is_open(item)

    def _following(self, here: int) -> Item | None:
        item = self._first_after(here, self._is_next)
        if item is None and self._skipped:
            self._skipped.clear()
            item = self._first_after(here, self._is_next)
        return item

    def _first_after(self, here: int, wanted: Callable[[Item], bool]) -> Item | None:
        """The first wanted item after position ``here``, wrapping around at the end."""
        count = len(self.items)
        if self.options.everything:
            return next((item for item in self.items[here + 1 :] if wanted(item)), None)
        places = (at % count for at in range(here + 1, here + 1 + count)) if count else ()
        return next((self.items[at] for at in places if wanted(self.items[at])), None)


def options_from(state: Mapping[str, object]) -> QueueOptions:
    """Queue options from stored ones; missing or invalid ones get their defaults."""
    order = next((known for known in Order if known == state.get("order")), Order.RANDOM)
    return QueueOptions(
        order=Order.RANDOM if order is Order.NAMED else order,
        everything=state.get("everything") is True,
        conflicts=state.get("conflicts") is True,
        mine=state.get("mine") is True,
        suspects=state.get("suspects") is not False,
        tag=str(state.get("tag") or ""),
    )


def kept(options: QueueOptions) -> dict[str, object]:
    """The stored form, which :func:`options_from` reads."""
    order = Order.RANDOM if options.order is Order.NAMED else options.order
    return {
        "order": order.value,
        "everything": options.everything,
        "conflicts": options.conflicts,
        "mine": options.mine,
        "suspects": options.suspects,
        "tag": options.tag,
    }


class EntryReader(QObject):
    """Caches the texts of the current and the next entries."""

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._kept: dict[str, Texts] = {}
        self._reading = False

    def clear(self) -> None:
        """Clear the cache: documents may have changed."""
        self._kept = {}

    def texts(self, item: Item) -> Texts | None:
        """The texts of ``item`` if they have been read."""
        return self._kept.get(item.target)

    def keep(self, item: Item, texts: Texts) -> None:
        """Cache the ``texts`` of ``item``."""
        self._kept[item.target] = texts

    def read_ahead(self, label_session: LabelSession, item: Item) -> None:
        """Read the entries after ``item``, many at once, as soon as few cached ones are left."""
        coming = label_session.upcoming(_AHEAD)
        wanted = [other for other in coming if other.target not in self._kept]
        if self._reading or not wanted or len(wanted) < min(_AHEAD // 2, len(coming)):
            return
        keep = {item.target, *(other.target for other in coming)}
        self._reading = True

        def read(session: Session) -> dict[str, Texts]:
            return {other.target: read_entry(other)(session) for other in wanted}

        def take(arrived: dict[str, Texts]) -> None:
            self._reading = False
            self._kept = {target: texts for target, texts in self._kept.items() if target in keep} | arrived

        def fail(_error: Exception) -> None:
            # An error is reported when the entry itself is to be shown.
            self._reading = False

        self._context.background(read, take, owner=self, failed=fail)
