"""The differences inside the active match: worked out off the window's thread, and kept while its pair is open."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import Opened, edits_of
from workbench.gui.workspace.context import AppContext
from workbench.services.review.differences import Edit


class EditLayer(QObject):
    """Shows the differences of the match active in ``pair`` there and in ``evidence``, once they are known."""

    def __init__(self, context: AppContext, pair: PairPanel, evidence: EvidencePanel) -> None:
        super().__init__(pair)
        self._context, self._pair, self._evidence = context, pair, evidence
        self._of: Opened | None = None
        self._known: dict[int, list[Edit]] = {}
        self._requested = False
        pair.active_changed.connect(lambda _number: self._follow())

    def _follow(self) -> None:
        opened, number = self._pair.opened, self._pair.active
        if opened is None or number < 0 or self._pair.edits is not None:
            return
        if not opened.has_matches_of(self._of):
            self._of, self._known = opened, {}
        if number in self._known:
            self._pair.show_edits(self._known[number])
            self._evidence.show_edits(self._known[number])
        # One question at a time; what became active meanwhile is asked about when its answer is there.
        elif not self._requested:
            self._requested = True
            self._context.background(
                lambda _session: edits_of(opened, number),
                lambda edits: self._arrived(opened, number, edits),
                owner=self,
                failed=self._failed,
            )

    def _arrived(self, opened: Opened, number: int, edits: list[Edit]) -> None:
        self._requested = False
        if opened.has_matches_of(self._of):
            self._known[number] = edits
        self._follow()

    def _failed(self, error: Exception) -> None:
        self._requested = False
        self._context.show_error(error)
