"""Commands on whole projects: new, open, sample, close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from workbench.base.types import Run
from workbench.gui.i18n import tr
from workbench.gui.kit import file_dialogs
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord

if TYPE_CHECKING:
    from workbench.services.session import Session

SUFFIX = ".palimpsest"


class Projects(QObject):
    """Asks for files and opens them in the window's context; ``offer`` is called with texts to offer for import."""

    def __init__(self, context: AppContext, offer: Callable[[Sequence[Path]], object], window: QWidget) -> None:
        super().__init__(window)
        self._context, self._offer, self._window = context, offer, window
        self._building = context.jobs.inherit(self)
        """The job that builds the sample."""
        self._asked_from = context.project
        """The project that was open when the sample was asked for."""

    def new(self) -> None:
        """Ask for a name and create an empty project."""
        start = self._folder() / (tr("Untitled") + SUFFIX)
        path, _ = file_dialogs.save_file(self._window, tr("New project"), start, [self._pattern()])
        if path is not None:
            self.create(path)

    def create(self, path: Path, imported: Sequence[Path] = ()) -> None:
        """Create an empty project at ``path`` (its suffix is added), open it and offer ``imported`` for import."""
        path = path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)

        def show() -> None:
            self._context.show_view("documents")
            if imported:
                self._offer(imported)

        self._context.open_project(path, create=True, opened=self._if_there(show))

    def open(self) -> None:
        """Ask for a project and open it."""
        path = file_dialogs.open_file(self._window, tr("Open project"), self._folder(), [self._pattern()])
        if path is not None:
            self.open_path(path)

    def open_path(self, path: Path) -> None:
        """Open the project at ``path`` at its last view."""
        self._context.open_project(path, opened=self._if_there(lambda: self._context.show_view("documents")))

    def close(self) -> None:
        """Close the project; running jobs are cancelled first."""
        for record in self._context.jobs.active():
            self._context.jobs.cancel(record.id)
        self._context.close_project()
        self._context.show_view("start")

    def sample(self) -> None:
        """Build the sample project in a job, then open it on its finished result."""
        from workbench.base.resources import data_dir
        from workbench.services.sample import build_sample

        path = data_dir() / f"sample{SUFFIX}"
        if path.exists():
            self._show_sample(path)
            return
        self._asked_from = self._context.project
        self._context.say(tr("Building the sample project; this takes a moment."))
        if self._building is None or not self._building.active:
            title = tr("Build the sample project")
            self._building = self._context.jobs.submit(title, build_sample, path, after=self._sample_built)

    def _sample_built(self, record: JobRecord) -> None:
        if record.state != "done":
            self._context.say_job_ended(record)
        elif (self._context.project, self._context.opening) == (self._asked_from, None):
            self._show_sample(Path(record.result))
        else:
            show = partial(self._show_sample, Path(record.result))
            self._context.offer(tr("The sample project is ready."), tr("Open it"), show)

    def _show_sample(self, path: Path) -> None:
        self._context.open_project(path, opened=self._if_there(self._show_latest_run))

    def _show_latest_run(self) -> None:
        """Show the newest finished run in Review; Documents if there is none."""

        def show(run: Run | None) -> None:
            if run is not None:
                self._context.open_review(run.id, 0)
            else:
                self._context.show_view("documents")

        def newest(session: Session) -> Run | None:
            from workbench.services.queries import newest_run

            return newest_run(session)

        self._context.background(newest, show, owner=self)

    def drop(self, paths: Sequence[Path]) -> None:
        """Open a dropped project, or import dropped texts (into a new project if none is open)."""
        projects = [p for p in paths if p.suffix == SUFFIX and p.is_file()]
        if projects:
            self.open_path(projects[0])
            return
        if self._context.session is None:
            first = paths[0]
            start = first.parent / f"{first.stem}{SUFFIX}"
            title = tr("New project for the dropped texts")
            path, _ = file_dialogs.save_file(self._window, title, start, [self._pattern()])
            if path is not None:
                self.create(path, paths)
            return
        self._context.show_view("documents")
        self._offer(paths)

    def _if_there(self, show: Callable[[], object]) -> Callable[[], object]:
        """A function that calls ``show``, or shows Documents if a window in another language has replaced this one."""
        return lambda: show() if isValid(self) else self._context.show_view("documents")

    def _folder(self) -> Path:
        last = Path(self._context.settings.last_project)
        return last.parent if last.name and last.parent.is_dir() else Path.home()

    def _pattern(self) -> str:
        return tr("Palimpsest project (*{suffix})", suffix=SUFFIX)
