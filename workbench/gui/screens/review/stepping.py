"""Next and previous match: through all passages of the suspect, from whichever source, then to other suspects."""

from __future__ import annotations

from typing import Protocol

from workbench.gui.i18n import tr
from workbench.gui.judging.pace import Pace
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.match_table_panel import MatchTablePanel
from workbench.gui.screens.review.outline import Part
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import FIRST, LAST, Limits, Opened
from workbench.gui.screens.review.suspect_panel import SuspectPanel
from workbench.gui.workspace.context import AppContext
from workbench.services.review.judgement import CONFLICT
from workbench.services.review.overview import Overview, Said, as_said
from workbench.services.review.pairs import LAST_SOURCE


class Steps(Protocol):
    """What a step needs of the screen."""

    context: AppContext
    pace: Pace
    pair: PairPanel
    table: MatchTablePanel
    suspects: SuspectPanel
    evidence: EvidencePanel
    overview: Overview

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
    """Go to the first or last match of what is shown: the suspect, or the table."""

    def go() -> None:
        pair = view.pair
        if view.table_shown():
            view.table.go_to_end(last=last)
        elif pair.opened is not None and pair.outline is not None and len(pair.outline):
            to_place(view, len(pair.outline) - 1 if last else 0)

    view.pace.do(go)


def to_place(view: Steps, place: int) -> None:
    """Go to the passage at ``place`` of the suspect's outline, opening its source where that is another."""
    pair, outline = view.pair, view.pair.outline
    if pair.opened is None or outline is None:
        return
    number = int(outline.numbers[place])
    if number >= 0:
        pair.go_to(number)
    else:
        view.open_pair(pair.opened.a.key, int(outline.source[place]), outline.limits(place))


def _step(view: Steps, by: int) -> None:
    pair, outline = view.pair, view.pair.outline
    if view.table_shown():
        if not view.table.step(by):
            view.context.say(tr("This is the last match.") if by > 0 else tr("This is the first match."))
        return
    if pair.opened is None or outline is None:
        return
    leave_evidence(view)
    at = outline.place_of(pair.active)
    place = at + by if at >= 0 else outline.near(pair.left.reading_offset()) - (by < 0)
    if len(outline) and (at < 0 or 0 <= place < len(outline)):
        to_place(view, min(len(outline) - 1, max(0, place)))
        return
    source = _next_source(pair.opened, by, pair.threshold) if pair.opened.whole else None
    suspect = view.suspects.neighbour(by)
    if source is not None:
        view.open_pair(pair.opened.a.key, source)
    elif suspect is not None:
        view.open_pair(suspect, LAST_SOURCE if by < 0 and pair.opened.whole else None, LAST if by < 0 else FIRST)
    else:
        view.context.say(tr("This is the last match.") if by > 0 else tr("This is the first match."))


def to_next_open(view: Steps) -> None:
    """After a verdict, go to the suspect's next passage without one of the reviewer's, then to the first conflict.

    Where there is none, say that the suspect itself can be judged.
    """
    outline = view.pair.outline
    if view.pair.opened is None or outline is None or not len(outline):
        return
    at = outline.place_of(view.pair.active)
    places = [*range(at + 1, len(outline)), *range(0, max(0, at))]
    place = outline.first(places, lambda place: not all(said.own for said in _said(view, place)))
    if place < 0:
        place = outline.first([*places, at], lambda place: any(s.value == CONFLICT for s in _said(view, place)))
        if place == at >= 0:
            return
    if place >= 0:
        leave_evidence(view)
        to_place(view, place)
    else:
        view.context.say(tr("All passages of this suspect are judged. Its own verdict is still to be given."))


def to_next_conflict(view: Steps) -> None:
    """Open the next match of the run on which the verdicts differ, in the order of its pairs; at the end, the first."""
    columns, judged = view.overview.columns, view.overview.judged
    rows = () if judged is None else judged.conflicts()
    if columns is None or not len(rows):
        view.context.say(tr("No verdicts differ in this run."))
        return
    places = sorted(columns.place(int(row)) for row in rows)
    opened = view.pair.opened
    here = (0, 0, 0) if opened is None else (opened.a.key, opened.b.key, view.pair.active)
    a, b, number = next((place for place in places if place > here), places[0])
    leave_evidence(view)
    if opened is not None and (opened.a.key, opened.b.key) == (a, b):
        view.pair.go_to(number)
    else:
        view.open_pair(a, b, number)


def _said(view: Steps, place: int) -> list[Said]:
    """What was said of each part of the passage at ``place`` of the outline."""
    outline = view.pair.outline
    return [] if outline is None else [_said_of(view, part) for part in outline.parts(place)]


def _said_of(view: Steps, part: Part) -> Said:
    opened = view.pair.opened
    assert opened is not None
    if part.number >= 0:
        return as_said(opened.judgements[part.number], view.overview.eyes)
    columns, judged = view.overview.columns, view.overview.judged
    if columns is None or judged is None:
        return Said()
    row = columns.row_of(opened.a.key, part.source, part.limits)
    return Said(judged.value(row), bool(judged.carried[row]), bool(judged.own[row])) if row >= 0 else Said()


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
