"""The content and geometry of a document view: text, marks, caret, selection, scrolling."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QGuiApplication,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from workbench.base.locators import Places
from workbench.base.types import Span
from workbench.gui.document.layout import DocumentLayout
from workbench.gui.document.marks import Marks, Shown, StretchCache, within
from workbench.gui.document.notes import Note, inside
from workbench.gui.document.page_layout import PageLayout
from workbench.gui.i18n import say, tr
from workbench.gui.kit.code_points import Utf16Map, replaced_positions
from workbench.gui.kit.cues import difference_words
from workbench.gui.problems import guarded
from workbench.gui.theme.fonts import text_font
from workbench.gui.theme.tokens import LIGHT, Tokens

SMALLEST, LARGEST, USUAL = 10, 32, 15
FOCUS_SHARE = 0.35
"""Position of the reading line as a share of the pane's height: the text there is kept aligned. Near the ends of a text
it moves to the pane's edge, so that every line of the text can reach it.
"""


_LEAST = 0.01
"""Offsets within a hundredth of a character of an end of a text count as that end."""
Layout = DocumentLayout | PageLayout


class CaretReader(Protocol):
    """Tells screen readers about the caret."""

    def notify_caret_moved(self) -> None:
        """Notify them that the caret moved."""


_DIGIT = 7
"""Width of a digit of a number in the gutter, which has room for two beside the sign of a note."""


@guarded
class DocumentSurface(QAbstractScrollArea):
    """A text with marks, laid out and scrolled. All offsets are code points of the document's text."""

    moved = Signal()
    """The visible part, or its position, changed."""
    mark_clicked = Signal(int)
    """The number of the clicked mark (of the open source)."""
    source_clicked = Signal(int)
    other_clicked = Signal(int)
    """The number of another source whose passage was clicked."""
    note_clicked = Signal(int, int)
    """Start and end of a clicked stretch without a mark that other documents also contain."""
    selection_changed = Signal()
    menu_requested = Signal(QPoint)
    zoomed = Signal(int)
    taken = Signal()
    """The pane got the keyboard focus."""

    gutter, margin = 46, 16

    def __init__(self, tokens: Tokens = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tokens = tokens
        self.size_px = USUAL
        self.language = "und"
        self.source = 0
        """Number of the source of marks with source 0; 0: marks have no sources, their kind is a rarity."""
        self.lines: Layout = DocumentLayout("")
        self.marks = Marks.empty()
        self.active = -1
        self.together: frozenset[int] = frozenset()
        """Numbers of the marks that are parts of the active passage."""
        self.differences: Shown = ()
        self.in_words = False
        self.search_hits: tuple[NDArray[np.int64], NDArray[np.int64]] = (np.zeros(0, np.int64), np.zeros(0, np.int64))
        self.current_hit = -1
        self.caret = 0
        self.anchor = 0
        self.show_ignored = True
        self.regions: Sequence[tuple[int, int]] = ()
        self.regions_named = True
        self.notes: dict[str, Sequence[Note]] = {}
        """Remarks by the name of their layer; each layer's are in order, without overlaps."""
        self._readings: NDArray[np.uint8] | None = None
        self.accessible: CaretReader | None = None
        self._pending: tuple[float, float | None] | None = None
        """A place to be shown once its position on the page is known."""
        self.places: Places | None = None
        """Citable places in the document."""
        self._ignored: Sequence[tuple[int, int]] = ()
        self.stretches: StretchCache = {}
        self._settling = self._resizing = False
        self._pressed: QPoint | None = None
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setMouseTracking(True)
        self.setMinimumWidth(180)
        self._measure()

    # -- content

    def set_document(
        self,
        lines: Layout,
        language: str,
        ignored: Sequence[tuple[int, int]] = (),
        title: str = "",
    ) -> None:
        """Show ``lines`` (built for one text, in another thread if long) in the typeface of ``language``.

        ``ignored`` are spans shown grey: blocks that do not count as content.
        """
        self.lines, self.language, self._ignored = lines, language, tuple(ignored)
        lines.formats = self._formats
        self.marks, self.active, self.differences, self.caret, self.anchor = Marks.empty(), -1, (), 0, 0
        self.together = frozenset()
        self.search_hits, self.current_hit = (np.zeros(0, np.int64), np.zeros(0, np.int64)), -1
        self.regions, self.notes, self._readings = (), {}, None
        self.places = None
        self.setAccessibleName(title or tr("Document"))
        self._measure()
        self.verticalScrollBar().setValue(0)
        self._settle()

    def show_lines(self, lines: Layout) -> None:
        """Show the same text with another layout: its pages instead of its words, or vice versa."""
        place = self.reading_offset()
        self.lines = lines
        lines.formats = self._formats
        self._measure()
        self.show_place(place)
        self._settle()

    def show_arrived(self) -> None:
        """Redraw a page with newly arrived data, and correct the position of a requested place."""
        self.stretches.clear()
        pending = self._pending
        if pending is not None and self.lines.is_placed(pending[0]):
            self._pending = None
            self._resizing = True
            self.show_place(*pending)
            self._resizing = False
        self.viewport().update()
        self.moved.emit()

    @property
    def mark_tokens(self) -> Tokens:
        """The colours of marks: printed pages are white in every theme."""
        return LIGHT if self.lines.printed else self.tokens

    @property
    def left(self) -> int:
        """Position of the left edge of the text in the viewport."""
        return self.gutter - self.horizontalScrollBar().value()

    def cited(self, start: int, end: int) -> str:
        """The citation of ``[start, end)``; "" if the document has no places."""
        return "" if self.places is None else say(self.places.of(Span(start, end)).words)

    def set_tokens(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.lines.refresh_formats()
        self._settle()

    def set_marks(self, marks: Marks) -> None:
        """Show ``marks`` instead of the previous ones."""
        self.marks = marks
        self.stretches.clear()
        self.viewport().update()

    def set_active(
        self, number: int, differences: Shown = (), *, in_words: bool = False, together: Collection[int] = ()
    ) -> None:
        """Highlight the mark ``number`` (-1: none), those ``together`` with it and, inside it, ``differences``.

        ``in_words``: the differences cover all its words, so that the mark itself is drawn faintly.
        """
        before = {self.active, *self.together}
        self.active, self.differences, self.in_words = number, sorted(differences), in_words
        self.together = frozenset((number, *together)) - {-1}
        for row in np.flatnonzero(np.isin(self.marks.number, [*before, number, *together])):
            first, last = (self.lines.piece_at(int(at)) for at in (self.marks.start[row], self.marks.end[row]))
            for index in [index for index in self.stretches if first <= index <= last]:
                del self.stretches[index]
        self.viewport().update()

    def colour_of(self, source: int, kind: int) -> str:
        """The colour of marks of ``source`` (0: the open one) and ``kind``."""
        shown = source or self.source
        return self.mark_tokens.source(shown) if shown else self.mark_tokens.rarity[kind]

    def set_search_hits(self, starts: NDArray[np.int64], ends: NDArray[np.int64], current: int) -> None:
        """Show search hits, highlighting ``current`` (-1: none)."""
        self.search_hits, self.current_hit = (starts, ends), current
        self.viewport().update()

    def set_regions(self, regions: Sequence[tuple[int, int]], *, named: bool = True) -> None:
        """Show ``regions`` as brackets at the margin over a light tint; ``named``: numbered from 1."""
        self.regions, self.regions_named = tuple(regions), named
        self.viewport().update()

    def set_notes(self, layer: str, notes: Sequence[Note]) -> None:
        """Show ``notes`` (in order, without overlaps) in ``layer``, instead of the previous ones."""
        self.notes[layer] = tuple(notes)
        self.viewport().update()

    def notes_at(self, offset: int) -> list[Note]:
        """Remarks of all layers on the code point at ``offset``."""
        return [note for notes in self.notes.values() for note in inside(notes, offset, offset + 1)]

    def set_compared(self, shown: str | None, readings: NDArray[np.uint8] | None) -> None:
        """Show the text as it was compared: ``shown`` has the same number of code points; None shows the original.

        ``readings`` uint8[n]: 0 for unchanged code points, 1 for replaced ones, 2 for ignored ones.
        """
        self._readings = readings
        self.stretches.clear()
        self.lines.show_as(shown)
        self._settle()

    def set_ignored_shown(self, on: bool) -> None:
        """Set whether ignored spans are grey."""
        self.show_ignored = on
        self.lines.refresh_formats()
        self._settle()

    def set_size(self, size: int) -> None:
        """Set the text size in logical pixels, 10 to 32; the reading line stays in place."""
        size = min(LARGEST, max(SMALLEST, size))
        if size == self.size_px:
            return
        place = self.reading_offset()
        self.size_px = size
        self._measure()
        self.show_place(place)
        self.zoomed.emit(size)

    # -- places

    @property
    def top(self) -> int:
        """The scroll position: pixels from the text's top."""
        return self.verticalScrollBar().value()

    @property
    def adjusting(self) -> bool:
        """Whether the scroll bar is being moved to keep the visible text in place while the layout changes."""
        return self._settling or self._resizing

    def reading_offset(self) -> float:
        """The offset on the reading line."""
        return self.lines.offset_near(reading_y(self.top, self.verticalScrollBar().maximum(), self.viewport().height()))

    def show_place(self, offset: float, share: float | None = None) -> None:
        """Scroll so that ``offset`` is at ``share`` of the pane's height, by default on the reading line."""
        bar, height = self.verticalScrollBar(), self.viewport().height()
        self._pending = None if self.lines.is_placed(offset) else (offset, share)
        for _ in range(2):  # the first move lays out estimated parts, the second reaches the exact position
            y = self.lines.y_near(offset)
            if share is not None:
                top = y - height * share
            elif offset < _LEAST:  # beyond the first and last line there is only the margin
                top = 0
            elif offset > self.lines.length - _LEAST:
                top = bar.maximum()
            else:
                top = reading_top(y, bar.maximum(), height)
            bar.setValue(round(top))
        if self._pending is not None:
            self._settle()

    def reveal(self, start: int, end: int) -> None:
        """Scroll only if ``[start, end)`` is not comfortably visible."""
        y0, y1 = self.lines.y_of(start), self.lines.y_of(max(start, end - 1)) + self.lines.line_height
        if y0 < self.top + self.lines.line_height or y1 > self.top + self.viewport().height() - self.lines.line_height:
            self.show_place(start, 0.25)

    def visible_offsets(self) -> tuple[int, int]:
        """First and last visible offset, rounded to lines."""
        last = self.lines.offset_near(self.top + self.viewport().height())
        return int(self.lines.offset_near(self.top)), min(self.lines.length, int(last) + 1)

    # -- selection

    @property
    def selection(self) -> Span:
        """The selected span; empty at the caret if nothing is selected."""
        return Span(min(self.caret, self.anchor), max(self.caret, self.anchor))

    def selected_text(self) -> str:
        """The selected characters, unchanged."""
        return self.lines.text[self.selection.start : self.selection.end]

    def set_caret(self, offset: int, *, keep_anchor: bool = False, scroll: bool = True) -> None:
        """Move the caret; with ``keep_anchor`` the selection grows."""
        self.caret = min(self.lines.length, max(0, offset))
        if not keep_anchor:
            self.anchor = self.caret
        if scroll:
            self._keep_caret_visible()
        self.selection_changed.emit()
        self._announce_place()
        self.viewport().update()

    def select(self, start: int, end: int) -> None:
        """Select ``[start, end)`` without scrolling."""
        self.anchor = start
        self.set_caret(end, keep_anchor=True, scroll=False)

    def copy(self) -> None:
        """Put the selected characters on the clipboard as plain text."""
        if self.selection.end > self.selection.start:
            QGuiApplication.clipboard().setText(self.selected_text())

    def _keep_caret_visible(self) -> None:
        height, line = self.viewport().height(), self.lines.line_height
        for _ in range(2):  # the first move may correct estimated heights
            y = self.lines.y_of(self.caret)
            if y < self.top + 4:
                self.verticalScrollBar().setValue(round(y - 10))
            elif y + line > self.top + height - 4:
                self._set_range()
                self.verticalScrollBar().setValue(round(y + line - height + 8))

    def _announce_place(self) -> None:
        """Have screen readers announce the line of the caret and the matches there."""
        rows = self.marks.at(self.caret)
        numbers = zip(self.marks.number[rows].tolist(), self.marks.source[rows].tolist(), strict=True)
        here = [
            tr("match of source {number}", number=source) if source else tr("match {number}", number=number + 1)
            for number, source in numbers
        ]
        here += [note.words for note in self.notes_at(self.caret)]
        here += [difference_words(kind) for *_, kind in within(self.differences, self.caret, self.caret + 1)]
        first, last = self.lines.line_limits(self.caret)
        line = self.lines.text[first:last].rstrip()
        place = self.cited(self.caret, self.caret + 1)
        self.setAccessibleDescription(", ".join([*here, *([place] if place else []), line]))
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
        if self.accessible is not None:
            self.accessible.notify_caret_moved()

    # -- geometry

    def _measure(self) -> None:
        self.stretches.clear()
        if isinstance(self.lines, PageLayout):
            self.lines.ratio = self.devicePixelRatioF()
            digits = 0
        else:
            digits = len(str(self.lines.numbers.max(initial=0)))
        # Beside longer numbers there would be no room for the signs of notes.
        self.gutter = DocumentSurface.gutter + _DIGIT * max(0, digits - 2)
        self.lines.measure(text_font(self.language, self.size_px), self.viewport().width() - self.gutter - self.margin)
        self._set_range()
        across, bar, scrolls = 0.0, self.horizontalScrollBar(), Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if isinstance(self.lines, PageLayout):
            across = self.lines.width + self.gutter + self.margin
            bar.setPageStep(self.viewport().width())
            if self.size_px > USUAL:
                scrolls = Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        # Even the same policy lays the bars out at once.
        if scrolls != self.horizontalScrollBarPolicy():
            self.setHorizontalScrollBarPolicy(scrolls)
        bar.setRange(0, max(0, round(across - self.viewport().width())))
        bar.setValue(round(self.lines.text_left) if isinstance(self.lines, PageLayout) else 0)

    def _set_range(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, int(self.lines.total - height)))
        bar.setPageStep(max(1, int(height - self.lines.line_height)))
        bar.setSingleStep(int(self.lines.line_height))

    def _settle(self) -> None:
        if self._settling:
            return
        self._settling = True
        bar = self.verticalScrollBar()
        top = self.lines.settle(bar.value(), self.viewport().height())
        self._set_range()
        bar.setValue(round(top))
        self._settling = False
        self.viewport().update()
        self.moved.emit()

    def ignored_in(self, start: int, end: int) -> list[tuple[int, int]]:
        """The parts of ``[start, end)`` that are grey."""
        return [(max(s, start), min(e, end)) for s, e in self._ignored if s < end and e > start] * self.show_ignored

    def is_ignored(self, start: int, end: int) -> bool:
        """Whether there is grey text in ``[start, end)``."""
        at = bisect_right(self._ignored, (start, self.lines.length + 1))
        near = self._ignored[max(0, at - 1) : at + 1]
        return self.show_ignored and any(s < end and e > start for s, e in near)

    def _formats(self, start: int, end: int, units: Utf16Map) -> Sequence[QTextLayout.FormatRange]:
        """Colours of characters in a piece: ignored spans and symbols for unprintable characters."""
        formats = []
        spans = [(s, e, self.tokens.text3) for s, e in self.ignored_in(start, end)]
        formats += self._formats_of_readings(start, end, units)
        text = self.lines.text[start:end]
        spans += [(start + p, start + p + 1, self.tokens.danger) for p in replaced_positions(text)]
        for first, last, colour in spans:
            part = QTextLayout.FormatRange()
            low, high = units.to_utf16(max(0, first - start)), units.to_utf16(min(end, last) - start)
            part.start, part.length = low, high - low
            look = QTextCharFormat()
            look.setForeground(QColor(colour))
            part.format = look
            formats.append(part)
        return formats

    def _formats_of_readings(self, start: int, end: int, units: Utf16Map) -> list[QTextLayout.FormatRange]:
        """Ignored characters are struck through and pale, replaced ones have a dotted line."""
        if self._readings is None or end <= start:
            return []
        readings = self._readings[start:end]
        edges = [0, *(np.flatnonzero(np.diff(readings)) + 1).tolist(), end - start]
        formats = []
        for first, last in pairwise(edges):
            if readings[first]:
                look = QTextCharFormat()
                if readings[first] == 1:
                    look.setFontUnderline(True)
                    look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
                    look.setUnderlineColor(QColor(self.tokens.accent))
                else:
                    look.setForeground(QColor(self.tokens.text3))
                    look.setFontStrikeOut(True)
                part = QTextLayout.FormatRange()
                part.start = units.to_utf16(first)
                part.length = units.to_utf16(last) - part.start
                part.format = look
                formats.append(part)
        return formats

    def offset_under(self, place: QPoint) -> int:
        """The caret offset nearest to ``place`` in the viewport."""
        return self.lines.offset_at(place.x() - self.left, place.y() + self.top)

    def character_under(self, place: QPoint) -> int:
        """The offset of the code point at ``place`` in the viewport; beside the text, the nearest caret offset."""
        return self.lines.character_at(place.x() - self.left, place.y() + self.top)

    def activate_at(self, offset: int) -> None:
        """Announce the mark at ``offset``; if there are several, each call announces the next."""
        rows = self.marks.at(offset)
        own = [int(self.marks.number[r]) for r in rows if self.marks.source[r] == 0]
        if own:
            self.mark_clicked.emit(own[(own.index(self.active) + 1) % len(own)] if self.active in own else own[0])
        elif len(rows):
            self.source_clicked.emit(int(self.marks.source[rows[0]]))
            self.other_clicked.emit(int(self.marks.number[rows[0]]))
        else:
            for note in self.notes_at(offset):
                if note.level:
                    self.note_clicked.emit(note.start, note.end)
                    return

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Lay out and draw the newly visible part."""
        self._settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break lines again; the first visible line stays in place."""
        if event.size().width() != event.oldSize().width():
            self._resizing = True
            place, bar = self.lines.offset_near(self.top), self.verticalScrollBar()
            # A bar that an estimated height shows and the real one hides would change the width again, without end.
            with QSignalBlocker(bar):
                self._measure()
                bar.setValue(round(self.lines.y_near(place)) if place > 0 else 0)
                self._settle()
            bar.rangeChanged.emit(bar.minimum(), bar.maximum())
            self._resizing = False
        self._settle()


def reading_y(top: float, last: float, height: float) -> float:
    """The position of the reading line of a pane of ``height`` in its text, scrolled to ``top`` of at most ``last``."""
    if last < height:
        return top + height * (top / last if last > 0 else FOCUS_SHARE)
    return top + min(max(height * FOCUS_SHARE, height - (last - top)), top)


def reading_top(y: float, last: float, height: float) -> float:
    """The scroll position that puts the reading line at ``y``: the inverse of :func:`reading_y`."""
    if last < height:
        return y * last / (last + height)
    return max(y / 2, min(y - height * FOCUS_SHARE, (y - height + last) / 2))
