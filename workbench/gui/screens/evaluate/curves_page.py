"""Precision against recall, F by threshold, scores by label and the confusion matrix: one threshold for all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QSplitter, QVBoxLayout, QWidget

from workbench.base.messages import threshold_words
from workbench.base.types import Ints
from workbench.gui.charts.confusion_matrix import ConfusionMatrix, cell_words
from workbench.gui.charts.label_histogram import LabelHistogram, LabelRow
from workbench.gui.charts.line_plot import CurvePlot, LinePlot, Trace
from workbench.gui.charts.plane import Plane
from workbench.gui.charts.scales import Even, ScaleKind, fitting_kind, score_scale
from workbench.gui.i18n import tr
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import ThemeWatch, column, heading, icon_button, label, row
from workbench.gui.kit.words import language_word
from workbench.gui.screens.evaluate.measure_bar import MeasureBar
from workbench.gui.screens.evaluate.screen_data import Drawn, ScreenData
from workbench.gui.screens.evaluate.words import counted, left_out_words, score_text
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.label_selection import CONFLICTING
from workbench.services.measuring.scored_run import NO_LABEL, POSITIVE, Cell, ScoredRun


class ItemModel(ColumnsModel):
    """Rows are items of a :class:`ScoredRun`, keyed by their row there; a selection of a million is shown at once."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._scored: ScoredRun | None = None
        self._rows: Ints = np.zeros(0, np.int64)
        super().__init__(
            (
                Column("a", tr("Document"), self._title_a),
                Column("b", tr("Source"), self._title_b, width=260, blank="–"),
                Column("score", tr("Score"), score_text, True, 100, tr("not reported")),
                Column("value", tr("Label"), self._value, width=130),
                Column("truth", tr("Counts as"), self._truth, width=110),
                Column("length", tr("Length"), whole, True, 90),
                Column("language", tr("Language"), self._language, width=110),
                Column("site", tr("Site"), self._site, width=150),
            ),
            "row",
            parent,
        )

    def set_bench(self, scored: ScoredRun) -> None:
        """Show items of another run: none initially."""
        self._scored, self._rows = scored, np.zeros(0, np.int64)
        places = np.clip(np.searchsorted(scored.documents.key, scored.a), 0, max(0, len(scored.documents.key) - 1))
        everything = np.arange(len(scored))
        self.set_values(
            {
                "row": everything,
                "a": everything,
                "b": everything,
                "score": scored.score,
                "value": scored.value,
                "truth": scored.truth,
                "length": scored.documents.length[places] if len(scored.documents.key) else everything,
                "language": everything,
                "site": everything,
            }
        )

    def show_rows(self, rows: Ints) -> None:
        """Show these items, in this order until the user sorts them."""
        self._rows = rows
        self.set_filter("")

    def _order_again(self) -> None:
        if self._sort[0] < 0:
            self.order = self._rows.astype(np.int32)
            return
        mask = np.zeros(self.total, np.bool_)
        mask[self._rows] = True
        self._mask = mask
        super()._order_again()

    def _rank(self, name: str) -> NDArray[np.int32]:
        """Columns whose values are items are sorted by what is shown: that of their documents."""
        scored = self._scored
        if scored is not None and name in ("a", "b", "language", "site") and name not in self._ranks:
            documents = scored.documents
            words = {
                "language": map(language_word, documents.language),
                "site": documents.site,
            }.get(name, map(scored.title, documents.key.tolist()))
            shown = np.array([word.casefold() for word in words], np.dtypes.StringDType())
            # Items without a source come first.
            rank = np.append(np.unique(shown, return_inverse=True)[1], -1)
            keys = scored.b if name == "b" else scored.a
            places = np.searchsorted(documents.key, keys)
            there = np.append(documents.key, -1)[places] == keys
            self._ranks[name] = rank[np.where(there, places, -1)].astype(np.int32)
        return super()._rank(name)

    def _title_a(self, item: object) -> str:
        return "" if self._scored is None else self._scored.title(int(self._scored.a[int(item)]))  # type: ignore[call-overload]

    def _title_b(self, item: object) -> str:
        return "" if self._scored is None else self._scored.title(int(self._scored.b[int(item)]))  # type: ignore[call-overload]

    def _value(self, code: object) -> str:
        number = int(code)  # type: ignore[call-overload]
        return "–" if self._scored is None or number < 0 else self._scored.values[number]

    @staticmethod
    def _truth(code: object) -> str:
        number = int(code)  # type: ignore[call-overload]
        return tr("neither") if number == NO_LABEL else tr("positive") if number == POSITIVE else tr("negative")

    def _place(self, item: object) -> int:
        assert self._scored is not None
        return int(np.searchsorted(self._scored.documents.key, self._scored.a[int(item)]))  # type: ignore[call-overload]

    def _language(self, item: object) -> str:
        return "" if self._scored is None else language_word(self._scored.documents.language[self._place(item)])

    def _site(self, item: object) -> str:
        return "" if self._scored is None else self._scored.documents.site[self._place(item)]


