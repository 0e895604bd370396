"""From the dialog for web archives to a scan, and from its end to Review."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from workbench.base.types import Run
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.runs import found_sentence
from workbench.gui.screens.detect.scan_dialog import ScanDialog
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.scanning.running import Scanned, go_on, scan

Follow = Callable[[JobRecord | None], object]


class Scanning:
    """Asks, starts scans, and says what they found; ``usual`` is what the dialog begins with, ``follow`` shows the
    progress of the scan that runs, None once it has ended.
    """

    def __init__(self, context: AppContext, parent: QWidget, follow: Follow) -> None:
        self._context, self._parent, self._follow = context, parent, follow
        self.usual: dict[str, Any] = {}
        self.dialog: ScanDialog | None = None
        """The open dialog, if any."""

    def ask(self, method: str, values: Mapping[str, Any]) -> None:
        """Show the dialog for ``method`` with ``values``, and search what was chosen."""
        dialog = self.dialog = ScanDialog(self._parent.window(), method, values, self.usual)
        dialog.finished.connect(lambda result: self._answered(dialog, bool(result)))
        dialog.open()

    def _answered(self, dialog: ScanDialog, accepted: bool) -> None:
        self.usual = dialog.state()
        self.dialog = None
        project = self._context.project
        if accepted and project is not None:
            paths, again = dialog.chosen(), dialog.again.isChecked()
            title = tr("Search {name}", name=paths[0].name if len(paths) == 1 else tr("web archives"))
            settings = dialog.settings()
            self._follow(
                self._context.jobs.submit(title, scan, project, paths, settings, again=again, after=self._ended)
            )
        dialog.deleteLater()

    def resume(self, run: Run) -> None:
        """Go on with the scan that made ``run``."""
        if self._context.project is not None:
            title = tr("Resume {method}", method=tr("web archives"))
            self._follow(self._context.jobs.submit(title, go_on, self._context.project, run.id, after=self._ended))

    def _ended(self, record: JobRecord) -> None:
        self._follow(None)
        if not isinstance(record.result, Scanned):
            kept = tr("The search was stopped; what was found is kept, and the run can be resumed.")
            self._context.say_job_ended(record, kept)
            return
        scanned = record.result
        words = [
            trn("{count} page searched", "{count} pages searched", scanned.run.documents),
            found_sentence(scanned.run),
        ]
        if scanned.failed:
            words.append(trn("{count} record not readable", "{count} records not readable", scanned.failed))
        if scanned.known:
            words.append(trn("{count} file searched before", "{count} files searched before", scanned.known))
        sentence = " · ".join(words)
        if scanned.run.matches:
            run = scanned.run.id
            self._context.offer(sentence, tr("Open in Review"), lambda: self._context.open_review(run, 0))
        else:
            self._context.say(sentence)
