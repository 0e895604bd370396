"""One document to read: its title, origin, encoding and text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QPlainTextEdit, QSplitter, QStackedWidget, QWidget
from shiboken6 import isValid

from workbench.base.types import Block, BlockClass, Document, IntegrityFlag, Span
from workbench.gui.document.layout import DocumentLayout, laid_out
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import VALUE_ROLE, Column, ColumnsModel, Values
from workbench.gui.kit.layouts import FlowLayout, clear
from workbench.gui.kit.tables import Table, TagDelegate
from workbench.gui.kit.widgets import Elided, EmptyState, ThemeWatch, button, column, heading, label, line, row, tag
from workbench.gui.kit.words import language_word, published_words, role_word
from workbench.gui.problems import guarded
from workbench.gui.theme import fonts
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.pages import decisions as blocks
from workbench.services.pages.hidden import stored_hidden_text
from workbench.services.records import DECIDED, Override
from workbench.services.session import Session
from workbench.text.disguises import in_words
from workbench.text.left_out import left_out

_BEGINNING = 80
"""Number of characters of a block shown in its row."""


def class_word(verdict: str) -> str:
    """Whether a block counts, in the interface language."""
    return tr("Content") if verdict == BlockClass.CONTENT else tr("Left out")


class PageBlocks(QFrame):
    """A table of the blocks of one document. ``pointed`` emits the span of the block that the user moved to."""

    pointed = Signal(object)

    def __init__(self, context: AppContext, reload: Callable[[int], object] | None) -> None:
        """``reload`` shows the document with a key again; without it the classes are read-only."""
        super().__init__()
        self._context = context
        self._reload = reload
        self._document: Document | None = None
        self._following = False
        columns = [
            Column("verdict", tr("Class"), class_word, width=86),
            Column("text", tr("Text")),
            Column("rule", tr("Rule"), say),
        ]
        self.model = ColumnsModel(columns, "block", self)
        self.table = Table(self.model, tr("Blocks of the page"))
        tokens = {BlockClass.CONTENT.value: "ok", BlockClass.NON_CONTENT.value: "text3"}
        self.table.setItemDelegateForColumn(
            0, TagDelegate(context.theme, lambda index: tokens[index.data(VALUE_ROLE)], self.table)
        )
        self.table.selected.connect(self._moved)
        self._count = label("", 12, role="faint", tabular=True)
        self.reason = label("", 12, role="muted", wrap=True)
        self.reason.setContentsMargins(14, 6, 14, 8)
        run = context.actions.run
        self._overturn = button(tr("Override"), lambda: run("documents.overturn-block"))
        self._leave = button(tr("Let the rule decide"), lambda: run("documents.leave-block"))
        head = row(heading(tr("Blocks"), 13), self._count, None, self._leave, self._overturn, margins=(14, 8, 12, 8))
        if reload is None:
            self._leave.hide()
            self._overturn.hide()
        self._moved()
        layout = column(head, spacing=0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.reason)
        self.setLayout(layout)
        if reload is not None:
            self.table.opened.connect(lambda _key: self.toggle_content())
            context.actions.add(*self._actions())

    def _actions(self) -> list[Action]:
        def chosen() -> bool:
            return self._document is not None and self.table.any_chosen() and self.isVisible()

        return [
            Action(
                "documents.overturn-block",
                tr("Override the class of the selected blocks"),
                self.toggle_content,
                "Ctrl+B",
                view="documents",
                icon="swap",
                enabled=chosen,
                needs=tr("First select a document that was read from a page, then some of its blocks."),
            ),
            Action(
                "documents.leave-block",
                tr("Let the rule decide on the selected blocks"),
                self.leave,
                "Ctrl+Shift+B",
                view="documents",
                icon="reset",
                enabled=chosen,
                needs=tr("First select a document that was read from a page, then some of its blocks."),
            ),
        ]

    def show_document(self, document: Document) -> None:
        """List the blocks of ``document``; if it is the same document, the selection is kept."""
        keep = self.table.chosen_keys() if self._document is not None and self._document.key == document.key else []
        self._document = document
        blocks = document.blocks
        values: dict[str, Values] = {
            "block": np.arange(len(blocks)),
            "verdict": [b.verdict.value for b in blocks],
            "rule": [b.rule for b in blocks],
            "text": [
                document.text[b.span.start : min(b.span.end, b.span.start + _BEGINNING)].replace("\n", " ")
                for b in blocks
            ],
        }
        self.model.set_values(values)
        counted = sum(b.verdict is BlockClass.CONTENT for b in blocks)
        self._count.setText(tr("{kept} of {total} count", kept=f"{counted:,}", total=f"{len(blocks):,}"))
        self.table.select_keys(keep)

    def follow(self, offset: int) -> None:
        """Select the block at ``offset`` of the text."""
        if self._document is None or self._following:
            return
        for number, block in enumerate(self._document.blocks):
            if block.span.start <= offset <= block.span.end:
                self._following = True
                self.table.select_keys([number])
                self._following = False
                return

    def scroll_to(self, offset: int) -> None:
        """Scroll the row of the block that begins at ``offset`` to the top, without selecting it."""
        starts = [] if self._document is None else [block.span.start for block in self._document.blocks]
        row = self.model.row_of(starts.index(offset)) if offset in starts else -1
        if row >= 0:
            self.table.updateGeometries()  # For rows that were just added
            self.table.scrollTo(self.model.index(row, 0), Table.ScrollHint.PositionAtTop)

    def toggle_content(self) -> None:
        """Make the selected blocks count if the first of them does not, and vice versa."""
        spans = self._spans()
        if self._document is None or not spans:
            return
        first = next(b for b in self._document.blocks if b.span == spans[0])
        self._decide(spans, BlockClass.NON_CONTENT if first.verdict is BlockClass.CONTENT else BlockClass.CONTENT)

    def leave(self) -> None:
        """Withdraw the user's decisions on the selected blocks."""
        self._decide(self._spans(), None)

    def _chosen(self) -> list[Block]:
        if self._document is None:
            return []
        return [self._document.blocks[number] for number in self.table.chosen_keys()]

    def _spans(self) -> list[Span]:
        return [block.span for block in self._chosen()]

    def _decide(self, spans: Sequence[Span], verdict: BlockClass | None) -> None:
        document = self._document
        if self._context.session is None or document is None or not spans:
            return
        key, who = document.key, self._context.settings.reviewer
        before: list[tuple[Override, ...]] = []

        def decide(session: Session) -> None:
            before.append(blocks.decide(session, key, spans, verdict, who))

        def put_back(session: Session) -> None:
            # If it failed after waiting for another program, nothing was decided.
            if before:
                blocks.put_back(session, before[-1])
                before.pop()

        def show_again() -> None:
            if self._reload is not None and isValid(self):
                self._reload(key)

        title = trn("Decide on {count} block", "Decide on {count} blocks", len(spans))
        self._context.perform(title, decide, put_back, {"documents"}, then=show_again)

    def _moved(self) -> None:
        self._context.actions.refresh()
        chosen = self._chosen()
        spans = [block.span for block in chosen]
        self._overturn.setEnabled(bool(spans))
        self._leave.setEnabled(any(block.rule.startswith(DECIDED) for block in chosen))
        # The text that does not fit the column; if several rows are selected, of the first.
        self.reason.setText(f"{class_word(chosen[0].verdict)}: {say(chosen[0].rule)}" if chosen else "")
        self.reason.setVisible(bool(chosen))
        if spans and not self._following:
            self.pointed.emit(spans[0])


