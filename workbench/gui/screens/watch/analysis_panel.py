"""Findings of watches over time: by day, source and site, and the most copied passages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QSplitter, QStackedWidget

from workbench.gui.charts.day_chart import DayChart, DayLegend
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import (
    ChoiceBox,
    EmptyState,
    ThemeWatch,
    button,
    column,
    heading,
    icon_button,
    label,
    row,
)
from workbench.gui.workspace.context import AppContext
from workbench.services.watching.analysis import Tally
from workbench.services.watching.reads import Figures, Watches, every_day, read_figures

_DAYS = (7, 30, 365, 0)


def _days_word(days: int) -> str:
    return trn("{count} day", "{count} days", days) if days else tr("All days")


class AnalysisPanel(QFrame):
    """Figures of all watches or of one, over a number of days. ``report_asked`` emits the watch's name and the days."""

    report_asked = Signal(str, int)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.days = 30
        self.watches = ChoiceBox()
        self.watches.setAccessibleName(tr("Watch"))
        self.chips: dict[int, QPushButton] = {
            days: button(_days_word(days), partial(self.choose, days), kind="chip") for days in _DAYS
        }
        self.answer = label("", 13, role="muted", tabular=True)
        self.chart = DayChart(context.theme.tokens)
        self.chart.setFixedHeight(170)
        self.legend = DayLegend(context.theme.tokens)
        self.sources = _tallies(tr("Source"), tr("Matches by source"))
        self.sites = _tallies(tr("Site"), tr("Matches by site"))
        columns = [
            Column("text", tr("Passage")),
            Column("source", tr("Source"), width=160),
            Column("pages", tr("Pages"), whole, numeric=True, width=72),
            Column("characters", tr("Characters"), whole, numeric=True, width=92),
        ]
        self.passages = Table(ColumnsModel(columns, "row", self), tr("Passages found most often"), many=False)
        self._pages = QStackedWidget()
        self._build()
        self.watches.currentIndexChanged.connect(lambda _index: self.load())
        self.chips[self.days].setChecked(True)
        self._watch = ThemeWatch(self, context.theme, self._themed)

    def _build(self) -> None:
        report = icon_button(
            self._context.theme,
            tr("Report…"),
            "export",
            lambda: self.report_asked.emit(self.watches.currentData(), self.days),
        )
        top = row(self.watches, *self.chips.values(), None, report, spacing=6)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(10)
        split.setChildrenCollapsible(False)
        for title, table in ((tr("By source"), self.sources), (tr("By site"), self.sites)):
            side = QFrame()
            inner = column(heading(title, 13), spacing=6)
            inner.addWidget(table, 1)
            side.setLayout(inner)
            split.addWidget(side)
        figures = QFrame()
        inner = column(self.chart, split, heading(tr("Passages found most often"), 13), spacing=8)
        inner.setStretchFactor(split, 3)
        inner.addWidget(self.passages, 2)
        inner.setContentsMargins(0, 0, 0, 0)
        figures.setLayout(inner)
        nothing = tr("No check in this period reported a match. Choose a longer period, or check a watch now.")
        self._pages.addWidget(figures)
        self._pages.addWidget(EmptyState(self._context.theme, "search", tr("Nothing found yet"), nothing))
        layout = column(top, row(self.answer, None, self.legend), spacing=8, margins=(14, 12, 14, 12))
        layout.addWidget(self._pages, 1)
        self.setLayout(layout)

    def _themed(self) -> None:
        for part in (self.chart, self.legend):
            part.set_tokens(self._context.theme.tokens)

    def show_watches(self, watches: Watches) -> None:
        """List the watches, and read the figures again."""
        chosen = self.watches.currentData() or ""
        with QSignalBlocker(self.watches):
            self.watches.clear()
            self.watches.addItem(tr("All watches"), "")
            for watch in watches.watches:
                self.watches.addItem(watch.name, watch.name)
            self.watches.setCurrentIndex(max(0, self.watches.findData(chosen)))
        self.load()

    def choose(self, days: int) -> None:
        """Show the last ``days`` days (0: all)."""
        self.days = days
        for number, chip in self.chips.items():
            chip.setChecked(number == days)
        self.load()

    def load(self) -> None:
        """Read the figures in the background."""
        watch = self.watches.currentData() or ""
        self._context.latest(self, "figures", read_figures(watch, self.days), self._show)

    def _show(self, figures: Figures) -> None:
        analysis = figures.analysis
        known = sum(tally.known for tally in analysis.by_day)
        new = trn("{count} new match", "{count} new matches", len(analysis.copies))
        self.answer.setText(tr("{new}, {known} reported before", new=new, known=f"{known:,}"))
        self._pages.setCurrentIndex(0 if analysis.copies or known else 1)
        self.legend.setVisible(bool(analysis.copies or known))
        days = every_day(analysis.by_day)
        self.chart.show_days([d.name for d in days], [d.copies for d in days], [d.known for d in days])
        _fill(self.sources, analysis.by_source)
        _fill(self.sites, analysis.by_site)
        _model(self.passages).set_values(
            {
                "row": list(range(len(figures.quoted))),
                "text": [text for _, text in figures.quoted],
                "source": [p.source.title or p.source.id for p, _ in figures.quoted],
                "pages": [p.pages for p, _ in figures.quoted],
                "characters": [p.span.end - p.span.start for p, _ in figures.quoted],
            }
        )
        unlisted = len(analysis.passages) - len(figures.quoted)
        if unlisted > 0:
            self.answer.setText(
                f"{self.answer.text()} · "
                + trn("{count} more passage is not listed", "{count} more passages are not listed", unlisted)
            )


def _tallies(title: str, name: str) -> Table:
    columns = [
        Column("name", title),
        Column("copies", tr("Matches"), whole, numeric=True, width=84),
        Column("pages", tr("Pages"), whole, numeric=True, width=70),
        Column("characters", tr("Characters"), whole, numeric=True, width=92),
        Column(
            "delay",
            tr("Days"),
            lambda days: f"{days:,.1f}",
            numeric=True,
            width=70,
            tip=tr("Median days from the publication of the source to the copy"),
        ),
    ]
    return Table(ColumnsModel(columns, "row"), name, many=False)


def _model(table: Table) -> ColumnsModel:
    model = table.model()
    assert isinstance(model, ColumnsModel)
    return model


def _fill(table: Table, tallies: Sequence[Tally]) -> None:
    _model(table).set_values(
        {
            "row": list(range(len(tallies))),
            "name": [t.title or t.name for t in tallies],
            "copies": [t.copies for t in tallies],
            "pages": [t.pages for t in tallies],
            "characters": [t.characters for t in tallies],
            "delay": [t.delay for t in tallies],
        }
    )
