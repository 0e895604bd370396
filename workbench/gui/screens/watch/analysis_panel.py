"""Findings of watches over time: by day, source and site, and the most copied passages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QPaintEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QPushButton, QSplitter, QStackedWidget, QWidget

from workbench.gui.charts.chart import Chart
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.cues import shade
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import EmptyState, ThemeWatch, button, column, heading, icon_button, label, row
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import font
from workbench.gui.theme.tokens import LIGHT, Tokens
from workbench.gui.workspace.context import AppContext
from workbench.services.watching.analysis import Tally
from workbench.services.watching.reads import Figures, Watches, every_day, read_figures

_LABELS = 8
"""Maximum number of dates below the axis."""
_FEWEST = 12
"""Minimum number of days that share the width, so that a single bar is not too wide."""
_SWATCH = 13
"""Side of a swatch in the legend, logical pixels."""


class DayChart(Chart):
    """One bar per day: new matches at the bottom, previously reported ones above, hatched."""

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__(tokens)
        self.setAccessibleName(tr("Matches per day"))
        item = self.getPlotItem()
        self._new = pg.BarGraphItem(x=[0], height=[0], width=0.7, pen=None)
        self._known = pg.BarGraphItem(x=[0], height=[0], width=0.7, pen=None)
        item.addItem(self._new)
        item.addItem(self._known)
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        super().set_tokens(tokens)
        self.style_bar_axes()
        new, known = _brushes(tokens)
        self._new.setOpts(brush=new, pen=pg.mkPen(None))
        self._known.setOpts(brush=known, pen=pg.mkPen(None))

    def show_days(self, days: Sequence[str], new: Sequence[int], known: Sequence[int]) -> None:
        """Show equally many ``days`` (ISO dates, oldest first) and counts."""
        at = np.arange(len(days), dtype=float)
        fresh, before = np.array(new, float), np.array(known, float)
        self._new.setOpts(x=at, height=fresh, width=0.7)
        self._known.setOpts(x=at, y0=fresh, height=before, width=0.7)
        step = max(1, -(-len(days) // _LABELS))
        ticks = [(i, days[i][5:]) for i in range(0, len(days), step)]
        self.getPlotItem().getAxis("bottom").setTicks([ticks])
        highest = float((fresh + before).max()) if len(days) else 1.0
        beside = max(0, _FEWEST - len(days)) / 2
        self.setXRange(-0.6 - beside, len(days) - 0.4 + beside, padding=0)
        self.setYRange(0, max(1.0, highest) * 1.08, padding=0)
        description = ", ".join(f"{d}: {n:g} + {k:g}" for d, n, k in zip(days, fresh, before, strict=True))
        self.setAccessibleDescription(description[:2000])


class DayLegend(QWidget):
    """A legend of the two parts of a bar: their fills beside words."""

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self._parts = [_Swatch(tokens, known=known) for known in (False, True)]
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for swatch, word in zip(self._parts, (tr("New"), tr("Reported before")), strict=True):
            words = QLabel(word)
            words.setFont(font(12))
            words.setProperty("role", "muted")
            layout.addWidget(swatch)
            layout.addWidget(words)
            layout.addSpacing(8)

    def set_tokens(self, tokens: Tokens) -> None:
        for swatch in self._parts:
            swatch.tokens = tokens
            swatch.update()


@guarded
class _Swatch(QWidget):
    def __init__(self, tokens: Tokens, *, known: bool) -> None:
        super().__init__()
        self.tokens, self._known = tokens, known
        self.setFixedSize(_SWATCH, _SWATCH)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill the swatch like the bars, with a frame if the fill is light."""
        with painting(self, smooth=False) as painter:
            painter.fillRect(self.rect(), _brushes(self.tokens)[int(self._known)])
            if self._known:
                painter.setPen(QColor(self.tokens.border2))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


def _brushes(tokens: Tokens) -> tuple[QBrush, QBrush]:
    """The fills of new and of previously reported matches."""
    return QBrush(QColor(tokens.accent)), QBrush(shade(tokens.text3, 160), Qt.BrushStyle.BDiagPattern)


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
        self.watches = QComboBox()
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
                self.answer.text() + " · " + tr("{count} more passages are not listed", count=f"{unlisted:,}")
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
