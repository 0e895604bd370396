"""The matches that the active passage is made of: how many, which of them were moved, each one click away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.gui.document.alignment import heaviest_chain
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.layouts import clear
from workbench.gui.kit.parts import button, label
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import Opened
from workbench.gui.theme.fonts import SEMIBOLD

_LISTED = 6
"""Parts with a line of their own; each by itself, all of them are stepped through."""


class PartsPanel(QWidget):
    """Lists the parts of the passage that is active in ``pair``; hidden where it has only one.

    ``unfold_asked`` asks to take each match by itself.
    """

    unfold_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.title = label("", 12, role="muted", weight=SEMIBOLD, wrap=True)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addWidget(self.title)
        layout.addLayout(self._lines)
        self._of: Opened | None = None
        self._shown: tuple[list[int], int] = ([], -1)
        self.hide()

    def follow(self, pair: PairPanel) -> None:
        """Show the parts of what is active in ``pair`` from now on."""
        pair.active_changed.connect(lambda _number: self._show(pair))
        pair.shown_changed.connect(lambda: self._show(pair))

    def _show(self, pair: PairPanel) -> None:
        opened, parts = pair.opened, pair.parts()
        if opened is self._of and (parts, pair.active) == self._shown:
            return
        self._of, self._shown = opened, (parts, pair.active)
        clear(self._lines)
        self.setVisible(opened is not None and len(parts) > 1)
        if opened is None or len(parts) < 2:
            return
        moved = moved_parts(opened, parts)
        words = trn("One passage of {count} part", "One passage of {count} parts", len(parts))
        self.title.setText(words + (" · " + tr("{count} moved", count=f"{len(moved):,}") if moved else ""))
        first = max(0, min(parts.index(pair.active) - _LISTED // 2, len(parts) - _LISTED))
        for number in parts[first : first + _LISTED]:
            self._lines.addWidget(self._line(pair, opened, number, moved=number in moved))
        left = len(parts) - _LISTED
        more = tr("Take each by itself ({count} more)", count=f"{left:,}") if left > 0 else tr("Take each by itself")
        self._lines.addWidget(_link(more, self.unfold_asked.emit))

    def _line(self, pair: PairPanel, opened: Opened, number: int, *, moved: bool) -> QWidget:
        a, a_end, b, b_end = opened.limits(number)
        words = f"{number + 1:,}   {a:,}–{a_end:,} → {b:,}–{b_end:,}"
        line = _link(words + (" ⇄" if moved else ""), partial(pair.go_to, number))
        line.setAccessibleName(words + (" · " + tr("moved") if moved else ""))
        line.setToolTip(line.accessibleName())
        if number == pair.active:
            line.setEnabled(False)
        return line


def moved_parts(opened: Opened, parts: list[int]) -> frozenset[int]:
    """Those of ``parts`` that stand in another order in the source than the rest of them."""
    m = opened.matches.take(parts)
    kept = heaviest_chain(m.a_start, m.a_end, m.b_start, m.b_end).tolist()
    return frozenset(parts) - {parts[row] for row in kept}


def _link(words: str, clicked: Callable[[], object]) -> QWidget:
    link = button(words, clicked, kind="link")
    link.setStyleSheet("text-align: left;")
    link.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return link
