"""Detect: choose a question or a method, configure it, see its cost, run it; and all previous runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, cast

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QLineEdit,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from workbench.base.types import Run, RunState
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.engines import Asking
from workbench.gui.kit.forms import ParameterForm
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.progress import JobPanel, duration
from workbench.gui.kit.runs import has_results, result_sentence
from workbench.gui.kit.tag_chooser import complete
from workbench.gui.kit.tasks import TaskRunner
from workbench.gui.kit.tips import give_tips
from workbench.gui.kit.widgets import ChoiceBox, button, caption, column, heading, icon_button, label, line, panel, row
from workbench.gui.screens.detect import SCREEN
from workbench.gui.screens.detect.runs_pane import RunsPane
from workbench.gui.screens.detect.scaling import Scaling
from workbench.gui.theme import fonts
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.gui.workspace.screen import Screen, View
from workbench.methods.core import registry
from workbench.services import queries
from workbench.services.detecting.runs import Estimate, detect
from workbench.services.engines.task import Search
from workbench.services.scanning.running import is_of_scan
from workbench.services.scanning.task import Scan
from workbench.services.scanning.task import resume as resume_scan
from workbench.services.tagging import tags

_NARROWEST = 300
"""Width of the text about a method in the narrowest column, logical pixels."""
_SCOPE = ("suspect_tags", "source_tags")
"""Settings that select documents by their tags, shown with the main settings if there are tags."""
ESTIMATE_MS = 200
"""Milliseconds after the last edit before the cost is estimated again."""


class DetectView(View):
    """Question or method and form on the left; progress and runs on the right."""

    declaration: ClassVar[Screen] = SCREEN
    kinds: ClassVar[frozenset[str]] = frozenset({"documents", "runs", "matches"})

    def build(self) -> Iterator[None]:
        context = self.context
        self.methods = ChoiceBox()
        """The questions, or the methods by name if ``expert`` is checked; the data is the method's name."""
        self.expert = QCheckBox(tr("Methods by name"))
        self._question = caption("")
        self.more = button("", lambda: self._fold(not self._folded), kind="link")
        self._folded = True
        """Whether only a question's main settings are shown."""
        self.summary = label("", 13, role="muted", wrap=True)
        self.source = label("", 12, role="faint", wrap=True)
        self.form = ParameterForm(registry.get(registry.names()[0]).parameters, context.theme)
        yield
        self.area = QScrollArea()
        self.cost = label("", 13, role="muted", wrap=True, tabular=True)
        self.start_button = icon_button(
            context.theme, tr("Start"), "play", lambda: context.actions.run("detect.start"), "primary"
        )
        self._nothing = False
        self._tags: tuple[str, ...] = ()
        self._resumed: Run | None = None
        """The run the current detection is resuming."""
        self._paper = button(tr("The paper's values"), lambda: self.form.paper(), kind="link")
        self._reset = button(tr("Reset all"), lambda: self.form.reset(), kind="link")
        yield
        self.running = JobPanel(context, tr("Progress of the detection"))
        yield
        self.runs = RunsPane(context)
        yield
        self.scaling = Scaling(context, self)
        self.scale_button = button(
            tr("A collection too big for a project…"), lambda: context.actions.run("detect.scale"), kind="link"
        )
        self.scanning = TaskRunner(context, self, Scan, self._follow)
        self.scan_button = button(tr("Search web archives…"), lambda: context.actions.run("detect.scan"), kind="link")
        self.asking = Asking(context, self, Search, self._follow)
        self.engine_button = button(
            tr("Ask a search engine…"), lambda: context.actions.run("detect.engine"), kind="link"
        )
        self.runs.use_asked.connect(self.use)
        self.runs.resume_asked.connect(self.resume)
        self._later = after_pause(self._estimate, ESTIMATE_MS, self)
        yield
        self._build()
        yield
        self._list("")
        self.expert.toggled.connect(self._switch)
        self.methods.currentIndexChanged.connect(lambda _index: self._show_method())
        context.actions.add(*self._actions())
        others = {"detect.scale": self.scale_button, "detect.scan": self.scan_button}
        others["detect.engine"] = self.engine_button
        yield
        give_tips(context.actions, self.runs.buttons | {"detect.start": self.start_button} | others)
        yield
        self._show_method()
        self._follow(self.context.jobs.inherit(self))
        self.scanning.inherit()
        self.asking.inherit()

    def _build(self) -> None:
        frame, layout = panel()
        frame.setMinimumWidth(_NARROWEST + 40)
        self.methods.setFont(fonts.font(14, fonts.MEDIUM))
        head = column(
            row(heading(tr("New detection")), None, self.expert),
            self._question,
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
            self._paper,
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
        layout.addLayout(row(self.more, None, self.scale_button, margins=(8, 0, 8, 0)))
        layout.addLayout(row(self.scan_button, None, self.engine_button, margins=(8, 0, 8, 4)))
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
            return run is not None and has_results(run)

        def resumable() -> bool:
            run = self.runs.chosen()
            return run is not None and run.state.resumable and self.running.record is None

        return [
            self.make_action(
                "start",
                tr("Start detection"),
                self.start,
                "Ctrl+Return",
                "play",
                enabled=runnable,
                needs=tr("Wait for the running detection, or correct the marked value."),
            ),
            self.make_action(
                "cancel",
                tr("Cancel detection"),
                self.running.cancel,
                "Ctrl+.",
                "stop",
                enabled=lambda: self.running.record is not None,
                needs=tr("This window is not running a detection."),
            ),
            self.make_action(
                "review",
                tr("Open the run in Review"),
                self.runs.open_chosen,
                "",
                "review",
                enabled=openable,
                needs=tr("Select a run that found something."),
            ),
            self.make_action(
                "again",
                tr("Use the run's settings again"),
                self.runs.use_chosen,
                "",
                "retry",
                enabled=one,
                needs=tr("Select one run."),
            ),
            self.make_action(
                "resume",
                tr("Resume the run"),
                self.runs.resume_chosen,
                "",
                "play",
                enabled=resumable,
                needs=tr("Select a run that was interrupted or cancelled, or that failed."),
            ),
            self.make_action(
                "compare",
                tr("Compare two runs…"),
                self.runs.compare_chosen,
                "",
                "compare",
                enabled=lambda: len(self.runs.table.chosen_keys()) == 2,
                needs=tr("Select two runs: Ctrl+click the second."),
            ),
            self.make_action(
                "remove",
                tr("Remove the selected runs"),
                self.runs.remove_chosen,
                "",
                "trash",
                enabled=self.runs.removable,
                needs=tr("Select runs that are not running."),
            ),
            self.make_action(
                "scale",
                tr("A collection too big for a project…"),
                self._scale,
                "",
                "layers",
                enabled=lambda: self.context.session is not None,
                needs=tr("Open a project first: the findings are stored in it."),
            ),
            self.make_action(
                "scan",
                tr("Search web archives…"),
                self._scan,
                "",
                "search",
                enabled=lambda: self.context.session is not None and self.running.record is None,
                needs=tr("Open a project first, and wait for the detection that is running."),
            ),
            self.make_action(
                "engine",
                tr("Ask a search engine…"),
                lambda: self.asking.ask(method=self.methods.currentData(), parameters=self.form.values() or {}),
                "",
                "search",
                enabled=lambda: self.context.session is not None and self.running.record is None,
                needs=tr("Open a project first, and wait for the detection that is running."),
            ),
        ]

    def _list(self, method: str) -> None:
        """List questions or methods, and select ``method``, or the first one if it is not listed."""
        by_name = self.expert.isChecked()
        self._question.setText(tr("Method") if by_name else tr("Question"))
        self.methods.setAccessibleName(self._question.text())
        records = registry.facts()
        questions = [(say(facts.question.words), name) for name, facts in records.items() if facts.question]
        listed = [(name, name) for name in records] if by_name else questions
        with QSignalBlocker(self.methods):
            self.methods.clear()
            for words, name in listed:
                self.methods.addItem(words, name)
            self.methods.setCurrentIndex(max(0, self.methods.findData(method)))

    def _switch(self) -> None:
        """Switch between questions and methods; settings are kept if the method does not change."""
        method, values = self.methods.currentData(), {name: entry.raw() for name, entry in self.form.rows.items()}
        self._list(method)
        self._show_method()
        if self.methods.currentData() == method:
            self.form.set_values(values)

    def choose(self, method: str) -> bool:
        """Select ``method``, in the list of methods if it answers no question. Returns whether it exists."""
        if method not in registry.names():
            return False
        if self.methods.findData(method) < 0:
            self.expert.setChecked(True)
        self.methods.setCurrentIndex(self.methods.findData(method))
        return True

    def _show_method(self) -> None:
        method = registry.get(self.methods.currentData())
        question = None if self.expert.isChecked() else method.facts.question
        if question is None:
            self.summary.setText(tr(method.summary))
            self.source.setText(method.source)
        else:
            limits = tr("Does not find: {limits}", limits=say(method.facts.cannot_see))
            self.summary.setText(f"{say(question.finds)}\n{limits}")
            self.source.setText(tr("Method: {method}", method=method.name))
        # The layout of the column gives multi-line texts too little height.
        for words in (self.summary, self.source):
            words.setMinimumHeight(words.heightForWidth(max(_NARROWEST, words.width())))
        self.form = ParameterForm(method.parameters, self.context.theme)
        self._paper.setVisible(method.parameters.has_paper())
        self.area.setWidget(self.form)
        self.form.changed.connect(self._edited)
        main = (*question.settings, *_SCOPE) if question else ()
        # The main settings come first; sorting is stable for the others.
        ordered = sorted(self.form.rows.items(), key=lambda r: main.index(r[0]) if r[0] in main else len(main))
        beneath = cast("QVBoxLayout", self.form.layout())
        before: QWidget = self._reset
        for place, (_, entry) in enumerate(ordered):
            beneath.removeWidget(entry)
            beneath.insertWidget(place, entry)
            for control in (entry.editor, entry.reset_button):
                self.setTabOrder(before, control)
                before = control
        self.setTabOrder(before, self.more)
        self._offer_tags()
        self._fold(question is not None)
        self._edited()

    def _fold(self, folded: bool) -> None:
        """Show all settings, or only the question's main ones and those that differ from their defaults."""
        question = None if self.expert.isChecked() else registry.get(self.methods.currentData()).facts.question
        self._folded = folded and question is not None
        main = (*question.settings, *(_SCOPE if self._tags else ())) if question else ()
        others = 0
        for name, entry in self.form.rows.items():
            other = name not in main and not entry.reset_button.isEnabled()
            others += other
            entry.setVisible(not (self._folded and other))
        self.more.setVisible(question is not None)
        self.more.setText(
            trn("{count} more setting", "{count} more settings", others) if self._folded else tr("Fewer settings")
        )

    def _edited(self) -> None:
        valid = self.form.values() is not None
        self.start_button.setEnabled(valid and self.running.record is None)
        if not valid:
            self.context.newest(self, "cost")
            self.cost.setText(tr("Correct the marked values first."))
        self._later.start()
        self.context.actions.refresh()

    def _estimate(self) -> None:
        values = self.form.values()
        if values is not None and self.context.session is not None:
            self.context.latest(self, "cost", queries.cost(self.methods.currentData(), values), self._show_cost)

    def _show_cost(self, cost: Estimate) -> None:
        self._nothing = not cost.documents or not cost.sources
        if self._nothing:
            self.cost.setText(
                tr("No document has the chosen tags.")
                if self._by_tags()
                else tr("There is nothing to compare yet: import documents to examine and their possible sources.")
            )
            return
        examined = trn("{count} document", "{count} documents", cost.documents)
        if cost.among:
            compared = tr("{documents} with each other", documents=examined)
        elif cost.only_sources:
            compared = f"{examined} × {trn('{count} source', '{count} sources', cost.sources)}"
        else:
            compared = f"{examined} × {trn('{count} document', '{count} documents', cost.sources)}"
        words = [compared, trn("{count} pair", "{count} pairs", cost.pairs)]
        if cost.seconds is not None:
            words.append(tr("about {time}", time=duration(max(1.0, cost.seconds))))
        else:
            words.append(tr("time unknown before the first run"))
        self.cost.setText(" · ".join(words))

    def load(self) -> None:
        """Read the runs and estimate the cost."""
        self.set_ready(False)
        if self.context.session is None:
            self.runs.show_runs([])
            return
        self.context.latest(self, "runs", queries.runs_newest_first, self._show_runs)
        self.context.latest(self, "tags", tags, self._show_tags)
        self._estimate()

    def _show_tags(self, counts: Mapping[str, int]) -> None:
        if tuple(counts) != self._tags:
            self._tags = tuple(counts)
            self._offer_tags()
            self._fold(self._folded)

    def _offer_tags(self) -> None:
        """Offer the project's tags while the user types settings that select by tag."""
        for name in _SCOPE:
            editor = self.form.rows[name].editor
            if isinstance(editor, QLineEdit):
                complete(editor, self._tags)

    def _show_runs(self, runs: list[Run]) -> None:
        self.runs.show_runs(runs)
        self.set_ready()

    def _by_tags(self) -> bool:
        """Whether the settings select documents by their tags."""
        return any(self.form.rows[name].raw() for name in _SCOPE)

    def start(self) -> None:
        """Run the method with the form's values."""
        values = self.form.values()
        if self._nothing and self._by_tags():
            self.context.say(self.cost.text(), "warn")
        elif self._nothing:
            self.context.offer(self.cost.text(), tr("Import files…"), self._import)
        elif values is not None:
            self.submit(self.methods.currentData(), values)

    def _scale(self) -> None:
        """Ask about a big collection; the form's settings apply to the form's method."""
        self.scaling.ask(self.methods.currentData(), self.form.values() or {})

    def _scan(self) -> None:
        """Ask about web archives; the form's settings apply to the form's method."""
        self.scanning.ask(method=self.methods.currentData(), parameters=self.form.values() or {})

    def _follow(self, record: JobRecord | None) -> None:
        self.running.follow(record)
        self._edited()

    def _import(self) -> None:
        self.context.show_view("documents")
        self.context.actions.run("documents.import")

    def resume(self, run: Run) -> None:
        """Resume a run that stopped early, or do a finished one again for documents that it does not cover; if a
        detection is running, show that instead.
        """
        if self.running.record is not None:
            self.context.say(tr("A detection is running. Resume the run when it has finished."), "warn")
            return

        def known(of_scan: bool) -> None:
            if of_scan:
                self.scanning.submit(tr("Resume {method}", method=tr("web archives")), resume_scan, run.id)
            else:
                self.submit(run.method, run.parameters, resumed=run)

        self.context.background(lambda session: is_of_scan(session, run.id), known)

    def submit(self, method: str, parameters: Mapping[str, Any], *, resumed: Run | None = None) -> None:
        """Run ``method`` as a job, continuing the run ``resumed``, which may be finished."""
        project = self.context.project
        if project is None:
            return
        self._resumed = resumed
        if others := self.context.jobs.active():
            self.context.say(
                tr(
                    "“{title}” is still running: documents it adds from now on are not part of this detection.",
                    title=others[0].title,
                )
            )
        title = tr("Detect with {method}", method=method)
        if resumed is not None and resumed.state is not RunState.DONE:
            title = tr("Resume {method}", method=method)
        record = self.context.jobs.submit(
            title, detect, project, method, dict(parameters), resume=resumed is not None, after=self._finished
        )
        self.running.follow(record)
        self.start_button.setEnabled(False)
        self.context.actions.refresh()

    def use(self, run: Run) -> None:
        """Fill in the settings of a run."""
        if not self.choose(run.method):
            self.context.say(tr("This version has no method {method}.", method=run.method), "warn")
            return
        self.form.set_values(run.parameters)
        self._fold(self._folded)

    def _finished(self, record: JobRecord) -> None:
        self.running.follow(None)
        self._edited()
        self.context.actions.refresh()
        if isinstance(record.result, Run):
            run, resumed = record.result, self._resumed
            self.runs.select(run.id)
            sentence = result_sentence(run)
            is_continued = resumed is not None and resumed.state is RunState.DONE
            if resumed is not None and resumed.id != run.id and not is_continued:
                other = tr(
                    "Run {run} was not resumed: its texts have changed since, or a later run has the same settings.",
                    run=resumed.id,
                )
                sentence = f"{other} {sentence}"
            if is_continued and has_results(run):
                self.context.offer(sentence, tr("Open in Review"), partial(self.context.open_review, run.id, 0))
            else:
                self.context.say(sentence, "ok")
        else:
            self.context.say_job_ended(
                record, tr("The detection was cancelled; finished parts are kept, and it can be resumed.")
            )

    def key_hints(self) -> list[tuple[str, str]]:
        return [("detect.start", tr("start")), ("detect.cancel", tr("cancel")), ("window.palette", tr("all actions"))]

    def save_state(self) -> dict[str, Any]:
        return {
            "method": self.methods.currentData(),
            "expert": self.expert.isChecked(),
            "values": {name: entry.raw() for name, entry in self.form.rows.items()},
            "runs": self.runs.table.chosen_keys(),
            "sizes": self.splitter.sizes(),
            "scale": self.scaling.usual,
            "scan": self.scanning.usual,
            "engine": self.asking.usual,
        }

    def restore_state(self, state: Mapping[str, Any]) -> None:
        self.expert.setChecked(state.get("expert") is True)
        chosen = self.choose(str(state.get("method")))
        values = state.get("values")
        if chosen and isinstance(values, dict):
            self.form.set_values(values)
            self._fold(self._folded)
        match state.get("sizes"):
            case [int(left), int(right)] if left > 0 and right > 0:
                self.splitter.setSizes([left, right])
        if isinstance(usual := state.get("scale"), dict):
            self.scaling.usual = usual
        if isinstance(usual := state.get("scan"), dict):
            self.scanning.usual = usual
        if isinstance(usual := state.get("engine"), dict):
            self.asking.usual = usual
        for run in state.get("runs", []):
            if isinstance(run, int):
                self.runs.select(run)

    def first_focus(self) -> QWidget | None:
        return self.methods
