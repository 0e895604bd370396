"""Undo and redo of what the user did to the project, across views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

Change = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the user did: its name in the menu, how to take it back, how to do it again."""

    title: str
    undo: Change
    redo: Change


class History(QObject):
    """Two stacks of steps. A step whose undo raises stays where it is. ``changed`` after every move."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done: list[Step] = []
        self._undone: list[Step] = []

    def push(self, title: str, undo: Change, redo: Change) -> None:
        """Record something that was just done."""
        self._done.append(Step(title, undo, redo))
        self._undone.clear()
        self.changed.emit()

    def clear(self) -> None:
        """Forget everything (another project was opened)."""
        self._done.clear()
        self._undone.clear()
        self.changed.emit()

    def undo(self) -> str:
        """Take back the last step; its title, or "" when there is none."""
        if not self._done:
            return ""
        step = self._done[-1]
        step.undo()
        self._undone.append(self._done.pop())
        self.changed.emit()
        return step.title

    def redo(self) -> str:
        """Do the last undone step again; its title, or "" when there is none."""
        if not self._undone:
            return ""
        step = self._undone[-1]
        step.redo()
        self._done.append(self._undone.pop())
        self.changed.emit()
        return step.title

    def undo_title(self) -> str:
        """Title of the step that undo would take back; "" when there is none."""
        return self._done[-1].title if self._done else ""

    def redo_title(self) -> str:
        """Title of the step that redo would do again; "" when there is none."""
        return self._undone[-1].title if self._undone else ""
