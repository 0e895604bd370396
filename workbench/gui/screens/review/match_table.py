"""All matches of the run in one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QVBoxLayout

from workbench.base.coverage import A, lengths
from workbench.base.evidence import RECOGNISED, is_translation
from workbench.base.messages import Message
from workbench.base.types import Ints, Span, Tier
from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.evidence_words import score_column
from workbench.gui.judging.verdicts import pair_looks, state_words, verdict_looks
from workbench.gui.kit.columns import KEY_ROLE, Column, ColumnsModel, Index, decimal, whole
from workbench.gui.kit.cues import recognised_look, tier_look
from workbench.gui.kit.pauses import FILTER_MS, FilterField, after_pause
from workbench.gui.kit.tables import choose_rows, chosen_rows
from workbench.gui.kit.widgets import ThemeWatch, button, heading, label, line, row
from workbench.gui.problems import guarded
from workbench.gui.screens.review.pair_loader import PairLoader
from workbench.gui.theme.fonts import font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import ROW
from workbench.gui.workspace.context import AppContext
from workbench.services.listing import read_places
from workbench.services.review.common_phrases import Spread, read_spread
from workbench.services.review.judgement import CONFLICT, VERDICTS
from workbench.services.review.overview import Judged, RunColumns


def passage_words(passages: int, matches: int) -> str:
    """Both counts, or only one if every match is a passage."""
    counted = trn("{count} passage", "{count} passages", passages)
    if passages == matches:
        return counted
    return tr("{passages} of {matches}", passages=counted, matches=trn("{count} match", "{count} matches", matches))


def _in_order() -> str:
    return tr("Where the passage is in its document; sorted in the order of the text")


@guarded
class MatchTable(ColumnsModel):
    """A table of matches; columns are numpy arrays, so that a million rows sort and filter at once."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._titles: list[str] = []
        self._verdict_looks: list[tuple[str, QIcon]] = []
        self._common_from = 0
        self._kinds: list[str] = []
        super().__init__(
            (
                Column("a_title", tr("Suspect"), lambda v: self._titles[int(v)], width=200),
                Column("a_start", tr("Place"), whole, width=132, tip=_in_order()),
                Column("b_title", tr("Source"), lambda v: self._titles[int(v)], width=200),
                Column("b_start", tr("Place"), whole, width=132, tip=_in_order()),
                Column("length", tr("Characters"), whole, numeric=True, width=92),
                Column("score", tr("Score"), decimal, numeric=True, width=96),
                Column("resemblance", tr("Resemblance"), decimal, numeric=True, width=110, blank="–"),
                Column("containment", tr("Containment"), decimal, numeric=True, width=110, blank="–"),
                Column("tier", tr("Kind"), lambda v: self._kinds[int(v)], width=150),
                Column(
                    "others",
                    tr("Elsewhere"),
                    self._elsewhere,
                    numeric=True,
                    width=104,
                    blank="…",
                    tip=tr("How many other documents of the project contain the text"),
                ),
                Column("verdict", tr("Verdict"), lambda v: self._verdict_looks[int(v) - 1][0] if v else "", width=112),
            ),
            "row",
            parent,
        )
        self._columns: RunColumns | None = None
        self._rank_of: dict[int, int] = {}
        self._text = ""
        self._threshold = -np.inf
        self._only: NDArray[np.int64] | None = None
        self._places: dict[tuple[str, int], str] = {}

    def hidden(self, *, whole: bool) -> list[int]:
        """Columns that are meaningless for passages or, with ``whole``, for whole documents."""
        without = ("a_start", "b_start", "length", "tier", "others") if whole else ("resemblance", "containment")
        return [at for at, column in enumerate(self.columns) if column.name in without]

    def set_columns(self, columns: RunColumns) -> None:
        """Show the matches of a run."""
        self._columns = columns
        self._places.clear()
        m = columns.matches
        self._kinds = [tier_look(tier, translated=is_translation(m.evidence)).words for tier in Tier]
        self._kinds.append(recognised_look(Tier.FOLDED).words)
        as_read = (m.tier < Tier.ALTERED) & (np.nan_to_num(m.evidence.get(RECOGNISED, 0)) > 0)
        self.set_heading("score", *score_column(m.evidence))
        none = np.full(len(m), np.nan, np.float32)
        keys = sorted(columns.items, key=lambda k: columns.title(k).casefold())
        self._titles = [columns.title(k) for k in keys]
        self._rank_of = {key: rank for rank, key in enumerate(keys)}
        ranks = np.zeros(max(columns.items, default=0) + 1, np.int32)
        for key, rank in self._rank_of.items():
            ranks[key] = rank
        self.set_values(
            {
                "row": np.arange(len(m)),
                "a_title": ranks[m.a],
                "b_title": ranks[m.b],
                "a_start": m.a_start,
                "b_start": m.b_start,
                "length": lengths(m, A),
                "score": m.score,
                "tier": np.where(as_read, len(Tier), m.tier).astype(np.int8),
                "resemblance": m.evidence["resemblance"] if columns.whole else none,
                "containment": m.evidence["containment"] if columns.whole else none,
                "others": none,
                "verdict": np.zeros(len(m), np.int8),
            }
        )
        self.narrow(self._text, self._threshold)

    def show_others(self, counts: Ints) -> None:
        """Show the number of other documents that contain the text of each match, int64[n]."""
        self.set_column("others", counts)

    def show_places(self, words: Mapping[tuple[str, int], str]) -> None:
        """Show the places of passages (by column and row of the run's columns) instead of their offsets."""
        self._places.update(words)
        if len(self.order):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.order) - 1, len(self.columns) - 1))

    def without_place(self, rows: range) -> list[tuple[str, int]]:
        """Column and row (in the run's columns) of passages in the shown ``rows`` whose places are not yet read."""
        sources = map(self.source_row, range(max(0, rows.start), min(rows.stop, len(self.order))))
        return [cell for row in sources for cell in (("a_start", row), ("b_start", row)) if cell not in self._places]

    def show_common_from(self, count: int) -> None:
        """Count a match as a common phrase if more than ``count`` other documents contain its text."""
        if count != self._common_from:
            self._common_from = count
            self.set_column("others", self.values("others"))

    def _elsewhere(self, count: Any) -> str:
        words = whole(count)
        return tr("common · {count}", count=words) if count > self._common_from else words

    def show_verdicts(self, judged: Judged, looks: Mapping[str, tuple[str, QIcon]]) -> None:
        """Show the verdicts on matches; ``looks`` gives each value its words and icon, in the order of sorting."""
        self._verdict_looks = list(looks.values())
        place = {value: at for at, value in enumerate(looks, 1)}
        by_code = np.array([0, *(place.get(value, 0) for value in VERDICTS)], np.int8)
        self.set_column("verdict", by_code[judged.code])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell; a verdict has its icon beside its name."""
        if role == Qt.ItemDataRole.DecorationRole:
            if index.isValid() and index.row() < len(self.order) and self.columns[index.column()].name == "verdict":
                code = int(self.values("verdict")[self.source_row(index.row())])
                return self._verdict_looks[code - 1][1] if code else None
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) and index.row() < len(self.order):
            place = self._places.get((self.columns[index.column()].name, self.source_row(index.row())))
            if place is not None:
                return place
        return super().data(index, role)

    def is_narrowed(self, text: str, threshold: float) -> bool:
        """Whether the last :meth:`narrow` had the same arguments."""
        return (text.strip().casefold(), threshold) == (self._text, self._threshold)

    def narrow_to(self, rows: NDArray[np.int64] | None) -> None:
        """Show only the matches in ``rows`` (None: all) that also pass text and threshold."""
        before = self._only
        same = rows is before or (rows is not None and before is not None and np.array_equal(rows, before))
        if not same:
            self._only = rows
            self.narrow(self._text, self._threshold)

    def narrow(self, text: str, threshold: float) -> None:
        """Show only matches that score at least ``threshold`` and have a document whose title contains ``text``."""
        self._text, self._threshold = text.strip().casefold(), threshold
        if self._columns is None:
            return
        mask: NDArray[np.bool_] = self._columns.above(threshold)
        if self._only is not None:
            mask &= np.isin(np.arange(len(mask)), self._only)
        if self._text:
            named = np.array([self._text in title.casefold() for title in self._titles], np.bool_)
            mask &= named[np.asarray(self.values("a_title"))] | named[np.asarray(self.values("b_title"))]
        self.set_filter("", mask)


class MatchTablePanel(QFrame):
    """A sortable table of every match.

    ``opened`` emits the match's row in the run's columns; ``left`` requests the texts again; ``selected`` is emitted on
    a change of selection, ``listed`` on an update of the table. The selection is kept when data are reloaded.
    """

    opened = Signal(int)
    selected = Signal()
    left = Signal()
    listed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        self.model = MatchTable(self)
        self._columns: RunColumns | None = None
        self._shown: RunColumns | None = None
        self._judged: Judged | None = None
        self._spread: Spread | None = None
        self._threshold = 0.0
        self._pause = after_pause(self._narrow, FILTER_MS, self)
        self._count = label("", 12, role="faint", tabular=True)
        self.table = QTableView()
        self.filter = FilterField(self.table, tr("Filter by title"), tr("Filter matches"))
        self.filter.paused.connect(self._narrow)
        self.table.setModel(self.model)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setFont(font(12, tabular=True))
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName(tr("All matches"))
        self.table.activated.connect(self._open)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._tell())
        self.table.doubleClicked.connect(self._open)
        self.table.horizontalHeader().setMinimumSectionSize(72)
        for at, column in enumerate(self.model.columns):
            self.table.setColumnWidth(at, column.width)
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        self.filter.setMaximumWidth(320)
        self._heading = heading(tr("All matches"))
        back = button(tr("Back to the texts"), self.left.emit)
        self.conflicts = button("", self._mark, kind="chip", tip=tr("Only matches on which the verdicts differ"))
        self.conflicts.hide()
        title = row(self._heading, self._count, self.conflicts, None, self.filter, back, margins=(14, 9, 12, 9))
        title.setStretch(4, 1)
        layout.addLayout(title)
        layout.addWidget(line())
        layout.addWidget(self.table, 1)
        ThemeWatch(self, theme, self._mark)

    def set_columns(self, columns: RunColumns, judged: Judged | None = None) -> None:
        """Set the matches to show, and their verdicts; the table loads them once it is visible."""
        self._columns, self._judged = columns, judged
        if self.isVisible():
            self.refresh()

    def set_threshold(self, threshold: float) -> None:
        """Show only matches at or above ``threshold``."""
        self._threshold = threshold
        if self.isVisible():
            self._pause.start()

    def refresh(self) -> None:
        """Update the table."""
        if self._columns is not None and self._columns is not self._shown:
            self._shown, self._spread = self._columns, None
            self.model.set_columns(self._columns)
            hidden = self.model.hidden(whole=self._columns.whole)
            for at in range(len(self.model.columns)):
                self.table.setColumnHidden(at, at in hidden)
            self._heading.setText(tr("All pairs") if self._columns.whole else tr("All matches"))
        self._mark()
        self._narrow()
        self.listed.emit()

    def show_spread(self, columns: RunColumns, spread: Spread) -> None:
        """Show which matches of ``columns`` form a passage, and in how many other documents each occurs."""
        if columns is self._shown:
            self._spread = spread
            self.model.show_others(spread.others)
            self._tell()

    def _mark(self) -> None:
        """Show the verdicts, in the colours of the theme."""
        if self._judged is None or self._shown is None or self._shown is not self._columns:
            return
        looks = pair_looks() if self._shown.whole else verdict_looks()
        words = {look.value: (look.short, self._theme.icon(look.icon, look.role)) for look in looks}
        words[CONFLICT] = (state_words(CONFLICT)[0], self._theme.icon("warning", "warn"))
        self.model.show_verdicts(self._judged, words)
        rows = self._judged.conflicts()
        self.conflicts.setText(f"{state_words(CONFLICT)[0]} {len(rows):,}")
        self.conflicts.setVisible(len(rows) > 0 or self.conflicts.isChecked())
        chosen = self.chosen_rows() if self.conflicts.isChecked() else []
        self.model.narrow_to(rows if self.conflicts.isChecked() else None)
        if chosen:
            choose_rows(self.table, self.model.rows_of(chosen))
        self._tell()
        # If sorted by verdict, the row just judged moves.
        if self.table.selectionModel().hasSelection():
            self.table.scrollTo(self.table.currentIndex())

    def chosen_rows(self) -> list[int]:
        """The selected matches by their rows in the run's columns, in shown order."""
        return [int(key) for key in self.model.keys_at(chosen_rows(self.table))]

    def choose(self, row: int) -> None:
        """Select only the match in ``row`` of the run's columns, if the filters show it."""
        at = self.model.row_of(row)
        if at >= 0:
            self._go(at)

    def step(self, by: int) -> bool:
        """Select only the next (1) or previous (-1) row; False if there is none."""
        at = self.table.currentIndex().row() + by
        there = 0 <= at < self.model.rowCount()
        if there:
            self._go(at)
        return there

    def go_to_end(self, *, last: bool) -> None:
        """Select only the last or first row."""
        if self.model.rowCount():
            self._go(self.model.rowCount() - 1 if last else 0)

    def _go(self, at: int) -> None:
        choose_rows(self.table, [at])
        self.table.scrollTo(self.model.index(at, 0))

    def _narrow(self) -> None:
        if not self.model.is_narrowed(self.filter.text(), self._threshold):
            chosen = self.chosen_rows()
            self.model.narrow(self.filter.text(), self._threshold)
            choose_rows(self.table, self.model.rows_of(chosen))
        self._tell()

    def _tell(self) -> None:
        """Show the number of shown, or selected, rows."""
        total = 0 if self._columns is None else len(self._columns.matches)
        shown, chosen = self.model.rowCount(), len(chosen_rows(self.table))
        words = f"{shown:,}" if shown == total else tr("{shown} of {total}", shown=f"{shown:,}", total=f"{total:,}")
        if self._spread is not None:
            among = passage_words(self._spread.passages_among(self.model.order.astype(np.int64)), shown)
            words = among if shown == total else tr("{shown} · {total} in all", shown=among, total=f"{total:,}")
        self._count.setText(words if chosen < 2 else trn("{count} selected", "{count} selected", chosen))
        self.selected.emit()

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(int(index.data(KEY_ROLE)))


