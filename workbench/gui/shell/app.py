"""Starting the window, or drawing one view to an image."""

from __future__ import annotations

import gc
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QEventLoop, QFileSystemWatcher, QObject, QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from workbench.base import settings as settings_file
from workbench.base.resources import resource, state_dir
from workbench.base.settings import Settings
from workbench.gui import i18n
from workbench.gui.i18n import tr
from workbench.gui.problems import Hooks
from workbench.gui.shell.building import import_charts, import_for_project, process_events
from workbench.gui.shell.catalogue import known_screens, view_and_mode
from workbench.gui.shell.lifetime import AbnormalExit, Lifetime
from workbench.gui.shell.single_instance import take_request
from workbench.gui.shell.window import Window
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext, file_error_words

_INTERVAL_MS = 1000
_AWAY, _AT_WORK = 3, 2_000
"""Number of collections of young objects per full one: while another program is in front, and otherwise."""
_MANY = 10_000
"""Young objects examined at once, which takes about 5 ms."""


class Collector(QObject):
    """Runs the garbage collector on a timer while it exists, as often as Python would, and only in this thread.

    Python collects in the thread that happens to allocate. A widget in a reference cycle would then be destroyed by a
    reading thread, which crashes the process. A full collection pauses the window for a fifth of a second, so older
    objects are collected mostly while another program's window is in front.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        # Imported objects are permanent.
        gc.freeze()
        self._since_full = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def _collect(self) -> None:
        in_front = QApplication.applicationState() == Qt.ApplicationState.ApplicationActive
        if self._since_full > (_AT_WORK if in_front else _AWAY):
            collect_all()
            self._since_full = 0
        else:
            self._since_full += collect_young()

    def close(self) -> None:
        """Restore Python's own collection."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()


def collect_young() -> bool:
    """Collect the youngest generation, or the two youngest, whose counts exceed Python's thresholds.

    More than ``_MANY`` objects, as reading a large project creates, are left to the next full collection. Returns
    whether the survivors are no longer young.
    """
    counts, thresholds = gc.get_count(), gc.get_threshold()
    if counts[0] > _MANY:
        gc.freeze()
        return True
    if counts[1] > thresholds[1]:
        gc.collect(1)
        gc.freeze()
        return True
    if counts[0] > thresholds[0]:
        gc.collect(0)
    return False


def collect_all() -> None:
    """Collect everything."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))


class SignalListener(QObject):
    """Calls ``end`` in the event loop when one of the signals arrives.

    Qt's loop never returns to the interpreter while nothing happens, so a handler alone would not run: the signal's
    number is written to a socket that the loop watches. Use in the main thread; :meth:`close` restores the handlers.
    """

    def __init__(self, end: Callable[[], object]) -> None:
        super().__init__()
        self._end = end
        self._reading, self._writing = socket.socketpair()
        for side in (self._reading, self._writing):
            side.setblocking(False)
        self._before_fd = signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _note) for number in _SIGNALS}
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._arrived)

    def _arrived(self) -> None:
        if any(number in _SIGNALS for number in self._reading.recv(64)):
            self._end()

    def close(self) -> None:
        """Stop listening and restore the previous handlers."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._before_fd)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._reading.close()
        self._writing.close()


def _note(_number: int, _frame: FrameType | None) -> None:
    """The signal handler; the work is done when the event loop reads the socket."""


SHOT_SIZE = (1440, 900)
START_MS = 250
"""Milliseconds that the window waits for its project before it appears without it."""
FRAME_MS = 100
"""Milliseconds after which a window manager has framed a window."""
SHOT_MS = 20_000
"""Maximum milliseconds that a screenshot waits for its content."""


_SWITCH = 0.00005
"""Seconds after which a reading thread yields to the window: painting acquires the interpreter many times."""


def application() -> QApplication:
    """The only QApplication, with its fonts loaded."""
    existing = QApplication.instance()
    qt_app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    Collector(qt_app)
    sys.setswitchinterval(_SWITCH)
    qt_app.setApplicationName("palimpsest")
    qt_app.setApplicationDisplayName("Palimpsest")
    qt_app.setDesktopFileName("palimpsest")
    qt_app.setWindowIcon(QIcon(str(resource("application", "palimpsest.svg"))))
    fonts.load_bundled()
    return qt_app


