"""The Evaluate screen: a run, labels, and several views of their agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from PySide6.QtWidgets import QPushButton, QSplitter, QVBoxLayout, QWidget

from workbench.base.messages import rate, threshold_words
from workbench.evaluation.choosing import Choice
from workbench.gui.i18n import say, tr
from workbench.gui.judging.label_import import LabelImporter
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.tasks import TaskRunner
from workbench.gui.kit.widgets import EmptyState, button
from workbench.gui.screens.evaluate import SCREEN
from workbench.gui.screens.evaluate.advice_panel import AdvicePanel
from workbench.gui.screens.evaluate.curves_page import CurvesPage
from workbench.gui.screens.evaluate.head import Head
from workbench.gui.screens.evaluate.pages import CURVES, MODES, SHEETS, SWEEP, EvaluatePages, page_titles
from workbench.gui.screens.evaluate.screen_data import ScreenData, read_choices, read_shown
from workbench.gui.screens.evaluate.words import left_out_words
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import Command, Screen, View
from workbench.services.labels.queue import NamedOrder
from workbench.services.labels.sets import DEFAULT_SETS, UnclearMeaning
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.label_selection import Question, fitting_kinds
from workbench.services.measuring.learning import Learn, label_next
from workbench.services.measuring.own_scores import ImportScores
from workbench.services.measuring.scored_run import EvaluationInput, ScoredRun
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold, used_threshold, withdraw_threshold
from workbench.services.session import Session

VIEW = "evaluate"


def empty_state(context: AppContext, inputs: EvaluationInput, choose_value: Callable[[], object]) -> EmptyState:
    """The next step towards a curve: documents, a run, labels of both kinds, and a positive value.

    ``choose_value`` lets the user choose that value.
    """
    theme, run = context.theme, context.actions.run
    if not inputs.documents:
        documents = button(tr("Go to Documents"), lambda: context.show_view("documents"), kind="primary")
        sentence = tr("Import the texts to examine; the label field of a row becomes its label.")
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, documents)
    if inputs.run is None:
        detect = button(tr("Go to Detect"), lambda: context.show_view("detect"), kind="primary")
        sentence = tr("Run a method over the documents: its scores are measured against labels.")
        own = button(tr("Import scores…"), lambda: run("evaluate.import-scores"))
        return EmptyState(theme, "detect", tr("Nothing has been detected yet"), sentence, detect, own)
    if isinstance(inputs.problem, UnclearMeaning):
        choose = button(tr("Choose the value…"), choose_value, kind="primary")
        sentence = tr(
            "Precision and recall are about one kind of label. Choose the values of {set} that count as positive.",
            set=inputs.question.labels,
        )
        return EmptyState(theme, "evaluate", tr("Which label are you looking for?"), sentence, choose)
    bring = button(tr("Import labels…"), lambda: run("evaluate.import-labels"), kind="primary")
    label = button(tr("Label here"), lambda: run("evaluate.label-here"))
    scored = inputs.scored
    problem = inputs.problem.sentence if inputs.problem is not None else scored.problem if scored is not None else ""
    if inputs.sources and problem:
        title = tr("Run {number} cannot be measured yet", number=inputs.run.id)
        sentences = (say(problem), left_out_words(scored) if scored is not None else "")
        return EmptyState(theme, "evaluate", title, " ".join(filter(None, sentences)), label, bring)
    sentence = tr(
        "Precision and recall compare the scores of run {number} with labels. Import labels (JSONL or CSV), "
        "or label some documents here: start with ten of each kind.",
        number=inputs.run.id,
    )
    return EmptyState(theme, "evaluate", tr("No labels to measure against"), sentence, bring, label)


_ADVICE_MS = 350
"""Milliseconds after a drag before the next labels follow."""


class EvaluateView(View):
    """Measures one run against labels; ``load`` brings it up to date."""

    declaration: ClassVar[Screen] = SCREEN
    kinds: ClassVar[frozenset[str]] = frozenset({"runs", "matches", "documents", "labels", "measures"})

    def build(self) -> Iterator[None]:
        context = self.context
        self.question = Question()
        self.shown = ScreenData(EvaluationInput())
        self._wanted: int | None = None
        self._wanted_threshold: tuple[int, float] | None = None
        """The run and the threshold of the last session."""
        self.curves = CurvesPage(context)
        yield
        self.advice = AdvicePanel(context)
        yield
        self.head = Head(page_titles(), self.curves.bar.axis)
        self.body = QSplitter()
        self.pages = EvaluatePages(context, self.body)
        self.importer = LabelImporter(context, self)
        self.learning = TaskRunner(context, self, Learn, show=self.open)
        self.learning.inherit()
        self.scores = TaskRunner(context, self, ImportScores, show=self.open)
        self.scores.inherit()
        self.mode = CURVES
        self._empty: QWidget | None = None
        self._advice_timer = after_pause(self._advise, _ADVICE_MS, self)
        yield
        self._build()
        yield
        self._connect()
        context.actions.add(*self._commands())
        yield
        self.set_mode(CURVES)

    def _build(self) -> None:
        self.body.setHandleWidth(8)
        self.body.setChildrenCollapsible(False)
        self.body.addWidget(self.curves)
        self.body.addWidget(self.advice)
        self.body.setStretchFactor(0, 1)
        self.body.setSizes([980, 300])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 10)
        layout.setSpacing(6)
        layout.addWidget(self.head)
        layout.addWidget(self.pages, 1)

    def _connect(self) -> None:
        self.head.run_chosen.connect(self.open)
        self.head.question_changed.connect(self._ask)
        self.head.mode_chosen.connect(self.set_mode)
        self.head.learn.clicked.connect(self._learn)
        self.pages.opened.connect(self._open_curves)
        self.pages.swept.connect(self.load)
        self.curves.threshold_changed.connect(self._moved)
        self.curves.opened.connect(self._open_item)
        self.curves.items.chosen.connect(self.context.actions.refresh)
        self.advice.chosen.connect(self.curves.set_threshold)
        self.advice.rules_changed.connect(self._choose)

    def _commands(self) -> list[Action]:
        pages = page_commands(self.set_mode)
        sheets = pages[MODES.index(SHEETS)]
        on_curves: list[Command] = [
            *curve_commands(self.curves),
            ("use", tr("Use this threshold in the project"), self.use_here, "Ctrl+U", "check"),
            ("best", tr("Go to the best F"), self.go_to_best, "Ctrl+B", ""),
        ]
        measured: list[Command] = [
            # From another page, they would go to something hidden, or use a threshold that is not shown.
            *((key, title, partial(self._on_curves, act), keys, icon) for key, title, act, keys, icon in on_curves),
            ("label-next", tr("Label the most informative next"), self.label_next, "Ctrl+Shift+N", "label"),
            *(command for command in pages if command is not sheets),
            ("sweep", tr("Start the sweep"), self.start_sweep, "", "play"),
        ]
        drawn: list[Command] = [
            sheets,
            ("sheet", tr("Draw a sheet"), self.draw_sheet, "", "plus"),
            ("import-scores", tr("Import scores…"), self.scores.ask, "", "import"),
        ]
        listed: list[Command] = [
            ("review", tr("Open the item in Review"), self.open_in_review, "Ctrl+Return", "review"),
            ("label", tr("Label the items of the list"), self.label_list, "Ctrl+L", "label"),
        ]
        used: list[Command] = [("withdraw", tr("Use no threshold in the project"), self.withdraw, "", "reset")]
        run: list[Command] = [
            ("import-labels", tr("Import labels…"), self.import_labels, "Ctrl+Alt+L", "import"),
            ("label-set", tr("Choose the label set"), self.head.sets.setFocus, "Alt+7", ""),
            ("looked-for", tr("Choose the values to look for"), self.head.offer_values, "Alt+8", ""),
            ("label-here", tr("Label in the Label view"), self.label_here, "", "label"),
            ("learn", tr("Learn weights from labels…"), self._learn, "", "evaluate"),
        ]
        return [
            *self.make_actions(measured, self.has_curve, tr("Choose a run and labels that fit it.")),
            *self.make_actions(drawn, self.has_documents, tr("Import documents first.")),
            *self.make_actions(listed, self.has_item, tr("Select an item in the list first.")),
            *self.make_actions(used, self.has_used, tr("No threshold is in use here.")),
            *self.make_actions(sheet_commands(self.pages), self.has_sheet, tr("Select a sheet first.")),
            *self.make_actions(run, self.has_run, tr("Run a method first.")),
        ]

    # -- state

    @property
    def scored(self) -> ScoredRun | None:
        """The run with its labels; None if there is nothing to measure."""
        return self.shown.inputs.scored

    def has_documents(self) -> bool:
        """Whether there is anything to draw: many sheets require neither a run nor labels."""
        return self.shown.inputs.documents > 0

    def has_run(self) -> bool:
        """Whether there is a finished run."""
        return self.shown.inputs.run is not None

    def has_curve(self) -> bool:
        """Whether there is a curve."""
        return self.scored is not None and self.scored.curve is not None

    def has_item(self) -> bool:
        """Whether the list is shown and not empty."""
        return self.mode == CURVES and self.has_curve() and self.curves.items.first() >= 0

    def has_used(self) -> bool:
        """Whether the project has a threshold for the items shown."""
        return self.shown.used is not None

    def has_sheet(self) -> bool:
        """Whether a sheet is chosen."""
        return self.mode == SHEETS and self.pages.has_sheet()

    # -- modes

    def set_mode(self, mode: str) -> None:
        """Show the curves, the comparison of runs, subgroups, a sweep or sheets."""
        if mode not in MODES:
            return
        # Otherwise the keyboard would stay on the page that was left.
        if self.window().focusWidget() in self.head.chips.values():
            self.head.chips[mode].setFocus()
        self.mode = mode
        self.head.show_mode(mode)
        self._show_page()
        self.context.actions.refresh()
        self.placed.emit()

    def _on_curves(self, act: Callable[[], object]) -> None:
        """Show the page of the curves, then ``act`` on it."""
        if self.mode != CURVES:
            self.set_mode(CURVES)
        act()

    def _show_page(self) -> None:
        scored = self.scored
        self.curves.bar.axis.setVisible(self.mode == CURVES and self.has_curve())
        if scored is not None and scored.curve is not None:
            self.pages.show_page(self.mode, scored, self.shown.inputs, self.curves.threshold)
        elif self.mode == SHEETS and self.has_documents():
            self.pages.show_sheets(scored)
        elif self._empty is not None:
            self.pages.setCurrentWidget(self._empty)

    def start_sweep(self) -> None:
        """Sweep the chosen parameters."""
        self.set_mode(SWEEP)
        self.pages.sweep.begin()

    def draw_sheet(self) -> None:
        """Draw the chosen figure as a sheet."""
        self.set_mode(SHEETS)
        self.pages.sheets.draw()

    def _learn(self) -> None:
        question = self.shown.inputs.question
        self.learning.ask(labels=question.labels, positive=question.positive)

    def _open_curves(self, run_id: int) -> None:
        self.set_mode(CURVES)
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
        known = self.shown.inputs.run
        wanted = self._wanted if self._wanted is not None else None if known is None else known.id
        self.context.latest(self, "shown", read_shown(wanted, self.question), self._show)

    def _show(self, shown: ScreenData) -> None:
        before, self.shown, self._wanted = self.scored, shown, None
        inputs, scored = shown.inputs, shown.inputs.scored
        self.head.show_inputs(inputs)
        focused = self.window().focusWidget()
        if self._empty is not None and focused is not None and self._empty.isAncestorOf(focused):
            self.setFocus()  # The focused widget disappears, so the content gets the focus.
        if scored is None or scored.curve is None:
            self._show_empty(inputs)
            return
        self.question = scored.question
        self.curves.show_scored(scored, shown, self._first_threshold(before, scored))
        self._show_page()
        self._show_used()
        self._choose()
        self.context.actions.refresh()
        self.set_ready()

    def _first_threshold(self, before: ScoredRun | None, scored: ScoredRun) -> float:
        """The threshold requested or last shown for the same run, else the project's, else the one of the best F."""
        assert scored.curve is not None
        wanted, self._wanted_threshold = self._wanted_threshold, None
        if wanted is not None and wanted[0] == scored.run.id:
            return wanted[1]
        if before is not None and before.run.id == scored.run.id and before.kind is scored.kind:
            return self.curves.threshold
        used = self.shown.used
        return used.value if used is not None else float(scored.curve.threshold[scored.curve.best()])

    def _show_empty(self, inputs: EvaluationInput) -> None:
        self._empty = empty_state(self.context, inputs, self.head.offer_values)
        self.pages.show_empty(self._empty)
        self._show_page()
        self.context.actions.refresh()
        self.set_ready()

    # -- advice

    def _choose(self) -> None:
        scored = self.scored
        if scored is None:
            return
        self.advice.wait()

        def show(choices: object) -> None:
            if scored is self.scored:
                self.advice.show_choices(choices)  # type: ignore[arg-type]

        self.context.latest(self, "choices", read_choices(scored, tuple(self.advice.rules)), show)
        self._advise()

    def _moved(self, _threshold: float) -> None:
        self._show_used()
        self._advice_timer.start()

    def _advise(self) -> None:
        scored, threshold = self.scored, self.curves.threshold
        if scored is None or scored.curve is None:
            return

        def show(advice: object) -> None:
            if scored is self.scored and threshold == self.curves.threshold:
                self.advice.show_next(advice, scored)  # type: ignore[arg-type]

        self.context.latest(self, "advice", lambda _session: label_next(scored, threshold), show)

    def _show_used(self) -> None:
        used = self.shown.used
        self.curves.bar.show_used(used, here=used is not None and used.value == self.curves.threshold)
        self.advice.show_used(used)

    def go_to_best(self) -> None:
        """Go to the threshold of the best F."""
        scored = self.scored
        if scored is not None and scored.curve is not None:
            self.curves.set_threshold(float(scored.curve.threshold[scored.curve.best()]))

    # -- using a threshold

    def use_here(self) -> None:
        """Make the threshold the project's, for the items that the run's method scores."""
        scored, threshold = self.scored, self.curves.threshold
        if scored is not None and scored.curve is not None:
            if scored.curve.counts(threshold).precision is None:
                self.context.say(tr("No labelled item reaches this threshold; choose a lower one."), "warn")
                return
            choice = self.advice.estimate_at(threshold)
            used = threshold_of(scored, threshold, choice, self.context.settings.reviewer)
            use(self.context, used, self.shown.used)

    def withdraw(self) -> None:
        """Stop using a threshold."""
        if self.shown.used is not None:
            withdraw(self.context, self.shown.used)

    def follow(self, kinds: frozenset[str]) -> None:
        """Show changes; a threshold alone does not require reading scores."""
        scored = self.scored
        if kinds == {"measures"} and scored is not None:
            if self.mode == SHEETS:
                self.pages.sheets.read()
            self.context.latest(
                self, "used", lambda session: used_threshold(session, scored.run.method, scored.kind), self._used_read
            )
        elif kinds <= {"runs", "matches"} and self.pages.is_sweeping():
            # Every point of a sweep is announced, although the measured run has not changed.
            self.pages.sweep.read()
        else:
            self.load()

    def _used_read(self, used: UsedThreshold | None) -> None:
        inputs, drawn, rows = self.shown.inputs, self.shown.drawn, self.shown.labels
        self.shown = ScreenData(inputs, drawn, rows, used)
        self._show_used()
        self.context.actions.refresh()

    # -- opening and labelling

    def _open_item(self, item: int) -> None:
        scored = self.scored
        if scored is None or not 0 <= item < len(scored):
            return
        a, b = int(scored.a[item]), int(scored.b[item])
        if scored.kind is TargetKind.PASSAGE:
            a_start, a_end, b_start, b_end = scored.spans[item].tolist()
            self.context.open_passage(scored.run.id, a, b, (a_start, a_end, b_start, b_end))
        else:
            self.context.open_review(scored.run.id, a, b or None)

    def open_in_review(self) -> None:
        """Show the chosen item in Review."""
        self._open_item(self.curves.items.first())

    def label_list(self) -> None:
        """Label the selected items of the list, or all of them."""
        scored = self.scored
        if scored is not None:
            self._label(self.curves.items.title.text(), tuple(scored.target(item) for item in self.curves.items.rows()))

    def label_next(self) -> None:
        """Label the items that narrow the interval at the threshold most."""
        if self.advice.next is None:
            self.context.say(tr("Which labels to give next is still being computed."))
        elif self.advice.next.targets:
            self._label(tr("Most informative for the threshold"), self.advice.next.targets)
        else:
            self.context.say(tr("Everything that was scored has a label."))

    def label_here(self) -> None:
        """Open Label."""
        self.context.show_view("label")

    def _label(self, name: str, targets: tuple[str, ...]) -> None:
        scored = self.scored
        if scored is not None and targets:
            self.context.open_label(NamedOrder(name, targets), scored.chosen.label_set)

    def import_labels(self) -> None:
        """Ask for a file of labels, and show its contents before it is imported."""
        inputs = self.shown.inputs
        kind = fitting_kinds(inputs.run)[0]
        self.importer.ask(self.question.labels or DEFAULT_SETS[kind])

    # -- session

    def save_state(self) -> dict[str, Any]:
        state: dict[str, Any] = {"labels": self.question.labels, "positive": list(self.question.positive)}
        state |= {"mode": self.mode}
        state |= {"complete": self.question.complete, "axis": self.curves.axis}
        if self.shown.inputs.run is not None:
            state |= {"run": self.shown.inputs.run.id}
            if self.has_curve():
                state |= {"threshold": self.curves.threshold}
        return state

    def restore_state(self, state: Mapping[str, Any]) -> None:
        match state:
            case {"labels": str(name), "positive": [*values], "complete": bool(complete)}:
                self.question = Question(name, tuple(v for v in values if isinstance(v, str)), complete)
        if isinstance(run := state.get("run"), int):
            self._wanted = run if self._wanted is None else self._wanted
            if isinstance(threshold := state.get("threshold"), int | float):
                self._wanted_threshold = run, float(threshold)
        if isinstance(state.get("mode"), str):
            self.set_mode(state["mode"])
        if state.get("axis") in ("", "linear", "log", "quantile"):
            self.curves.set_axis(state["axis"])

    def key_hints(self) -> list[tuple[str, str]]:
        return [
            ("evaluate.pr", tr("curves")),
            ("evaluate.list", tr("list")),
            ("evaluate.use", tr("use here")),
            ("evaluate.label-next", tr("label next")),
            ("window.palette", tr("all actions")),
        ]

    def first_focus(self) -> QWidget | None:
        if self.has_curve():
            return self.curves.f if self.mode == CURVES else self.head.chips[self.mode]
        if self.mode == SHEETS and self.has_documents():
            return self.head.chips[SHEETS]
        return None if self._empty is None else self._empty.findChild(QPushButton)


