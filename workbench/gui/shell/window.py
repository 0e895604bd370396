"""The main window: frame around the views, navigation, session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from workbench.base.types import KINDS, Run
from workbench.gui import i18n
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.file_dialogs import FileDrop
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.widgets import EmptyState, apply_style, key_text, row
from workbench.gui.problems import guarded, recorded
from workbench.gui.shell import catalogue
from workbench.gui.shell.building import Building, import_below, process_events
from workbench.gui.shell.commands import Commands, fill_menu, name_steps
from workbench.gui.shell.error_dialog import Trouble
from workbench.gui.shell.projects import Projects
from workbench.gui.shell.title_bar import Banner, Rail, StatusStrip, TopBar
from workbench.gui.workspace.background import Background
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import Screen, View
from workbench.jobs.children import serve
from workbench.methods.core import registry

if TYPE_CHECKING:
    from workbench.gui.screens.detect.view import DetectView
    from workbench.gui.screens.documents.view import DocumentsView
    from workbench.gui.screens.label.view import LabelView
    from workbench.gui.screens.review.view import ReviewView
    from workbench.services.labels.queue import NamedOrder
    from workbench.services.session import Session

DEFAULT_SIZE = (1440, 900)
LAST_S = 0.5
"""Seconds to wait for changes blocked by another program when the system asks the window to end."""
HINTS_MS = 150
"""Milliseconds after which the status strip follows what can be done: between two passages, little can for a moment."""
PLACE_MS = 250
"""Milliseconds after which a new place is saved, because the program may be killed."""

_CONTROLS = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)
"""Widgets that are not content: keys have other meanings in them than in a list, a text or a chart."""
PAUSE_MS = 10
"""Milliseconds between two imports of screens, or between two pieces built ahead."""


@guarded
class _Stack(QStackedWidget):
    """The views, in the room there is: whenever one is shown, Qt would ask all of them for their sizes."""

    def hasHeightForWidth(self) -> bool:
        return False

    def sizeHint(self) -> QSize:
        return QSize(*DEFAULT_SIZE)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


class Ending(Enum):
    """Progress of ending the work that keeps the window from closing."""

    NOT = auto()
    BEGUN = auto()
    DONE = auto()


@guarded
class Window(QMainWindow):
    """Contains the views in a stack, and remembers the user's place."""

    language_chosen = Signal(str)
    closed = Signal()
    moved = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.context = context
        self.resize(QSize(*DEFAULT_SIZE).boundedTo(self.screen().availableSize()))
        self.setMinimumSize(960, 600)
        self.projects = Projects(context, self.import_paths, self)
        self._middle = QWidget()
        self._root = QWidget()
        self.banner = Banner(context, self._root)
        self.trouble = Trouble(context, self.banner, self)
        FileDrop(self).dropped.connect(lambda paths: self.projects.drop([Path(path) for path in paths]))
        self._views: dict[str, View] = {}
        self._building = Building(context, self._place_view)
        """Number of requests for a view: only the last counts."""
        self._waiting = 0
        """Requests whose view is being built."""
        self._stale: set[str] = set()
        self._left_at: dict[str, QWidget] = {}
        self.current = ""
        self._rebuilding = False
        self._ending = Ending.NOT
        self._patience: float | None = None
        self._shown: Path | None = None
        # The screens of an earlier window add them again, in their language.
        context.actions.remove([a.id for a in context.actions if a.screen in catalogue.known_screens()])
        self.commands = Commands(context, self.projects, self.trouble, self.moved.emit, self)
        context.actions.add(*self.commands.actions(self.destinations()))
        self.menu = QMenu(self)
        apply_style(self.menu, self.context.theme)
        self.top = TopBar(context, self.menu)
        self.rail = Rail(context, [(s.view_id, s.icon, s.name()) for s in catalogue.SCREENS])
        self.stack = _Stack()
        self.status = StatusStrip(context, self._key_hints)
        self._build()
        self.rail.chosen.connect(self.show_view)
        self._hears: list[tuple[SignalInstance, Callable[..., object]]] = [
            (context.leaving, self.flush),
            (context.history.changed, self._name_steps),
            (context.changed, self._content_changed),
            (context.project_changed, self._project_changed),
            (context.view_requested, self.show_view),
            (context.review_requested, self._open_review),
            (context.passage_requested, self._open_review),
            (context.label_requested, self._open_label),
            (context.resume_requested, self._resume),
            (context.notice, self.banner.say),
            (context.undoable, self._offer_undo),
            (context.offered, self._offer),
            (context.actions.changed, self._plan_menus),
            (context.actions.changed, self._plan_hints),
            (context.actions.refreshed, self._plan_hints),
            (context.actions.refused, self._refused),
            (context.work_ended, self._work_ended),
        ]
        for signal, slot in self._hears:
            signal.connect(slot)
        imports: list[Callable[[], object]] = [partial(import_below, screen.module) for screen in catalogue.SCREENS]
        # NumPy imports its masked arrays in the first call that needs them, which may be in a paint event.
        imports += [registry.facts, partial(import_module, "numpy.ma")]
        # A daemon, because a closing window does not wait for the server to load.
        serving = Thread(target=serve, args=("workbench.services.preloaded",), name="server-start", daemon=True)
        self._ahead = ScreenPreloader(
            context.reads, imports, self._missing_view, self._building.go_on, self._is_idle, serving.start, self
        )
        self._place = after_pause(self.moved.emit, PLACE_MS, self)
        self._menus = after_pause(self._fill_menus, 0, self)
        self._hints = after_pause(self.status.show_keys, HINTS_MS, self)
        self._fill_menus()
        context.actions.attach(self)
        self._name_steps()
        self._fill_languages()
        self._project_changed()

    def _build(self) -> None:
        self._root.setObjectName("root")
        middle = QVBoxLayout(self._middle)
        middle.setContentsMargins(0, 10, 0, 8)
        middle.addWidget(self.stack, 1)
        whole = QVBoxLayout(self._root)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.top)
        beside = row(self.rail, spacing=0)
        beside.addWidget(self._middle, 1)
        whole.addLayout(beside, 1)
        whole.addWidget(self.status)
        self.setCentralWidget(self._root)
        self.banner.raise_()
        for part in (self.top, self.rail, self.banner, self.status):
            apply_style(part, self.context.theme)

    def destinations(self) -> list[tuple[str, str, str, Callable[[], bool]]]:
        """View id, name, icon and whether it can be shown, in rail order."""

        def possible(screen: Screen) -> Callable[[], bool]:
            return lambda: not screen.needs_project or self.context.session is not None

        return [(s.view_id, s.name(), s.icon, possible(s)) for s in catalogue.SCREENS]

    def view(self, view_id: str) -> View:
        """The view called ``view_id``, built on first use."""
        while view_id not in self._views:
            self._building.go_on(view_id)
        return self._views[view_id]

    def _bring(self, view_id: str) -> View | None:
        """The view called ``view_id``, built in pieces; None if another was requested meanwhile, or the window was
        closed.

        Keys pressed meanwhile are for the view to be shown.
        """
        wanted = self.context.newest(self, "view")
        self._waiting += 1
        try:
            while view_id not in self._views and wanted():
                self._building.go_on(view_id)
                process_events()
        finally:
            self._waiting -= 1
        return self._views[view_id] if wanted() else None

    def _place_view(self, view: View) -> Iterator[None]:
        """Style a view and add it to the window."""
        view_id = view.view_id
        yield
        self.stack.addWidget(view)
        for part in view.styled_widgets():
            apply_style(part, self.context.theme, later=True)
            yield
            self.context.theme.catch_up(part)
        yield
        view.ensurePolished()
        self._restore_view(view)
        yield
        view.ready.connect(partial(self._focus_content, view))
        view.placed.connect(partial(self._placed, view_id))
        self._stale.add(view_id)
        self._views[view_id] = view
        self.context.actions.attach(self)

    def has_view(self, view_id: str) -> bool:
        """Whether the view called ``view_id`` is already built."""
        return view_id in self._views

    def show_view(self, view_id: str) -> None:
        """Switch to a view, with its content up to date and the focus in it."""
        known = catalogue.known_screens()
        if view_id not in known or (known[view_id].needs_project and self.context.session is None):
            view_id = "start"
        view = self._bring(view_id)
        if view is None:
            return
        self._leave_view()
        if self.current != view_id:
            self.banner.leave()
        self.current = view_id
        self._ahead.unseen.discard(view_id)
        self.context.theme.catch_up(view)
        self.stack.setCurrentWidget(view)
        self.context.actions.set_view(view_id)
        self.rail.show_view(view_id)
        self._show_place()
        self._plan_hints()
        if view_id in self._stale:
            self._stale.discard(view_id)
            view.load()
        view.setFocus()
        self._focus_content(view)
        self.moved.emit()

    def _missing_view(self) -> str:
        """The id of a view that can be built ahead; "" if there is none."""
        missing = (s.view_id for s in catalogue.SCREENS if s.view_id not in self._views)
        return "" if self.context.session is None else next(missing, "")

    def _is_idle(self) -> bool:
        shown = self._views.get(self.current)
        undisturbed = self.isVisible() and not self._waiting and not self.context.reads.pending
        return undisturbed and shown is not None and shown.is_ready()

    def _placed(self, view_id: str) -> None:
        """Called when the user goes to another place; while a key is held down, intermediate places are saved too."""
        if view_id == self.current and not self._place.isActive():
            self._place.start()

    def _leave_view(self) -> None:
        """Remember the focused content of the view being left, for when the user returns."""
        view, content = self._views.get(self.current), self.focusWidget()
        if view is not None and content is not None and view.isAncestorOf(content):
            if isinstance(content, _CONTROLS):
                self._left_at.pop(self.current, None)
            else:
                self._left_at[self.current] = content

    def _focus_content(self, view: View) -> None:
        """Focus the content that had the focus in ``view``, else the first content, at the latest when it has been
        read; if there is none, the next step.

        A focus set by the user meanwhile is kept. A window not yet in front has no focus, but a pending one.
        """
        content = self._left_at.get(view.view_id)
        usable = content is not None and isValid(content) and content.isVisibleTo(view) and content.isEnabled()
        focus = content if usable else view.first_focus() or _next_step(view)
        if self.focusWidget() is view and focus is not None and focus.isVisibleTo(view):
            focus.setFocus()

    def import_paths(self, paths: Sequence[Path]) -> None:
        """Offer ``paths`` for import in Documents."""
        if view := cast("DocumentsView | None", self._bring("documents")):
            view.offer(paths)

    def _open_review(
        self, run_id: int, a_key: int, b_key: int | None, limits: tuple[int, int, int, int] | None = None
    ) -> None:
        view = cast("ReviewView | None", self._bring("review"))
        if view is None:
            return
        self._stale.discard("review")
        self._left_at.pop("review", None)
        self.show_view("review")
        view.open(run_id, a_key, b_key, limits)

    def _open_label(self, order: NamedOrder, label_set: str) -> None:
        view = cast("LabelView | None", self._bring("label"))
        if view is None:
            return
        self._stale.discard("label")
        self._left_at.pop("label", None)
        self.show_view("label")
        view.open(order, label_set)

    def _resume(self, run: Run) -> None:
        if view := cast("DetectView | None", self._bring("detect")):
            view.resume(run)

    def _content_changed(self, kinds: frozenset[str]) -> None:
        for view_id, view in self._views.items():
            if view.kinds & kinds:
                if view_id == self.current:
                    view.follow(kinds)
                else:
                    self._stale.add(view_id)
        if "documents" in kinds:
            self._count()

    def _project_changed(self) -> None:
        for button in (self.rail.buttons[s.view_id] for s in catalogue.SCREENS if s.needs_project):
            button.setEnabled(self.context.session is not None)
        was, self._shown = self._shown, self.context.project
        if was != self._shown:
            self.banner.forget()
            self._save_states(was)
            self._rebuild_views()
        self._stale |= set(self._views)
        self._ahead.start()
        self._content_changed(frozenset(KINDS))
        self.context.actions.refresh()
        self._show_place()
        self.status.show_work()

    def _rebuild_views(self) -> None:
        """Rebuild the views, so that nothing of one project is visible or editable in the next."""
        shown = self.current
        self._building.discard()
        for view_id in [v for v, view in self._views.items() if view.declaration.needs_project]:
            view = self._views.pop(view_id)
            self.context.actions.silence(view_id)
            self._ahead.unseen.discard(view_id)
            self.stack.removeWidget(view)
            view.hide()
            view.deleteLater()
        if shown and shown not in self._views:
            # Otherwise the content below would show while the view is rebuilt.
            self.stack.setUpdatesEnabled(False)
            try:
                self.show_view(shown)
            finally:
                self.stack.setUpdatesEnabled(True)

    def _count(self) -> None:
        if self.context.session is None:
            self.status.show_counts("")
            return

        def count(session: Session) -> int:
            from workbench.services.queries import document_count

            return document_count(session)

        self.context.latest(
            self, "count", count, lambda n: self.status.show_counts(trn("{count} document", "{count} documents", n))
        )

    def _show_place(self) -> None:
        path = self.context.project
        title = self._views[self.current].title if self.current in self._views else ""
        self.top.show_place(path.stem if path else "", title)
        # Qt adds the name of the program.
        self.setWindowTitle(path.stem if path else "Palimpsest")

    def _key_hints(self) -> list[tuple[str, str]]:
        hints = self._views[self.current].key_hints() if self.current in self._views else []
        actions = self.context.actions
        pairs = [(key_text(actions.shortcut(a)), word) for a, word in hints if a in actions and actions.offered(a)]
        return [(key, word) for key, word in pairs if key]

    def _refused(self, sentence: str) -> None:
        self.banner.say(sentence, "info")

    def _name_steps(self) -> None:
        name_steps(self.context)

    def _offer(self, sentence: str, title: str, action: Callable[[], object]) -> None:
        self.banner.say(sentence, "ok", title, action)

    def _offer_undo(self, sentence: str) -> None:
        self.banner.offer_undo(sentence, partial(self.context.actions.run, "edit.undo"))

    def _fill_languages(self) -> None:
        for code, name in i18n.LANGUAGES.items():
            action = self.top.language_menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(code == i18n.current())
            action.triggered.connect(lambda _checked=False, code=code: self.language_chosen.emit(code))

    def _plan_menus(self) -> None:
        self._menus.start(0)

    def _plan_hints(self) -> None:
        self._hints.start()

    def _fill_menus(self) -> None:
        if self.menu.isVisible():
            self._menus.start(500)
        else:
            fill_menu(self.menu, self.context.actions, {key: s.name() for key, s in catalogue.known_screens().items()})
            self.context.actions.attach(self)

    def _restore_view(self, view: View) -> None:
        states = self.context.settings.views.get(str(self.context.project), {})
        state = states.get(view.view_id)
        if isinstance(state, dict):
            view.restore_state(state)

    def flush(self) -> None:
        """Save typed text that is not yet saved."""
        for view in self._views.values():
            with recorded(f"{view.view_id}.flush"):
                view.flush()

    def save_session(self) -> None:
        """Remember geometry, project, view and the selection of each view."""
        settings = self.context.settings
        settings.geometry = bytes(self.saveGeometry().data()).hex()
        settings.last_view = self.current
        settings.shortcuts = self.context.actions.chosen()
        project = self.context.project
        settings.last_project = str(project) if project else ""
        self._save_states(project)

    def _save_states(self, project: Path | None) -> None:
        if project is not None:
            states = self.context.settings.views.setdefault(str(project), {})
            seen = [v for k, v in self._views.items() if v.declaration.needs_project and k not in self._ahead.unseen]
            for view in seen:
                # A failing view must not prevent saving the others' places, or closing the window.
                with recorded(f"{view.view_id}.save_state"):
                    states[view.view_id] = view.save_state()

    def restore_geometry(self) -> None:
        """Restore the position and size of the last session."""
        if self.context.settings.geometry:
            self.restoreGeometry(QByteArray(bytes.fromhex(self.context.settings.geometry)))

    def keep_on_screen(self) -> None:
        """Make the window, with its window manager's frame, no larger than the free area of the screen."""
        free, frame = self.screen().availableGeometry(), self.frameGeometry()
        borders = frame.size() - self.size()
        if borders.isNull() or self.isMaximized() or self.isFullScreen() or free.contains(frame):
            return
        self.resize(self.size().boundedTo(free.size() - borders))
        frame = self.frameGeometry()
        x = max(free.left(), min(frame.left(), free.right() + 1 - frame.width()))
        y = max(free.top(), min(frame.top(), free.bottom() + 1 - frame.height()))
        self.move(x, y)

    def retire(self) -> None:
        """Close this window but not its context: another window takes over (another language)."""
        self._rebuilding = True
        # Until deleted, it must not build views, which would take over the actions.
        for signal, slot in self._hears:
            signal.disconnect(slot)
        self.close()
        self._menus.stop()
        self._dismantle()

    def _dismantle(self) -> None:
        """Delete one view after another, then the window: deleting everything at once would take a while."""
        if self._views:
            _, view = self._views.popitem()
            self.stack.removeWidget(view)
            view.deleteLater()
            QTimer.singleShot(0, self, self._dismantle)
        else:
            self.deleteLater()

    def end(self) -> None:
        """Close the window soon, even if a change cannot be made: used when the system asks the process to end."""
        self._patience = LAST_S
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the session and end background work before closing; the window remains open to report changes that
        failed.

        If work takes a while to end, a thread waits for it; the window then closes by itself.
        """
        self.flush()
        if not self._rebuilding:
            if self._ending is Ending.NOT and self.context.working:
                self._ending = Ending.BEGUN
                self._whole().setEnabled(False)
                self.banner.say(tr("Stopping running jobs…"), "info")
                self.context.end_work(self._patience)
            if self._ending is Ending.BEGUN:
                event.ignore()
                return
            self.save_session()
            self.context.project_changed.disconnect(self._project_changed)
            self.context.close()
            self.closed.emit()
        self._ahead.stop()
        self.context.newest(self, "view")
        self._building.discard()
        self._place.stop()
        self._hints.stop()
        event.accept()

    def _work_ended(self, completed: bool) -> None:
        self._whole().setEnabled(True)
        self._ending = Ending.DONE if completed or self._patience is not None else Ending.NOT
        if self._ending is Ending.DONE:
            self.close()

    def _whole(self) -> QWidget:
        whole = self.centralWidget()
        assert whole is not None
        return whole

    def event(self, event: QEvent) -> bool:
        """Style a dialog of this window before it is drawn, when it has just become modal."""
        # ``childEvent`` would come sooner, but Python must not look at children while Qt creates or destroys one.
        if event.type() == QEvent.Type.WindowBlocked:
            for child in self.findChildren(QDialog, options=Qt.FindChildOption.FindDirectChildrenOnly):
                if not child.styleSheet():
                    apply_style(child, self.context.theme)
                    if not child.testAttribute(Qt.WidgetAttribute.WA_Resized):
                        child.adjustSize()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show why the action of an unhandled key is currently unavailable."""
        if not self.context.actions.refuse(QKeySequence(event.keyCombination())):
            super().keyPressEvent(event)