class ItemList(QFrame):
    """The list of items with its title. ``opened`` emits the row of an item."""

    opened = Signal(int)
    chosen = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        run = context.actions.run
        self.model = ItemModel(self)
        self.table = Table(self.model, tr("Items"))
        self.title = heading("", 13)
        self.note = label("", 12, role="faint")
        self.review = icon_button(context.theme, tr("Open in Review"), "review", lambda: run("evaluate.review"))
        self.label = icon_button(context.theme, tr("Label these"), "label", lambda: run("evaluate.label"))
        head = row(self.title, self.note, None, self.review, self.label, margins=(14, 6, 8, 6), spacing=10)
        whole_ = column(head, spacing=0, margins=(1, 1, 1, 1))
        whole_.addWidget(self.table, 1)
        self.setLayout(whole_)
        self.setMinimumHeight(88)
        self.table.opened.connect(lambda key: self.opened.emit(int(key)))
        self.table.selected.connect(self.chosen)

    def set_bench(self, scored: ScoredRun) -> None:
        """Show items of another run."""
        self.model.set_bench(scored)
        self.table.setColumnHidden(1, scored.kind is TargetKind.DOCUMENT)
        for at, there in ((6, any(scored.documents.language)), (7, any(scored.documents.site))):
            self.table.setColumnHidden(at, not there)

    def show_rows(self, rows: Ints, title: str, note: str = "") -> None:
        """Show items under a title."""
        self.title.setText(title)
        self.note.setText(note)
        self.model.show_rows(rows)

    def rows(self) -> list[int]:
        """The selected items, else all shown."""
        keys = self.table.chosen_keys()
        return [int(key) for key in keys] if keys else self.model.order.tolist()

    def first(self) -> int:
        """The chosen item, else the first; -1 in an empty list."""
        keys = self.table.chosen_keys()
        return int(keys[0]) if keys else int(self.model.order[0]) if len(self.model.order) else -1


_LIST_MS = 90
"""Milliseconds after a drag before the list follows."""
_LEAPS = 25
"""Number of presses of Page Up from one end of the thresholds to the other."""


