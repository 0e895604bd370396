"""The list of suspects, sources or pairs: its model, and how a row is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath

from workbench.base.coverage import A, B, covered, lengths
from workbench.base.messages import percent
from workbench.base.types import Ints, Matches
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.evidence_words import named_score, score_name
from workbench.gui.judging.verdicts import state_words
from workbench.gui.kit.cards import LEFT, RIGHT, CardDelegate, draw_line
from workbench.gui.problems import guarded
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens
from workbench.services.review.judgement import CONFLICT, VERDICTS, passage_counts
from workbench.services.review.overview import DECISIONS, TIERS, Judged, RunColumns, nothing_judged
from workbench.services.review.pairs import SuspectRow
from workbench.services.review.passages import passages, places_of
from workbench.services.review.pivot import Grouping, Pivot, by_suspect
from workbench.services.review.spans import share

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
"""Sort orders computed on demand: by the rarest match, and by the share that counts after exclusions."""
STATES = ("open", *DECISIONS)
"""Filters of suspects: their own verdict, or conflicts on them or their passages."""
_CONFLICT = STATES.index(CONFLICT)
MINE = "assigned"
"""Used instead of a state: assigned to the current reviewer."""


@dataclass(frozen=True, slots=True)
class SuspectItem:
    """A row as drawn. ``matches`` are those at or above the threshold, ``passages`` the passages they belong to.

    ``coverage`` (0..1) and ``tiers``, characters by tier, refer to these matches as well.

    ``verdict_counts``: these passages by verdict, the gravest first. ``whole``: whole documents were compared,
    ``matches`` are pairs. ``pivot`` is the kind of row; ``source`` is the best document on the other side. ``counted``
    is the share (0..1) that counts after exclusions, if known; ``score`` is the name and value of the row's score.
    ``name`` is the title, with the id if other rows have the same title.
    """

    row: SuspectRow
    name: str
    matches: int
    state: str
    passages: int
    coverage: float
    tiers: tuple[int, int, int]
    source: str
    source_language: str
    verdict_counts: tuple[tuple[str, int], ...] = ()
    whole: bool = False
    pivot: Pivot = Pivot.SUSPECTS
    counted: float | None = None
    score: tuple[str, str] = ("", "")


class _PartAbove(NamedTuple):
    """The part of a row at or above the threshold."""

    passages: int
    coverage: float
    tiers: tuple[int, int, int]


def _three(numbers: NDArray[Any]) -> tuple[int, int, int]:
    exact, folded, altered = numbers.astype(np.int64).tolist()
    return exact, folded, altered


@guarded
class SuspectModel(QAbstractListModel):
    """Rows with a match at or above the threshold that pass the filters by text and state, in the chosen order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[SuspectRow] = ()
        self._columns: RunColumns | None = None
        self.grouping: Grouping | None = None
        self._counted: dict[int, float] = {}
        self._texts: list[str] = []
        self._shared: frozenset[str] = frozenset()
        """Titles of more than one row."""
        self._mask: NDArray[np.bool_] | None = None
        self._states: NDArray[np.int64] = np.zeros(0, np.int64)
        self._differ: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._mine: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._judged: Judged | None = None
        self._verdict_counts: NDArray[np.int32] = np.zeros((0, len(VERDICTS)), np.int32)
        self._counts: NDArray[np.int64] = np.zeros(0, np.int64)
        self._sorted: NDArray[np.int64] = np.zeros(0, np.int64)
        self._order: NDArray[np.int64] = np.zeros(0, np.int64)
        self._merged = True
        self._of_row: dict[tuple[Pivot, int], tuple[Ints, Matches, Ints]] = {}
        """For drawn rows, by the kind of row and its key: the matches, their spans from the row's side, and the passage
        of each; kept while the run's matches are the same.
        """
        self._above: dict[int, _PartAbove] = {}
        """For drawn rows: the part at or above the threshold."""
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
        """Replace all rows; ``columns`` are the run's matches, ``judged`` their verdicts.

        ``assigned`` are the suspects (keys) assigned to the reviewer. The rows are the suspects ``rows``, or those of
        ``grouping``.
        """
        self.beginResetModel()
        self._above = {}
        if columns is not self._columns:
            self._of_row = {}
        by = self.grouping = grouping or by_suspect(rows, columns)
        rows = by.rows
        self._mine = np.array([by.pivot is Pivot.SUSPECTS and row.key in assigned for row in rows], np.bool_)
        self._rows, self._columns = rows, columns
        self._take(judged or nothing_judged(columns))
        sources = [columns.title(int(by.other[p])) for p in by.place]
        self._shared = frozenset(
            title for title, count in Counter(r.title for r in rows).items() if title and count > 1
        )
        self._texts = [f"{r.title}\n{r.id}\n{s}".casefold() for r, s in zip(rows, sources, strict=True)]
        self._mask = None
        self._sort_again()
        self._filter()
        self.endResetModel()

    def set_judged(self, judged: Judged) -> None:
        """Show other verdicts on the same matches and suspects."""
        before = (self._states, self._differ, self._verdict_counts)
        self._take(judged)
        changed = (before[0] != self._states) | (before[1] != self._differ) | (before[2] != self._verdict_counts).any(1)
        if self.state and changed.any():
            self._refresh()
        shown = np.flatnonzero(changed[self._order])
        if len(shown):
            self.dataChanged.emit(self.index(int(shown[0])), self.index(int(shown[-1])))

    def _take(self, judged: Judged) -> None:
        """Set the verdicts: a suspect is closed only by its own verdict, and not while reviewers differ on it."""
        assert self.grouping is not None
        self._judged = judged
        self._verdict_counts = self.grouping.verdict_counts(judged)
        decision = self.grouping.decisions(judged)
        self._differ = (decision == _CONFLICT) | (self._verdict_counts[:, VERDICTS.index(CONFLICT)] > 0)
        self._states = np.where(decision == _CONFLICT, 0, decision)

    def set_counted(self, shares: Mapping[int, float]) -> None:
        """Set the shares (0..1) of suspects, by key, that count after exclusions."""
        self._counted |= shares
        self._refresh(self._sort_again if self.sort_key == COUNTED else None)
        if self._order.size:
            self.dataChanged.emit(self.index(0), self.index(len(self._order) - 1))

    def forget_counted(self) -> None:
        """Discard the shares: another run is shown. Rows sorted by figures that it lacks are sorted by score."""
        self._counted = {}
        if self.sort_key == COUNTED or (self.sort_key == RAREST and not self.has_rarity()):
            self.set_sort("score")

    def score_name(self) -> str:
        """The name of the score of matches."""
        return score_name(() if self._columns is None else self._columns.matches.evidence)

    def has_rarity(self) -> bool:
        """Whether the method reports how rare matches are."""
        return self.grouping is not None and bool(np.isfinite(self.grouping.rarest).any())

    def set_sort(self, key: str) -> None:
        """Order by one of SORTS, RAREST or COUNTED."""
        self.sort_key = key
        self._refresh(self._sort_again)

    def set_state(self, state: str) -> None:
        """Show only suspects in ``state`` (one of STATES, "" for all), or with differing verdicts."""
        self.state = state
        self._refresh()

    def set_needle(self, needle: str) -> None:
        """Show only suspects whose title, id or best source's title contains ``needle``."""
        self.needle = needle.strip().casefold()
        self._refresh()

    def tags(self, by_key: Mapping[int, tuple[str, ...]]) -> list[tuple[str, ...]]:
        """The tags of each row's document (for a pair, of both), from the tags of documents ``by_key``."""
        keys = [row.key for row in self._rows]
        if self.grouping is None or self.grouping.pivot is not Pivot.PAIRS:
            return [by_key.get(key, ()) for key in keys]
        return [(*by_key.get(key >> 32, ()), *by_key.get(key & 0xFFFFFFFF, ())) for key in keys]

    def set_mask(self, mask: NDArray[np.bool_] | None) -> None:
        """Show only the rows where ``mask``, valid until the rows are replaced, is true; None: all."""
        self._mask = mask
        self._refresh()

    @property
    def is_narrowed(self) -> bool:
        """Whether text, state or mask may hide rows."""
        return bool(self.needle or self.state) or self._mask is not None

    def set_threshold(self, threshold: float) -> None:
        """Count only matches at or above ``threshold``; suspects without one are hidden."""
        if threshold != self.threshold:
            self._above = {}
        self.threshold = threshold
        self._refresh()

    def set_merged(self, on: bool) -> None:
        """Count neighbouring matches as one passage, or each match separately."""
        if on != self._merged:
            self._merged, self._above = on, {}
            if self._order.size:
                self.dataChanged.emit(self.index(0), self.index(len(self._order) - 1))

    def state_counts(self) -> dict[str, int]:
        """Suspects by state under the current text and threshold, with "" for all of them."""
        fits = self._fits()
        counts = np.bincount(self._states[fits], minlength=len(STATES)).tolist()
        of_state = {"": int(fits.sum())} | dict(zip(STATES, counts, strict=True))
        return of_state | {CONFLICT: int((fits & self._differ).sum()), MINE: int((fits & self._mine).sum())}

    def row_of(self, key: int) -> int:
        """Shown row of suspect ``key``; -1 if it is not shown."""
        return next((i for i, r in enumerate(self._order.tolist()) if self._rows[r].key == key), -1)

    def key_at(self, row: int) -> int:
        """Key of the suspect in shown row ``row``."""
        return self._rows[int(self._order[row])].key

    def opens(self, row: int) -> tuple[int, int | None]:
        """The suspect and the source that shown row ``row`` opens (see :meth:`Grouping.opens`)."""
        assert self.grouping is not None
        return self.grouping.opens(int(self._order[row]))

    def first_shown(self) -> tuple[int, int | None]:
        """The suspect and source that the first shown row opens; if all rows are hidden, the first of all rows."""
        assert self.grouping is not None
        return self.opens(0) if len(self._order) else self.grouping.opens(0)

    def item(self, row: int) -> SuspectItem:
        """Shown row ``row``."""
        assert self._columns is not None
        assert self.grouping is not None
        source_row = int(self._order[row])
        place = int(self.grouping.place[source_row])
        best = int(self.grouping.other[place])
        above = self._part_above(source_row)
        other = self._columns.items.get(best)
        return SuspectItem(
            self._rows[source_row],
            self._name(self._rows[source_row]),
            int(self._counts[source_row]),
            STATES[self._states[source_row]],
            above.passages,
            above.coverage,
            above.tiers,
            self._columns.title(best),
            "" if other is None else other.language,
            tuple((v, int(n)) for v, n in zip(VERDICTS, self._judged_passages(source_row).tolist(), strict=True) if n),
            self._columns.whole,
            self.grouping.pivot,
            self._counted.get(self._rows[source_row].key) if self.grouping.pivot is Pivot.SUSPECTS else None,
            named_score(self._rows[source_row].score, self._columns.matches.evidence),
        )

    def _name(self, row: SuspectRow) -> str:
        return f"{row.title} · {row.id}" if row.title in self._shared else row.title or row.id

    def _part_above(self, source_row: int) -> _PartAbove:
        """The part of a row at or above the threshold, computed when the row is first drawn."""
        if source_row not in self._above:
            self._above[source_row] = self._measured(source_row)
        return self._above[source_row]

    def _measured(self, source_row: int) -> _PartAbove:
        assert self._columns is not None
        assert self.grouping is not None
        row, place, pivot = self._rows[source_row], int(self.grouping.place[source_row]), self.grouping.pivot
        count = int(self._counts[source_row])
        if self._columns.whole:
            return _PartAbove(count, row.coverage, _three(self.grouping.tiers[place]))
        _, seen, passage = self._matches_of(source_row)
        above = seen.score >= self.threshold
        side, chosen = B if pivot is Pivot.SOURCES else A, seen.take(above)
        tiers = np.bincount(chosen.tier, weights=lengths(chosen, side), minlength=TIERS)
        return _PartAbove(
            len(np.unique(passage[above])) if self._merged else count,
            row.coverage if above.all() else share(covered(chosen, side), row.length),
            _three(tiers),
        )

    def _judged_passages(self, source_row: int) -> NDArray[np.int32]:
        """The number of a row's passages (or pairs) at or above the threshold with each verdict."""
        assert self._columns is not None
        counts: NDArray[np.int32] = self._verdict_counts[source_row]
        if self._judged is None or not counts.any():
            return counts
        rows, _, passage = self._matches_of(source_row)
        above = self._columns.matches.score[rows] >= self.threshold
        merged = self._merged and not self._columns.whole
        return passage_counts(passage[above] if merged else rows[above], self._judged.code[rows[above]])

    def _matches_of(self, source_row: int) -> tuple[Ints, Matches, Ints]:
        """The matches of a row in the run's columns, their spans from the row's side, and the passage of each."""
        assert self._columns is not None
        assert self.grouping is not None
        columns, pivot, key = self._columns, self.grouping.pivot, self._rows[source_row].key
        if (pivot, key) not in self._of_row:
            if pivot is Pivot.SUSPECTS:
                rows, seen = columns.seen_from(key)
            else:
                pairs = pivot is Pivot.PAIRS
                group = self.grouping.of_match == self.grouping.place[source_row]
                rows = columns.rows_of(key >> 32, key & 0xFFFFFFFF) if pairs else np.flatnonzero(group)
                seen = places_of(columns.matches.take(rows))
            self._of_row[pivot, key] = rows, seen, passages(seen)
        return self._of_row[pivot, key]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._order)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._order):
            return None
        if role == ITEM_ROLE:
            return self.item(index.row())
        row = self._rows[int(self._order[index.row()])]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._name(row)
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                item = self.item(index.row())
                share = [] if item.whole else [share_words(item)]
                parts = [count_words(item), *share, " ".join(item.score), row_state(item)[0]]
                if role == Qt.ItemDataRole.ToolTipRole:
                    return "\n".join((item.name, " · ".join(parts)))
                return ", ".join((item.name, *parts))
            case _ if role == KEY_ROLE:
                return row.key
        return None

    def _fits(self) -> NDArray[np.bool_]:
        fits = self._counts > 0
        if self._mask is not None:
            fits &= self._mask
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
        """Sort and filter again; the selection is kept if still shown."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        keys = [self.key_at(i.row()) for i in old]
        if first is not None:
            first()
        self._filter()
        places = [self.row_of(key) for key in keys]
        self.changePersistentIndexList(old, [self.index(p) if p >= 0 else QModelIndex() for p in places])
        self.layoutChanged.emit()


def count_words(item: SuspectItem) -> str:
    """The number of the row's passages above the threshold; for whole documents, of pairs."""
    if item.whole:
        return trn("{count} pair", "{count} pairs", item.matches)
    return trn("{count} passage", "{count} passages", item.passages)


