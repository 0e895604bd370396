"""Jobs: running and finished jobs, and the runs of earlier sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QListView, QPlainTextEdit, QProgressBar, QSplitter, QStackedWidget, QWidget

from workbench.base.types import Run
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.progress import progress_text, show_progress, state_word
from workbench.gui.kit.runs import has_results, settings_text
from workbench.gui.kit.widgets import (
    Elided,
    EmptyState,
    button,
    caption,
    column,
    heading,
    icon_button,
    label,
    line,
    panel,
    row,
)
from workbench.gui.kit.words import local_time
from workbench.gui.screens.jobs import SCREEN
from workbench.gui.screens.jobs.job_list import JobDelegate, JobList, name_of
from workbench.gui.theme import fonts
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.gui.workspace.screen import Screen, View
from workbench.services import queries


class JobsView(View):
    """The list on the left, the chosen job's progress and log on the right."""

    declaration: ClassVar[Screen] = SCREEN
    kinds: ClassVar[frozenset[str]] = frozenset({"runs"})

    def build(self) -> Iterator[None]:
        context = self.context
        self.model = JobList(context.jobs, self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(JobDelegate(context.theme, self.list))
        self.list.setAccessibleName(tr("Jobs"))
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.heading = Elided("", 16, weight=fonts.SEMIBOLD)
        self.state = label("", 13, role="muted", wrap=True, tabular=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress"))
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setAccessibleName(tr("Warnings and errors"))
        self.log.setFont(fonts.font(13))
        self.log.setTabChangesFocus(True)
        self.cancel_button = icon_button(
            context.theme, tr("Cancel"), "stop", lambda: context.actions.run("jobs.cancel")
        )
        self.open_button = icon_button(context.theme, tr("Open in Review"), "review", self._open)
        self.resume_button = icon_button(
            context.theme, tr("Resume"), "play", lambda: context.actions.run("jobs.resume")
        )
        self._current: str | int | None = None
        """Name of the job or run in the current row."""
        self._pages = QStackedWidget()
        yield
        self._build()
        yield
        self.list.selectionModel().currentChanged.connect(lambda *_: self._choose())
        self.model.changed_at.connect(self._changed)
        self.model.modelReset.connect(self._reselect)
        self.model.rowsInserted.connect(lambda *_: self._inserted())
        context.actions.add(
            self.make_action(
                "cancel",
                tr("Cancel the job"),
                self.cancel,
                "Ctrl+.",
                "stop",
                enabled=self._cancellable,
                needs=tr("Select a job that is running."),
            ),
            self.make_action(
                "resume",
                tr("Resume the run"),
                self.resume,
                "",
                "play",
                enabled=lambda: self.resumable() is not None,
                needs=tr("Select a run that was interrupted or cancelled, or that failed."),
            ),
            self.make_action("clear", tr("Clear finished jobs"), self.clear, "", "trash"),
        )
        # A job may already be running, for which there was no signal.
        self._reselect()

    def _build(self) -> None:
        frame, layout = panel()
        frame.setMinimumWidth(360)
        self.count = label("", 12, role="faint", tabular=True)
        clear = button(tr("Clear finished"), self.clear, kind="link")
        layout.addLayout(row(heading(tr("Jobs")), self.count, None, clear, margins=(16, 10, 10, 8)))
        layout.addWidget(line())
        layout.addWidget(self.list, 1)
        layout.setContentsMargins(1, 0, 1, 1)
        right, inner = panel()
        right.setMinimumWidth(340)
        inner.addLayout(
            column(
                self.heading,
                self.state,
                self.bar,
                row(self.cancel_button, self.resume_button, self.open_button, None),
                margins=(18, 14, 18, 14),
                spacing=10,
            )
        )
        inner.addWidget(line())
        below = column(caption(tr("Warnings and errors")), margins=(18, 12, 18, 16), spacing=8)
        below.addWidget(self.log, 1)
        inner.addLayout(below, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(10)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(frame)
        self.splitter.addWidget(right)
        self.splitter.setSizes([560, 700])
        holder, inside = panel()
        inside.addWidget(
            EmptyState(
                self.context.theme,
                "jobs",
                tr("Nothing has run yet"),
                tr(
                    "Imports and detections appear here while they run, "
                    "with their progress and everything they warned about."
                ),
            )
        )
        page = QWidget()
        page.setLayout(column(self.splitter))
        self._pages.addWidget(holder)
        self._pages.addWidget(page)
        self.setLayout(column(self._pages, margins=(10, 0, 10, 0)))

    def load(self) -> None:
        """Read the runs of earlier sessions."""
        self.set_ready(False)
        if self.context.session is None:
            self._show_runs([])
        else:
            self.context.latest(self, "runs", queries.runs_newest_first, self._show_runs)

    def _show_runs(self, runs: list[Run]) -> None:
        self.model.set_runs(runs)
        self._show()
        self.set_ready()

    def chosen(self) -> JobRecord | Run | None:
        """The job or run in the current row."""
        return self.model.item(self.list.currentIndex().row())

    def cancel(self) -> None:
        """Stop the selected job; committed work is kept."""
        item = self.chosen()
        if isinstance(item, JobRecord):
            self.context.jobs.cancel(item.id)

    def resumable(self) -> Run | None:
        """The selected run, if it stopped early."""
        item = self.chosen()
        return item if isinstance(item, Run) and item.state.resumable else None

    def resume(self) -> None:
        """Resume the selected run; the job appears in the list."""
        run = self.resumable()
        if run is not None:
            self.context.resume_requested.emit(run)

    def clear(self) -> None:
        """Remove finished jobs from the list; runs remain in the project."""
        self.context.jobs.clear_finished()
        self.model.refresh()

    def _open(self) -> None:
        run = self._run()
        if run is not None:
            self.context.open_review(run.id, 0)

    def _run(self) -> Run | None:
        item = self.chosen()
        run = item.result if isinstance(item, JobRecord) else item
        stored = self.model.stored(run) if isinstance(run, Run) else None
        return stored if stored is not None and has_results(stored) else None

    def _cancellable(self) -> bool:
        item = self.chosen()
        return isinstance(item, JobRecord) and item.active and item.state != "cancelling"

    def _choose(self) -> None:
        item = self.chosen()
        if item is not None:
            self._current = name_of(item)
        self._show()

    def _inserted(self) -> None:
        """Select a job that has just started, unless the user is looking at another running one."""
        self._pages.setCurrentIndex(1)
        item = self.chosen()
        if not (self.isVisible() and isinstance(item, JobRecord) and item.active):
            self.list.setCurrentIndex(self.model.index(0))
        self._show()

    def _reselect(self) -> None:
        """Keep the same job or run selected, wherever it has moved."""
        count = self.model.rowCount()
        self._pages.setCurrentIndex(1 if count else 0)
        if count:
            row_ = -1 if self._current is None else self.model.row_of(self._current)
            self.list.selectionModel().setCurrentIndex(
                self.model.index(max(0, row_)), QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
        self._show()

    def _changed(self, number: int) -> None:
        if number == self.list.currentIndex().row():
            self._show()

    def _show(self) -> None:
        active = len(self.context.jobs.active())
        self.count.setText(
            trn("{count} running", "{count} running", active) if active else f"{self.model.rowCount():,}"
        )
        item = self.chosen()
        self.cancel_button.setVisible(isinstance(item, JobRecord) and item.active)
        self.cancel_button.setEnabled(self._cancellable())
        self.open_button.setVisible(self._run() is not None)
        self.resume_button.setVisible(self.resumable() is not None)
        self.bar.setVisible(isinstance(item, JobRecord))
        if isinstance(item, JobRecord):
            self._show_job(item)
        elif item is not None:
            self._show_run(item)
        self.context.actions.refresh()

    def _show_job(self, record: JobRecord) -> None:
        self.heading.set_text(record.title)
        self.state.setText(" · ".join(p for p in (state_word(record.state), progress_text(record)) if p))
        show_progress(self.bar, record)
        lines = [f"{path}: {message}" if path and path not in message else message for path, message in record.warnings]
        self._log("\n".join([*([record.error] if record.error else []), *lines, record.report]).strip())

    def _show_run(self, run: Run) -> None:
        self.heading.set_text(tr("Run {run} of {method}", run=run.id, method=run.method))
        matches = trn("{count} match", "{count} matches", run.matches)
        parts = [state_word(run.state), local_time(run.created), matches, settings_text(run)]
        self.state.setText(" · ".join(parts))
        self._log(run.message)

    def _log(self, text: str) -> None:
        text = text or tr("No warnings.")
        if self.log.toPlainText() != text:
            self.log.setPlainText(text)

    def key_hints(self) -> list[tuple[str, str]]:
        return [("jobs.cancel", tr("cancel")), ("window.palette", tr("all actions"))]

    def save_state(self) -> dict[str, Any]:
        return {"sizes": self.splitter.sizes()}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        match state.get("sizes"):
            case [int(left), int(right)] if left > 0 and right > 0:
                self.splitter.setSizes([left, right])

    def first_focus(self) -> QWidget | None:
        return self.list
