"""The services shared by all views: project, jobs, theme, actions, undo, and messages to the user."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QDialog

from workbench.base.errors import Cancelled, UserError
from workbench.base.messages import reason
from workbench.base.resources import data_dir
from workbench.base.settings import Settings
from workbench.gui.i18n import again, say, tr
from workbench.gui.problems import recorder
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.actions import ActionSet
from workbench.gui.workspace.background import Background
from workbench.gui.workspace.external_changes import ExternalChangeMonitor
from workbench.gui.workspace.job_bridge import JobBridge, JobRecord
from workbench.gui.workspace.process_queries import ProcessQueries
from workbench.gui.workspace.write_queue import WriteQueue

if TYPE_CHECKING:
    from workbench.services.labels.queue import NamedOrder
    from workbench.services.review.judgement import Reviewer
    from workbench.services.session import Session

T = TypeVar("T")
Change = Callable[[], object]


def file_error_words(error: OSError) -> str:
    """The file of ``error``, if it names one, and the reason."""
    return f"{error.filename or ''}: {say(reason(error))}".removeprefix(": ")


class AppContext(QObject):
    """The window's services, shared by all views.

    ``changed`` emits the kinds of content changed by this window or another process (views reload theirs). ``leaving``
    is emitted before the project is closed; ``resume_requested`` emits a Run that stopped early, ``label_requested`` a
    NamedOrder of items to label and the name of a label set ("" for the current one). ``notice`` emits a sentence and
    its tone ("info", "ok", "warn", "danger") for the banner; ``bug`` the error that ended a job: a sentence and the
    traceback. ``read_failed`` emits the owner of a failed background read. ``unexpected``: a user request failed for a
    reason recorded in ``problems``. ``work_ended`` answers :meth:`end_work`.
    """

    changed = Signal(object)
    read_failed = Signal(object)
    project_changed = Signal()
    opening_changed = Signal()
    leaving = Signal()
    review_requested = Signal(int, int, object)
    passage_requested = Signal(int, int, int, object)
    label_requested = Signal(object, str)
    resume_requested = Signal(object)
    view_requested = Signal(str)
    notice = Signal(str, str)
    undoable = Signal(str)
    offered = Signal(str, str, object)
    bug = Signal(str, str)
    unexpected = Signal()
    work_ended = Signal(bool)

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__()
        self.theme = theme
        self.settings = settings
        self.problems = recorder()
        self.session: Session | None = None
        self._left_out: dict[str, int] = {}
        self.opening: Path | None = None
        self._saved: tuple[Path | None, Path] = None, Path()
        """The project from which a file was last saved, and that file's folder."""
        self._newest: weakref.WeakKeyDictionary[QObject, dict[str, object]] = weakref.WeakKeyDictionary()
        self.actions = ActionSet(settings.shortcuts, self)
        self.history = History(self)
        self.changes = WriteQueue(self)
        self.follower = ExternalChangeMonitor(self.changes.settle, self)
        self.jobs = JobBridge(self.changes, self)
        self.reads = Background(self.show_error, self)
        self.asides = ProcessQueries(self)
        self.history.changed.connect(lambda: self.actions.refresh(("edit.undo", "edit.redo")))
        self.jobs.content_changed.connect(self.announce)
        self.changes.failed.connect(self._report_failed_change)
        self.changes.delayed.connect(self._report_delay)
        self.follower.changed.connect(self._others_changed)
        self.work_ended.connect(self._resume)

    @property
    def project(self) -> Path | None:
        """Path of the open project."""
        return None if self.session is None else Path(self.session.path)

    @property
    def folder(self) -> Path:
        """The initial folder for saving and opening files: the last used one, else the project's unless it is the
        sample's or read-only.
        """
        project = self.project
        saved, folder = self._saved
        if saved == project and folder.is_dir():
            return folder
        if self.session is None or project is None or project.parent == data_dir():
            return Path.home()
        return project.parent if self.session.project.writable else Path.home()

    @folder.setter
    def folder(self, folder: Path) -> None:
        self._saved = self.project, folder

    @property
    def viewer(self) -> Reviewer:
        """The current reviewer, with the name in the settings or the login name; all reads are on their behalf."""
        from workbench.services.review.judgement import Reviewer
        from workbench.services.review.verdicts import reviewer

        return Reviewer(self.settings.reviewer or reviewer(), self.settings.blind)

    @staticmethod
    def translate(text: str, /, **values: object) -> str:
        """``text`` in the interface language (see :func:`workbench.gui.i18n.tr`)."""
        return tr(text, **values)

    def open_project(
        self,
        path: Path,
        *,
        create: bool = False,
        meanwhile: Callable[[], object] | None = None,
        opened: Callable[[], object] | None = None,
        refused: Callable[[], object] | None = None,
    ) -> None:
        """Open (or create) the project at ``path`` in the background and close the previous one, then call
        ``opened()``.

        This may take seconds if another program is using the file; ``opening`` is the path meanwhile. The same thread
        calls ``meanwhile()``, to prepare for ``opened``. A failure is reported to the user before ``refused()`` is
        called. A newer request, or closing the project, supersedes this one. A dialog about the previous project is
        waited for.
        """
        wanted = self.newest(self, "project")

        def work() -> Session:
            from workbench.services import session

            if meanwhile is not None:
                meanwhile()
            if create:
                session.create(path)
            return session.open_session(path)

        def done(session: Session) -> None:
            if not wanted():
                session.close()
                return
            if isinstance(dialog := QApplication.activeModalWidget(), QDialog):
                # It would go on to change the next project, or what was typed in it would be lost.
                dialog.finished.connect(
                    lambda _code: QTimer.singleShot(0, self, partial(done, session)),
                    Qt.ConnectionType.SingleShotConnection,
                )
                self.say(tr("{name} opens when the dialog is closed.", name=path.stem))
                return
            self.close_project()
            self.session = session
            self.follower.follow(session)
            self.settings.remember(path)
            self.project_changed.emit()
            if not session.project.writable:
                self.say(
                    tr(
                        "The project is open for reading only: nothing is saved in it. "
                        "To change it, copy it to a folder you may write to."
                    ),
                    "warn",
                )
            if opened is not None:
                opened()

        def failed(error: BaseException) -> None:
            if not wanted():
                return
            self._set_opening(None)
            self.show_error(error)
            if refused is not None:
                refused()

        self._set_opening(path)
        # Reads of the open project wait while another program blocks its changes; the user may leave it meanwhile.
        self.reads.start(work, done, None, failed, apart=True)

    def _set_opening(self, path: Path | None) -> None:
        self.opening = path
        self.opening_changed.emit()

    def close_project(self) -> None:
        """Close the open project, if any, and cancel opening one."""
        self.newest(self, "project")
        self._set_opening(None)
        if self.session is not None:
            self.leaving.emit()
            self.jobs.disown()
        session, self.session = self.session, None
        self.follower.follow(None)
        self.changes.finish()
        self.history.clear()
        if session is not None:
            self.follower.rest()
            session.close()
            self.project_changed.emit()

    def newest(self, owner: QObject, key: str) -> Callable[[], bool]:
        """Supersede earlier requests ``key`` of ``owner``. Returns a function that tells whether this is still the
        newest.

        A reading thread may keep that function, because it refers to no widget.
        """
        tokens = self._newest.setdefault(owner, {})
        token = tokens[key] = object()
        return lambda: tokens[key] is token

    def latest(
        self,
        owner: QObject,
        key: str,
        read: Callable[[Session], T],
        show: Callable[[T], object],
        failed: Callable[[Any], object] | None = None,
    ) -> Callable[[], bool]:
        """Like :meth:`background`, but only the answer or error of the newest request ``key`` of ``owner`` is shown.

        If superseded before its turn, it is not read. Returns a function that tells whether this is still the newest.
        """
        wanted = self.newest(owner, key)

        def read_if_current(session: Session) -> T | None:
            return read(session) if wanted() else None

        def show_if_current(answer: T) -> None:
            if wanted():
                show(answer)

        def fail_if_current(error: Any) -> None:
            if wanted():
                (failed or self.show_error)(error)

        self.background(read_if_current, show_if_current, owner=owner, failed=fail_if_current)
        return wanted

    def background(
        self,
        function: Callable[[Session], Any],
        done: Callable[[Any], object],
        *,
        owner: QObject | None = None,
        failed: Callable[[Any], object] | None = None,
    ) -> None:
        """Run ``function(session)`` in a thread, after all changes so far are written, then ``done(result)`` here.

        The result is dropped if ``owner`` (by default the object ``done`` is bound to) has been deleted, or another
        project opened, meanwhile. An error is passed to ``failed``; by default it is shown to the user. Without a
        project nothing is read, and ``owner`` need not wait. For a blind reviewer ``session`` contains no hidden
        verdicts.
        """
        session = self.session
        bound = getattr(done, "__self__", None)
        holder = owner if owner is not None else bound if isinstance(bound, QObject) else None
        if session is None:
            self.read_failed.emit(holder)
            return

        def deliver(result: Any) -> None:
            if self.session is session:
                done(result)
                self._report_damage(session)

        def refuse(error: Any) -> None:
            if self.session is session:
                (failed or self.show_error)(error)
                self.read_failed.emit(holder)

        settle, follow = self.changes.settle, self.follower.settle
        seen = session.seen_by(self.viewer) if self.settings.blind else session

        def read() -> Any:
            settle()
            follow()
            return function(seen)

        self.reads.start(read, deliver, holder, refuse)

    def _report_damage(self, session: Session) -> None:
        """Report the damaged data skipped in reads so far, whenever there is more."""
        left_out = session.left_out()
        if left_out != self._left_out:
            self._left_out = left_out
            reasons = " · ".join(f"{say(reason)} ({count:,})" for reason, count in left_out.items())
            if reasons:
                self.say(tr("The project file is damaged. Left out: {reasons}", reasons=reasons), "warn")

    def change(self, function: Callable[[Session], T], expected: T) -> T:
        """Change the open project by ``function(session)``. Returns its result, or ``expected`` if it has to wait.

        The change waits while another program is writing; changes are made in the order of the calls. Raises UserError
        for immediate errors. ``function`` must not refer to a widget.
        """
        assert self.session is not None
        return self.changes.make(self.session, function, expected)

    def change_later(self, function: Callable[[Session], object]) -> None:
        """Like :meth:`change`, in a thread: for many changes at once. Errors are shown to the user."""
        if self.session is not None:
            self.changes.later(self.session, function)

    def perform(
        self,
        title: str,
        make: Callable[[Session], object],
        undo: Callable[[Session], object],
        kinds: Iterable[str] = ("labels",),
        *,
        redo: Callable[[Session], object] | None = None,
        then: Callable[[], object] | None = None,
        sentence: str = "",
        later: bool = False,
    ) -> bool:
        """Change the project by ``make(session)``, announce the ``kinds`` of content, and offer undo under ``title``.

        Returns whether it could be made; if not, shows why. Undo is ``undo(session)``, redo is ``redo`` or ``make``
        again; each is announced. ``then()`` is called before each announcement. ``sentence`` is shown with a button
        that undoes. ``later``: in a thread, for many changes at once (see :meth:`change_later`). The functions on the
        session must not refer to a widget (see :meth:`change`).
        """
        if self.session is None:
            return False

        def step(change: Callable[[Session], object]) -> None:
            if later:
                self.change_later(change)
            else:
                self.change(change, None)
            if then is not None:
                then()
            self.announce(kinds)

        try:
            step(make)
        except (UserError, OSError) as error:
            self.show_error(error)
            return False
        self.history.push(title, lambda: step(undo), lambda: step(redo or make), make)
        if sentence:
            self.say_undoable(sentence)
        return True

    def _report_failed_change(self, error: BaseException, change: Callable[[Session], object]) -> None:
        """Report why a delayed change failed, which is no step to be undone, and reload the views."""
        self.history.discard(change)
        self.show_error(error)
        self.announce({"documents", "labels", "watches"})

    def _report_delay(self) -> None:
        self.say(tr("Another program is writing to the project. Your changes will be saved when it has finished."))

    def aside(
        self,
        owner: QObject,
        function: Callable[..., Any],
        *arguments: Any,
        done: Callable[[Any], object],
        failed: Callable[[Any], object] | None = None,
    ) -> None:
        """Run ``function(ctx, *arguments)`` in a separate process (all picklable), then ``done(result)`` here.

        For work that needs the compiler, which the window never loads. A newer query by ``owner`` ends the previous
        one. An error is passed to ``failed``; by default it is shown to the user.
        """
        self.asides.ask(owner, function, arguments, {}, done, failed or self.show_error)

    def open_review(self, run_id: int, a_key: int, b_key: int | None = None) -> None:
        """Show run ``run_id`` in Review at suspect ``a_key`` (0: the first), against ``b_key`` or all its sources."""
        self.review_requested.emit(run_id, a_key, b_key)

    def open_passage(self, run_id: int, a_key: int, b_key: int, limits: tuple[int, int, int, int]) -> None:
        """Show the match of this pair of run ``run_id`` in Review that starts and ends at ``limits`` (a, then b)."""
        self.passage_requested.emit(run_id, a_key, b_key, limits)

    def open_label(self, order: NamedOrder, label_set: str = "") -> None:
        """Show the entries of ``order`` in Label, in its order; ``label_set`` "" keeps the shown one."""
        self.label_requested.emit(order, label_set)

    def show_view(self, view: str) -> None:
        """Switch to the view called ``view``."""
        self.view_requested.emit(view)

    def announce(self, kinds: Iterable[str]) -> None:
        """Tell every view which kinds of content changed."""
        known = frozenset(kinds)
        self.follower.refresh(known)
        self._others_changed(known)

    def _others_changed(self, kinds: frozenset[str]) -> None:
        self.changed.emit(kinds)
        self.actions.refresh()

    def say(self, sentence: str, tone: str = "info") -> None:
        """Show a sentence in the banner."""
        self.notice.emit(sentence, tone)

    def say_job_ended(self, record: JobRecord, cancelled: str = "") -> None:
        """Report how a job without a result ended: with the sentence ``cancelled``, a bug, or an error."""
        if record.state == "cancelled":
            if cancelled:
                self.say(cancelled)
        elif record.report:
            self.bug.emit(record.error, record.report)
        elif record.error:
            self.say(record.error, "danger")

    def after(self, kind: type[T], done: Callable[[T], object], cancelled: str = "") -> Callable[[JobRecord], None]:
        """The continuation of a job on the open project whose result is a ``kind``: calls ``done`` with it; reports a
        job that has none, or was cancelled. Once the project has been closed, nothing is called or reported.
        """
        session = self.session

        def ended(record: JobRecord) -> None:
            if self.session is not session:
                return
            if isinstance(record.result, kind) and record.state != "cancelled":
                done(record.result)
            else:
                self.say_job_ended(record, cancelled)

        return ended

    def say_undoable(self, sentence: str) -> None:
        """Show a sentence about the last step, with a button to undo it."""
        self.undoable.emit(sentence)

    def offer(self, sentence: str, title: str, action: Callable[[], object]) -> None:
        """Show a sentence about finished work, with a button ``title`` for a possible next step."""
        self.offered.emit(sentence, title, action)

    def show_error(self, error: BaseException) -> None:
        """Show a UserError or OSError as a sentence; record anything else as a problem; ignore a cancellation."""
        if isinstance(error, Cancelled):
            return
        if isinstance(error, UserError):
            self.notice.emit(say(error.sentence), "danger")
        elif isinstance(error, OSError):
            self.notice.emit(file_error_words(error), "danger")
        else:
            self.problems.record("read", error)
            self.unexpected.emit()

    @property
    def working(self) -> bool:
        """Whether work that takes a while to end is running."""
        return bool(self.jobs.pending or self.asides.pending or self.changes.waiting)

    def end_work(self, patience: float | None = None) -> None:
        """Make the waiting changes, then end jobs and queries, in a thread; ``work_ended`` emits whether that
        succeeded.

        It fails if a change could not be made. ``patience`` as of :meth:`WriteQueue.finish`.
        """
        ends = self.jobs.stop(), self.asides.stop()

        def wait() -> None:
            completed = self.changes.finish(patience)
            for end in ends if completed or patience is not None else ():
                end()
            # The window may have been closed meanwhile.
            with contextlib.suppress(RuntimeError):
                self.work_ended.emit(completed)

        # Not a daemon, because the program must wait for it.
        threading.Thread(target=wait, name="ending").start()

    def _resume(self, completed: bool) -> None:
        if not completed:
            self.jobs.resume()
            self.asides.resume()

    def close(self) -> None:
        """End background work and close the project (the window is closing)."""
        self.asides.close()
        self.jobs.close()
        self.changes.finish()
        self.reads.close()
        self.close_project()
        self.follower.close()
        self.changes.close()


