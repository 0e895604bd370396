"""Giving verdicts and notes: written at once, undone by appending, never lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from workbench.base.errors import UserError
from workbench.base.types import Label
from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import state_words
from workbench.gui.screens.review.reading import Opened, unit_of
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.annotators import is_adjudicator
from workbench.services.review.judgement import Judgement, after
from workbench.services.review.verdicts import State, expected_label, give_verdict

Written = Callable[[Opened, int, Label, bool], None]


class Judge:
    """Writes label events for matches. ``written(opened, number, label, again)`` follows every event.

    ``again``: it came from undo or redo.
    """

    def __init__(self, context: AppContext, written: Written) -> None:
        self._context, self._written = context, written

    def judge(self, opened: Opened, number: int, state: State, before: State, who: str) -> bool:
        """Give match ``number`` the verdict ("" for none) and note of ``who``; ``before`` is what undo puts back.

        False when the project could not be written; the user was told.
        """
        if self._context.session is None:
            return False
        try:
            self._write(opened, number, state, who, again=False)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return False
        self._context.history.push(
            _title(opened, number, state, before, who),
            lambda: self._write(opened, number, before, who),
            lambda: self._write(opened, number, state, who),
        )
        return True

    def _write(self, opened: Opened, number: int, state: State, who: str, *, again: bool = True) -> None:
        if self._context.session is None:
            return
        unit = unit_of(opened, number)
        expected = expected_label(unit, state, who)
        label = self._context.change(lambda session: give_verdict(session, unit, *state, who), expected)
        self._written(opened, number, label, again)
        self._context.announce({"labels"})


def _title(opened: Opened, number: int, state: State, before: State, who: str) -> str:
    """What undo calls it."""
    pair = f"{opened.a.title or opened.a.id} – {opened.b.title or opened.b.id}"
    target = tr("match {number} of {pair}", number=number + 1, pair=pair)
    if state[0] == before[0]:
        return tr("Note on {target}", target=target)
    words = state_words(state[0])[0] if state[0] else tr("no verdict")
    if is_adjudicator(who):
        words = tr("Settled as {words}", words=words) if state[0] else tr("Left open again")
    return tr("{words} on {target}", words=words, target=target)


def with_label(opened: Opened, number: int, label: Label) -> Opened:
    """``opened`` after ``label`` was given to match ``number``."""
    return with_judgements(opened, {number: after(opened.judgements[number], label)})


def with_judgements(opened: Opened, changed: Mapping[int, Judgement | None]) -> Opened:
    """``opened`` with other judgements on the matches ``changed``."""
    judgements = list(opened.judgements)
    for number, judgement in changed.items():
        judgements[number] = judgement
    return replace(opened, judgements=tuple(judgements))
