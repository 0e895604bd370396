"""The dialog and jobs for big collections, and opening finished jobs in Relations or Review."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from workbench.base.errors import ParameterError
from workbench.base.types import Role, Run
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.progress import progress_text
from workbench.gui.kit.widgets import button, caption, choice_box, column, columns_field, label, line, row, text_field
from workbench.gui.kit.words import role_word
from workbench.gui.problems import guarded
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.methods.core import registry
from workbench.reading.formats.rows import by_heading, columns_of
from workbench.scaleout.record import METHODS, JobRequest, found_in, notes
from workbench.services.scaling import import_results, planned
from workbench.services.scaling.running import MEMORY, EngineOptions, found_by

RUN, IMPORT = 1, 2
"""Results of the dialog: start a job, or import a finished one."""


@guarded
class ScaleDialog(QDialog):
    """A form for folders, method, engine and limits, with a plan on request; ``values``: settings of ``method``."""

    def __init__(
        self,
        context: AppContext,
        parent: QWidget,
        method: str,
        values: Mapping[str, Any],
        usual: Mapping[str, Any],
    ) -> None:
        """Pre-filled with ``usual``, the result of :meth:`state`."""
        super().__init__(parent)
        self._context = context
        self._own, self._values = method, dict(values)
        self._planning: JobRecord | None = None
        self.choice = 0
        self.setWindowTitle(tr("A collection too big for a project"))
        self.resize(720, 560)
        self.pages = text_field(tr("Pages"), tr("Folder with web archives, JSON Lines, Parquet or pages"))
        self.folder = text_field(tr("Folder of the job"), tr("Steps are kept here, so that a stopped job can continue"))
        self.methods = choice_box(tr("Method"), [(n, f"{n}: {tr(registry.get(n).summary)}") for n in METHODS])
        self.roles = choice_box(tr("Role"), [(r.value, role_word(r)) for r in Role])
        self.engines = choice_box(
            tr("Where"), [("duckdb", tr("On this computer (DuckDB)")), ("spark", tr("On a cluster (Spark)"))]
        )
        self.master = text_field(tr("Address of the cluster"), "spark://host:7077, sc://host:15002, yarn, k8s://…")
        self.memory = text_field(tr("Memory"), MEMORY)
        self.repetition = QCheckBox(tr("Ignore text repeated across a site"))
        self.repetition.setFont(fonts.font(13))
        self.columns = columns_field()
        self.least = QDoubleSpinBox()
        self.least.setRange(0, 1e9)
        self.least.setDecimals(3)
        self.least.setSpecialValueText(tr("all"))
        self.least.setAccessibleName(tr("Import pairs with a score of at least"))
        self.most = QSpinBox()
        self.most.setRange(0, 100_000_000)
        self.most.setGroupSeparatorShown(True)
        self.most.setSpecialValueText(tr("all"))
        self.most.setAccessibleName(tr("Import at most"))
        self.plan = label("", 13, role="muted", wrap=True, tabular=True)
        self.plan.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.plan_button = button(tr("Plan"), self.make_plan)
        self.cancel_button = button(tr("Cancel the plan"), self._cancel_plan)
        context.jobs.progressed.connect(self._progressed)
        self.import_button = button(tr("Import its results"), lambda: self._end(IMPORT))
        self.go = button(tr("Start"), lambda: self._end(RUN), kind="primary")
        self._restore(usual)
        self._build()
        for field in (self.master, self.memory):
            field.textChanged.connect(self._changed)
        for field in (self.pages, self.folder, self.columns):
            field.textChanged.connect(self._show_existing_job)
        for box in (self.methods, self.engines):
            box.currentIndexChanged.connect(self._show_existing_job)
        self._show_existing_job()

    def _restore(self, usual: Mapping[str, Any]) -> None:
        for name in ("pages", "folder", "master", "columns"):
            getattr(self, name).setText(str(usual.get(name, "")))
        self.memory.setText(str(usual.get("memory", MEMORY)))
        method = self._own if self._own in METHODS else usual.get("methods")
        for name, value in (("methods", method), ("roles", usual.get("roles")), ("engines", usual.get("engines"))):
            box: QComboBox = getattr(self, name)
            box.setCurrentIndex(max(0, box.findData(value)))
        self.repetition.setChecked(usual.get("repetition") is not False)

    def state(self) -> dict[str, Any]:
        """The values that pre-fill the next dialog."""
        lines = {name: getattr(self, name).text() for name in ("pages", "folder", "master", "memory", "columns")}
        boxes = {name: getattr(self, name).currentData() for name in ("methods", "roles", "engines")}
        return lines | boxes | {"repetition": self.repetition.isChecked()}

    def _build(self) -> None:
        whole = column(spacing=10, margins=(14, 12, 14, 12))
        for field in (self.pages, self.folder):
            choose = button(tr("Choose…"), partial(self._choose, field))
            choose.setAccessibleName(f"{tr('Choose…')} {field.accessibleName()}")
            whole.addLayout(column(caption(field.accessibleName()), row(field, choose), spacing=4))
        boxes = row(_titled(self.methods), _titled(self.roles), spacing=14)
        boxes.setStretch(0, 1)
        whole.addLayout(boxes)
        engine = row(_titled(self.engines), _titled(self.master), _titled(self.memory), spacing=14)
        engine.setStretch(1, 1)
        whole.addLayout(engine)
        whole.addLayout(_titled(self.columns))
        whole.addWidget(self.repetition)
        whole.addWidget(line())
        whole.addLayout(row(caption(tr("Estimated time and space")), None, self.cancel_button, self.plan_button))
        whole.addWidget(self.plan, 1)
        whole.addWidget(line())
        whole.addLayout(row(_titled(self.least), _titled(self.most), None, self.import_button, spacing=14))
        whole.addLayout(row(None, button(tr("Cancel"), self.reject), self.go))
        self.setLayout(whole)
        self.go.setDefault(True)
        self.pages.setFocus()

    def _choose(self, field: QLineEdit) -> None:
        start = Path(field.text()) if field.text() else Path.home()
        if chosen := file_dialogs.open_folder(self, field.accessibleName(), start):
            field.setText(str(chosen))

    def request(self) -> JobRequest:
        """The request for the job."""
        method = self.methods.currentData()
        parameters = self._values if method == self._own else {}
        return JobRequest(
            (Path(self.pages.text()),),
            method,
            parameters,
            Role(self.roles.currentData()),
            site_repetition=self.repetition.isChecked(),
            columns=columns_of(self.columns.text()),
        )

    def options(self) -> EngineOptions:
        """The engine and its limits."""
        engine = self.engines.currentData()
        master = self.master.text().strip() if engine == "spark" else ""
        return EngineOptions(engine, master, self.memory.text().strip() or MEMORY)

    def out(self) -> Path:
        """The folder of the job."""
        return Path(self.folder.text())

    def limits(self) -> tuple[float | None, int | None]:
        """The minimum score and the maximum number of pairs to import; None: all."""
        return self.least.value() or None, self.most.value() or None

    def make_plan(self) -> None:
        """Estimate the cost from a sample, as a job of this dialog."""
        self.plan.setText(tr("Running a sample through all steps…"))
        self._planning = self._context.jobs.submit(
            tr("Plan"), planned, self.request(), self.options(), self.out(), after=self._planned, quiet=True
        )
        self._changed()

    def _cancel_plan(self) -> None:
        if self._planning is not None:
            self._context.jobs.cancel(self._planning.id)

    def _progressed(self, record: JobRecord) -> None:
        if record is self._planning:
            self.plan.setText("\n".join((tr("Running a sample through all steps…"), progress_text(record))))

    def _planned(self, record: JobRecord) -> None:
        if record is not self._planning:
            return
        self._planning = None
        if record.state == "cancelled":
            self._show_existing_job()
            return
        sentences = record.result if isinstance(record.result, list) else [record.error]
        self.plan.setText("\n".join(say(sentence) for sentence in sentences))
        self._changed()

    def _show_existing_job(self) -> None:
        """Drop a plan of other settings; show the results of the job in the folder instead, and the method's
        restrictions.
        """
        self._cancel_plan()
        self._planning = None
        sentences = [say(note) for note in notes(self.methods.currentData())]
        if counts := self._counts():
            pages, pairs = counts
            read = trn("{count} page read", "{count} pages read", pages)
            done = tr("The job in this folder is done:")
            sentences.insert(0, f"{done} {read} · " + trn("{count} pair found", "{count} pairs found", pairs))
        else:
            sentences.insert(
                0, tr("Plan runs a sample through all steps and estimates the time and space for the whole.")
            )
        self.plan.setText("\n".join(sentences))
        self._changed()

    def _counts(self) -> tuple[int, int] | None:
        return found_in(self.out()) if self.folder.text() else None

    def _changed(self) -> None:
        cluster = self.engines.currentData() == "spark"
        self.master.setEnabled(cluster)
        problem = self._problem()
        if problem is not None:
            self.plan.setText(say(problem.message))
        ready = bool(self.pages.text()) and problem is None
        self.go.setEnabled(ready and bool(self.folder.text()) and (not cluster or bool(self.master.text().strip())))
        self.plan_button.setEnabled(ready and self._planning is None)
        self.cancel_button.setVisible(self._planning is not None)
        self.import_button.setEnabled(self._counts() is not None)

    def _problem(self) -> ParameterError | None:
        """What is wrong with the columns."""
        try:
            by_heading(columns_of(self.columns.text()))
        except ParameterError as error:
            return error
        return None

    def _end(self, choice: int) -> None:
        self.choice = choice
        self.accept()

    def done(self, result: int) -> None:
        """Stop making a plan as well."""
        self._cancel_plan()
        super().done(result)


def _titled(widget: QWidget) -> Any:
    return column(caption(widget.accessibleName()), widget, spacing=4)


Limits = tuple[float | None, int | None]


class Scaling:
    """Asks for a job, starts it, and offers the next step; ``usual`` are the values that pre-fill the dialog."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        self._context = context
        self._parent = parent
        self.usual: dict[str, Any] = {}
        self.dialog: ScaleDialog | None = None
        """The open dialog, if any."""

    def ask(self, method: str, values: Mapping[str, Any]) -> None:
        """Show the dialog for ``method`` with ``values``, and execute the choice."""
        dialog = self.dialog = ScaleDialog(self._context, self._parent, method, values, self.usual)
        dialog.finished.connect(lambda result: self._dialog_closed(dialog, bool(result)))
        dialog.open()

    def _dialog_closed(self, dialog: ScaleDialog, accepted: bool) -> None:
        self.usual = dialog.state()
        self.dialog = None
        if accepted and dialog.choice == RUN:
            self._run(dialog)
        elif accepted:
            self.import_results(dialog.out(), dialog.limits())
        dialog.deleteLater()

    def _run(self, dialog: ScaleDialog) -> None:
        request, out, limits = dialog.request(), dialog.out(), dialog.limits()
        project = self._context.project
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
            add = partial(self.import_results, out, limits)
            if project is None or project == self._context.project:
                self._context.offer(" · ".join(words), tr("Import"), add)
                return
            # The results are not for the project that is open by now.
            words.append(tr("for the project {name}", name=project.stem))
            self._context.offer(
                " · ".join(words), tr("Open it"), lambda: self._context.open_project(project, opened=add)
            )

        self._context.jobs.submit(title, found_by, out, request, dialog.options(), after=ended)
        self._context.offer(tr("The job was started."), tr("Watch in Jobs"), lambda: self._context.show_view("jobs"))

    def import_results(self, folder: Path, limits: Limits, *, afresh: bool = False) -> None:
        """Import the results of the finished job in ``folder`` into the open project; if a run already has them, only
        ``afresh``.
        """
        project = self._context.project
        if project is None:
            return

        def imported(result: tuple[Run, bool]) -> None:
            run, before = result
            if before:
                sentence = tr("Run {run} already has these results; nothing was imported.", run=run.id)
                again = partial(self.import_results, folder, limits, afresh=True)
                self._context.offer(sentence, tr("Import again"), again)
                return
            sentence = trn("Run {run} has {count} pair.", "Run {run} has {count} pairs.", run.pairs, run=run.id)
            if registry.get(run.method).facts.scans:
                self._context.offer(sentence, tr("Open in Review"), lambda: self._context.open_review(run.id, 0))
            else:
                self._context.offer(sentence, tr("Open in Relations"), lambda: self._context.show_view("relations"))

        title = tr("Import from {folder}", folder=folder.name)
        after = self._context.after(tuple, imported, tr("The import was stopped; everything stored so far is kept."))
        self._context.jobs.submit(title, import_results, project, folder, *limits, afresh, after=after)
