"""The bar above the curves: a field for the threshold, and its figures."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QWidget

from workbench.evaluation.thresholds import Counts
from workbench.gui.charts.scales import ScaleKind
from workbench.gui.i18n import tr
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.widgets import ThresholdField, column, icon_button, label
from workbench.gui.screens.evaluate.words import ends, share
from workbench.gui.theme.fonts import SEMIBOLD
from workbench.gui.workspace.context import AppContext
from workbench.services.measuring.scored_run import ScoredRun
from workbench.services.measuring.thresholds import UsedThreshold

LINE = 30
"""Height of the widgets in a line, logical pixels."""


class MeasureBar(QFrame):
    """``moved`` emits the typed threshold, ``axis_chosen`` the kind of axis ("" for the automatic one)."""

    moved = Signal(float)
    axis_chosen = Signal(str)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.field = ThresholdField(tr("Threshold"))
        self.field.setFixedWidth(112)
        self.field.valueChanged.connect(self.moved)
        self.axis = QComboBox()
        self.axis.setAccessibleName(tr("Axis of scores"))
        choices: tuple[tuple[str, str], ...] = (
            ("", tr("Automatic axis")),
            ("linear", tr("Linear axis")),
            ("log", tr("Logarithmic axis")),
            ("quantile", tr("Quantile bins")),
        )
        for kind, words in choices:
            self.axis.addItem(words, kind)
        self.axis.activated.connect(lambda at: self.axis_chosen.emit(str(self.axis.itemData(at))))
        self._figures: dict[str, tuple[QLabel, QLabel]] = {}
        parts: list[QLabel] = []
        for name, words in (("precision", tr("Precision")), ("recall", tr("Recall")), ("f1", tr("F"))):
            figure = label("", 14, weight=SEMIBOLD, tabular=True)
            interval = label("", 12, role="muted", tabular=True)
            _fix(figure, "0.888")
            _fix(interval, "0.888–0.888")
            interval.setToolTip(tr("Exact 95 % interval"))
            self._figures[name] = (figure, interval)
            parts += [label(words, 12, role="muted"), figure, interval]
        self._selected = label("", 12, role="muted", tabular=True)
        self.used = label("", 12, role="ok")
        self.use = icon_button(
            context.theme, tr("Use here"), "check", lambda: context.actions.run("evaluate.use"), "primary"
        )
        self.use.setToolTip(tr("Make this the project's threshold for this method"))
        inner = QWidget()
        line = FlowLayout(inner, 8)
        title = label(tr("Threshold"), 12, role="muted")
        every: tuple[QWidget, ...] = (title, self.field, *parts, self._selected, self.use, self.used)
        for part in every:
            part.setFixedHeight(LINE)
            line.addWidget(part)
        self.setLayout(column(inner, margins=(14, 6, 8, 6)))

    def set_bench(self, scored: ScoredRun) -> None:
        """Limit the field to the range of the scores."""
        _fix(self._selected, selected_words(len(scored), len(scored)))
        scores = scored.ascending
        low, high = (float(scores[0]), float(scores[-1])) if len(scores) else (0.0, 1.0)
        whole = bool((scores == scores.round()).all())
        with QSignalBlocker(self.field):
            self.field.setSingleStep(1 if whole else max(0.001, (high - low) / 200))
            self.field.set_scores(low, high, whole=whole)

    def set_axis(self, kind: ScaleKind | str) -> None:
        """Show the chosen axis."""
        with QSignalBlocker(self.axis):
            self.axis.setCurrentIndex(max(0, self.axis.findData(kind)))

    def show_threshold(self, threshold: float, counts: Counts, selected: int, total: int) -> None:
        """Show the figures at ``threshold``."""
        self.field.show_threshold(threshold)
        for name, value, interval in (
            ("precision", counts.precision, counts.precision_interval),
            ("recall", counts.recall, counts.recall_interval),
            ("f1", counts.f1, counts.f1_interval),
        ):
            figure, spread = self._figures[name]
            figure.setText(share(value))
            spread.setText("" if value is None else ends(interval))
        self._selected.setText(selected_words(selected, total))

    def show_used(self, used: UsedThreshold | None, *, here: bool) -> None:
        """Show whether the threshold is the project's threshold."""
        self.used.setText(tr("✓ the project's threshold") if used is not None and here else "")
        self.use.setVisible(not here)


def selected_words(selected: int, total: int) -> str:
    """The number of items that a threshold selects."""
    return tr("{shown} of {total} selected", shown=f"{selected:,}", total=f"{total:,}")


def _fix(words: QLabel, widest: str) -> None:
    """Fix a label's size to that of ``widest``; otherwise everything would be laid out again at every step."""
    words.setFixedWidth(words.fontMetrics().horizontalAdvance(widest) + 4)
    words.setFixedHeight(LINE)
