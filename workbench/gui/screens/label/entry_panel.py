"""The current entry in large type, its possible values, and a note."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QSplitter, QStackedWidget, QWidget

from workbench.base.types import BlockClass, Document, Label
from workbench.gui.document.layout import DocumentLayout
from workbench.gui.document.marks import Marks
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.verdict_panel import NoteField, noting_line
from workbench.gui.kit.cues import shade
from workbench.gui.kit.layouts import FlowLayout, clear
from workbench.gui.kit.widgets import Elided, EmptyState, ThemeWatch, button, column, label, line, one_click, row, tag
from workbench.gui.kit.words import language_word, of_other_text, published_words
from workbench.gui.problems import guarded, painting
from workbench.gui.theme import fonts
from workbench.gui.theme.fonts import MEDIUM, SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.definitions import LabelSet, Value
from workbench.services.labels.entry_context import CopiedString
from workbench.services.labels.label_state import Item
from workbench.text.left_out import left_out

_LARGE, _SMALL = 40, 30
_LONGEST_NAME = 260


@guarded
class ValueButton(QAbstractButton):
    """A button for a value, with its colour, name and key; when chosen, it is framed and filled."""

    def __init__(self, theme: Theme, value: Value, *, large: bool) -> None:
        super().__init__()
        self._theme, self.value = theme, value
        self._height = _LARGE if large else _SMALL
        self._font = font(15 if large else 13, MEDIUM)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(value.name)
        self.setToolTip(value.name)
        if value.key:
            self.setAccessibleDescription(tr("Key {key}", key=value.key))
        one_click(self)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        name = min(_LONGEST_NAME, QFontMetrics(self._font).horizontalAdvance(self.value.name))
        return QSize(name + (66 if self.value.key else 42), self._height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, on = self._theme.tokens, self.isChecked()
        colour = tokens.source(self.value.colour)
        with painting(self) as painter:
            edge = tokens.accent if self.hasFocus() else colour if on else tokens.border2
            painter.setPen(QPen(QColor(edge), 2 if on or self.hasFocus() else 1))
            ground = QColor(tokens.hover if self.underMouse() else tokens.surface)
            painter.setBrush(ground)
            area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(area, 7, 7)
            if on:
                painter.setBrush(shade(colour, tokens.highlight_alpha))
                painter.drawRoundedRect(area, 7, 7)
            middle = self.height() / 2
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawEllipse(QRectF(13, middle - 5, 10, 10))
            painter.setFont(self._font)
            painter.setPen(QColor(tokens.text))
            room = self.width() - (66 if self.value.key else 42)
            cut = QFontMetrics(self._font).elidedText(self.value.name, Qt.TextElideMode.ElideRight, room + 2)
            painter.drawText(QRectF(31, 0, room + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, cut)
            if self.value.key:
                self._key(painter, QRectF(self.width() - 29, middle - 10, 20, 20))

    def _key(self, painter: QPainter, box: QRectF) -> None:
        tokens = self._theme.tokens
        painter.setPen(QColor(tokens.border2))
        painter.setBrush(QColor(tokens.sunken))
        painter.drawRoundedRect(box, 4, 4)
        painter.setFont(font(11, MEDIUM))
        painter.setPen(QColor(tokens.text2))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.value.key.upper())

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)


class ValueBar(QWidget):
    """The values that can be assigned; ``chosen`` emits the pressed one."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, *, large: bool = True) -> None:
        super().__init__()
        self._theme, self._large = theme, large
        self._layout = FlowLayout(self, 8)
        self.buttons: dict[str, ValueButton] = {}
        self._values: tuple[Value, ...] = ()

    def show_values(self, values: Sequence[Value], chosen: str) -> None:
        """Show ``values``, with the one named ``chosen`` selected."""
        if tuple(values) != self._values:
            self._values = tuple(values)
            for old in self.buttons.values():
                self._layout.removeWidget(old)
                old.hide()
                old.deleteLater()
            self.buttons = {}
            for value in values:
                value_button = ValueButton(self._theme, value, large=self._large)
                value_button.clicked.connect(lambda _on=False, value=value: self.chosen.emit(value))
                self._layout.addWidget(value_button)
                value_button.show()
                self.buttons[value.name] = value_button
            self.updateGeometry()
        for name, value_button in self.buttons.items():
            value_button.setChecked(name == chosen)


_LEAST, _LONGEST, _HEIGHT = 120, 240, 46


