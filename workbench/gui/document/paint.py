"""Painting of a document view: marks, regions, differences, search hits, selection, text, gutter, caret."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from workbench.gui.document.layout import DocumentLayout
from workbench.gui.document.marks import MarkStretch, within
from workbench.gui.document.notes import Note, draw_bar, draw_hatching, draw_sign, inside
from workbench.gui.document.surface import DocumentSurface
from workbench.gui.kit.cues import draw_apart, draw_bracket, draw_difference, draw_tier_line, shade
from workbench.gui.problems import painting, restored
from workbench.gui.theme.fonts import MEDIUM, SEMIBOLD, font
from workbench.gui.theme.tokens import Tokens

TINT = 18
"""Opacity of the tint, out of 255, so that marks on it remain legible."""


def paint_regions(painter: QPainter, view: DocumentSurface) -> None:
    """Draw the visible part of the regions of ``view``, a text, on its viewport, below the text and without their
    names.
    """
    first, last = view.visible_offsets()
    height = float(view.viewport().height())
    for number, (start, end) in enumerate(view.regions, 1):
        if start < last and end > first:
            _region(painter, view, number, (start, end), (start >= first, end <= last), height)


def paint_region_names(painter: QPainter, view: DocumentSurface) -> None:
    """Draw the name of each visible region, at its first line or at the top edge."""
    first, last = view.visible_offsets()
    for number, (start, end) in enumerate(view.regions, 1):
        if start < last and end > first:
            top = view.lines.y_of(start) - view.top if start >= first else 0.0
            # Do not half cover a line number.
            painter.fillRect(QRectF(0, max(0.0, top + 1), view.gutter - 9, 22), QColor(view.tokens.surface))
            _name(painter, view.tokens, number, max(2.0, top + 5))


def _region(
    painter: QPainter, view: DocumentSurface, number: int, span: tuple[int, int], ends: tuple[bool, bool], height: float
) -> None:
    """``ends``: whether the first and the last line of the region are visible."""
    lines, tokens = view.lines, view.tokens
    line = lines.line_height
    top = lines.y_of(span[0]) - view.top if ends[0] else -line
    bottom = lines.y_of(max(span[0], span[1] - 1)) - view.top + line if ends[1] else height + line
    left, right = float(view.gutter), float(view.viewport().width() - view.margin)
    tint = shade(tokens.accent, TINT)
    begin = left + lines.x_of(span[0]) if ends[0] else left
    # A region that ends with its line ends where the next line begins.
    within_line = ends[1] and lines.y_of(span[1]) < lines.y_of(max(span[0], span[1] - 1)) + line
    finish = left + lines.x_of(span[1]) if within_line else right
    if bottom - top < 1.5 * line:
        painter.fillRect(QRectF(begin, top, finish - begin, bottom - top), tint)
    else:
        painter.fillRect(QRectF(begin, top, right - begin, line), tint)
        painter.fillRect(QRectF(left, top + line, right - left, bottom - top - 2 * line), tint)
        painter.fillRect(QRectF(left, bottom - line, finish - left, line), tint)
    draw_bracket(painter, tokens, left - 5, top + 2, bottom - 2)


def _name(painter: QPainter, tokens: Tokens, number: int, y: float) -> None:
    """The region's number at the outer edge of the gutter."""
    text = f"R{number}"
    spot = QRectF(2, y, 7.0 + 7 * len(text), 15)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.accent))
    painter.drawRoundedRect(spot, 3, 3)
    painter.setFont(font(10, SEMIBOLD, tabular=True))
    painter.setPen(QColor(tokens.accent_text))
    painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, text)


_INSET = 2.5


def paint(view: DocumentSurface) -> None:
    """Draw the visible part of ``view`` on its viewport."""
    with painting(view.viewport()) as painter:
        painter.fillRect(view.viewport().rect(), QColor(view.tokens.surface))
        if not view.lines.printed:
            paint_regions(painter, view)
        lines = view.lines
        index = lines.piece_at_y(view.top)
        height = view.viewport().height()
        while index < len(lines.starts) and lines.tops[index] - view.top < height:
            y = float(lines.tops[index]) - view.top
            with restored(painter):
                painter.translate(view.left, y)
                _piece(painter, view, index)
            _number(painter, view, index, y)
            index += 1
            _ignored_bar(painter, view, index - 1, y, float(lines.tops[index]) - view.top - y)
        if view.regions_named:
            paint_region_names(painter, view)
        if view.hasFocus():
            _caret(painter, view)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(view.tokens.accent), 2))
            painter.drawRect(QRectF(view.viewport().rect()).adjusted(1, 1, -1, -1))


