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
from workbench.services.review.verdict_index import Held
from workbench.services.review.verdicts import expected_label, give_verdict

Told = Callable[[Opened, int, Label, bool], None]


class Judge:
    """Writes label events for matches. ``told(opened, number, label, again)`` follows every event.

    ``again``: it came from undo or redo.
    """

    def __init__(self, context: AppContext, told: Told) -> None:
        self._context, self._told = context, told

    def judge(self, opened: Opened, number: int, value: str, note: str, before: tuple[str, str]) -> bool:
        """Give match ``number`` a verdict ("" for none) and a note; ``before`` is what undo puts back.

        False when the project could not be written; the user was told.
        """
        if self._context.session is None:
            return False
        after = (value, note)
        try:
            self._write(opened, number, after, again=False)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return False
        words = state_words(value)[0] if value else tr("no verdict")
        pair = f"{opened.a.title or opened.a.id} – {opened.b.title or opened.b.id}"
        target = tr("match {number} of {pair}", number=number + 1, pair=pair)
        title = tr("{words} on {target}", words=words, target=target)
        if value == before[0]:
            title = tr("Note on {target}", target=target)
        self._context.history.push(
            title, lambda: self._write(opened, number, before), lambda: self._write(opened, number, after)
        )
        return True

    def _write(self, opened: Opened, number: int, state: tuple[str, str], *, again: bool = True) -> None:
        if self._context.session is None:
            return
        unit, who = unit_of(opened, number), self._context.settings.reviewer
        expected = expected_label(unit, state, who)
        label = self._context.change(lambda session: give_verdict(session, unit, *state, who), expected)
        self._told(opened, number, label, again)
        self._context.announce({"labels"})


def with_label(opened: Opened, number: int, label: Label) -> Opened:
    """``opened`` after ``label`` was given to match ``number``."""
    held = list(opened.held)
    held[number] = Held(label, carried=False) if label.value else None
    return replace(opened, held=tuple(held))


def with_held(opened: Opened, changed: Mapping[int, Held | None]) -> Opened:
    """``opened`` with other verdicts on the matches ``changed``."""
    return replace(opened, held=tuple(changed.get(number, held) for number, held in enumerate(opened.held)))
