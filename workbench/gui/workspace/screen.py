"""The base class of screens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.problems.guard import guarded
from workbench.gui.workspace.context import AppContext


class View(QWidget):
    """One screen. ``kinds`` are the kinds of project content it shows: ``follow`` runs when one changes.

    ``ready`` is emitted whenever a load has put its content on the screen, ``placed`` when the user has gone to another
    place that the next session comes back to. ``modes`` names ways of looking at it that the command line offers.
    """

    view_id: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    kinds: ClassVar[frozenset[str]] = frozenset()
    needs_project: ClassVar[bool] = True
    modes: ClassVar[tuple[str, ...]] = ()
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

    @staticmethod
    def name() -> str:
        """The view's name in the rail, translated."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """What the top bar says while the view is shown."""
        return self.name()

    def load(self) -> None:
        """Show the project's content; called when the view is shown."""
        self.set_ready()

    def follow(self, kinds: frozenset[str]) -> None:
        """Show what changed of content of these ``kinds``; called while the view is shown."""
        self.load()

    def is_ready(self) -> bool:
        """Whether the last load is on the screen."""
        return self._ready

    def set_ready(self, ready: bool = True) -> None:
        """Note that content is on the screen (or no longer)."""
        self._ready = ready
        if ready:
            self.ready.emit()

    def _read_failed(self, owner: object) -> None:
        """What could not be read is not waited for."""
        if owner is self:
            self.set_ready()

    def set_mode(self, mode: str) -> None:
        """Look at it as ``mode`` says, one of ``modes``."""

    def flush(self) -> None:
        """Write what was typed and is not written yet: the project is being left."""

    def save_state(self) -> dict[str, Any]:
        """What to remember until the next session (JSON)."""
        return {}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Take up what ``save_state`` remembered; anything missing or odd is ignored."""

    def key_hints(self) -> list[tuple[str, str]]:
        """Action ids and short words for the keys that the status strip shows."""
        return []

    def first_focus(self) -> QWidget | None:
        """The widget that gets the keyboard when the view is shown."""
        return None
