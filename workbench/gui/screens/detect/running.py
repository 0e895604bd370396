"""The running detection: stage, figures, remaining time, cancel button."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QProgressBar

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.progress import progress_text, show_progress, state_word
from workbench.gui.kit.widgets import column, heading, icon_button, label, row
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord


class RunningPanel(QFrame):
    """Shows the progress of one job; hidden if there is none."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.record: JobRecord | None = None
        self.title = heading("", 13)
        self.text = label("", 12, role="muted", tabular=True)
        self.warnings = label("", 12, role="warn")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the detection"))
        self.stop = icon_button(context.theme, tr("Cancel"), "stop", self.cancel)
        words = row(self.title, self.text, self.warnings, None, spacing=12)
        inside = row(column(words, self.bar, spacing=8), self.stop, margins=(16, 12, 12, 12), spacing=16)
        inside.setStretch(0, 1)
        self.setLayout(inside)
        context.jobs.progressed.connect(self._progressed)
        self.hide()

    def follow(self, record: JobRecord | None) -> None:
        """Show ``record``, or nothing."""
        self.record = record
        self.setVisible(record is not None)
        if record is not None:
            self._progressed(record)

    def cancel(self) -> None:
        """Stop the detection; finished chunks are kept."""
        if self.record is not None:
            self._context.jobs.cancel(self.record.id)

    def _progressed(self, record: JobRecord) -> None:
        if record is not self.record:
            return
        self.title.setText(record.title)
        self.text.setText(progress_text(record) or state_word(record.state))
        count = len(record.warnings)
        self.warnings.setText(trn("{count} warning", "{count} warnings", count) if count else "")
        self.stop.setEnabled(record.state != "cancelling")
        self.stop.setText(" " + (tr("Cancelling…") if record.state == "cancelling" else tr("Cancel")))
        show_progress(self.bar, record)
