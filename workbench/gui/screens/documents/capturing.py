"""The captures of the selected document's page."""

from __future__ import annotations

from functools import partial

from workbench.gui.i18n import tr
from workbench.gui.judging.captures_dialog import CapturesDialog
from workbench.gui.kit.tables import Table
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services.fetching.captured import captures_of_page


class Capturing:
    """Shows the captured answers of a document's page."""

    def __init__(self, context: AppContext, table: Table) -> None:
        self._context, self._table = context, table
        self.dialog: CapturesDialog | None = None
        """The dialog shown last."""

    def action(self) -> Action:
        """Show the captures of the selected document."""
        return Action(
            "documents.captures",
            tr("Captures of the page…"),
            self.show,
            "",
            view="documents",
            icon="clock",
            enabled=lambda: len(self._table.chosen_keys()) == 1,
            needs=tr("Select one document."),
        )

    def show(self) -> None:
        """Show the captures of the selected document."""
        (key,) = self._table.chosen_keys()
        self.dialog = CapturesDialog(self._context, self._table.window(), "", partial(captures_of_page, key=key))
        self.dialog.open()
