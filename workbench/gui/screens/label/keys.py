"""The commands of the Label screen: its own, and one for each value of the shown label set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench.gui.i18n import tr
from workbench.gui.screens.label.labelling import Labeller
from workbench.gui.screens.label.queue_panel import QueuePanel
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.definitions import Value
from workbench.services.labels.label_state import followed

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
            needs=tr("Select an entry first."),
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

    def _asks_second(self) -> bool:
        return self._shown() and self._labeller.follow is not None
