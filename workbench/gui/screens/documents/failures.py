"""The inputs that could not be imported: each with its reason, to retry or dismiss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import button, column, icon_button, label, line, row
from workbench.gui.kit.words import local_time
from workbench.gui.workspace.context import AppContext
from workbench.services import queries
from workbench.services.records import StoredFailure

if TYPE_CHECKING:
    from workbench.gui.screens.documents.importing import Importer


class FailuresPane(QWidget):
    """A table of failures; without a selection the buttons apply to all of them."""

    def __init__(self, context: AppContext, importer: Importer) -> None:
        super().__init__()
        self._context, self._importer = context, importer
        columns = [
            Column("path", tr("Input"), width=260),
            Column("error", tr("Why it could not be read"), say),
            Column("when", tr("When"), local_time, width=156),
        ]
        self._failures: Sequence[StoredFailure] = ()
        self.model = ColumnsModel(columns, "id", self)
        self.table = Table(self.model, tr("Inputs that failed"))
        hint = label(tr("These inputs were not imported; everything else was."), 12, role="muted")
        retry = icon_button(context.theme, tr("Try again"), "retry", self.retry)
        dismiss = button(tr("Dismiss"), self.dismiss)
        whole = column(row(hint, None, dismiss, retry, margins=(16, 8, 12, 8)), line(), spacing=0)
        whole.addWidget(self.table, 1)
        self.reason = label("", 12, role="muted", wrap=True)
        self.reason.setContentsMargins(14, 8, 14, 10)
        self.reason.hide()
        whole.addWidget(self.reason)
        self.setLayout(whole)
        self.table.selected.connect(self._explain)

    def show_failures(self, failures: Sequence[StoredFailure]) -> None:
        """Replace the rows."""
        self._failures = failures
        self.model.set_values(
            {
                "id": [f.id for f in failures],
                "path": [f.path for f in failures],
                "error": [f.error for f in failures],
                "when": [f.when for f in failures],
            },
            ("path", "error"),
        )

    def count(self) -> int:
        """Failures listed."""
        return self.model.total

    def paths(self) -> list[str]:
        """Inputs of the selected rows, or of all."""
        rows = sorted({i.row() for i in self.table.selectionModel().selectedRows()}) or range(self.model.rowCount())
        paths = self.model.values("path")
        return [str(paths[self.model.source_row(r)]) for r in rows]

    def retry(self) -> None:
        """Import the inputs again."""
        self._importer.retry(self.paths())

    def dismiss(self) -> None:
        """Remove the inputs from the list."""
        paths = self.paths()
        if not paths:
            return
        chosen = set(paths)
        ids = [f.id for f in self._failures if f.path in chosen]
        self._context.perform(
            trn("Dismiss {count} failed input", "Dismiss {count} failed inputs", len(paths)),
            lambda session: queries.dismiss_failures(session, paths),
            lambda session: queries.list_failures_again(session, ids),
            {"documents"},
            sentence=trn("{count} failed input was dismissed.", "{count} failed inputs were dismissed.", len(paths)),
        )

    def _explain(self) -> None:
        """Show in full why the first selected input failed: the column may be too narrow."""
        chosen = self.table.chosen_keys()
        failure = next((f for f in self._failures if chosen and f.id == chosen[0]), None)
        self.reason.setText(f"{failure.path}: {say(failure.error)}" if failure else "")
        self.reason.setVisible(failure is not None)
