"""Fetching pages from the window: ask, fetch as a job, report the outcome."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr, trn
from workbench.gui.screens.documents.fetch_dialog import FetchDialog
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.fetching import FetchOptions, FetchResult, Place, fetch, require_libraries


class Fetcher(QObject):
    """Fetches pages into the open project."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._parent = context, parent
        self.dialog: FetchDialog | None = None
        self.usual = FetchOptions()
        """The last choices, offered again while the window is open."""

    def ask(self, addresses: Sequence[str] = ()) -> None:
        """Show the dialog, pre-filled with ``addresses``."""
        if self._context.session is None:
            return
        try:
            require_libraries()
        except UserError as error:
            self._context.show_error(error)
            return
        self.dialog = FetchDialog(self._context, self._parent.window(), addresses, self.usual)
        self.dialog.accepted.connect(self._confirmed)
        self.dialog.open()

    def _confirmed(self) -> None:
        if self.dialog is not None:
            self.usual = self.dialog.options()
            self.start(self.dialog.places(), self.usual)

    def start(self, places: Sequence[Place], options: FetchOptions) -> JobRecord | None:
        """Fetch as a job."""
        project = self._context.project
        if project is None:
            return None
        title = tr("Fetch {name}", name=places[0].address)
        if len(places) > 1:
            title = trn("Fetch {count} address", "Fetch {count} addresses", len(places))
        cancelled = tr("Fetching was cancelled; the same fetch continues where it stopped.")
        after = self._context.after(FetchResult, self._say, cancelled)
        return self._context.jobs.submit(title, fetch, project, list(places), options, after=after)

    def _say(self, result: FetchResult) -> None:
        parts = [trn("{count} page became a document.", "{count} pages became documents.", result.imported)]
        known = result.unchanged + result.duplicates
        if known:
            parts.append(trn("{count} was unchanged.", "{count} were unchanged.", known))
        if result.left_out:
            reasons = (f"{count:,} {say(reason)}" for reason, count in result.left_out.items())
            parts.append(tr("Left out: {parts}.", parts="; ".join(reasons)))
        if result.failed:
            parts.append(
                trn(
                    "{count} address failed; it is listed under Failed.",
                    "{count} addresses failed; they are listed under Failed.",
                    len(result.failed),
                )
            )
            first = result.failed[0]
            parts.append(tr("The first: {reason}", reason=f"{first.path}: {say(first.error)}"))
        self._context.say(" ".join(parts), "warn" if result.failed else "ok")
