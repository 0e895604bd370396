"""The Jobs screen's list: this session's jobs, then the project's earlier runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from workbench.base.types import Run
from workbench.gui.i18n import tr
from workbench.gui.problems.guard import guarded
from workbench.gui.workspace.job_bridge import JobBridge, JobRecord

Index = QModelIndex | QPersistentModelIndex


@guarded
class JobList(QAbstractListModel):
    """Rows are :class:`JobRecord` (newest first), then :class:`Run` of earlier sessions; the user role holds them."""

    changed_at = Signal(int)

    def __init__(self, bridge: JobBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._runs: list[Run] = []
        self._items: list[JobRecord | Run] = list(bridge.records)
        bridge.started.connect(self._started)
        bridge.progressed.connect(self._progressed)

    def set_runs(self, runs: Sequence[Run]) -> None:
        """The project's runs, newest first; those of this session's jobs are not listed twice."""
        self._runs = list(runs)
        self.refresh()

    def refresh(self) -> None:
        """Rebuild the list; rows for the same jobs and runs stay where they are."""
        own = {r.result.id for r in self._bridge.records if isinstance(r.result, Run)}
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

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Jobs and runs."""
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
