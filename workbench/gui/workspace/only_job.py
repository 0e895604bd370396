"""The job of a dialog: one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from workbench.gui.problems.guard import guarded
from workbench.gui.workspace.job_bridge import JobBridge, JobRecord


@guarded
class OnlyJob(QObject):
    """Runs a job for ``dialog``; the next one, :meth:`stop` and the end of the dialog cancel it and drop its result."""

    def __init__(self, jobs: JobBridge, dialog: QDialog) -> None:
        super().__init__(dialog)
        self._jobs = jobs
        self._job: JobRecord | None = None
        self._after: Callable[[JobRecord], object] | None = None
        dialog.finished.connect(lambda _code: self.stop())

    @property
    def running(self) -> bool:
        """Whether a result is awaited."""
        return self._job is not None

    def begin(
        self,
        title: str,
        function: Callable[..., Any],
        *args: Any,
        after: Callable[[JobRecord], object],
        quiet: bool = False,
    ) -> None:
        """Run ``function(ctx, *args)`` in place of the job before; ``after(record)`` follows once it has ended."""
        self.stop()
        self._after = after
        self._job = self._jobs.submit(title, function, *args, after=self._ended, quiet=quiet)

    def stop(self) -> None:
        """Cancel the job, if one is running."""
        job, self._job = self._job, None
        if job is not None and job.active:
            self._jobs.cancel(job.id)

    def _ended(self, record: JobRecord) -> None:
        if record is self._job and self._after is not None:
            self._job = None
            self._after(record)
