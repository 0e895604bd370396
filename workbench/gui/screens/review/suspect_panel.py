"""The left side of Review: the suspects, with the verdict on the open one and the case of its page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QMenu, QPushButton, QVBoxLayout, QWidget

from workbench.gui.i18n import say, tr
from workbench.gui.judging.case_giving import CaseDialog
from workbench.gui.judging.standing_words import history_lines, standing_words
from workbench.gui.judging.verdict_panel import VerdictPanel
from workbench.gui.judging.verdicts import decision_looks, state_words
from workbench.gui.kit.cards import card_list
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.pauses import FilterField, after_pause
from workbench.gui.kit.runs import RunBox, newer_words
from workbench.gui.kit.tag_chooser import TagChooser
from workbench.gui.kit.widgets import ElidedLink, IconButton, button, column, label, line, row
from workbench.gui.problems import guarded
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.screens.review.run_dialogs import unmatched_words, unplaced_words
from workbench.gui.screens.review.suspect_list import (
    COUNTED,
    ITEM_ROLE,
    KEY_ROLE,
    MINE,
    RAREST,
    STATES,
    SuspectDelegate,
    SuspectItem,
    SuspectModel,
    judged_words,
)
from workbench.gui.theme.fonts import SEMIBOLD
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.reading.formats.html import site_of
from workbench.services.relations.direction import Conclusion, in_words
from workbench.services.relations.directions import read_direction
from workbench.services.review.judgement import CONFLICT
from workbench.services.review.overview import Judged, Overview
from workbench.services.review.pivot import Grouping, Pivot
from workbench.services.session import Session
from workbench.services.watching.standing import Standing, read_standing

_LOW = 660
"""Height below which the list of suspects would be left with one or two rows, logical pixels."""


@guarded
class SuspectPanel(QFrame):
    """Suspects, sources or pairs of the run shown, filtered by text, state and threshold.

    ``chosen`` emits the keys of a suspect and of a source (None: that of its first passage). ``pivot_chosen`` emits the
    kind of rows to list instead; ``counted_asked`` requests the counted shares of the suspects.

    ``counting_asked`` requests the exclusions of the open suspect, ``scores_asked`` the run's scores of single
    documents, ``newer_asked`` the newer run, or continuing this one with the documents imported later,
    ``unplaced_asked`` the verdicts without a passage, ``unmatched_asked`` the suspects without a match, ``case_asked``
    the case of the open suspect's page; ``menu_asked`` emits the place on the screen of the selected suspect's menu.
    """

    chosen = Signal(object, object)
    pivot_chosen = Signal(object)
    counted_asked = Signal()
    run_chosen = Signal(int)
    scores_asked = Signal()
    counting_asked = Signal()
    newer_asked = Signal()
    unplaced_asked = Signal()
    unmatched_asked = Signal()
    menu_asked = Signal(QPoint)
    case_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.model = SuspectModel(self)
        self._theme = theme
        self._marked: tuple[int, int] | None = None
        """Suspect and source of the open pair."""
        self._count = label("", 12, role="faint", tabular=True)
        self.runs = RunBox()
        self.runs.chosen.connect(self.run_chosen)
        self.scores = button(tr("Documents by score"), self.scores_asked.emit, kind="link")
        self.scores.hide()
        self.newer = ElidedLink(self.newer_asked.emit)
        self.unplaced = ElidedLink(self.unplaced_asked.emit)
        self.unmatched = ElidedLink(self.unmatched_asked.emit)
        for link in (self.newer, self.unplaced, self.unmatched):
            link.hide()
        self._delegate = SuspectDelegate(theme)
        self.list = card_list(self.model, self._delegate, tr("Suspects"))
        self.filter = FilterField(self.list, tr("Filter by title or id"), tr("Filter suspects"))
        self.filter.paused.connect(self._filter)
        self.tag_chooser = TagChooser()
        self.tag_chooser.chosen.connect(lambda: self._narrow(self._choose_tag))
        self.list.selectionModel().currentChanged.connect(self._picked)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(
            lambda at: self.menu_asked.emit(self.list.viewport().mapToGlobal(at))
        )
        # Its range follows the size of the list, after its rows have moved.
        self.list.verticalScrollBar().rangeChanged.connect(self._keep_whole)
        self._sort_button = IconButton(theme, "sort", tr("Sort"), self._sort_menu)
        self.chips: dict[str, QPushButton] = {}
        self.verdict = VerdictPanel(theme, decision_looks(), compact=True)
        self.verdict.arranged.connect(self._name_verdict)
        self._name_verdict(1)
        self.verdict.title.setToolTip(tr("Verdict on the suspect"))
        self._progress = label("", 12, role="muted", tabular=True, wrap=True)
        self.shares = ElidedLink(self.counting_asked.emit)
        self.shares.hide()
        self.case = ElidedLink(self.case_asked.emit)
        self.case.hide()
        self._tags: list[tuple[str, ...]] = []
        """For each row of the model."""
        self._left: int | None = None
        """The suspect that was open before the filter."""
        self._build()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        self.pivots = {
            Pivot.SUSPECTS: QPushButton(tr("Suspects")),
            Pivot.SOURCES: QPushButton(tr("Sources")),
            Pivot.PAIRS: QPushButton(tr("Pairs")),
        }
        group = QButtonGroup(self)
        for pivot, choice in self.pivots.items():
            choice.setProperty("kind", "chip")
            choice.setCheckable(True)
            choice.setFont(label("", 11, weight=SEMIBOLD).font())
            choice.clicked.connect(partial(self._choose_pivot, pivot))
            group.addButton(choice)
        self.pivots[Pivot.SUSPECTS].setChecked(True)
        choices = QWidget()
        beside = FlowLayout(choices, spacing=4)
        for choice in self.pivots.values():
            beside.addWidget(choice)
        layout.addLayout(row(choices, margins=(12, 9, 8, 6)))
        above = column(
            self.runs, self.scores, self.newer, self.unplaced, self.unmatched, margins=(12, 0, 12, 4), spacing=4
        )
        above.setAlignment(self.scores, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(above)
        layout.addLayout(row(self.filter, self._count, self._sort_button, margins=(12, 0, 8, 8), spacing=6))
        layout.addLayout(row(self.tag_chooser, margins=(12, 0, 12, 8)))
        # In a narrow panel, the chips take a second line.
        chips = QWidget()
        flow = FlowLayout(chips, spacing=5)
        for state in ("", *STATES, MINE):
            chip = QPushButton()
            chip.setProperty("kind", "chip")
            chip.setCheckable(True)
            chip.setFont(label("", 11, tabular=True).font())
            chip.clicked.connect(lambda _on=False, state=state: self.set_state(state))
            self.chips[state] = chip
            flow.addWidget(chip)
        self.chips[""].setChecked(True)
        layout.addLayout(row(chips, margins=(12, 0, 10, 9)))
        layout.addWidget(line())
        layout.addWidget(self.list, 1)
        layout.addWidget(line())
        foot = (row(self.shares), self.case, self._progress, self.verdict)
        layout.addLayout(column(*foot, spacing=4, margins=(14, 8, 12, 9)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a low panel, leave the height to the list."""
        super().resizeEvent(event)
        self.verdict.set_low(event.size().height() < _LOW)

    def show_overview(self, overview: Overview) -> None:
        """Show the suspects of a run; the selection is kept."""
        self.runs.show_runs(overview.runs, overview.run)
        self.scores.setVisible(overview.run is not None and overview.run.scores > 0)
        for link, count, words in (
            (self.newer, overview.newer, newer_words(overview.newer, overview.successor)),
            (self.unplaced, overview.unplaced + overview.gone, unplaced_words(overview.unplaced, overview.gone)),
            (self.unmatched, overview.unmatched, unmatched_words(overview.unmatched)),
        ):
            link.setVisible(count > 0)
            link.set_text(words)
        if overview.columns is not None:
            self._show_rows(overview)
        self._counts()

    def _show_rows(self, overview: Overview, grouping: Grouping | None = None) -> None:
        assert overview.columns is not None
        self.model.set_rows(overview.suspects, overview.columns, overview.judged, overview.assigned, grouping)
        self._tags = self.model.tags(overview.tags)
        self.tag_chooser.offer(self._tags)
        self._choose_tag()
        pivot = Pivot.SUSPECTS if self.model.grouping is None else self.model.grouping.pivot
        self.pivots[pivot].setChecked(True)
        self.list.setAccessibleName(self.pivots[pivot].text())
        if pivot is not Pivot.SUSPECTS and self.model.state not in ("", CONFLICT):
            self.set_state("")
        if pivot is not Pivot.SUSPECTS and self.model.sort_key == COUNTED:
            self.set_sort("score")

    def show_grouping(self, overview: Overview, grouping: Grouping) -> None:
        """List the rows of ``grouping``; the open pair remains selected."""
        self._show_rows(overview, grouping)
        self._counts()

    @property
    def pivot(self) -> Pivot:
        """The kind of rows listed."""
        return next(pivot for pivot, choice in self.pivots.items() if choice.isChecked())

    def _choose_pivot(self, pivot: Pivot, _on: bool = True) -> None:
        self.pivot_chosen.emit(pivot)

    def show_shares(self, words: str, short: str) -> None:
        """Both shares of the open suspect in one line, ``short`` if it is narrow; empty if there are none."""
        tip = tr("Total over all sources: characters that count, and those left out")
        self.shares.set_text(words, f"{words}\n{tip}" if words else "", short)
        self.shares.setVisible(bool(words))

    def show_case(self, words: str, more: str) -> None:
        """State and case of the open suspect's page in one line, with ``more`` as its tooltip; empty for none."""
        self.case.set_text(words, more)
        self.case.setVisible(bool(words))

    def show_judged(self, judged: Judged) -> None:
        """Show other verdicts on the same matches; the selection is kept."""
        self.model.set_judged(judged)
        self._counts()
        self._show_progress()

    def set_threshold(self, threshold: float) -> None:
        """Hide rows without a match at or above ``threshold``."""
        self.model.set_threshold(threshold)
        self._counts()
        self._show_progress()

    def set_merged(self, on: bool) -> None:
        """Count neighbouring matches as one passage, or each match separately."""
        self.model.set_merged(on)
        self._show_progress()

    def current_key(self) -> int | None:
        """Key of the selected suspect."""
        index = self.list.currentIndex()
        return int(index.data(KEY_ROLE)) if index.isValid() else None

    def mark(self, a: int, b: int) -> None:
        """Select the row of suspect ``a`` and source ``b`` without opening it; if hidden, as soon as it is shown."""
        self._marked = a, b
        at = -1 if self.model.grouping is None else self.model.row_of(self.model.grouping.key_of(a, b))
        if at >= 0:
            selection = self.list.selectionModel()
            before = self.list.currentIndex()
            with QSignalBlocker(selection):
                selection.setCurrentIndex(self.model.index(at), QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.list.scrollTo(self.model.index(at))
            # The list was not notified.
            for index in (before, self.model.index(at)):
                self.list.update(index)
            self._show_progress()

    def _keep_whole(self) -> None:
        """Scroll the selected row fully into view if partly visible: widgets below the list may take its space."""
        index = self.list.currentIndex()
        if index.isValid() and self.list.visualRect(index).intersects(self.list.viewport().rect()):
            self.list.scrollTo(index)

    def _name_verdict(self, columns: int) -> None:
        """Name the subject of the verdict below; with several buttons per row there is no space for whole keys."""
        self.verdict.title.setText(tr("Suspect") if columns == 1 else tr("Suspect (Alt +)"))

    def _show_progress(self) -> None:
        """Show the progress of judging the selected suspect, apart from its own verdict."""
        index = self.list.currentIndex()
        item: SuspectItem | None = index.data(ITEM_ROLE) if index.isValid() else None
        self.verdict.setEnabled(item is not None)
        if item is None:
            self._progress.setText("")
            return
        parts = [judged_words(sum(n for _, n in item.verdict_counts), item.passages)]
        parts += [f"{n:,} {state_words(value)[0].lower()}" for value, n in item.verdict_counts]
        self._progress.setText(" · ".join(parts))

    def step(self, by: int) -> bool:
        """Open the next (1) or previous (-1) suspect shown; False if there is none."""
        at = self.list.currentIndex().row() + by
        there = 0 <= at < self.model.rowCount()
        if there:
            self.list.setCurrentIndex(self.model.index(at))
        return there

    def neighbour(self, by: int) -> tuple[int, int | None] | None:
        """Suspect and source of the next (1) or previous (-1) row shown; source None: that of its first passage."""
        at = self.list.currentIndex().row() + by
        return self.model.opens(at) if 0 <= at < self.model.rowCount() else None

    def _picked(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid():
            self._marked = None
            self.chosen.emit(*self.model.opens(index.row()))

    def _filter(self) -> None:
        self._narrow(lambda: self.model.set_needle(self.filter.text()))

    def _choose_tag(self) -> None:
        self.model.set_mask(self.tag_chooser.passing(self._tags))

    def set_state(self, state: str) -> None:
        """Show only suspects in ``state``; "" for all."""
        for name, chip in self.chips.items():
            chip.setChecked(name == state)
        self._narrow(lambda: self.model.set_state(state))

    def _narrow(self, change: Callable[[], object]) -> None:
        """Filter; if the open suspect is hidden, open the first remaining one, and return to it when all are shown."""
        before = self.current_key()
        if self._left is None:
            self._left = before
        change()
        self._counts()
        whole = not self.model.is_narrowed
        wanted = self._left if whole else None
        if whole:
            self._left = None
        if wanted is not None and wanted != before and (at := self.model.row_of(wanted)) >= 0:
            self.list.setCurrentIndex(self.model.index(at))
        elif before is not None and self.model.row_of(before) < 0 and self.model.rowCount():
            self.list.setCurrentIndex(self.model.index(0))

    def _counts(self) -> None:
        by = self.model.grouping
        if self._marked is not None and by is not None and self.current_key() != by.key_of(*self._marked):
            self.mark(*self._marked)
        shown = self.model.rowCount()
        self._count.setText(f"{shown:,}")
        for state, count in self.model.state_counts().items():
            words = tr("All") if not state else tr("Assigned") if state == MINE else state_words(state)[0]
            self.chips[state].setText(f"{words} {count:,}")
            fits = by is None or by.pivot is Pivot.SUSPECTS or state == CONFLICT
            self.chips[state].setVisible(not state or (fits and (count > 0 or self.model.state == state)))
        self._show_progress()

    def _sort_menu(self) -> None:
        menu = QMenu(self)
        group = QActionGroup(menu)
        names = {
            "score": self.model.score_name(),
            "coverage": tr("Coverage"),
            "longest": tr("Longest match"),
            "matches": tr("Number of matches"),
            "date": tr("Date"),
            "title": tr("Title"),
        }
        if self.model.has_rarity():
            names[RAREST] = tr("Rarest match")
        if self.pivot is Pivot.SUSPECTS:
            names[COUNTED] = tr("Share that counts")
        for key, name in names.items():
            action = menu.addAction(name)
            action.triggered.connect(lambda _on=False, key=key: self.set_sort(key))
            action.setCheckable(True)
            action.setChecked(key == self.model.sort_key)
            group.addAction(action)
        menu.popup(self._sort_button.mapToGlobal(self._sort_button.rect().bottomLeft()))

    def set_sort(self, key: str) -> None:
        """Sort by one of the model's keys."""
        if key == COUNTED:
            self.counted_asked.emit()
        self.model.set_sort(key)


_PAUSE_MS = 300
"""Milliseconds without another label after which the case is read again."""
_PAST = 8
"""Number of events of a case that its tooltip lists; the dialog lists all."""


class PageCase(QObject):
    """Shows the standing of the open suspect's page below the suspects, and asks for its case."""

    def __init__(self, context: AppContext, panel: SuspectPanel, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._panel, self._window = context, panel, parent
        self._document = self._source = 0
        self.standing: Standing | None = None
        self._directions: dict[tuple[int, int], Conclusion | None] = {}
        """Which document of a pair copied from the other, once read: no label changes it."""
        self.dialog: CaseDialog | None = None
        """The dialog shown last."""
        self._pause = after_pause(self._read, _PAUSE_MS, self)
        context.changed.connect(self._changed)

    def show(self, opened: PairData) -> None:
        """Show the standing of the page of another pair's suspect."""
        self._document, self._source = opened.a.key, opened.b.key
        self._read()

    def there(self) -> bool:
        """Whether the open suspect is from a page with an address, or has a case."""
        standing = self.standing
        return standing is not None and bool(site_of(standing.page) or standing.history)

    def ask(self) -> None:
        """Ask for the case of the open suspect's page."""
        if self.standing is not None:
            self.dialog = CaseDialog(self._context, self.standing, self._window.window())
            self.dialog.open()

    def _changed(self, kinds: frozenset[str]) -> None:
        if kinds & {"documents", "watches", "runs"}:
            self._directions = {}
        if kinds & {"watches", "runs"} and self._document:
            self._read()
        elif "labels" in kinds and self._document:
            # Most events are verdicts, in quick succession; few are cases.
            self._pause.start()

    def _read(self) -> None:
        self._pause.stop()
        shown, directions = (self._document, self._source), self._directions

        def read(session: Session) -> tuple[Standing | None, Conclusion | None]:
            direction = directions[shown] if shown in directions else read_direction(*shown)(session)
            return read_standing(session, shown[0]), direction

        def show(known: tuple[Standing | None, Conclusion | None]) -> None:
            self.standing, direction = known
            directions[shown] = direction
            standing = self.standing
            lines = [] if standing is None else [standing.page, *history_lines(standing.history)[-_PAST:]]
            words = [standing_words(standing)] if standing is not None and self.there() else []
            if direction is not None:
                words.append(say(in_words(direction.direction, own=False)))
                lines.append(say(direction.in_words))
            self._panel.show_case(" · ".join(words), "\n".join(lines))
            self._context.actions.refresh(("review.case",))

        self._context.latest(self, "standing", read, show)
