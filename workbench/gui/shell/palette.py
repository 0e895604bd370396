"""The command palette: every action, view and recent project within a few keystrokes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import key_text, label, line
from workbench.gui.problems import guarded, restored
from workbench.gui.theme import fonts
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext

Index = QModelIndex | QPersistentModelIndex
RECENT = "recent:"
"""Beginning of the ids of actions that open recent projects."""
_LETTERS = 4
"""Rank of a title that only has the letters of the query in their order."""


def matches(title: str, query: str) -> int | None:
    """Rank of ``title`` for ``query``: smaller is better, None if it does not match.

    Every word of the query must begin a word of the title or occur in the title, or its letters must occur in order.
    """
    title, query = title.casefold(), query.casefold().strip()
    if not query:
        return 0
    if title.startswith(query):
        return 1
    words = query.split()
    if all(any(part.startswith(word) for part in title.split()) for word in words):
        return 2
    if all(word in title for word in words):
        return 3
    letters = iter(title)
    return _LETTERS if all(letter in letters for letter in query.replace(" ", "")) else None


def _best(actions: Sequence[Action], query: str, worst: int = _LETTERS) -> list[Action]:
    """The ``actions`` that match ``query``, best first, up to the rank ``worst``."""
    scored = [(matches(a.title, query), i, a) for i, a in enumerate(actions)]
    return [a for s, _, a in sorted((s, i, a) for s, i, a in scored if s is not None and s <= worst)]


@guarded
class PaletteModel(QAbstractListModel):
    """The actions that match the query, best first."""

    def __init__(self, actions: Sequence[Action], context: AppContext) -> None:
        super().__init__()
        self._all = [a for a in actions if context.actions.offered(a.id)]
        self._unavailable = [a for a in actions if a not in self._all]
        self._context = context
        self.matching: list[Action] = list(self._all)

    def search(self, query: str) -> None:
        """Show the matches of ``query``."""
        self.beginResetModel()
        self.matching = _best(self._all, query)
        self.endResetModel()

    def refusal(self, query: str) -> str:
        """Why the action that matches ``query`` is not offered now, or that there is none."""
        unavailable = _best(self._unavailable, query, _LETTERS - 1)
        return self._context.actions.refusal(unavailable[0].id) if unavailable else tr("No action has this name.")

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.matching)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Title, shortcut (as the status tip) and the action (user role)."""
        if not index.isValid() or index.row() >= len(self.matching):
            return None
        action = self.matching[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return action.title
            case Qt.ItemDataRole.StatusTipRole:
                return key_text(self._context.actions.shortcut(action.id))
            case Qt.ItemDataRole.UserRole:
                return action.id
        return None


@guarded
class PaletteDelegate(QStyledItemDelegate):
    """Icon, title, and the shortcut in a small frame."""

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(300, 36)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one action."""
        theme, area = self._context.theme, QRect(option.rect)
        with restored(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if option.state & QStyle.StateFlag.State_Selected:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.qcolor("accent_soft"))
                painter.drawRoundedRect(area.adjusted(6, 1, -6, -1), 6, 6)
            action = self._context.actions[index.data(Qt.ItemDataRole.UserRole)]
            scale = painter.device().devicePixelRatioF()
            if action.icon:
                picture = theme.pixmap(action.icon, "text3", 16, scale)
                painter.drawPixmap(area.left() + 16, area.top() + 10, picture)
            painter.setFont(fonts.font(13))
            painter.setPen(theme.qcolor("text"))
            flags = int(Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(area.adjusted(44, 0, -120, 0), flags, str(index.data()))
            keys = str(index.data(Qt.ItemDataRole.StatusTipRole))
            if keys:
                painter.setFont(fonts.font(11, fonts.MEDIUM))
                width = painter.fontMetrics().horizontalAdvance(keys) + 12
                frame = QRect(area.right() - 16 - width, area.top() + 9, width, 18)
                painter.setPen(theme.qcolor("border2"))
                painter.setBrush(theme.qcolor("sunken"))
                painter.drawRoundedRect(frame, 4, 4)
                painter.setPen(theme.qcolor("text2"))
                painter.drawText(frame, int(Qt.AlignmentFlag.AlignCenter), keys)


@guarded
class Palette(QDialog):
    """The palette: type to search, Up and Down to choose, Enter to run, Escape to close."""

    def __init__(self, context: AppContext, extra: Sequence[Action], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._context = context
        self.setObjectName("palette")
        self.setWindowTitle(tr("Command palette"))
        self.setFixedWidth(560)
        self.query = QLineEdit()
        self.query.setPlaceholderText(tr("Type what you want to do"))
        self.query.setAccessibleName(tr("Search actions"))
        self.query.setFont(fonts.font(15))
        self.query.setMinimumHeight(40)
        self.query.addAction(context.theme.icon("search", "text3"), QLineEdit.ActionPosition.LeadingPosition)
        # Those of projects that are no longer recent would be listed, and in the language of their time.
        context.actions.remove([a.id for a in context.actions if a.id.startswith(RECENT)])
        context.actions.add(*extra)
        listed = [a for a in context.actions if a.id != "window.palette"]
        self.model = PaletteModel(listed, context)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteDelegate(context, self))
        self.list.setAccessibleName(tr("Actions"))
        self.list.setUniformItemSizes(True)
        self.list.setFixedHeight(36 * 10)
        self.none = label("", 13, role="muted")
        self.none.setWordWrap(True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.none.setFixedHeight(36 * 10)
        self.none.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 8)
        layout.setSpacing(8)
        for widget in (self.query, line(), self.list, self.none):
            layout.addWidget(widget)
        self.query.textChanged.connect(self._search)
        self.query.installEventFilter(self)
        self.list.clicked.connect(lambda index: self._run(index))
        self.finished.connect(self.deleteLater)
        self._search("")

    def open_at(self, window: QWidget) -> None:
        """Show the palette near the top of ``window``."""
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - self.width()) // 2, corner.y() + 56)
        self.show()
        self.query.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys move in the list while the field keeps the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 9, Qt.Key.Key_PageUp: -9}
            if event.key() in steps:
                self._move(steps[Qt.Key(event.key())])
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _move(self, step: int) -> None:
        count = self.model.rowCount()
        if count:
            wanted = self.list.currentIndex().row() + step
            wanted = wanted % count if abs(step) == 1 else max(0, min(count - 1, wanted))
            self.list.setCurrentIndex(self.model.index(wanted))

    def _search(self, query: str) -> None:
        self.model.search(query)
        any_match = self.model.rowCount() > 0
        self.none.setText("" if any_match else self.model.refusal(query))
        # The one that goes first: with both, the palette would be twice as high and stay so.
        shown, hidden = (self.list, self.none) if any_match else (self.none, self.list)
        hidden.hide()
        shown.show()
        self.list.setCurrentIndex(self.model.index(0))

    def _run(self, index: Index) -> None:
        key = index.data(Qt.ItemDataRole.UserRole)
        if key:
            self.accept()
            self._context.actions.run(key)
