"""Adding, changing and removing watches, each with undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog

from workbench.base.errors import UserError
from workbench.gui.context import AppContext
from workbench.gui.dialogs.watch_dialog import WatchDialog
from workbench.gui.i18n import tr
from workbench.project.watches import Watch
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.settings import WatchSettings

if TYPE_CHECKING:
    from workbench.gui.views.watch.view import WatchView

Step = Callable[[Session], object]
Done = Callable[[WatchDialog], object]


class Changing:
    """Asks for watches and keeps them; every change can be undone."""

    def __init__(self, context: AppContext, view: WatchView) -> None:
        self._context, self._view = context, view
        self.dialog: WatchDialog | None = None

    def add(self) -> None:
        """Ask for a new watch."""
        self._ask(WatchSettings(), "", self._added)

    def change(self) -> None:
        """Ask what the chosen watch is to look for from now on."""
        watch = self._view.watch()
        if watch is None:
            return
        try:
            settings = WatchSettings.from_dict(watch.settings)
        except UserError as error:
            self._context.show_error(error)
            return
        self._ask(settings, watch.name, self._changed)

    def remove(self) -> None:
        """Remove the chosen watch; what it found stays."""
        watch = self._view.watch()
        if self._context.session is None or watch is None:
            return
        title = tr("Remove the watch {name}", name=watch.name)
        self._do(title, lambda s: store.remove(s, watch), lambda s: store.restore(s, watch), watch.name)
        self._context.say_undoable(tr("The watch {name} was removed.", name=watch.name))

    def _ask(self, settings: WatchSettings, name: str, done: Done) -> None:
        if self._context.session is None:
            return
        dialog = self.dialog = WatchDialog(self._context, self._view.window(), settings, name)
        dialog.finished.connect(lambda result: done(dialog) if result == QDialog.DialogCode.Accepted else None)
        dialog.open()

    def _added(self, dialog: WatchDialog) -> None:
        if self._context.session is None:
            return
        name, settings = " ".join(dialog.name.text().split()), dialog.settings()
        made: list[Watch] = []

        def add(session: Session) -> None:
            made.append(store.add(session, name, settings))

        def remove(session: Session) -> None:
            for watch in made:
                store.remove(session, watch)

        def restore(session: Session) -> None:
            for watch in made:
                store.restore(session, watch)

        try:
            self._told(add)
        except UserError as error:
            self._context.show_error(error)
            return
        self._view.choose(name)
        title = tr("Add the watch {name}", name=name)
        self._context.history.push(title, lambda: self._told(remove), lambda: self._told(restore))
        self._context.show_view(self._view.view_id)

    def _changed(self, dialog: WatchDialog) -> None:
        watch = self._view.watch()
        if self._context.session is None or watch is None:
            return
        before, after = WatchSettings.from_dict(watch.settings), dialog.settings()
        title = tr("Change the watch {name}", name=watch.name)
        self._do(
            title,
            lambda s: store.change(s, watch, after),
            lambda s: store.change(s, watch, before),
            watch.name,
        )

    def _do(self, title: str, redo: Step, undo: Step, name: str) -> None:
        try:
            self._told(redo)
        except UserError as error:
            self._context.show_error(error)
            return
        self._view.choose(name)
        self._context.history.push(title, lambda: self._told(undo), lambda: self._told(redo))

    def _told(self, step: Step) -> None:
        self._context.change(step, None)
        self._context.announce({"watches"})
