"""What a user can read of widgets."""

from __future__ import annotations

import re

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QWidget,
)


def shown(root: QWidget) -> list[str]:
    """Every text of the widgets that are not hidden, tips and models among them."""
    texts: list[str] = []
    for widget in [root, *root.findChildren(QWidget)]:
        if not widget.isVisibleTo(root) and widget is not root:
            continue
        texts += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
        if isinstance(widget, QLabel):
            texts.append(widget.text())
        elif isinstance(widget, QPlainTextEdit):
            texts += [widget.toPlainText(), widget.placeholderText()]
        elif isinstance(widget, QLineEdit):
            texts += [widget.text(), widget.placeholderText()]
        elif isinstance(widget, QComboBox):
            texts += [widget.itemText(at) for at in range(widget.count())]
        elif isinstance(widget, QAbstractButton):
            texts.append(f"{widget.text()} {widget.isChecked()} {widget.isEnabled()}")
        elif isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
            for row in range(model.rowCount(QModelIndex())):
                for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())):
                    index = model.index(row, column)
                    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
                    texts += [str(index.data(role)) for role in (*roles, Qt.ItemDataRole.AccessibleTextRole)]
    # Where else the project has a text is read apart, and no verdict is part of it.
    return [text for text in texts if text and not re.match("a run of|a changed passage of", text)]


def outside(window: QWidget) -> set[str]:
    """The parts that the widgets of ``window`` know by name and that are in no window, so that nobody sees them."""
    names: set[str] = set()
    seen: set[int] = set()
    ahead: list[tuple[str, object]] = [("", window)]
    while ahead:
        name, owner = ahead.pop()
        if id(owner) in seen:
            continue
        seen.add(id(owner))
        parts: list[tuple[str, object]] = []
        if isinstance(owner, list | tuple | dict):
            parts = [(name, part) for part in (owner.values() if isinstance(owner, dict) else owner)]
        elif type(owner).__module__.startswith("workbench.gui."):
            fields = getattr(owner, "__dict__", {})
            parts = [(f"{type(owner).__name__}.{field}", part) for field, part in fields.items()]
        for name, part in parts:
            if isinstance(part, QWidget) and part.isWindow() and not isinstance(part, QDialog | QMenu | QMainWindow):
                names.add(name)
            if not isinstance(part, QObject) or (isinstance(part, QWidget) and part.window() is window):
                ahead.append((name, part))
    return names
