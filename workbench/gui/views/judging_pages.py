"""Judging the blocks of all pages again from the window: ask for the rule, judge as a job, say what changed."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from workbench.gui.context import AppContext
from workbench.gui.dialogs.judge_dialog import JudgeDialog
from workbench.gui.i18n import tr, trn
from workbench.gui.models.jobs import JobRecord
from workbench.gui.models.selector_reads import HostSelectors, read_selectors
from workbench.gui.parts import dress
from workbench.services.judging import Judged, judge_pages


class PageJudge(QObject):
    """Judges the pages of the open project."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._parent = context, parent
        self.dialog: JudgeDialog | None = None

    def ask(self, parent: QWidget | None = None) -> None:
        """Show the dialog over ``parent`` (by default the window) once the pages are counted."""

        def show(found: HostSelectors) -> None:
            dialog = self.dialog = JudgeDialog(parent or self._parent.window(), found.pages)
            dress(dialog, self._context.theme)
            dialog.accepted.connect(lambda: self.start(dialog.rule()))
            dialog.open()

        self._context.background(read_selectors, show, owner=parent or self)

    def start(self, rule: str) -> JobRecord | None:
        """Judge by ``rule`` as a job."""
        project = self._context.project
        if project is None:
            return None
        return self._context.jobs.submit(tr("Judge blocks of pages"), judge_pages, project, rule, after=self._finished)

    def _finished(self, record: JobRecord) -> None:
        if isinstance(record.result, Judged):
            self._say(record.result)
        elif record.state == "cancelled":
            self._context.say(tr("Judging was cancelled; what had been judged stays as it is now."), "warn")
        elif record.report:
            self._context.bug.emit(record.error, record.report)
        elif record.error:
            self._context.say(record.error, "danger")

    def _say(self, result: Judged) -> None:
        parts = [
            trn("{count} page was judged.", "{count} pages were judged.", result.pages),
            trn("Other blocks count on {count} page now.", "Other blocks count on {count} pages now.", result.changed),
        ]
        if result.left:
            parts.append(
                trn(
                    "{count} page was left as it was: its source gives another text today.",
                    "{count} pages were left as they were: their source gives another text today.",
                    result.left,
                )
            )
        self._context.say(" ".join(parts), "warn" if result.left else "ok")
