"""The Review screen, put together: what is chosen on one side shows on the others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.base.types import Label
from workbench.gui.context import AppContext
from workbench.gui.i18n import tr
from workbench.gui.models.review_run import Overview, read_overview
from workbench.gui.views.base import View
from workbench.gui.views.review.commands import review_actions
from workbench.gui.views.review.curve_panel import CurvePanel
from workbench.gui.views.review.evidence_panel import EvidencePanel
from workbench.gui.views.review.judging import Judge, with_label
from workbench.gui.views.review.match_table_panel import MatchTablePanel
from workbench.gui.views.review.other_pages import OtherPages
from workbench.gui.views.review.pace import Pace
from workbench.gui.views.review.pair_judging import PairJudge
from workbench.gui.views.review.pair_panel import PairPanel
from workbench.gui.views.review.questions import Questions
from workbench.gui.views.review.reading import FIRST, LAST, Opened, read_history, read_opened
from workbench.gui.views.review.reporting import Reporter
from workbench.gui.views.review.score_panel import ScorePanel
from workbench.gui.views.review.stepping import leave_evidence, to_passage
from workbench.gui.views.review.suspect_panel import SuspectPanel
from workbench.gui.widgets.three_panes import ThreePanes

SUSPECTS_WIDTH, EVIDENCE_WIDTH = 300, 326
_SMALL = 1_320
"""Width below which the side panels are narrower, logical pixels."""


class ReviewView(View):
    """Reviews one run: ``open`` shows a suspect in it, ``load`` brings what is shown up to date."""

    view_id: ClassVar[str] = "review"
    icon: ClassVar[str] = "review"
    kinds: ClassVar[frozenset[str]] = frozenset({"runs", "matches", "labels", "documents"})

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
        self.questions = Questions(context, self.pair)
        self.curve = CurvePanel(context, self.pair)
        self._judge = Judge(context, self._labelled)
        self._pair_judge = PairJudge(context, self.evidence.whole.verdict)
        self._events: list[Label] = []
        self._noted: tuple[Opened, int] | None = None
        self._request = 0
        self.pace = Pace()
        self._pair_judge.recalled.connect(partial(self.pace.recalls, False))
        self._wanted: tuple[int | None, int, int | None] = (None, 0, None)
        self._wanted_match = FIRST
        self._build()
        self._connect()
        context.actions.add(*review_actions(self))

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
        column.setSpacing(10)
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
        self.suspects.run_chosen.connect(lambda run: self.open(run, 0))
        self.other.run_chosen.connect(lambda run: self.open(run, 0))
        self.other.ready.connect(self.set_ready)
        self.suspects.scores_asked.connect(lambda: self.other.by_score(True, self.overview))
        self.other.scores.passages_asked.connect(self._leave_scores)
        self.scores.threshold_changed.connect(self._set_threshold)
        self.pair.active_changed.connect(self._show_match)
        self.pair.source_chosen.connect(self._open_source)
        self.pair.shown_changed.connect(self._match_counts)
        self.table.opened.connect(self._open_row)
        self.table.left.connect(lambda: self._show_table(False))
        self.evidence.quote_clicked.connect(partial(to_passage, self))
        self.evidence.also_chosen.connect(self._open_source)
        self.evidence.why_asked.connect(self.questions.ask_why)
        self.evidence.verdict.chosen.connect(self._give_shown)
        self.evidence.verdict.noted.connect(self.give_note)
        for verdict in (self.evidence.verdict, self.evidence.whole.verdict):
            verdict.note.left.connect(lambda: leave_evidence(self))
        for pane in (self.pair.left, self.pair.right):
            pane.menu_requested.connect(lambda place, pane=pane: self.questions.menu(pane, place))

    # -- reading

    def open(self, run_id: int, a_key: int, b_key: int | None = None) -> None:
        """Show run ``run_id`` at suspect ``a_key`` (0: the first) against ``b_key`` (None: its best source)."""
        self._wanted = (run_id, a_key, b_key)
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
        self.context.background(
            lambda session: read_overview(session, run, known),
            lambda overview: self._show_overview(overview, request),
            owner=self,
        )

    def _show_overview(self, overview: Overview, request: int) -> None:
        if request != self._request:
            return
        changed = self.overview.run is None or overview.run is None or overview.run.id != self.overview.run.id
        self.overview = overview
        (_, a_key, b_key), self._wanted = self._wanted, (None, 0, None)
        if overview.run is None or overview.columns is None or not len(overview.columns.matches):
            self.pace.failed()
            self.other.show_overview(overview)
            return
        self.other.show_found(overview)
        self.scores.show_run(overview.columns, overview.judged)
        self.suspects.show_overview(overview)
        self.table.set_columns(overview.columns, overview.judged)
        if changed:
            self._set_threshold(self.scores.threshold)
        if a_key not in {row.key for row in overview.suspects}:
            a_key, b_key = 0, None
        if a_key or changed or (self.pair.opened is None and not self.pace.reading):
            self.open_pair(a_key or self.suspects.model.key_at(0), b_key)
        else:
            self.set_ready(not self.pace.reading)

    def open_pair(self, a_key: int, b_key: int | None, match: int = FIRST) -> None:
        """Open suspect ``a_key`` against source ``b_key`` (None: its best) at a match, by default the first shown."""
        run = self.overview.run
        if run is None:
            return
        self.evidence.flush()
        self.set_ready(False)
        request, self._wanted_match = self.pace.began(), match
        self.context.background(
            lambda session: read_opened(session, run.id, a_key, b_key),
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
        if opened.whole:
            self.evidence.show_whole(opened)
            self.evidence.whole.show_pair(opened)
            self.pace.recalls(True)
            self._pair_judge.show_pair(opened)
        if self._wanted_match >= 0:
            self.pair.go_to(self._wanted_match)
        else:
            self.pair.go_to_end(last=self._wanted_match == LAST)
        self.context.actions.refresh()
        self.set_ready()
        self.pace.arrived()

    def _open_source(self, key: int) -> None:
        if self.pair.opened is not None:
            self.open_pair(self.pair.opened.a.key, key)

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

    def toggle_list(self) -> None:
        """Show or hide the suspects."""
        self.suspects.setVisible(self.suspects.isHidden())

    def toggle_table(self) -> None:
        """Switch between the texts and the table of all matches."""
        self._show_table(self.centre.currentWidget() is self.pair)

    def _show_table(self, on: bool) -> None:
        """The table takes the room of the evidence, too."""
        self.centre.setCurrentWidget(self.table if on else self.pair)
        self.evidence.setVisible(not on)
        if on:
            self.table.refresh()
            self.table.table.setFocus()

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
        self._show_verdict(number)
        self.context.actions.refresh()

    def _show_verdict(self, number: int) -> None:
        """The verdict at once, its history when it is read."""
        opened = self.pair.opened
        if opened is None:
            return
        held = opened.held[number]
        place = (opened, number)
        self._noted, self._events = place, []
        # Without a verdict there may still be a note.
        self.pace.recalls(held is None)
        value, note = ("", "") if held is None else (held.label.value, held.label.note)
        self.evidence.verdict.show_verdict(value, note, carried=held is not None and held.carried)
        self.evidence.verdict.show_events([])

        def show(events: list[Label]) -> None:
            if self._noted is place:
                self._events = events
                self.evidence.verdict.show_events(events)
                if held is None and events and not self.evidence.verdict.note.hasFocus():
                    self.evidence.verdict.show_verdict("", events[-1].note, carried=False)
                self.pace.recalls(False)

        def failed(error: Exception) -> None:
            self.context.show_error(error)
            if self._noted is place:
                self.pace.recalls(False)

        self.context.background(lambda session: read_history(session, opened, number), show, owner=self, failed=failed)

    # -- verdicts

    def _state(self, opened: Opened, number: int) -> tuple[str, str]:
        """Verdict and note as stored of the match whose note is in the field."""
        held = opened.held[number]
        if held is not None:
            return held.label.value, held.label.note
        return "", self._events[-1].note if self._events else ""

    def give_verdict(self, value: str) -> None:
        """Give the active match, or that of the pair being read, a verdict; "" or the same again withdraws it."""
        self.pace.do(lambda: self._give(value), recalled=True)

    def _give_shown(self, value: str) -> None:
        """The verdict of a button, which is one on what is seen, also while another pair is being read."""
        if self.pace.reading:
            self._give(value)
        else:
            self.give_verdict(value)

    def _give(self, value: str) -> None:
        self.evidence.flush()
        opened, number = self.pair.opened, self.pair.active
        if opened is not None and opened.whole:
            self._pair_judge.give(value)
        if opened is None or number < 0:
            return
        before, held = self._state(opened, number), opened.held[number]
        carried = held is not None and held.carried
        value = "" if value == before[0] and not carried else value
        if not self._judge.judge(opened, number, value, before[1], before):
            self._show_verdict(number)

    def give_note(self, note: str) -> None:
        """Give a note to the match whose note was in the field, which may be left by now; its verdict stays."""
        if self._noted is None:
            return
        opened, number = self._noted
        current = self.pair.opened
        opened = current if current is not None and current.is_of(opened) else opened
        before = self._state(opened, number)
        self._judge.judge(opened, number, before[0], note, before)

    def _labelled(self, opened: Opened, number: int, label: Label, again: bool) -> None:
        """An event was written: show it; one from undo or redo also brings its match back."""
        current = self.pair.opened
        if current is None or not current.is_of(opened):
            return
        self.pair.opened = with_label(current, number, label)
        if self.pair.active == number:
            self._show_verdict(number)
        elif again:
            self.pair.go_to(number)

    def report(self, kind: str) -> None:
        """Save a report on the open "pair", its "suspect" or its "run", with what was just typed."""
        self.evidence.flush()
        if self.pair.opened is not None:
            self._reporter.ask(kind, self.pair.opened)

    # -- session

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side panels narrower in a small window, until the user sizes them."""
        super().resizeEvent(event)
        self.body.fit(event.size().width())

    def save_state(self) -> dict[str, Any]:
        """Run, pair, match, sizes."""
        self.evidence.flush()
        opened = self.pair.opened
        state: dict[str, Any] = {"text": self.pair.left.size_px, "sync": self.pair.sync.on}
        if (sizes := self.body.chosen_sizes()) is not None:
            state["sizes"] = sizes
        if opened is not None:
            state |= {"run": opened.run.id, "a": opened.a.key, "b": opened.b.key}
        return state

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Take up where the user was."""
        self.body.restore_sizes(state.get("sizes"))
        if isinstance(state.get("text"), int):
            self.pair.left.set_size(state["text"])
        if isinstance(state.get("sync"), bool):
            self.pair.sync.set_on(state["sync"])
        place = [state.get(name) for name in ("run", "a", "b")]
        if all(isinstance(v, int) for v in place) and self._wanted[0] is None:
            self._wanted = (place[0], int(place[1] or 0), place[2])

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
