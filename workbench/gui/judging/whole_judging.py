"""Verdicts on what is judged as a whole, pairs of documents and suspects: written at once, undone by appending."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.base.types import Label
from workbench.gui.i18n import tr
from workbench.gui.judging.eyes import eyes
from workbench.gui.judging.verdict_panel import VerdictPanel
from workbench.gui.judging.verdicts import pair_value, state_words
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.annotators import adjudicator
from workbench.services.labels.sets import VALUES
from workbench.services.review.judgement import Judgement
from workbench.services.review.verdicts import State, Unit, give_verdict, history, judgement_of
from workbench.services.session import Session

_Read = tuple[Judgement | None, list[Label]]


class WholeJudge(QObject):
    """Keeps ``verdict`` up to date with the labels of the shown unit, and writes the reviewer's verdicts.

    ``recalled`` when the labels of the unit were read, or cannot be.
    """

    recalled = Signal()

    def __init__(self, context: AppContext, verdict: VerdictPanel) -> None:
        super().__init__(verdict)
        self._context, self._verdict = context, verdict
        self._unit: Unit | None = None
        self._name = ""
        self._judgement: Judgement | None = None
        self._events: list[Label] = []
        self._state: State = ("", "")
        verdict.chosen.connect(self.give)
        verdict.noted.connect(self._note)
        verdict.settled.connect(self.settle)

    @property
    def judgement(self) -> Judgement | None:
        """What reviewers say of the shown unit, as it was read last."""
        return self._judgement

    def show_unit(self, unit: Unit, name: str = "") -> None:
        """Read the verdicts on ``unit``, which sentences call ``name``."""
        if unit == self._unit:
            self.read()
            return
        self._verdict.note.flush()
        self._unit, self._name = unit, name
        self._judgement, self._events, self._state = None, [], ("", "")
        self._show()
        self.read()

    def read(self) -> None:
        """Read the labels of the unit again."""
        unit = self._unit
        if unit is None:
            return

        def work(session: Session) -> _Read:
            return judgement_of(session, unit), history(session, unit)

        def show(read: _Read) -> None:
            if self._unit == unit:
                self._judgement, self._events = read
                own = [event for event in self._events if event.who == eyes(self._context).name]
                self._state = (own[-1].value, own[-1].note) if own else ("", "")
                self._show()
                self.recalled.emit()

        def failed(error: Exception) -> None:
            self._context.show_error(error)
            if self._unit == unit:
                self.recalled.emit()

        self._context.background(work, show, owner=self, failed=failed)

    def _show(self) -> None:
        reviewer = eyes(self._context)
        self._verdict.show_verdict(*self._state, carried=False)
        self._verdict.show_others(self._judgement, reviewer)
        hidden = reviewer.sees(self._judgement) is None and self._judgement is not None
        self._verdict.show_events([e for e in self._events if not hidden or e.who == reviewer.name])

    def give(self, value: str) -> None:
        """Give the unit a verdict: one of its own, or the one of a passage that has the same key.

        "" or the same again withdraws it.
        """
        if self._unit is None:
            return
        if self._unit.b:
            value = pair_value(value)
        self._verdict.note.flush()
        before = self._state
        known = value in VALUES[self._unit.label_set]
        self._judge(("" if value == before[0] or not known else value, before[1]))

    def settle(self, value: str) -> None:
        """Settle what holds where the reviewers' verdicts differ; "" leaves it open again."""
        if self._unit is None or self._judgement is None:
            return
        if self._unit.b:
            value = pair_value(value)
        before = "" if self._judgement.settled is None else self._judgement.settled.value
        value = "" if value == before else value
        title = tr("Settled as {words}", words=state_words(value)[0]) if value else tr("Left open again")
        self._make(self._unit, (before, ""), (value, ""), adjudicator(eyes(self._context).name), title)

    def _note(self, note: str) -> None:
        self._judge((self._state[0], note))

    def _judge(self, after: State) -> None:
        unit, before = self._unit, self._state
        if unit is None or self._context.session is None or after == before:
            self._verdict.show_verdict(*before, carried=False)
            return
        words = state_words(after[0])[0] if after[0] else tr("no verdict")
        target = tr("a pair") if unit.b else self._name or tr("a suspect")
        title = tr("{words} on {target}", words=words, target=target)
        if after[0] == before[0]:
            title = tr("Note on {target}", target=target)
        self._make(unit, before, after, eyes(self._context).name, title)

    def _make(self, unit: Unit, before: State, after: State, who: str, title: str) -> None:
        """Write ``after``, with ``before`` to be put back by undo."""
        try:
            self._write(unit, after, who)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            self._verdict.show_verdict(*self._state, carried=False)
            return
        undo, redo = partial(self._write, unit, before, who), partial(self._write, unit, after, who)
        self._context.history.push(title, undo, redo)

    def _write(self, unit: Unit, state: State, who: str) -> None:
        if self._context.session is None:
            return
        self._context.change(lambda session: give_verdict(session, unit, *state, who), None)
        if isValid(self) and self._unit == unit:
            if who == eyes(self._context).name:
                self._state = state
                self._verdict.show_verdict(*state, carried=False)
            self.read()
        self._context.announce({"labels"})
