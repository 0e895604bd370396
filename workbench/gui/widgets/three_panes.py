"""Three panes side by side, of which the middle one takes the room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

_NARROW = (250, 280)
"""Widths of the outer panes in a small window, logical pixels."""
_LEAST = 400
"""Width that is left to the middle pane, at least."""


class ThreePanes(QSplitter):
    """``left`` and ``right`` are ``widths`` wide, narrower in a window below ``small``, until the user sizes them."""

    def __init__(self, panes: tuple[QWidget, QWidget, QWidget], widths: tuple[int, int], small: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._widths, self._small = widths, small
        self._sized = False
        self.setHandleWidth(10)
        self.setChildrenCollapsible(False)
        for at, pane in enumerate(panes):
            self.addWidget(pane)
            self.setStretchFactor(at, int(at == 1))
        self.splitterMoved.connect(self._user_sized)

    def fit(self, width: int) -> None:
        """Share out ``width`` (of the window's view, logical pixels) unless the user has."""
        if not self._sized:
            left, right = _NARROW if width < self._small else self._widths
            self.setSizes([left, max(_LEAST, width - left - right - 40), right])

    def chosen_sizes(self) -> list[int] | None:
        """The sizes that the user has given, to be kept."""
        return self.sizes() if self._sized else None

    def restore_sizes(self, sizes: object) -> None:
        """Take up sizes that were kept; anything else is passed over."""
        if isinstance(sizes, list) and len(sizes) == 3 and all(isinstance(s, int) for s in sizes) and min(sizes) > 0:
            self.setSizes(sizes)
            self._sized = True

    def _user_sized(self) -> None:
        self._sized = True
