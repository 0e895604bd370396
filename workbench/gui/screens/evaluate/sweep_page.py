"""One method with many parameter settings: each point of the curve is a run, added when it is finished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLineEdit,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.base.errors import ParameterError
from workbench.base.messages import threshold_words
from workbench.base.options import Option
from workbench.gui.charts.heat_map import HeatMap
from workbench.gui.charts.line_plot import LinePlot, Trace
from workbench.gui.charts.scales import Even, Named
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel
from workbench.gui.kit.progress import JobPanel
from workbench.gui.kit.runs import settings_text
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import ChoiceBox, ThemeWatch, column, heading, icon_button, label, row
from workbench.gui.kit.words import parameter_title, value_text
from workbench.gui.screens.evaluate.words import run_words, share
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.measuring.scored_run import ScoredRun
from workbench.services.measuring.sweeping import (
    EstimatedPoints,
    Point,
    can_vary,
    grid,
    read_points,
    sweep,
    usual_values,
)
from workbench.services.session import Session


class _Axis(QWidget):
    """A parameter and its values to try."""

    changed = Signal()

    def __init__(self, title: str, *, optional: bool) -> None:
        super().__init__()
        self._optional = optional
        self._specs: dict[str, Option] = {}
        self._base: dict[str, Any] = {}
        self.name = ChoiceBox()
        self.name.setAccessibleName(title)
        self.values = QLineEdit()
        self.values.setAccessibleName(tr("Values of {parameter}", parameter=title))
        self.values.setToolTip(tr("Comma-separated values"))
        self.values.setMinimumWidth(180)
        self.name.activated.connect(lambda _at: self._named())
        self.values.editingFinished.connect(self.changed)
        self.setLayout(row(label(title, 12, role="muted"), self.name, self.values, spacing=6))

    def offer(self, specs: Sequence[Option], base: dict[str, Any]) -> None:
        """Offer the parameters of another run."""
        kept = self.name.currentData()
        self._specs, self._base = {spec.name: spec for spec in specs}, base
        self.name.clear()
        if self._optional:
            self.name.addItem(tr("none"), "")
        for spec in specs:
            self.name.addItem(parameter_title(spec.name), spec.name)
        at = self.name.findData(kept)
        self.name.setCurrentIndex(max(0, at))
        self._fill()

    def _fill(self) -> None:
        spec = self._specs.get(self.name.currentData() or "")
        values = [] if spec is None else usual_values(spec, self._base.get(spec.name, spec.default))
        self.values.setText(", ".join(_plain(value) for value in values))
        self.values.setCursorPosition(0)
        self.values.setVisible(spec is not None)

    def _named(self) -> None:
        self._fill()
        self.changed.emit()

    def leave_out(self, name: str) -> None:
        """Offer every parameter except ``name``, which another axis varies."""
        model = self.name.model()
        assert isinstance(model, QStandardItemModel)
        for at in range(self.name.count()):
            model.item(at).setEnabled(self.name.itemData(at) != name)
        if self.chosen() == name:
            self.name.setCurrentIndex(0)
            self._fill()

    def chosen(self) -> str:
        """The parameter; "" for none."""
        return self.name.currentData() or ""

    def parsed(self) -> list[Any]:
        """The entered values. Raises ParameterError for an invalid one."""
        spec = self._specs[self.chosen()]
        return [spec.check(value.strip()) for value in self.values.text().split(",") if value.strip()]


class SweepPage(QWidget):
    """Shows and runs sweeps. ``opened`` emits the number of a run; ``swept``: a sweep has ended, and may have left new
    runs.
    """

    opened = Signal(int)
    swept = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._scored: ScoredRun | None = None
        self._known: EstimatedPoints = {}
        self.points: list[Point] = []
        self.first = _Axis(tr("Vary"), optional=False)
        self.second = _Axis(tr("and"), optional=True)
        self.figure = QComboBox()
        self.figure.setAccessibleName(tr("Figure"))
        for name, words in (("f1", tr("Best F")), ("ap", tr("Average precision"))):
            self.figure.addItem(words, name)
        self.base = label("", 12, role="muted", wrap=True)
        self.problem = label("", 12, role="danger", wrap=True)
        run = context.actions.run
        self.start = icon_button(context.theme, tr("Start the sweep"), "play", lambda: run("evaluate.sweep"), "primary")
        self.running = JobPanel(context, tr("Progress of the sweep"))
        self.plot = LinePlot(tr("The measure against the parameter"), "", "", marked=True)
        self.plot.top = 26
        self.map = HeatMap(tr("The measure by both parameters"))
        self.charts = QStackedWidget()
        self.charts.addWidget(self.plot)
        self.charts.addWidget(self.map)
        columns = [
            Column("settings", tr("Settings")),
            Column("name", tr("Run"), width=200),
            Column("f1", tr("Best F"), share, True, 90, "–"),
            Column("threshold", tr("at"), threshold_words, True, 90, "–"),
            Column("ap", tr("Average precision"), share, True, 150, "–"),
            Column("problem", tr("Not measured because"), width=260),
        ]
        self.model = ColumnsModel(columns, "run", self)
        self.table = Table(self.model, tr("Points of the sweep"), many=False)
        self._build()
        self.first.changed.connect(lambda: self.second.leave_out(self.first.chosen()))
        for axis in (self.first, self.second):
            axis.changed.connect(self.read)
        self.figure.activated.connect(lambda _at: self._draw())
        self.plot.picked.connect(self._picked)
        self.map.picked.connect(self._picked_cell)
        self.table.opened.connect(lambda key: self.opened.emit(int(key)))
        ThemeWatch(self, context.theme, self._dress)
        self._dress()
        self._follow(context.jobs.inherit(self))

    def _build(self) -> None:
        top = QFrame()
        top.setObjectName("panel")
        axes = row(self.first, self.second, None, self.figure, self.start, margins=(14, 8, 8, 4), spacing=10)
        words = row(self.base, self.problem, margins=(14, 0, 12, 6))
        words.setStretch(0, 1)
        top.setLayout(column(axes, words, spacing=2))
        below = QFrame()
        below.setObjectName("panel")
        inside = column(spacing=0, margins=(1, 1, 1, 1))
        inside.addLayout(row(heading(tr("Points"), 13), None, margins=(14, 8, 10, 4)))
        inside.addWidget(self.table, 1)
        below.setLayout(inside)
        frame = QFrame()
        frame.setObjectName("panel")
        frame.setLayout(column(self.charts, margins=(4, 4, 4, 4)))
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(8)
        split.setChildrenCollapsible(False)
        split.addWidget(frame)
        split.addWidget(below)
        split.setSizes([400, 230])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(top)
        layout.addWidget(self.running)
        layout.addWidget(split, 1)

    def _dress(self) -> None:
        self.plot.set_tokens(self._context.theme.tokens)
        self.map.set_tokens(self._context.theme.tokens)

    # -- content

    def show_scored(self, scored: ScoredRun) -> None:
        """Sweep around the run of ``scored``, and show the existing points."""
        if self._scored is None or self._scored.run.id != scored.run.id:
            specs = can_vary(scored.run.method)
            self.first.offer(specs, dict(scored.run.parameters))
            self.second.offer(specs, dict(scored.run.parameters))
            self.second.leave_out(self.first.chosen())
        self._scored = scored
        self.base.setText(
            tr(
                "The base is {run}: {settings}. All other settings stay the same.",
                run=run_words(scored.run.id, scored.run.method),
                settings=settings_text(scored.run),
            )
        )
        self.read()

    def names(self) -> tuple[str, ...]:
        """The varied parameters."""
        first, second = self.first.chosen(), self.second.chosen()
        return (first, second) if second else (first,)

    def read(self) -> None:
        """Read the finished points."""
        scored, names = self._scored, self.names()
        if scored is None or not names[0]:
            return

        def show(points: list[Point]) -> None:
            if scored is self._scored and names == self.names():
                self.points = points
                self._draw()

        def read(session: Session) -> list[Point]:
            return read_points(session, scored, names, self._known)

        self._context.latest(self, "points", read, show)

    def _value(self, point: Point) -> float | None:
        if point.counts is None:
            return None
        return point.counts.f1 if self.figure.currentData() == "f1" else point.average_precision

    def _draw(self) -> None:
        names, scored = self.names(), self._scored
        assert scored is not None
        self.model.set_values(
            {
                "run": [p.run.id for p in self.points],
                "settings": [_settings(p) for p in self.points],
                "name": [
                    run_words(p.run.id, p.run.method) + (" · " + tr("baseline") if p.run.id == scored.run.id else "")
                    for p in self.points
                ],
                "f1": [None if p.counts is None else p.counts.f1 for p in self.points],
                "threshold": [None if p.counts is None else p.threshold for p in self.points],
                "ap": [None if p.counts is None else p.average_precision for p in self.points],
                "problem": [say(p.problem) for p in self.points],
            }
        )
        if len(names) == 1:
            self._draw_line(names[0], scored)
            self.charts.setCurrentWidget(self.plot)
        else:
            self._draw_map(names, scored)
            self.charts.setCurrentWidget(self.map)

    def _draw_line(self, name: str, scored: ScoredRun) -> None:
        shown = [p for p in self.points if p.counts is not None]
        values = [p.varied[name] for p in shown]
        ordered = all(_is_number(value) for value in values)
        places = values if ordered else list(range(len(values)))
        words = self.figure.currentText()
        x = np.array(places, np.float64)
        y = np.array([self._value(p) or 0.0 for p in shown], np.float64)
        low, high = None, None
        if self.figure.currentData() == "f1":
            ends = [p.counts.f1_interval for p in shown if p.counts is not None]
            low, high = (np.array([e[side] for e in ends], np.float64) for side in (0, 1))
        self.plot.x_scale = self._scale(values) if ordered else Named([value_text(value) for value in values])
        self.plot.titles = (parameter_title(name), words)
        # Unordered values are not joined by a line.
        traces = [Trace(words, x, y, low, high) if ordered else Trace(words, x, y, dots=True)]
        here = [k for k, p in enumerate(shown) if p.run.id == scored.run.id]
        traces.append(Trace(tr("baseline"), x[here], y[here], dots=True, look=3))
        self.plot.set_traces(traces)

    def _scale(self, values: Sequence[Any]) -> Even:
        """A scale that covers ``values`` and the requested values."""
        try:
            wanted = [value for value in self.first.parsed() if _is_number(value)]
        except ParameterError:
            wanted = []
        every = [float(value) for value in (*values, *wanted)]
        if not every:
            return Even()
        low, high = min(every), max(every)
        room = 0.03 * (high - low) or max(1.0, 0.1 * abs(high))
        return Even(low - room, high + room, whole=all(isinstance(value, int) for value in (*values, *wanted)))

    def _draw_map(self, names: Sequence[str], scored: ScoredRun) -> None:
        across = list(dict.fromkeys(sorted((p.varied[names[0]] for p in self.points), key=_sorted)))
        down = list(dict.fromkeys(sorted((p.varied[names[1]] for p in self.points), key=_sorted, reverse=True)))
        values, framed = {}, None
        for p in self.points:
            cell = (across.index(p.varied[names[0]]), down.index(p.varied[names[1]]))
            value = self._value(p)
            if value is not None:
                values[cell] = value
            if p.run.id == scored.run.id:
                framed = cell
        titles = (parameter_title(names[0]), parameter_title(names[1]))
        self.map.show_values(titles, [value_text(v) for v in across], [value_text(v) for v in down], values, framed)

    def _picked(self, _trace: int, at: int) -> None:
        shown = [p for p in self.points if p.counts is not None]
        if _trace == 0 and 0 <= at < len(shown):
            self.opened.emit(shown[at].run.id)

    def _picked_cell(self, across: int, down: int) -> None:
        names = self.names()
        for p in self.points:
            if (value_text(p.varied[names[0]]), value_text(p.varied[names[1]])) == (
                self.map.columns[across],
                self.map.lines[down],
            ):
                self.opened.emit(p.run.id)
                return

    # -- running

    def begin(self) -> None:
        """Make the missing runs, as a job."""
        scored, project = self._scored, self._context.project
        if scored is None or project is None:
            return
        if self.is_running():
            self._context.say(tr("A sweep is running. Start the next one when it has finished."), "warn")
            return
        try:
            axes = {axis.chosen(): axis.parsed() for axis in (self.first, self.second) if axis.chosen()}
            count = len(grid(scored.run.method, axes))
        except ParameterError as error:
            self.problem.setText(say(error.sentence))
            return
        self.problem.setText("")
        run = run_words(scored.run.id, scored.run.method)
        title = trn("Sweep of {run}, {count} setting", "Sweep of {run}, {count} settings", count, run=run)
        record = self._context.jobs.submit(
            title, sweep, project, scored.run.id, axes, scored.question, after=self._ended
        )
        self._follow(record)

    def is_running(self) -> bool:
        """Whether a sweep is running."""
        return self.running.record is not None

    def _follow(self, record: JobRecord | None) -> None:
        self.running.follow(record)
        self.start.setVisible(record is None)

    def _ended(self, record: JobRecord) -> None:
        self._follow(None)
        self._context.say_job_ended(record, tr("The sweep was cancelled; finished runs are kept."))
        self.swept.emit()


def _settings(point: Point) -> str:
    return ", ".join(f"{parameter_title(name)} {value_text(value)}" for name, value in point.varied.items())


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sorted(value: object) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, str(value))
