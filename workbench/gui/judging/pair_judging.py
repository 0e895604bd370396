"""Verdicts on pairs of whole documents: written at once, undone by appending."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Signal

from workbench.base.errors import UserError
from workbench.base.types import Label
from workbench.gui.i18n import tr
from workbench.gui.judging.verdict_panel import VerdictPanel
from workbench.gui.judging.verdicts import pair_value, state_words
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.sets import PAIR_VALUES
from workbench.services.review.verdicts import Unit, give_verdict, history


class _Named(Protocol):
    @property
    def id(self) -> str: ...


class JudgedPair(Protocol):
    """Two documents with their ids."""

    @property
    def a(self) -> _Named:
        """The one."""
        ...

    @property
    def b(self) -> _Named:
        """The other."""
        ...


class PairJudge(QObject):
    """Keeps ``verdict`` up to date with the labels of the shown pair, and writes the reviewer's verdicts.

    ``recalled`` when the labels of the pair were read, or cannot be.
    """

    recalled = Signal()

    def __init__(self, context: AppContext, verdict: VerdictPanel) -> None:
        super().__init__(verdict)
        self._context, self._verdict = context, verdict
        self._pair: JudgedPair | None = None
        self._state = ("", "")
        verdict.chosen.connect(self.give)
        verdict.noted.connect(self._note)

    def show_pair(self, pair: JudgedPair) -> None:
        """Read the verdicts on ``pair``."""
        self._pair, self._state = pair, ("", "")
        self._verdict.show_verdict("", "", carried=False)
        self._verdict.show_events([])
        self.read()

    def read(self) -> None:
        """Read the labels of the pair again."""
        pair = self._pair
        if pair is None:
            return

        def show(events: list[Label]) -> None:
            if self._pair is pair:
                self._state = (events[-1].value, events[-1].note) if events else ("", "")
                self._verdict.show_verdict(*self._state, carried=False)
                self._verdict.show_events(events)
                self.recalled.emit()

        def failed(error: Exception) -> None:
            self._context.show_error(error)
            if self._pair is pair:
                self.recalled.emit()

        unit = Unit(pair.a.id, pair.b.id)
        self._context.background(lambda session: history(session, unit), show, owner=self, failed=failed)

    def give(self, value: str) -> None:
        """Give the pair a verdict: of a pair, or the one of a passage that has the same key.

        "" or the same again withdraws it.
        """
        value = pair_value(value)
        self._verdict.note.flush()
        before = self._state
        self._judge(("" if value == before[0] or value not in PAIR_VALUES else value, before[1]))

    def _note(self, note: str) -> None:
        self._judge((self._state[0], note))

    def _judge(self, after: tuple[str, str]) -> None:
        pair, before = self._pair, self._state
        if pair is None or self._context.session is None or after == before:
            self._verdict.show_verdict(*before, carried=False)
            return
        try:
            self._write(pair, after)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            self._verdict.show_verdict(*before, carried=False)
            return
        words = state_words(after[0])[0] if after[0] else tr("no verdict")
        title = tr("Note on a pair") if after[0] == before[0] else tr("{words} on a pair", words=words)
        self._context.history.push(title, lambda: self._write(pair, before), lambda: self._write(pair, after))

    def _write(self, pair: JudgedPair, state: tuple[str, str]) -> None:
        if self._context.session is None:
            return
        unit, who = Unit(pair.a.id, pair.b.id), self._context.settings.reviewer
        self._context.change(lambda session: give_verdict(session, unit, *state, who), None)
        if self._pair is pair:
            self._state = state
            self._verdict.show_verdict(*state, carried=False)
            self.read()
        self._context.announce({"labels"})
