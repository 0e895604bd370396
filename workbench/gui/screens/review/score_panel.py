"""The bottom of Review: how scores are spread, the threshold, and precision and recall where verdicts exist."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QLabel, QVBoxLayout, QWidget

from workbench.gui.charts.score_chart import ScoreChart
from workbench.gui.i18n import tr
from workbench.gui.judging.threshold_words import show_used
from workbench.gui.kit.parts import IconButton, ThemeWatch, button, heading, label, row
from workbench.gui.kit.pauses import after_pause
from workbench.gui.problems.guard import guarded
from workbench.gui.theme.fonts import SEMIBOLD
from workbench.gui.theme.manager import Theme
from workbench.services.measuring.thresholds import UsedThreshold
from workbench.services.review.overview import ENOUGH, Judged, RunColumns, quality

HEIGHT, STRIP = 196, 38
"""Height with the histogram and without, logical pixels."""
_FRAME_MS = 30
"""While the threshold is dragged, the rest of the window follows this often."""
_FIGURES_MS = 40
"""After a verdict the next passage is painted before precision and recall are counted again."""


@guarded
class ScorePanel(QFrame):
    """``threshold_changed`` follows the drag at the pace of frames.

    ``fold_asked``: the histogram is to be folded, or shown.
    """

    threshold_changed = Signal(float)
    fold_asked = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        self._columns: RunColumns | None = None
        self._judged: Judged | None = None
        self.chart = ScoreChart(theme.tokens)
        self.chart.threshold_changed.connect(self._dragged)
        self.field = QDoubleSpinBox()
        self.field.setAccessibleName(tr("Threshold"))
        self.field.setKeyboardTracking(False)
        self.field.setFixedWidth(104)
        self.field.valueChanged.connect(self._typed)
        self._precision, self._recall, self._shown = (self._figure() for _ in range(3))
        self._words: dict[str, QLabel] = {
            name: label(text, 12, role="muted")
            for name, text in (("p", tr("Precision")), ("r", tr("Recall")), ("s", tr("Matches shown")))
        }
        self._judged_words = label("", 12, role="faint", tabular=True)
        self._used: UsedThreshold | None = None
        self._used_words = label("", 12, role="ok", tabular=True)
        self._used_words.hide()
        self._reset = button(tr("Show all"), self.reset)
        self._reset.setProperty("kind", "link")
        self._timer = after_pause(self._tell, _FRAME_MS, self)
        self._later = after_pause(self._figures, _FIGURES_MS, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        self._field_words = label(tr("Threshold"), 12, role="muted")
        self._heading = heading(tr("Score distribution"), 13)
        # Room of its own: where it is hidden, nothing is left of it.
        self._heading.setContentsMargins(0, 0, 20, 0)
        parts: list[QWidget | int | None] = [
            self._heading,
            self._field_words,
        ]
        parts += [self.field, 8]
        for name, figure in (("s", self._shown), ("p", self._precision), ("r", self._recall)):
            parts += [self._words[name], figure, 8]
        self.unfold = IconButton(
            theme, "caret-up", tr("Show or hide the histogram"), lambda: self.fold_asked.emit(not self.folded)
        )
        self.folded = False
        parts += [self._judged_words, None, self._used_words, self._reset, self.unfold]
        self._strip = row(*parts, margins=(14, 4, 10, 3), spacing=6)
        layout.addLayout(self._strip)
        self._few = label("", 11, role="faint", wrap=True)
        layout.addLayout(row(self._few, margins=(14, 0, 10, 0)))
        layout.addWidget(self.chart, 1)
        self.setFixedHeight(HEIGHT)
        ThemeWatch(self, theme, lambda: self.chart.set_tokens(theme.tokens))

    def fold(self, on: bool) -> None:
        """Leave the text the room of the histogram, or show it again."""
        self.folded = on
        self.chart.setVisible(not on)
        self.unfold.set_icon("caret-up" if on else "caret-down")
        self.setFixedHeight(STRIP if on else HEIGHT)
        self._figures()

    @staticmethod
    def _figure() -> QLabel:
        return label("", 13, weight=SEMIBOLD, tabular=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room, the figures stay."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Hide words, those first that are missed least, until the figures are shown whole."""
        optional = (self._heading, self._words["s"], self._field_words, self._judged_words, self._reset)
        margins, gap = self._strip.contentsMargins(), self._strip.spacing()
        hints = [part.sizeHint().width() + gap for part in optional]
        shown = [part.isVisibleTo(self) for part in optional]
        needed = margins.left() + margins.right()
        for item in filter(None, map(self._strip.itemAt, range(self._strip.count()))):
            if item.spacerItem() is not None:
                needed += item.sizeHint().width()
            elif not item.isEmpty() and item.widget() not in optional:
                needed += item.sizeHint().width() + gap
        for place, part in enumerate(optional):
            fits = needed + sum(hints[place:]) <= self.width()
            empty = part is self._judged_words and not self._judged_words.text()
            if (fits and not empty) != shown[place]:
                part.setVisible(fits and not empty)

    def minimumSizeHint(self) -> QSize:
        """As narrow as the figures allow."""
        return QSize(420, STRIP if self.folded else HEIGHT)

    @property
    def threshold(self) -> float:
        """The score from which matches are shown."""
        return self.chart.threshold

    def show_run(self, columns: RunColumns, judged: Judged) -> None:
        """Show a run's scores; a run shown already keeps its threshold."""
        self._judged = judged
        self._words["s"].setText(tr("Pairs shown") if columns.whole else tr("Matches shown"))
        if columns is not self._columns:
            self._columns = columns
            self.chart.set_scores(columns.ranked)
            scores = columns.ranked
            low, high = (float(scores[0]), float(scores[-1])) if len(scores) else (0.0, 1.0)
            whole = self.chart.whole
            with QSignalBlocker(self.field):
                self.field.setDecimals(0 if whole else 2)
                self.field.setSingleStep(1 if whole else max(0.01, (high - low) / 100))
                self.field.setRange(low, high)
                self.field.setValue(low)
            self._figures()
        else:
            self._later.start()

    def waiting(self) -> bool:
        """Whether the figures are about to be counted again."""
        return self._later.isActive()

    def set_threshold(self, threshold: float) -> None:
        """Set the threshold and tell."""
        self.field.setValue(threshold)

    def show_used(self, used: UsedThreshold | None) -> None:
        """Go to the project's threshold, and name it; None: there is none (any more)."""
        before, self._used = self._used, used
        show_used(self._used_words, used)
        if used is not None:
            # Not by way of the field: what scores exactly so much would be rounded off.
            with QSignalBlocker(self.field):
                self.field.setValue(used.value)
            self._typed(used.value)
        elif before is not None:
            self.reset()

    def reset(self) -> None:
        """Show every match again."""
        self.field.setValue(self.field.minimum())

    def _dragged(self, threshold: float) -> None:
        with QSignalBlocker(self.field):
            self.field.setValue(threshold)
        self._plan()

    def _typed(self, threshold: float) -> None:
        self.chart.set_threshold(threshold)
        self._tell()

    def _plan(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _tell(self) -> None:
        self._figures()
        self.threshold_changed.emit(self.threshold)

    def _figures(self) -> None:
        if self._columns is None or self._judged is None:
            return
        shown, total = self._columns.count_above(self.threshold), len(self._columns.ranked)
        self._shown.setText(tr("{shown} of {total}", shown=f"{shown:,}", total=f"{total:,}"))
        estimate = quality(self._columns, self._judged, self.threshold)
        for name, figure, value in (("p", self._precision, estimate.precision), ("r", self._recall, estimate.recall)):
            # Who decides a case folds the histogram away, and these figures of a method with it.
            self._words[name].setVisible(estimate.enough and not self.folded)
            figure.setVisible(estimate.enough and not self.folded)
            figure.setText("–" if value is None else f"{value:.2f}")
        self._judged_words.setText(tr("{count} judged", count=f"{estimate.judged:,}") if estimate.judged else "")
        self._judged_words.setToolTip(
            tr(
                "{copies} of {count} judged count as copies",
                copies=f"{estimate.copies:,}",
                count=f"{estimate.judged:,}",
            )
        )
        self._make_room()
        self._few.setVisible(estimate.judged > 0 and not estimate.enough and not self.folded)
        self._few.setText(
            tr("Precision and recall are shown from {least} judged on, copies and others among them.", least=ENOUGH)
        )
