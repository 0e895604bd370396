"""Verdicts and notes in Review: on the shown match, on rows of the table, on many passages at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget
from shiboken6 import isValid

from workbench.base.types import Ints, Label
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.unit_judging import UnitJudge
from workbench.gui.judging.verdicts import state_words, verdict_looks, viewer
from workbench.gui.screens.review.counting import Excluding
from workbench.gui.screens.review.pair_data import PairData, unit_of
from workbench.gui.screens.review.pair_loader import PairLoader
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.panels import Panels
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.verdicts import on_a_pair
from workbench.services.review.either_side import below, like, of_source
from workbench.services.review.judgement import Judgement, after
from workbench.services.review.overview import Followed, Judged, OpenPair, RunColumns, ShownVerdict, follow_verdicts
from workbench.services.review.verdicts import State, Unit, judge, restore
from workbench.services.session import Session


def judge_rows(
    context: AppContext,
    columns: RunColumns,
    judged: Judged,
    rows: Sequence[int],
    value: str,
    then: Callable[[], object] | None = None,
) -> Judged:
    """Give the matches (or pairs) in ``rows`` of ``columns`` a verdict ("" for none); undo restores each.

    Nothing is written if all of them already have it, according to ``judged``. ``then()`` is called after each change,
    also that of undo. Returns the new verdicts.
    """
    if not rows or context.session is None:
        return judged
    if columns.whole:
        value = on_a_pair(value)
    if all(judged.value(row) == value and judged.own[row] and not judged.carried[row] for row in rows):
        return judged
    units, who = [columns.unit(row) for row in rows], viewer(context).name
    # Filled when the change is made; undo is created after it.
    before: list[State] = []

    def keep(session: Session) -> None:
        before[:] = judge(session, units, value, who)

    def put_back(session: Session) -> None:
        if before:
            restore(session, units, before, who)

    words = state_words(value)[0] if value else tr("no verdict")
    title = tr("{words} on {target}", words=words, target=_target(columns, rows))
    context.perform(title, keep, put_back, sentence=title, later=True, then=then)
    return judged.after(columns, dict.fromkeys(rows, ShownVerdict(value, own=bool(value))))


def _target(columns: RunColumns, rows: Sequence[int]) -> str:
    """The name of ``rows`` in a sentence."""
    if len(rows) > 1 and columns.whole:
        return trn("{count} pair", "{count} pairs", len(rows))
    if len(rows) > 1:
        return trn("{count} match", "{count} matches", len(rows))
    a, b, number = columns.place(rows[0])
    pair = f"{columns.title(a)} – {columns.title(b)}"
    return pair if columns.whole else tr("match {number} of {pair}", number=number + 1, pair=pair)


class MatchVerdicts(QObject):
    """Keeps the verdicts shown for the active match up to date, and writes verdicts.

    ``judged`` is emitted when the active match was given a verdict.
    """

    judged = Signal()

    def __init__(self, context: AppContext, panels: Panels, opening: PairLoader, excluding: Excluding) -> None:
        super().__init__(panels)
        self._context, self._panels, self._opening, self._excluding = context, panels, opening, excluding
        excluding.was_read.connect(self.follow)
        self.match = UnitJudge(context, panels.evidence.verdict)
        self.match.written.connect(self._written)
        self.whole = UnitJudge(context, panels.evidence.whole.verdict)
        self.decision = UnitJudge(context, panels.suspects.verdict)
        panels.evidence.whole.verdict.chosen.connect(self.whole.give)
        panels.evidence.whole.verdict.settled.connect(self.whole.settle)
        panels.suspects.verdict.chosen.connect(self.decision.give)
        panels.suspects.verdict.settled.connect(self.decision.settle)
        for unit_judge in (self.match, self.whole):
            unit_judge.recalled.connect(lambda: opening.pace.set_recalling(False))
        self._following = self._again = False
        """Whether new events of the label log are being read, and whether more came meanwhile."""

    def show_suspect(self, opened: PairData) -> None:
        """Show the verdict on the suspect itself and, if pairs are judged as a whole, on the pair."""
        self.decision.show_unit(Unit(opened.a.id, keys=(opened.a.key, 0)), opened.a.title or opened.a.id)
        if opened.whole:
            self._opening.pace.set_recalling(True)
            self.whole.show_unit(Unit(opened.a.id, opened.b.id, keys=(opened.a.key, opened.b.key)), tr("a pair"))

    def show(self, number: int) -> None:
        """Show the verdicts on match ``number`` at once, and their history once it is read."""
        opened = self._panels.pair.opened
        if opened is None:
            return
        judgement = opened.judgements[number]
        # A note may exist without a verdict.
        self._opening.pace.set_recalling(judgement is None or judgement.own(viewer(self._context).name) is None)
        pair = f"{opened.a.title or opened.a.id} – {opened.b.title or opened.b.id}"
        name = tr("match {number} of {pair}", number=number + 1, pair=pair)
        self.match.show_of_run(unit_of(opened, number), name, judgement)

    def follow(self) -> None:
        """Show new verdicts of the label log, by anyone, and the resulting shares."""
        if self._following:
            self._again = True
            return
        self._following, self._again = True, False
        panels, opening = self._panels, self._opening
        before, opened, counted = opening.overview, panels.pair.opened, self._excluding.counted
        pair = None
        if opened is not None:
            compared = opened.as_compared()
            pair = OpenPair(compared.a.id, compared.b.id, compared.matches, opened.last, opened.a.id)

        def show(read: Followed) -> None:
            self._following = False
            current = panels.pair.opened
            same = current is opened or (current is not None and current.has_matches_of(opened))
            unread = self._again or opening.overview is not before or not same
            if unread or self._excluding.counted is not counted:
                self.follow()
                return
            opening.overview = read.overview
            if read.overview.judged is not before.judged:
                opening.show_judged(read.overview)
            self._show_changed(read)
            if read.counted is not None:
                self._excluding.show_counted(read.counted)

        def failed(error: Exception) -> None:
            self._following = False
            self._context.show_error(error)

        self._context.background(
            lambda session: follow_verdicts(session, before, pair, counted), show, owner=self, failed=failed
        )

    def _show_changed(self, read: Followed) -> None:
        """Show other verdicts on the open suspect, and on matches of the open pair."""
        opened, active = self._panels.pair.opened, self._panels.pair.active
        if opened is None:
            return
        if read.decided:
            self.decision.read()
        if opened.whole:
            self.whole.read()
        before = opened.judgements[active] if active >= 0 else None
        self._panels.pair.opened = replace(opened.with_judgements(read.changed), last=read.overview.last)
        if read.changed.get(active, before) != before:
            self.show(active)

    def ask(self, value: str) -> None:
        """Give a verdict on the visibly current item, or on the match of the pair being read; "" withdraws it."""
        self._opening.pace.do(lambda: self.give(value), recalled=not self._panels.table_shown())

    def ask_shown(self, value: str) -> None:
        """Give the verdict of a button: on the visible item, even while another pair is being read."""
        if self._opening.pace.reading:
            self.give(value)
        else:
            self.ask(value)

    def ask_decision(self, value: str) -> None:
        """Give the open suspect its own verdict, the only one that closes it."""
        self._opening.pace.do(lambda: self.decision.give(value))

    def ask_settled(self, value: str) -> None:
        """Settle the verdict on the shown match."""
        self._opening.pace.do(lambda: self.settle(value))

    def give(self, value: str) -> None:
        """Give a verdict on the visibly current item: the selected rows of the table, else the active match or pair."""
        panels = self._panels
        if panels.table_shown():
            self.give_all(panels.table.chosen_rows(), value)
            return
        panels.evidence.flush()
        opened, number = panels.pair.opened, panels.pair.active
        if opened is not None and opened.whole:
            self.whole.give(value)
        if opened is None or number < 0:
            return
        if len(parts := panels.pair.parts()) > 1:
            self._give_parts(opened, parts, value)
            return
        if self.match.give(value):
            self.judged.emit()

    def current(self) -> Judgement | None:
        """The visible judgement on the active match, or on the open pair as a whole."""
        opened, number = self._panels.pair.opened, self._panels.pair.active
        if opened is not None and opened.whole:
            return viewer(self._context).sees(self.whole.judgement)
        return opened.judgements[number] if opened is not None and number >= 0 else None

    def settle(self, value: str) -> None:
        """Settle the verdict on the active match, or the open pair, in addition to the reviewers' verdicts."""
        opened = self._panels.pair.opened
        (self.whole if opened is not None and opened.whole else self.match).settle(value)

    def _give_parts(self, opened: PairData, parts: list[int], value: str) -> None:
        """Give all ``parts`` of the active passage one verdict."""
        columns = self._opening.overview.columns
        if columns is None:
            return
        rows = [columns.row_from(opened.a.key, opened.b.key, opened.limits(part)) for part in parts]
        rows = [row for row in rows if row >= 0]
        self.match.remember()
        self.give_all(rows, value, then=partial(self._return_to, columns, rows))
        judged = self._opening.overview.judged
        if value and judged is not None and all(judged.value(row) == value for row in rows):
            self.judged.emit()

    def give_all(self, rows: list[int], value: str, then: Callable[[], object] | None = None) -> None:
        """Give the matches in ``rows`` of the run's columns one verdict, as one undoable step, each time followed by
        ``then()``.
        """
        overview = self._opening.overview
        columns, judged = overview.columns, overview.judged
        if columns is not None and judged is not None:
            after = judge_rows(self._context, columns, judged, rows, value, then)
            self._opening.show_judged(replace(overview, judged=after))

    def write_note_on_last(self) -> None:
        """Open the note on the last item given a verdict, which may no longer be visible."""
        opened = self._panels.pair.opened
        judge = self.whole if opened is not None and opened.whole else self.match
        if not judge.write_note_on_last():
            self._context.say(tr("There are no verdicts yet."))

    def _written(self, unit: Unit, label: Label, again: bool) -> None:
        """Show a written event; after undo or redo, also go to its match."""
        if not isValid(self._panels) or unit.spans is None:
            return
        pair, columns, limits = self._panels.pair, self._opening.overview.columns, (*unit.spans[0], *unit.spans[1])
        opened = pair.opened
        if opened is None:
            return
        compared = opened.as_compared()
        number = compared.number_of(limits)
        if number >= 0 and (unit.a, unit.b) == (compared.a.id, compared.b.id):
            pair.opened = opened.with_judgements({number: after(opened.judgements[number], label)})
        if again and columns is not None:
            self._return_to(columns, [columns.row_from(*unit.keys, limits)])

    def _return_to(self, columns: RunColumns, rows: Sequence[int]) -> None:
        """Go to the match in the first of ``rows``, unless one of them is active: the next verdict is on what was
        undone, even if another pair has been opened since.
        """
        opening = self._opening
        if not isValid(self._panels) or opening.overview.columns is not columns or not self._panels.isVisible():
            return
        if not rows or rows[0] < 0 or not self._panels.texts_shown() or opening.active_row() in rows:
            return
        a, b, number = columns.place(rows[0])
        opened = self._panels.pair.opened
        if opened is not None and (opened.a.key, opened.b.key) == (a, b):
            self._panels.pair.go_to(number)
        else:
            opening.open_pair(a, b, number)