def row_state(item: SuspectItem) -> tuple[str, str]:
    """The text for the state of a row, and the token of its colour; for a source, the number of suspects instead."""
    if item.pivot is Pivot.SOURCES:
        return trn("{count} suspect", "{count} suspects", item.row.sources), "text2"
    words, role = state_words(item.state)[:2]
    return words, role


_HEIGHT = 76
_BAR, _LEAST_BAR, _GAP = 84, 30, 8
"""Width of the bar in pixels, normal and narrow, and the space before it."""


class SuspectDelegate(CardDelegate):
    """Draws three lines: title and score; best source and state; counts, languages, and a bar of coverage by tier."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, _HEIGHT, ITEM_ROLE)

    def draw(self, painter: QPainter, item: SuspectItem, tokens: Tokens, area: QRect) -> None:
        """Draw one suspect."""
        bar = _words(painter, item, tokens, area)
        if bar:
            _bar(painter, item, tokens, QRectF(area.right() - 14 - bar, area.top() + 55, bar, 5))


def _words(painter: QPainter, item: SuspectItem, tokens: Tokens, area: QRect) -> int:
    """Draw the three lines; returns the width left for the bar, 0 if whole documents were compared."""
    row = item.row
    left, width, top = area.left() + 14, area.width() - 28, area.top()
    figure = font(15, SEMIBOLD, tabular=True)
    name, score = item.score
    used = draw_line(painter, score, figure, tokens.text, QRect(left, top + 9, width, 19), RIGHT) + 5
    used += draw_line(painter, name, font(11), tokens.text3, QRect(left, top + 9, width - used, 20), RIGHT)
    title = font(13, SEMIBOLD, language=row.language)
    draw_line(painter, item.name, title, tokens.text, QRect(left, top + 9, width - used - 10, 19), LEFT)
    words, role = row_state(item)
    used = draw_line(painter, words, font(11), getattr(tokens, role), QRect(left, top + 29, width, 18), RIGHT)
    source = font(12, language=item.source_language)
    draw_line(painter, item.source, source, tokens.text2, QRect(left, top + 29, width - used - 10, 18), LEFT)
    languages = row.language if item.source_language == row.language else f"{row.language} → {item.source_language}"
    if item.verdict_counts:
        judged = sum(count for _, count in item.verdict_counts)
        parts = [
            judged_words(judged, item.passages),
            *(f"{n:,} {state_words(v)[0].lower()}" for v, n in item.verdict_counts),
        ]
    elif item.whole:
        contained = [tr("contained {share}", share=percent(item.coverage))] * (item.coverage > 0)
        parts = [count_words(item), *contained, languages]
    else:
        parts = [count_words(item), share_words(item), languages]
    face = font(11, tabular=True)
    least = 0 if item.whole else _LEAST_BAR + _GAP
    while len(parts) > 1 and _used(face, " · ".join(parts)) > width - least:
        parts.pop()
    line = " · ".join(parts)
    bar = 0 if item.whole else max(_LEAST_BAR, min(_BAR, width - _GAP - _used(face, line)))
    room = width - (bar + _GAP if bar else 0)
    draw_line(painter, line, face, tokens.text3, QRect(left, top + 49, room, 17), LEFT)
    return bar


def _used(face: QFont, words: str) -> int:
    """Pixels that ``words`` take on one line without eliding: their fractional width, rounded."""
    return QFontMetrics(face).horizontalAdvance(words) + 2


def share_words(item: SuspectItem) -> str:
    """The share of its text covered by a row's passages, and the counted share if it is less."""
    matched = percent(item.coverage)
    if item.counted is None or percent(item.counted) == matched:
        return tr("{matched} matched", matched=matched)
    return tr("{matched} matched · {counted} counts", matched=matched, counted=percent(item.counted))


def judged_words(judged: int, passages: int) -> str:
    """The number of judged passages."""
    return tr("{judged} of {total} judged", judged=f"{judged:,}", total=f"{passages:,}")


def _bar(painter: QPainter, item: SuspectItem, tokens: Tokens, box: QRectF) -> None:
    """Draw the share of the suspect covered by its passages, split by tier."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.track))
    painter.drawRoundedRect(box, 2.5, 2.5)
    total = sum(item.tiers)
    if not total:
        return
    filled = max(4.0, box.width() * min(1.0, item.coverage))
    clip = QPainterPath()
    clip.addRoundedRect(QRectF(box.left(), box.top(), filled, box.height()), 2.5, 2.5)
    painter.setClipPath(clip)
    left = box.left()
    for tier, count in enumerate(item.tiers):
        width = filled * count / total
        painter.fillRect(QRectF(left, box.top(), width, box.height()), QColor(tokens.tier(tier)))
        left += width
    painter.setClipping(False)
