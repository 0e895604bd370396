"""Tasks in the window: a dialog with their options, the job, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QCheckBox, QDialog, QVBoxLayout, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.option_fields import OptionFields
from workbench.gui.kit.runs import result_sentence
from workbench.gui.kit.widgets import button, column, label, row
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.tasks import Outcome, Task


def form_of(fields: OptionFields[Any]) -> QVBoxLayout:
    """The layout of ``fields``: tall ones first, switches last; where none is tall, any room is left below."""
    form, beside = column(spacing=10), QWidget()
    flow = FlowLayout(beside, 14)
    form.addWidget(beside)
    for field in sorted(fields.fields.values(), key=lambda field: isinstance(field.widget, QCheckBox)):
        if field.tall:
            form.insertWidget(0, field.titled(), 1)
        elif field.short:
            flow.addWidget(field.titled())
        else:
            form.addWidget(field.titled())
    beside.setVisible(flow.count() > 0)
    if not any(field.tall for field in fields.fields.values()):
        form.addStretch(1)
    return form


_WIDTH, _HEIGHT = 700, 520


class TaskDialog(QDialog):
    """A dialog with the options of a task that have a title, filled in with ``values``."""

    def __init__(self, parent: QWidget, task: type[Task], values: Mapping[str, Any]) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr(task.title))
        self.fields: OptionFields[Task] = OptionFields(task, values)
        self.state = label("", 12, role="muted", wrap=True)
        self.go = button(tr(task.title), self.accept, kind="primary")
        self.forms = row(form_of(self.fields), spacing=24)
        about = label(tr(task.about), 13, role="muted", wrap=True)
        bottom = row(self.state, button(tr("Cancel"), self.reject), self.go)
        bottom.setStretch(0, 1)
        self.setLayout(whole := column(about, self.forms, bottom, spacing=10, margins=(14, 12, 14, 12)))
        tall = any(field.tall for field in self.fields.fields.values())
        self.resize(_WIDTH, _HEIGHT if tall else whole.totalHeightForWidth(_WIDTH))
        self.go.setDefault(True)
        self.fields.changed.connect(self._changed)
        self._changed()

    def _changed(self) -> None:
        problem = ""
        try:
            self._check()
        except UserError as error:
            problem = say(error.sentence)
        self.state.setText(problem)
        self.go.setEnabled(not problem)

    def _check(self) -> None:
        self.fields.chosen()


class TaskRunner(QObject):
    """Asks for the options of a task, starts it, and reports its outcome.

    ``usual`` are the last choices; ``follow`` is called with the running job, then with None. A run that scored
    documents is offered to ``show`` (by its id).
    """

    def __init__(
        self,
        context: AppContext,
        parent: QWidget,
        task: type[Task],
        follow: Callable[[JobRecord | None], object] = lambda _record: None,
        show: Callable[[int], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self._context, self._parent, self._follow, self._show = context, parent, follow, show
        self.purpose = task
        self.usual: dict[str, Any] = {}
        self.dialog: TaskDialog | None = None
        """The last dialog."""

    def inherit(self) -> None:
        """Follow a job of this task from a window in another language."""
        record = self._context.jobs.inherit(self, self.purpose)
        if record is not None:
            self._follow(record)

    def ask(self, **values: Any) -> None:
        """Show the dialog, filled in with the last choices and ``values``, and start the task with the chosen ones."""
        if self._context.session is None:
            return
        try:
            self.purpose.require()
        except UserError as error:
            self._context.show_error(error)
            return
        dialog = self.dialog = TaskDialog(self._parent.window(), self.purpose, {**self.usual, **values})
        dialog.accepted.connect(lambda: self._start(dialog.fields.chosen()))
        dialog.open()

    def _start(self, task: Task) -> None:
        self.usual = task.as_dict()
        title = tr(self.purpose.title)
        self.submit(f"{title}: {say(task.subject)}" if task.subject else title, task.run)

    def submit(self, title: str, job: Callable[..., Outcome], *arguments: Any) -> None:
        """Start ``job(ctx, project, *arguments)``, a part of this task."""
        if self._context.project is not None:
            self._follow(self._context.jobs.submit(title, job, self._context.project, *arguments, after=self._ended))

    def _ended(self, record: JobRecord) -> None:
        self._follow(None)
        outcome = record.result
        if not isinstance(outcome, Outcome):
            self._context.say_job_ended(record, tr(self.purpose.cancelled))
            return
        sentences = [*map(say, outcome.sentences)]
        if outcome.failed:
            first = outcome.failed[0]
            sentences.append(tr("The first: {reason}", reason=f"{first.path}: {say(first.error)}"))
        run = outcome.run
        if run is not None:
            sentences.append(result_sentence(run))
        if run is not None and run.matches:
            self._context.offer(" ".join(sentences), tr("Open in Review"), lambda: self._context.open_review(run.id, 0))
        elif run is not None and self._show is not None:
            self._context.offer(" ".join(sentences), tr("Show run {run}", run=run.id), partial(self._show, run.id))
        else:
            self._context.say(" ".join(sentences), "warn" if outcome.failed else "ok")
