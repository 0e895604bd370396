"""Actions are data: menus, shortcuts, the command palette and the key list all derive from one set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Action:
    """One thing the user can do.

    ``id`` is stable ("documents.import"), ``title`` a translated verb phrase, ``shortcut`` a portable key sequence
    or "". ``view`` limits it to one view ("" everywhere): its shortcut works and it is listed only while that view is
    shown. ``enabled`` is asked whenever it is offered, and ``needs`` says what is missing where it is
    not. ``menu`` names the menu bar's menu, "" for the palette only.
    """

    id: str
    title: str
    callback: Callable[[], object]
    shortcut: str = ""
    menu: str = ""
    view: str = ""
    icon: str = ""
    enabled: Callable[[], bool] = field(default=_always)
    needs: str = ""


class ActionSet(QObject):
    """All actions of the window. ``chosen`` maps action ids to the user's own shortcuts ("" for none)."""

    changed = Signal()

    def __init__(self, chosen: Mapping[str, str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen = dict(chosen or {})
        self._actions: dict[str, Action] = {}
        self._qt: dict[str, QAction] = {}
        self._view = ""

    def add(self, *actions: Action) -> None:
        """Register actions; one with a known id replaces the older."""
        for action in actions:
            self._actions[action.id] = action
            made = self._qt.get(action.id)
            if made is None:
                made = self._qt[action.id] = QAction(self)
                made.triggered.connect(lambda _checked=False, key=action.id: self.run(key))
                made.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            made.setText(action.title)
            made.setShortcut(QKeySequence(self.shortcut(action.id)))
        self._update()

    def retitle(self, key: str, title: str) -> None:
        """Call ``key`` something else from now on."""
        self._actions[key] = replace(self._actions[key], title=title)
        self._qt[key].setText(title)

    def remove(self, ids: Iterable[str]) -> None:
        """Unregister actions (their view is gone)."""
        for key in ids:
            self._actions.pop(key, None)
            made = self._qt.pop(key, None)
            if made is not None:
                made.deleteLater()
        self.changed.emit()

    def __iter__(self) -> Iterator[Action]:
        return iter(list(self._actions.values()))

    def __contains__(self, key: object) -> bool:
        return key in self._actions

    def __getitem__(self, key: str) -> Action:
        return self._actions[key]

    def qt(self, key: str) -> QAction:
        """The QAction of ``key`` for menus and buttons."""
        return self._qt[key]

    def attach(self, widget: QWidget) -> None:
        """Make the shortcuts work in ``widget``'s window."""
        for made in self._qt.values():
            if made not in widget.actions():
                widget.addAction(made)

    def shortcut(self, key: str) -> str:
        """The shortcut of ``key``: the user's own, else the default."""
        return self._chosen.get(key, self._actions[key].shortcut)

    def set_shortcut(self, key: str, sequence: str) -> list[str]:
        """Give ``key`` a shortcut ("" for none); returns the ids that held it and lost it."""
        wanted = QKeySequence(sequence).toString(QKeySequence.SequenceFormat.PortableText)
        losers = [a.id for a in self if wanted and a.id != key and self.clash(a.id, key) and self._is(a.id, wanted)]
        for loser in losers:
            self._chosen[loser] = ""
        self._chosen[key] = wanted
        for name in (key, *losers):
            self._qt[name].setShortcut(QKeySequence(self._chosen[name]))
        self.changed.emit()
        return losers

    def reset_shortcuts(self) -> None:
        """Back to the defaults."""
        self._chosen.clear()
        for key, made in self._qt.items():
            made.setShortcut(QKeySequence(self._actions[key].shortcut))
        self.changed.emit()

    def chosen(self) -> dict[str, str]:
        """The user's own shortcuts by action id."""
        return dict(self._chosen)

    def clash(self, one: str, other: str) -> bool:
        """Whether two actions can be offered at the same time."""
        views = (self._actions[one].view, self._actions[other].view)
        return "" in views or views[0] == views[1]

    def set_view(self, view: str) -> None:
        """The view that is shown: actions of other views fall silent."""
        self._view = view
        self._update()

    def offered(self, key: str) -> bool:
        """Whether ``key`` can be run now."""
        action = self._actions[key]
        return action.view in ("", self._view) and action.enabled()

    def run(self, key: str) -> None:
        """Run ``key`` if it is offered."""
        if key in self._actions and self.offered(key):
            self._actions[key].callback()

    def refresh(self) -> None:
        """Ask every action again whether it is enabled."""
        for key, made in self._qt.items():
            made.setEnabled(self.offered(key))

    def _update(self) -> None:
        self.refresh()
        self.changed.emit()

    def _is(self, key: str, portable: str) -> bool:
        current = QKeySequence(self.shortcut(key)).toString(QKeySequence.SequenceFormat.PortableText)
        return current == portable
