"""Verdicts on pairs of whole documents: written at once, undone by appending."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.base.errors import UserError
from workbench.base.types import Label
from workbench.gui.context import AppContext
from workbench.gui.i18n import tr
from workbench.gui.views.review.pair_evidence import PairEvidence
from workbench.gui.views.review.reading import Opened
from workbench.gui.views.review.verdicts import pair_looks, state_words, verdict_looks
from workbench.services.whole_pairs import PAIR_VALUES, pair_history, set_pair_verdict


class PairJudge(QObject):
    """Keeps ``shown`` up to date with the labels of the pair it shows, and writes what is said there."""

    def __init__(self, context: AppContext, shown: PairEvidence) -> None:
        super().__init__(shown)
        self._context, self._shown = context, shown
        self._opened: Opened | None = None
        self._state = ("", "")
        shown.verdict.chosen.connect(self.give)
        shown.verdict.noted.connect(self._note)

    def show_pair(self, opened: Opened) -> None:
        """Show ``opened`` and read what was said of it."""
        self._opened, self._state = opened, ("", "")
        self._shown.show_pair(opened)
        self._read()

    def _read(self) -> None:
        opened = self._opened
        if opened is None:
            return

        def show(events: list[Label]) -> None:
            if self._opened is opened:
                self._state = (events[-1].value, events[-1].note) if events else ("", "")
                self._shown.verdict.show_verdict(*self._state, carried=False)
                self._shown.verdict.show_events(events)

        self._context.background(lambda session: pair_history(session, opened.a.id, opened.b.id), show, owner=self)

    def give(self, value: str) -> None:
        """Give the pair a verdict: of a pair, or the one of a passage that has the same key.

        "" or the same again withdraws it.
        """
        keys = {look.value: look.key for look in verdict_looks()}
        value = {look.key: look.value for look in pair_looks()}.get(keys.get(value, ""), value)
        self._shown.verdict.note.flush()
        before = self._state
        self._judge(("" if value == before[0] or value not in PAIR_VALUES else value, before[1]))

    def _note(self, note: str) -> None:
        self._judge((self._state[0], note))

    def _judge(self, after: tuple[str, str]) -> None:
        opened, before = self._opened, self._state
        if opened is None or self._context.session is None or after == before:
            self._shown.verdict.show_verdict(*before, carried=False)
            return
        try:
            self._write(opened, after)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            self._shown.verdict.show_verdict(*before, carried=False)
            return
        words = state_words(after[0])[0] if after[0] else tr("no verdict")
        title = tr("{words} on a pair", words=words)
        self._context.history.push(title, lambda: self._write(opened, before), lambda: self._write(opened, after))

    def _write(self, opened: Opened, state: tuple[str, str]) -> None:
        session = self._context.session
        if session is None:
            return
        set_pair_verdict(session, opened.a.id, opened.b.id, *state, self._context.settings.reviewer)
        if self._opened is opened:
            self._state = state
            self._shown.verdict.show_verdict(*state, carried=False)
            self._read()
        self._context.announce({"labels"})
