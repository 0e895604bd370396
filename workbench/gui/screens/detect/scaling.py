"""From the dialog for big collections to jobs, and from a finished job to Relations or Review."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from workbench.base.types import Run
from workbench.gui.i18n import tr, trn
from workbench.gui.screens.detect.scale_dialog import RUN, ScaleDialog
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.methods.core import registry
from workbench.services.scaling.running import brought_in, found_by

Limits = tuple[float | None, int | None]


class Scaling:
    """Asks, starts jobs, and says what can be done next; ``usual`` is what the dialog begins with."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        self._context = context
        self._parent = parent
        self.usual: dict[str, Any] = {}
        self.dialog: ScaleDialog | None = None
        """The open dialog, if any."""

    def ask(self, method: str, values: Mapping[str, Any]) -> None:
        """Show the dialog for ``method`` with ``values``, and do what was chosen."""
        dialog = self.dialog = ScaleDialog(self._context, self._parent, method, values, self.usual)
        dialog.finished.connect(lambda result: self._answered(dialog, bool(result)))
        dialog.open()

    def _answered(self, dialog: ScaleDialog, accepted: bool) -> None:
        self.usual = dialog.state()
        self.dialog = None
        if accepted and dialog.choice == RUN:
            self._run(dialog)
        elif accepted:
            self.bring_in(dialog.out(), dialog.limits())
        dialog.deleteLater()

    def _run(self, dialog: ScaleDialog) -> None:
        request, out, limits = dialog.request(), dialog.out(), dialog.limits()
        title = tr("{method} on {folder}", method=request.method, folder=request.paths[0].name)

        def ended(record: JobRecord) -> None:
            if not isinstance(record.result, tuple):
                self._context.say_job_ended(record, tr("The job was stopped; finished steps are kept."))
                return
            pages, refused, pairs = record.result
            words = [
                trn("{count} page read", "{count} pages read", pages),
                trn("{count} pair found", "{count} pairs found", pairs),
            ]
            if refused:
                words.append(trn("{count} input refused", "{count} inputs refused", refused))
            self._context.offer(" · ".join(words), tr("Import"), lambda: self.bring_in(out, limits))

        self._context.jobs.submit(title, found_by, out, request, dialog.options(), after=ended)
        self._context.offer(tr("The job was started."), tr("Watch in Jobs"), lambda: self._context.show_view("jobs"))

    def bring_in(self, folder: Path, limits: Limits) -> None:
        """Import the results of the finished job in ``folder`` into the open project."""
        project = self._context.project
        if project is None:
            return

        def ended(record: JobRecord) -> None:
            run = record.result
            if not isinstance(run, Run):
                self._context.say_job_ended(record, tr("The import was stopped; what was stored is kept."))
                return
            sentence = trn("Run {run} has {count} pair.", "Run {run} has {count} pairs.", run.pairs, run=run.id)
            if registry.get(run.method).facts.scans:
                self._context.offer(sentence, tr("Open in Review"), lambda: self._context.open_review(run.id, 0))
            else:
                self._context.offer(sentence, tr("Open in Relations"), lambda: self._context.show_view("relations"))

        title = tr("Import from {folder}", folder=folder.name)
        self._context.jobs.submit(title, brought_in, project, folder, *limits, after=ended)