def curve_commands(curves: CurvesPage) -> list[Command]:
    """Commands that go to parts of ``curves``."""
    return [
        ("threshold", tr("Change the threshold"), curves.bar.field.setFocus, "Alt+6", "filter"),
        ("pr", tr("Go to precision and recall"), curves.pr.setFocus, "Alt+1", ""),
        ("by-threshold", tr("Go to F by threshold"), curves.f.setFocus, "Alt+2", ""),
        ("scores", tr("Go to the scores by label"), curves.histogram.setFocus, "Alt+3", ""),
        ("matrix", tr("Go to the confusion matrix"), curves.matrix.setFocus, "Alt+4", ""),
        ("list", tr("Go to the list of items"), curves.items.table.setFocus, "Alt+5", ""),
    ]


def page_commands(set_mode: Callable[[str], object]) -> list[Command]:
    """Commands that show a page by its mode."""
    titles = (
        tr("Show the curves"),
        tr("Compare runs"),
        tr("Show subgroups"),
        tr("Show a sweep"),
        tr("Show the sheets"),
    )
    return [
        (f"show-{mode}", title, lambda mode=mode: set_mode(mode), f"Alt+Shift+{number}", "")  # type: ignore[misc]
        for number, (mode, title) in enumerate(zip(MODES, titles, strict=True), 1)
    ]


