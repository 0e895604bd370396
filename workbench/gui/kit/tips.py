"""Tooltips of action buttons: what the action does, its key and, while it is unavailable, what it needs."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.gui.kit.widgets import key_text
from workbench.gui.problems import guarded
from workbench.gui.workspace.actions import ActionSet


def tip_text(actions: ActionSet, key: str) -> str:
    """The current tooltip of action ``key``."""
    action, shortcut = actions[key], key_text(actions.shortcut(key))
    words = f"{action.title} ({shortcut})" if shortcut else action.title
    return words if action.enabled() or not (missing := action.missing()) else f"{words}\n{missing}"


@guarded
class _Tip(QObject):
    """A tooltip composed when shown: keys can be changed, and availability changes with every selection."""

    def __init__(self, widget: QWidget, actions: ActionSet, key: str) -> None:
        super().__init__(widget)
        self._widget, self._actions, self._key = widget, actions, key
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent) or self._key not in self._actions:
            return False
        QToolTip.showText(event.globalPos(), tip_text(self._actions, self._key), self._widget)
        return True


def give_tips(actions: ActionSet, parts: Mapping[str, QWidget]) -> None:
    """Give each of ``parts`` (widgets by action id) its action's tooltip."""
    for key, part in parts.items():
        _Tip(part, actions, key)
