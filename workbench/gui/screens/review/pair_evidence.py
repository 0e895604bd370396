"""What a run says of a pair of whole documents, and what the reviewer says of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.i18n import tr
from workbench.gui.judging.evidence_words import pair_words
from workbench.gui.judging.verdict_panel import VerdictPanel
from workbench.gui.judging.verdicts import pair_looks
from workbench.gui.kit.figures import Ring, show_figures
from workbench.gui.kit.layouts import clear, scroll_down
from workbench.gui.kit.parts import ThemeWatch, caption, label
from workbench.gui.screens.review.reading import Opened
from workbench.gui.theme.fonts import SEMIBOLD
from workbench.gui.theme.manager import Theme


class PairEvidence(QScrollArea):
    """Shows the figures of an :class:`Opened` pair without passages; ``verdict`` is for another to place."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._opened: Opened | None = None
        self.ring = Ring(theme.tokens)
        self._kind = label(tr("Whole documents"), 14, weight=SEMIBOLD, wrap=True)
        self.sentence = label("", 12, role="muted", wrap=True)
        self._figures = QVBoxLayout()
        self._figures.setSpacing(7)
        self.verdict = VerdictPanel(theme, pair_looks())
        body = QWidget()
        body.setObjectName("page")
        inside = QVBoxLayout(body)
        inside.setContentsMargins(16, 14, 14, 14)
        inside.setSpacing(8)
        head = QHBoxLayout()
        head.setSpacing(14)
        head.addWidget(self.ring, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._kind, 1)
        inside.addLayout(head)
        inside.addWidget(self.sentence)
        inside.addSpacing(4)
        inside.addWidget(caption(tr("Evidence")))
        inside.addLayout(self._figures)
        inside.addSpacing(4)
        inside.addWidget(self.verdict.history)
        inside.addStretch(1)
        scroll_down(self, body, see_through=True)
        ThemeWatch(self, theme, self._draw)

    def show_pair(self, opened: Opened) -> None:
        """Show the figures of a pair."""
        self._opened = opened
        self._draw()

    def _draw(self) -> None:
        opened = self._opened
        if opened is None:
            return
        tokens, figures = self._theme.tokens, opened.figures
        if figures is None:
            clear(self._figures)
            self.sentence.setText(tr("This run does not pair these two documents."))
            self.ring.hide()
            return
        self.sentence.setText(
            tr(
                "This method compares whole documents: it says how alike two texts are, not which passages they share. "
                "Compare them with a method that finds passages to see these."
            )
        )
        known = figures.resemblance is not None
        self.ring.setVisible(known or 0 <= figures.score <= 1)
        share = figures.score if figures.resemblance is None else figures.resemblance
        self.ring.show_share(
            min(1.0, max(0.0, share)), tokens.accent, tokens, tr("Resemblance") if known else tr("Score")
        )
        show_figures(self._figures, pair_words(figures), tokens.accent, tokens)
