"""Judging a unit (a passage, a pair or a suspect): verdict, note and history, written at once, undone by appending."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.base.types import Label
from workbench.gui.i18n import tr
from workbench.gui.judging.verdict_panel import VerdictPanel
from workbench.gui.judging.verdicts import state_words, viewer
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.sets import VALUES
from workbench.services.labels.targets import adjudicator, is_adjudicator
from workbench.services.labels.verdicts import on_a_pair
from workbench.services.review.judgement import Judgement, after
from workbench.services.review.verdicts import (
    State,
    Unit,
    expected_label,
    give_note,
    give_verdict,
    judged_events,
    judgement_of,
)
from workbench.services.session import Session

_Read = tuple[Judgement | None, list[tuple[Label, bool]]]


class Subject(NamedTuple):
    """The subject of a note, and the note's author. Messages call the subject ``name``."""

    unit: Unit
    who: str
    name: str


class UnitJudge(QObject):
    """Keeps ``panel`` up to date with the labels of the current unit, and writes those of its reviewer.

    A note is saved for the unit and reviewer it was typed for, even if another unit has become current. ``recalled`` is
    emitted when the labels of the unit have been read, or cannot be; ``written`` emits the unit, the event, and whether
    undo or redo wrote it.
    """

    recalled = Signal()
    written = Signal(object, object, bool)

    def __init__(self, context: AppContext, panel: VerdictPanel) -> None:
        super().__init__(panel)
        self._context, self._panel = context, panel
        self._subject: Subject | None = None
        self._last: tuple[Subject, str] | None = None
        """The last unit given a verdict, and its note at that time."""
        self._of_run = False
        self._events_known = False
        self._reading = False
        self._waiting: tuple[Unit, str] | None = None
        """A verdict on a unit whose note is not yet read."""
        self.judgement: Judgement | None = None
        """The reviewers' labels of the current unit, as far as known."""
        self.events: list[Label] = []
        """Every verdict and note on its text, oldest first."""
        self._elsewhere: list[Label] = []
        """Those on other texts of its documents."""
        panel.noted.connect(self._note)
        context.project_changed.connect(self._forget)

    def _forget(self) -> None:
        """Start over for another project; notes were saved when the previous one was closed."""
        self._subject = self._last = self._waiting = self.judgement = None
        self.events, self._elsewhere, self._reading = [], [], False
        self._panel.note.forget()

    # -- the current unit

    def show_unit(self, unit: Unit, name: str) -> None:
        """Make ``unit``, which messages call ``name``, the current one, and read its labels."""
        self._set_unit(unit, name, of_run=False)

    def show_of_run(self, unit: Unit, name: str, judgement: Judgement | None) -> None:
        """Make a passage of a run the current unit; its ``judgement`` depends on the other passages of the run."""
        self._set_unit(unit, name, judgement, of_run=True)

    def _set_unit(self, unit: Unit, name: str, judgement: Judgement | None = None, *, of_run: bool) -> None:
        subject = Subject(unit, viewer(self._context).name, name)
        if subject != self._subject:
            self._subject, self.judgement, self._events_known = subject, None, False
            self.events, self._elsewhere = [], []
        self._of_run = of_run
        if of_run:
            self.judgement = judgement
        self._show()
        self.read()

    def read(self) -> None:
        """Read the labels of the current unit again."""
        if self._subject is None:
            return
        unit, judgement, of_run = self._subject.unit, self.judgement, self._of_run
        self._reading = True

        def work(session: Session) -> _Read:
            return (judgement if of_run else judgement_of(session, unit)), judged_events(session, unit, judgement)

        def show(read: _Read) -> None:
            (self.judgement, events), self._events_known, self._reading = read, True, False
            self.events = [event for event, of_text in events if of_text]
            self._elsewhere = [event for event, of_text in events if not of_text]
            self._show()
            self.recalled.emit()
            if (waiting := self._waiting) is not None and waiting[0] == unit:
                self.give(waiting[1])

        def failed(error: Exception) -> None:
            self._context.show_error(error)
            self._reading = False
            self.recalled.emit()

        self._context.latest(self, "labels", work, show, failed)

    @property
    def own(self) -> Label | None:
        """The reviewer's own verdict on the current unit."""
        return None if self.judgement is None else self.judgement.own(viewer(self._context).name)

    @property
    def _carried(self) -> bool:
        return self.own is not None and self.judgement is not None and self.own.who in self.judgement.carried

    @property
    def _is_of_unit(self) -> bool:
        """Whether the reviewer's own verdict was given for exactly the current unit."""
        return self.own is not None and self._subject is not None and self.own.target == self._subject.unit.target

    def _state(self) -> State:
        """The reviewer's label of the current unit; a note may exist without a verdict."""
        if self.own is not None:
            return self.own.value, self.own.note
        who = viewer(self._context).name
        return "", next((event.note for event in reversed(self.events) if event.who == who), "")

    def _show(self) -> None:
        if self._subject is None:
            return
        reviewer = viewer(self._context)
        self._panel.show_verdict(self._subject, *self._state(), carried=self._carried)
        self._panel.show_others(self.judgement, reviewer)
        hidden = reviewer.blind and self.own is None
        events, elsewhere = (
            [e for e in of if not hidden or e.who == reviewer.name] for of in (self.events, self._elsewhere)
        )
        self._panel.show_events(events, elsewhere, judged=self.judgement is not None)

    # -- verdicts

    def give(self, value: str) -> bool:
        """Give the current unit a verdict, or the corresponding one with the same key; "" withdraws it.

        Returns whether the unit has one now. The verdict that it has already is written again only if it was given
        for another place or text.
        """
        if self._subject is None:
            return False
        self._panel.note.flush()
        if not self._of_run and not self._events_known:
            self._waiting = self._subject.unit, value
            if not self._reading:  # The events could not be read; the verdict waits for them.
                self.read()
            return False
        self._waiting = None
        value = self._value(value)
        now, note = self._state()
        self.remember()
        if value == now and (not value or self._is_of_unit):
            self._show()
            return bool(value)
        return self._make((now, note), (value, note), viewer(self._context).name) and bool(value)

    def _value(self, value: str) -> str:
        assert self._subject is not None
        unit = self._subject.unit
        if unit.b and unit.spans is None:
            value = on_a_pair(value)
        return value if value in VALUES[unit.label_set] else ""

    def settle(self, value: str) -> None:
        """Settle the verdict of a conflict; "" reopens it."""
        judgement = viewer(self._context).sees(self.judgement)
        if self._subject is None or judgement is None or not (judgement.conflict or judgement.settled):
            return
        value = self._value(value)
        before = ("", "") if judgement.settled is None else (judgement.settled.value, judgement.settled.note)
        if value == before[0]:
            self._show()
            return
        self._make(before, (value, before[1]), adjudicator(viewer(self._context).name))

    def _make(self, before: State, state: State, who: str) -> bool:
        """Write ``state`` of the current unit, with ``before`` to be restored by undo. Returns whether it could be
        written.
        """
        subject = self._subject
        if subject is None or self._context.session is None:
            self._show()
            return False
        try:
            self._write(subject, state, who)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            self._show()
            return False
        words = state_words(state[0])[0] if state[0] else tr("no verdict")
        title = tr("{words} on {target}", words=words, target=subject.name)
        if is_adjudicator(who):
            title = tr("Settled as {words}", words=words) if state[0] else tr("Reopened")
        self._undoable(title, subject, before, state, who)
        return True

    def _undoable(self, title: str, subject: Subject, before: State, state: State, who: str) -> None:
        self._context.history.push(
            title,
            lambda: self._write(subject, before, who, again=True),
            lambda: self._write(subject, state, who, again=True),
        )

    def _write(self, subject: Subject, state: State, who: str, *, again: bool = False) -> None:
        if self._context.session is None:
            return
        unit = subject.unit
        expected = expected_label(unit, state, who)
        label = self._context.change(lambda session: give_verdict(session, unit, *state, who), expected)
        self._wrote(subject, label, again=again)

    def _wrote(self, subject: Subject, label: Label, *, again: bool = False) -> None:
        """Show a written event."""
        # The view may have been replaced by one in another language, which reads the event itself.
        if isValid(self):
            if self._subject is not None and subject.unit == self._subject.unit:
                carried = self.judgement is not None and label.who in self.judgement.carried
                self.judgement, self.events = after(self.judgement, label), [*self.events, label]
                self._show()
                if carried or not self._of_run or self._reading:
                    self.read()
            self.written.emit(subject.unit, label, again)
        self._context.announce({"labels"})

    # -- notes

    def remember(self) -> None:
        """Record that the current unit was the last one given a verdict."""
        if self._subject is not None:
            self._last = self._subject, self._state()[1]

    def write_note_on_last(self) -> bool:
        """Open the note on the last unit given a verdict, which may no longer be visible. Returns whether there
        is one.
        """
        if self._last is None:
            return False
        self._panel.note.edit_other(*self._last)
        return True

    def _note(self, subject: Subject, note: str) -> None:
        """Save ``note``, typed for ``subject``, without changing the verdict."""
        if self._context.session is None:
            return
        unit, who = subject.unit, subject.who
        at_hand = subject == self._subject
        known = self._state() if at_hand else ("", "")
        carried = known[0] if at_hand and self._carried else ""
        before = self._last[1] if self._last is not None and self._last[0] == subject else known[1]
        try:
            expected = expected_label(unit, (known[0], note), who)
            label = self._context.change(lambda session: give_note(session, unit, note, who, carried), expected)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        if self._last is not None and self._last[0] == subject:
            self._last = subject, note
        self._wrote(subject, label)
        title = tr("Note on {target}", target=subject.name)
        self._undoable(title, subject, (label.value, before), (label.value, note), who)
