"""The Evaluate screen, put together: a run, labels, and ways of looking at how they agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.file_dialogs import open_file
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.parts import button, label
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.runs import RunBox
from workbench.gui.screens.evaluate.advice_panel import AdvicePanel
from workbench.gui.screens.evaluate.compare_page import ComparePage
from workbench.gui.screens.evaluate.curves_page import CurvesPage
from workbench.gui.screens.evaluate.empty import empty_state
from workbench.gui.screens.evaluate.measure_bar import LINE
from workbench.gui.screens.evaluate.reading import Shown, read_choices, read_shown
from workbench.gui.screens.evaluate.sheets_page import SheetsPage
from workbench.gui.screens.evaluate.subgroups_page import SubgroupsPage
from workbench.gui.screens.evaluate.sweep_page import SweepPage
from workbench.gui.screens.evaluate.words import score_text
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.gui.workspace.screen import View
from workbench.services.labels.labelling import LabelResult, import_labels
from workbench.services.labels.queue import NamedOrder
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.bench import Bench, Ground
from workbench.services.measuring.next_labels import label_next
from workbench.services.measuring.thresholds import (
    UsedThreshold,
    use_threshold,
    used_threshold,
    withdraw_threshold,
)
from workbench.services.measuring.truth import Question
from workbench.services.session import Session
from workbench.text.formats import Failure

_ADVICE_MS = 350
"""What to label next follows a drag after so long a pause."""


class EvaluateView(View):
    """Measures one run against labels; ``load`` brings it up to date."""

    view_id: ClassVar[str] = "evaluate"
    icon: ClassVar[str] = "evaluate"
    kinds: ClassVar[frozenset[str]] = frozenset({"runs", "matches", "documents", "labels", "measures"})
    modes: ClassVar[tuple[str, ...]] = ("curves", "runs-compared", "subgroups", "sweep", "sheets")

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.question = Question()
        self.shown = Shown(Ground())
        self._wanted: int | None = None
        self._wanted_threshold: float | None = None
        self._request = 0
        self.runs = RunBox()
        self.sets = QComboBox()
        self.sets.setAccessibleName(tr("Label set"))
        self.positive: QPushButton = button("")
        self._values = QMenu(self.positive)
        self.positive.setMenu(self._values)
        self.complete = QCheckBox(tr("No label means negative"))
        self.complete.setToolTip(tr("For labels that list every positive and nothing else"))
        self.curves = CurvesPage(context)
        self.advice = AdvicePanel(context)
        self.mode = "curves"
        self.chips: dict[str, QPushButton] = {}
        self.pages = QStackedWidget()
        self._empty: QWidget | None = None
        self._advice_timer = after_pause(self._advise, _ADVICE_MS, self)
        self._build()
        self._connect()
        context.actions.add(*self._actions())
        self.set_mode("curves")

    @staticmethod
    def name() -> str:
        """The view's name."""
        return tr("Evaluate")

    def _build(self) -> None:
        titles = (tr("Curves"), tr("Runs"), tr("Subgroups"), tr("Sweep"), tr("Sheets"))
        for mode, title in zip(self.modes, titles, strict=True):
            chip = button(title, partial(self.set_mode, mode), kind="chip")
            self.chips[mode] = chip
        self.head = QWidget()
        line = FlowLayout(self.head, 8)
        parts: tuple[QWidget, ...] = (
            label(tr("Run"), 12, role="muted"),
            self.runs,
            label(tr("Labels"), 12, role="muted"),
            self.sets,
            label(tr("looked for"), 12, role="muted"),
            self.positive,
            self.complete,
            self.curves.bar.axis,
            *self.chips.values(),
        )
        for part in parts:
            part.setFixedHeight(LINE)
            line.addWidget(part)
        beside = QSplitter()
        beside.setHandleWidth(8)
        beside.setChildrenCollapsible(False)
        beside.addWidget(self.curves)
        beside.addWidget(self.advice)
        beside.setStretchFactor(0, 1)
        beside.setSizes([980, 300])
        self.body = beside
        self.pages.addWidget(beside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 10)
        layout.setSpacing(6)
        layout.addWidget(self.head)
        layout.addWidget(self.pages, 1)

    # Pages besides the curves are built when they are first shown: opening the screen stays quick.

    @cached_property
    def comparison(self) -> ComparePage:
        """Runs against runs."""
        page = ComparePage(self.context)
        page.opened.connect(self._open_curves)
        self.pages.addWidget(page)
        return page

    @cached_property
    def subgroups(self) -> SubgroupsPage:
        """The run in parts."""
        page = SubgroupsPage(self.context)
        self.pages.addWidget(page)
        return page

    @cached_property
    def sweep(self) -> SweepPage:
        """The method under many parameters."""
        page = SweepPage(self.context)
        page.opened.connect(self._open_curves)
        self.pages.addWidget(page)
        return page

    @cached_property
    def sheets(self) -> SheetsPage:
        """The papers' figures."""
        page = SheetsPage(self.context)
        self.pages.addWidget(page)
        return page

    def _page(self, mode: str) -> QWidget:
        match mode:
            case "runs-compared":
                return self.comparison
            case "subgroups":
                return self.subgroups
            case "sweep":
                return self.sweep
            case "sheets":
                return self.sheets
        return self.body

    def has_sheet(self) -> bool:
        """Whether a sheet is chosen."""
        # A page that is being built asks this, too: it is not built again for the answer.
        return self.mode == "sheets" and "sheets" in vars(self) and self.sheets.has_sheet()

    def _connect(self) -> None:
        self.runs.chosen.connect(self.open)
        self.sets.activated.connect(lambda at: self._ask(Question(labels=str(self.sets.itemData(at)))))
        self.complete.clicked.connect(
            lambda on: self._ask(Question(self.question.labels, self.question.positive, bool(on), self.question.score))
        )
        self.curves.threshold_changed.connect(self._moved)
        self.curves.opened.connect(self._open_item)
        self.curves.items.chosen.connect(self.context.actions.refresh)
        self.advice.chosen.connect(self.curves.set_threshold)
        self.advice.rules_changed.connect(self._choose)

    def _actions(self) -> list[Action]:
        curves = self.curves
        measured, listed, sheet = self.has_curve, self.has_item, self.has_sheet
        needs = {
            measured: tr("Choose a run and labels that fit it."),
            sheet: tr("Choose a sheet first."),
            listed: tr("Choose an item of the list first."),
            self.has_run: tr("Run a method first."),
            self.has_used: tr("No threshold is in use for what is shown."),
        }

        def made(
            key: str,
            title: str,
            call: Callable[[], object],
            shortcut: str,
            icon: str = "",
            *,
            enabled: Callable[[], bool] = measured,
        ) -> Action:
            return Action(f"{self.view_id}.{key}", title, call, shortcut, self.view_id, icon, enabled, needs[enabled])

        return [
            made("threshold", tr("Change the threshold"), curves.bar.field.setFocus, "Alt+6", "filter"),
            made("pr", tr("Go to precision and recall"), curves.pr.setFocus, "Alt+1"),
            made("by-threshold", tr("Go to F by threshold"), curves.f.setFocus, "Alt+2"),
            made("scores", tr("Go to the scores by label"), curves.histogram.setFocus, "Alt+3"),
            made("matrix", tr("Go to the confusion matrix"), curves.matrix.setFocus, "Alt+4"),
            made("list", tr("Go to the list of items"), curves.items.table.setFocus, "Alt+5"),
            made("review", tr("Open the item in Review"), self.open_in_review, "Ctrl+Return", "review", enabled=listed),
            made("label", tr("Label the items of the list"), self.label_list, "Ctrl+L", "label", enabled=listed),
            made("label-next", tr("Label what tells most next"), self.label_next, "Ctrl+Shift+N", "label"),
            made("use", tr("Use this threshold in the project"), self.use_here, "Ctrl+U", "check"),
            made("withdraw", tr("Use no threshold in the project"), self.withdraw, "", "reset", enabled=self.has_used),
            *(
                made(f"show-{mode}", title, partial(self.set_mode, mode), f"Alt+Shift+{number}")
                for number, (mode, title) in enumerate(zip(self.modes, self._titles(), strict=True), 1)
            ),
            made("sweep", tr("Start the sweep"), self._sweep, "", "play"),
            made("sheet", tr("Draw a sheet"), self._draw_sheet, "", "plus"),
            made(
                "sheet-again", tr("Draw the sheet again"), lambda: self.sheets.draw_again(), "", "retry", enabled=sheet
            ),
            made(
                "sheet-save",
                tr("Save the sheet…"),
                lambda: self.sheets.save_sheet(),
                "Ctrl+Shift+E",
                "export",
                enabled=sheet,
            ),
            made(
                "sheet-copy",
                tr("Copy the command of the sheet"),
                lambda: self.sheets.copy_command(),
                "",
                "copy",
                enabled=sheet,
            ),
            made(
                "sheet-remove", tr("Remove the sheet"), lambda: self.sheets.remove_sheet(), "", "trash", enabled=sheet
            ),
            made("best", tr("Go to the best F"), self.go_to_best, "Ctrl+B"),
            made(
                "import-labels",
                tr("Import labels…"),
                self.import_labels,
                "Ctrl+Alt+L",
                "import",
                enabled=self.has_run,
            ),
            made("label-here", tr("Label in the Label view"), self.label_here, "", "label", enabled=self.has_run),
        ]

    @staticmethod
    def _titles() -> tuple[str, ...]:
        return (
            tr("Show the curves"),
            tr("Compare runs"),
            tr("Show subgroups"),
            tr("Show a sweep"),
            tr("Show the sheets"),
        )

    def _sweep(self) -> None:
        self.set_mode("sweep")
        self.sweep.begin()

    def _draw_sheet(self) -> None:
        self.set_mode("sheets")
        self.sheets.draw()

    # -- state

    @property
    def bench(self) -> Bench | None:
        """The run beside its labels; None where there is nothing to measure."""
        return self.shown.ground.bench

    def has_run(self) -> bool:
        """Whether there is a finished run."""
        return self.shown.ground.run is not None

    def has_curve(self) -> bool:
        """Whether there is a curve."""
        return self.bench is not None and self.bench.curve is not None

    def has_item(self) -> bool:
        """Whether the list has an item."""
        return self.has_curve() and self.curves.items.first() >= 0

    def has_used(self) -> bool:
        """Whether the project works with a threshold for what is shown."""
        return self.shown.used is not None

    # -- ways of looking

    def set_mode(self, mode: str) -> None:
        """Show the curves, runs against runs, subgroups, a sweep or sheets."""
        if mode not in self.modes:
            return
        self.mode = mode
        for name, chip in self.chips.items():
            chip.setChecked(name == mode)
        self.curves.bar.axis.setVisible(mode == "curves")
        if self.has_curve():
            self.pages.setCurrentWidget(self._page(mode))
            self._fill_page()
        self.context.actions.refresh()
        self.placed.emit()

    def _fill_page(self) -> None:
        """Show what there is on the page that is looked at."""
        bench = self.bench
        if bench is None:
            return
        if self.mode == "runs-compared":
            self.comparison.show_bench(bench, self.shown.ground.runs)
        elif self.mode == "subgroups":
            self.subgroups.show_bench(bench, self.curves.threshold)
        elif self.mode == "sweep":
            self.sweep.show_bench(bench)
        elif self.mode == "sheets":
            self.sheets.show_bench(bench)

    def _open_curves(self, run_id: int) -> None:
        self.set_mode("curves")
        self.open(run_id)

    # -- reading

    def open(self, run_id: int) -> None:
        """Show run ``run_id``."""
        self._wanted = run_id
        self.load()

    def _ask(self, question: Question) -> None:
        self.question = question
        self.load()

    def load(self) -> None:
        """Read run and labels again."""
        self.set_ready(False)
        self._request += 1
        request, known = self._request, self.shown.ground.run
        wanted = self._wanted if self._wanted is not None else None if known is None else known.id
        read = read_shown(wanted, self.question)
        self.context.background(read, lambda found: self._show(found, request), owner=self)

    def _show(self, shown: Shown, request: int) -> None:
        if request != self._request:
            return
        before, self.shown, self._wanted = self.bench, shown, None
        ground, bench = shown.ground, shown.ground.bench
        self._fill_head(ground)
        if bench is None or bench.curve is None:
            self._show_empty(ground)
            return
        self.question = bench.question
        self.pages.setCurrentWidget(self._page(self.mode))
        self.curves.show_bench(bench, shown, self._first_threshold(before, bench))
        self._fill_page()
        self._show_used()
        self._choose()
        self._advise()
        self.context.actions.refresh()
        self.set_ready()

    def _first_threshold(self, before: Bench | None, bench: Bench) -> float:
        """The one that was asked for or shown of the same run, else the project's, else that of the best F."""
        assert bench.curve is not None
        wanted, self._wanted_threshold = self._wanted_threshold, None
        if wanted is not None:
            return wanted
        if before is not None and before.run.id == bench.run.id and before.kind is bench.kind:
            return self.curves.threshold
        used = self.shown.used
        return used.value if used is not None else float(bench.curve.threshold[bench.curve.best()])

    def _fill_head(self, ground: Ground) -> None:
        self.head.setVisible(bool(ground.sources))
        self.runs.show_runs(ground.runs, ground.run)
        self.runs.setVisible(True)
        self.sets.clear()
        for source in ground.sources:
            self.sets.addItem(source.name, source.name)
        bench = ground.bench
        if bench is None:
            return
        self.sets.setCurrentIndex(self.sets.findData(bench.chosen.label_set))
        self.complete.setChecked(bench.question.complete)
        self.complete.setEnabled(bench.kind is not TargetKind.PASSAGE)
        positive = bench.chosen.meaning.positive
        self.positive.setText(", ".join(sorted(positive)))
        self._values.clear()
        for value in ground.values:
            choice = QAction(value, self._values)
            choice.setCheckable(True)
            choice.setChecked(value in positive)
            choice.triggered.connect(lambda _on=False: self._values_chosen())
            self._values.addAction(choice)

    def _values_chosen(self) -> None:
        chosen = tuple(action.text() for action in self._values.actions() if action.isChecked())
        if chosen:
            self._ask(Question(self.question.labels, chosen, self.question.complete, self.question.score))

    def _show_empty(self, ground: Ground) -> None:
        if self._empty is not None:
            self.pages.removeWidget(self._empty)
            self._empty.deleteLater()
        self._empty = empty_state(self.context, ground)
        self.pages.addWidget(self._empty)
        self.pages.setCurrentWidget(self._empty)
        self.context.actions.refresh()
        self.set_ready()

    # -- advice

    def _choose(self) -> None:
        bench = self.bench
        if bench is None:
            return
        self.advice.wait()

        def show(found: object) -> None:
            if bench is self.bench:
                self.advice.show_choices(found)  # type: ignore[arg-type]

        self.context.background(read_choices(bench, tuple(self.advice.rules)), show, owner=self)
        self._advise()

    def _moved(self, _threshold: float) -> None:
        self._show_used()
        self._advice_timer.start()

    def _advise(self) -> None:
        bench, threshold = self.bench, self.curves.threshold
        if bench is None or bench.curve is None:
            return

        def show(found: object) -> None:
            if bench is self.bench and threshold == self.curves.threshold:
                self.advice.show_next(found, bench)  # type: ignore[arg-type]

        self.context.background(lambda _session: label_next(bench, threshold), show, owner=self)

    def _show_used(self) -> None:
        used = self.shown.used
        self.curves.bar.show_used(used, here=used is not None and used.value == self.curves.threshold)
        self.advice.show_used(used)

    def go_to_best(self) -> None:
        """Go to the threshold of the best F."""
        bench = self.bench
        if bench is not None and bench.curve is not None:
            self.curves.set_threshold(float(bench.curve.threshold[bench.curve.best()]))

    # -- using a threshold

    def use_here(self) -> None:
        """Make the threshold the project's, for what the run's method scores."""
        bench = self.bench
        if bench is None or bench.curve is None:
            return
        used = self._used_here(bench)
        before = self.shown.used
        method, kind = bench.run.method, bench.kind
        self._change(lambda session: use_threshold(session, used))
        title = tr("Use the threshold {value}", value=score_text(used.value))
        self.context.history.push(
            title, lambda: self._change(_back_to(before, method, kind)), lambda: self._change(_to(used))
        )
        self.context.say_undoable(
            tr(
                "{value} is the project's threshold for {method}: precision {precision}, recall {recall}.",
                value=score_text(used.value),
                method=used.method,
                precision=f"{used.precision:.2f}",
                recall=f"{used.recall:.2f}",
            )
        )

    def _used_here(self, bench: Bench) -> UsedThreshold:
        """What is recorded of the threshold: corrected figures where a rule has chosen it."""
        assert bench.curve is not None
        threshold = self.curves.threshold
        counts = bench.curve.counts(threshold)
        choice = self.advice.estimate_at(threshold)
        corrected = choice is not None and choice.precision.interval is not None
        precision, recall, f1 = counts.precision or 0.0, counts.recall or 0.0, counts.f1
        ends = counts.precision_interval, counts.recall_interval
        if choice is not None and choice.precision.interval is not None and choice.recall.interval is not None:
            precision, recall, f1 = choice.precision.value, choice.recall.value, choice.f1.value
            ends = choice.precision.interval, choice.recall.interval
        return UsedThreshold(
            method=bench.run.method,
            kind=bench.kind,
            value=threshold,
            run=bench.run.id,
            labels=bench.chosen.label_set,
            labelled=bench.curve.total,
            precision=precision,
            recall=recall,
            f1=f1,
            precision_interval=ends[0],
            recall_interval=ends[1],
            corrected=corrected,
            who=self.context.settings.reviewer,
        )

    def withdraw(self) -> None:
        """Use no threshold any more."""
        bench, before = self.bench, self.shown.used
        if bench is None or before is None:
            return
        method, kind = bench.run.method, bench.kind
        self._change(_back_to(None, method, kind))
        self.context.history.push(
            tr("Use no threshold"),
            lambda: self._change(_to(before)),
            lambda: self._change(_back_to(None, method, kind)),
        )

    def _change(self, change: Callable[[Session], object]) -> None:
        self.context.change(change, None)
        self.context.announce({"measures"})

    def follow(self, kinds: frozenset[str]) -> None:
        """Show what changed; a threshold alone needs no reading of scores."""
        bench = self.bench
        if kinds == {"measures"} and bench is not None:
            if self.mode == "sheets":
                self.sheets.read()
            self.context.background(
                lambda session: used_threshold(session, bench.run.method, bench.kind), self._used_read, owner=self
            )
        elif kinds <= {"runs", "matches"} and "sweep" in vars(self) and self.sweep.is_running():
            # Each point of a sweep is announced; what is measured has not changed.
            self.sweep.read()
        else:
            self.load()

    def _used_read(self, used: UsedThreshold | None) -> None:
        ground, drawn, rows = self.shown.ground, self.shown.drawn, self.shown.labels
        self.shown = Shown(ground, drawn, rows, used)
        self._show_used()
        self.context.actions.refresh()

    # -- opening and labelling

    def _open_item(self, item: int) -> None:
        bench = self.bench
        if bench is not None and 0 <= item < len(bench):
            b = int(bench.b[item])
            self.context.open_review(bench.run.id, int(bench.a[item]), b or None)

    def open_in_review(self) -> None:
        """Show the chosen item in Review."""
        self._open_item(self.curves.items.first())

    def label_list(self) -> None:
        """Label the selected items of the list, or all of them."""
        bench = self.bench
        if bench is not None:
            self._label(self.curves.items.title.text(), tuple(bench.target(item) for item in self.curves.items.rows()))

    def label_next(self) -> None:
        """Label what narrows the interval at the threshold most."""
        if self.advice.next is not None and self.advice.next.targets:
            self._label(tr("Most informative for the threshold"), self.advice.next.targets)

    def label_here(self) -> None:
        """Go to Label."""
        self.context.show_view("label")

    def _label(self, name: str, targets: tuple[str, ...]) -> None:
        bench = self.bench
        if bench is not None and targets:
            self.context.open_label(NamedOrder(name, targets), bench.chosen.label_set)

    def import_labels(self) -> None:
        """Ask for a file of labels and import it as a job."""
        project = self.context.project
        if project is None:
            return
        filters = [tr("Labels (*.jsonl *.csv)"), tr("All files (*)")]
        file = open_file(self, tr("Import labels"), Path.home(), filters)
        if file is not None:
            title = tr("Import labels from {name}", name=file.name)
            self.context.jobs.submit(title, import_labels, project, file, after=self._imported)

    def _imported(self, record: JobRecord) -> None:
        result = record.result
        if not isinstance(result, LabelResult):
            self.context.say_job_ended(record)
            return
        words = trn("{count} label imported", "{count} labels imported", result.imported)
        parts = [words, tr("{count} unchanged", count=f"{result.unchanged:,}")]
        if result.failed:
            first = result.failed[0]
            parts.append(
                tr("{count} rows refused, the first: {reason}", count=f"{len(result.failed):,}", reason=_why(first))
            )
        self.context.say(" · ".join(parts), "warn" if result.failed else "ok")

    # -- session

    def save_state(self) -> dict[str, Any]:
        """Run, question, axis, threshold."""
        state: dict[str, Any] = {"labels": self.question.labels, "positive": list(self.question.positive)}
        state |= {"mode": self.mode}
        state |= {"complete": self.question.complete, "axis": self.curves.axis}
        if self.shown.ground.run is not None:
            state |= {"run": self.shown.ground.run.id}
            if self.has_curve():
                state |= {"threshold": self.curves.threshold}
        return state

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Take up where the user was."""
        match state:
            case {"labels": str(name), "positive": [*values], "complete": bool(complete)}:
                self.question = Question(name, tuple(v for v in values if isinstance(v, str)), complete)
        if isinstance(state.get("run"), int) and self._wanted is None:
            self._wanted = state["run"]
        if isinstance(state.get("threshold"), int | float):
            self._wanted_threshold = float(state["threshold"])
        if isinstance(state.get("mode"), str):
            self.set_mode(state["mode"])
        if state.get("axis") in ("", "linear", "log", "quantile"):
            self.curves.set_axis(state["axis"])

    def key_hints(self) -> list[tuple[str, str]]:
        """Keys for the status strip."""
        return [
            ("evaluate.pr", tr("curves")),
            ("evaluate.list", tr("list")),
            ("evaluate.use", tr("use here")),
            ("evaluate.label-next", tr("label next")),
            ("window.palette", tr("all actions")),
        ]

    def first_focus(self) -> QWidget | None:
        """The chart that the threshold is easiest to move in."""
        if self.has_curve():
            return self.curves.f if self.mode == "curves" else self.chips[self.mode]
        return None if self._empty is None else self._empty.findChild(QPushButton)


def _to(used: UsedThreshold) -> Callable[[Session], object]:
    return lambda session: use_threshold(session, used)


def _back_to(used: UsedThreshold | None, method: str, kind: TargetKind) -> Callable[[Session], object]:
    if used is not None:
        return _to(used)
    return lambda session: withdraw_threshold(session, method, kind)


def _why(failure: Failure) -> str:
    return f"{failure.path}: {say(failure.error)}"