def sheet_commands(pages: EvaluatePages) -> list[Command]:
    """Commands on the chosen sheet; the page of sheets is built when one is used."""
    return [
        ("sheet-again", tr("Draw the sheet again"), lambda: pages.sheets.draw_again(), "", "retry"),
        ("sheet-save", tr("Save the sheet…"), lambda: pages.sheets.save_sheet(), "Ctrl+Shift+E", "export"),
        ("sheet-copy", tr("Copy the command of the sheet"), lambda: pages.sheets.copy_command(), "", "copy"),
        ("sheet-remove", tr("Remove the sheet"), lambda: pages.sheets.remove_sheet(), "", "trash"),
    ]


def use(context: AppContext, used: UsedThreshold, before: UsedThreshold | None) -> None:
    """Make ``used`` the project's threshold in place of ``before``; undo restores ``before``."""
    title = tr("Use the threshold {value}", value=threshold_words(used.value))
    sentence = tr(
        "{value} is the project's threshold for {method}: precision {precision}, recall {recall}.",
        value=threshold_words(used.value),
        method=used.method,
        precision=rate(used.precision, 2),
        recall=rate(used.recall, 2),
    )
    if used.corrected:
        sentence += " " + tr("Both are corrected for the optimism of choosing and measuring on the same labels.")
    back = _back_to(before, used.method, used.kind)
    context.perform(title, _to(used), back, {"measures"}, sentence=sentence)


