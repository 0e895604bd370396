"""The list of the Jobs screen: this session's jobs, then the project's earlier runs; and drawing of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.base.types import Run
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.progress import duration, progress_text, state_role, state_word
from workbench.gui.kit.words import local_time
from workbench.gui.problems import guarded, restored
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.job_bridge import JobBridge, JobRecord

ICONS = {
    "done": "circle-check",
    "failed": "circle-cross",
    "cancelled": "circle-half",
    "interrupted": "warning",
    "running": "play",
    "queued": "clock",
    "cancelling": "clock",
}


def second_line(item: JobRecord | Run) -> str:
    """The line of figures below the title."""
    if isinstance(item, JobRecord):
        text = progress_text(item)
        if item.warnings:
            warnings = trn("{count} warning", "{count} warnings", len(item.warnings))
            return f"{text} · {warnings}" if text else warnings
        return text or item.error
    matches = trn("{count} match", "{count} matches", item.matches)
    return f"{local_time(item.created)} · {matches} · {duration(item.seconds)}"


@guarded
class JobDelegate(QStyledItemDelegate):
    """Draws two lines and a progress bar."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Running jobs need space for their progress bar."""
        item = index.data(Qt.ItemDataRole.UserRole)
        return QSize(200, 72 if isinstance(item, JobRecord) and item.active else 58)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        item: JobRecord | Run | None = index.data(Qt.ItemDataRole.UserRole)
        if item is None:
            return
        theme, area = self._theme, QRect(option.rect)
        state: QStyle.StateFlag = option.state
        with restored(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if state & QStyle.StateFlag.State_Selected:
                painter.fillRect(area, theme.qcolor("accent_soft"))
                painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), theme.qcolor("accent"))
            painter.setPen(theme.qcolor("border"))
            painter.drawLine(area.left() + 16, area.bottom(), area.right() - 12, area.bottom())
            if state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(theme.qcolor("accent"))
                painter.drawRect(QRectF(area).adjusted(1.5, 1.5, -1.5, -1.5))
            word = str(item.state)
            scale = painter.device().devicePixelRatioF()
            picture = theme.pixmap(ICONS.get(word, "clock"), state_role(word), 20, scale)
            painter.drawPixmap(area.left() + 16, area.top() + 18, picture)
            left, width = area.left() + 48, area.width() - 48 - 16
            painter.setFont(fonts.font(12, fonts.MEDIUM))
            status = state_word(word)
            status_width = painter.fontMetrics().horizontalAdvance(status) + 2
            painter.setPen(theme.qcolor(state_role(word)))
            painter.drawText(QRect(left + width - status_width, area.top() + 10, status_width, 20), _MIDDLE, status)
            self._write(
                painter,
                str(index.data()),
                fonts.font(13, fonts.SEMIBOLD),
                "text",
                QRect(left, area.top() + 10, width - status_width - 10, 20),
            )
            self._write(
                painter,
                second_line(item),
                fonts.font(12, tabular=True),
                "text3",
                QRect(left, area.top() + 31, width, 18),
            )
            if isinstance(item, JobRecord) and item.active:
                self._bar(painter, item, QRectF(left, area.top() + 56, width, 5))

    def _bar(self, painter: QPainter, record: JobRecord, area: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.qcolor("track"))
        painter.drawRoundedRect(area, 2.5, 2.5)
        painter.setBrush(self._theme.qcolor("accent"))
        filled = QRectF(area)
        filled.setWidth(area.width() * (record.share or 0.0))
        painter.drawRoundedRect(filled, 2.5, 2.5)

    def _write(self, painter: QPainter, text: str, font: QFont, role: str, area: QRect) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.qcolor(role))
        painter.drawText(
            area, _MIDDLE, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        )


_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter)


Index = QModelIndex | QPersistentModelIndex


@guarded
class JobList(QAbstractListModel):
    """Rows are :class:`JobRecord` (newest first), then :class:`Run` of earlier sessions; available in the user role."""

    changed_at = Signal(int)

    def __init__(self, bridge: JobBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._runs: list[Run] = []
        self._items: list[JobRecord | Run] = list(bridge.records)
        bridge.started.connect(self._started)
        bridge.progressed.connect(self._progressed)

    def set_runs(self, runs: Sequence[Run]) -> None:
        """Set the project's runs, newest first; those of this session's jobs are not listed twice."""
        self._runs = list(runs)
        self.refresh()

    def refresh(self) -> None:
        """Rebuild the list; rows of the same jobs and runs keep their places."""
        ended = (self.stored(r.result) for r in self._bridge.records if isinstance(r.result, Run))
        own = {run.id for run in ended if run is not None}
        active = any(r.active for r in self._bridge.records)
        items: list[JobRecord | Run] = list(self._bridge.records)
        items += [r for r in self._runs if r.id not in own and not (active and r.state == "running")]
        if [name_of(item) for item in items] == [name_of(item) for item in self._items]:
            changed = [n for n, (now, before) in enumerate(zip(items, self._items, strict=True)) if now != before]
            self._items = items
            for number in changed:
                self._tell(number)
        else:
            self.beginResetModel()
            self._items = items
            self.endResetModel()

    def item(self, number: int) -> JobRecord | Run | None:
        """The job or run in row ``number``."""
        return self._items[number] if 0 <= number < len(self._items) else None

    def stored(self, run: Run) -> Run | None:
        """``run`` as it is in the open project; None if it was removed or is another project's."""
        return next((r for r in self._runs if (r.id, r.created) == (run.id, run.created)), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title, or the job or run itself (user role)."""
        item = self.item(index.row()) if index.isValid() else None
        if item is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                if isinstance(item, JobRecord):
                    return item.title
                return tr("Run {run} of {method}", run=item.id, method=item.method)
            case Qt.ItemDataRole.UserRole:
                return item
        return None

    def _started(self, record: JobRecord) -> None:
        if record.quiet:
            return
        self.beginInsertRows(QModelIndex(), 0, 0)
        self._items.insert(0, record)
        self.endInsertRows()

    def _progressed(self, record: JobRecord) -> None:
        number = next((n for n, item in enumerate(self._items) if item is record), -1)
        if number >= 0:
            self._tell(number)
        if not record.active:
            self.refresh()

    def _tell(self, number: int) -> None:
        self.dataChanged.emit(self.index(number), self.index(number))
        self.changed_at.emit(number)

    def row_of(self, name: str | int) -> int:
        """The row of the job or run with this name (see :func:`name_of`); -1 if it is not listed."""
        return next((n for n, item in enumerate(self._items) if name_of(item) == name), -1)


def name_of(item: JobRecord | Run) -> str | int:
    """A name that identifies a job or run throughout its life."""
    return item.id
