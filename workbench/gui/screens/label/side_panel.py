"""Beside the text: guidelines, copied strings with their documents, earlier entries of the host, page and history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QSizePolicy, QTabWidget, QVBoxLayout, QWidget

from workbench.base.messages import reason
from workbench.base.types import Document, Label
from workbench.gui.document.pane import DocumentPane
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.figures import Swatch
from workbench.gui.kit.layouts import clear
from workbench.gui.kit.widgets import button, column, label, row
from workbench.gui.kit.words import local_time, of_other_text, published_words
from workbench.gui.problems import guarded
from workbench.gui.screens.label.entry_panel import rarity, rarity_words
from workbench.gui.screens.label.set_dialog import MarkdownView
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.services import queries
from workbench.services.detecting.searching import Elsewhere, SearchHit, find_elsewhere
from workbench.services.labels.entry_context import EntryContext
from workbench.services.labels.label_state import Board, Item, history

_LISTED = 100
"""Maximum number of rows in a list; the rest are counted."""
_QUOTED = 60
_ELSEWHERE, _EARLIER, _PAGE, _HISTORY = range(1, 5)
"""The indexes of the tabs."""


class SidePanel(QFrame):
    """Tabs beside the text. ``edit_asked`` requests editing the guidelines. ``string_chosen`` emits the number of a
    string.
    """

    edit_asked = Signal()
    versions_asked = Signal()
    string_chosen = Signal(int)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self._beside: EntryContext | None = None
        self._entry: Document | None = None
        self.guidelines = MarkdownView(tr("Guidelines"))
        self.edit = button(tr("Edit…"), self.edit_asked.emit)
        self.versions = button(tr("History"), self.versions_asked.emit, kind="link")
        self.strings = _List()
        self.answer = label("", 12, role="muted", wrap=True)
        self.earlier = _List()
        self.page = DocumentPane(context, tr("Select a document on the left to read it as it was captured."))
        # Narrower than its table's preferred width, so that the text keeps its width when this tab is shown.
        self.page.setMinimumWidth(1)
        self.captures = label("", 12, role="muted", wrap=True)
        self.captures.hide()
        self.history = _List()
        self.tabs = QTabWidget()
        self.tabs.setObjectName("narrow")
        self.tabs.tabBar().setFont(fonts.font(12))
        self.tabs.setDocumentMode(True)
        # Fusion's base line is drawn above tabs that a style sheet has without one.
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)
        guide = column(self.guidelines, row(self.edit, self.versions, None), margins=(10, 10, 10, 10))
        guide.setStretch(0, 1)
        page = column(self.captures, self.page, margins=(6, 8, 6, 6))
        page.setStretch(1, 1)
        parts = (
            (tr("Guidelines"), _page(guide)),
            (tr("Elsewhere"), self.strings),
            (tr("Host"), self.earlier),
            (tr("Page"), _page(page)),
            (tr("History"), self.history),
        )
        for title, part in parts:
            self.tabs.addTab(part, title)
        self._fillers: dict[int, Callable[[], object]] = {}
        self._filled: set[int] = set()
        self.tabs.currentChanged.connect(lambda _at: self._fill())
        self.setLayout(column(self.tabs, margins=(1, 1, 1, 1)))

    def show_guidelines(self, text: str) -> None:
        """Show the guidelines of the label set, or how to write some."""
        empty = tr("No guidelines yet. Describe when to use each value, with examples, so that annotators agree.")
        # In italics, the last letter of a line would overhang and show a scroll bar.
        self.guidelines.show_markdown(text or empty)

    def show_entry(self, board: Board, item: Item, documents: Sequence[Document], who: str, *, blind: bool) -> None:
        """Show the board's data on ``item``, with ``blind`` without others' labels."""
        if documents[0] != self._entry:
            self._entry, self._beside = documents[0], None
            self.strings.clear()
        self._filled.clear()
        self._fillers = {
            _EARLIER: partial(self._show_earlier, board, item, who, blind=blind),
            _PAGE: partial(self.page.show_document, documents[0]),
            _HISTORY: partial(self._show_history, board, item, who, blind=blind),
        }
        self._show_page_note("")
        self._fill()

    def _show_page_note(self, words: str) -> None:
        self.captures.setText(words)
        self.captures.setVisible(bool(words))

    def _fill(self) -> None:
        """Fill the visible tab, if not yet filled: the others can wait."""
        at = self.tabs.currentIndex()
        if at in self._fillers and at not in self._filled:
            self._filled.add(at)
            self._fillers[at]()

    def _show_history(self, board: Board, item: Item, who: str, *, blind: bool) -> None:
        self.history.clear()
        name, entry = board.label_set.name, self._entry

        def show(events: list[Label]) -> None:
            if self._entry is entry:
                self._list_events(board, [event for event in events if event.who == who or not blind], blind=blind)

        self._context.latest(self, "history", lambda session: history(session, item.target, name), show)

    def _list_events(self, board: Board, events: Sequence[Label], *, blind: bool) -> None:
        for event in events:
            value = event.value or (tr("withdrawn") if event.old else "")
            if event.value and board.is_of_other_text(event):
                value = of_other_text(value)
            self.history.add(label(f"{event.who}: {value}" if value else event.who, 13, wrap=True))
            self.history.add(label(f"{local_time(event.when)}  {event.note}".strip(), 12, role="muted", wrap=True))
        if blind:
            # Not how many: a blind annotator does not know whether others labelled it.
            self.history.add(label(tr("Labels of others are hidden."), 12, role="faint", wrap=True))
        elif not events:
            self.history.add(label(tr("Nobody has labelled this entry yet."), 12, role="muted", wrap=True))
        self.history.end()

    def _show_earlier(self, board: Board, item: Item, who: str, *, blind: bool) -> None:
        self.earlier.clear()
        earlier = board.earlier(item)
        if not item.host:
            words = tr("This entry has no URL, so other entries by this author cannot be found.")
        elif not earlier:
            words = tr("There is no earlier entry of {host} in this project.", host=item.host)
        else:
            words = trn(
                "{count} earlier entry of {host}", "{count} earlier entries of {host}", len(earlier), host=item.host
            )
        self.earlier.add(label(words, 12, role="muted", wrap=True))
        for other in earlier[:_LISTED]:
            votes = board.labels_of(other.target)
            values = [vote.value for name, vote in votes.items() if name == who or not blind]
            self.earlier.add(_Link(other.title, partial(self._read, other.a)))
            facts = " · ".join(part for part in (published_words(other.published, ""), *values) if part)
            if facts:
                self.earlier.add(label(facts, 12, role="faint", tabular=True))
        if len(earlier) > _LISTED:
            self.earlier.add(label(tr("and {count} earlier", count=len(earlier) - _LISTED), 12, role="faint"))
        self.earlier.end()

    def _read(self, key: int) -> None:
        self._context.latest(self, "page", queries.document(key), self._show_page)

    def _show_page(self, document: Document) -> None:
        self._filled.add(_PAGE)
        self.page.show_document(document)
        self._show_page_note(tr("This is a different document from the entry."))
        self.tabs.setCurrentIndex(_PAGE)

    def show_context(self, beside: EntryContext) -> None:
        """List the copied strings and the captures of the entry. A list that is already shown
        is kept, with its results."""
        self._show_page_note(
            "\n".join(
                tr("Captured {when} from {url} (status {status})", when=local_time(c.when), url=c.url, status=c.status)
                for c in beside.captures[-3:]
            )
        )
        if beside == self._beside:
            return
        self._beside = beside
        part = self.strings
        part.clear()
        if not beside.run:
            hint = tr("Run copied-strings in Detect: strings that other documents contain are highlighted here.")
            part.add(label(hint, 12, role="muted", wrap=True))
            part.end()
            return
        if not beside.strings:
            part.add(label(tr("No string of this entry occurs in another document."), 12, role="muted", wrap=True))
            part.end()
            return
        counts = {kind: len(list(some)) for kind, some in groupby(sorted(rarity(s.documents) for s in beside.strings))}
        for kind, words in enumerate(rarity_words()):
            sample = Swatch(self._context.theme.tokens, rarity=kind)
            strings = trn("{count} string {where}", "{count} strings {where}", counts.get(kind, 0), where=words)
            part.add(_boxed(row(sample, label(strings, 12, role="muted"), None)))
        part.add(self._answer_label())
        assert self._entry is not None
        for number, string in enumerate(beside.strings[:_LISTED]):
            quoted = " ".join(self._entry.text[string.span.start : string.span.end][:_QUOTED].split())
            words = trn("in {count} document", "in {count} documents", string.documents)
            part.add(_Link(quoted, partial(self.choose, number)))
            part.add(label(words, 12, role="faint", tabular=True))
        if len(beside.strings) > _LISTED:
            part.add(label(tr("and {count} more", count=len(beside.strings) - _LISTED), 12, role="faint"))
        part.end()

    def _answer_label(self) -> QWidget:
        self.answer = label("", 12, role="muted", wrap=True)
        self._holders = QVBoxLayout()
        self._holders.setSpacing(2)
        answer = QWidget()
        answer.setLayout(column(self.answer, self._holders, spacing=4))
        return answer

    def choose(self, number: int) -> None:
        """Search for the other documents that contain copied string ``number``."""
        strings = self._beside.strings if self._beside else ()
        if self._entry is None or number >= len(strings) or self._context.project is None:
            return
        span, entry = strings[number].span, self._entry
        self.tabs.setCurrentIndex(_ELSEWHERE)
        self.answer.setText(tr("Searching…"))
        clear(self._holders)
        passage = entry.text[span.start : span.end]

        def show(elsewhere: Elsewhere) -> None:
            if self._entry is entry:
                self._show_holders([place for place in elsewhere.places if place.times])

        self._context.aside(
            self, find_elsewhere, self._context.project, passage, entry.key, done=show, failed=self._refuse
        )

    def _refuse(self, error: Exception) -> None:
        self.answer.setText(say(reason(error)))

    def _show_holders(self, places: Sequence[SearchHit]) -> None:
        sentence = trn("{count} other document contains it:", "{count} other documents contain it:", len(places))
        self.answer.setText(sentence)
        clear(self._holders)
        for place in places[:_LISTED]:
            self._holders.addWidget(_Link(place.title or place.id, partial(self._show_holder, place)))
        if len(places) > _LISTED:
            self._holders.addWidget(label(tr("and {count} more", count=len(places) - _LISTED), 12, role="faint"))

    def _show_holder(self, place: SearchHit) -> None:
        def show(document: Document) -> None:
            self._show_page(document)
            self.page.text.set_regions([place.span], named=False)
            self.page.text.show_place(float(place.span.start))

        self._context.latest(self, "page", queries.document(place.key), show)


@guarded
class _Link(QPushButton):
    """A clickable line of text, elided if it does not fit."""

    def __init__(self, text: str, clicked: Callable[[], object]) -> None:
        super().__init__()
        self._whole = " ".join(text.split())
        self.setProperty("kind", "link")
        self.setStyleSheet("text-align: left; padding-left: 0; padding-right: 0;")
        self.setFont(fonts.font(13))
        self.setAccessibleName(self._whole)
        self.setToolTip(self._whole)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda _on=False: clicked())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = max(0, event.size().width() - 4)
        # An ampersand in the text is not a mnemonic.
        cut = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(cut.replace("&", "&&"))


class _List(QScrollArea):
    """A scrolled list of widgets."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        inside.setObjectName("page")
        self._layout = QVBoxLayout(inside)
        self._layout.setContentsMargins(14, 12, 12, 12)
        self._layout.setSpacing(5)
        self.setWidget(inside)

    def clear(self) -> None:
        """Remove everything."""
        clear(self._layout)

    def add(self, part: QWidget) -> None:
        """Add a widget."""
        self._layout.addWidget(part)

    def end(self) -> None:
        """Finish: align the widgets to the top."""
        self._layout.addStretch(1)


def _page(layout: QVBoxLayout) -> QWidget:
    page = QWidget()
    page.setObjectName("page")
    page.setLayout(layout)
    return page


def _boxed(layout: object) -> QWidget:
    boxed = QWidget()
    boxed.setLayout(layout)  # type: ignore[arg-type]
    return boxed
