"""Start: recent projects, and the three ways to begin."""

from __future__ import annotations

import stat
import threading
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import EmptyState, IconLabel, column, heading, icon_button, label, line, panel, row, tag
from workbench.gui.problems import guarded, restored
from workbench.gui.screens.start import SCREEN
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.screen import Screen, View

Index = QModelIndex | QPersistentModelIndex


_LOOK_MS = 20
"""Milliseconds between looks at the answers of the threads."""


class _State(NamedTuple):
    """Whether a file is missing, and when it last changed; "" if unknown."""

    missing: bool = False
    changed: str = ""


@guarded
class RecentModel(QAbstractListModel):
    """Recent projects: path (user role), whether its file is missing (user role + 1), when it last changed (user
    role + 2). The last two follow when they are known: a network drive that does not answer takes minutes.
    """

    MISSING = Qt.ItemDataRole.UserRole + 1
    CHANGED = Qt.ItemDataRole.UserRole + 2

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._paths: list[Path] = []
        self._known: dict[Path, _State] = {}
        self._waiting: dict[Path, list[_State]] = {}
        """The answers of the threads, by path, until they are taken over."""
        self._turn = QTimer(self, interval=_LOOK_MS)
        self._turn.timeout.connect(self._take)

    def set_paths(self, paths: list[str]) -> None:
        """Replace all rows, and look at their files."""
        self.beginResetModel()
        self._paths = [Path(p) for p in paths]
        self.endResetModel()
        for path in self._paths:
            if path not in self._waiting:
                answer = self._waiting[path] = []
                threading.Thread(target=_look, args=(path, answer), name="recent", daemon=True).start()
        self._turn.start()

    def missing(self, path: Path) -> bool:
        """Whether the file at ``path`` is known to be missing."""
        return self._known.get(path, _State()).missing

    def _take(self) -> None:
        """Show what is known by now."""
        for path in [path for path, answer in self._waiting.items() if answer]:
            self._known[path] = self._waiting.pop(path)[0]
            if path in self._paths:
                at = self.index(self._paths.index(path))
                self.dataChanged.emit(at, at)
        if not self._waiting:
            self._turn.stop()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._paths)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._paths):
            return None
        path = self._paths[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return path.stem
            case Qt.ItemDataRole.ToolTipRole:
                return str(path)
            case Qt.ItemDataRole.UserRole:
                return str(path)
            case self.MISSING:
                return self.missing(path)
            case self.CHANGED:
                return self._known.get(path, _State()).changed
        return None


def _look(path: Path, answer: list[_State]) -> None:
    """Add the state of the file at ``path`` to ``answer``."""
    try:
        known = path.stat()
    except OSError:
        answer.append(_State(missing=True))
        return
    changed = datetime.fromtimestamp(known.st_mtime).strftime("%Y-%m-%d %H:%M")
    answer.append(_State(not stat.S_ISREG(known.st_mode), changed))


@guarded
class RecentDelegate(QStyledItemDelegate):
    """Draws name, folder and time; a missing file is marked as missing."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(300, 58)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one project."""
        theme, area = self._theme, QRect(option.rect)
        state: QStyle.StateFlag = option.state
        missing = bool(index.data(RecentModel.MISSING))
        with restored(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = area.adjusted(8, 2, -8, -2)
            if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
                selected = state & QStyle.StateFlag.State_Selected
                painter.setPen(theme.qcolor("accent") if state & QStyle.StateFlag.State_HasFocus else Qt.PenStyle.NoPen)
                painter.setBrush(theme.qcolor("accent_soft" if selected else "hover"))
                painter.drawRoundedRect(ground, 6, 6)
            scale = painter.device().devicePixelRatioF()
            picture = theme.pixmap("warning" if missing else "documents", "warn" if missing else "accent", 20, scale)
            painter.drawPixmap(ground.left() + 12, ground.center().y() - 10, picture)
            left, right = ground.left() + 46, ground.right() - 12
            note = tr("File missing") if missing else str(index.data(RecentModel.CHANGED))
            painter.setFont(fonts.font(12, tabular=True))
            width = painter.fontMetrics().horizontalAdvance(note)
            painter.setPen(theme.qcolor("warn" if missing else "text3"))
            middle = int(Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(QRect(right - width, ground.top(), width + 1, ground.height()), middle, note)
            room = right - width - 16 - left
            self._write(
                painter,
                str(index.data()),
                fonts.font(14, fonts.SEMIBOLD),
                "text2" if missing else "text",
                QRect(left, ground.top() + 8, room, 20),
            )
            folder = str(Path(_path(index)).parent)
            self._write(painter, folder, fonts.font(12), "text3", QRect(left, ground.top() + 29, room, 17))

    def _write(self, painter: QPainter, text: str, font: Any, role: str, area: QRect) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.qcolor(role))
        cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, area.width())
        painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), cut)


