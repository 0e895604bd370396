"""What the window asks of a view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.context import AppContext


class View(QWidget):
    """One screen. ``kinds`` are the kinds of project content it shows: ``load`` runs again when one changes.

    ``ready`` is emitted whenever a load has put its content on the screen.
    """

    view_id: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    kinds: ClassVar[frozenset[str]] = frozenset()
    needs_project: ClassVar[bool] = True
    ready = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.context = context
        self._ready = False

    @staticmethod
    def name() -> str:
        """The view's name in the rail, translated."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """What the top bar says while the view is shown."""
        return self.name()

    def load(self) -> None:
        """Show the project's content; called when the view is shown and when its kinds changed."""
        self.set_ready()

    def is_ready(self) -> bool:
        """Whether the last load is on the screen."""
        return self._ready

    def set_ready(self, ready: bool = True) -> None:
        """Note that content is on the screen (or no longer)."""
        self._ready = ready
        if ready:
            self.ready.emit()

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