@dataclass(frozen=True, slots=True)
class UndoStep:
    """One user action: its name in the menu, how to undo it, how to redo it, and the change that made it, if known."""

    title: str
    undo: Change
    redo: Change
    make: Callable[[Session], object] | None = None


class History(QObject):
    """Two stacks of steps. A step whose undo raises stays where it is. ``changed`` is emitted after every change."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._undoable: list[UndoStep] = []
        self._redoable: list[UndoStep] = []

    def push(self, title: str, undo: Change, redo: Change, make: Callable[[Session], object] | None = None) -> None:
        """Record a step that was just done, by the change ``make``, which may still have to wait."""
        self._undoable.append(UndoStep(title, undo, redo, make))
        self._redoable.clear()
        self.changed.emit()

    def discard(self, make: Callable[[Session], object]) -> None:
        """Discard the step of the change ``make``, which could not be made after all."""
        kept = [step for step in self._undoable if step.make is not make]
        if len(kept) < len(self._undoable):
            self._undoable = kept
            self.changed.emit()

    def clear(self) -> None:
        """Discard all steps (another project was opened)."""
        self._undoable.clear()
        self._redoable.clear()
        self.changed.emit()

    def undo(self) -> str:
        """Undo the last step. Returns its title, or "" if there is none."""
        if not self._undoable:
            return ""
        step = self._undoable[-1]
        step.undo()
        self._redoable.append(self._undoable.pop())
        self.changed.emit()
        return str(again(step.title))

    def redo(self) -> str:
        """Redo the last undone step. Returns its title, or "" if there is none."""
        if not self._redoable:
            return ""
        step = self._redoable[-1]
        step.redo()
        self._undoable.append(self._redoable.pop())
        self.changed.emit()
        return str(again(step.title))

    def undo_title(self) -> str:
        """Title of the step that would be undone, in the present language; "" if there is none."""
        return str(again(self._undoable[-1].title)) if self._undoable else ""

    def redo_title(self) -> str:
        """Title of the step that would be redone, in the present language; "" if there is none."""
        return str(again(self._redoable[-1].title)) if self._redoable else ""
