"""The marks on the words of the active match: worked out in a process of their own, and kept while its pair is open."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from workbench.base.types import Span, Tier
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import Opened
from workbench.gui.workspace.context import AppContext
from workbench.services.review.word_marks import WordMark, beside_gaps, word_marks

AHEAD = 200_000
"""Characters of the passages of both sides that one question is about: the active match, and those that follow."""


class WordLayer(QObject):
    """Shows the marks of the match active in ``pair`` there and in ``evidence``, once they are known."""

    def __init__(self, context: AppContext, pair: PairPanel, evidence: EvidencePanel) -> None:
        super().__init__(pair)
        self._context, self._pair, self._evidence = context, pair, evidence
        self._of: Opened | None = None
        self._known: dict[int, list[WordMark]] = {}
        self._requested: tuple[int, ...] = ()
        self._unknown = False
        """Whether a question failed: the differences are shown then."""
        pair.active_changed.connect(lambda _number: self._follow())
        pair.toolbar.layers_changed.connect(lambda _layers: self._follow())

    @property
    def waiting(self) -> bool:
        """Whether marks are still to come."""
        return bool(self._requested)

    def _follow(self) -> None:
        opened, number = self._pair.opened, self._pair.active
        if opened is None or not opened.has_matches_of(self._of):
            self._of, self._known, self._requested, self._unknown = opened, {}, (), False
        on = "words" in self._pair.toolbar.shown_layers()
        marks = self._known.get(number) if on else None
        coming = on and marks is None and not self._unknown and opened is not None and _altered(opened, number)
        self._pair.show_words(marks, coming=coming)
        self._evidence.show_words(marks, coming=coming)
        # One question at a time; what became active meanwhile is asked about when its answer is there.
        if coming and not self._requested and opened is not None:
            self._ask(opened, number)

    def _ask(self, opened: Opened, number: int) -> None:
        self._requested = self._next(opened, number)
        m, rows = opened.matches, list(self._requested)
        limits = zip(*(side[rows].tolist() for side in (m.a_start, m.a_end, m.b_start, m.b_end)), strict=True)
        passages = [(Span(a, a_end), Span(b, b_end)) for a, a_end, b, b_end in limits]
        self._context.aside(
            self,
            word_marks,
            opened.a.text,
            opened.b.text,
            passages,
            done=lambda marks: self._arrived(opened, marks),
            failed=self._failed,
        )

    def _next(self, opened: Opened, number: int) -> tuple[int, ...]:
        """The match ``number`` and those that follow it around the pair, as many as one question is about."""
        m = opened.matches
        around = np.roll(np.flatnonzero(m.tier == Tier.ALTERED), -int(np.sum(m.tier[:number] == Tier.ALTERED)))
        wanted = around[~np.isin(around, list(self._known))]
        sizes = np.cumsum((m.a_end - m.a_start + m.b_end - m.b_start)[wanted])
        return tuple(wanted[: max(1, int(np.searchsorted(sizes, AHEAD, "right")))].tolist())

    def _arrived(self, opened: Opened, marks: list[list[WordMark]]) -> None:
        if opened.has_matches_of(self._of):
            for number, of_match in zip(self._requested, marks, strict=True):
                self._known[number] = beside_gaps(of_match, opened.matches.row(number))
            self._requested = ()
            self._follow()

    def _failed(self, error: Exception) -> None:
        self._requested, self._unknown = (), True
        self._follow()
        self._context.show_error(error)


def _altered(opened: Opened, number: int) -> bool:
    return 0 <= number < len(opened.matches) and int(opened.matches.tier[number]) == Tier.ALTERED
