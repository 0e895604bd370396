"""A table model over whole columns: sorting and filtering rearrange one int32 order array, never the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.problems import guarded

Index = QModelIndex | QPersistentModelIndex
Values = Sequence[Any] | NDArray[Any]
Mask = NDArray[np.bool_]

KEY_ROLE = Qt.ItemDataRole.UserRole
"""Item role of a row's key."""
VALUE_ROLE = Qt.ItemDataRole.UserRole + 1
"""Item role of the unformatted value."""
_ROLES = {
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.TextAlignmentRole,
    KEY_ROLE,
    VALUE_ROLE,
}
"""Item roles for which a cell has data."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the name of its values, its title, and how values are formatted.

    ``numeric`` aligns right, in tabular figures. ``blank`` is shown for an absent value (None, NaN or ""). ``width`` is
    in logical pixels; 0 takes the remaining width.
    """

    name: str
    title: str
    write: Callable[[Any], str] = str
    numeric: bool = False
    width: int = 0
    blank: str = ""
    tip: str = ""


def whole(value: Any) -> str:
    """A count with thousands separators."""
    return f"{int(value):,}"


def decimal(value: Any) -> str:
    """A figure with two decimals; .999 is not rounded up to 1, which would mean certainty or equality."""
    figure = float(value)
    return "0.99" if 0.995 <= figure < 1 else f"{figure:,.2f}"