def _ignored_bar(painter: QPainter, view: DocumentSurface, index: int, y: float, height: float) -> None:
    """Draw a broken line beside ignored text, so that its grey is not the only cue."""
    start, end = int(view.lines.starts[index]), int(view.lines.ends[index])
    if not view.lines.printed and view.is_ignored(start, end):
        painter.setPen(QPen(QColor(view.tokens.text3), 2, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(view.gutter - 8, y + 3), QPointF(view.gutter - 8, y + height - 3))


def _piece(painter: QPainter, view: DocumentSurface, index: int) -> None:
    start, end = view.lines.limits(index)
    seen = QRectF(-view.gutter, view.top - float(view.lines.tops[index]), view.width(), view.viewport().height())
    cached = view.stretches.get(index)
    if cached is None:
        cut = view.marks.stretches(start, end, view.together, view.active)
        cached = [(s, view.lines.boxes(index, s.start, s.end)) for s in cut]
        if len(view.stretches) > 400:
            view.stretches.clear()
        view.stretches[index] = cached
    notes = [note for some in view.notes.values() for note in inside(some, start, end)]
    ink = QColor(view.tokens.text)
    if view.lines.printed:
        view.lines.draw(painter, index, seen, ink)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        unit = view.lines.unit
        painter.scale(unit, unit)
        seen = QRectF(seen.topLeft() / unit, seen.size() / unit)
        _wash(painter, view, index, seen)
        _regions_on_page(painter, view, index, (start, end))
    elif isinstance(view.lines, DocumentLayout):
        view.lines.draw_ground(painter, index, view.tokens, ignored=view.is_ignored(start, end))
    _hatching(painter, view, index, notes, seen)
    for stretch, boxes in cached:
        if any(box.bottom() >= seen.top() and box.top() <= seen.bottom() for box in boxes):
            _mark(painter, view, stretch, boxes, seen)
    _bars(painter, view, index, notes, seen)
    for first, last, kind in within(view.differences, start, end):
        for box in view.lines.boxes(index, first, last):
            if box.bottom() >= seen.top() and box.top() <= seen.bottom():
                draw_difference(painter, box.adjusted(0, _INSET, 0, -_INSET), kind, view.mark_tokens)
    _search_hits(painter, view, index, start, end)
    _selection(painter, view, index, start, end)
    if not view.lines.printed:
        view.lines.draw(painter, index, seen, ink)


def _wash(painter: QPainter, view: DocumentSurface, index: int, seen: QRectF) -> None:
    """Grey out ignored text on a page, with a broken line below it."""
    for first, last in view.ignored_in(*view.lines.limits(index)):
        for box in view.lines.boxes(index, first, last):
            if box.bottom() >= seen.top() and box.top() <= seen.bottom():
                painter.fillRect(box, shade(view.mark_tokens.text3, 60))
                painter.setPen(QPen(QColor(view.mark_tokens.text3), 1.2, Qt.PenStyle.DotLine))
                painter.drawLine(box.bottomLeft(), box.bottomRight())


def _regions_on_page(painter: QPainter, view: DocumentSurface, index: int, page: tuple[int, int]) -> None:
    """Tint the words of the regions on a page, with a bracket beside them."""
    tokens = view.mark_tokens
    for start, end in view.regions:
        boxes = view.lines.boxes(index, start, end) if start < page[1] and end > page[0] else []
        for box in boxes:
            painter.fillRect(box, shade(tokens.accent, TINT))
        if boxes:
            left = (view.gutter - 5 - view.left) / view.lines.unit
            draw_bracket(painter, tokens, left, min(b.top() for b in boxes), max(b.bottom() for b in boxes))


def _hatching(painter: QPainter, view: DocumentSurface, index: int, notes: Sequence[Note], seen: QRectF) -> None:
    """Hatch the stretches of ``notes``, with a sign in the margin at their start."""
    start = int(view.lines.starts[index])
    for note in notes:
        boxes = view.lines.boxes(index, note.start, note.end) if not note.level else []
        for box in boxes:
            if box.bottom() >= seen.top() and box.top() <= seen.bottom():
                draw_hatching(painter, box.adjusted(0, _INSET, 0, -_INSET), view.tokens)
        if boxes and note.start >= start:
            with restored(painter):
                painter.translate(-view.gutter, 0)
                draw_sign(painter, note.sign, boxes[0].top(), view.lines.line_height, view.tokens)


def _bars(painter: QPainter, view: DocumentSurface, index: int, notes: Sequence[Note], seen: QRectF) -> None:
    for note in notes:
        for box in view.lines.boxes(index, note.start, note.end) if note.level else []:
            if box.bottom() >= seen.top() and box.top() <= seen.bottom():
                draw_bar(painter, box, note.level, view.tokens)


def _mark(painter: QPainter, view: DocumentSurface, stretch: MarkStretch, boxes: list[QRectF], seen: QRectF) -> None:
    """Draw a stretch: a tint for its source, and the line of its tier, heavier if active.

    Text that is not part of the match is not tinted and has a dotted frame.
    """
    tokens, row = view.mark_tokens, stretch.mark
    source, tier = int(view.marks.source[row]), int(view.marks.kind[row])
    active = source == 0 and int(view.marks.number[row]) in view.together
    colour = view.colour_of(source, tier)
    ink = colour if not view.source else tokens.text2 if active else tokens.text3
    in_words = active and view.in_words and int(view.marks.number[row]) == view.active
    alpha = tokens.highlight_active_alpha if active and not in_words else tokens.highlight_alpha
    begins = stretch.start == int(view.marks.start[row])
    ends = stretch.end == int(view.marks.end[row])
    for place, box in enumerate(boxes):
        if box.bottom() < seen.top() or box.top() > seen.bottom():
            continue
        left = -1.0 if begins and place == 0 else 0.0
        right = 1.0 if ends and place == len(boxes) - 1 else 0.0
        inner = box.adjusted(left, _INSET, right, -_INSET)
        if stretch.apart:
            draw_apart(painter, inner, colour)
            continue
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade(colour, alpha))
        painter.drawRoundedRect(inner, 3, 3)
        if not in_words:
            draw_tier_line(painter, inner.adjusted(0, 0, 0, 1), tier, QColor(ink), 1.8 if active else 1.1)
        if stretch.covered > 1:
            painter.setPen(QPen(shade(colour, 200), 1))
            painter.drawLine(inner.topLeft(), inner.topRight())
    if source and begins and boxes:
        _badge(painter, boxes[0], str(source), colour, tokens.surface)


