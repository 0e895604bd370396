"""Verdicts on the rows that are selected in the table of all matches: one change, one undo."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.gui.i18n import tr, trn
from workbench.gui.judging.eyes import eyes
from workbench.gui.judging.verdicts import state_words
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.verdicts import on_a_pair
from workbench.services.review.overview import Judged, RunColumns, ShownVerdict
from workbench.services.review.verdicts import State, judge, restore
from workbench.services.session import Session


def judge_rows(context: AppContext, columns: RunColumns, judged: Judged, rows: Sequence[int], value: str) -> Judged:
    """Give the matches (or pairs) in ``rows`` of ``columns`` a verdict ("" for none); undo gives each back its own.

    Where all of them have it already, by what is ``judged``, it is withdrawn. What is judged then.
    """
    if not rows or context.session is None:
        return judged
    if columns.whole:
        value = on_a_pair(value)
    if all(judged.value(row) == value and judged.own[row] and not judged.carried[row] for row in rows):
        value = ""
    units, who = [columns.unit(row) for row in rows], eyes(context).name
    # Filled when the change is made; undo is made after it.
    before: list[State] = []

    def keep(session: Session) -> None:
        before[:] = judge(session, units, value, who)

    def give() -> None:
        context.change_later(keep)
        context.announce({"labels"})

    def take_back() -> None:
        context.change_later(lambda session: restore(session, units, before, who) if before else None)
        context.announce({"labels"})

    context.change_later(keep)
    words = state_words(value)[0] if value else tr("no verdict")
    title = tr("{words} on {target}", words=words, target=_target(columns, rows))
    context.history.push(title, take_back, give)
    context.say_undoable(title)
    return judged.after(columns, dict.fromkeys(rows, ShownVerdict(value, own=bool(value))))


def _target(columns: RunColumns, rows: Sequence[int]) -> str:
    """What ``rows`` are called in a sentence."""
    if len(rows) > 1 and columns.whole:
        return trn("{count} pair", "{count} pairs", len(rows))
    if len(rows) > 1:
        return trn("{count} match", "{count} matches", len(rows))
    a, b, number = columns.place(rows[0])
    pair = f"{columns.title(a)} – {columns.title(b)}"
    return pair if columns.whole else tr("match {number} of {pair}", number=number + 1, pair=pair)
