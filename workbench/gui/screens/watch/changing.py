"""Adding, changing and removing watches, each with undo."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import tr
from workbench.gui.judging.case_giving import give_case
from workbench.gui.screens.watch.watch_dialog import WatchDialog
from workbench.gui.workspace.context import AppContext
from workbench.services.records import Watch
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.cases import CaseState
from workbench.services.watching.settings import WatchSettings

Step = Callable[[Session], object]
Done = Callable[[WatchDialog], object]


class Changing:
    """Edits watches in a dialog and stores them; every change can be undone.

    ``chosen`` returns the selected watch, ``choose`` selects one by name in the list, ``parent`` is the parent of
    dialogs.
    """

    def __init__(
        self,
        context: AppContext,
        chosen: Callable[[], Watch | None],
        choose: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        self._context, self._chosen, self._choose, self._parent = context, chosen, choose, parent
        self.dialog: WatchDialog | None = None

    def add(self) -> None:
        """Ask for a new watch."""
        self._ask(WatchSettings(), "", self._added)

    def change(self) -> None:
        """Edit the settings of the selected watch."""
        watch = self._chosen()
        if watch is None:
            return
        try:
            settings = WatchSettings.from_dict(watch.settings)
        except UserError as error:
            self._context.show_error(error)
            return
        self._ask(settings, watch.name, lambda dialog: self._changed(watch, dialog))

    def remove(self) -> None:
        """Remove the selected watch; its results are kept."""
        watch = self._chosen()
        if self._context.session is None or watch is None:
            return
        title = tr("Remove the watch {name}", name=watch.name)
        sentence = tr("The watch {name} was removed.", name=watch.name)
        self._do(title, lambda s: store.remove(s, watch), lambda s: store.restore(s, watch), watch.name, sentence)

    def set_case(self, page: str, whole_site: bool, state: str, note: str) -> None:
        """Say what is done about a page, or its site."""
        give_case(self._context, page, CaseState(state), note, whole_site=whole_site)

    def _ask(self, settings: WatchSettings, name: str, done: Done) -> None:
        if self._context.session is None:
            return
        dialog = self.dialog = WatchDialog(self._context, self._parent.window(), settings, name)
        dialog.finished.connect(lambda result: done(dialog) if result == QDialog.DialogCode.Accepted else None)
        dialog.open()

    def _added(self, dialog: WatchDialog) -> None:
        if self._context.session is None:
            return
        name, settings = " ".join(dialog.name.text().split()), dialog.settings()
        added: list[Watch] = []

        def add(session: Session) -> None:
            added.append(store.add(session, name, settings))

        def remove(session: Session) -> None:
            for watch in added:
                store.remove(session, watch)

        def restore(session: Session) -> None:
            for watch in added:
                store.restore(session, watch)

        title = tr("Add the watch {name}", name=name)
        if self._context.perform(title, add, remove, {"watches"}, redo=restore):
            self._choose(name)
            self._context.show_view("watch")

    def _changed(self, watch: Watch, dialog: WatchDialog) -> None:
        if self._context.session is None:
            return
        before, after = WatchSettings.from_dict(watch.settings), dialog.settings()
        title = tr("Change the watch {name}", name=watch.name)
        self._do(
            title,
            lambda s: store.change(s, watch, after),
            lambda s: store.change(s, watch, before),
            watch.name,
        )

    def _do(self, title: str, make: Step, undo: Step, name: str, sentence: str = "") -> None:
        if self._context.perform(title, make, undo, {"watches"}, sentence=sentence):
            self._choose(name)
