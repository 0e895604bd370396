"""What every view is given: project, jobs, theme, actions, undo, and ways to speak to the user."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from workbench.base.errors import Cancelled, UserError
from workbench.base.settings import Settings
from workbench.gui.actions import ActionSet
from workbench.gui.hints import without_command
from workbench.gui.i18n import tr
from workbench.gui.models.aside import Asides
from workbench.gui.models.background import Background
from workbench.gui.models.changes import Changes
from workbench.gui.models.history import History
from workbench.gui.models.jobs import JobBridge
from workbench.gui.sentences import told
from workbench.gui.theme.manager import Theme

if TYPE_CHECKING:
    from workbench.services.session import Session

T = TypeVar("T")

KINDS = frozenset({"documents", "runs", "matches", "labels", "watches"})
"""The kinds of project content that change."""


class AppContext(QObject):
    """The window's services, shared by all views.

    ``changed`` carries the kinds of content that changed (views reload for theirs). ``notice`` carries a sentence and
    its tone ("info", "ok", "warn", "danger") for the banner; ``bug`` a sentence and a report with the traceback.
    """

    changed = Signal(object)
    project_changed = Signal()
    opening_changed = Signal()
    review_requested = Signal(int, int, object)
    view_requested = Signal(str)
    notice = Signal(str, str)
    undoable = Signal(str)
    offered = Signal(str, str, object)
    bug = Signal(str, str)

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__()
        self.theme = theme
        self.settings = settings
        self.session: Session | None = None
        self.opening: Path | None = None
        self._request = 0
        self.actions = ActionSet(settings.shortcuts, self)
        self.history = History(self)
        self.changes = Changes(self)
        self.jobs = JobBridge(self.changes, self)
        self.reads = Background(self.show_error, self)
        self.asides = Asides(self)
        self.history.changed.connect(self.actions.refresh)
        self.jobs.content_changed.connect(self.announce)
        self.changes.failed.connect(self._not_made)
        self.changes.delayed.connect(self._not_yet)

    @property
    def project(self) -> Path | None:
        """Path of the open project."""
        return None if self.session is None else Path(self.session.path)

    @staticmethod
    def translate(text: str, /, **values: object) -> str:
        """``text`` in the interface language (see :func:`workbench.gui.i18n.tr`)."""
        return tr(text, **values)

    def open_project(
        self,
        path: Path,
        *,
        create: bool = False,
        opened: Callable[[], object] | None = None,
        refused: Callable[[], object] | None = None,
    ) -> None:
        """Open (or create) the project at ``path`` in the background and close the one before, then ``opened()``.

        Another program that holds the file may make this take seconds; ``opening`` is the path meanwhile. A refusal is
        told to the user before ``refused()``. A newer request, or closing the project, overtakes this one.
        """
        self._request += 1
        request = self._request

        def work() -> Session:
            from workbench.services import session

            if create:
                session.create(path)
            return session.Session(path, write=True)

        def done(session: Session) -> None:
            if request != self._request:
                session.close()
                return
            self.close_project()
            self.session = session
            self.settings.remember(path)
            self.project_changed.emit()
            if opened is not None:
                opened()

        def failed(error: BaseException) -> None:
            if request != self._request:
                return
            self._set_opening(None)
            self.show_error(error)
            if refused is not None:
                refused()

        self._set_opening(path)
        # Reads of the open project wait while another program keeps changes of it out; one may leave it meanwhile.
        self.reads.start(work, done, None, failed, apart=True)

    def _set_opening(self, path: Path | None) -> None:
        self.opening = path
        self.opening_changed.emit()

    def close_project(self) -> None:
        """Close the open project, if there is one, and give up on one that is being opened."""
        self._request += 1
        self._set_opening(None)
        session, self.session = self.session, None
        self.changes.finish()
        self.history.clear()
        if session is not None:
            session.close()
            self.project_changed.emit()

    def background(
        self,
        function: Callable[[Session], Any],
        done: Callable[[Any], object],
        *,
        owner: QObject | None = None,
        failed: Callable[[Any], object] | None = None,
    ) -> None:
        """Run ``function(session)`` in a thread, then ``done(result)`` here; what was changed before is made by then.

        The result is dropped when ``owner`` (by default the object ``done`` is bound to) was deleted, or another
        project was opened meanwhile. An error goes to ``failed``, by default to the user.
        """
        session = self.session
        if session is None:
            return
        bound = getattr(done, "__self__", None)
        holder = owner if owner is not None else bound if isinstance(bound, QObject) else None

        def deliver(result: Any) -> None:
            if self.session is session:
                done(result)

        def refuse(error: Any) -> None:
            if self.session is session:
                (failed or self.show_error)(error)

        settle = self.changes.settle

        def read() -> Any:
            settle()
            return function(session)

        self.reads.start(read, deliver, holder, refuse)

    def change(self, function: Callable[[Session], T], expected: T) -> T:
        """Change the open project by ``function(session)``; what it returns, or ``expected`` where it has to wait.

        It waits while another program writes, and is made after it, in the order of the calls. Raises UserError for
        what can be told at once. ``function`` must hold no widget.
        """
        assert self.session is not None
        return self.changes.make(self.session, function, expected)

    def _not_made(self, error: BaseException) -> None:
        """Tell why a change that had to wait failed, and let the views show what holds instead."""
        self.show_error(error)
        self.announce({"documents", "labels", "watches"})

    def _not_yet(self) -> None:
        self.say(tr("Another program is writing to the project. Your changes follow when it has finished."))

    def aside(
        self,
        owner: QObject,
        function: Callable[..., Any],
        *arguments: Any,
        done: Callable[[Any], object],
        failed: Callable[[Any], object] | None = None,
    ) -> None:
        """Run ``function(ctx, *arguments)`` in a process of its own (all picklable), then ``done(result)`` here.

        For what needs the compiler, which the window never loads. A newer question of ``owner`` ends the one before.
        An error goes to ``failed``, by default to the user.
        """
        self.asides.ask(owner, function, arguments, {}, done, failed or self.show_error)

    def open_review(self, run_id: int, a_key: int, b_key: int | None = None) -> None:
        """Show run ``run_id`` in Review at suspect ``a_key`` (0: the first), against ``b_key`` or all its sources."""
        self.review_requested.emit(run_id, a_key, b_key)

    def show_view(self, view: str) -> None:
        """Switch to the view called ``view``."""
        self.view_requested.emit(view)

    def announce(self, kinds: Iterable[str]) -> None:
        """Tell every view which kinds of content changed."""
        self.changed.emit(frozenset(kinds))
        self.actions.refresh()

    def say(self, sentence: str, tone: str = "info") -> None:
        """Show a sentence in the banner."""
        self.notice.emit(sentence, tone)

    def say_undoable(self, sentence: str) -> None:
        """Show a sentence about something just done, with a button that takes it back."""
        self.undoable.emit(sentence)

    def offer(self, sentence: str, title: str, action: Callable[[], object]) -> None:
        """Show a sentence about something done, with a button titled ``title`` for what may come next."""
        self.offered.emit(sentence, title, action)

    def show_error(self, error: BaseException) -> None:
        """A UserError or OSError as a sentence; anything else as a bug with a report; a cancel not at all."""
        if isinstance(error, Cancelled):
            return
        if isinstance(error, UserError):
            self.notice.emit(told(without_command(str(error))), "danger")
        elif isinstance(error, OSError):
            reason = told(error.strerror or str(error))
            self.notice.emit(f"{error.filename or ''}: {reason}".removeprefix(": "), "danger")
        else:
            report = "".join(traceback.format_exception(error))
            self.bug.emit(tr("Something went wrong that should not have."), report)

    def close(self) -> None:
        """End background work and close the project (the window is closing)."""
        self.asides.close()
        self.jobs.close()
        self.changes.finish()
        self.reads.close()
        self.close_project()
        self.changes.close()
