"""Comparison of runs and baselines: their curves overlaid, and their differences from the shown run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from operator import itemgetter

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QSplitter, QVBoxLayout, QWidget

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Run
from workbench.evaluation.thresholds import Curve
from workbench.gui.charts.line_plot import LinePlot, Trace
from workbench.gui.i18n import say, tr
from workbench.gui.kit.columns import Column, ColumnsModel
from workbench.gui.kit.runs import settings_text
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import ThemeWatch, column, heading, label, row
from workbench.gui.screens.evaluate.curves_page import framed
from workbench.gui.screens.evaluate.screen_data import drawn_curve
from workbench.gui.screens.evaluate.words import ends, run_words, share
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.baselines import BASELINES
from workbench.services.measuring.evaluating import Difference, coincident, differences
from workbench.services.measuring.label_selection import Question
from workbench.services.measuring.scored_run import ScoredRun, read_scored_run
from workbench.services.session import Session

_FIRST = 3
"""Number of runs that are initially drawn beside the shown one."""


@dataclass(frozen=True, slots=True)
class RunCurve:
    """The curve of a run (by number) or a baseline (by name) on the labels; None if there is a ``problem``."""

    key: int | str
    name: str
    curve: Curve | None


class ComparePage(QWidget):
    """Compares runs. ``opened`` emits the number of a run."""

    opened = Signal(int)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._scored: ScoredRun | None = None
        self._chosen: tuple[int | str, ...] | None = ()
        """The runs and baselines beside the shown run; None before they are read."""
        self._names: dict[int | str, str] = {}
        self._learnt: dict[int | str, str] = {}
        """By run: what to know of figures of weights learnt from labels."""
        self._curves: tuple[RunCurve, ...] = ()
        self.plot = LinePlot(tr("Precision against recall of several runs"), tr("Recall"), tr("Precision"), marked=True)
        self.model = ColumnsModel(
            [
                Column("name", tr("Run"), width=210),
                Column("settings", tr("Settings")),
                Column("ap", tr("Average precision"), share, True, 150, "–"),
                Column("f1", tr("Best F"), share, True, 90, "–"),
                Column("difference", tr("Difference in average precision"), itemgetter(1), width=230, blank="–"),
                Column("p", tr("McNemar p"), _p, True, 110, "–", tr("Exact test of the decisions at each best F")),
            ],
            "run",
            self,
        )
        self.table = Table(self.model, tr("Runs"))
        self.note = label("", 12, role="muted", wrap=True)
        self.table.selected.connect(self._selected)
        self.table.opened.connect(self._open)
        self._build()
        ThemeWatch(self, context.theme, lambda: self.plot.set_tokens(context.theme.tokens))
        self.plot.set_tokens(context.theme.tokens)

    def _build(self) -> None:
        below = QFrame()
        below.setObjectName("panel")
        words = row(heading(tr("Runs and baselines on the same labels"), 13), None, margins=(14, 8, 10, 4))
        inside = column(words, row(self.note, margins=(14, 0, 14, 6)), spacing=0, margins=(1, 1, 1, 1))
        inside.addWidget(self.table, 1)
        below.setLayout(inside)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(8)
        split.setChildrenCollapsible(False)
        split.addWidget(framed(self.plot, tr("Precision and recall")))
        split.addWidget(below)
        split.setSizes([460, 260])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)

    def show_scored(self, scored: ScoredRun, runs: Sequence[Run], learnt: Mapping[int, Message | str]) -> None:
        """Compare other runs with the run of ``scored``, newest first, those of sweeps last. ``learnt``: what to know
        of the figures of runs, by number.
        """
        if scored is self._scored:
            return
        # Not those last compared, which after a failure are none.
        before = {*self.table.chosen_keys()} - {scored.run.id if self._scored is None else self._scored.run.id}
        self._scored = scored
        others = sorted(
            (run for run in reversed(runs) if run.id != scored.run.id), key=lambda run: run.varied_from is not None
        )
        baselines = tuple(BASELINES) if scored.kind is TargetKind.DOCUMENT else ()
        self._curves = ()
        self._names = {run.id: run_words(run.id, run.method) for run in (scored.run, *others)}
        self._names |= {name: run_words(name, "") for name in baselines}
        self._learnt = {run.id: say(learnt[run.id]) for run in others if run.id in learnt}
        more = len(self._names) - 1
        self.model.set_values(
            {
                "run": list(self._names),
                "name": list(self._names.values()),
                "settings": [
                    *(settings_text(run) for run in (scored.run, *others)),
                    *[tr("no run: from texts, addresses and links alone")] * len(baselines),
                ],
                "ap": [None] * (more + 1),
                "f1": [None] * (more + 1),
                "difference": [(0.0, tr("base run")), *[None] * more],
                "p": ["", *[None] * more],
            }
        )
        kept = [key for key in self._names if key in before and key != scored.run.id]
        plain = [run.id for run in others if run.varied_from is None]
        self._chosen = None
        self.table.select_keys([scored.run.id, *(kept or (plain or [run.id for run in others])[:_FIRST])])
        self._selected()

    def _selected(self) -> None:
        """Draw the selected runs, and compare each with the base."""
        scored = self._scored
        if scored is None:
            return
        chosen = tuple(key for key in self.table.chosen_keys() if key != scored.run.id)
        if chosen == self._chosen:
            return
        self._chosen = chosen
        question = Question(
            scored.chosen.label_set,
            tuple(sorted(scored.chosen.meaning.positive)),
            scored.question.complete,
            scored.question.score,
        )

        def read(session: Session) -> tuple[RunCurve, ...]:
            from workbench.services.choosing import find_run

            curves = [self._curve(scored.run.id, scored.curve)]
            for number in chosen:
                if isinstance(number, int):
                    with suppress(UserError):  # The comparison shows why
                        other = read_scored_run(session, find_run(session, number), question)
                        curves.append(self._curve(number, other.curve))
            return tuple(curves)

        def show(curves: tuple[RunCurve, ...]) -> None:
            if scored is self._scored and chosen == self._chosen:
                self._show((*curves, *(one for one in self._curves if isinstance(one.key, str) and one.key in chosen)))

        self._context.background(read, show, owner=self)
        if chosen and self._context.session is not None:
            self.note.setText(tr("Comparing…"))
            query = self._context.session.path, scored.run.id, chosen, question
            self._context.aside(self, differences, *query, done=self._compared, failed=self._not_compared)
        else:
            self._context.asides.drop(self)
            self._compared([])
            self.note.setText(tr("Select further rows in the table: they are overlaid and tested."))

    def _open(self, key: int | str) -> None:
        if isinstance(key, int):
            self.opened.emit(key)

    def _curve(self, key: int | str, curve: Curve | None) -> RunCurve:
        return RunCurve(key, self._names[key], curve)

    def _show(self, curves: tuple[RunCurve, ...]) -> None:
        self._curves = curves
        drawn = [one for one in curves if one.curve is not None]
        traces = []
        for one in drawn:
            assert one.curve is not None
            points = drawn_curve(one.curve)
            traces.append(Trace(one.name, points.recall, points.precision, steps=True))
        self.plot.set_traces(traces)
        self.plot.fit_words()
        by_run = {one.key: one.curve for one in drawn}
        keys = list(self.model.values("run"))
        self.model.set_column("ap", [_of(by_run.get(key), "ap") for key in keys])
        self.model.set_column("f1", [_of(by_run.get(key), "f1") for key in keys])

    def _compared(self, rows: list[Difference]) -> None:
        scored = self._scored
        if scored is None:
            return
        by_run = {one.run: one for one in rows}
        keys = list(self.model.values("run"))
        words: list[tuple[float, str] | None] = []
        """The values by which rows are sorted, and what is shown."""
        tests: list[float | str | None] = []
        for key in keys:
            one = by_run.get(key)
            if key == scored.run.id:
                words.append((0.0, tr("base run")))
                tests.append("")
            elif one is None:
                words.append(None)
                tests.append(None)
            elif one.problem:
                words.append((-inf, say(one.problem)))
                tests.append("")
            else:
                figure = one.average_precision
                words.append((figure, f"{figure:+.3f} ({_signed(one.interval)})"))
                tests.append(one.p)
        self.model.set_column("difference", words)
        self.model.set_column("p", tests)
        baselines = tuple(self._curve(one.run, one.curve) for one in rows if one.curve is not None)
        if baselines:
            self._show((*(one for one in self._curves if isinstance(one.key, int)), *baselines))
        self.note.setText(" ".join(self._sentences(rows)))

    def _not_compared(self, error: Exception) -> None:
        self._chosen = None
        self._compared([])
        self.note.setText(tr("The runs could not be compared. Select them again."))
        self._context.show_error(error)

    def _sentences(self, rows: Sequence[Difference]) -> list[str]:
        assert self._scored is not None
        base, sentences = self._scored.run.id, []
        for one in rows:
            if one.problem:
                continue
            if one.interval is None:
                verdict = tr("too few labels for an interval")
            elif one.interval[0] <= 0 <= one.interval[1]:
                verdict = tr("no difference at the 5 % level")
            else:
                verdict = tr("better at the 5 % level") if one.average_precision > 0 else tr("worse at the 5 % level")
            sentences.append(
                tr(
                    "{run} against run {base} on {count} items: {verdict} (average precision {difference}); "
                    "best F {f1}, McNemar p {p}.",
                    run=self._names[one.run],
                    base=base,
                    count=f"{one.items:,}",
                    verdict=verdict,
                    difference=f"{one.average_precision:+.3f}",
                    f1=f"{one.f1:+.3f}",
                    p=_p(one.p),
                )
            )
            sentences += filter(None, [self._learnt.get(one.run)])
        curves = [one for one in self._curves if one.curve is not None]
        for i, j in coincident([one.curve for one in curves if one.curve is not None]):
            sentences.append(tr("{one} and {other} coincide.", one=curves[i].name, other=curves[j].name))
        return sentences


def _of(curve: Curve | None, figure: str) -> float | None:
    if curve is None:
        return None
    return curve.average_precision if figure == "ap" else float(np.max(curve.f1))


def _p(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.3f}" if value >= 0.001 else "< 0.001"


def _signed(interval: tuple[float, float] | None) -> str:
    return ends(None) if interval is None else f"{interval[0]:+.3f} – {interval[1]:+.3f}"