def withdraw(context: AppContext, before: UsedThreshold) -> None:
    """Withdraw the threshold ``before``; undo restores it."""
    none = _back_to(None, before.method, before.kind)
    context.perform(tr("Use no threshold"), none, _to(before), {"measures"})


def threshold_of(scored: ScoredRun, threshold: float, choice: Choice | None, who: str) -> UsedThreshold:
    """The record of ``threshold``, with the corrected figures of ``choice`` if a rule chose it."""
    assert scored.curve is not None
    counts = scored.curve.counts(threshold)
    precision, recall, f1 = counts.precision or 0.0, counts.recall or 0.0, counts.f1
    ends = counts.precision_interval, counts.recall_interval
    corrected = choice is not None and choice.precision.interval is not None
    if choice is not None and choice.precision.interval is not None and choice.recall.interval is not None:
        precision, recall, f1 = choice.precision.value, choice.recall.value, choice.f1.value
        ends = choice.precision.interval, choice.recall.interval
    return UsedThreshold(
        method=scored.run.method,
        kind=scored.kind,
        value=threshold,
        run=scored.run.id,
        labels=scored.chosen.label_set,
        labelled=scored.curve.total - int(scored.unlabelled.sum()),
        precision=precision,
        recall=recall,
        f1=f1,
        precision_interval=ends[0],
        recall_interval=ends[1],
        corrected=corrected,
        who=who,
    )


def _to(used: UsedThreshold) -> Callable[[Session], object]:
    return lambda session: use_threshold(session, used)


def _back_to(used: UsedThreshold | None, method: str, kind: TargetKind) -> Callable[[Session], object]:
    if used is not None:
        return _to(used)
    return lambda session: withdraw_threshold(session, method, kind)
