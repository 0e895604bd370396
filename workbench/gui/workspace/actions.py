"""Actions as data: menus, shortcuts, the command palette and the key list are all derived from one set."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr
from workbench.gui.problems import recorder


def always() -> bool:
    """The condition of actions that are always available."""
    return True


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Action:
    """One user action.

    ``id`` is stable ("documents.import"), ``title`` a translated verb phrase, ``shortcut`` a portable key sequence or
    "". ``view`` limits it to one view ("" everywhere): its shortcut works and it is listed only while that view is
    shown. ``enabled`` is called whenever it is offered; ``needs`` is the requirement if it is unavailable, or a
    function that returns it if it depends on the view. ``menu`` names its menu, "" that of its screen.
    """

    id: str
    title: str
    callback: Callable[[], object]
    shortcut: str = ""
    _: KW_ONLY
    view: str = ""
    icon: str = ""
    enabled: Callable[[], bool] = field(default=always)
    needs: str | Callable[[], str] = ""
    menu: str = ""

    def missing(self) -> str:
        """The requirement that is not met; "" if none is stated."""
        return self.needs if isinstance(self.needs, str) else self.needs()

    @property
    def screen(self) -> str:
        """The id of its screen: the first part of its own id."""
        return self.id.partition(".")[0]


class ActionSet(QObject):
    """All actions of the window. ``chosen`` maps action ids to the user's own shortcuts ("" for none).

    ``refreshed`` is emitted when some may have become available or unavailable. ``refused`` emits the reason why a
    requested action is unavailable: no request is silently ignored. ``running`` is emitted before an action is carried
    out.
    """

    changed = Signal()
    refreshed = Signal()
    refused = Signal(str)
    running = Signal()

    def __init__(self, chosen: Mapping[str, str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen = dict(chosen or {})
        self._actions: dict[str, Action] = {}
        self._qt: dict[str, QAction] = {}
        self._view = ""

    def add(self, *actions: Action) -> None:
        """Register actions; an action with a known id replaces the older one, one whose shortcut the user has given to
        another has none.
        """
        for action in actions:
            self._actions[action.id] = action
            command = self._qt.get(action.id)
            if command is None:
                command = self._qt[action.id] = QAction(self)
                command.triggered.connect(lambda _checked=False, key=action.id: self.run(key))
                command.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            command.setText(action.title)
            command.setShortcut(QKeySequence(self.shortcut(action.id)))
        for key, keys in list(self._chosen.items()):
            if key in self._actions:
                self._take(keys, key, [action for action in self if action.id not in self._chosen])
        self._update()

    def retitle(self, key: str, title: str) -> None:
        """Change the title of ``key``."""
        self._actions[key] = replace(self._actions[key], title=title)
        self._qt[key].setText(title)

    def silence(self, *screens: str) -> None:
        """Disable the actions of ``screens``, whose views no longer exist, until they are added again."""
        for key, action in self._actions.items():
            if action.screen in screens:
                self._actions[key] = replace(action, callback=_nothing, enabled=lambda: False)
        self._update()

    def remove(self, ids: Iterable[str]) -> None:
        """Unregister actions (their view no longer exists)."""
        for key in ids:
            self._actions.pop(key, None)
            command = self._qt.pop(key, None)
            if command is not None:
                command.deleteLater()
        self.changed.emit()

    def __iter__(self) -> Iterator[Action]:
        return iter(list(self._actions.values()))

    def __contains__(self, key: object) -> bool:
        return key in self._actions

    def __getitem__(self, key: str) -> Action:
        return self._actions[key]

    def qt(self, key: str) -> QAction:
        """The QAction of ``key``, for menus and buttons."""
        return self._qt[key]

    def attach(self, widget: QWidget) -> None:
        """Activate the shortcuts in ``widget``'s window."""
        there = set(widget.actions())
        widget.addActions([command for command in self._qt.values() if command not in there])

    def shortcut(self, key: str) -> str:
        """The shortcut of ``key``: the user's own, otherwise the default."""
        return self._chosen.get(key, self._actions[key].shortcut)

    def set_shortcut(self, key: str, sequence: str) -> list[str]:
        """Give ``key`` a shortcut ("" for none); returns the ids of actions that lost it."""
        keys = portable(sequence)
        losers = self._take(keys, key, self)
        self._chosen[key] = keys
        self._qt[key].setShortcut(QKeySequence(keys))
        self.changed.emit()
        return losers

    def _take(self, keys: str, key: str, owners: Iterable[Action]) -> list[str]:
        """Take the shortcut ``keys`` for ``key`` from those of ``owners`` that it would clash with; their ids."""
        losers = [a.id for a in owners if keys and a.id != key and self.clash(a.id, key) and self._is(a.id, keys)]
        for loser in losers:
            self._chosen[loser] = ""
            self._qt[loser].setShortcut(QKeySequence())
        return losers

    def reset_shortcuts(self) -> None:
        """Restore the defaults."""
        self._chosen.clear()
        for key, command in self._qt.items():
            command.setShortcut(QKeySequence(self._actions[key].shortcut))
        self.changed.emit()

    def chosen(self) -> dict[str, str]:
        """The user's own shortcuts by action id."""
        return dict(self._chosen)

    def clash(self, one: str, other: str) -> bool:
        """Whether two actions can be available at the same time."""
        views = (self._actions[one].view, self._actions[other].view)
        return "" in views or views[0] == views[1]

    def set_view(self, view: str) -> None:
        """Set the current view: actions of other views are disabled."""
        self._view = recorder().view = view
        self._update()

    def offered(self, key: str) -> bool:
        """Whether ``key`` is available now."""
        action = self._actions[key]
        return action.view in ("", self._view) and action.enabled()

    def run(self, key: str) -> None:
        """Run ``key`` if it is available, otherwise show why it is not."""
        if key not in self._actions:
            return
        if self.offered(key):
            recorder().action = key
            self.running.emit()
            self._actions[key].callback()
        else:
            self.refused.emit(self.refusal(key))

    def refusal(self, key: str) -> str:
        """Why ``key`` is unavailable now."""
        action = self._actions[key]
        if action.view not in ("", self._view):
            go = self._actions.get(f"go.{action.view}")
            where = go.title if go is not None else action.view
            return tr("“{action}” belongs to another view. {go} first.", action=action.title, go=where)
        missing = action.missing()
        return f"{action.title}: {missing}" if missing else tr("“{action}” is not available now.", action=action.title)

    def refuse(self, sequence: QKeySequence) -> bool:
        """Show why the action with this shortcut is not available. Returns False if there is none, or one is available.

        If there are several, the one of the current view is used.
        """
        keys = sequence.toString(QKeySequence.SequenceFormat.PortableText)
        meant = sorted((a.view not in ("", self._view), a.id) for a in self if keys and self._is(a.id, keys))
        if not meant or any(self.offered(key) for _, key in meant):
            return False
        self.refused.emit(self.refusal(meant[0][1]))
        return True

    def refresh(self, keys: Collection[str] = ()) -> None:
        """Update whether the actions ``keys`` (default: all of the current view) are enabled."""
        answers: dict[Callable[[], bool], bool] = {}
        for key in keys or [key for key, action in self._actions.items() if action.view in ("", self._view)]:
            if key in self._qt:
                action = self._actions[key]
                on = action.view in ("", self._view)
                # Many actions share the same check.
                if on and action.enabled not in answers:
                    answers[action.enabled] = action.enabled()
                self._qt[key].setEnabled(on and answers[action.enabled])
        self.refreshed.emit()

    def _update(self) -> None:
        self.refresh(self._qt.keys())
        self.changed.emit()

    def _is(self, key: str, keys: str) -> bool:
        return portable(self.shortcut(key)) == portable(keys)


@cache
def portable(sequence: str) -> str:
    """A key sequence as it is stored."""
    return QKeySequence(sequence).toString(QKeySequence.SequenceFormat.PortableText)
