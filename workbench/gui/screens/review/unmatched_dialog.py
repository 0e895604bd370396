"""The suspects in which the run that is shown found nothing: examined, and not forgotten."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QSplitter, QWidget

from workbench.base.types import Document
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.parts import button, column, heading, label, row
from workbench.gui.kit.tables import Table
from workbench.gui.workspace.context import AppContext
from workbench.services import reads
from workbench.services.review.overview import RunColumns
from workbench.services.review.unplaced import unmatched
from workbench.services.stored import DocumentItem


class UnmatchedDialog(QDialog):
    """Lists the suspects without a match among ``columns``, with the text of the chosen one."""

    def __init__(self, context: AppContext, columns: RunColumns, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(tr("Suspects without a match"))
        self.resize(980, 560)
        self.model = ColumnsModel(
            [
                Column("title", tr("Document"), width=220),
                Column("language", tr("Language"), width=80),
                Column("length", tr("Characters"), whole, numeric=True, width=90),
            ],
            "key",
            self,
        )
        self.table = Table(self.model, tr("Suspects without a match"), many=False)
        self.table.selected.connect(self._chosen)
        self.pane = DocumentPane(context, tr("Choose a document to read it."))
        self.count = label("", 12, role="faint", tabular=True)
        split = QSplitter()
        split.setHandleWidth(10)
        split.addWidget(self.table)
        split.addWidget(self.pane)
        split.setSizes([440, 520])
        sentence = tr(
            "The run found nothing in these documents, or left them out. That is no proof that they are original."
        )
        layout = column(
            row(heading(tr("Suspects without a match")), self.count, None),
            label(sentence, 12, role="muted", wrap=True),
            spacing=10,
            margins=(18, 16, 18, 14),
        )
        layout.addWidget(split, 1)
        layout.addLayout(row(None, button(tr("Close"), self.accept)))
        self.setLayout(layout)
        context.background(lambda session: unmatched(session, columns), self._show, owner=self)

    def _show(self, items: list[DocumentItem]) -> None:
        self.count.setText(f"{len(items):,}")
        self.model.set_values(
            {
                "key": [item.key for item in items],
                "title": [item.title or item.id for item in items],
                "language": [item.language for item in items],
                "length": [item.length for item in items],
            }
        )
        if items:
            self.table.select_keys([items[0].key])
            self.table.setFocus()

    def _chosen(self) -> None:
        for key in self.table.chosen_keys():
            self._context.background(reads.document(key), self._read, owner=self)

    def _read(self, document: Document) -> None:
        if document.key in self.table.chosen_keys():
            self.pane.show_document(document)


def unmatched_words(count: int) -> str:
    """That there are so many."""
    return trn("{count} suspect without a match", "{count} suspects without a match", count)