def _badge(painter: QPainter, box: QRectF, text: str, colour: str, ink: str) -> None:
    """Draw a small number at the start of another source's passage."""
    spot = QRectF(box.left() - 7, box.top() - 3, 8.0 + 6 * len(text), 13)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(spot, 6.5, 6.5)
    painter.setFont(font(9, SEMIBOLD, tabular=True))
    painter.setPen(QColor(ink))
    painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, text)


def _search_hits(painter: QPainter, view: DocumentSurface, index: int, start: int, end: int) -> None:
    starts, ends = view.search_hits
    low, high = int(ends.searchsorted(start, "right")), int(starts.searchsorted(end))
    for hit in range(low, high):
        current = hit == view.current_hit
        for box in view.lines.boxes(index, int(starts[hit]), int(ends[hit])):
            painter.setPen(QPen(QColor(view.mark_tokens.warn), 1.6 if current else 1))
            painter.setBrush(shade(view.mark_tokens.replaced, 130 if current else 50))
            painter.drawRoundedRect(box.adjusted(0, 2, 0, -2), 3, 3)


def _selection(painter: QPainter, view: DocumentSurface, index: int, start: int, end: int) -> None:
    chosen = view.selection
    if chosen.end <= chosen.start or chosen.start >= end or chosen.end <= start:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(shade(view.mark_tokens.accent, 84))
    for box in view.lines.boxes(index, *chosen):
        painter.drawRect(box)


def _number(painter: QPainter, view: DocumentSurface, index: int, y: float) -> None:
    lines = view.lines
    painter.setFont(font(11, MEDIUM, tabular=True))
    painter.setPen(QColor(view.tokens.text3))
    if not lines.printed:
        y = lines.y_of(int(lines.starts[index])) - view.top
    box = QRectF(0, y, view.gutter - 12, max(20.0, lines.line_height))
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, lines.number_of(index))


def _caret(painter: QPainter, view: DocumentSurface) -> None:
    y = view.lines.y_of(view.caret) - view.top
    x = view.lines.x_of(view.caret) + view.left
    first, end = view.lines.line_limits(view.caret)
    # An empty line is lower: a caret of full height would reach into the next line.
    high = view.lines.line_height - 4 if end > first else view.lines.line_height / 2 - 4
    painter.fillRect(QRectF(x - 0.75, y + 2, 1.5, high), QColor(view.tokens.text))
