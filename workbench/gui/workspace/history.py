"""Undo and redo of what the user did to the project, across views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

Change = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Step:
    """One user action: its name in the menu, how to undo it, how to redo it."""

    title: str
    undo: Change
    redo: Change


class History(QObject):
    """Two stacks of steps. A step whose undo raises stays where it is. ``changed`` is emitted after every change."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._undoable: list[Step] = []
        self._redoable: list[Step] = []

    def push(self, title: str, undo: Change, redo: Change) -> None:
        """Record something that was just done."""
        self._undoable.append(Step(title, undo, redo))
        self._redoable.clear()
        self.changed.emit()

    def clear(self) -> None:
        """Discard everything (another project was opened)."""
        self._undoable.clear()
        self._redoable.clear()
        self.changed.emit()

    def undo(self) -> str:
        """Undo the last step. Returns its title, or "" if there is none."""
        if not self._undoable:
            return ""
        step = self._undoable[-1]
        step.undo()
        self._redoable.append(self._undoable.pop())
        self.changed.emit()
        return step.title

    def redo(self) -> str:
        """Redo the last undone step. Returns its title, or "" if there is none."""
        if not self._redoable:
            return ""
        step = self._redoable[-1]
        step.redo()
        self._undoable.append(self._redoable.pop())
        self.changed.emit()
        return step.title

    def undo_title(self) -> str:
        """Title of the step that would be undone; "" if there is none."""
        return self._undoable[-1].title if self._undoable else ""

    def redo_title(self) -> str:
        """Title of the step that would be redone; "" if there is none."""
        return self._redoable[-1].title if self._redoable else ""