class Bulk:
    """Asks for passages of the run in ``opening``, and gives them all one verdict."""

    def __init__(self, context: AppContext, opening: PairLoader, pair: PairPanel, verdicts: MatchVerdicts) -> None:
        self._context, self._opening, self._pair, self._verdicts = context, opening, pair, verdicts

    def menu(self, parent: QWidget) -> QMenu:
        """Offer sets of passages, and then the verdict."""
        menu = QMenu(parent)
        menu.setAccessibleName(tr("One verdict on many passages"))
        columns, opened = self._opening.overview.columns, self._pair.opened
        if columns is None or opened is None:
            return menu
        low = below(columns, self._pair.threshold)
        first, second = opened.as_compared().a.key, opened.as_compared().b.key
        own, every = of_source(columns, second, first), of_source(columns, opened.b.key)
        source = opened.b.title or opened.b.id
        self._choice(menu, tr("All below the threshold"), low)
        self._choice(menu, tr("All of “{source}” in this suspect", source=source), own)
        self._choice(menu, tr("All of “{source}” in every suspect", source=source), every)
        row = self._opening.active_row()
        if row >= 0 and not columns.whole:
            _verdicts(menu.addMenu(tr("All with this text")), partial(self._judge_like, row))
        menu.popup(QCursor.pos())
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _choice(self, menu: QMenu, title: str, rows: Ints) -> None:
        words = trn("{count} match", "{count} matches", len(rows))
        part = menu.addMenu(f"{title} ({words})".replace("&", "&&"))
        part.setEnabled(len(rows) > 0)
        _verdicts(part, partial(self._judge, rows))

    def _judge(self, rows: Ints, value: str) -> None:
        self._verdicts.give_all(rows.tolist(), value)

    def _judge_like(self, row: int, value: str) -> None:
        columns = self._opening.overview.columns
        assert columns is not None

        def give(rows: Ints) -> None:
            if self._opening.overview.columns is columns:
                self._judge(rows, value)

        self._context.background(lambda session: like(session, columns, row), give, owner=self._pair)


def _verdicts(menu: QMenu, give: Callable[[str], None]) -> None:
    for look in verdict_looks():
        menu.addAction(look.words).triggered.connect(lambda _on=False, value=look.value: give(value))