class CurvesPage(QWidget):
    """``threshold_changed`` is emitted on every move; ``opened`` emits the row of an item."""

    threshold_changed = Signal(float)
    opened = Signal(int)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.scored: ScoredRun | None = None
        self._drawn: Drawn | None = None
        self._axis: ScaleKind | str = ""
        self.threshold = 0.0
        self.bar = MeasureBar(context)
        self.left_out = label("", 12, role="muted", wrap=True)
        self.left_out.hide()
        self.pr = CurvePlot(tr("Precision against recall"), tr("Recall"), tr("Precision"))
        self.f = LinePlot(tr("F, precision and recall against the threshold"), tr("Threshold"))
        self.histogram = LabelHistogram(tr("Scores by label"), tr("Score"))
        self.matrix = ConfusionMatrix()
        self.items = ItemList(context)
        self.f.brushable = True
        self.f.top = 24
        self.histogram.top, self.histogram.flag_above = 24, True
        self.brush: tuple[float, float] | None = None
        self._timer = after_pause(self.list_items, _LIST_MS, self)
        self._build()
        self._connect()

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        parts: tuple[tuple[QWidget, str, int, int], ...] = (
            (self.pr, tr("Precision and recall"), 0, 0),
            (self.f, tr("By threshold"), 0, 1),
            (self.histogram, tr("Scores by label"), 1, 0),
            (self.matrix, tr("Confusion matrix"), 1, 1),
        )
        for part, title, line, place in parts:
            grid.addWidget(framed(part, title), line, place)
        for at in (0, 1):
            grid.setRowStretch(at, 1)
            grid.setColumnStretch(at, 1)
        charts = QWidget()
        charts.setLayout(grid)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(8)
        split.setChildrenCollapsible(False)
        split.addWidget(charts)
        split.addWidget(self.items)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setSizes([520, 190])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.bar)
        layout.addWidget(self.left_out)
        layout.addWidget(split, 1)

    def _connect(self) -> None:
        self.bar.moved.connect(self.set_threshold)
        self.bar.axis_chosen.connect(self.set_axis)
        self.pr.slid.connect(self._slid)
        for chart in self.planes():
            chart.moved.connect(self.set_threshold)
            chart.stepped.connect(self._step)
            chart.brushed.connect(self.set_brush)
            chart.opened.connect(self.items.table.setFocus)
        self.matrix.chosen.connect(self.choose_cell)
        self.matrix.opened.connect(self.items.table.setFocus)
        self.items.opened.connect(self.opened)
        theme = self._context.theme
        ThemeWatch(self, theme, self._dress)
        self._dress()

    def planes(self) -> tuple[Plane, ...]:
        """The charts with axes."""
        return (self.pr, self.f, self.histogram)

    def _dress(self) -> None:
        tokens = self._context.theme.tokens
        for chart in self.planes():
            chart.set_tokens(tokens)
        self.matrix.set_tokens(tokens)

    # -- content

    def show_scored(self, scored: ScoredRun, shown: ScreenData, threshold: float) -> None:
        """Show a run with its labels, at ``threshold``."""
        self.scored, self._drawn = scored, shown.drawn
        self.bar.set_bench(scored)
        self.left_out.setText(left_out_words(scored))
        self.left_out.setVisible(bool(self.left_out.text()))
        self.items.set_bench(scored)
        # The axis is set first, so that counts are not computed twice.
        self.histogram.rows = tuple(self._named(row) for row in shown.labels)
        self._draw_axes()
        drawn = shown.drawn
        if drawn is not None:
            band = (drawn.precision_band, drawn.f1_band)
            self.pr.set_traces([Trace(tr("Precision"), drawn.recall, drawn.precision, *band[0], steps=True)])
            x = drawn.threshold
            self.f.set_traces(
                [
                    Trace(tr("F"), x, drawn.f1, *band[1], look=0),
                    Trace(tr("Precision"), x, drawn.precision, look=1),
                    Trace(tr("Recall"), x, drawn.recall, look=2),
                ]
            )
        self.set_brush(None)
        self._place(threshold)
        self._begin_with_errors()
        self.list_items()

    def _begin_with_errors(self) -> None:
        """List false positives, or false negatives if there are none."""
        if not len(self.listed()) and self.matrix.cell == "false_positive":
            self.matrix.choose("false_negative")

    def _named(self, row: LabelRow) -> LabelRow:
        if row.name:
            return row
        assert self.scored is not None
        name = tr("no settled label") if self.scored.left_out.get(CONFLICTING) else tr("no label")
        return LabelRow(name, row.ascending, row.look, row.unreported)

    def set_axis(self, kind: ScaleKind | str) -> None:
        """Set the axis of scores; "" for the automatic one."""
        self._axis = kind
        self.bar.set_axis(kind)
        self._draw_axes()

    @property
    def axis(self) -> str:
        """The chosen axis; "" for the automatic one."""
        return str(self._axis)

    def _draw_axes(self) -> None:
        if self.scored is None:
            return
        kind = self._axis if self._axis in ("linear", "log", "quantile") else fitting_kind(self.scored.ascending)
        scale = score_scale(kind, self.scored.ascending)
        for chart in (self.f, self.histogram):
            chart.x_scale = scale
        self.pr.x_scale = Even()
        self.histogram.count()
        self.f.redraw()

    # -- threshold

    def set_threshold(self, threshold: float) -> None:
        """Move the threshold, and update the rest: the charts now, the list after a pause."""
        if self.scored is None or threshold == self.threshold:
            return
        self._place(threshold)
        self._timer.start()
        self.threshold_changed.emit(threshold)

    def _place(self, threshold: float) -> None:
        scored = self.scored
        if scored is None or scored.curve is None:
            return
        self.threshold = threshold
        words = threshold_words(threshold)
        counts = scored.curve.counts(threshold)
        selected = scored.selected(threshold)
        total = len(scored)
        self.bar.show_threshold(threshold, counts, selected, total)
        self.f.set_mark(threshold, words)
        self.histogram.set_mark(threshold, words)
        precision = 1.0 if counts.precision is None else counts.precision
        self.pr.set_dot((counts.recall or 0.0, precision))
        self.pr.mark = None
        labelled = counts.true_positive + counts.false_positive
        self.matrix.show_counts(
            counts._asdict(),
            (_unlabelled(selected - labelled), _unlabelled(total - scored.curve.total - selected + labelled)),
        )

    def _slid(self, row: int) -> None:
        if self._drawn is not None:
            self.set_threshold(float(self._drawn.threshold[row]))

    def _step(self, steps: int, brushing: bool) -> None:
        """Move up by ``steps`` distinct scores; a jump is a share of all."""
        scored = self.scored
        if scored is None or scored.curve is None:
            return
        thresholds = scored.curve.threshold
        if 1 < abs(steps) < 10**6:
            steps = (1 if steps > 0 else -1) * max(1, len(thresholds) // _LEAPS)
        moving = self.brush[1] if brushing and self.brush else self.threshold
        row = scored.curve.at(moving)
        at = -1 if row is None else row
        value = float(thresholds[min(len(thresholds) - 1, max(0, at - steps))])
        if brushing:
            self.set_brush((self.brush[0] if self.brush else self.threshold, value))
        else:
            self.set_threshold(value)

    # -- list

    def set_brush(self, ends: tuple[float, float] | None) -> None:
        """List the items that score between two values; None: the items of the cell."""
        self.brush = ends
        for chart in (self.f, self.histogram):
            chart.set_brush(ends)
        if ends is None and not self.matrix.cell:
            self.matrix.choose("false_positive")
        elif ends is not None:
            self.matrix.choose("")
        self._timer.start()

    def choose_cell(self, cell: str) -> None:
        """List the items in a cell of the confusion matrix."""
        self.brush = None
        for chart in (self.f, self.histogram):
            chart.set_brush(None)
        self.matrix.choose(cell)
        self.list_items()

    def listed(self) -> Ints:
        """Rows of the listed items."""
        assert self.scored is not None
        if self.brush is not None:
            return self.scored.between(min(self.brush), max(self.brush))
        return self.scored.cell(Cell(self.matrix.cell), self.threshold)

    def list_items(self) -> None:
        """List the items of the chosen cell or region."""
        scored = self.scored
        if scored is None:
            return
        rows = self.listed()
        if self.brush is not None:
            low, high = sorted(self.brush)
            title = tr("Scores from {low} to {high}", low=score_text(low), high=score_text(high))
        else:
            title = cell_words(self.matrix.cell)
        note = counted(scored.chosen, len(rows))
        if self.brush is None:
            note = tr("{items}, the most certain first", items=note) if len(rows) > 1 else note
        self.items.show_rows(rows, title, note)
        self._context.actions.refresh()


def _unlabelled(count: int) -> str:
    return tr("{count} without a settled label", count=f"{count:,}") if count > 0 else ""


def framed(part: QWidget, title: str) -> QFrame:
    """A chart in a panel below its title."""
    frame = QFrame()
    frame.setObjectName("panel")
    words = heading(title, 13)
    words.setContentsMargins(12, 6, 8, 0)
    inside = column(words, spacing=0, margins=(2, 2, 4, 4))
    inside.addWidget(part, 1)
    frame.setLayout(inside)
    return frame
