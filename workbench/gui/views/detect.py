"""Detect: choose a method, set it, see what it will cost, run it; every run so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QComboBox, QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from workbench.base.types import Run, RunState
from workbench.gui.actions import Action
from workbench.gui.context import AppContext
from workbench.gui.forms import ParameterForm
from workbench.gui.i18n import tr, trn
from workbench.gui.models import reads
from workbench.gui.models.jobs import JobRecord
from workbench.gui.parts import button, caption, column, heading, icon_button, label, line, panel, row
from workbench.gui.progress import duration
from workbench.gui.theme import fonts
from workbench.gui.tips import give_tips
from workbench.gui.views.base import View
from workbench.gui.views.running import RunningPanel
from workbench.gui.views.runs_pane import RunsPane, found_sentence, found_something
from workbench.methods import registry
from workbench.services.detecting import Estimate, detect

ESTIMATE_MS = 200
"""Milliseconds after the last edit before the cost is worked out again."""


class DetectView(View):
    """Method and form on the left; work and runs on the right."""

    view_id: ClassVar[str] = "detect"
    icon: ClassVar[str] = "detect"
    kinds: ClassVar[frozenset[str]] = frozenset({"documents", "runs", "matches"})

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.methods = QComboBox()
        self.summary = label("", 13, role="muted", wrap=True)
        self.source = label("", 12, role="faint", wrap=True)
        self.form = ParameterForm(registry.get(registry.names()[0]).parameters, context.theme)
        self.area = QScrollArea()
        self.cost = label("", 13, role="muted", wrap=True, tabular=True)
        self.start_button = icon_button(
            context.theme, tr("Start"), "play", lambda: context.actions.run("detect.start"), "primary"
        )
        self._nothing = False
        self._reset = button(tr("Reset all"), lambda: self.form.reset(), kind="link")
        self.running = RunningPanel(context)
        self.runs = RunsPane(context, self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(ESTIMATE_MS)
        self._later.timeout.connect(self._estimate)
        self._build()
        self.methods.currentIndexChanged.connect(lambda _index: self._show_method())
        context.actions.add(*self._actions())
        give_tips(context.actions, self.runs.buttons | {"detect.start": self.start_button})
        self._show_method()

    @staticmethod
    def name() -> str:
        """In the rail."""
        return tr("Detect")

    def _build(self) -> None:
        frame, layout = panel()
        frame.setMinimumWidth(340)
        self.methods.setAccessibleName(tr("Method"))
        self.methods.setFont(fonts.font(14, fonts.MEDIUM))
        for name in registry.names():
            self.methods.addItem(name, name)
        head = column(
            heading(tr("New detection")),
            caption(tr("Method")),
            self.methods,
            self.summary,
            self.source,
            margins=(16, 12, 16, 12),
            spacing=6,
        )
        layout.addLayout(head)
        layout.addWidget(line())
        tools = row(
            caption(tr("Parameters")),
            None,
            button(tr("The paper's values"), lambda: self.form.paper(), kind="link"),
            self._reset,
            margins=(16, 6, 8, 2),
            spacing=2,
        )
        layout.addLayout(tools)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout.addWidget(self.area, 1)
        layout.addWidget(line())
        foot = row(self.cost, self.start_button, margins=(16, 10, 12, 12), spacing=12)
        foot.setStretch(0, 1)
        layout.addLayout(foot)
        right = QWidget()
        beside = QVBoxLayout(right)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(10)
        beside.addWidget(self.running)
        beside.addWidget(self.runs, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(10)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(frame)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([410, 900])
        self.setLayout(column(self.splitter, margins=(10, 0, 10, 0)))

    def _actions(self) -> list[Action]:
        def runnable() -> bool:
            return self.context.session is not None and self.form.values() is not None and self.running.record is None

        def one() -> bool:
            return self.runs.chosen() is not None

        def openable() -> bool:
            run = self.runs.chosen()
            return run is not None and found_something(run)

        def resumable() -> bool:
            run = self.runs.chosen()
            stopped = (RunState.INTERRUPTED, RunState.CANCELLED, RunState.FAILED)
            return run is not None and run.state in stopped and self.running.record is None

        view = self.view_id
        return [
            Action(
                "detect.start",
                tr("Start detection"),
                self.start,
                "Ctrl+Return",
                "detect",
                view,
                "play",
                runnable,
                tr("A detection is running, or a value is to be corrected."),
            ),
            Action(
                "detect.cancel",
                tr("Cancel detection"),
                self.running.cancel,
                "Ctrl+.",
                "detect",
                view,
                "stop",
                lambda: self.running.record is not None,
            ),
            Action(
                "detect.review",
                tr("Open the run in Review"),
                self.runs.open_chosen,
                "",
                "detect",
                view,
                "review",
                openable,
                tr("Choose a run that found something."),
            ),
            Action(
                "detect.again",
                tr("Use the run's settings again"),
                self.runs.use_chosen,
                "",
                "detect",
                view,
                "retry",
                one,
                tr("Choose one run."),
            ),
            Action(
                "detect.resume",
                tr("Resume the run"),
                self.runs.resume_chosen,
                "",
                "detect",
                view,
                "play",
                resumable,
                tr("Choose a run that was interrupted or cancelled, or that failed."),
            ),
            Action(
                "detect.compare",
                tr("Compare two runs…"),
                self.runs.compare_chosen,
                "",
                "detect",
                view,
                "compare",
                lambda: len(self.runs.table.chosen_keys()) == 2,
                tr("Choose two runs: click the second with Ctrl held down."),
            ),
        ]

    def _show_method(self) -> None:
        method = registry.get(self.methods.currentData())
        self.summary.setText(tr(method.summary))
        self.source.setText(method.source)
        self.form = ParameterForm(method.parameters, self.context.theme)
        self.area.setWidget(self.form)
        self.form.changed.connect(self._edited)
        before: QWidget = self._reset
        for made in self.form.rows.values():
            for control in (made.editor, made.reset_button):
                self.setTabOrder(before, control)
                before = control
        self._edited()

    def _edited(self) -> None:
        valid = self.form.values() is not None
        self.start_button.setEnabled(valid and self.running.record is None)
        if not valid:
            self.cost.setText(tr("Correct the marked values first."))
        self._later.start()
        self.context.actions.refresh()

    def _estimate(self) -> None:
        values = self.form.values()
        if values is not None and self.context.session is not None:
            self.context.background(reads.cost(self.methods.currentData(), values), self._show_cost)

    def _show_cost(self, cost: Estimate) -> None:
        self._nothing = not cost.documents or not cost.sources
        if self._nothing:
            self.cost.setText(
                tr("There is nothing to compare yet: import documents to examine and their possible sources.")
            )
            return
        words = [
            trn("{count} document", "{count} documents", cost.documents)
            + " × "
            + trn("{count} source", "{count} sources", cost.sources),
            trn("{count} pair", "{count} pairs", cost.pairs),
        ]
        if cost.seconds is not None:
            words.append(tr("about {time}", time=duration(max(1.0, cost.seconds))))
        else:
            words.append(tr("time unknown before the first run"))
        self.cost.setText(" · ".join(words))

    def load(self) -> None:
        """Read the runs, work out the cost."""
        self.set_ready(False)
        if self.context.session is None:
            self.runs.show_runs([])
            return
        self.context.background(reads.all_runs, self._show_runs)
        self._estimate()

    def _show_runs(self, runs: list[Run]) -> None:
        self.runs.show_runs(runs)
        self.set_ready()

    def start(self) -> None:
        """Run the method with the form's values."""
        values = self.form.values()
        if self._nothing:
            self.context.offer(self.cost.text(), tr("Import files…"), self._import)
        elif values is not None:
            self.submit(self.methods.currentData(), values)

    def _import(self) -> None:
        self.context.show_view("documents")
        self.context.actions.run("documents.import")

    def submit(self, method: str, parameters: Mapping[str, Any], *, resume: bool = False) -> None:
        """Run ``method`` as a job."""
        project = self.context.project
        if project is None:
            return
        title = tr("Resume {method}", method=method) if resume else tr("Detect with {method}", method=method)
        record = self.context.jobs.submit(
            title, detect, project, method, dict(parameters), resume=resume, after=self._finished
        )
        self.running.follow(record)
        self.start_button.setEnabled(False)
        self.context.actions.refresh()

    def use(self, run: Run) -> None:
        """Put a run's settings into the form."""
        number = self.methods.findData(run.method)
        if number < 0:
            self.context.say(tr("This version has no method {method}.", method=run.method), "warn")
            return
        self.methods.setCurrentIndex(number)
        self.form.set_values(run.parameters)

    def _finished(self, record: JobRecord) -> None:
        self.running.follow(None)
        self._edited()
        self.context.actions.refresh()
        if isinstance(record.result, Run):
            run = record.result
            self.runs.select(run.id)
            self.context.say(found_sentence(run), "ok")
        elif record.state == "cancelled":
            self.context.say(tr("The detection was cancelled; what was finished is kept and can be resumed."), "warn")
        elif record.report:
            self.context.bug.emit(record.error, record.report)
        elif record.error:
            self.context.say(record.error, "danger")

    def key_hints(self) -> list[tuple[str, str]]:
        """In the status strip."""
        return [("detect.start", tr("start")), ("detect.cancel", tr("cancel")), ("window.palette", tr("all actions"))]

    def save_state(self) -> dict[str, Any]:
        """Method, values and the chosen run."""
        return {
            "method": self.methods.currentData(),
            "values": {name: made.raw() for name, made in self.form.rows.items()},
            "runs": self.runs.table.chosen_keys(),
            "sizes": self.splitter.sizes(),
        }

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Take it up again."""
        number = self.methods.findData(state.get("method"))
        if number >= 0:
            self.methods.setCurrentIndex(number)
        values = state.get("values")
        if isinstance(values, dict):
            self.form.set_values(values)
        match state.get("sizes"):
            case [int(left), int(right)] if left > 0 and right > 0:
                self.splitter.setSizes([left, right])
        for run in state.get("runs", []):
            if isinstance(run, int):
                self.runs.select(run)

    def first_focus(self) -> QWidget | None:
        """The method."""
        return self.methods
