"""The two panes of Review: as text, or as the document's own pages or a generated page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QInputDialog, QLabel

from workbench.base.errors import UserError
from workbench.base.types import Document
from workbench.gui.document.page_layout import PageFeed, PageLayout
from workbench.gui.document.page_overview import PageOverview
from workbench.gui.document.rich_layout import RichLayout
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import tr
from workbench.gui.kit.tasks import TaskRunner
from workbench.gui.kit.widgets import ThemeWatch
from workbench.gui.problems import guarded
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.theme.tokens import Tokens
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.pages.making import MakePages, can_have_pages
from workbench.services.pages.pictures import PagePictures, page_pictures
from workbench.services.session import Session


@guarded
class PagePane(QObject):
    """One side: its document's pages, read when a pair is opened, and whether they are to be shown instead of the text.

    A document without pages but with blocks gets a generated page. ``changed`` is emitted when it switches to pages or
    back.
    """

    changed = Signal()

    def __init__(self, context: AppContext, pair: PairPanel, side: int) -> None:
        super().__init__(pair)
        self._context, self._pair, self._side = context, pair, side
        self.view: DocumentView = (pair.left, pair.right)[side]
        self.wanted = False
        self._document: Document | None = None
        self._feed: PageFeed | None = None
        self.pages: PageLayout | None = None
        """The pages of the open document; None if there are none, and until they are read."""
        self.rich: RichLayout | None = None
        """The open document as a generated page; None if it is printed or plain text, and until it is laid out."""
        self.reading = False
        """Whether the layouts that can replace the text are still being read."""
        self.button = pair.page_buttons[side]
        self.button.clicked.connect(self.set_wanted)
        context.project_changed.connect(self._leave)

    @property
    def document(self) -> Document | None:
        """The document that the pane shows."""
        opened = self._pair.opened
        return None if opened is None else (opened.a, opened.b)[self._side]

    def follow(self) -> None:
        """Read the pages of the shown document, unless already read."""
        document = self.document
        before = self._document
        same = document is not None and before is not None and document.key == before.key
        if not same or (document is not None and before is not None and document.text != before.text):
            self.close()
            self._document = document
            self.reading = document is not None and bool(document.extraction.pages or document.blocks)
            if document is not None:
                read, show = partial(_pages_of, document=document), partial(self._show_read, document)
                self._context.latest(self, "pages", read, show, self._not_read)
        self._show()

    def read_again(self) -> None:
        """Show the pages that were made for the document meanwhile."""
        self.close()
        self.wanted = True
        self.follow()

    def close(self) -> None:
        """Stop showing pages."""
        if self._feed is not None:
            self._feed.close()
        self._feed = self.pages = self.rich = self._document = None
        self.reading = False

    def _leave(self) -> None:
        """Drop the pages of a closed project."""
        self.close()
        self.button.hide()

    def set_wanted(self, on: bool) -> None:
        """Show pages if there are any, or always the text."""
        self.wanted = on
        self._show()
        self._context.actions.refresh()

    def go_to(self, page: int) -> None:
        """Bring ``page`` (from 0) into view."""
        if self.pages is not None:
            self.view.show_place(float(self.pages.starts[page]), 0.25)

    def say(self, sentence: str) -> None:
        """Show a message to the user."""
        self._context.say(sentence, "warn")

    def _not_read(self, error: Exception) -> None:
        self.reading = False
        self._context.show_error(error)
        self._context.actions.refresh()

    def _show_read(self, document: Document, pages: PagePictures | RichLayout | None) -> None:
        if document is not self._document:
            return
        if isinstance(pages, PagePictures):
            self._feed = PageFeed(pages)
            self._feed.opened.connect(partial(self._show_pages, pages.document, self._feed))
        else:
            self.rich, self.reading = pages, False
            self._show()
            self._context.actions.refresh()

    def _show_pages(self, document: Document, feed: PageFeed) -> None:
        if feed is self._feed:
            self.pages, self.reading = PageLayout(document, feed), False
            feed.arrived.connect(self._arrived)
            self._show()
            self._context.actions.refresh()

    def _arrived(self, _page: int) -> None:
        if self.view.lines is self.pages:
            self.view.show_arrived()

    @property
    def layout(self) -> PageLayout | RichLayout | None:
        """The layout that can replace the text, preferably of printed pages; None if there is none."""
        return self.pages or self.rich

    def shows_pages(self) -> bool:
        """Whether the pane currently shows printed pages."""
        return self.pages is not None and self.view.lines is self.pages

    def _show(self) -> None:
        self.button.setVisible(self.layout is not None)
        self.button.setToolTip(
            tr("Show the pages as they were printed, or their text")
            if self.rich is None
            else tr("Show headings, lists, tables and emphasis, or the text alone")
        )
        self.button.setChecked(self.wanted)
        opened = self._pair.opened
        if opened is None:
            return
        text = (opened.a_lines, opened.b_lines)[self._side]
        lines = self.layout if self.wanted and self.layout is not None else text
        if self.view.lines is not lines:
            self._pair.sync.set_paused(True)
            self.view.show_lines(lines)
            if (limits := self._pair.active_limits()) is not None:
                self.view.show_place(float(limits[2 * self._side]), 0.3)
            self._pair.sync.set_paused(False)
        self.changed.emit()


def _pages_of(session: Session, document: Document) -> PagePictures | RichLayout | None:
    """The printed or made pages of a document, else a generated page."""
    if (printed := page_pictures(session, document)) is not None:
        return printed
    return RichLayout(document) if document.blocks and not document.extraction.pages else None


class PagePanes:
    """The panes of both sides."""

    def __init__(self, context: AppContext, pair: PairPanel) -> None:
        self._context, self._pair = context, pair
        self._making = TaskRunner(context, pair, MakePages, self._follow_making)
        self.panes = (PagePane(context, pair, 0), PagePane(context, pair, 1))
        self.overview = PageOverview(context.theme.tokens)
        self._overview_wanted = False
        self._made_for = 0
        """Key of the last document for which pages were made."""
        for pane in self.panes:
            pane.changed.connect(self._show_overview)
            pane.view.taken.connect(self._show_overview)
        self._making.inherit()
        self.overview.chosen.connect(lambda page: self.current().go_to(page))
        ThemeWatch(self.overview, context.theme, lambda: self._colour(context.theme.tokens))

    def follow(self, _opened: PairData) -> None:
        """Show the pages of the open pair."""
        for pane in self.panes:
            pane.follow()

    def current(self) -> PagePane:
        """The focused side, or the other side if only that has pages."""
        own = next(pane for pane in self.panes if pane.view is self._pair.current_pane())
        other = next(pane for pane in self.panes if pane is not own)
        return other if own.pages is None and other.pages is not None else own

    def swaps(self) -> PagePane:
        """The side that switches between text and pages: the focused side, or the other side if only that can."""
        own = next(pane for pane in self.panes if pane.view is self._pair.current_pane())
        other = next(pane for pane in self.panes if pane is not own)
        return other if own.layout is None and not own.reading and other.layout is not None else own

    def can_swap(self) -> bool:
        """Whether either side can be shown as pages."""
        return any(pane.layout is not None for pane in self.panes)

    def have_pages(self) -> bool:
        """Whether a side has printed pages."""
        return any(pane.pages is not None for pane in self.panes)

    def missing(self) -> str:
        """Why the focused side has no printed pages."""
        document = self.current().document
        if document is None:
            return ""
        if any(pane.reading for pane in self.panes):
            return tr("The pages are still being read; try again in a moment.")
        if document.extraction.pages:
            return tr("The file of this document is not kept in the project: import it again to see its pages.")
        if document.blocks:
            return tr("This document has no printed pages; it is shown with its headings, lists and tables instead.")
        return tr("This document is plain text, without pages.")

    def _makes(self) -> PagePane | None:
        """The side with a document for which pages can be made, preferably the focused one; None if neither has one."""
        sides = sorted(self.panes, key=lambda pane: pane.view is not self._pair.current_pane())
        without = (pane for pane in sides if pane.pages is None and pane.document is not None)
        return next((pane for pane in without if pane.document and can_have_pages(pane.document)), None)

    def can_make(self) -> bool:
        """Whether pages can be made for a document of either side."""
        return self._makes() is not None

    def make(self) -> None:
        """Have LibreOffice make pages for a document, and show them."""
        pane = self._makes()
        if pane is None or pane.document is None:
            return
        try:
            MakePages.require()
        except UserError as error:
            self._context.show_error(error)
            return
        name, self._made_for = pane.document.id, pane.document.key
        self._making.submit(tr("Make pages: {name}", name=name), MakePages(documents=(name,)).run)

    def _follow_making(self, job: JobRecord | None) -> None:
        """Show the pages that were made, whichever side has the focus or another pair is open now."""
        if job is not None:
            return
        for pane in self.panes:
            if pane.pages is None and pane.document is not None and pane.document.key == self._made_for:
                pane.read_again()

    def swap(self) -> None:
        """Switch between pages and text."""
        pane = self.swaps()
        pane.set_wanted(not pane.wanted)

    def swap_overview(self) -> None:
        """Show or hide thumbnails of all pages beside the panes."""
        self._overview_wanted = not self._overview_wanted
        if self._overview_wanted and not self.current().shows_pages():
            self.current().set_wanted(True)
        self._show_overview()

    def _show_overview(self) -> None:
        pane = self.current()
        shown = self._overview_wanted and pane.shows_pages()
        self.overview.follow(pane.view if shown else None, pane.pages if shown else None)
        if shown or self.overview.parent() is not None:
            self._pair.show_beside(self.overview, shown, width=self.overview.sizeHint().width())

    def _colour(self, tokens: Tokens) -> None:
        self.overview.tokens = tokens
        self.overview.viewport().update()

    def ask_page(self) -> None:
        """Ask for a page, by its printed number or its position in the file, and go there."""
        pane = self.current()
        if pane.pages is None:
            return
        labels = pane.pages.labels
        dialog = QInputDialog(pane.view)
        dialog.setWindowTitle(tr("Go to page"))
        dialog.setLabelText(tr("Page, {first} to {last}:", first=labels[0], last=labels[-1]))
        for question in dialog.findChildren(QLabel):
            question.setTextFormat(Qt.TextFormat.PlainText)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(partial(self._go_to, pane, labels))
        dialog.open()

    @staticmethod
    def _go_to(pane: PagePane, labels: Sequence[str], words: str) -> None:
        page = page_named(labels, words)
        if page is None:
            pane.say(tr("There is no page {number}.", number=words))
        else:
            pane.go_to(page)

    def save_state(self) -> list[bool]:
        """Whether each side shows pages if it has some."""
        return [pane.wanted for pane in self.panes]

    def restore_state(self, wanted: Sequence[bool]) -> None:
        """Restore the state that :meth:`save_state` returned."""
        for pane, on in zip(self.panes, wanted, strict=True):
            pane.set_wanted(on)


def page_named(labels: Sequence[str], words: str) -> int | None:
    """The page (from 0) with this printed number, else the one at that position in the file; None if there is none."""
    words = words.strip().casefold()
    for at, label in enumerate(labels):
        if label.casefold() == words:
            return at
    return int(words) - 1 if words.isdecimal() and 1 <= int(words) <= len(labels) else None
