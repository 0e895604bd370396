"""Marks sources that are themselves copies of other sources of the suspect."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.gui.kit.pauses import after_pause
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.workspace.context import AppContext
from workbench.services.relations.earlier import Chain, find_earlier_sources

_PAUSE_MS = 500
"""Milliseconds after a pair is opened before the texts of the suspect's other sources are read for it."""


class EarlierLayer(QObject):
    """Shows in ``evidence`` from which documents the source of the open pair itself took its passages."""

    def __init__(self, context: AppContext, evidence: EvidencePanel) -> None:
        super().__init__(evidence)
        self._context, self._evidence = context, evidence
        self._opened: PairData | None = None
        self._pause = after_pause(self._ask, _PAUSE_MS, self)

    def follow(self, opened: PairData) -> None:
        """The pair ``opened`` is shown from now on."""
        self._opened = opened
        self._context.asides.drop(self)
        self._evidence.show_earlier([])
        if len(opened.others) and len(opened.matches):
            self._pause.start()
        else:
            self._pause.stop()

    def _ask(self) -> None:
        opened, path = self._opened, self._context.project
        if opened is None or path is None:
            return

        def show(chains: list[Chain]) -> None:
            if opened is self._opened:
                self._evidence.show_earlier(chains)

        self._context.aside(self, find_earlier_sources, path, opened.matches, opened.others, done=show)