class Controller(QObject):
    """Owns the context and the window; builds the window again when the language changes.

    With ``lifetime`` it starts cautiously if the previous window did not exit normally.
    """

    def __init__(self, settings: Settings, *, keep: bool = True, lifetime: Lifetime | None = None) -> None:
        super().__init__()
        self._keep = keep
        self._lifetime = lifetime
        self._changing = False
        """Whether the window is being built in another language."""
        self._over = False
        self._unsaved = False
        """Whether the user was told that settings cannot be saved."""
        i18n.use(settings.language)
        self.theme = Theme(settings.theme)
        self.theme.apply()
        self.context = AppContext(self.theme, settings)
        self.window = self._make()
        self.context.project_changed.connect(self._save)
        self.theme.changed.connect(self._save)
        self._hooks = Hooks(self.context.problems)
        self._requests = QFileSystemWatcher(self)
        if lifetime is not None and lifetime.marker.parent.is_dir():
            self._requests.addPath(str(lifetime.marker.parent))
            self._requests.directoryChanged.connect(self.look_for_request)

    def _make(self) -> Window:
        window = Window(self.context)
        window.language_chosen.connect(self.choose_language)
        window.closed.connect(self._closed)
        window.moved.connect(self._moved)
        return window

    def choose_language(self, language: str) -> None:
        """Rebuild the window in ``language``, at the same place; the old window stays until the new one is ready."""
        self.context.settings.language = language
        if self._changing:
            return
        self._changing = True
        try:
            while i18n.current() != self.context.settings.language and not self._over:
                self._rebuild()
        finally:
            self._changing = False

    def _rebuild(self) -> None:
        i18n.use(self.context.settings.language)
        self.theme.apply()
        process_events()
        old = self.window
        old.flush()
        old.save_session()
        self.window = self._make()
        process_events()
        self.window.restore_geometry()
        self.window.show_view(old.current)
        if self._over:  # The old window was closed meanwhile
            self.window.retire()
            self.window = old
            return
        self.window.show()
        process_events()
        old.retire()

    def begin(self, project: Path | None, view: str | None, wait_ms: int = START_MS) -> None:
        """Open the given project, or the last one, at its last view.

        Start is shown if opening the project takes longer than ``wait_ms``. If the previous window did not exit
        normally, the project opens on Documents; if this happened repeatedly at the same place, Start opens with a
        notice, unless another project was requested.
        """
        settings = self.context.settings
        ended = None if self._lifetime is None else self._lifetime.before
        last = (ended.project if ended else "") or settings.last_project
        remembered = Path(last) if last else None
        path = project or (remembered if remembered and remembered.is_file() else None)
        left_at = "documents" if project and settings.last_view == "start" else settings.last_view
        without = "jobs" if view == "jobs" else "start"
        if ended is not None:
            left_at = "documents"
            self.context.problems.crash = ended.trace
            if ended.again and view is None and path is not None and path.absolute() == Path(ended.project):
                path = None

        def opened() -> None:
            self.window.show_view(view or left_at)
            if ended is not None:
                self._offer_return(ended)

        if path is not None:
            self._note(str(path.absolute()), view or left_at)
            screen = known_screens().get(view or left_at)
            self.context.open_project(
                path.absolute(),
                meanwhile=None if screen is None else partial(import_for_project, screen.module),
                opened=opened,
                refused=lambda: self.window.show_view(without),
            )
            # Before the window is shown, because a part of it cannot be done in pieces.
            list(import_charts())
            wait(lambda: self.context.opening is None, wait_ms)
        if not self.window.current:
            self.window.show_view(without)
        if ended is not None and path is None:
            self._offer_return(ended)

    def _offer_return(self, ended: AbnormalExit) -> None:
        """Report that the previous window did not exit normally, and offer to return to its place."""
        window = self.window
        sentence = tr("Palimpsest did not close properly last time. Everything that was saved is still there.")
        if ended.trace:
            sentence += " " + tr("It crashed; the Help menu has a report of it.")
        project = Path(ended.project)
        if ended.again and window.context.project is None and project.is_file():
            sentence += " " + tr("This has happened twice, so {name} was not opened again.", name=project.stem)
        names = {key: name for key, name, _, _ in window.destinations()}
        target = "documents" if ended.again or ended.view not in names else ended.view
        if window.context.project == project and target != window.current:
            go = partial(window.show_view, target)
            window.banner.say(sentence, "warn", tr("Go back to {view}", view=names[target]), go)
        elif ended.project and window.context.project is None and project.is_file():
            go = partial(window.context.open_project, project, opened=partial(window.context.show_view, target))
            window.banner.say(sentence, "warn", tr("Open {name}", name=project.stem), go)
        elif ended.project or ended.trace:
            window.banner.say(sentence, "warn")

    def look_for_request(self) -> None:
        """Raise the window if a second start requested it, with that start's project and view."""
        request = None if self._lifetime is None else take_request(self._lifetime.marker)
        if request is None:
            return
        project, view = Path(request.project), view_and_mode(request.view)[0] if request.view else ""
        if project not in (self.context.project, self.context.opening):
            self.context.open_project(project, opened=lambda: self.window.show_view(view or "documents"))
        elif view:
            self.window.show_view(view)
        else:
            self.context.say(tr("{name} is already open in this window.", name=project.stem))
        self.window.setWindowState(self.window.windowState() & ~Qt.WindowState.WindowMinimized)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def _note(self, project: str, view: str) -> None:
        if self._lifetime is not None:
            self._lifetime.note(project, view)

    def _moved(self) -> None:
        """Save the place at once, because the program may be killed."""
        self.window.save_session()
        self._save()
        # While a project is opening, the marker already names it, so that a second start finds it.
        if self.context.opening is None:
            self._note(self.context.settings.last_project, self.window.current)

    def _closed(self) -> None:
        self._over = True
        if self._lifetime is not None:
            self._lifetime.end()
        self._hooks.close()
        self._save()

    def _save(self) -> None:
        """Save the settings; also done while the window is open, so that a crash loses nothing."""
        if self._keep:
            try:
                self.context.settings.save()
            except OSError as error:
                if sys.stderr is not None:
                    sys.stderr.write(f"palimpsest: settings were not saved: {error}\n")
                if not self._unsaved:
                    self._unsaved = True
                    words = tr(
                        "The settings of this window cannot be saved ({reason}); they last until it is closed.",
                        reason=file_error_words(error),
                    )
                    self.context.say(words, "warn")