_MOST = 100_000
"""Maximum number of characters shown, so that laying them out causes no delay."""


@guarded
class HiddenDialog(QDialog):
    """Shows the text of the page ``document`` that browsers hide."""

    def __init__(self, context: AppContext, parent: QWidget, document: Document) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Hidden text"))
        self.finished.connect(self.deleteLater)
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
"""Maximum number of characters laid out at once; longer texts are laid out in a thread."""


class DocumentPane(QFrame):
    """Shows a document read-only; its text is never interpreted as markup."""

    def __init__(self, context: AppContext, hint: str, reload: Callable[[int], object] | None = None) -> None:
        """``hint`` explains how to show a document here; ``reload`` shows the document with a key again; with it, the
        user can decide on blocks.
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

        Without ``with_role``, the role is not yet known and not shown.
        """
        self.document = document
        self.title.setFont(fonts.font(15, fonts.SEMIBOLD, language=document.language))
        self.title.set_text(document.title or document.id)
        self._show_tags(document, len(document.text) if length is None else length, with_role=with_role)
        how = document.extraction
        parts = [document.id if document.title else "", document.url, document.site]
        parts.append(published_words(document.published, document.dated_by))
        parts += [how.format, f"{how.encoding} ({how.encoding_source})" if how.encoding_source else how.encoding]
        parts += [say(read)] if (read := how.recognition) else []
        parts += [tr("file created on {date}", date=how.created)] if how.created else []
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
        """List the unusual characters of the text; each click goes to the next one of that kind."""
        clear(self._signs)
        for flag in flags:
            link = button(say(in_words(flag)), partial(self._next_place, cycle(flag.spans)), kind="link")
            link.setToolTip(tr("Show the next one"))
            # The beginning of a document may contain none of them.
            link.setEnabled(bool(flag.spans))
            self._signs.addWidget(link)

    def _next_place(self, places: Iterator[Span]) -> None:
        self._point(next(places))

    def show_hidden(self) -> None:
        """Show the text of the page that browsers hide."""
        if self.document is not None:
            HiddenDialog(self._context, self, self.document).open()

    def _show_text(self, document: Document, layout: DocumentLayout) -> None:
        """Show the text with blocks that do not count in grey, and the list of blocks if there are any."""
        if document is not self.document:
            return
        same = document.key and document.text == self.text.lines.text
        place = self.text.reading_offset() if same else 0.0
        title = tr("Text of the document")
        self.text.set_document(layout, document.language, left_out(document), title)
        self.blocks.setVisible(bool(document.blocks))
        if document.blocks:
            self.blocks.show_document(document)
        first = next((b.span.start for b in document.blocks if b.verdict is BlockClass.CONTENT), 0)
        if same:
            self.text.show_place(place)
        elif first:
            # The text before it is navigation; the margin indicates that there is text above.
            self.text.show_place(float(first), 0.1)
            self.blocks.scroll_to(first)

    def _point(self, span: Span) -> None:
        self.text.set_regions([span], named=False)
        self.text.reveal(span.start, span.end)

    def _show_tags(self, document: Document, length: int, *, with_role: bool) -> None:
        clear(self._tags)
        words = [*([role_word(document.role)] if with_role else []), language_word(document.language)]
        words.append(trn("{count} character", "{count} characters", length))
        if document.blocks and length == len(document.text):
            counted = sum(b.verdict is BlockClass.CONTENT for b in document.blocks)
            words.append(tr("{kept} of {total} blocks count", kept=f"{counted:,}", total=f"{len(document.blocks):,}"))
        for word in words:
            self._tags.addWidget(tag(word))
