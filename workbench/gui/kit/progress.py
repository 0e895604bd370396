"""Text and drawing of a job's progress."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.widgets import column, heading, icon_button, label, row, set_role
from workbench.gui.problems import guarded
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord

STEPS = 1000
"""Resolution of a progress bar."""


def duration(seconds: float) -> str:
    """A length of time in words: "8 s", "3 min 20 s", "2 h 5 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return tr("{seconds} s", seconds=whole)
    if whole < 3600:
        return tr("{minutes} min {seconds} s", minutes=whole // 60, seconds=whole % 60)
    return tr("{hours} h {minutes} min", hours=whole // 3600, minutes=whole % 3600 // 60)


def state_word(state: str) -> str:
    """A job's or run's state in the interface language."""
    words = {
        "queued": tr("Queued"),
        "running": tr("Running"),
        "cancelling": tr("Cancelling…"),
        "done": tr("Done"),
        "failed": tr("Failed"),
        "cancelled": tr("Cancelled"),
        "interrupted": tr("Interrupted"),
    }
    return words.get(state, state)


def state_role(state: str) -> str:
    """The token that colours a state."""
    return {"done": "ok", "failed": "danger", "interrupted": "warn", "running": "accent"}.get(state, "text3")


def progress_text(record: JobRecord) -> str:
    """Stage, figures and time of a job in one line."""
    parts = [record.stage] if record.stage and record.active else []
    if record.active and record.total:
        parts.append(tr("{done} of {total}", done=f"{record.done:,}", total=f"{record.total:,}"))
    elif record.active and record.done:
        parts.append(f"{record.done:,}")
    if record.active and record.remaining is not None:
        parts.append(tr("{time} left", time=duration(max(1.0, record.remaining))))
    elif not record.active:
        parts.append(tr("took {time}", time=duration(record.seconds)))
    return " · ".join(parts)


def show_progress(bar: QProgressBar, record: JobRecord) -> None:
    """Show ``record`` in ``bar``, as busy while the amount of work is unknown."""
    share = record.share
    if record.active and share is None:
        bar.setRange(0, 0)
    else:
        bar.setRange(0, STEPS)
        bar.setValue(STEPS if record.state == "done" else round((share or 0.0) * STEPS))
    tone = {"done": "ok", "failed": "danger", "cancelled": "quiet"}.get(record.state, "")
    if bar.property("tone") != tone:
        set_role(bar, "tone", tone)


class ProgressStrip(QWidget):
    """A narrow bar with stage and remaining time; hidden while no job is shown."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(140)
        self.bar.setAccessibleName(tr("Progress"))
        self.text = label("", 12, role="faint", tabular=True)
        self.setLayout(row(self.bar, self.text, spacing=9))
        self.hide()

    def show_job(self, record: JobRecord | None) -> None:
        """Show ``record``'s progress, or nothing."""
        self.setVisible(record is not None)
        if record is not None:
            show_progress(self.bar, record)
            self.text.setText(progress_text(record))


@guarded
class JobPanel(QFrame):
    """The progress of one job, with a button to cancel it; hidden while no job runs."""

    def __init__(self, context: AppContext, name: str) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.record: JobRecord | None = None
        self.title = heading("", 13)
        self.text = label("", 12, role="muted", tabular=True)
        self.warnings = label("", 12, role="warn")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(name)
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
        """Cancel the job; finished parts are kept."""
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
