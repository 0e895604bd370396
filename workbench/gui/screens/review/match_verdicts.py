"""Verdicts and notes in Review: on the match that is shown, and on the rows that are selected in the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from workbench.base.types import Label
from workbench.gui.judging.pace import Pace
from workbench.gui.judging.pair_judging import PairJudge
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.judging import Judge, with_held, with_label
from workbench.gui.screens.review.match_table_panel import MatchTablePanel
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import Opened, unit_of
from workbench.gui.screens.review.table_judging import judge_rows
from workbench.gui.workspace.context import AppContext
from workbench.services.review.overview import Overview, follow_verdicts
from workbench.services.review.verdict_index import Held
from workbench.services.review.verdicts import history


class Screen(Protocol):
    """What verdicts need of the screen."""

    pair: PairPanel
    pace: Pace
    table: MatchTablePanel
    evidence: EvidencePanel
    overview: Overview

    def table_shown(self) -> bool:
        """Whether the table of all matches is shown."""

    def show_judged(self, overview: Overview) -> None:
        """Show what was judged on the lists."""


class MatchVerdicts:
    """Keeps the verdict beside the active match of ``view`` up to date and writes what is decided."""

    def __init__(self, context: AppContext, view: Screen) -> None:
        self._context, self._view = context, view
        self._judge = Judge(context, self._labelled)
        self.whole = PairJudge(context, view.evidence.whole.verdict)
        self._events: list[Label] = []
        self._recalled = False
        """Whether the events on the match that is shown are known."""
        self._noted: tuple[Opened, int] | None = None
        self._following = self._again = False
        """Whether what the label log has gained is being read, and whether it has gained more meanwhile."""

    def show(self, number: int) -> None:
        """The verdict of match ``number`` at once, its history when it is read."""
        view = self._view
        opened = view.pair.opened
        if opened is None:
            return
        held = opened.held[number]
        place = (opened, number)
        self._noted, self._events, self._recalled = place, [], False
        # Without a verdict there may still be a note.
        view.pace.recalls(held is None)
        panel = view.evidence.verdict
        value, note = ("", "") if held is None else (held.label.value, held.label.note)
        panel.show_verdict(value, note, carried=held is not None and held.carried)
        panel.show_events([])

        def show(events: list[Label]) -> None:
            if self._noted is place:
                self._events, self._recalled = events, True
                panel.show_events(events)
                if held is None and events and not panel.note.hasFocus():
                    panel.show_verdict("", events[-1].note, carried=False)
                view.pace.recalls(False)

        def failed(error: Exception) -> None:
            self._context.show_error(error)
            if self._noted is place:
                view.pace.recalls(False)

        unit = unit_of(opened, number)
        self._context.background(lambda session: history(session, unit, held), show, owner=view.evidence, failed=failed)

    def follow(self) -> None:
        """Show the verdicts that the label log has gained, whoever gave them."""
        if self._following:
            self._again = True
            return
        self._following, self._again = True, False
        view, before, opened = self._view, self._view.overview, self._view.pair.opened
        pair = None if opened is None else (opened.a.id, opened.b.id, opened.matches)

        def show(read: tuple[Overview, dict[int, Held | None]]) -> None:
            self._following = False
            after, changed = read
            current = view.pair.opened
            same = current is opened or (current is not None and opened is not None and current.is_of(opened))
            if self._again or view.overview is not before or not same:
                self.follow()
                return
            view.overview = after
            if after.judged is not before.judged:
                view.show_judged(after)
                self._show_changed(changed)

        def failed(error: Exception) -> None:
            self._following = False
            self._context.show_error(error)

        self._context.background(
            lambda session: follow_verdicts(session, before, pair), show, owner=view.evidence, failed=failed
        )

    def _show_changed(self, changed: dict[int, Held | None]) -> None:
        """Show other verdicts on matches of the open pair, by their numbers."""
        opened, active = self._view.pair.opened, self._view.pair.active
        if opened is None:
            return
        if opened.whole:
            self.whole.read()
        before = opened.held[active] if active >= 0 else None
        self._view.pair.opened = with_held(opened, changed)
        if changed.get(active, before) != before and not self._view.evidence.verdict.note.hasFocus():
            self.show(active)

    def give(self, value: str) -> None:
        """Give what is visibly current a verdict: the selected rows of the table, else the active match or pair."""
        view = self._view
        if view.table_shown():
            self._give_rows(value)
            return
        view.evidence.flush()
        opened, number = view.pair.opened, view.pair.active
        if opened is not None and opened.whole:
            self.whole.give(value)
        if opened is None or number < 0:
            return
        before, held = self._state(opened, number), opened.held[number]
        carried = held is not None and held.carried
        value = "" if value == before[0] and not carried else value
        if not self._judge.judge(opened, number, value, before[1], before):
            self.show(number)

    def _give_rows(self, value: str) -> None:
        """Give the selected rows a verdict; the table shows it at once."""
        view = self._view
        columns, judged = view.overview.columns, view.overview.judged
        if columns is not None and judged is not None:
            after = judge_rows(self._context, columns, judged, view.table.chosen_rows(), value)
            view.show_judged(replace(view.overview, judged=after))
            self._context.announce({"labels"})

    def note(self, note: str) -> None:
        """Give a note to the match whose note was in the field, which may be left by now; its verdict stays."""
        if self._noted is None:
            return
        opened, number = self._noted
        current = self._view.pair.opened
        opened = current if current is not None and current.is_of(opened) else opened
        before = self._state(opened, number)
        self._judge.judge(opened, number, before[0], note, before)

    def _state(self, opened: Opened, number: int) -> tuple[str, str]:
        """Verdict and note as stored of the match whose note is in the field."""
        held = opened.held[number]
        if held is not None:
            return held.label.value, held.label.note
        return "", self._events[-1].note if self._events else ""

    def _labelled(self, opened: Opened, number: int, label: Label, again: bool) -> None:
        """An event was written: show it; one from undo or redo also brings its match back."""
        pair = self._view.pair
        if pair.opened is None or not pair.opened.is_of(opened):
            return
        before = pair.opened.held[number]
        pair.opened = with_label(pair.opened, number, label)
        if pair.active == number and self._recalled and (before is None or not before.carried):
            self._noted, self._events = (pair.opened, number), [*self._events, label]
            self._view.evidence.verdict.show_verdict(label.value, label.note, carried=False)
            self._view.evidence.verdict.show_events(self._events)
        elif pair.active == number:
            self.show(number)
        elif again:
            pair.go_to(number)