@guarded
class RecentList(QListView):
    """A list of projects: Enter or a click opens, Delete removes; both emit the path."""

    opened = Signal(str)
    forgotten = Signal(str)

    def __init__(self, theme: Theme, model: RecentModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(RecentDelegate(theme, self))
        self.setAccessibleName(tr("Recent projects"))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.clicked.connect(lambda index: self.opened.emit(_path(index)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the current project, Delete removes it from the list."""
        current = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid():
            self.opened.emit(_path(current))
        elif event.key() == Qt.Key.Key_Delete and current.isValid():
            self.forgotten.emit(_path(current))
        else:
            super().keyPressEvent(event)


def _path(index: Index) -> str:
    return str(index.data(Qt.ItemDataRole.UserRole))


class StartView(View):
    """Recent projects, and how to begin."""

    declaration: ClassVar[Screen] = SCREEN

    def build(self) -> Iterator[None]:
        context = self.context
        self.model = RecentModel(self)
        self.list = RecentList(context.theme, self.model)
        self.list.opened.connect(self.open_project)
        self.list.forgotten.connect(self.forget)
        self.count = label("", 12, role="faint", tabular=True)
        frame, layout = panel()
        layout.addLayout(row(heading(tr("Recent projects")), self.count, None, margins=(18, 14, 14, 10)))
        layout.addWidget(line())
        self._pages = QStackedWidget()
        yield
        empty = EmptyState(
            context.theme,
            "folder",
            tr("No projects yet"),
            tr("A project is one file with your texts, the findings in them, and your decisions."),
        )
        self._pages.addWidget(self.list)
        self._pages.addWidget(empty)
        layout.addWidget(self._pages, 1)
        layout.setContentsMargins(0, 0, 0, 8)
        frame.setMinimumWidth(460)
        frame.setMaximumWidth(760)
        yield
        whole = row(None, spacing=18, margins=(32, 22, 32, 22))
        whole.addWidget(frame, 5)
        whole.addWidget(self._begin(), 3)
        whole.addStretch(1)
        page = column(self._title(), spacing=0)
        page.addLayout(whole, 1)
        self.setLayout(page)

    def _title(self) -> QWidget:
        part = QWidget()
        words = column(
            label(tr("Text reuse, found and documented"), 24, weight=fonts.SEMIBOLD),
            label(
                tr("Import texts, find passages taken from other texts, decide, and export a report."),
                14,
                role="muted",
            ),
            spacing=6,
        )
        mark = IconLabel(self.context.theme, "logo", "accent", 44)
        part.setLayout(row(None, mark, 8, words, None, margins=(32, 36, 32, 8), spacing=12))
        return part

    def _begin(self) -> QWidget:
        part = QWidget()
        part.setMinimumWidth(300)
        part.setMaximumWidth(420)
        run = self.context.actions.run
        theme = self.context.theme
        cards = (
            (
                "sample",
                tr("Try the sample"),
                tr("A finished example with Japanese, Chinese and English texts, ready to review."),
                tr("Open the sample"),
                "file.sample",
                "primary",
            ),
            (
                "plus",
                tr("New project"),
                tr("Start empty, then import files or drop them on the window."),
                tr("New project…"),
                "file.new",
                "",
            ),
            (
                "folder",
                tr("Open a project"),
                tr("Continue with a project file (*.palimpsest)."),
                tr("Open project…"),
                "file.open",
                "",
            ),
        )
        layout = column(spacing=12)
        for icon, title, sentence, word, action, kind in cards:
            frame, inner = panel()
            inner.setContentsMargins(18, 16, 18, 16)
            inner.setSpacing(8)
            inner.addLayout(row(IconLabel(theme, icon, "accent", 20), heading(title), None, spacing=10))
            inner.addWidget(label(sentence, 13, role="muted", wrap=True))
            begin_button = icon_button(theme, word, icon, partial(run, action), kind)
            shortcut = self.context.actions.shortcut(action)
            inner.addLayout(row(begin_button, *((tag(shortcut),) if shortcut else ()), None, margins=(0, 4, 0, 0)))
            layout.addWidget(frame)
        drop = QFrame()
        drop.setObjectName("well")
        words = label(tr("Or drop a project, files or folders anywhere on the window."), 12, role="muted", wrap=True)
        drop.setLayout(row(IconLabel(theme, "import", "text3", 20), words, margins=(16, 12, 16, 12), spacing=12))
        layout.addWidget(drop)
        layout.addStretch(1)
        part.setLayout(layout)
        return part

    def load(self) -> None:
        """List the recent projects."""
        recent = self.context.settings.recent
        self.model.set_paths(recent)
        self.list.setCurrentIndex(self.model.index(0))
        self.count.setText(f"{len(recent):,}" if recent else "")
        self._pages.setCurrentIndex(0 if recent else 1)
        self.set_ready()

    def open_project(self, path: str) -> None:
        """Open a project from the list; for a missing one, explain why it cannot be opened."""
        if self.model.missing(Path(path)):
            hint = tr("Press Delete to remove it from the list.")
            self.context.say(tr("{path} no longer exists. {hint}", path=path, hint=hint), "warn")
        else:
            self.context.open_project(Path(path), opened=lambda: self.context.show_view("documents"))

    def forget(self, path: str) -> None:
        """Remove a project from the list; its file is kept."""
        self.context.settings.forget(path)
        self.load()

    def key_hints(self) -> list[tuple[str, str]]:
        return [("file.new", tr("new project")), ("file.open", tr("open")), ("window.palette", tr("all actions"))]

    def first_focus(self) -> QWidget | None:
        return self.list if self.model.rowCount() else None
