"""Start the window, or draw one view of it to a picture."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication

from workbench.base import settings as settings_file
from workbench.base.settings import Settings
from workbench.gui import i18n
from workbench.gui.collector import Collector
from workbench.gui.context import AppContext
from workbench.gui.endings import Endings
from workbench.gui.i18n import tr
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.gui.views.review import ReviewView
from workbench.gui.widgets import document_accessible
from workbench.gui.window import Window

REVIEW_VIEWS = {"matches": "matches", "compare": "compare", "review": "matches"}
"""Names on the command line that are ways of looking at Review."""
SHOT_SIZE = (1440, 900)
START_MS = 250
"""Milliseconds for which the window waits for its project before it shows itself without."""
SHOT_MS = 20_000
"""Milliseconds a screenshot waits for its content at most."""


def application() -> QApplication:
    """The one QApplication, with its fonts loaded."""
    existing = QApplication.instance()
    made = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    Collector(made)
    made.setApplicationName("palimpsest")
    made.setApplicationDisplayName("Palimpsest")
    made.setDesktopFileName("palimpsest")
    fonts.load_bundled()
    document_accessible.install()
    return made


class Controller(QObject):
    """Owns the context and the window; builds the window again when the language changes."""

    def __init__(self, settings: Settings, *, keep: bool = True) -> None:
        super().__init__()
        self._keep = keep
        i18n.use(settings.language)
        self.theme = Theme(settings.theme)
        self.theme.apply()
        self.context = AppContext(self.theme, settings)
        self.window = self._make()
        self.context.project_changed.connect(self._save)
        self.theme.changed.connect(self._save)
        self._old_hook = sys.excepthook
        sys.excepthook = self._unexpected

    def _make(self) -> Window:
        window = Window(self.context)
        window.language_chosen.connect(self.choose_language)
        window.closed.connect(self._closed)
        window.moved.connect(self._moved)
        return window

    def choose_language(self, language: str) -> None:
        """Build the window again in ``language``, where the user was."""
        self.context.settings.language = language
        i18n.use(language)
        self.theme.apply()
        old = self.window
        old.save_session()
        view = old.current
        self.window = self._make()
        self.window.restore_geometry()
        self.window.show_view(view)
        self.window.show()
        old.retire()

    def begin(self, project: Path | None, view: str | None, wait_ms: int = START_MS) -> None:
        """Open the given project, or the last one, at the view where it was left.

        Start shows until the project is open, if that takes longer than ``wait_ms``.
        """
        settings = self.context.settings
        remembered = Path(settings.last_project) if settings.last_project else None
        path = project or (remembered if remembered and remembered.is_file() else None)
        left_at = "documents" if project and settings.last_view == "start" else settings.last_view
        without = "jobs" if view == "jobs" else "start"
        if path is not None:
            self.context.open_project(
                path.absolute(),
                opened=lambda: self.window.show_view(view or left_at),
                refused=lambda: self.window.show_view(without),
            )
            wait(lambda: self.context.opening is None, wait_ms)
        if not self.window.current:
            self.window.show_view(without)

    def _unexpected(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An exception in a slot: shown with a report; Qt itself would only print it."""
        if issubclass(kind, KeyboardInterrupt):
            self.window.close()
            return
        report = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(report)
        self.context.bug.emit(tr("Something went wrong that should not have."), report)

    def _moved(self) -> None:
        """Remember the place at once: the program may be killed."""
        self.window.save_session()
        self._save()

    def _closed(self) -> None:
        sys.excepthook = self._old_hook
        self._save()

    def _save(self) -> None:
        """Keep the settings; they are also saved while the window is open, so that a crash loses nothing."""
        if self._keep:
            try:
                self.context.settings.save()
            except OSError as error:
                sys.stderr.write(f"palimpsest: settings were not saved: {error}\n")


def run(project: Path | None, screenshot: Path | None = None, view: str | None = None) -> int:
    """Show the window until it is closed, or draw ``view`` to ``screenshot``; the exit code."""
    made = application()
    made.setQuitOnLastWindowClosed(True)
    if screenshot is not None:
        return shoot(project, screenshot, view or "documents")
    controller = Controller(settings_file.load())
    controller.window.restore_geometry()
    if view in REVIEW_VIEWS:
        controller.begin(project, "review")
    else:
        controller.begin(project, view)
    controller.window.show()
    # The first may be refused, for the user to read why.
    endings = Endings(lambda: controller.window.close() or controller.window.close())
    try:
        return made.exec()
    finally:
        endings.close()


def shoot(project: Path | None, screenshot: Path, view: str) -> int:
    """Draw ``view`` to a PNG; 1, with a sentence on standard error, where it cannot be drawn."""
    stored = settings_file.load()
    settings = Settings(theme=stored.theme, language=stored.language, recent=stored.recent, last_project="")
    controller = Controller(settings, keep=False)
    problems: list[str] = []
    controller.context.notice.connect(lambda text, tone: problems.append(text) if tone == "danger" else None)
    controller.context.bug.connect(lambda text, report: problems.append(f"{text}\n{report}"))
    window = controller.window
    window.resize(*SHOT_SIZE)
    controller.begin(project, "review" if view in REVIEW_VIEWS else view, SHOT_MS)
    if view in REVIEW_VIEWS and window.current == "review":
        _review(window).set_mode(REVIEW_VIEWS[view])
    window.show()
    shown = window.current == ("review" if view in REVIEW_VIEWS else view)
    drawn = shown and settle(controller) and window.grab().save(str(screenshot), "PNG")
    window.close()
    if problems or not drawn:
        sys.stderr.write("\n".join(problems or [f"The view {view} could not be drawn to {screenshot}."]) + "\n")
    return 0 if drawn else 1


def _review(window: Window) -> ReviewView:
    view = window.view("review")
    assert isinstance(view, ReviewView)
    return view


def settle(controller: Controller, limit_ms: int = SHOT_MS) -> bool:
    """Run the event loop until the view is ready, background reads are done and layouts are drawn."""
    calm = 0

    def still() -> bool:
        nonlocal calm
        view = controller.window.view(controller.window.current)
        calm = calm + 1 if view.is_ready() and not controller.context.reads.pending else 0
        return calm >= 6

    return wait(still, limit_ms)


def wait(until: Callable[[], bool], limit_ms: int) -> bool:
    """Run the event loop until ``until()``, which is asked every 15 ms, or ``limit_ms`` are over; which it was."""
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
