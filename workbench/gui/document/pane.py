"""One document to read: its title, where it comes from, how it was decoded, and its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog, QFrame, QPlainTextEdit, QSplitter, QStackedWidget, QWidget

from workbench.base.types import BlockClass, Document, IntegrityFlag, Span
from workbench.gui.document.layout import DocumentLayout, laid_out
from workbench.gui.document.page_blocks import PageBlocks
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.layouts import FlowLayout, clear
from workbench.gui.kit.widgets import Elided, EmptyState, ThemeWatch, button, column, label, line, row, tag
from workbench.gui.kit.words import language_word, published_words, role_word
from workbench.gui.problems.guard import guarded
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.pages.hidden import stored_hidden_text
from workbench.text.disguises import in_words

_MOST = 100_000
"""Characters that are shown, so that laying them out holds nothing up."""


@guarded
class HiddenDialog(QDialog):
    """Shows what browsers hide of the page ``document`` of the project."""

    def __init__(self, context: AppContext, parent: QWidget, document: Document) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Hidden text"))
        self.resize(640, 420)
        why = tr("The styles of this page hide these words in a browser; they do not count.")
        self.text = QPlainTextEdit(tr("Reading…"))
        self.text.setReadOnly(True)
        self.text.setFont(fonts.font(13, language=document.language))
        self.text.setAccessibleName(tr("Hidden text"))
        layout = column(label(why, 12, role="muted", wrap=True), margins=(18, 16, 18, 16), spacing=10)
        layout.addWidget(self.text, 1)
        self.setLayout(layout)
        context.jobs.submit(
            tr("Hidden text"), stored_hidden_text, context.project, document.key, after=self._read, quiet=True
        )

    def _read(self, record: JobRecord) -> None:
        text = record.result if isinstance(record.result, str) else record.error
        left = len(text) - _MOST
        more = trn("{count} more character is not shown", "{count} more characters are not shown", left)
        self.text.setPlainText(f"{text[:_MOST]}\n\n{more}" if left > 0 else text)


_AT_ONCE = 50_000
"""Characters that are laid out without a moment's wait; a longer text is laid out in a thread."""


class DocumentPane(QFrame):
    """Shows a document read-only; its text is never interpreted as markup."""

    def __init__(self, context: AppContext, hint: str, reload: Callable[[int], object] | None = None) -> None:
        """``hint`` says how to show a document here; ``reload`` shows the one with this key again and lets the user
        decide on its blocks.
        """
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.document: Document | None = None
        self.title = Elided("", 15, weight=fonts.SEMIBOLD)
        tags = QWidget()
        self._tags = FlowLayout(tags, 6)
        self.facts = Elided("", 12, role="faint")
        self.repairs = label("", 12, role="warn", wrap=True)
        self.text = DocumentView(context.theme.tokens)
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._pages = QStackedWidget()
        page = QWidget()
        self.hidden = label("", 12, role="faint")
        self._show_hidden = button(tr("Show"), self.show_hidden)
        self._hidden_row = QWidget()
        self._hidden_row.setLayout(row(self.hidden, self._show_hidden, None, spacing=8))
        signs = QWidget()
        self._signs = FlowLayout(signs, 10)
        parts = (self.title, tags, self.facts, self.repairs, self._hidden_row, signs)
        head = column(*parts, margins=(18, 14, 18, 12), spacing=7)
        self.blocks = PageBlocks(context, reload)
        self.blocks.pointed.connect(self._point)
        self.text.selection_changed.connect(lambda: self.blocks.follow(self.text.caret))
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setHandleWidth(7)
        self.splitter.addWidget(self.text)
        self.splitter.addWidget(self.blocks)
        self.splitter.setSizes([420, 300])
        self.splitter.setCollapsible(0, False)
        whole = column(head, line(), spacing=0)
        whole.addWidget(self.splitter, 1)
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

    def show_document(self, document: Document, length: int | None = None, *, with_role: bool = True) -> None:
        """Show ``document``; ``length`` is its full length if only its beginning is given.

        Without ``with_role`` nothing is said about its role, which is not known yet.
        """
        self.document = document
        self.title.setFont(fonts.font(15, fonts.SEMIBOLD, language=document.language))
        self.title.set_text(document.title or document.id)
        self._show_tags(document, len(document.text) if length is None else length, with_role=with_role)
        how = document.extraction
        parts = [document.id if document.title else "", document.url, document.site]
        parts.append(published_words(document.published, document.dated_by))
        parts += [how.format, f"{how.encoding} ({how.encoding_source})" if how.encoding_source else how.encoding]
        parts += [tr("file made on {date}", date=how.created)] if how.created else []
        self.facts.set_text(" · ".join(p for p in parts if p))
        self.repairs.setText(" ".join(how.repairs))
        self.repairs.setVisible(bool(how.repairs))
        self.hidden.setText(trn("{count} hidden character left out", "{count} hidden characters left out", how.hidden))
        self._hidden_row.setVisible(how.hidden > 0)
        self._show_hidden.setVisible(document.key > 0)
        self._show_signs(how.integrity)
        if len(document.text) <= _AT_ONCE:
            self._show_text(document, laid_out(document))
        else:
            show = partial(self._show_text, document)
            self._context.background(lambda _session: laid_out(document), show, owner=self)
        self._pages.setCurrentIndex(1)

    def _show_signs(self, flags: Sequence[IntegrityFlag]) -> None:
        """Show what is unusual in the text; each click leads to the next place of its kind."""
        clear(self._signs)
        for flag in flags:
            link = button(say(in_words(flag)), partial(self._next_place, cycle(flag.spans)), kind="link")
            link.setToolTip(tr("Show the next place"))
            self._signs.addWidget(link)

    def _next_place(self, places: Iterator[Span]) -> None:
        self._point(next(places))

    def show_hidden(self) -> None:
        """Open what browsers do not show of the page."""
        if self.document is not None:
            HiddenDialog(self._context, self, self.document).open()

    def _show_text(self, document: Document, layout: DocumentLayout) -> None:
        """Show the text with blocks that do not count in grey, and the list of blocks if there are any."""
        if document is not self.document:
            return
        same = document.key and document.text == self.text.lines.text
        place = self.text.reading_offset() if same else 0.0
        left_out = [(b.span.start, b.span.end) for b in document.blocks if b.verdict is BlockClass.NON_CONTENT]
        title = tr("Text of the document")
        self.text.set_document(layout, document.language, left_out, title)
        self.blocks.setVisible(bool(document.blocks))
        if document.blocks:
            self.blocks.show_document(document)
        first = next((b.span.start for b in document.blocks if b.verdict is BlockClass.CONTENT), 0)
        if same:
            self.text.show_place(place)
        elif first:
            # The text before it is navigation; the margin shows that there is something above.
            self.text.show_place(float(first), 0.1)
            self.blocks.scroll_to(first)

    def _point(self, span: Span) -> None:
        self.text.set_regions([span], named=False)
        self.text.reveal(span.start, span.end)

    def _show_tags(self, document: Document, length: int, *, with_role: bool) -> None:
        clear(self._tags)
        words = [*([role_word(document.role)] if with_role else []), language_word(document.language)]
        words.append(trn("{count} character", "{count} characters", length))
        if document.blocks:
            counted = sum(b.verdict is BlockClass.CONTENT for b in document.blocks)
            words.append(tr("{kept} of {total} blocks count", kept=f"{counted:,}", total=f"{len(document.blocks):,}"))
        for word in words:
            self._tags.addWidget(tag(word))
