"""The Review screen as a whole: a selection on one side is shown on the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import viewer
from workbench.gui.kit.pauses import after_pause
from workbench.gui.screens.review import SCREEN
from workbench.gui.screens.review.actions import (
    ListMenus,
    Offer,
    case_action,
    page_actions,
    panel_actions,
    question_actions,
    report_actions,
    reviewer_actions,
    run_actions,
    step_actions,
    text_actions,
    verdict_actions,
)
from workbench.gui.screens.review.by_hand import Splitting
from workbench.gui.screens.review.counting import Excluding
from workbench.gui.screens.review.curve_panel import CurvePanel
from workbench.gui.screens.review.layers import CommonLayer, EarlierLayer, EditLayer, TextLayers, WordLayer
from workbench.gui.screens.review.match_table import TablePlaces, TableSpread
from workbench.gui.screens.review.page_panes import PagePanes
from workbench.gui.screens.review.pair_bars import LAYERS, OFF_AT_FIRST
from workbench.gui.screens.review.pair_data import Limits, PairData
from workbench.gui.screens.review.pair_loader import PairLoader
from workbench.gui.screens.review.panels import Panels
from workbench.gui.screens.review.questions import Questions
from workbench.gui.screens.review.reporting import Reporter
from workbench.gui.screens.review.run_dialogs import RunDialogs
from workbench.gui.screens.review.scores import ProjectThreshold
from workbench.gui.screens.review.stepping import Stepping
from workbench.gui.screens.review.suspect_panel import PageCase
from workbench.gui.screens.review.verdicts import Bulk, MatchVerdicts
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.screen import Screen, View
from workbench.services.labels.targets import TargetKind
from workbench.services.review.overview import Overview

_FOLLOW_MS = 60
"""Milliseconds after a verdict before the label log is read, so that the next passage is painted first."""


class ReviewView(View):
    """Reviews one run: ``open`` shows a suspect in it, ``load`` updates the content."""

    declaration: ClassVar[Screen] = SCREEN
    kinds: ClassVar[frozenset[str]] = frozenset({"runs", "matches", "labels", "documents"})

    def build(self) -> Iterator[None]:
        context = self.context
        self.panels = panels = Panels()
        yield from panels.build(context)
        self.suspects, self.pair, self.table = panels.suspects, panels.pair, panels.table
        self.scores, self.evidence = panels.scores, panels.evidence
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 10)
        layout.addWidget(panels)
        yield
        self.opening = PairLoader(context, self.pair, self.suspects.model)
        panels.follow(self.opening)
        self.stepping = Stepping(context, panels, self.opening)
        self.excluding = Excluding(context, self)
        self.verdicts = MatchVerdicts(context, panels, self.opening, self.excluding)
        self.reporter = Reporter(context, panels)
        self.questions = Questions(context, self.pair)
        yield
        self.curve = CurvePanel(context, self.pair)
        yield
        self.bulk = Bulk(context, self.opening, self.pair, self.verdicts)
        self.menus = ListMenus(context, self.opening, self.excluding, self.suspects)
        self.dialogs = RunDialogs(context, self.opening, self.pair)
        self.earlier = EarlierLayer(context, self.evidence)
        self._follow = after_pause(self.verdicts.follow, _FOLLOW_MS, self)
        self.page_case = PageCase(context, self.suspects, self)
        self.pages = PagePanes(context, self.pair)
        self._threshold = ProjectThreshold(context, self.scores.show_used, self)
        yield
        self._connect_opening()
        self._connect_lists()
        yield
        self._connect_match()
        yield
        context.actions.add(*self._actions())

    @property
    def overview(self) -> Overview:
        """The lists of the shown run."""
        return self.opening.overview

    def styled_widgets(self) -> list[QWidget]:
        """The panels."""
        return self.panels.styled_widgets()

    def _connect_opening(self) -> None:
        opening = self.opening
        opening.ready.connect(self.set_ready)
        opening.run_read.connect(self._show_run)
        opening.unchanged.connect(self.verdicts.follow)
        opening.pair_read.connect(self.pages.follow)
        opening.pair_read.connect(self._show_pair)
        opening.pair_read.connect(self.earlier.follow)
        self.suspects.chosen.connect(opening.open_pair)
        self.suspects.pivot_chosen.connect(opening.list_by)
        self.suspects.counted_asked.connect(self.excluding.rank)
        self.excluding.ranked.connect(self.suspects.model.set_counted)
        self.suspects.run_chosen.connect(lambda run: self.open(run, 0))
        self.panels.other.run_chosen.connect(lambda run: self.open(run, 0))
        self.panels.other.ready.connect(self.set_ready)
        self.panels.other.passages_asked.connect(self._leave_scores)
        self.pair.source_chosen.connect(opening.open_source)
        self.evidence.also_chosen.connect(opening.open_source)
        self.table.opened.connect(opening.open_row)
        self.panels.switched.connect(self.context.actions.refresh)
        self.spread = TableSpread(self.context, self.table, opening)
        TablePlaces(self.context, self.table, opening)

    def _connect_lists(self) -> None:
        suspects, dialogs = self.suspects, self.dialogs
        suspects.counting_asked.connect(self.excluding.ask)
        suspects.case_asked.connect(self.page_case.ask)
        suspects.newer_asked.connect(dialogs.follow_newer)
        suspects.unplaced_asked.connect(dialogs.show_unplaced)
        suspects.unmatched_asked.connect(dialogs.show_unmatched)
        suspects.scores_asked.connect(lambda: self.panels.other.by_score(True, self.overview))
        self.table.selected.connect(self.context.actions.refresh)
        self.table.left.connect(self.stepping.leave_table)

    def _connect_match(self) -> None:
        evidence, verdicts = self.evidence, self.verdicts
        self.pair.active_changed.connect(self._show_match)
        # After the evidence shows the match, so that its marks are not mistaken for those of the previous one.
        evidence.parts.follow(self.pair)
        evidence.parts.unfold_asked.connect(lambda: self.pair.set_merged(False))
        self.layers = TextLayers(self.context, self.pair)
        self.edits = EditLayer(self.context, self.pair, evidence)
        self.words = WordLayer(self.context, self.pair, evidence)
        self.common = CommonLayer(self.context, self.pair, evidence)
        self.pair.passage_chosen.connect(self.stepping.to_place)
        self.pair.shown_changed.connect(self._match_counts)
        self.excluding.changed.connect(self._show_counting)
        self.excluding.common_changed.connect(self.common.follow)
        self.excluding.common_changed.connect(self.spread.follow_common)
        self.suspects.menu_asked.connect(self.menus.suspect)
        self.pair.strip.menu_asked.connect(self.menus.source)
        self.questions.exclusion_asked.connect(self.excluding.ask)
        evidence.quote_clicked.connect(self.stepping.to_passage)
        evidence.why_asked.connect(self.questions.ask_why)
        evidence.holders_asked.connect(self.questions.show_holders)
        evidence.verdict.chosen.connect(verdicts.ask_shown)
        evidence.verdict.settled.connect(verdicts.settle)
        verdicts.judged.connect(self.stepping.after_verdict)
        for panel in (evidence.verdict, evidence.whole.verdict):
            panel.confirmed.connect(self.stepping.after_verdict)
        for panel in (evidence.verdict, evidence.whole.verdict, self.suspects.verdict):
            panel.note.left.connect(self.panels.leave_evidence)
            panel.reviewer_asked.connect(partial(self.context.actions.run, "review.reviewer"))
        for pane in (self.pair.left, self.pair.right):
            pane.menu_requested.connect(lambda place, pane=pane: self.questions.menu(pane, place))

    def _actions(self) -> list[Action]:
        opening, offer = self.opening, Offer(self.panels, self.opening)
        write_note = partial(opening.pace.do, self.evidence.write_note)
        return [
            *step_actions(offer, self.stepping),
            *text_actions(offer, self.pair, self.curve),
            *page_actions(offer, self.pages),
            *panel_actions(offer, self.panels, opening, self.stepping),
            *question_actions(offer, self.pair, self.questions, self.excluding),
            *report_actions(offer, self.reporter),
            *reviewer_actions(self.context, self.pair, offer),
            *run_actions(offer, opening, self.dialogs, Splitting(self.context, opening, self.pair)),
            case_action(offer, self.page_case),
            *verdict_actions(offer, self.verdicts, write_note, self.bulk, self.pair),
        ]

    # -- what is shown

    def open(self, run_id: int, a_key: int, b_key: int | None = None, match: Limits | None = None) -> None:
        """Show run ``run_id`` at suspect ``a_key`` (0: the first) against ``b_key`` (None: that of its first passage).

        Goes to ``match`` if the pair has it, else to its first match.
        """
        if a_key:
            self.panels.other.prefer_pairs()
        self.opening.request(run_id, a_key, b_key, match)
        self.load()

    def set_mode(self, mode: str) -> None:
        """ "compare": one pair large, with its dot plot; "matches": the list beside the pair."""
        self.panels.show_one_pair(mode == "compare")

    def is_ready(self) -> bool:
        """Whether everything requested is shown, including verdicts."""
        return super().is_ready() and not self._follow.isActive() and not self.scores.waiting()

    def load(self) -> None:
        """Read the run's lists again; the open pair remains open unless another has been requested."""
        self._follow.stop()
        self.opening.load()

    def follow(self, kinds: frozenset[str]) -> None:
        """Update only counts after verdicts; anything else may change all lists."""
        if kinds & self.kinds == {"labels"} and self.opening.has_run() and self.overview.viewer == viewer(self.context):
            self._follow.start()
        else:
            self.load()
            self.excluding.read()

    def flush(self) -> None:
        self.panels.flush()

    def _show_run(self, changed: bool) -> None:
        run, columns = self.overview.run, self.overview.columns
        if changed:
            self.suspects.model.forget_counted()
        if changed and run is not None and columns is not None:
            self._threshold.follow(run, TargetKind.PAIR if columns.whole else TargetKind.PASSAGE)

    def _show_pair(self, opened: PairData) -> None:
        self.verdicts.show_suspect(opened)
        self.excluding.show(opened)
        self.page_case.show(opened)
        if opened.last < self.overview.last:
            self.verdicts.follow()
        self.placed.emit()

    def _leave_scores(self, key: int) -> None:
        """Switch from documents by score to passages: those of document ``key`` if there are any."""
        self.panels.other.by_score(False, self.overview)
        if key in {row.key for row in self.overview.suspects}:
            self.opening.open_pair(key, None)

    def _match_counts(self) -> None:
        self.evidence.show_place(self.pair.place(), len(self.pair.shown))
        self.suspects.set_merged(self.pair.merged)
        self.context.actions.refresh()

    def _show_match(self, number: int) -> None:
        opened = self.pair.opened
        if opened is None:
            return
        self.evidence.show_match(opened, number, self.pair.place(), len(self.pair.shown), self.pair.edits)
        self.evidence.show_counting(self.excluding.counting(number))
        self.verdicts.show(number)
        self.context.actions.refresh()
        self.placed.emit()

    def _show_counting(self) -> None:
        """Show the counted shares of the suspect, and whether the active match counts."""
        self.suspects.show_shares(self.excluding.words, self.excluding.short_words)
        self.evidence.show_counting(self.excluding.counting(self.pair.active))

    # -- session

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.panels.fit(event.size())

    def save_state(self) -> dict[str, Any]:
        panels, opened = self.panels, self.pair.opened
        state: dict[str, Any] = {"text": self.pair.left.size_px, "sync": self.pair.sync.on}
        state |= {"merged": self.pair.merged, "pages": self.pages.save_state()}
        shown = self.pair.toolbar.shown_layers()
        state |= {"hidden": sorted(set(LAYERS) - shown - OFF_AT_FIRST), "layers": sorted(OFF_AT_FIRST & shown)}
        if panels.folds is not None:
            state["folded"] = panels.folds
        if (sizes := panels.body.chosen_sizes()) is not None:
            state["sizes"] = sizes
        if opened is not None:
            state["scroll"] = [self.pair.left.reading_offset(), self.pair.right.reading_offset()]
            place = {"run": opened.run.id, "a": opened.a.key, "b": opened.b.key}
            state |= place | {"match": self.pair.active_limits()}
        return state

    def restore_state(self, state: Mapping[str, Any]) -> None:
        self.panels.body.restore_sizes(state.get("sizes"))
        if isinstance(state.get("text"), int):
            self.pair.left.set_size(state["text"])
        if isinstance(state.get("sync"), bool):
            self.pair.sync.set_linked(state["sync"])
        if isinstance(state.get("merged"), bool):
            self.pair.set_merged(state["merged"])
        if isinstance(state.get("folded"), bool):
            self.panels.fold_scores(state["folded"])
        match state.get("pages"):
            case [bool() as on_left, bool() as on_right]:
                self.pages.restore_state((on_left, on_right))
        match state.get("hidden"):
            case [*names]:
                self.pair.toolbar.switch_layers(names, on=False)
        match state.get("layers"):
            case [*names]:
                self.pair.toolbar.switch_layers(names, on=True)
        scroll, limits = None, None
        match state.get("scroll"):
            case [int() | float() as left, int() | float() as right]:
                scroll = float(left), float(right)
        match state.get("match"):
            case [int(a_start), int(a_end), int(b_start), int(b_end)]:
                limits = a_start, a_end, b_start, b_end
        match [state.get(name) for name in ("run", "a", "b")]:
            case [int(run), int(a), int(b)]:
                self.opening.resume(run, a, b, limits, scroll)

    def key_hints(self) -> list[tuple[str, str]]:
        hints = [("review.next", tr("next match")), ("review.other-pane", tr("other pane"))]
        return [*hints, ("review.verdict-copy", tr("copy")), ("review.find", tr("find"))]

    def first_focus(self) -> QWidget | None:
        return self.pair.left if self.opening.has_run() else None

    def sizeHint(self) -> QSize:
        return QSize(1400, 860)