@guarded
class ColumnsModel(QAbstractTableModel):
    """Shows ``columns`` of equal length n; ``order`` (int32) lists the source rows that are shown, in order."""

    def __init__(self, columns: Sequence[Column], key: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.key = key
        self._values: dict[str, Values] = {name: [] for name in (key, *(column.name for column in columns))}
        self._ranks: dict[str, NDArray[np.int32]] = {}
        self._sorted: tuple[tuple[int, Qt.SortOrder], NDArray[np.int32]] | None = None
        self._haystack: list[str] | None = None
        self._searched: tuple[str, ...] = ()
        self._needle = ""
        self._mask: Mask | None = None
        self._sort: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)
        self.order: NDArray[np.int32] = np.zeros(0, np.int32)

    def set_values(self, values: Mapping[str, Values], searched: Sequence[str] = ()) -> None:
        """Replace all rows; the text filter searches the columns named in ``searched``. Sorting and filter are kept."""
        self.beginResetModel()
        self._values = dict(values)
        self._ranks.clear()
        self._sorted = None
        self._haystack, self._searched = None, tuple(searched)
        self._mask = None
        self._order_again()
        self.endResetModel()

    def set_column(self, name: str, values: Values) -> None:
        """Replace one column; the order of rows changes only if they are sorted by it."""
        self._values[name] = values
        self._ranks.pop(name, None)
        by, direction = self._sort
        if 0 <= by < len(self.columns) and self.columns[by].name == name:
            self._sorted = None
            self.sort(by, direction)
        at = next((i for i, column in enumerate(self.columns) if column.name == name), -1)
        if at >= 0 and len(self.order):
            self.dataChanged.emit(self.index(0, at), self.index(len(self.order) - 1, at))

    @property
    def total(self) -> int:
        """Number of rows before filtering."""
        return len(self._values[self.key])

    def values(self, name: str) -> Values:
        """The column called ``name``, in source order."""
        return self._values[name]

    def set_filter(self, needle: str, mask: Mask | None = None) -> None:
        """Show the rows whose text contains ``needle`` (ignoring case) and whose ``mask`` (of source rows) is true."""
        self.beginResetModel()
        self._needle, self._mask = needle.strip().casefold(), mask
        self._order_again()
        self.endResetModel()

    def set_heading(self, name: str, title: str, write: Callable[[Any], str]) -> None:
        """Give the column called ``name`` another title and format."""
        at = next(at for at, column in enumerate(self.columns) if column.name == name)
        changed = replace(self.columns[at], title=title, write=write)
        self.columns = (*self.columns[:at], changed, *self.columns[at + 1 :])
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, at, at)

    def source_row(self, row: int) -> int:
        """Source row of shown row ``row``."""
        return int(self.order[row])

    def key_at(self, row: int) -> Any:
        """Key of shown row ``row``."""
        return _python(self._values[self.key][self.source_row(row)])

    def keys_at(self, rows: Sequence[int]) -> list[Any]:
        """Keys of the shown rows ``rows``."""
        values, places = self._values[self.key], self.order[np.asarray(rows, np.intp)]
        return values[places].tolist() if isinstance(values, np.ndarray) else [values[at] for at in places.tolist()]

    def rows_of(self, keys: Sequence[Any]) -> list[int]:
        """Shown rows whose key is one of ``keys``, in order."""
        values = self._values[self.key]
        if isinstance(values, np.ndarray) and len(keys):
            return np.flatnonzero(np.isin(values[self.order], list(keys))).tolist()
        known = values
        requested = set(keys)
        return [row for row, at in enumerate(self.order.tolist()) if known[at] in requested] if requested else []

    def row_of(self, key: Any) -> int:
        """Shown row whose key is ``key``; -1 if it is not shown."""
        keys = self._values[self.key]
        rows = np.flatnonzero(np.asarray(keys)[self.order] == key)
        return int(rows[0]) if len(rows) else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # While a table is drawn, it requests many other roles of each cell.
        if role not in _ROLES or not index.isValid() or index.row() >= len(self.order):
            return None
        column, row = self.columns[index.column()], self.source_row(index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return self._written(column, row)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case _ if role == VALUE_ROLE:
                return _python(self._values[column.name][row])
            case _ if role == KEY_ROLE:
                return _python(self._values[self.key][row])
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles; no row numbers."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title
            case Qt.ItemDataRole.ToolTipRole:
                return column.tip or column.title
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the source order. Equal values keep the source order."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        sources = [self.source_row(index.row()) for index in old]
        self._sort = (column, order)
        self._order_again()
        places = np.full(self.total, -1, np.int64)
        places[self.order] = np.arange(len(self.order))
        moved = [self.index(int(places[s]), i.column()) for s, i in zip(sources, old, strict=True)]
        self.changePersistentIndexList(old, moved)
        self.layoutChanged.emit()

    def sorted_by(self) -> tuple[int, Qt.SortOrder]:
        """The column sorted by (-1 none) and the direction."""
        return self._sort

    def _written(self, column: Column, row: int) -> str:
        value = self._values[column.name][row]
        return column.blank if _absent(value) else column.write(value)

    def _order_again(self) -> None:
        self.order = self._sorted_rows()
        keep = self._mask
        if self._needle:
            matching = np.fromiter((self._needle in text for text in self._texts()), np.bool_, self.total)
            keep = matching if keep is None else keep & matching
        if keep is not None:
            self.order = self.order[keep[self.order]]

    def _sorted_rows(self) -> NDArray[np.int32]:
        """All source rows in the chosen order; cached, so that filtering does not sort again."""
        if self._sorted is None or self._sorted[0] != self._sort:
            column, direction = self._sort
            if 0 <= column < len(self.columns) and self.total:
                ranks = self._rank(self.columns[column].name)
                ranks = -ranks if direction == Qt.SortOrder.DescendingOrder else ranks
                rows = np.argsort(ranks, kind="stable").astype(np.int32)
            else:
                rows = np.arange(self.total, dtype=np.int32)
            self._sorted = (self._sort, rows)
        return self._sorted[1]

    def _rank(self, name: str) -> NDArray[np.int32]:
        """Dense rank of every value of a column; computed once, so that reversing the order is fast."""
        if name not in self._ranks:
            values = self._values[name]
            plain: Values
            if isinstance(values, np.ndarray) and values.dtype.kind in "iufb":
                plain = values
            elif any(isinstance(v, tuple) for v in values):
                places = {value: at for at, value in enumerate(sorted({v for v in values if not _absent(v)}))}
                plain = np.array([-1 if _absent(v) else places[v] for v in values])
            elif any(isinstance(v, (int, float)) for v in values):
                plain = np.array([-np.inf if _absent(v) else float(v) for v in values])
            else:
                plain = np.array([str(v).casefold() for v in values], dtype=np.dtypes.StringDType())
            self._ranks[name] = np.unique(plain, return_inverse=True)[1].astype(np.int32)
        return self._ranks[name]

    def _texts(self) -> list[str]:
        if self._haystack is None:
            parts = [[str(v).casefold() for v in self._values[name]] for name in self._searched]
            self._haystack = ["\n".join(texts) for texts in zip(*parts, strict=True)] if parts else [""] * self.total
        return self._haystack


def _python(value: Any) -> Any:
    """A numpy scalar as a Python value that Qt and the database understand."""
    return value.item() if isinstance(value, np.generic) else value


def _absent(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float | np.floating) and bool(np.isnan(value)))