@guarded
class VoteCard(QWidget):
    """A card with the annotator's name and note above, and the coloured value below; the tooltip is the whole note."""

    def __init__(self, theme: Theme, vote: Label, label_set: LabelSet, *, of_other: bool = False) -> None:
        super().__init__()
        self._theme, self._words = theme, of_other_text(vote.value) if of_other else vote.value
        value = label_set.value(vote.value)
        self._colour = value.colour if value is not None else 1
        self._above = f"{vote.who} · {' '.join(vote.note.split())}" if vote.note else vote.who
        self.setAccessibleName(f"{vote.who}: {self._words}. {vote.note}".strip())
        self.setToolTip(f"{vote.who}: {self._words}\n{vote.note}".strip())
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        above = QFontMetrics(font(12)).horizontalAdvance(self._above) + 24
        below = QFontMetrics(font(14, SEMIBOLD)).horizontalAdvance(self._words) + 46
        return QSize(max(_LEAST, min(_LONGEST, max(above, below))), _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        with painting(self) as painter:
            painter.setPen(QPen(QColor(tokens.border), 1))
            painter.setBrush(QColor(tokens.sunken))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            room = self.width() - 22
            middle = Qt.AlignmentFlag.AlignVCenter
            for words, face, colour, left, top in (
                (self._above, font(12), tokens.text2, 11, 4),
                (self._words, font(14, SEMIBOLD), tokens.text, 28, 22),
            ):
                painter.setFont(face)
                painter.setPen(QColor(colour))
                cut = QFontMetrics(face).elidedText(words, Qt.TextElideMode.ElideRight, room - left + 11)
                painter.drawText(QRectF(left, top, room, 19), middle, cut)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.source(self._colour)))
            painter.drawEllipse(QRectF(12, 27, 10, 10))


TEXT_SIZE = 22
"""Initial text size of an entry, logical pixels."""
STEPS = (2, 9)
"""Maximum numbers of documents for rare strings, and for strings in some documents; above, a string is in many."""


def rarity(documents: int) -> int:
    """The rarity tier that tints a string: 0 in two documents, 1 in some, 2 in many."""
    return sum(documents > step for step in STEPS)


def rarity_words() -> tuple[str, str, str]:
    """The tints of copied strings in words."""
    rare, some = STEPS
    return (
        tr("in {count} documents", count=rare),
        tr("in {low} to {high} documents", low=rare + 1, high=some),
        tr("in more than {count} documents", count=some),
    )


def unread_state(theme: Theme, again: Callable[[], object], skip: Callable[[], object]) -> EmptyState:
    """Shown in place of an entry that could not be read; its buttons call ``again`` and ``skip``."""
    sentence = tr("It cannot be labelled without its text. Read it again, or skip it.")
    buttons = button(tr("Read it again"), again, kind="primary"), button(tr("Skip the entry"), skip)
    return EmptyState(theme, "warning", tr("This entry could not be read"), sentence, *buttons)


