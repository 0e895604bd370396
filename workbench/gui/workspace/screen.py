"""The declaration of a screen, and the base class of its view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.problems import guarded
from workbench.gui.workspace.actions import Action, always
from workbench.gui.workspace.context import AppContext

Command = tuple[str, str, Callable[[], object], str, str]
"""Id without the screen's name, title, function, key, icon."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The description of a screen for rail, menus and ``--view``; ``view`` names its class as ``module:class``.

    ``name()`` is its translated name. ``modes`` names its display modes for the command line.
    """

    view_id: str
    icon: str
    name: Callable[[], str]
    view: str
    needs_project: bool = True
    modes: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module of its view."""
        return self.view.partition(":")[0]

    def load(self) -> type[View]:
        """The class of its view; importing it takes a while."""
        view: type[View] = resolve_name(self.view)
        return view


class View(QWidget):
    """One screen. ``kinds`` are the kinds of project content it shows: ``follow`` is called when one of them changes.

    ``ready`` is emitted whenever a load has put its content on screen, ``placed`` when the user has moved to another
    place, which the next session will restore. ``pieces`` builds it step by step, so that the window remains
    responsive.
    """

    declaration: ClassVar[Screen]
    kinds: ClassVar[frozenset[str]] = frozenset()
    ready = Signal()
    placed = Signal()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        guarded(cls)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.context = context
        self._ready = False
        context.read_failed.connect(self._read_failed)
        self.pieces = self.build()

    def build(self) -> Iterator[None]:
        """Build the screen's parts; yields whenever a few milliseconds have passed since the last yield."""
        yield from ()

    @property
    def view_id(self) -> str:
        """The id of the screen."""
        return self.declaration.view_id

    @property
    def title(self) -> str:
        """The text of the top bar while the view is shown."""
        return self.declaration.name()

    def make_action(
        self,
        key: str,
        title: str,
        callback: Callable[[], object],
        shortcut: str = "",
        icon: str = "",
        *,
        enabled: Callable[[], bool] = always,
        needs: str | Callable[[], str] = "",
    ) -> Action:
        """The action ``key`` of this screen, offered while it is shown; other arguments as for :class:`Action`."""
        name = f"{self.view_id}.{key}"
        return Action(name, title, callback, shortcut, view=self.view_id, icon=icon, enabled=enabled, needs=needs)

    def make_actions(self, commands: Iterable[Command], enabled: Callable[[], bool], needs: str) -> list[Action]:
        """``commands`` as actions that are ``enabled`` together; ``needs`` is their common requirement."""
        return [self.make_action(*command, enabled=enabled, needs=needs) for command in commands]

    def styled_widgets(self) -> list[QWidget]:
        """The widgets that get the style sheet, one after another: Qt takes longer for a whole tree than for its parts.

        Anything outside them, such as menus, would be unstyled.
        """
        return [self]

    def load(self) -> None:
        """Load the project's content; called when the view is shown."""
        self.set_ready()

    def follow(self, kinds: frozenset[str]) -> None:
        """Update for changed content of these ``kinds``; called while the view is shown."""
        self.load()

    def is_ready(self) -> bool:
        """Whether the last load is on screen."""
        return self._ready

    def set_ready(self, ready: bool = True) -> None:
        """Record whether content is on screen."""
        self._ready = ready
        if ready:
            self.ready.emit()

    def _read_failed(self, owner: object) -> None:
        """Stop waiting for a read that failed."""
        if owner is self:
            self.set_ready()

    def set_mode(self, mode: str) -> None:
        """Switch to ``mode``, one of ``modes``."""

    def flush(self) -> None:
        """Save typed text that is not yet saved: the project is being closed."""

    def save_state(self) -> dict[str, Any]:
        """The state to save until the next session (JSON)."""
        return {}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Restore the result of ``save_state``; anything missing or invalid is ignored."""

    def key_hints(self) -> list[tuple[str, str]]:
        """Action ids and short words for the keys shown in the status bar."""
        return []

    def first_focus(self) -> QWidget | None:
        """The widget that gets the focus when the view is shown."""
        return None