def run(project: Path | None, screenshot: Path | None = None, view: str | None = None) -> int:
    """Show the window until it is closed, or draw ``view`` to ``screenshot``; returns the exit code."""
    qt_app = application()
    qt_app.setQuitOnLastWindowClosed(True)
    if screenshot is not None:
        return shoot(project, screenshot, view or "documents")
    controller = Controller(settings_file.load(), lifetime=Lifetime(state_dir() / "windows"))
    controller.window.restore_geometry()
    controller.begin(project, view_and_mode(view)[0] if view else None)
    controller.window.show()
    QTimer.singleShot(FRAME_MS, controller.window, controller.window.keep_on_screen)
    controller.look_for_request()
    endings = SignalListener(lambda: controller.window.end())
    try:
        return qt_app.exec()
    finally:
        endings.close()


def shoot(project: Path | None, screenshot: Path, name: str) -> int:
    """Draw the view called ``name`` to a PNG; 1, with a sentence on standard error, if that fails."""
    view, mode = view_and_mode(name)
    stored = settings_file.load()
    settings = Settings(theme=stored.theme, language=stored.language, recent=stored.recent, last_project="")
    controller = Controller(settings, keep=False)
    problems: list[str] = []
    controller.context.notice.connect(lambda text, tone: problems.append(text) if tone == "danger" else None)
    controller.context.bug.connect(lambda text, report: problems.append(f"{text}\n{report}"))
    window = controller.window
    window.resize(*SHOT_SIZE)
    controller.begin(project, view, SHOT_MS)
    if mode and window.current == view:
        window.view(view).set_mode(mode)
    window.show()
    drawn = window.current == view and settle(controller) and window.grab().save(str(screenshot), "PNG")
    window.close()
    if problems or not drawn:
        sys.stderr.write("\n".join(problems or [f"The view {name} could not be drawn to {screenshot}."]) + "\n")
    return 0 if drawn else 1


def settle(controller: Controller, limit_ms: int = SHOT_MS) -> bool:
    """Run the event loop until the view is ready, all reads and queries are answered and layouts are drawn."""
    calm = 0

    def still() -> bool:
        nonlocal calm
        view = controller.window.view(controller.window.current)
        context = controller.context
        calm = calm + 1 if view.is_ready() and not context.reads.pending and not context.asides.pending else 0
        return calm >= 6

    return wait(still, limit_ms)


def wait(until: Callable[[], bool], limit_ms: int) -> bool:
    """Run the event loop until ``until()``, checked every 15 ms, is true; False after ``limit_ms`` milliseconds."""
    loop = QEventLoop()
    ticking = QTimer()
    ticking.setInterval(15)
    waited = 0
    reached = until()

    def look() -> None:
        nonlocal waited, reached
        waited += 15
        reached = until()
        if reached or waited > limit_ms:
            loop.quit()

    if not reached:
        ticking.timeout.connect(look)
        ticking.start()
        loop.exec()
        ticking.stop()
    return reached
