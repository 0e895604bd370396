"""The label set, the annotator and the order; progress; and the entries of the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QPushButton, QVBoxLayout, QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel
from workbench.gui.kit.figures import FigureWords, show_figures
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.progress import duration
from workbench.gui.kit.runs import RunBox
from workbench.gui.kit.tables import Index, LanguageDelegate, Table, TagDelegate, choose_rows
from workbench.gui.kit.tag_chooser import TagChooser
from workbench.gui.kit.widgets import ChoiceBox, IconButton, ThemeWatch, button, caption, label, line, row
from workbench.gui.kit.words import of_other_text
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.theme.manager import Theme
from workbench.services.labels.label_state import Board
from workbench.services.labels.queue import Order, Progress, QueueOptions
from workbench.services.labels.targets import TargetKind

NEW = "\x00new"
"""Stands for a new set or annotator in the lists."""


def order_words() -> dict[Order, str]:
    """The orders in words."""
    return {
        Order.RANDOM: tr("In random order"),
        Order.IMPORTED: tr("As imported"),
        Order.SCORE: tr("Highest score first"),
        Order.UNCERTAIN: tr("Most uncertain first"),
    }


def pace_words(progress: Progress) -> str:
    """Pace and remaining time in words; "" if unknown."""
    if not progress.seconds or progress.remaining is None:
        return ""
    pace = tr("{count} per minute", count=f"{60 / progress.seconds:,.1f}")
    if progress.done >= progress.total:
        return pace
    return f"{pace} · " + tr("{time} left", time=duration(progress.remaining))


class QueuePanel(QFrame):
    """``set_chosen`` and ``annotator_chosen`` emit names (NEW: create one), ``options_changed`` the new options.

    ``picked`` emits the target of the entry chosen in the list.
    """

    set_chosen = Signal(str)
    annotator_chosen = Signal(str)
    options_changed = Signal(object)
    blind_changed = Signal()
    run_chosen = Signal(int)
    picked = Signal(str)
    set_menu = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        self._options = QueueOptions()
        self._label_session: LabelSession | None = None
        self._rows: dict[str, int] = {}
        self.sets = _box(tr("Label set"))
        self.sets.activated.connect(lambda _at: self.set_chosen.emit(self.sets.currentData()))
        self.more = IconButton(theme, "more", tr("Label sets, import and export"), self.set_menu.emit)
        self.who = _box(tr("Annotator"))
        self.who.activated.connect(lambda _at: self.annotator_chosen.emit(self.who.currentData()))
        self.order = _box(tr("Order of the queue"))
        self.order.activated.connect(lambda _at: self._ordered())
        self.runs = RunBox()
        self.runs.chosen.connect(self.run_chosen)
        self.tag_chooser = TagChooser()
        self.tag_chooser.chosen.connect(lambda: self._emit(replace(self._options, tag=self.tag_chooser.state())))
        self.chips: dict[str, QPushButton] = {}
        self._progress = QVBoxLayout()
        self._counts: FigureWords | None = None
        """The progress of the annotator."""
        self._pace = label("", 12, role="faint", tabular=True, wrap=True)
        self._colours: dict[str, int] = {}
        columns = (Column("title", tr("Entry"), width=0), Column("label", tr("Label"), width=96))
        self.model = ColumnsModel(columns, "key", self)
        self.table = Table(self.model, tr("Entries of the queue"))
        self.table.setItemDelegateForColumn(0, LanguageDelegate(self._language, self.table))
        self.table.setItemDelegateForColumn(1, TagDelegate(theme, lambda _index: "text2", self.table, self._colour))
        self.table.opened.connect(lambda key: self.picked.emit(str(key)))
        self.table.clicked.connect(lambda _index: self._clicked())
        ThemeWatch(self, theme, self._draw_progress)
        self._build()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        first = row(self.sets, self.more, margins=(12, 4, 8, 0), spacing=4)
        first.setStretch(0, 1)
        layout.addLayout(row(caption(tr("Label set")), None, margins=(14, 10, 12, 0)))
        layout.addLayout(first)
        layout.addLayout(row(caption(tr("Annotator")), None, margins=(14, 8, 12, 0)))
        layout.addLayout(row(self.who, margins=(12, 4, 12, 0)))
        layout.addLayout(row(caption(tr("Queue")), None, margins=(14, 8, 12, 0)))
        layout.addLayout(row(self.order, margins=(12, 4, 12, 0)))
        layout.addLayout(row(self.runs, margins=(12, 4, 12, 0)))
        layout.addLayout(row(self.tag_chooser, margins=(12, 4, 12, 0)))
        chips = QWidget()
        flow = FlowLayout(chips, 6)
        words = {
            "everything": (tr("Include labelled"), tr("Also show entries that you have already labelled")),
            "conflicts": (tr("Conflicts"), tr("Only where annotators differ and nobody has settled it")),
            "mine": (tr("Mine"), tr("Only your assignments")),
            "suspects": (tr("Suspects"), tr("Only documents whose role is suspect")),
            "scores": (tr("Scores hidden"), tr("Judge without seeing a run's scores")),
            "others": (tr("Others hidden"), tr("Judge without seeing others' verdicts")),
        }
        for name, (word, tip) in words.items():
            chip = button(word, kind="chip", tip=tip)
            chip.clicked.connect(lambda _on=False, name=name: self._chip(name))
            self.chips[name] = chip
            flow.addWidget(chip)
        layout.addLayout(row(chips, margins=(12, 8, 12, 8)))
        self._progress.setContentsMargins(14, 4, 14, 0)
        layout.addLayout(self._progress)
        layout.addLayout(row(self._pace, margins=(14, 2, 14, 8)))
        layout.addWidget(line())
        layout.addWidget(self.table, 1)
        for name in ("scores", "others"):
            self.chips[name].setChecked(True)

    def _colour(self, index: Index) -> str:
        """Colour of a row's label, as on the button that gives it."""
        number = self._colours.get(str(index.data()))
        return "" if number is None else self._theme.tokens.source(number)

    # -- showing

    def show_board(self, board: Board, who: str, options: QueueOptions) -> None:
        """List sets, annotators and orders, with the current ones selected."""
        self._options = options
        values = board.label_set.values
        self._colours = {words: v.colour for v in values for words in (v.name, of_other_text(v.name))}
        _fill(self.sets, {name: name for name in board.sets}, board.label_set.name, tr("New label set…"))
        names = list(dict.fromkeys([who, *board.annotators()]))
        _fill(self.who, {name: name for name in names}, who, tr("Another annotator…"))
        with QSignalBlocker(self.order):
            self.order.clear()
            for order, word in order_words().items():
                self.order.addItem(word, order)
            if options.named is not None:
                self.order.addItem(options.named.name, Order.NAMED)
            self.order.setCurrentIndex(max(0, self.order.findData(options.order)))
        self.tag_chooser.offer(item.tags for item in board.items)
        self.tag_chooser.choose(options.tag)
        scored = options.order in (Order.SCORE, Order.UNCERTAIN)
        self.runs.show_runs(list(reversed(board.runs)), board.run)
        self.runs.setVisible(bool(board.runs) and (scored or board.label_set.kind is not TargetKind.DOCUMENT))
        for name in ("everything", "conflicts", "mine", "suspects"):
            self.chips[name].setChecked(bool(getattr(options, name)))
        self.chips["conflicts"].setEnabled(not board.only)  # They would reveal others' labels
        self.chips["mine"].setVisible(any(board.assigned.values()))
        self.chips["suspects"].setVisible(board.label_set.kind is TargetKind.DOCUMENT)

    def show_queue(self, label_session: LabelSession) -> None:
        """List the entries of ``label_session``."""
        self._label_session = label_session
        self._rows = dict(label_session.place)
        self.model.set_values(
            {
                "key": [item.target for item in label_session.items],
                "title": [item.title for item in label_session.items],
                "language": [item.language for item in label_session.items],
                "label": [self._label_words(item.target) for item in label_session.items],
            }
        )

    def show_labels(self, targets: Sequence[str]) -> None:
        """Show the changed labels of ``targets``."""
        column = self.model.values("label")
        assert isinstance(column, list)
        for target in targets:
            if target in self._rows:
                column[self._rows[target]] = self._label_words(target)
        self.table.viewport().update()

    def show_place(self, target: str) -> None:
        """Select the current entry in the list."""
        at = self._rows.get(target, -1)
        if at < 0:
            self.table.clearSelection()
            return
        unsorted = self.model.sorted_by()[0] < 0
        shown = at if unsorted else self.model.row_of(target)
        with QSignalBlocker(self.table):
            # Not by the table itself, which would extend the selection while Ctrl is down (undo).
            choose_rows(self.table, [shown])
        # Repaint the previous row and this one, which a view with blocked signals does not do.
        self.table.viewport().update()

    def show_progress(self, progress: Progress, word: str) -> None:
        """Show the annotator's progress and pace; ``word`` names the counted items."""
        share = progress.done / progress.total if progress.total else 0.0
        words = tr("{done} of {total}", done=f"{progress.done:,}", total=f"{progress.total:,}")
        self._counts = FigureWords(word, "", words, share)
        self._draw_progress()
        rest = trn("{count} to go", "{count} to go", max(0, progress.total - progress.done))
        self._pace.setText(" · ".join(part for part in (rest, pace_words(progress)) if part))

    def _draw_progress(self) -> None:
        if self._counts is not None:
            tokens = self._theme.tokens
            show_figures(self._progress, [self._counts], tokens.accent, tokens)

    def chosen_targets(self) -> list[str]:
        """The targets of the selected rows."""
        return [str(key) for key in self.table.chosen_keys()]

    @property
    def blind_to_scores(self) -> bool:
        """Whether scores are hidden."""
        return self.chips["scores"].isChecked()

    @property
    def blind_to_others(self) -> bool:
        """Whether other annotators' labels are hidden."""
        return self.chips["others"].isChecked()

    def set_blind(self, state: Mapping[str, object]) -> None:
        """Restore the blind settings."""
        for name in ("scores", "others"):
            self.chips[name].setChecked(state.get(name) is not False)

    def _label_words(self, target: str) -> str:
        if self._label_session is None:
            return ""
        board = self._label_session.board
        own = board.label_of(target, self._label_session.who)
        if own is None:
            return ""
        return of_other_text(own.value) if board.is_of_other_text(own) else own.value

    def _language(self, index: object) -> str:
        at = self.model.source_row(index.row())  # type: ignore[attr-defined]
        return str(self.model.values("language")[at])

    def _clicked(self) -> None:
        chosen = self.table.chosen_keys()
        if len(chosen) == 1:
            self.picked.emit(str(chosen[0]))

    def _ordered(self) -> None:
        self._emit(replace(self._options, order=Order(self.order.currentData())))

    def _chip(self, name: str) -> None:
        if name in ("scores", "others"):
            self.blind_changed.emit()
        else:
            self._emit(replace(self._options, **{name: self.chips[name].isChecked()}))  # type: ignore[arg-type]

    def _emit(self, options: QueueOptions) -> None:
        self._options = options
        self.options_changed.emit(options)


def _box(name: str) -> QComboBox:
    box = ChoiceBox()
    box.setAccessibleName(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    return box


def _fill(box: QComboBox, entries: Mapping[str, str], chosen: str, more: str) -> None:
    with QSignalBlocker(box):
        box.clear()
        for name, word in entries.items():
            box.addItem(word, name)
            box.setItemData(box.count() - 1, word, Qt.ItemDataRole.ToolTipRole)
        box.insertSeparator(box.count())
        box.addItem(more, NEW)
        box.setCurrentIndex(max(0, box.findData(chosen)))
