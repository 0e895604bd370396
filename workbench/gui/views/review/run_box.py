"""The choice of the run to review."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from workbench.gui.i18n import tr
from workbench.gui.models.review_run import Overview


class RunBox(QComboBox):
    """Runs, newest first; hidden where there is nothing to choose. ``chosen`` carries a run's number."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Run"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)
        self.activated.connect(lambda at: self.chosen.emit(int(self.itemData(at))))

    def show_runs(self, overview: Overview) -> None:
        """List the runs of ``overview``, its own chosen."""
        self.clear()
        for run in reversed(overview.runs):
            self.addItem(tr("Run {number} · {method}", number=run.id, method=run.method), run.id)
        if overview.run is not None:
            self.setCurrentIndex(self.findData(overview.run.id))
        self.setVisible(len(overview.runs) > 1)
