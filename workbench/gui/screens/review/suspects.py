"""The list of suspects in Review: sorted, filtered and counted by the threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.i18n import tr, trn
from workbench.gui.judging.verdicts import state_words
from workbench.gui.problems.guard import guarded
from workbench.services.review.judgement import CONFLICT
from workbench.services.review.overview import DECISIONS, VERDICTS, Judged, RunColumns, nothing_judged
from workbench.services.review.pairs import SuspectRow

Index = QModelIndex | QPersistentModelIndex
KEY_ROLE = Qt.ItemDataRole.UserRole
ITEM_ROLE = Qt.ItemDataRole.UserRole + 1
SORTS: dict[str, Callable[[SuspectRow], Any]] = {
    "score": lambda r: -r.score,
    "coverage": lambda r: -r.coverage,
    "longest": lambda r: -r.longest,
    "matches": lambda r: -r.matches,
    "date": lambda r: (r.published == "", r.published),
    "title": lambda r: (r.title or r.id).casefold(),
}
STATES = ("open", *DECISIONS)
"""What a suspect is filtered by: its own verdict, or that verdicts on it or on its passages differ."""
_CONFLICT = STATES.index(CONFLICT)
MINE = "assigned"
"""In place of a state: what the reviewer at the keyboard is to review."""


@dataclass(frozen=True, slots=True)
class SuspectItem:
    """One row as it is drawn. ``matches`` are those at or above the threshold; ``tiers`` are characters by tier.

    ``said`` counts its matches by verdict, the gravest first. ``whole``: whole documents were compared, ``matches`` are
    pairs.
    """

    row: SuspectRow
    matches: int
    state: str
    tiers: tuple[int, int, int]
    source: str
    source_language: str
    said: tuple[tuple[str, int], ...] = ()
    whole: bool = False


@guarded
class SuspectModel(QAbstractListModel):
    """Suspects with at least one match at or above the threshold, that fit text and state, in the chosen order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[SuspectRow] = ()
        self._columns: RunColumns | None = None
        self._place: NDArray[np.int64] = np.zeros(0, np.int64)
        self._texts: list[str] = []
        self._states: NDArray[np.int64] = np.zeros(0, np.int64)
        self._differ: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._mine: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._said: NDArray[np.int32] = np.zeros((0, len(VERDICTS)), np.int32)
        self._counts: NDArray[np.int64] = np.zeros(0, np.int64)
        self._sorted: NDArray[np.int64] = np.zeros(0, np.int64)
        self._order: NDArray[np.int64] = np.zeros(0, np.int64)
        self.sort_key = "score"
        self.state = ""
        self.needle = ""
        self.threshold = -np.inf

    def set_rows(
        self,
        rows: Sequence[SuspectRow],
        columns: RunColumns,
        judged: Judged | None = None,
        assigned: frozenset[int] = frozenset(),
    ) -> None:
        """Replace all suspects; ``columns`` are the run's matches, ``judged`` what was said of them.

        ``assigned`` are the suspects (keys) that the reviewer is to review.
        """
        self.beginResetModel()
        self._mine = np.array([row.key in assigned for row in rows], np.bool_)
        self._rows, self._columns = rows, columns
        self._place = np.searchsorted(columns.keys, [r.key for r in rows])
        self._take(judged or nothing_judged(columns))
        sources = [columns.title(int(columns.first_source[p])) for p in self._place]
        self._texts = [f"{r.title}\n{r.id}\n{s}".casefold() for r, s in zip(rows, sources, strict=True)]
        self._sort_again()
        self._filter()
        self.endResetModel()

    def set_judged(self, judged: Judged) -> None:
        """Show other verdicts on the same matches and suspects."""
        before = (self._states, self._differ, self._said)
        self._take(judged)
        changed = (before[0] != self._states) | (before[1] != self._differ) | (before[2] != self._said).any(1)
        rows = np.flatnonzero(changed).tolist()
        if self.state and rows:
            self._refresh()
        for key in (self._rows[row].key for row in rows):
            if (at := self.row_of(key)) >= 0:
                self.dataChanged.emit(self.index(at), self.index(at))

    def _take(self, judged: Judged) -> None:
        """Only its own verdict closes a suspect, and none while reviewers differ on it."""
        self._said = judged.counts[self._place]
        decision = judged.decision[self._place].astype(np.int64)
        self._differ = (decision == _CONFLICT) | (self._said[:, VERDICTS.index(CONFLICT)] > 0)
        self._states = np.where(decision == _CONFLICT, 0, decision)

    def set_sort(self, key: str) -> None:
        """Order by one of SORTS."""
        self.sort_key = key
        self._refresh(self._sort_again)

    def set_state(self, state: str) -> None:
        """Only suspects in ``state`` (one of STATES; "" for all), or on which verdicts differ."""
        self.state = state
        self._refresh()

    def set_needle(self, needle: str) -> None:
        """Only suspects whose title, id or best source's title holds ``needle``."""
        self.needle = needle.strip().casefold()
        self._refresh()

    def set_threshold(self, threshold: float) -> None:
        """Count only matches at or above ``threshold``; suspects without one are hidden."""
        self.threshold = threshold
        self._refresh()

    def state_counts(self) -> dict[str, int]:
        """Suspects by state under the present text and threshold, with "" for all of them."""
        fits = self._fits()
        counts = np.bincount(self._states[fits], minlength=len(STATES)).tolist()
        found = {"": int(fits.sum())} | dict(zip(STATES, counts, strict=True))
        return found | {CONFLICT: int((fits & self._differ).sum()), MINE: int((fits & self._mine).sum())}

    def row_of(self, key: int) -> int:
        """Shown row of suspect ``key``; -1 when it is not shown."""
        return next((i for i, r in enumerate(self._order.tolist()) if self._rows[r].key == key), -1)

    def key_at(self, row: int) -> int:
        """Key of the suspect in shown row ``row``."""
        return self._rows[int(self._order[row])].key

    def item(self, row: int) -> SuspectItem:
        """Shown row ``row``."""
        assert self._columns is not None
        source_row = int(self._order[row])
        place = int(self._place[source_row])
        best = int(self._columns.first_source[place])
        t0, t1, t2 = self._columns.tiers[place].tolist()
        other = self._columns.items.get(best)
        return SuspectItem(
            self._rows[source_row],
            int(self._counts[source_row]),
            STATES[self._states[source_row]],
            (t0, t1, t2),
            self._columns.title(best),
            "" if other is None else other.language,
            tuple((v, int(n)) for v, n in zip(VERDICTS, self._said[source_row].tolist(), strict=True) if n),
            self._columns.whole,
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Shown suspects."""
        return 0 if parent.isValid() else len(self._order)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title, key or item of a row."""
        if not index.isValid() or index.row() >= len(self._order):
            return None
        if role == ITEM_ROLE:
            return self.item(index.row())
        row = self._rows[int(self._order[index.row()])]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return row.title or row.id
            case Qt.ItemDataRole.AccessibleTextRole:
                count = int(self._counts[int(self._order[index.row()])])
                whole = self._columns is not None and self._columns.whole
                words = (
                    trn("{count} pair", "{count} pairs", count)
                    if whole
                    else trn("{count} match", "{count} matches", count)
                )
                score = f"{row.score:.2f}" if row.score < 10 else f"{row.score:,.0f}"
                state = state_words(STATES[self._states[int(self._order[index.row()])]])[0]
                return f"{row.title or row.id}, {words}, {tr('score')} {score}, {state}"
            case _ if role == KEY_ROLE:
                return row.key
        return None

    def _fits(self) -> NDArray[np.bool_]:
        fits = self._counts > 0
        if self.needle:
            fits &= np.fromiter((self.needle in t for t in self._texts), np.bool_, len(self._texts))
        return fits

    def _sort_again(self) -> None:
        key = SORTS[self.sort_key]
        self._sorted = np.array(sorted(range(len(self._rows)), key=lambda i: key(self._rows[i])), np.int64)

    def _filter(self) -> None:
        if self._columns is None:
            return
        self._counts = self._columns.per_suspect(self.threshold)[self._place]
        fits = self._fits()
        if self.state:
            marked = {CONFLICT: self._differ, MINE: self._mine}
            fits &= marked[self.state] if self.state in marked else self._states == STATES.index(self.state)
        self._order = self._sorted[fits[self._sorted]]

    def _refresh(self, first: Callable[[], None] | None = None) -> None:
        """Order and filter anew; what is selected stays selected where it is still shown."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        keys = [self.key_at(i.row()) for i in old]
        if first is not None:
            first()
        self._filter()
        places = [self.row_of(key) for key in keys]
        self.changePersistentIndexList(old, [self.index(p) if p >= 0 else QModelIndex() for p in places])
        self.layoutChanged.emit()