def _next_step(view: View) -> QWidget | None:
    """The first button of what a view without content shows in its place."""
    states = (state for state in view.findChildren(EmptyState) if view.is_ready() and state.isVisibleTo(view))
    return next((button for state in states for button in state.findChildren(QPushButton)), None)


class ScreenPreloader(QTimer):
    """Prepares one screen at a time while idle, so that it opens without a pause.

    ``imports`` are called one by one in a thread of ``reads``. After them, ``missing`` returns a screen that is not yet
    built ("" for none), and ``build`` builds its next piece. ``is_calm`` says whether the window is idle. ``last`` is
    called once when nothing is left to prepare. ``unseen`` are the screens never shown, whose state is not the user's.
    """

    def __init__(
        self,
        reads: Background,
        imports: Iterable[Callable[[], object]],
        missing: Callable[[], str],
        build: Callable[[str], object],
        is_calm: Callable[[], bool],
        last: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.unseen: set[str] = set()
        self._reads, self._imports = reads, iter(imports)
        self._missing, self._build, self._is_idle = missing, build, is_calm
        self._last: Callable[[], object] | None = last
        self.setInterval(PAUSE_MS)
        self.timeout.connect(self._prepare_next)

    def _prepare_next(self) -> None:
        if not self._is_idle():
            return
        # A screen that cannot be imported or built is not tried again.
        self.stop()
        load = next(self._imports, None)
        if load is not None:
            self._reads.start(load, lambda _: self.start(), self, None, apart=True)
        elif view_id := self._missing():
            self.unseen.add(view_id)
            self._build(view_id)
            self.start()
        elif self._last is not None:
            self._last()
            self._last = None
