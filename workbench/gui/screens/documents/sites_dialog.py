"""The sites of the project's pages."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QStackedWidget, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import EmptyState, button, column, heading, row
from workbench.gui.kit.words import local_time
from workbench.gui.workspace.context import AppContext
from workbench.services.pages.site_list import Site, read_sites


class SitesDialog(QDialog):
    """A table of sites; ``chosen`` emits the host whose documents are to be shown."""

    chosen = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Sites"))
        self.resize(820, 560)
        columns = [
            Column("host", tr("Host"), width=200),
            Column("name", tr("Name"), tip=tr("The ending that most titles of the site have in common")),
            Column("kind", tr("Kind"), width=150, tip=tr("Tags that all pages of the site have")),
            Column("pages", tr("Pages"), whole, numeric=True, width=76),
            Column(
                "first_seen",
                tr("First seen"),
                local_time,
                width=150,
                tip=tr("When it was first captured or, failing that, imported"),
            ),
        ]
        self.model = ColumnsModel(columns, "host", self)
        self.table = Table(self.model, tr("Sites"), many=False)
        empty = EmptyState(
            context.theme, "documents", tr("No sites yet"), tr("Fetched pages, and imported ones with an address.")
        )
        self._pages = QStackedWidget()
        for page in (self.table, empty):
            self._pages.addWidget(page)
        layout = column(heading(tr("Sites")), spacing=10, margins=(16, 14, 16, 14))
        layout.addWidget(self._pages, 1)
        self.show_button = button(tr("Show its documents"), lambda: self._choose(self.table.chosen_keys()[0]))
        layout.addLayout(row(self.show_button, None, button(tr("Close"), self.accept)))
        self.setLayout(layout)
        self.table.opened.connect(self._choose)
        self.table.selected.connect(self._tell)
        self._tell()
        context.latest(self, "sites", read_sites, self._show)

    def _show(self, sites: Sequence[Site]) -> None:
        names = [column.name for column in self.model.columns]
        self.model.set_values({name: [getattr(site, name) for site in sites] for name in names})
        self._pages.setCurrentIndex(0 if sites else 1)

    def _tell(self) -> None:
        self.show_button.setEnabled(self.table.any_chosen())

    def _choose(self, host: object) -> None:
        self.chosen.emit(str(host))
        self.accept()
