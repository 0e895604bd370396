"""The thresholds above which a page counts as stitched."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from workbench.gui.kit.option_fields import OptionFields
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.widgets import label
from workbench.services.relations.options import StitchedOptions

_PAUSE_MS = 300


class StitchedLimits(QWidget):
    """Three numbers; ``changed`` is emitted after a pause in typing."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._pause = after_pause(self.changed.emit, _PAUSE_MS, self)
        self.fields = OptionFields(StitchedOptions, {})
        self.fields.changed.connect(self._pause.start)
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 0, 12, 9)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(0, 1)
        for row, field in enumerate(self.fields.fields.values()):
            words = label(field.widget.accessibleName(), 12, role="muted", wrap=True)
            words.setBuddy(field.widget)
            field.widget.setFixedWidth(92)
            grid.addWidget(words, row, 0)
            grid.addWidget(field.widget, row, 1)

    def options(self) -> StitchedOptions:
        """The current limits."""
        return self.fields.chosen()