class EntryPanel(QFrame):
    """Shows an entry; ``string_chosen`` emits the number of the clicked copied string."""

    string_chosen = Signal(int)
    zoomed = Signal(int)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.shown: tuple[Item, str] | None = None
        """The shown entry, and the text of its score."""
        self.title = Elided("", 15, weight=fonts.SEMIBOLD)
        self.place = label("", 12, role="faint", tabular=True)
        self._tags = row(spacing=6)
        self.facts = Elided("", 12, role="faint")
        self.texts = tuple(self._text() for _ in range(2))
        self.values = ValueBar(context.theme)
        self.second_words = label("", 12, role="muted")
        self.seconds = ValueBar(context.theme, large=False)
        self._votes_box = QWidget()
        self.votes = FlowLayout(self._votes_box, 8)
        self.duplicates = label("", 12, role="warn", wrap=True)
        self.of_other_text = label("", 12, role="warn", wrap=True)
        self.note = NoteField()
        self.note.setPlaceholderText(tr("Note on this entry"))
        self.note.setFixedHeight(36)
        self._pages = QStackedWidget()
        self._page = QWidget()
        self._build()
        self._pages.addWidget(self._page)
        self.setLayout(column(self._pages, margins=(1, 1, 1, 1)))
        self._watch = ThemeWatch(self, context.theme, self._tint)

    def _text(self) -> DocumentView:
        pane = DocumentView(self._context.theme.tokens)
        pane.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        pane.set_size(TEXT_SIZE)
        pane.mark_clicked.connect(self.string_chosen)
        pane.zoomed.connect(self._zoom)
        return pane

    def _build(self) -> None:
        head = row(self.title, self.place, spacing=10)
        head.setStretch(0, 1)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(7)
        self.split.setChildrenCollapsible(False)
        for text in self.texts:
            self.split.addWidget(text)
        whole = column(column(head, self._tags, self.facts, margins=(18, 12, 18, 10), spacing=6), line(), spacing=0)
        whole.addWidget(self.split, 1)
        whole.addWidget(line())
        below = column(
            self._votes_box,
            self.duplicates,
            self.of_other_text,
            self.values,
            self.second_words,
            self.seconds,
            noting_line(self.note),
            self.note,
            margins=(16, 12, 16, 12),
            spacing=8,
        )
        whole.addLayout(below)
        self._page.setLayout(whole)
        self.duplicates.hide()
        self.of_other_text.hide()

    def _tint(self) -> None:
        for text in self.texts:
            text.set_tokens(self._context.theme.tokens)

    def _zoom(self, size: int) -> None:
        for text in self.texts:
            text.set_size(size)
        self.zoomed.emit(size)

    def show_state(self, state: EmptyState) -> None:
        """Show why there is no entry, and what to do next."""
        self.shown = None
        while (old := self._pages.widget(1)) is not None:
            self._pages.removeWidget(old)
            old.deleteLater()
        self._pages.addWidget(state)
        self._pages.setCurrentIndex(1)

    def show_place(self, words: str) -> None:
        """Show the place of the entry in the queue."""
        self.place.setText(words)

    def show_entry(self, item: Item, documents: Sequence[Document], score: str) -> None:
        """Show ``item`` with its texts; ``score`` is its score in a run, "" if it is hidden."""
        self.shown = item, score
        first = documents[0]
        self.title.setFont(fonts.font(15, fonts.SEMIBOLD, language=first.language))
        self.title.set_text(item.title)
        clear(self._tags)
        words = [language_word(first.language)]
        words += [trn("{count} character", "{count} characters", len(d.text)) for d in documents]
        words += [score] if score else []
        for word in words:
            self._tags.addWidget(tag(word))
        self._tags.addStretch(1)
        dated = published_words(first.published, first.dated_by)
        parts = [first.id if first.title else "", first.url, first.site, dated] if len(documents) == 1 else []
        self.facts.set_text(" · ".join(part for part in parts if part))
        self.facts.setVisible(bool(self.facts.text_whole()))
        self.texts[1].setVisible(len(documents) > 1)
        spans = (item.span, item.b_span)
        for text, document, span in zip(self.texts, documents, spans, strict=False):
            ignored = left_out(document)
            text.set_document(DocumentLayout(document.text), document.language, ignored, tr("Text of the entry"))
            if span is not None:
                text.set_regions([span], named=False)
        # Showing or hiding a text changes the width of the other, so positions are known only afterwards.
        QTimer.singleShot(0, self, partial(self._go_to_places, item, documents))
        self._pages.setCurrentIndex(0)

    def _go_to_places(self, item: Item, documents: Sequence[Document]) -> None:
        """Scroll to the passage, or to the beginning of a page's content."""
        if self.shown is None or self.shown[0] is not item:
            return
        for text, document, span in zip(self.texts, documents, (item.span, item.b_span), strict=False):
            if span is not None:
                text.reveal(*span)
            elif document.blocks:
                first = next((b.span.start for b in document.blocks if b.verdict is BlockClass.CONTENT), 0)
                text.show_place(float(first), 0.1)

    def show_choice(self, label_set: LabelSet, value: str, follow: LabelSet | None, second: str) -> None:
        """Show the values, and the choice."""
        chosen = label_set.value(value)
        retired = (chosen,) if chosen is not None and chosen.retired else ()
        self.values.show_values((*label_set.active, *retired), value)
        for part in (self.second_words, self.seconds):
            part.setVisible(follow is not None)
        if follow is not None:
            self.second_words.setText(tr("{value}: which {set}?", value=value, set=follow.name))
            self.seconds.show_values(follow.active, second)

    def show_of_other_text(self, value: str) -> None:
        """Show that the label ``value`` was given for another text, and how to confirm it; hidden if it is empty."""
        self.of_other_text.setVisible(bool(value))
        self.of_other_text.setText(
            tr(
                "{value} was given for another text of this document: Ctrl+Enter confirms it for this one.",
                value=value,
            )
        )

    def show_votes(self, votes: Sequence[Label], label_set: LabelSet, of_others: Collection[str] = ()) -> None:
        """Show the annotators' labels for the entry side by side; hidden if empty. Those of ``of_others`` (names) were
        given for another text.
        """
        clear(self.votes)
        self._votes_box.setVisible(bool(votes))
        for vote in votes:
            self.votes.addWidget(VoteCard(self._context.theme, vote, label_set, of_other=vote.who in of_others))

    def show_duplicates(self, count: int, *, before: bool) -> None:
        """Show how many unlabelled entries have exactly the text of this entry or (``before``) the previous one."""
        self.duplicates.setVisible(count > 0)
        if before:
            sentence = trn(
                "{count} entry has exactly the same text as the previous one: Ctrl+D also labels it.",
                "{count} entries have exactly the same text as the previous one: Ctrl+D also labels them.",
                count,
            )
        else:
            sentence = trn(
                "{count} other entry has exactly this text: Ctrl+D also labels it.",
                "{count} other entries have exactly this text: Ctrl+D also labels them.",
                count,
            )
        self.duplicates.setText(sentence)

    def show_strings(self, strings: Sequence[CopiedString]) -> None:
        """Tint the copied strings by how many documents contain them."""
        start = np.array([s.span.start for s in strings], np.int64)
        end = np.array([s.span.end for s in strings], np.int64)
        kind = np.array([rarity(s.documents) for s in strings], np.int8)
        self.texts[0].set_marks(Marks.of(start, end, kind) if strings else Marks.empty())
