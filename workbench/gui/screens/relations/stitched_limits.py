"""The thresholds above which a page counts as stitched."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSpinBox, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.widgets import label
from workbench.gui.theme.fonts import font
from workbench.services.relations.stitched import StitchedOptions

_PAUSE_MS = 300


class StitchedLimits(QWidget):
    """Three numbers; ``changed`` is emitted after a pause in typing."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        usual = StitchedOptions()
        self._pause = after_pause(self.changed.emit, _PAUSE_MS, self)
        self.sources = self._number(tr("Fewest sources"), usual.sources, 1, 999)
        self.share = self._number(tr("Least share covered"), round(100 * usual.share), 0, 100, " %")
        self.characters = self._number(tr("Fewest characters a source"), usual.characters, 1, 100_000)
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 0, 12, 9)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(0, 1)
        for row, box in enumerate((self.sources, self.share, self.characters)):
            words = label(box.accessibleName(), 12, role="muted", wrap=True)
            words.setBuddy(box)
            grid.addWidget(words, row, 0)
            grid.addWidget(box, row, 1)

    def _number(self, name: str, value: int, low: int, high: int, suffix: str = "") -> QSpinBox:
        box = QSpinBox()
        box.setRange(low, high)
        box.setValue(value)
        box.setSuffix(suffix)
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        box.setFixedWidth(92)
        box.setFont(font(13, tabular=True))
        box.setKeyboardTracking(False)
        box.setAccessibleName(name)
        box.valueChanged.connect(lambda _value: self._pause.start())
        return box

    def options(self) -> StitchedOptions:
        """The current limits."""
        return StitchedOptions(self.sources.value(), self.share.value() / 100, self.characters.value())
