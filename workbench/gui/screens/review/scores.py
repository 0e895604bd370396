"""Scores of a run: histogram and threshold of its matches, and its documents by score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from workbench.base.messages import rate
from workbench.base.types import Document, DocumentScore, Run
from workbench.gui.charts.score_chart import ScoreChart
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.evidence_words import contribution_words
from workbench.gui.judging.evidence_words import score_words as evidence_of
from workbench.gui.judging.standing_words import show_used
from workbench.gui.kit.columns import KEY_ROLE, Column, ColumnsModel, whole
from workbench.gui.kit.figures import show_figures
from workbench.gui.kit.layouts import scroll_down
from workbench.gui.kit.pauses import FilterField, after_pause
from workbench.gui.kit.runs import RunBox
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import (
    IconButton,
    ThemeWatch,
    ThresholdField,
    button,
    caption,
    heading,
    label,
    line,
    row,
)
from workbench.gui.problems import guarded
from workbench.gui.theme.fonts import SEMIBOLD
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold, used_threshold
from workbench.services.queries import document
from workbench.services.records import Contributions
from workbench.services.review.evidence import contributions
from workbench.services.review.overview import ENOUGH, Judged, Overview, RunColumns, quality
from workbench.services.review.whole_pairs import Scored, read_scored


class ProjectThreshold(QObject):
    """Calls ``show`` with the threshold in use when the followed run or the threshold changes."""

    def __init__(self, context: AppContext, show: Callable[[UsedThreshold | None], object], parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._show = context, show
        self._run: Run | None = None
        self._kind = TargetKind.PASSAGE
        context.changed.connect(self._changed)

    def follow(self, run: Run, kind: TargetKind) -> None:
        """Follow another run, whose items are of ``kind``."""
        self._run, self._kind = run, kind
        self._read()

    def _changed(self, kinds: frozenset[str]) -> None:
        if "measures" in kinds and self._run is not None:
            self._read()

    def _read(self) -> None:
        run, kind = self._run, self._kind
        assert run is not None
        self._context.latest(self, "threshold", lambda session: used_threshold(session, run.method, kind), self._show)


HEIGHT, STRIP = 196, 38
"""Height of the panel with the histogram and without it, logical pixels."""
_FRAME_MS = 30
"""Milliseconds, while the threshold is dragged, between updates of the rest of the window."""
_FIGURES_MS = 40
"""Milliseconds after a verdict before precision and recall are recounted, so that the next passage is painted first."""


@guarded
class ScorePanel(QFrame):
    """``threshold_changed`` is emitted during a drag, at the rate of frames.

    ``fold_asked`` requests folding or showing the histogram.
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
        self.field = ThresholdField(tr("Threshold"))
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
        # Separate spacing, of which nothing is left when hidden.
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
        """Hide the histogram, leaving its space to the text, or show it again."""
        self.folded = on
        self.chart.setVisible(not on)
        self.unfold.set_icon("caret-up" if on else "caret-down")
        self.setFixedHeight(STRIP if on else HEIGHT)
        self._figures()

    @staticmethod
    def _figure() -> QLabel:
        return label("", 13, weight=SEMIBOLD, tabular=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the figures visible in a small panel."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Hide texts, the least important first, until the figures are fully shown."""
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
        """The minimum size: as narrow as the figures allow."""
        return QSize(420, STRIP if self.folded else HEIGHT)

    @property
    def threshold(self) -> float:
        """The lowest score of the matches shown."""
        return self.chart.threshold

    def show_run(self, columns: RunColumns, judged: Judged) -> None:
        """Show a run's scores; if it is already shown, the threshold is kept."""
        self._judged = judged
        self._words["s"].setText(tr("Pairs shown") if columns.whole else tr("Matches shown"))
        if columns is not self._columns:
            self._columns = columns
            is_confidence = "confidence" in columns.matches.evidence
            self._heading.setText(tr("Confidence distribution") if is_confidence else tr("Score distribution"))
            self.chart.set_scores(columns.ranked)
            scores = columns.ranked
            low, high = (float(scores[0]), float(scores[-1])) if len(scores) else (0.0, 1.0)
            whole = self.chart.whole
            with QSignalBlocker(self.field):
                self.field.setSingleStep(1 if whole else max(0.01, (high - low) / 100))
                self.field.set_scores(low, high, whole=whole)
                self.field.show_threshold(low)
            self._figures()
        else:
            self._later.start()

    def waiting(self) -> bool:
        """Whether the figures are about to be recounted."""
        return self._later.isActive()

    def set_threshold(self, threshold: float) -> None:
        """Set the threshold and emit the change."""
        self.field.setValue(threshold)

    def show_used(self, used: UsedThreshold | None) -> None:
        """Go to the project's threshold, and show that it is in use; None: there is none (any more)."""
        before, self._used = self._used, used
        show_used(self._used_words, used)
        if used is not None:
            # Not through the field, whose rounding would exclude items with exactly this score.
            self.field.show_threshold(used.value)
            self._typed(used.value)
        elif before is not None:
            self.reset()

    def reset(self) -> None:
        """Show every match again."""
        # Not by the field, which may show this value already, rounded.
        with QSignalBlocker(self.field):
            self.field.setValue(self.field.minimum())
        self._typed(self.field.minimum())

    def _dragged(self, threshold: float) -> None:
        self.field.show_threshold(threshold)
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
            # Reviewers who decide a case fold the histogram, and with it these figures about the method.
            self._words[name].setVisible(estimate.enough and not self.folded)
            figure.setVisible(estimate.enough and not self.folded)
            figure.setText("–" if value is None else rate(value, 2))
        # The list beside the histogram counts passages, which may have several matches.
        count = estimate.judged + estimate.undecided
        judged = (
            trn("{count} pair judged", "{count} pairs judged", count)
            if self._columns.whole
            else trn("{count} match judged", "{count} matches judged", count)
        )
        self._judged_words.setText(judged if count else "")
        parts = [
            tr("{copies} of {count} judged count as copies", copies=f"{estimate.copies:,}", count=f"{count:,}"),
            trn("{count} undecided or in conflict", "{count} undecided or in conflict", estimate.undecided),
        ]
        self._judged_words.setToolTip("\n".join(parts if estimate.undecided else parts[:1]))
        self._make_room()
        self._few.setVisible(estimate.judged > 0 and not estimate.enough and not self.folded)
        self._few.setText(
            tr("Precision and recall appear once {least} are judged, including copies and non-copies.", least=ENOUGH)
        )


class ScoreTable(ColumnsModel):
    """A table of documents; the key of a row is the document's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("title", tr("Title"), width=0),
                Column("language", tr("Language"), width=64),
                Column("length", tr("Length"), whole, numeric=True, width=76),
                Column("score", tr("Score"), score_words, numeric=True, width=70),
            ),
            "key",
            parent,
        )

    def set_scored(self, scored: Scored) -> None:
        """Show ``scored``, highest first until sorted otherwise."""
        items = [scored.items[s.document] for s in scored.scores]
        self.set_values(
            {
                "key": [s.document for s in scored.scores],
                "title": [item.title or item.id for item in items],
                "language": [item.language for item in items],
                "length": [item.length for item in items],
                "score": [s.score for s in scored.scores],
            },
            ("title",),
        )


def score_words(value: float) -> str:
    """A score: three decimals if it is small, otherwise whole."""
    return rate(value) if value < 10 and value != round(value) else f"{value:,.0f}"


def nothing_in_document(run: int | None) -> str:
    """The answer to a request for a document that is not among a run's results."""
    return tr("Run {run} found nothing in the requested document; another is shown.", run=run)


class ScoreList(QSplitter):
    """The documents of a run by score. ``ready`` is emitted when the list, or its first document, is shown.

    ``passages_asked`` requests the run's passages or pairs instead, those of the document with this key (0: any).
    """

    ready = Signal()
    passages_asked = Signal(int)

    def __init__(self, context: AppContext) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._context = context
        self._run: int | None = None
        self._parts_of: Callable[[DocumentScore], Contributions | None] = lambda score: None
        self._wanted = 0
        """The requested document (key) until another is chosen; it is shown below the threshold, too."""
        self.scored: Scored | None = None
        self.runs = RunBox()
        self.model = ScoreTable(self)
        self.table = Table(self.model, tr("Documents by score"), many=False)
        self.filter = FilterField(self.table, tr("Filter by title"), tr("Filter documents"))
        self.filter.paused.connect(self._narrow)
        self._count = label("", 12, role="faint", tabular=True)
        self._used: UsedThreshold | None = None
        self._everything = False
        self._threshold = ProjectThreshold(context, self._follow, self)
        self._used_words = label("", 12, role="ok", tabular=True)
        self.below = button("", self._show_below, kind="link")
        self._used_words.hide()
        self.below.hide()
        self.passages = button(tr("Show passages"), lambda: self.passages_asked.emit(0), kind="link")
        self.pane = DocumentPane(context, tr("Select a document to read it."))
        self._score = label("", 20, weight=SEMIBOLD, tabular=True)
        self.odds = label("", 12, role="muted", wrap=True)
        self.sentence = label("", 12, role="muted", wrap=True)
        self._figures = QVBoxLayout()
        self._figures.setSpacing(7)
        self.setHandleWidth(10)
        self.setChildrenCollapsible(False)
        for part, stretch in ((self._list(), 0), (self.pane, 1), (self._evidence(), 0)):
            self.addWidget(part)
            self.setStretchFactor(self.count() - 1, stretch)
        self.setSizes([460, 700, 280])
        self.table.selectionModel().currentChanged.connect(self._picked)
        self.table.opened.connect(self._open)
        ThemeWatch(self, context.theme, lambda: self._show_evidence(self._current()))

    def _list(self) -> QWidget:
        panel, layout = _panel()
        layout.addLayout(
            row(heading(tr("Documents by score")), self._count, None, self.passages, margins=(14, 9, 8, 4))
        )
        layout.addLayout(row(self.runs, margins=(12, 0, 12, 6)))
        layout.addLayout(row(self.filter, margins=(12, 0, 12, 8)))
        layout.addLayout(row(self._used_words, None, self.below, margins=(14, 0, 12, 6)))
        layout.addWidget(line())
        layout.addWidget(self.table, 1)
        panel.setMinimumWidth(320)
        return panel

    def _evidence(self) -> QWidget:
        panel, layout = _panel()
        layout.addLayout(row(heading(tr("Document")), None, margins=(16, 9, 8, 6)))
        layout.addWidget(line())
        body = QWidget()
        inside = QVBoxLayout(body)
        inside.setContentsMargins(16, 14, 14, 14)
        inside.setSpacing(8)
        inside.addWidget(caption(tr("Score")))
        inside.addWidget(self._score)
        inside.addWidget(self.odds)
        inside.addWidget(self.sentence)
        inside.addSpacing(4)
        inside.addWidget(caption(tr("Evidence")))
        inside.addLayout(self._figures)
        inside.addStretch(1)
        scroll = QScrollArea()
        scroll_down(scroll, body, see_through=True)
        layout.addWidget(scroll, 1)
        panel.setMinimumWidth(240)
        return panel

    def show_overview(self, overview: Overview, key: int = 0) -> None:
        """Show the scores of the overview's run at document ``key``; 0: the chosen document remains chosen."""
        assert overview.run is not None
        run = overview.run.id
        self.runs.show_runs(overview.runs, overview.run)
        pairs = overview.run.pairs > 0
        self.passages.setVisible(pairs)
        self.sentence.setText(
            tr("The run's score for the whole document.")
            if pairs
            else tr("This method scores documents one by one: there are no passages or pairs to compare.")
        )
        if run == self._run and not key:
            self.ready.emit()
            return
        self._wanted = key
        if run == self._run:
            if self.scored is not None:
                self._show_wanted(self.scored)
            return
        self._run, self.scored, self._parts_of = run, None, contributions(overview.run)
        self._threshold.follow(overview.run, TargetKind.DOCUMENT)
        self.pane.clear()
        self._context.latest(self, "scores", lambda session: read_scored(session, run), self._show)

    def _show(self, scored: Scored) -> None:
        self.scored = scored
        self.model.set_scored(scored)
        self._show_wanted(scored)

    def _show_wanted(self, scored: Scored) -> None:
        if self._wanted and scored.by_key(self._wanted) is None:
            self._wanted = 0
            self._context.say(nothing_in_document(self._run), "warn")
        self._narrow()

    def _follow(self, used: UsedThreshold | None) -> None:
        """List documents that reach the project's threshold, and show the threshold; None: there is none."""
        self._used, self._everything = used, False
        show_used(self._used_words, used)
        self._narrow()

    def _show_below(self) -> None:
        """Show or hide documents below the project's threshold."""
        self._everything, self._wanted = not self._everything, 0
        self._narrow()

    def _narrow(self) -> None:
        reached = None
        if self._used is not None:
            wanted = None if self.scored is None else self.scored.by_key(self._wanted)
            self._everything = self._everything or (wanted is not None and wanted.score < self._used.value)
            reached = np.asarray(self.model.values("score"), np.float64) >= self._used.value
            below = self.model.total - int(reached.sum())
            self.below.setText(
                tr("Hide those below the threshold")
                if self._everything
                else trn("Show {count} below it", "Show {count} below it", below)
            )
        self.below.setVisible(self._used is not None)
        current = self.table.currentIndex()
        chosen = self._wanted or (int(current.data(KEY_ROLE)) if current.isValid() else None)
        self.model.set_filter(self.filter.text(), None if self._everything else reached)
        shown, total = self.model.rowCount(), self.model.total
        self._count.setText(
            f"{total:,}" if shown == total else tr("{shown} of {total}", shown=f"{shown:,}", total=f"{total:,}")
        )

        if self.scored is not None:
            self._choose(chosen)

    def _choose(self, key: int | None) -> None:
        """Choose a document again after the list changed, or the first one listed."""
        if not self.model.rowCount():
            self.pane.clear()
            self._show_evidence(None)
            self.ready.emit()
            return
        row = -1 if key is None else self.model.row_of(key)
        index = self.model.index(max(0, row), 0)
        self.table.setCurrentIndex(index)
        # Qt itself scrolls only in a table that is visible already.
        self.table.scrollTo(index)

    def _picked(self, index: QModelIndex, _before: QModelIndex) -> None:
        if not index.isValid() or self.scored is None:
            return
        key = int(index.data(KEY_ROLE))
        self._wanted = self._wanted if key == self._wanted else 0
        self._show_evidence(self._current())
        self._context.latest(self, "document", document(key), self._show_document)

    def _current(self) -> DocumentScore | None:
        """The score of the selected document."""
        index = self.table.currentIndex()
        return self.scored.by_key(int(index.data(KEY_ROLE))) if index.isValid() and self.scored is not None else None

    def _show_evidence(self, score: DocumentScore | None) -> None:
        tokens = self._context.theme.tokens
        parts = None if score is None else self._parts_of(score)
        words = [] if score is None else evidence_of(score) if parts is None else contribution_words(score, parts)
        show_figures(self._figures, words, tokens.accent, tokens)
        self._score.setText("" if score is None else score_words(score.score))
        self.odds.setVisible(parts is not None)
        if parts is not None:
            self.odds.setText(
                tr(
                    "Log odds {odds}: those of a typical document plus what each figure of this document adds.",
                    odds=f"{parts.log_odds:+.2f}",
                )
            )

    def _open(self, key: int) -> None:
        if not self.passages.isHidden():
            self.passages_asked.emit(key)

    def _show_document(self, suspect: Document) -> None:
        chosen = self.table.currentIndex()
        if chosen.isValid() and int(chosen.data(KEY_ROLE)) == suspect.key:
            self.pane.show_document(suspect)
            self.ready.emit()


def _panel() -> tuple[QFrame, QVBoxLayout]:
    panel = QFrame()
    panel.setObjectName("panel")
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(1, 1, 1, 1)
    layout.setSpacing(0)
    return panel, layout
