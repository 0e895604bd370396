"""The Review screen, put together: what is chosen on one side shows on the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.gui.i18n import tr
from workbench.gui.judging.eyes import eyes
from workbench.gui.judging.pace import Pace
from workbench.gui.judging.verdicts import decision_looks, verdict_looks
from workbench.gui.kit.layouts import ThreePanes
from workbench.gui.kit.parts import dress
from workbench.gui.screens.review.adding import add_match
from workbench.gui.screens.review.assign_dialog import AssignDialog
from workbench.gui.screens.review.bulk import bulk_menu
from workbench.gui.screens.review.curve_panel import CurvePanel
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.excluding import Excluding
from workbench.gui.screens.review.match_table_panel import MatchTablePanel
from workbench.gui.screens.review.match_verdicts import MatchVerdicts
from workbench.gui.screens.review.other_pages import OtherPages
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.project_threshold import ProjectThreshold
from workbench.gui.screens.review.questions import Questions
from workbench.gui.screens.review.reading import FIRST, LAST, Limits, Opened, read_opened, unit_of
from workbench.gui.screens.review.reporting import Reporter
from workbench.gui.screens.review.reviewers import reviewer_actions
from workbench.gui.screens.review.score_panel import ScorePanel
from workbench.gui.screens.review.stepping import (
    leave_evidence,
    step_match,
    step_suspect,
    to_end,
    to_next_conflict,
    to_next_open,
    to_passage,
    to_place,
)
from workbench.gui.screens.review.suspect_panel import SuspectPanel
from workbench.gui.screens.review.toolbar import LAYERS
from workbench.gui.screens.review.unmatched_dialog import UnmatchedDialog
from workbench.gui.screens.review.unplaced_dialog import UnplacedDialog
from workbench.gui.screens.review.word_layer import WordLayer
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import View
from workbench.services.review.overview import Overview, read_overview
from workbench.services.review.verdicts import Unit

SUSPECTS_WIDTH, EVIDENCE_WIDTH = 300, 326
_SMALL = 1_320
"""Width below which the side panels are narrower, logical pixels."""
_LOW = 860
"""Height below which the histogram is folded, logical pixels."""


class ReviewView(View):
    """Reviews one run: ``open`` shows a suspect in it, ``load`` brings what is shown up to date."""

    view_id: ClassVar[str] = "review"
    icon: ClassVar[str] = "review"
    kinds: ClassVar[frozenset[str]] = frozenset({"runs", "matches", "labels", "documents"})
    modes: ClassVar[tuple[str, ...]] = ("matches", "compare")

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        theme = context.theme
        self.overview = Overview()
        self.suspects = SuspectPanel(theme)
        self.pair = PairPanel(theme, context.actions)
        self.table = MatchTablePanel(theme)
        self.scores = ScorePanel(theme)
        self.evidence = EvidencePanel(theme)
        self._reporter = Reporter(context, self)
        self.excluding = Excluding(context, self)
        self.questions = Questions(context, self.pair)
        self.curve = CurvePanel(context, self.pair)
        self.verdicts = MatchVerdicts(context, self)
        self._request = 0
        self.pace = Pace()
        self.verdicts.whole.recalled.connect(partial(self.pace.recalls, False))
        self._wanted: tuple[int | None, int, int | None] = (None, 0, None)
        self._wanted_match: int | Limits = FIRST
        self._without_evidence = False
        self._scroll: tuple[float, float] | None = None
        """Where the panes of the last session stood, to be shown again with their match."""
        self._folds: bool | None = None
        """Whether the histogram is folded; None until the user chose: then it is in a low window."""
        self._left_at: Limits | None = None
        """The match of the last session, to be shown again with its pair."""
        self._build()
        self._connect()
        context.actions.add(*self._actions())

    @staticmethod
    def name() -> str:
        """The view's name."""
        return tr("Review")

    def _build(self) -> None:
        self.centre = QStackedWidget()
        self.centre.addWidget(self.pair)
        self.centre.addWidget(self.table)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.centre, 1)
        column.addWidget(self.scores)
        panes = (self.suspects, middle, self.evidence)
        self.body = ThreePanes(panes, (SUSPECTS_WIDTH, EVIDENCE_WIDTH), _SMALL)
        self.suspects.setMinimumWidth(200)
        self.evidence.setMinimumWidth(250)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.body)
        self.other = OtherPages(self.context, self.pages)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 10)
        layout.addWidget(self.pages)

    def _connect(self) -> None:
        self.suspects.chosen.connect(lambda key: self.open_pair(key, None))
        self.suspects.counting_asked.connect(self.excluding.ask)
        self.excluding.changed.connect(self._show_counting)
        self.questions.exclusion_asked.connect(self.excluding.ask)
        self.suspects.run_chosen.connect(lambda run: self.open(run, 0))
        self.other.run_chosen.connect(lambda run: self.open(run, 0))
        self.other.ready.connect(self.set_ready)
        self.scores.fold_asked.connect(self.fold_scores)
        self.suspects.newer_asked.connect(self.run_on)
        self.suspects.unplaced_asked.connect(self.show_unplaced)
        self.suspects.unmatched_asked.connect(self.show_unmatched)
        self.suspects.scores_asked.connect(lambda: self.other.by_score(True, self.overview))
        self.other.scores.passages_asked.connect(self._leave_scores)
        self.scores.threshold_changed.connect(self._set_threshold)
        self.project_threshold = ProjectThreshold(self.context, self.scores, self)
        self.pair.active_changed.connect(self._show_match)
        # After the evidence shows the match, so that its marks are not taken for the one before's.
        self.evidence.parts.follow(self.pair)
        self.evidence.parts.unfold_asked.connect(lambda: self.pair.set_merged(False))
        self.words = WordLayer(self.context, self.pair, self.evidence)
        self.pair.source_chosen.connect(self._open_source)
        self.pair.passage_chosen.connect(self._open_passage)
        self.pair.shown_changed.connect(self._match_counts)
        self.table.opened.connect(self._open_row)
        self.table.selected.connect(self.context.actions.refresh)
        self.table.left.connect(self.leave_table)
        self.evidence.quote_clicked.connect(partial(to_passage, self))
        self.evidence.also_chosen.connect(self._open_source)
        self.evidence.why_asked.connect(self.questions.ask_why)
        self.evidence.verdict.chosen.connect(self._give_shown)
        self.evidence.verdict.noted.connect(self.verdicts.note)
        self.evidence.verdict.settled.connect(self.verdicts.settle)
        for verdict in (self.evidence.verdict, self.evidence.whole.verdict, self.suspects.verdict):
            verdict.note.left.connect(lambda: leave_evidence(self))
            verdict.reviewer_asked.connect(partial(self.context.actions.run, "review.reviewer"))
        for pane in (self.pair.left, self.pair.right):
            pane.menu_requested.connect(lambda place, pane=pane: self.questions.menu(pane, place))

    # -- reading

    def _actions(self) -> list[Action]:
        pair, questions = self.pair, self.questions

        def either() -> bool:
            return self.texts_shown() or self.table_shown()

        def active() -> bool:
            return self.texts_shown() and (pair.active >= 0 or (pair.opened is not None and pair.opened.whole))

        def current() -> bool:
            return active() or (self.table_shown() and bool(self.table.chosen_rows()))

        def differs() -> bool:
            found = self.verdicts.current()
            return self.texts_shown() and found is not None and (found.conflict or found.settled is not None)

        def scored() -> bool:
            run = self.overview.run
            return self.has_run() and run is not None and run.scores > 0

        def paced(what: Callable[[], object]) -> Callable[[], None]:
            return lambda: self.pace.do(what)

        texts = tr("Open a pair first: choose a suspect, or press Enter on a row of the table.")
        chosen = tr("Choose a match first: in the text, or as a row of the table.")
        needs = {self.texts_shown: texts, active: texts, either: texts, current: chosen}

        def made(
            key: str,
            title: str,
            call: Callable[[], object],
            shortcut: str,
            icon: str = "",
            *,
            enabled: Callable[[], bool] = self.texts_shown,
            missing: str = "",
        ) -> Action:
            return Action(
                f"review.{key}", title, call, shortcut, self.view_id, icon, enabled, missing or needs.get(enabled, "")
            )

        run = tr("Choose a run that found something.")
        scores = tr("This run scores no documents one by one.")
        actions = [
            made("next", tr("Next match"), lambda: step_match(self, 1), "Alt+Down", "caret-right", enabled=either),
            made(
                "previous", tr("Previous match"), lambda: step_match(self, -1), "Alt+Up", "caret-left", enabled=either
            ),
            made("first", tr("First match"), lambda: to_end(self, last=False), "Alt+Home", enabled=either),
            made("last", tr("Last match"), lambda: to_end(self, last=True), "Alt+End", enabled=either),
            made(
                "next-suspect", tr("Next suspect"), paced(lambda: step_suspect(self, 1)), "Alt+PgDown", enabled=either
            ),
            made(
                "previous-suspect",
                tr("Previous suspect"),
                paced(lambda: step_suspect(self, -1)),
                "Alt+PgUp",
                enabled=either,
            ),
            made("other-pane", tr("Go to the other pane"), lambda: pair.other_pane().setFocus(), "F6", "columns"),
            made("swap", tr("Swap panes"), pair.swap, "Alt+\\", "swap"),
            made("counterpart", tr("Jump to the counterpart"), pair.jump_to_counterpart, "Ctrl+Shift+G", "compare"),
            made("sync", tr("Scroll together"), lambda: pair.sync.set_on(not pair.sync.on), "Ctrl+Shift+Y", "link"),
            made(
                "parts",
                tr("Neighbouring matches as one passage, or each by itself"),
                lambda: pair.set_merged(not pair.merged),
                "Ctrl+Shift+O",
                "layers",
            ),
            made("dot-plot", tr("Dot plot"), lambda: pair.show_dots(pair.dots.isHidden()), "Ctrl+Shift+D", "relations"),
            made("curve", tr("Edits against position"), self.curve.toggle, "Ctrl+Shift+J", "evaluate"),
            made("list", tr("Show or hide the suspects"), self.toggle_list, "Ctrl+Shift+B", "columns", enabled=either),
            made(
                "table",
                tr("All matches"),
                paced(self.toggle_table),
                "Ctrl+Shift+M",
                "documents",
                enabled=lambda: self.has_run() and (self.texts_shown() or self.table_shown()),
                missing=run,
            ),
            made(
                "evidence",
                tr("Show or hide the evidence"),
                self.toggle_evidence,
                "Ctrl+Shift+K",
                "columns",
            ),
            made(
                "histogram",
                tr("Show or hide the histogram"),
                lambda: self.fold_scores(not self.scores.folded),
                "Ctrl+Shift+H",
                "evaluate",
                enabled=either,
            ),
            made(
                "scores",
                tr("Documents by score"),
                lambda: self.other.swap(self.overview),
                "",
                "evaluate",
                enabled=scored,
                missing=scores,
            ),
            made("find", tr("Find in documents"), lambda: pair.finder.open(pair.current_pane()), "Ctrl+F", "search"),
            made("find-next", tr("Find next"), lambda: pair.finder.step(1), "F3"),
            made("find-previous", tr("Find previous"), lambda: pair.finder.step(-1), "Shift+F3"),
            made("larger", tr("Larger text"), lambda: pair.zoom(1), "Ctrl++", "text-size"),
            made("smaller", tr("Smaller text"), lambda: pair.zoom(-1), "Ctrl+-"),
            made("usual", tr("Usual text size"), lambda: pair.zoom(0), "Ctrl+0"),
            made("why", tr("Why matched, why not"), questions.ask_why, "Ctrl+Shift+W", "info"),
            made(
                "elsewhere",
                tr("Find the selected passage elsewhere"),
                questions.ask_elsewhere,
                "Ctrl+Shift+F",
                "search",
            ),
            made("report", tr("Report on this suspect…"), lambda: self.report("suspect"), "Ctrl+Shift+E", "export"),
            made("print", tr("Print the report on this suspect…"), self.print_report, "Ctrl+P", "export"),
            made(
                "exclude",
                tr("Leave this match out of the count, or count it again"),
                lambda: self.excluding.leave_out_passage(pair.active),
                "Ctrl+Shift+X",
                "minus",
                enabled=active,
            ),
            made("counting", tr("What counts…"), self.excluding.ask, "Ctrl+Shift+U", "filter"),
            made("report-pair", tr("Report on this pair…"), lambda: self.report("pair"), "", "export"),
            made(
                "report-run", tr("Report on the whole run…"), lambda: self.report("run"), "", "export", enabled=either
            ),
            made("note", tr("Write a note"), paced(self.evidence.write_note), "Ctrl+Shift+N", "note", enabled=active),
            made("clear", tr("Withdraw the verdict"), lambda: self.give_verdict(""), "Ctrl+Backspace", enabled=current),
        ]
        actions += reviewer_actions(self.context, self, made)
        actions += [
            made(
                "conflict", tr("Next conflict"), paced(lambda: to_next_conflict(self)), "F8", "warning", enabled=either
            ),
            made("many", tr("One verdict on many passages…"), lambda: bulk_menu(self, self), "Ctrl+Alt+V", "layers"),
            made("add", tr("Add the selection in both texts as a match"), self.add_match, "Ctrl+Shift+A", "plus"),
            made("assign", tr("Assign suspects…"), self.assign, "", "label", enabled=either),
            made(
                "unplaced",
                tr("Verdicts without a passage in this run…"),
                self.show_unplaced,
                "",
                "warning",
                enabled=lambda: self.has_run() and self.overview.unplaced > 0,
                missing=tr("Every verdict has a passage in this run."),
            ),
            made(
                "unmatched",
                tr("Suspects without a match…"),
                self.show_unmatched,
                "",
                "documents",
                enabled=lambda: self.has_run() and self.overview.unmatched > 0,
                missing=tr("This run found something in every suspect."),
            ),
            made(
                "run-on",
                tr("Run on with documents imported later"),
                self.run_on,
                "",
                "play",
                enabled=lambda: self.has_run() and self.overview.newer > 0,
                missing=tr("Nothing was imported after this run."),
            ),
        ]
        actions += [
            made(
                f"decide-{look.value}",
                tr("Suspect: {words}", words=look.words),
                partial(self.decide, look.value),
                look.key,
                look.icon,
                enabled=either,
            )
            for look in decision_looks()
        ]
        actions += [
            made(
                f"settle-{look.value}",
                tr("Settle as: {words}", words=look.words),
                partial(self.settle, look.value),
                f"Alt+Shift+{look.key}",
                look.icon,
                enabled=differs,
                missing=tr("Only verdicts that differ can be settled."),
            )
            for look in verdict_looks()
        ]
        verdicts = (
            made(
                f"verdict-{look.value}",
                tr("Verdict: {words}", words=look.words),
                partial(self.give_verdict, look.value),
                look.key,
                look.icon,
                enabled=current,
            )
            for look in verdict_looks()
        )
        return [*actions, *verdicts]

    def open(self, run_id: int, a_key: int, b_key: int | None = None, match: Limits | None = None) -> None:
        """Show run ``run_id`` at suspect ``a_key`` (0: the first) against ``b_key`` (None: that of its first passage).

        At ``match`` where the pair has it, else at its first.
        """
        self._wanted, self._left_at = (run_id, a_key, b_key), match
        self.load()

    def set_mode(self, mode: str) -> None:
        """ "compare": one pair large, with its dot plot; "matches": the list beside the pair."""
        compare = mode == "compare"
        self.suspects.setVisible(not compare)
        self.scores.setVisible(not compare)
        self.pair.show_dots(compare)

    def load(self) -> None:
        """Read the run's lists again; the open pair stays open unless another is wanted."""
        self.set_ready(False)
        self._request += 1
        request = self._request
        shown = None if self.overview.run is None else self.overview.run.id
        run = shown if self._wanted[0] is None else self._wanted[0]
        known = self.overview.columns if shown is not None and shown == run else None
        reviewer = eyes(self.context)
        self.context.background(
            lambda session: read_overview(session, run, known, reviewer),
            lambda overview: self._show_overview(overview, request),
            owner=self,
        )

    def follow(self, kinds: frozenset[str]) -> None:
        """A verdict changes the lists where it counts; anything else may change all of them."""
        if kinds & self.kinds == {"labels"} and self.has_run() and self.overview.eyes == eyes(self.context):
            self.verdicts.follow()
        else:
            self.load()
        if "labels" in kinds:
            self.excluding.refresh()

    def _show_overview(self, overview: Overview, request: int) -> None:
        if request != self._request:
            return
        before, self.overview = self.overview, overview
        changed = before.run is None or overview.run is None or overview.run.id != before.run.id
        (run, a_key, b_key), self._wanted = self._wanted, (None, 0, None)
        left_at, self._left_at = self._left_at, None
        if overview.run is None or overview.columns is None or not len(overview.columns.matches):
            self.pace.failed()
            self.other.show_overview(overview)
            return
        self.other.show_found(overview)
        assert overview.judged is not None
        self.scores.show_run(overview.columns, overview.judged)
        self.suspects.show_overview(overview)
        self.table.set_columns(overview.columns, overview.judged)
        if changed:
            self._set_threshold(self.scores.threshold)
            self.project_threshold.follow(overview.run, whole=overview.columns.whole)
        if a_key not in {row.key for row in overview.suspects} or run not in (None, overview.run.id):
            a_key, b_key, left_at = 0, None, None
        opened = self.pair.opened
        if a_key or changed or (opened is None and not self.pace.reading):
            self.open_pair(a_key or self.suspects.model.key_at(0), b_key, left_at or FIRST)
        elif (
            opened is not None
            and not self.pace.reading
            and (overview.columns is not before.columns or overview.eyes != before.eyes)
        ):
            # The run went on, and the pair may have more matches now; or somebody else judges.
            self.open_pair(opened.a.key, opened.b.key, self._place() or FIRST)
        else:
            self.verdicts.follow()
            self.set_ready(not self.pace.reading)

    def show_judged(self, overview: Overview) -> None:
        """Show ``overview``, which differs from what is shown in its verdicts alone."""
        self.overview = overview
        if overview.columns is not None and overview.judged is not None:
            self.scores.show_run(overview.columns, overview.judged)
            self.suspects.show_judged(overview.judged)
            self.table.set_columns(overview.columns, overview.judged)

    def open_pair(self, a_key: int, b_key: int | None, match: int | Limits = FIRST) -> None:
        """Open suspect ``a_key`` against source ``b_key`` (None: its best) at a match, by default the first shown."""
        run = self.overview.run
        if run is None:
            return
        self.evidence.flush()
        self.set_ready(False)
        request, self._wanted_match = self.pace.began(), match
        reviewer = eyes(self.context)
        self.context.background(
            lambda session: read_opened(session, run.id, a_key, b_key, reviewer),
            lambda opened: self._show_pair(opened, request),
            owner=self,
            failed=lambda error: self._not_opened(error, request),
        )

    def _not_opened(self, error: Exception, request: int) -> None:
        self.context.show_error(error)
        if self.pace.holds(request):
            self.pace.failed()
            if self.pair.opened is not None:
                self.suspects.mark(self.pair.opened.a.key)
            self.set_ready()

    def _show_pair(self, opened: Opened, request: int) -> None:
        if not self.pace.holds(request):
            return
        leave_evidence(self)
        self.suspects.mark(opened.a.key)
        self._show_table(False)
        self.evidence.clear()
        self.pair.show_pair(opened)
        self.verdicts.show_suspect(opened)
        self.excluding.show(opened)
        if opened.whole:
            self.evidence.show_whole(opened)
            self.evidence.whole.show_pair(opened)
            self.pace.recalls(True)
            self.verdicts.whole.show_unit(Unit(opened.a.id, opened.b.id))
        wanted = self._wanted_match
        number = wanted if isinstance(wanted, int) else opened.number_of(wanted)
        if number >= 0:
            self.pair.go_to(number)
        else:
            self.pair.go_to_end(last=number == LAST)
        scroll, self._scroll = self._scroll, None
        if scroll is not None and not isinstance(wanted, int):
            self.pair.show_places(*scroll)
        self.context.actions.refresh()
        self.placed.emit()
        self.set_ready()
        self.pace.arrived()

    def _open_source(self, key: int) -> None:
        if self.pair.opened is not None:
            self.open_pair(self.pair.opened.a.key, key)

    def _open_passage(self, place: int) -> None:
        """Go to a passage of the suspect, whichever source it is of."""
        self.pace.do(lambda: to_place(self, place))

    def _open_row(self, row: int) -> None:
        """Open the pair of a row of the run's columns, at that match."""
        if self.overview.columns is not None:
            self.open_pair(*self.overview.columns.place(row))

    # -- what is shown

    def has_run(self) -> bool:
        """Whether there are matches to show."""
        return self.overview.columns is not None and len(self.overview.columns.matches) > 0

    def _leave_scores(self, key: int) -> None:
        """From the documents by score to the passages, of the document ``key`` where there are some."""
        self.other.by_score(False, self.overview)
        if key in {row.key for row in self.overview.suspects}:
            self.open_pair(key, None)

    def table_shown(self) -> bool:
        """Whether the table of all matches is before the eyes: keys act on its selected rows."""
        return self.pages.currentWidget() is self.body and self.centre.currentWidget() is self.table

    def texts_shown(self) -> bool:
        """Whether a pair is before the eyes."""
        here = self.pages.currentWidget() is self.body and self.centre.currentWidget() is self.pair
        return here and self.pair.opened is not None

    def toggle_list(self) -> None:
        """Show or hide the suspects."""
        self.suspects.setVisible(self.suspects.isHidden())

    def toggle_evidence(self) -> None:
        """Show or hide the evidence, to leave the texts its room."""
        self.evidence.flush()
        self._without_evidence = not self._without_evidence
        self.evidence.setVisible(not self._without_evidence and not self.table_shown())

    def fold_scores(self, on: bool) -> None:
        """Fold the histogram to a strip, or show it."""
        self._folds = on
        self.scores.fold(on)

    def toggle_table(self) -> None:
        """Switch between the texts and the table of all matches, both at the same match."""
        if self.table_shown():
            self.leave_table()
            return
        self._show_table(True)
        if (row := self.active_row()) >= 0:
            self.table.choose(row)

    def leave_table(self) -> None:
        """Show the texts again, at the row that is selected."""
        rows = self.table.chosen_rows()
        if len(rows) == 1 and rows[0] != self.active_row():
            self._open_row(rows[0])
        else:
            self._show_table(False)

    def active_row(self) -> int:
        """The row of the active match, or of the open pair, in the run's columns; -1 without one."""
        columns, opened = self.overview.columns, self.pair.opened
        if columns is None or opened is None:
            return -1
        if opened.whole:
            return columns.row_of(opened.a.key, opened.b.key, (0, len(opened.a.text), 0, len(opened.b.text)))
        limits = self._place()
        return -1 if limits is None else columns.row_of(opened.a.key, opened.b.key, limits)

    def _show_table(self, on: bool) -> None:
        """The table takes the room of the evidence, too."""
        self.centre.setCurrentWidget(self.table if on else self.pair)
        self.evidence.setVisible(not on and not self._without_evidence)
        if on:
            self.evidence.flush()
            self.table.refresh()
            self.table.table.setFocus()
        self.context.actions.refresh()

    def _set_threshold(self, threshold: float) -> None:
        self.suspects.set_threshold(threshold)
        self.pair.set_threshold(threshold)
        self.table.set_threshold(threshold)

    def _match_counts(self) -> None:
        self.evidence.show_place(self.pair.place(), len(self.pair.shown))
        self.context.actions.refresh()

    def _show_match(self, number: int) -> None:
        self.evidence.flush()
        opened = self.pair.opened
        if opened is None:
            return
        self.evidence.show_match(opened, number, self.pair.place(), len(self.pair.shown), self.pair.edits)
        self.evidence.show_counting(self.excluding.counting(number))
        self.verdicts.show(number)
        self.context.actions.refresh()
        self.placed.emit()

    # -- verdicts

    def run_on(self) -> None:
        """Detect again with the settings of the run that is shown: documents came after it."""
        if self.overview.run is not None:
            self.context.resume_requested.emit(self.overview.run)

    def add_match(self) -> None:
        """Make what is selected in both texts a match of its own, and go to it."""
        opened, left, right = self.pair.opened, self.pair.left.selection, self.pair.right.selection
        if opened is not None and add_match(self.context, opened.a, left, opened.b, right):
            self._wanted = (opened.run.id, opened.a.key, opened.b.key)
            self._left_at = (left.start, left.end, right.start, right.end)

    def show_unplaced(self) -> None:
        """List the verdicts that no passage of this run takes over."""
        columns, run, opened, number = self.overview.columns, self.overview.run, self.pair.opened, self.pair.active
        if columns is None or run is None:
            return
        unit = unit_of(opened, number) if opened is not None and number >= 0 else None
        name = tr("match {number}", number=number + 1)
        dialog = UnplacedDialog(self.context, columns, run.id, unit, name, self.window())
        dress(dialog, self.context.theme)
        dialog.finished.connect(lambda _code: self.load())
        dialog.open()

    def show_unmatched(self) -> None:
        """List the suspects in which this run found nothing."""
        if self.overview.columns is not None:
            dialog = UnmatchedDialog(self.context, self.overview.columns, self.window())
            dress(dialog, self.context.theme)
            dialog.open()

    def assign(self) -> None:
        """Give suspects to a reviewer."""
        dialog = AssignDialog(self.context, [row.id for row in self.overview.suspects], self.window())
        dress(dialog, self.context.theme)
        dialog.accepted.connect(self.load)
        dialog.open()

    def give_verdict(self, value: str) -> None:
        """Give what is visibly current, or the match of the pair being read, a verdict.

        "" or the same again withdraws it.
        """
        self.pace.do(lambda: self.verdicts.give(value), recalled=not self.table_shown())

    def advance(self) -> None:
        """After a verdict, on to the next passage that has none, unless the reviewer wants to stay."""
        if self.context.settings.advance:
            self.pace.do(lambda: to_next_open(self))

    def decide(self, value: str) -> None:
        """Give the open suspect its own verdict, which alone closes it; the same again withdraws it."""
        self.pace.do(lambda: self.verdicts.decision.give(value))

    def settle(self, value: str) -> None:
        """Settle what holds for the shown match; the same again leaves it open."""
        self.pace.do(lambda: self.verdicts.settle(value))

    def _give_shown(self, value: str) -> None:
        """The verdict of a button, which is one on what is seen, also while another pair is being read."""
        if self.pace.reading:
            self.verdicts.give(value)
        else:
            self.give_verdict(value)

    def flush(self) -> None:
        """Write a note that is not written yet."""
        self.evidence.flush()
        self.suspects.verdict.note.flush()

    def _show_counting(self) -> None:
        """Say what counts of the suspect, and whether the active match does."""
        self.suspects.show_shares(self.excluding.words)
        self.evidence.show_counting(self.excluding.counting(self.pair.active))

    def print_report(self) -> None:
        """Print a report on the open suspect, with what was just typed."""
        self.flush()
        if self.pair.opened is not None:
            self._reporter.print("suspect", self.pair.opened)

    def report(self, kind: str) -> None:
        """Save a report on the open "pair", its "suspect" or its "run", with what was just typed."""
        self.flush()
        if self.pair.opened is not None:
            self._reporter.ask(kind, self.pair.opened)

    # -- session

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side panels narrower in a small window, until the user sizes them."""
        super().resizeEvent(event)
        self.body.fit(event.size().width())
        if self._folds is None:
            self.scores.fold(event.size().height() < _LOW)

    def save_state(self) -> dict[str, Any]:
        """Run, pair, match, sizes."""
        opened = self.pair.opened
        state: dict[str, Any] = {"text": self.pair.left.size_px, "sync": self.pair.sync.on}
        state["merged"] = self.pair.merged
        state["hidden"] = sorted(set(LAYERS) - self.pair.toolbar.shown_layers())
        if self._folds is not None:
            state["folded"] = self._folds
        if opened is not None:
            state["scroll"] = [self.pair.left.reading_offset(), self.pair.right.reading_offset()]
        if (sizes := self.body.chosen_sizes()) is not None:
            state["sizes"] = sizes
        if opened is not None:
            state |= {"run": opened.run.id, "a": opened.a.key, "b": opened.b.key, "match": self._place()}
        return state

    def _place(self) -> Limits | None:
        """What names the active match."""
        opened, number = self.pair.opened, self.pair.active
        return None if opened is None or number < 0 else opened.limits(number)

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Take up where the user was."""
        self.body.restore_sizes(state.get("sizes"))
        if isinstance(state.get("text"), int):
            self.pair.left.set_size(state["text"])
        if isinstance(state.get("sync"), bool):
            self.pair.sync.set_on(state["sync"])
        if isinstance(state.get("merged"), bool):
            self.pair.set_merged(state["merged"])
        if isinstance(state.get("folded"), bool):
            self.fold_scores(state["folded"])
        match state.get("hidden"):
            case [*names]:
                self.pair.toolbar.hide_layers([name for name in names if name in LAYERS])
        match state.get("scroll"):
            case [int() | float() as left, int() | float() as right]:
                self._scroll = (float(left), float(right))
        place = [state.get(name) for name in ("run", "a", "b")]
        if all(isinstance(v, int) for v in place) and self._wanted[0] is None:
            self._wanted = (place[0], int(place[1] or 0), place[2])
            match state.get("match"):
                case [int(a), int(b), int(c), int(d)]:
                    self._left_at = (a, b, c, d)

    def key_hints(self) -> list[tuple[str, str]]:
        """Keys for the status strip."""
        hints = [("review.next", tr("next match")), ("review.other-pane", tr("other pane"))]
        return [*hints, ("review.verdict-copy", tr("copy")), ("review.find", tr("find"))]

    def first_focus(self) -> QWidget | None:
        """The suspect's text."""
        return self.pair.left if self.has_run() else None

    def sizeHint(self) -> QSize:
        """Made for a large window."""
        return QSize(1400, 860)
