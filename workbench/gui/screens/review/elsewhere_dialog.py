"""Where else in the project a selected passage stands: the documents, and the place in the one chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.base.errors import UserError
from workbench.base.messages import reason
from workbench.base.types import Document, Role, Span
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.parts import EmptyState, button, heading, label, row
from workbench.gui.kit.tables import Table
from workbench.gui.kit.words import role_word
from workbench.gui.screens.review.adding import add_match
from workbench.gui.workspace.context import AppContext
from workbench.services import reads
from workbench.services.detecting.searching import Elsewhere, find_elsewhere

_QUOTED = 200
"""Characters of the passage that the dialog shows."""


class ElsewhereDialog(QDialog):
    """Searches the project's other documents for ``passage``, ``span`` of ``document``; closing ends the search."""

    def __init__(self, context: AppContext, passage: str, document: Document, span: Span, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Find this elsewhere"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(980, 600)
        self._context = context
        self._spans: dict[int, Span] = {}
        columns = [
            Column("title", tr("Document")),
            Column("role", tr("Role"), role_word, width=92),
            Column("times", tr("Whole passage"), whole, numeric=True, width=104),
            Column("sentences", tr("Sentences"), whole, numeric=True, width=90),
        ]
        self.model = ColumnsModel(columns, "key", self)
        self.table = Table(self.model, tr("Documents that hold the passage"), many=False)
        self.table.selected.connect(self._chosen)
        self.pane = DocumentPane(context, tr("Choose a document to see the place in it."))
        self.answer = label(tr("Searching…"), 13, role="muted", wrap=True)
        nothing = tr("Neither the passage nor any of its sentences occurs in another document of this project.")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.table)
        self._pages.addWidget(EmptyState(context.theme, "search", tr("Nowhere else"), nothing))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(10)
        split.addWidget(self._pages)
        split.addWidget(self.pane)
        split.setSizes([470, 490])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        quoted = passage[:_QUOTED].replace("\n", " ") + ("…" if len(passage) > _QUOTED else "")
        layout.addWidget(heading(tr("Find this elsewhere")))
        layout.addWidget(label(quoted, 13, wrap=True, language=document.language))
        layout.addWidget(self.answer)
        layout.addWidget(split, 1)
        self._document, self._span = document, span
        self.add = button(tr("Add as a match"), self._add)
        self.add.setEnabled(False)
        layout.addLayout(row(self.add, None, button(tr("Close"), self.close)))
        if context.project is None:
            raise UserError("There is no open project.")
        context.aside(
            self, find_elsewhere, context.project, passage, document.key, done=self._show, failed=self._refuse
        )

    def _show(self, elsewhere: Elsewhere) -> None:
        places = elsewhere.places
        self._spans = {place.key: place.span for place in places}
        self.model.set_values(
            {
                "key": [p.key for p in places],
                "title": [p.title or p.id for p in places],
                "role": [p.role.value for p in places],
                "times": [p.times for p in places],
                "sentences": [p.sentences for p in places],
            }
        )
        self._pages.setCurrentIndex(0 if places else 1)
        searched = trn("{count} document was searched", "{count} documents were searched", elsewhere.documents)
        sentence = tr("{searched}. Width, case, symbols and spaces make no difference.", searched=searched)
        self.answer.setText(sentence)
        if places:
            self.table.select_keys([places[0].key])
            self.table.setFocus()

    def _refuse(self, error: Exception) -> None:
        self.answer.setText(say(reason(error)))

    def _add(self) -> None:
        """Make the passage and the place that is shown a match of its own."""
        other = self.pane.document
        if other is not None and other.key in self._spans:
            sides = [(self._document, self._span), (other, self._spans[other.key])]
            # The suspect comes first, whichever side was searched for.
            sides.sort(key=lambda side: side[0].role is not Role.SUSPECT)
            add_match(self._context, *sides[0], *sides[1])

    def _chosen(self) -> None:
        for key in self.table.chosen_keys():
            self._context.background(reads.document(key), self._read, owner=self)

    def _read(self, document: Document) -> None:
        if document.key in self.table.chosen_keys():
            self.pane.show_document(document)
            span = self._spans[document.key]
            self.add.setEnabled(True)
            self.pane.text.set_regions([span])
            self.pane.text.show_place(float(span.start))
