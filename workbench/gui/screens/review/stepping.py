"""Next and previous match beyond the open pair: on to the suspect's other sources, then to other suspects."""

from __future__ import annotations

from typing import Protocol

from workbench.gui.i18n import tr
from workbench.gui.judging.pace import Pace
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.match_table_panel import MatchTablePanel
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import FIRST, LAST, Limits, Opened
from workbench.gui.screens.review.suspect_panel import SuspectPanel
from workbench.gui.workspace.context import AppContext
from workbench.services.review.pairs import LAST_SOURCE


class Steps(Protocol):
    """What a step needs of the screen."""

    context: AppContext
    pace: Pace
    pair: PairPanel
    table: MatchTablePanel
    suspects: SuspectPanel
    evidence: EvidencePanel

    def table_shown(self) -> bool:
        """Whether the table of all matches is shown."""

    def open_pair(self, a_key: int, b_key: int | None, match: int | Limits = FIRST) -> None:
        """Open another pair."""


def step_match(view: Steps, by: int) -> None:
    """Go to the next (1) or previous (-1) match of the run, in the order of the list; at the end, say so.

    While a pair is being read, the step is put off.
    """
    view.pace.do(lambda: _step(view, by))


def to_end(view: Steps, *, last: bool) -> None:
    """Go to the first or last match of what is shown: the pair, or the table."""
    view.pace.do(lambda: (view.table if view.table_shown() else view.pair).go_to_end(last=last))


def _step(view: Steps, by: int) -> None:
    pair = view.pair
    if view.table_shown():
        if not view.table.step(by):
            view.context.say(tr("This is the last match.") if by > 0 else tr("This is the first match."))
        return
    if pair.opened is None:
        return
    leave_evidence(view)
    if pair.step(by):
        return
    source = _next_source(pair.opened, by, pair.threshold)
    suspect = view.suspects.neighbour(by)
    if source is not None:
        view.open_pair(pair.opened.a.key, source, LAST if by < 0 else FIRST)
    elif suspect is not None:
        view.open_pair(suspect, LAST_SOURCE if by < 0 else None, LAST if by < 0 else FIRST)
    else:
        view.context.say(tr("This is the last match.") if by > 0 else tr("This is the first match."))


def step_suspect(view: Steps, by: int) -> None:
    """Open the next (1) or previous (-1) suspect of the list; at its end, say so."""
    if not view.suspects.step(by):
        view.context.say(tr("This is the last suspect.") if by > 0 else tr("This is the first suspect."))


def leave_evidence(view: Steps) -> None:
    """Take the keyboard from what is about to show another match to the text."""
    held = view.evidence.window().focusWidget()
    if held is not None and view.evidence.isAncestorOf(held):
        view.pair.current_pane().setFocus()


def to_passage(view: Steps, side: int) -> None:
    """Show the active match's passage of the suspect (0) or the source (1), with the keyboard in it."""
    opened, number = view.pair.opened, view.pair.active
    if opened is not None and number >= 0:
        m = opened.matches
        pane, start = (view.pair.left, m.a_start[number]) if side == 0 else (view.pair.right, m.b_start[number])
        pane.show_place(float(start), 0.3)
        pane.setFocus()


def _next_source(opened: Opened, by: int, threshold: float) -> int | None:
    """The source beside the open one, in their numbered order, that has a match to show."""
    keys = [s.key for s in opened.sources if s.best >= threshold or s.key == opened.b.key]
    at = keys.index(opened.b.key) + by if opened.b.key in keys else -1
    return keys[at] if 0 <= at < len(keys) else None
