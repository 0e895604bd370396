"""All annotators: their progress and pace, their agreement, and the exchange of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.base.errors import UserError
from workbench.base.messages import rate
from workbench.evaluation.agreement import Agreement, Coefficient
from workbench.gui.charts.agreement_charts import AgreementMatrix, IntervalChart
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.figures import FigureWords, show_figures
from workbench.gui.kit.layouts import FlowLayout, clear
from workbench.gui.kit.widgets import ThemeWatch, column, heading, label, panel
from workbench.gui.kit.words import local_time
from workbench.gui.screens.label.queue_panel import pace_words
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.labelling import AgreementReport, agreement_report
from workbench.services.labels.queue import QueueOptions, everybody, queue

_LISTED = 20
_COURSE = 4
"""The card of agreement over time."""


def coefficient_words(coefficient: Coefficient) -> str:
    """The interval of a coefficient and the items it covers, in words."""
    things = trn("{count} entry", "{count} entries", coefficient.documents)
    if coefficient.interval is None:
        return things
    return tr(
        "{low} to {high} · {things}",
        low=rate(coefficient.interval[0], 2),
        high=rate(coefficient.interval[1], 2),
        things=things,
    )


class TeamPanel(QScrollArea):
    """The progress of each annotator, and agreement over time; ``buttons`` are placed above.

    ``ready`` is emitted when the agreement, or the reason why there is none, is on the screen.
    """

    ready = Signal()

    def __init__(self, context: AppContext, buttons: Sequence[QPushButton]) -> None:
        super().__init__()
        theme = context.theme
        self._context, self._theme = context, theme
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.matrix = AgreementMatrix(theme.tokens)
        self._label_session: LabelSession | None = None
        self._report: AgreementReport | None = None
        self._progress, self._figures, self._values, self._open = (QVBoxLayout() for _ in range(4))
        self._problem = label("", 13, role="muted", wrap=True)
        self._course_words = label("", 12, role="muted", wrap=True)
        bar = QWidget()
        flow = FlowLayout(bar, 8)
        for team_button in buttons:
            flow.addWidget(team_button)
        grid = QGridLayout()
        grid.setSpacing(10)
        cards = (
            (tr("Progress"), (self._progress,)),
            (tr("Agreement"), (self._problem, self._figures)),
            (tr("Each pair of annotators (Cohen's kappa)"), (self.matrix,)),
            (tr("Each value (how often a second annotator agrees)"), (self._values,)),
            (tr("Over time (share of entries on which all agree)"), (self._course_words,)),
            (tr("Not settled"), (self._open,)),
        )
        self._cards = [_card(title, parts) for title, parts in cards]
        for at, card in enumerate(self._cards):
            grid.addWidget(card, at // 2, at % 2)
        for side in range(2):
            grid.setColumnStretch(side, 1)
        inside = QWidget()
        inside.setLayout(column(bar, grid, None, margins=(2, 4, 2, 10), spacing=12))
        self.setWidget(inside)
        self._clear("")
        self._watch = ThemeWatch(self, theme, self._tint)

    @cached_property
    def course(self) -> IntervalChart:
        """The chart of agreement over time, created when there is something to show: most annotators never open it."""
        theme = self._theme
        chart = IntervalChart(theme.tokens)
        ThemeWatch(chart, theme, lambda: chart.set_tokens(theme.tokens))
        card = self._cards[_COURSE].layout()
        assert isinstance(card, QVBoxLayout)
        card.insertWidget(card.indexOf(self._course_words), chart)
        return chart

    def _tint(self) -> None:
        self.matrix.set_tokens(self._theme.tokens)
        if self._label_session is not None:
            self._show_progress(self._label_session)
        if self._report is not None:
            self.show_report(self._report)

    def show_session(self, label_session: LabelSession) -> None:
        """Show everybody's progress; agreement follows, computed in a separate process."""
        before, self._label_session = self._label_session, label_session
        # Figures of another label set are not those of this one.
        if before is not None and before.board.label_set.name != label_session.board.label_set.name:
            self._report = None
        if self._report is None:
            self._clear(tr("Measuring…"))
        self._show_progress(label_session)
        if self._context.project is not None:
            question = (self._context.project, label_session.board.label_set.name)
            self._context.aside(self, agreement_report, *question, done=self.show_report, failed=self.show_problem)

    def _show_progress(self, label_session: LabelSession) -> None:
        tokens, figures = self._theme.tokens, []
        board = label_session.board
        # Not only the entries of the annotator's own queue, which may be limited to theirs.
        whole = queue(board, "", QueueOptions(suspects=label_session.options.suspects))
        for progress in everybody(board, whole):
            share = progress.done / progress.total if progress.total else 0.0
            words = tr("{done} of {total}", done=f"{progress.done:,}", total=f"{progress.total:,}")
            figures.append(FigureWords(progress.who, pace_words(progress), words, share))
        show_figures(self._progress, figures, tokens.accent, tokens)
        if not figures:
            hint = tr("Nobody has labelled anything yet. Assign entries to annotators, or simply begin.")
            self._progress.addWidget(label(hint, 13, role="muted", wrap=True))

    def show_problem(self, error: Exception) -> None:
        """Show why no agreement can be computed."""
        self._report = None
        if isinstance(error, UserError):
            self._clear(say(error.message))
        else:
            self._clear(tr("The agreement could not be computed."))
            self._context.show_error(error)
        self.ready.emit()

    def show_report(self, report: AgreementReport) -> None:
        """Show the annotators' agreement."""
        self._report = report
        compared = report.compared
        measured = compared.agreement
        self._clear(say(compared.problem))
        for name in compared.unresolved[:_LISTED]:
            self._open.addWidget(label(name, 13, wrap=True))
        left = len(compared.unresolved) - _LISTED
        if left > 0:
            self._open.addWidget(label(tr("and {count} more", count=f"{left:,}"), 12, role="faint"))
        if not compared.unresolved:
            self._open.addWidget(label(tr("Every labelled entry has a settled value."), 13, role="muted"))
        majority, judged = (compared.how.get(way, 0) for way in ("majority", "adjudicator"))
        ways = (
            trn("{count} entry by majority", "{count} entries by majority", majority) if majority else "",
            trn("{count} entry settled", "{count} entries settled", judged) if judged else "",
            trn("{count} removed entry not counted", "{count} removed entries not counted", compared.removed)
            if compared.removed
            else "",
            trn(
                "{count} entry whose labels were given for another text",
                "{count} entries whose labels were given for another text",
                compared.of_others,
            )
            if compared.of_others
            else "",
            trn(
                "{count} label not compared: given for an earlier text than others of the entry",
                "{count} labels not compared: given for an earlier text than others of the entry",
                compared.apart,
            )
            if compared.apart
            else "",
        )
        if any(ways):
            self._open.addWidget(label(" · ".join(filter(None, ways)), 12, role="faint", wrap=True))
        for sentence in compared.alike:
            self._open.addWidget(label(say(sentence), 12, role="warn", wrap=True))
        self._cards[-1].show()
        if measured is not None:
            self._show_agreement(measured, report)
        self.ready.emit()

    def _show_agreement(self, measured: Agreement, report: AgreementReport) -> None:
        figures = {tr("Krippendorff's alpha"): measured.alpha}
        if measured.fleiss is not None:
            figures[tr("Fleiss' kappa, {raters} labels each", raters=measured.raters)] = measured.fleiss
        self._bars(self._figures, figures)
        self._bars(self._values, dict(measured.values))
        pairs = measured.cohen
        notes = {pair: f"{pair[0]} / {pair[1]}: {rate(k.value)} ({coefficient_words(k)})" for pair, k in pairs.items()}
        self.matrix.show_pairs(measured.annotators, {pair: k.value for pair, k in pairs.items()}, notes)
        blocks = report.blocks
        self.course.show_shares(
            tr("Agreement over time"),
            [local_time(block.until)[5:16] for block in blocks],
            [block.agreed for block in blocks],
            [block.interval for block in blocks],
        )
        self._course_words.setText(
            trn(
                "Agreement over time, {count} block, 95 % interval",
                "Agreement over time, {count} blocks, 95 % intervals",
                len(blocks),
            )
        )
        for card in self._cards:
            card.show()

    def _clear(self, problem: str) -> None:
        for layout in (self._figures, self._values, self._open):
            clear(layout)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        for card in self._cards[2:]:
            card.hide()

    def _bars(self, layout: QVBoxLayout, figures: Mapping[str, Coefficient]) -> None:
        tokens = self._theme.tokens
        words = [
            FigureWords(name, coefficient_words(c), rate(c.value), max(0.0, min(1.0, c.value)))
            for name, c in figures.items()
        ]
        show_figures(layout, words, tokens.accent, tokens)


def _card(title: str, parts: Sequence[QWidget | QVBoxLayout]) -> QFrame:
    frame, layout = panel()
    layout.setContentsMargins(18, 14, 18, 16)
    layout.setSpacing(10)
    layout.setAlignment(Qt.AlignmentFlag.AlignTop)
    layout.addWidget(heading(title))
    for part in parts:
        if isinstance(part, QVBoxLayout):
            part.setSpacing(9)
            layout.addLayout(part)
        else:
            layout.addWidget(part)
    layout.addStretch(1)
    return frame
