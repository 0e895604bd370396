"""The list in Review, of suspects, sources or pairs: sorted, filtered and counted by the threshold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from workbench.services.review.pivot import Grouping, Pivot, by_suspect

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
RAREST, COUNTED = "rarest", "counted"
"""Sorts by what is not of the row itself: its rarest match, and the share that counts after exclusions."""
STATES = ("open", *DECISIONS)
"""What a suspect is filtered by: its own verdict, or that verdicts on it or on its passages differ."""
_CONFLICT = STATES.index(CONFLICT)
MINE = "assigned"
"""In place of a state: what the reviewer at the keyboard is to review."""


@dataclass(frozen=True, slots=True)
class SuspectItem:
    """One row as it is drawn. ``matches`` are those at or above the threshold; ``tiers`` are characters by tier.

    ``verdict_counts``: its matches by verdict, the gravest first. ``whole``: whole documents were compared, ``matches``
    are pairs. ``pivot`` says what the row stands for; ``source`` is the best document of the other side. ``counted`` is
    the share (0..1) that counts after exclusions, where it is known.
    """

    row: SuspectRow
    matches: int
    state: str
    tiers: tuple[int, int, int]
    source: str
    source_language: str
    verdict_counts: tuple[tuple[str, int], ...] = ()
    whole: bool = False
    pivot: Pivot = Pivot.SUSPECTS
    counted: float | None = None


@guarded
class SuspectModel(QAbstractListModel):
    """Rows with at least one match at or above the threshold, that fit text and state, in the chosen order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[SuspectRow] = ()
        self._columns: RunColumns | None = None
        self.grouping: Grouping | None = None
        self._counted: dict[int, float] = {}
        self._texts: list[str] = []
        self._states: NDArray[np.int64] = np.zeros(0, np.int64)
        self._differ: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._mine: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._verdict_counts: NDArray[np.int32] = np.zeros((0, len(VERDICTS)), np.int32)
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
        grouping: Grouping | None = None,
    ) -> None:
        """Replace all rows; ``columns`` are the run's matches, ``judged`` what was said of them.

        ``assigned`` are the suspects (keys) that the reviewer is to review. The rows are the suspects ``rows``, or
        those of ``grouping``.
        """
        self.beginResetModel()
        by = self.grouping = grouping or by_suspect(rows, columns)
        rows = by.rows
        self._mine = np.array([by.pivot is Pivot.SUSPECTS and row.key in assigned for row in rows], np.bool_)
        self._rows, self._columns = rows, columns
        self._take(judged or nothing_judged(columns))
        sources = [columns.title(int(by.other[p])) for p in by.place]
        self._texts = [f"{r.title}\n{r.id}\n{s}".casefold() for r, s in zip(rows, sources, strict=True)]
        self._sort_again()
        self._filter()
        self.endResetModel()

    def set_judged(self, judged: Judged) -> None:
        """Show other verdicts on the same matches and suspects."""
        before = (self._states, self._differ, self._verdict_counts)
        self._take(judged)
        changed = (before[0] != self._states) | (before[1] != self._differ) | (before[2] != self._verdict_counts).any(1)
        rows = np.flatnonzero(changed).tolist()
        if self.state and rows:
            self._refresh()
        for key in (self._rows[row].key for row in rows):
            if (at := self.row_of(key)) >= 0:
                self.dataChanged.emit(self.index(at), self.index(at))

    def _take(self, judged: Judged) -> None:
        """Only its own verdict closes a suspect, and none while reviewers differ on it."""
        assert self.grouping is not None
        self._verdict_counts = self.grouping.verdict_counts(judged)
        decision = self.grouping.decisions(judged)
        self._differ = (decision == _CONFLICT) | (self._verdict_counts[:, VERDICTS.index(CONFLICT)] > 0)
        self._states = np.where(decision == _CONFLICT, 0, decision)

    def set_counted(self, shares: Mapping[int, float]) -> None:
        """The shares (0..1) of suspects, by key, that count after exclusions."""
        self._counted |= shares
        self._refresh(self._sort_again if self.sort_key == COUNTED else None)
        if self._order.size:
            self.dataChanged.emit(self.index(0), self.index(len(self._order) - 1))

    def forget_counted(self) -> None:
        """Another run is shown."""
        self._counted = {}

    def has_rarity(self) -> bool:
        """Whether the method says how rare matches are."""
        return self.grouping is not None and bool(np.isfinite(self.grouping.rarest).any())

    def set_sort(self, key: str) -> None:
        """Order by one of SORTS, RAREST or COUNTED."""
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
        of_state = {"": int(fits.sum())} | dict(zip(STATES, counts, strict=True))
        return of_state | {CONFLICT: int((fits & self._differ).sum()), MINE: int((fits & self._mine).sum())}

    def row_of(self, key: int) -> int:
        """Shown row of suspect ``key``; -1 when it is not shown."""
        return next((i for i, r in enumerate(self._order.tolist()) if self._rows[r].key == key), -1)

    def key_at(self, row: int) -> int:
        """Key of the suspect in shown row ``row``."""
        return self._rows[int(self._order[row])].key

    def opens(self, row: int) -> tuple[int, int | None]:
        """The suspect and the source that shown row ``row`` opens (see :meth:`Grouping.opens`)."""
        assert self.grouping is not None
        return self.grouping.opens(int(self._order[row]))

    def opens_first(self) -> tuple[int, int | None]:
        """What the first shown row opens; the first of all rows where every one is hidden."""
        assert self.grouping is not None
        return self.opens(0) if len(self._order) else self.grouping.opens(0)

    def item(self, row: int) -> SuspectItem:
        """Shown row ``row``."""
        assert self._columns is not None
        assert self.grouping is not None
        source_row = int(self._order[row])
        place = int(self.grouping.place[source_row])
        best = int(self.grouping.other[place])
        t0, t1, t2 = self.grouping.tiers[place].tolist()
        other = self._columns.items.get(best)
        return SuspectItem(
            self._rows[source_row],
            int(self._counts[source_row]),
            STATES[self._states[source_row]],
            (t0, t1, t2),
            self._columns.title(best),
            "" if other is None else other.language,
            tuple((v, int(n)) for v, n in zip(VERDICTS, self._verdict_counts[source_row].tolist(), strict=True) if n),
            self._columns.whole,
            self.grouping.pivot,
            self._counted.get(self._rows[source_row].key) if self.grouping.pivot is Pivot.SUSPECTS else None,
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
                state = row_state(self.item(index.row()))[0]
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
        if self.sort_key == RAREST and self.grouping is not None:
            rarest = np.nan_to_num(self.grouping.rarest[self.grouping.place], nan=-np.inf)
            self._sorted = np.argsort(-rarest, kind="stable")
            return
        if self.sort_key == COUNTED:
            counted = np.array([self._counted.get(row.key, -1.0) for row in self._rows])
            self._sorted = np.argsort(-counted, kind="stable")
            return
        key = SORTS[self.sort_key]
        self._sorted = np.array(sorted(range(len(self._rows)), key=lambda i: key(self._rows[i])), np.int64)

    def _filter(self) -> None:
        if self._columns is None or self.grouping is None:
            return
        self._counts = self.grouping.counts(self._columns.above(self.threshold))
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


def row_state(item: SuspectItem) -> tuple[str, str]:
    """What a row says of its state, and the token of its colour; a source has none, but a number of suspects."""
    if item.pivot is Pivot.SOURCES:
        return trn("{count} suspect", "{count} suspects", item.row.sources), "text2"
    words, role = state_words(item.state)[:2]
    return words, role
