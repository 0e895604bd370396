"""From the dialog for a search engine to its queries, and from what they found to Review."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.runs import found_sentence
from workbench.gui.screens.detect.engine_dialog import EngineDialog
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.engines.running import Searched, set_up_and_search

Follow = Callable[[JobRecord | None], object]


class Asking:
    """Asks the user, then the engine; ``usual`` is what the dialog begins with, ``follow`` shows the progress."""

    def __init__(self, context: AppContext, parent: QWidget, follow: Follow) -> None:
        self._context, self._parent, self._follow = context, parent, follow
        self.usual: dict[str, Any] = {}
        self.dialog: EngineDialog | None = None
        """The open dialog, if any."""

    def ask(self, method: str, values: Mapping[str, Any]) -> None:
        """Show the dialog; pages are compared by ``method`` with ``values``."""
        dialog = self.dialog = EngineDialog(self._parent.window(), method, values, self.usual)
        dialog.finished.connect(lambda result: self._answered(dialog, bool(result)))
        dialog.open()

    def _answered(self, dialog: EngineDialog, accepted: bool) -> None:
        self.usual = dialog.state()
        self.dialog = None
        project = self._context.project
        if accepted and project is not None:
            record = self._context.jobs.submit(
                tr("Ask the search engine"),
                set_up_and_search,
                project,
                dialog.engine(),
                dialog.key.text(),
                dialog.search(),
                allow_private=dialog.private.isChecked(),
                after=self._ended,
            )
            self._follow(record)
        dialog.deleteLater()

    def _ended(self, record: JobRecord) -> None:
        self._follow(None)
        outcome = record.result
        if not isinstance(outcome, Searched):
            self._context.say_job_ended(record)
            return
        words = [
            trn("{count} query made", "{count} queries made", outcome.sent),
            trn("{count} page named", "{count} pages named", outcome.named),
            trn("{count} page fetched", "{count} pages fetched", outcome.fetched),
            *(f"{say(reason)}: {count:,}" for reason, count in outcome.left_out.items()),
        ]
        if outcome.failed:
            words.append(tr("The first: {reason}", reason=f"{outcome.failed[0].path}: {say(outcome.failed[0].error)}"))
        if outcome.run is not None:
            words.append(found_sentence(outcome.run))
        sentence = " · ".join(words)
        if outcome.run is not None and outcome.run.matches:
            run = outcome.run.id
            self._context.offer(sentence, tr("Open in Review"), lambda: self._context.open_review(run, 0))
        else:
            self._context.say(sentence, "warn" if outcome.failed else "ok")
