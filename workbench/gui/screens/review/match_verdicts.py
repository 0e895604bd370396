"""Verdicts and notes in Review: on the match that is shown, and on the rows that are selected in the table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from workbench.base.types import Label
from workbench.gui.judging.eyes import eyes
from workbench.gui.judging.whole_judging import WholeJudge
from workbench.gui.screens.review.excluding import Excluding
from workbench.gui.screens.review.judging import Judge, with_judgements, with_label
from workbench.gui.screens.review.opening import Opening
from workbench.gui.screens.review.panels import Panels
from workbench.gui.screens.review.reading import Opened, unit_of
from workbench.gui.screens.review.table_judging import judge_rows
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.annotators import adjudicator
from workbench.services.review.judgement import Judgement
from workbench.services.review.overview import Followed, OpenPair, follow_verdicts
from workbench.services.review.verdicts import State, Unit, history


class MatchVerdicts(QObject):
    """Keeps the verdicts beside the active match up to date and writes what is decided.

    ``judged``: the active match was given a verdict.
    """

    judged = Signal()

    def __init__(self, context: AppContext, panels: Panels, opening: Opening, excluding: Excluding) -> None:
        super().__init__(panels)
        self._context, self._panels, self._opening, self._excluding = context, panels, opening, excluding
        excluding.was_read.connect(self.follow)
        self._judge = Judge(context, self._labelled)
        self.whole = WholeJudge(context, panels.evidence.whole.verdict)
        self.whole.recalled.connect(partial(opening.pace.recalls, False))
        self.decision = WholeJudge(context, panels.suspects.verdict)
        self._events: list[Label] = []
        self._recalled = False
        """Whether the events on the match that is shown are known."""
        self._noted: tuple[Opened, int] | None = None
        self._following = self._again = False
        """Whether what the label log has gained is being read, and whether it has gained more meanwhile."""

    def show_suspect(self, opened: Opened) -> None:
        """Show the verdict on the suspect itself and, where pairs are judged as a whole, that on the pair."""
        self.decision.show_unit(Unit(opened.a.id), opened.a.title or opened.a.id)
        if opened.whole:
            self._opening.pace.recalls(True)
            self.whole.show_unit(Unit(opened.a.id, opened.b.id))

    def show(self, number: int) -> None:
        """The verdicts on match ``number`` at once, their history when it is read."""
        panels, pace = self._panels, self._opening.pace
        opened = panels.pair.opened
        if opened is None:
            return
        judgement, who = opened.judgements[number], eyes(self._context).name
        own = None if judgement is None else judgement.own(who)
        place = (opened, number)
        self._noted, self._events, self._recalled = place, [], False
        # Without a verdict there may still be a note.
        pace.recalls(own is None)
        self._draw(judgement)
        panel = panels.evidence.verdict
        panel.show_events([])

        def show(events: list[Label]) -> None:
            if self._noted is place:
                self._events, self._recalled = events, True
                self._show_events(judgement)
                mine = [event for event in events if event.who == who]
                if own is None and mine and not panel.note.hasFocus():
                    panel.show_verdict("", mine[-1].note, carried=False)
                pace.recalls(False)

        def failed(error: Exception) -> None:
            self._context.show_error(error)
            if self._noted is place:
                pace.recalls(False)

        unit = unit_of(opened, number)
        self._context.background(lambda session: history(session, unit, judgement), show, owner=self, failed=failed)

    def _draw(self, judgement: Judgement | None) -> None:
        """One's own verdict, and what others say."""
        reviewer, panel = eyes(self._context), self._panels.evidence.verdict
        own = None if judgement is None else judgement.own(reviewer.name)
        value, note = ("", "") if own is None else (own.value, own.note)
        panel.show_verdict(
            value, note, carried=own is not None and judgement is not None and own.who in judgement.carried
        )
        panel.show_others(judgement, reviewer)

    def _show_events(self, judgement: Judgement | None) -> None:
        """The history, without what a blind reviewer may not see yet."""
        reviewer = eyes(self._context)
        hidden = reviewer.blind and (judgement is None or judgement.own(reviewer.name) is None)
        self._panels.evidence.verdict.show_events([e for e in self._events if not hidden or e.who == reviewer.name])

    def follow(self) -> None:
        """Show the verdicts that the label log has gained, whoever gave them, and what counts after them."""
        if self._following:
            self._again = True
            return
        self._following, self._again = True, False
        panels, opening = self._panels, self._opening
        before, opened, counted = opening.overview, panels.pair.opened, self._excluding.counted
        pair = None if opened is None else OpenPair(opened.a.id, opened.b.id, opened.matches, opened.last)

        def show(read: Followed) -> None:
            self._following = False
            current = panels.pair.opened
            same = current is opened or (current is not None and current.has_matches_of(opened))
            unread = self._again or opening.overview is not before or not same
            if unread or self._excluding.counted is not counted:
                self.follow()
                return
            opening.overview = read.overview
            if read.overview.judged is not before.judged:
                opening.show_judged(read.overview)
            self._show_changed(read)
            if read.counted is not None:
                self._excluding.show_counted(read.counted)

        def failed(error: Exception) -> None:
            self._following = False
            self._context.show_error(error)

        self._context.background(
            lambda session: follow_verdicts(session, before, pair, counted), show, owner=self, failed=failed
        )

    def _show_changed(self, read: Followed) -> None:
        """Show other verdicts on the open suspect, and on matches of the open pair."""
        opened, active = self._panels.pair.opened, self._panels.pair.active
        if opened is None:
            return
        if read.decided:
            self.decision.read()
        if opened.whole:
            self.whole.read()
        before = opened.judgements[active] if active >= 0 else None
        self._panels.pair.opened = replace(with_judgements(opened, read.changed), last=read.overview.last)
        if read.changed.get(active, before) != before and not self._panels.evidence.verdict.note.hasFocus():
            self.show(active)

    def ask(self, value: str) -> None:
        """Give what is visibly current, or the match of the pair being read, a verdict.

        "" or the same again withdraws it.
        """
        self._opening.pace.do(lambda: self.give(value), recalled=not self._panels.table_shown())

    def ask_shown(self, value: str) -> None:
        """The verdict of a button, which is one on what is seen, also while another pair is being read."""
        if self._opening.pace.reading:
            self.give(value)
        else:
            self.ask(value)

    def ask_decision(self, value: str) -> None:
        """Give the open suspect its own verdict, which alone closes it; the same again withdraws it."""
        self._opening.pace.do(lambda: self.decision.give(value))

    def ask_settled(self, value: str) -> None:
        """Settle what holds for the shown match; the same again leaves it open."""
        self._opening.pace.do(lambda: self.settle(value))

    def give(self, value: str) -> None:
        """Give what is visibly current a verdict: the selected rows of the table, else the active match or pair."""
        panels = self._panels
        if panels.table_shown():
            self._give_rows(value)
            return
        panels.evidence.flush()
        opened, number = panels.pair.opened, panels.pair.active
        if opened is not None and opened.whole:
            self.whole.give(value)
        if opened is None or number < 0:
            return
        if len(parts := panels.pair.parts()) > 1:
            self._give_parts(opened, parts, value)
            return
        who = eyes(self._context).name
        before = self._state(opened, number)
        judgement = opened.judgements[number]
        carried = judgement is not None and who in judgement.carried
        value = "" if value == before[0] and not carried else value
        if not self._judge.judge(opened, number, (value, before[1]), before, who):
            self.show(number)
        elif value:
            self.judged.emit()

    def current(self) -> Judgement | None:
        """What the reviewer may see of the judgement on the active match, or on the open pair as a whole."""
        opened, number = self._panels.pair.opened, self._panels.pair.active
        if opened is not None and opened.whole:
            return eyes(self._context).sees(self.whole.judgement)
        return opened.judgements[number] if opened is not None and number >= 0 else None

    def settle(self, value: str) -> None:
        """Settle what holds for the active match, or the open pair, beside the reviewers' verdicts."""
        opened, number = self._panels.pair.opened, self._panels.pair.active
        if opened is not None and opened.whole:
            self.whole.settle(value)
            return
        judgement = self.current()
        if opened is None or judgement is None or not (judgement.conflict or judgement.settled):
            return
        before = ("", "") if judgement.settled is None else (judgement.settled.value, judgement.settled.note)
        value = "" if value == before[0] else value
        self._judge.judge(opened, number, (value, before[1]), before, adjudicator(eyes(self._context).name))

    def _give_rows(self, value: str) -> None:
        """Give the selected rows a verdict; the table shows it at once."""
        self.give_all(self._panels.table.chosen_rows(), value)

    def _give_parts(self, opened: Opened, parts: list[int], value: str) -> None:
        """Give all ``parts`` of the active passage one verdict."""
        columns = self._opening.overview.columns
        if columns is None:
            return
        rows = [columns.row_of(opened.a.key, opened.b.key, opened.limits(part)) for part in parts]
        rows = [row for row in rows if row >= 0]
        self.give_all(rows, value)
        judged = self._opening.overview.judged
        if value and judged is not None and all(judged.value(row) == value for row in rows):
            self.judged.emit()

    def give_all(self, rows: list[int], value: str) -> None:
        """Give the matches in ``rows`` of the run's columns one verdict, taken back by one undo."""
        overview = self._opening.overview
        columns, judged = overview.columns, overview.judged
        if columns is not None and judged is not None:
            after = judge_rows(self._context, columns, judged, rows, value)
            self._opening.show_judged(replace(overview, judged=after))
            self._context.announce({"labels"})

    def note(self, note: str) -> None:
        """Give a note to the match whose note was in the field, which may be left by now; its verdict stays."""
        if self._noted is None:
            return
        opened, number = self._noted
        current = self._panels.pair.opened
        opened = current if current is not None and current.is_of(opened) else opened
        before = self._state(opened, number)
        self._judge.judge(opened, number, (before[0], note), before, eyes(self._context).name)

    def _state(self, opened: Opened, number: int) -> State:
        """One's own verdict and note as stored of the match whose note is in the field."""
        who = eyes(self._context).name
        judgement = opened.judgements[number]
        own = None if judgement is None else judgement.own(who)
        if own is not None:
            return own.value, own.note
        mine = [event for event in self._events if event.who == who]
        return "", mine[-1].note if mine else ""

    def _labelled(self, opened: Opened, number: int, label: Label, again: bool) -> None:
        """An event was written: show it; one from undo or redo also brings its match back."""
        # The view may be gone, and another, in another language, in its place: it reads the event by itself.
        if not isValid(self._panels):
            return
        pair = self._panels.pair
        if pair.opened is None or not pair.opened.is_of(opened):
            return
        before = pair.opened.judgements[number]
        pair.opened = with_label(pair.opened, number, label)
        if pair.active == number and self._recalled and (before is None or label.who not in before.carried):
            self._noted, self._events = (pair.opened, number), [*self._events, label]
            self._draw(pair.opened.judgements[number])
            self._show_events(pair.opened.judgements[number])
        elif pair.active == number:
            self.show(number)
        elif again:
            pair.go_to(number)
