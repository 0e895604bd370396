"""One document to read: its title, where it comes from, how it was decoded, and its text."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from workbench.base.types import Document
from workbench.gui.context import AppContext
from workbench.gui.i18n import tr, trn
from workbench.gui.parts import Elided, EmptyState, ThemeWatch, column, label, line, row, tag
from workbench.gui.theme import fonts
from workbench.gui.widgets.document_layout import DocumentLayout
from workbench.gui.widgets.document_view import DocumentView
from workbench.gui.words import language_word, role_word


class DocumentPane(QFrame):
    """Shows a document read-only; its text is never taken for markup."""

    def __init__(self, context: AppContext, hint: str) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.document: Document | None = None
        self.title = Elided("", 15, weight=fonts.SEMIBOLD)
        self._tags = row(spacing=6)
        self.facts = Elided("", 12, role="faint")
        self.repairs = label("", 12, role="warn", wrap=True)
        self.text = DocumentView(context.theme.tokens)
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._pages = QStackedWidget()
        page = QWidget()
        head = column(self.title, self._tags, self.facts, self.repairs, margins=(18, 14, 18, 12), spacing=7)
        whole = column(head, line(), spacing=0)
        whole.addWidget(self.text, 1)
        page.setLayout(whole)
        self.empty = EmptyState(context.theme, "documents", tr("Nothing selected"), hint)
        self.empty.sentence.setFixedWidth(260)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(page)
        self.setLayout(column(self._pages, margins=(1, 1, 1, 1)))
        self._watch: QObject = ThemeWatch(self, context.theme, lambda: self.text.set_tokens(context.theme.tokens))

    def clear(self) -> None:
        """Show the hint."""
        self.document = None
        self._pages.setCurrentIndex(0)

    def show_document(self, document: Document, length: int | None = None) -> None:
        """Show ``document``; ``length`` is its whole length where only its beginning is given."""
        self.document = document
        self.title.setFont(fonts.font(15, fonts.SEMIBOLD, language=document.language))
        self.title.set_text(document.title or document.id)
        self._show_tags(document, len(document.text) if length is None else length)
        how = document.extraction
        parts = [document.id if document.title else "", document.url, document.site, document.published]
        parts += [how.format, f"{how.encoding} ({how.encoding_source})" if how.encoding_source else how.encoding]
        self.facts.set_text(" · ".join(p for p in parts if p))
        self.repairs.setText(" ".join(how.repairs))
        self.repairs.setVisible(bool(how.repairs))
        self.text.set_document(DocumentLayout(document.text), document.language, title=tr("Text of the document"))
        self._pages.setCurrentIndex(1)

    def _show_tags(self, document: Document, length: int) -> None:
        while (item := self._tags.takeAt(0)) is not None:
            old: QWidget | None = item.widget()
            if old is not None:
                old.deleteLater()
        words = [role_word(document.role), language_word(document.language)]
        words.append(trn("{count} character", "{count} characters", length))
        for word in words:
            self._tags.addWidget(tag(word))
        self._tags.addStretch(1)
