"""Passages changed by hand: added from a selection, split at the caret, joined again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workbench.base.types import Document, Label, Match, Span
from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import viewer
from workbench.gui.screens.review.pair_data import Limits, PairData
from workbench.gui.screens.review.pair_loader import PairLoader
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.workspace.context import AppContext
from workbench.services.review.by_hand import add, restore, withdraw
from workbench.services.review.passages import PART
from workbench.services.review.splitting import Cut, can_split, cut_at, join, split, split_again, splits_of
from workbench.services.session import Session


def add_match(context: AppContext, a: Document, a_span: Span, b: Document, b_span: Span) -> bool:
    """Add the passage of suspect ``a`` and source ``b`` as a match, under the reviewer's name; it can be undone.

    Returns False, and shows why, if a side is empty.
    """
    who = viewer(context).name
    if not a.text[a_span.start : a_span.end].strip() or not b.text[b_span.start : b_span.end].strip():
        context.say(tr("Select the passage in both texts first: it becomes a match."))
        return False
    kept: list[Label] = []

    title = tr("Match added by hand to {pair}", pair=f"{a.title or a.id} – {b.title or b.id}")
    return context.perform(
        title,
        lambda session: kept.append(add(session, a, a_span, b, b_span, who)),
        lambda session: withdraw(session, kept[0].target, who),
        {"labels", "matches"},
        redo=lambda session: restore(session, kept[0]),
        sentence=title,
        later=True,
    )


_Change = Callable[[Session], object]


class Splitting:
    """Splits the passages shown by ``pair``, and joins them again."""

    def __init__(self, context: AppContext, opening: PairLoader, pair: PairPanel) -> None:
        self._context, self._opening, self._pair = context, opening, pair

    def is_split(self) -> bool:
        """Whether a match is active whose pair was split."""
        opened = self._pair.opened
        return opened is not None and self._pair.active >= 0 and PART in opened.matches.evidence

    def split_here(self) -> None:
        """Split the passage at the caret of the last used pane, and at its counterpart in the other text."""
        opened, pane = self._pair.opened, self._pair.current_pane()
        if opened is None:
            return
        in_suspect, at = (pane is self._pair.left) != opened.turned, pane.caret
        opened = opened.as_compared()
        match = self._match_at(opened, at, in_suspect=in_suspect)
        if match is None:
            self._split(opened, None, None)
            return
        self._context.background(
            lambda _session: cut_at(opened.a.text, opened.b.text, match, at, in_suspect=in_suspect),
            lambda cut: self._split(opened, match, cut),
            owner=self._pair,
        )

    def join(self) -> None:
        """Undo the splits at both ends of the active passage."""
        opened, parts = self._pair.opened, self._pair.parts()
        if opened is None or not parts:
            return
        opened = opened.as_compared()
        m = opened.matches.take(parts)
        ends = Span(int(m.a_start.min()), int(m.a_end.max()))
        self._context.background(
            lambda session: splits_of(session, opened.a, opened.b, ends),
            lambda splits: self._join(opened, splits, opened.limits(parts[0])),
            owner=self._pair,
        )

    def _match_at(self, opened: PairData, at: int, *, in_suspect: bool) -> Match | None:
        """The match that contains the place, preferably the active one; between two of a passage, both combined."""
        m, active = opened.matches, self._pair.active
        start, end = (m.a_start, m.a_end) if in_suspect else (m.b_start, m.b_end)
        within = [row for row in self._pair.shown.tolist() if start[row] < at < end[row]]
        if within:
            return m.row(active if active in within else within[0])
        parts = self._pair.parts()
        before, behind = [row for row in parts if end[row] <= at], [row for row in parts if start[row] >= at]
        if not before or not behind:
            return None
        one, other = (
            m.row(max(before, key=lambda row: int(end[row]))),
            m.row(min(behind, key=lambda row: int(start[row]))),
        )
        return replace(one, a_span=_both(one.a_span, other.a_span), b_span=_both(one.b_span, other.b_span))

    def _split(self, opened: PairData, match: Match | None, cut: Cut | None) -> None:
        passage = None if match is None else (match.a_span, match.b_span)
        if passage is None or cut is None or not can_split(opened.a, opened.b, passage, cut):
            self._context.say(tr("First place the caret inside a passage, where its second part begins."))
            return
        who, splits = viewer(self._context).name, list[Label]()
        whole, first = (*passage[0], *passage[1]), cut.halves(*passage)[0]
        self._make(
            opened,
            tr("Passage split: {pair}", pair=_names(opened)),
            lambda session: splits.append(split(session, opened.a, opened.b, passage, cut, who)),
            (lambda session: join(session, splits, who), whole),
            (lambda session: split_again(session, splits), (*first[0], *first[1])),
        )

    def _join(self, opened: PairData, splits: list[Label], part: Limits) -> None:
        if not splits:
            self._context.say(tr("This passage was not split."))
            return
        who = viewer(self._context).name
        forth: tuple[_Change, Limits] = (lambda session: join(session, splits, who), part)
        back: tuple[_Change, Limits] = (lambda session: split_again(session, splits), part)
        self._make(opened, tr("Passage rejoined: {pair}", pair=_names(opened)), forth[0], back, forth)

    def _make(
        self, opened: PairData, title: str, first: _Change, back: tuple[_Change, Limits], again: tuple[_Change, Limits]
    ) -> None:
        """Make a change with undo and redo; each of them goes to the match with the corresponding limits."""

        def make(change: _Change, limits: Limits) -> None:
            self._context.change_later(change)
            self._opening.request(opened.run.id, opened.a.key, opened.b.key, limits)
            self._context.announce({"labels", "matches"})

        make(first, again[1])
        self._context.history.push(title, lambda: make(*back), lambda: make(*again))
        self._context.say_undoable(title)


def _both(one: Span, other: Span) -> Span:
    return Span(min(one.start, other.start), max(one.end, other.end))


def _names(opened: PairData) -> str:
    return f"{opened.a.title or opened.a.id} – {opened.b.title or opened.b.id}"
