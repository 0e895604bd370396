"""Next and previous match: through all passages of the suspect, from any source, then to other suspects."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import key_text
from workbench.gui.screens.review.pair_data import FIRST, LAST, PairData, PassageMatch
from workbench.gui.screens.review.pair_loader import PairLoader
from workbench.gui.screens.review.panels import Panels
from workbench.gui.workspace.context import AppContext
from workbench.services.review.judgement import CONFLICT
from workbench.services.review.overview import ShownVerdict, shown_verdict
from workbench.services.review.pairs import LAST_SOURCE

_WHOLE_SUSPECT = (sys.maxsize, 0)
"""Used instead of source and number for the suspect itself, after its passages."""


class Stepping:
    """Goes from match to match and from suspect to suspect of the run in ``opening``, in the order shown by ``panels``.

    While a pair is being read, a step waits for it.
    """

    def __init__(self, context: AppContext, panels: Panels, opening: PairLoader) -> None:
        self._context, self._panels, self._opening = context, panels, opening
        self._whole_conflict: tuple[int, int, int] | None = None
        """The position of the screen when it showed a suspect on which reviewers differ as a whole."""

    def step_match(self, by: int) -> None:
        """Go to the next (1) or previous (-1) match of the run, in the order of the list; at the end, show a notice."""
        self._opening.pace.do(lambda: self._step(by))

    def to_end(self, *, last: bool) -> None:
        """Go to the first or last match of the shown suspect or table."""
        self._opening.pace.do(lambda: self._to_end(last=last))

    def step_suspect(self, by: int) -> None:
        """Open the next (1) or previous (-1) suspect of the list; at its end, show a notice."""
        self._opening.pace.do(lambda: self._step_suspect(by))

    def to_next_conflict(self) -> None:
        """Open the next match of the run on which verdicts differ, in the order of its pairs; at the end, the first."""
        self._opening.pace.do(self._to_next_conflict)

    def to_place(self, place: int) -> None:
        """Go to the passage at ``place`` of the suspect's outline, opening its source if it is another one."""
        self._opening.pace.do(lambda: self._to_place(place))

    def after_verdict(self) -> None:
        """Go to the next passage without a verdict, unless the reviewer has chosen to stay."""
        if self._context.settings.advance:
            self._opening.pace.do(self._to_next_open)

    def to_passage(self, side: int) -> None:
        """Show the active match's passage of the suspect (0) or the source (1), with the focus in it."""
        pair = self._panels.pair
        opened, number = pair.opened, pair.active
        if opened is not None and number >= 0:
            m = opened.matches
            pane, start = (pair.left, m.a_start[number]) if side == 0 else (pair.right, m.b_start[number])
            pane.show_place(float(start), 0.3)
            pane.setFocus()

    def toggle_table(self) -> None:
        """Switch between the texts and the table of all matches, both at the same match."""
        if self._panels.table_shown():
            self.leave_table()
            return
        self._panels.show_table(True)
        if (row := self._opening.active_row()) >= 0:
            self._panels.table.choose(row)

    def leave_table(self) -> None:
        """Show the texts again, at the selected row."""
        rows = self._panels.table.chosen_rows()
        if len(rows) == 1 and rows[0] != self._opening.active_row():
            self._opening.open_row(rows[0])
        else:
            self._panels.show_table(False)

    def _to_end(self, *, last: bool) -> None:
        pair = self._panels.pair
        if self._panels.table_shown():
            self._panels.table.go_to_end(last=last)
        elif pair.opened is not None and pair.outline is not None and len(pair.outline):
            self._to_place(len(pair.outline) - 1 if last else 0)

    def _to_place(self, place: int) -> None:
        pair = self._panels.pair
        if pair.opened is None or pair.outline is None:
            return
        number = int(pair.outline.numbers[place])
        if number >= 0:
            pair.go_to(number)
        else:
            self._opening.open_pair(pair.opened.a.key, int(pair.outline.source[place]), pair.outline.limits(place))

    def _step(self, by: int) -> None:
        panels, opening = self._panels, self._opening
        pair, outline = panels.pair, panels.pair.outline
        if panels.table_shown():
            if not panels.table.step(by):
                self._say_end(by)
            return
        if pair.opened is None or outline is None:
            return
        panels.leave_evidence()
        at = outline.place_of(pair.active)
        place = at + by if at >= 0 else outline.near(pair.left.reading_offset()) - (by < 0)
        if len(outline) and (at < 0 or 0 <= place < len(outline)):
            self._to_place(min(len(outline) - 1, max(0, place)))
            return
        source = _next_source(pair.opened, by, pair.threshold) if pair.opened.whole else None
        suspect = panels.suspects.neighbour(by)
        if source is not None:
            opening.open_pair(pair.opened.a.key, source)
        elif suspect is not None:
            whole = LAST_SOURCE if by < 0 and pair.opened.whole else None
            opening.open_pair(suspect[0], whole or suspect[1], LAST if by < 0 else FIRST)
        else:
            self._say_end(by)

    def _say_end(self, by: int) -> None:
        self._context.say(tr("This is the last match.") if by > 0 else tr("This is the first match."))

    def _step_suspect(self, by: int) -> None:
        if not self._panels.suspects.step(by):
            self._context.say(tr("This is the last suspect.") if by > 0 else tr("This is the first suspect."))

    def _to_next_open(self) -> None:
        """Go to the suspect's next passage without the reviewer's verdict, then to the first conflict.

        If there is neither, say what is left to do.
        """
        pair, outline = self._panels.pair, self._panels.pair.outline
        if pair.opened is None or outline is None or not len(outline):
            return
        at = outline.place_of(pair.active)
        places = [*range(at + 1, len(outline)), *range(0, max(0, at))]
        place = outline.first(places, lambda place: not all(verdict.own for verdict in self._verdicts_at(place)))
        if place < 0:
            place = outline.first(
                [*places, at], lambda place: any(s.value == CONFLICT for s in self._verdicts_at(place))
            )
            if place == at >= 0:
                return
        if place >= 0:
            self._panels.leave_evidence()
            self._to_place(place)
        else:
            self._say_all_judged()

    def _say_all_judged(self) -> None:
        keys = key_text(self._context.actions.shortcut("review.next-suspect")) or tr("no shortcut")
        if any(button.isChecked() for button in self._panels.suspects.verdict.buttons.values()):
            self._context.say(tr("This suspect and all its passages are judged. Next suspect: {keys}.", keys=keys))
            return
        self._context.say(
            tr(
                "All passages of this suspect are judged. The suspect itself has no verdict yet. Next suspect: {keys}.",
                keys=keys,
            )
        )

    def _to_next_conflict(self) -> None:
        """Go to the next passage on which reviewers differ or, after a suspect's passages, to the suspect if they
        differ on it.
        """
        columns, judged = self._opening.overview.columns, self._opening.overview.judged
        places: list[tuple[int, int, int]] = []
        if columns is not None and judged is not None:
            places += [columns.place(int(row)) for row in judged.conflicts()]
            places += [(int(columns.keys[at]), *_WHOLE_SUSPECT) for at in judged.conflicts_on_suspects()]
        if not places:
            self._context.say(tr("No verdicts differ in this run."))
            return
        pair = self._panels.pair
        opened = pair.opened
        here = (0, 0, 0) if opened is None else (opened.a.key, opened.b.key, pair.active)
        after = here if self._whole_conflict != here else (here[0], *_WHOLE_SUSPECT)
        self._whole_conflict = None
        places.sort()
        a, b, number = next((place for place in places if place > after), places[0])
        self._panels.leave_evidence()
        if (b, number) == _WHOLE_SUSPECT:
            self._show_conflict_on(a)
        elif opened is not None and (opened.a.key, opened.b.key) == (a, b):
            pair.go_to(number)
        else:
            self._opening.open_pair(a, b, number)

    def _show_conflict_on(self, a: int) -> None:
        """Show suspect ``a``, on which reviewers differ."""
        pair = self._panels.pair

        def say() -> None:
            if (opened := pair.opened) is not None and opened.a.key == a:
                self._whole_conflict = (a, opened.b.key, pair.active)
                title = opened.a.title or opened.a.id
                self._context.say(tr("The verdicts on the suspect “{title}” itself differ.", title=title))

        if pair.opened is None or pair.opened.a.key != a:
            self._opening.open_pair(a, None)
        self._opening.pace.do(say)

    def _verdicts_at(self, place: int) -> Iterator[ShownVerdict]:
        """The verdicts on each part of the passage at ``place`` of the outline."""
        outline = self._panels.pair.outline
        return map(self._verdict_on, () if outline is None else outline.parts(place))

    def _verdict_on(self, part: PassageMatch) -> ShownVerdict:
        overview, opened = self._opening.overview, self._panels.pair.opened
        assert opened is not None
        if part.number >= 0:
            return shown_verdict(opened.judgements[part.number], overview.viewer)
        columns, judged = overview.columns, overview.judged
        if columns is None or judged is None:
            return ShownVerdict()
        row = columns.row_from(opened.a.key, part.source, part.limits)
        if row < 0:
            return ShownVerdict()
        return ShownVerdict(judged.value(row), bool(judged.carried[row]), bool(judged.own[row]))


def _next_source(opened: PairData, by: int, threshold: float) -> int | None:
    """The next source in numbered order, starting from the open one, that has a match to show."""
    keys = [s.key for s in opened.sources if s.best >= threshold or s.key == opened.b.key]
    at = keys.index(opened.b.key) + by if opened.b.key in keys else -1
    return keys[at] if 0 <= at < len(keys) else None
