"""The documents of a run by score, with the text and the evidence of the chosen one."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from workbench.base.types import Document
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.evidence_words import score_words as evidence_of
from workbench.gui.judging.threshold_words import show_used
from workbench.gui.kit.columns import KEY_ROLE, Column, ColumnsModel, whole
from workbench.gui.kit.figures import show_figures
from workbench.gui.kit.parts import button, caption, heading, label, line, row
from workbench.gui.kit.pauses import FilterField
from workbench.gui.kit.runs import RunBox
from workbench.gui.kit.tables import Table
from workbench.gui.screens.review.project_threshold import ProjectThreshold
from workbench.gui.theme.fonts import SEMIBOLD
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold
from workbench.services.reads import document
from workbench.services.review.overview import Overview
from workbench.services.review.scored import Scored, read_scored


class ScoreTable(ColumnsModel):
    """Rows are documents; the key of a row is the document's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("title", tr("Title"), width=0),
                Column("language", tr("Language"), width=90),
                Column("length", tr("Length"), whole, numeric=True, width=90),
                Column("score", tr("Score"), score_words, numeric=True, width=100),
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
    """A score: three decimals where it is small, else whole."""
    return f"{value:,.3f}" if value < 10 and value != round(value) else f"{value:,.0f}"


class ScoreList(QSplitter):
    """``ready`` comes when the list of a run, or its first document, is on the screen.

    ``passages_asked``: the run's passages or pairs are wanted instead, those of the document with this key (0: any).
    """

    ready = Signal()
    passages_asked = Signal(int)

    def __init__(self, context: AppContext) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._context = context
        self._run: int | None = None
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
        self.pane = DocumentPane(context, tr("Choose a document to read it."))
        self._score = label("", 20, weight=SEMIBOLD, tabular=True)
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
        inside = QVBoxLayout()
        inside.setContentsMargins(16, 14, 14, 14)
        inside.setSpacing(8)
        inside.addWidget(caption(tr("Score")))
        inside.addWidget(self._score)
        inside.addWidget(self.sentence)
        inside.addSpacing(4)
        inside.addWidget(caption(tr("Evidence")))
        inside.addLayout(self._figures)
        inside.addStretch(1)
        layout.addLayout(inside, 1)
        panel.setMinimumWidth(240)
        return panel

    def show_overview(self, overview: Overview) -> None:
        """Show the scores of the overview's run; the chosen document stays chosen."""
        assert overview.run is not None
        run = overview.run.id
        self.runs.show_runs(overview.runs, overview.run)
        pairs = overview.run.pairs > 0
        self.passages.setVisible(pairs)
        self.sentence.setText(
            tr("The run's score of this document as a whole.")
            if pairs
            else tr("This method scores documents one by one: there are no passages or pairs to compare.")
        )
        if run == self._run:
            self.ready.emit()
            return
        self._run = run
        self._threshold.follow(overview.run, TargetKind.DOCUMENT)
        self.pane.clear()
        self._context.background(
            lambda session: read_scored(session, run), lambda scored: self._show(scored, run), owner=self
        )

    def _show(self, scored: Scored, run: int) -> None:
        if run != self._run:
            return
        self.scored = scored
        self.model.set_scored(scored)
        self._narrow()

    def _follow(self, used: UsedThreshold | None) -> None:
        """List what reaches the project's threshold, and name it; None: there is none."""
        self._used, self._everything = used, False
        show_used(self._used_words, used)
        self._narrow()

    def _show_below(self) -> None:
        """List documents below the project's threshold, too, or no more."""
        self._everything = not self._everything
        self._narrow()

    def _narrow(self) -> None:
        reached = None
        if self._used is not None:
            reached = np.asarray(self.model.values("score"), np.float64) >= self._used.value
            below = self.model.total - int(reached.sum())
            self.below.setText(
                tr("Show from the threshold on")
                if self._everything
                else trn("Show {count} below it", "Show {count} below it", below)
            )
        self.below.setVisible(self._used is not None)
        current = self.table.currentIndex()
        chosen = int(current.data(KEY_ROLE)) if current.isValid() else None
        self.model.set_filter(self.filter.text(), None if self._everything else reached)
        shown, total = self.model.rowCount(), self.model.total
        self._count.setText(
            f"{total:,}" if shown == total else tr("{shown} of {total}", shown=f"{shown:,}", total=f"{total:,}")
        )

        if self.scored is not None:
            self._choose(chosen)

    def _choose(self, key: int | None) -> None:
        """Choose a document again after the list changed, or the first that is listed."""
        if not self.model.rowCount():
            self.pane.clear()
            self.ready.emit()
            return
        row = -1 if key is None else self.model.row_of(key)
        self.table.setCurrentIndex(self.model.index(max(0, row), 0))

    def _picked(self, index: QModelIndex, _before: QModelIndex) -> None:
        if not index.isValid() or self.scored is None:
            return
        key = int(index.data(KEY_ROLE))
        score = self.scored.by_key(key)
        tokens = self._context.theme.tokens
        show_figures(self._figures, () if score is None else evidence_of(score), tokens.accent, tokens)
        if score is not None:
            self._score.setText(score_words(score.score))
        self._context.background(document(key), self._read, owner=self)

    def _open(self, key: int) -> None:
        if not self.passages.isHidden():
            self.passages_asked.emit(key)

    def _read(self, suspect: Document) -> None:
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
