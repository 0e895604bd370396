"""The commands of the Label screen: its own, and one for each value of the label set that is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from workbench.gui.i18n import tr
from workbench.gui.screens.label.desk import Desk
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.board import followed
from workbench.services.labels.definitions import Value

VIEW = "label"
_VALUE, _SECOND = f"{VIEW}.value-", f"{VIEW}.second-"


class Choices(Protocol):
    """Who takes up a value that was chosen with its key."""

    def press(self, name: str) -> None:
        """Choose the value called ``name``."""
        ...

    def press_second(self, name: str) -> None:
        """Choose the value called ``name`` of the set that is asked for next."""
        ...

    def can_choose(self, key: str) -> bool:
        """Whether a value with this key can be chosen now."""
        ...

    def can_choose_second(self) -> bool:
        """Whether a second value is asked for."""
        ...


Command = tuple[str, str, Callable[[], object], str, str]
"""Id without the screen's name, title, what it does, key, icon."""


def made_of(commands: Sequence[Command], enabled: Callable[[], bool], needs: str) -> list[Action]:
    """Actions of ``commands``, offered while ``enabled()``; else ``needs`` says what is missing."""
    return [
        Action(f"{VIEW}.{key}", title, call, shortcut, VIEW, icon, enabled, needs)
        for key, title, call, shortcut, icon in commands
    ]


def name_values(context: AppContext, desk: Desk, choices: Choices) -> None:
    """Give every value of the label set at ``desk`` its command, in place of those before."""
    fresh = [
        _action(
            _VALUE,
            at,
            tr("Label: {value}", value=value.name),
            value,
            choices.press,
            partial(choices.can_choose, value.key),
        )
        for at, value in enumerate(desk.board.label_set.active)
    ]
    names = followed(desk.board.label_set)[1:]
    seconds = {value.name: value for name in names if name in desk.board.sets for value in desk.board.sets[name].active}
    fresh += [
        _action(
            _SECOND,
            at,
            tr("Second label: {value}", value=value.name),
            value,
            choices.press_second,
            choices.can_choose_second,
        )
        for at, value in enumerate(seconds.values())
    ]
    ids = {action.id for action in fresh}
    context.actions.remove([a.id for a in context.actions if a.id.startswith((_VALUE, _SECOND)) and a.id not in ids])
    context.actions.add(*fresh)


def _action(
    prefix: str,
    at: int,
    title: str,
    value: Value,
    call: Callable[[str], object],
    enabled: Callable[[], bool],
) -> Action:
    key = value.key.upper() if value.key.isalpha() else value.key
    return Action(
        f"{prefix}{at + 1}", title, partial(call, value.name), key, VIEW, "label", enabled, tr("Choose an entry first.")
    )