class TablePlaces(QObject):
    """Requests the places of the matches in view as the table is scrolled, sorted and filtered."""

    def __init__(self, context: AppContext, table: MatchTablePanel, opening: PairLoader) -> None:
        super().__init__(table)
        self._context, self._panel, self._opening = context, table, opening
        self._pause = after_pause(self._ask, FILTER_MS, self)
        table.listed.connect(self._pause.start)
        table.selected.connect(self._pause.start)
        table.model.layoutChanged.connect(self._pause.start)
        table.table.verticalScrollBar().valueChanged.connect(self._pause.start)

    def _ask(self) -> None:
        columns, project = self._opening.overview.columns, self._context.project
        if columns is None or columns.whole or project is None or not self._panel.isVisible():
            return
        view = self._panel.table
        first, last = view.rowAt(0), view.rowAt(view.viewport().height() - 1)
        cells = self._panel.model.without_place(range(first, 1 + (last if last >= 0 else self._panel.model.rowCount())))
        m = columns.matches
        sides = {"a_start": (m.a, m.a_start, m.a_end), "b_start": (m.b, m.b_start, m.b_end)}
        passages = [
            (int(sides[side][0][row]), Span(*(int(limit[row]) for limit in sides[side][1:]))) for side, row in cells
        ]

        def arrived(places: list[Message]) -> None:
            if self._opening.overview.columns is columns:
                self._panel.model.show_places(dict(zip(cells, map(say, places), strict=True)))

        if cells:
            self._context.aside(self, read_places, project, passages, done=arrived)


class TableSpread(QObject):
    """Requests the spread when the table shows a run's matches, and again when documents change."""

    def __init__(self, context: AppContext, table: MatchTablePanel, opening: PairLoader) -> None:
        super().__init__(table)
        self._context, self._table, self._opening = context, table, opening
        self._of: RunColumns | None = None
        table.listed.connect(self._follow)
        context.changed.connect(self._changed)

    def follow_common(self) -> None:
        """Apply a new number of documents for common phrases."""
        self._table.model.show_common_from(self._context.settings.common_from)

    def _changed(self, kinds: frozenset[str]) -> None:
        if "documents" in kinds:
            self._of = None
            if self._table.isVisible():
                self._follow()

    def _follow(self) -> None:
        columns, run, project = self._opening.overview.columns, self._opening.overview.run, self._context.project
        self.follow_common()
        if columns is None or columns is self._of or columns.whole or run is None or project is None:
            return
        self._of = columns

        def arrived(spread: Spread) -> None:
            if self._of is columns and len(spread.passage) == len(columns.matches):
                self._table.show_spread(columns, spread)

        self._context.aside(self, read_spread, project, run.id, done=arrived)
