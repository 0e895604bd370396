"""Geometry of a printed document: its pages one below the other, and the positions of its characters on them.

Replaces :class:`workbench.gui.document.layout.DocumentLayout` in a view. When a page comes into view, another process
draws it and locates its characters; until then a position is estimated.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from workbench.base.errors import UserError
from workbench.base.types import Document, PrintedPage
from workbench.gui.document.layout import FormatsOf
from workbench.gui.i18n import say, tr
from workbench.gui.kit.cues import shade
from workbench.gui.theme.fonts import font
from workbench.gui.theme.tokens import LIGHT
from workbench.reading.printed_pages import NOWHERE, PagePlaces, Size, TextColumn, boxes_of
from workbench.services.pages.pictures import PagePictures

_USUAL = 15
"""The text size at which a page is as wide as the pane."""
_LINE = 13.0
"""Assumed line distance of an unknown page, in points."""
_AROUND = 0.14
"""Share of a line's height by which marks extend above and below its letters."""
_FULL = 22.0
"""Line distance in pixels from which marks look as in text."""
_MARGIN = 6.0
"""Margin shown beside the text, in points."""
_BETWEEN = 14.0
"""Pixels between pages."""
SMALL = 96
"""Width of a thumbnail in pixels."""
_PICTURES = 100_000_000
"""Bytes of pictures that are cached."""
_PLACED = 200
"""Number of pages whose character positions are cached."""


class _Request(NamedTuple):
    """Request for a page's picture at ``scale`` pixels per point or, if 0, for the positions of its characters."""

    page: int
    scale: float


class PageFeed(QObject):
    """Draws pages in a thread, the latest requests first.

    ``opened``: the ``sizes`` of the pages and the ``column`` of their text are known. ``arrived`` and ``small_arrived``
    emit a page with new data or a new thumbnail. Must be closed, which ends the drawing process.
    """

    opened = Signal()
    arrived = Signal(int)
    small_arrived = Signal(int)

    def __init__(self, pictures: PagePictures) -> None:
        super().__init__()
        self._pictures = pictures
        self._wanted: list[_Request] = []
        self._news = threading.Condition()
        self._ended = False
        self.sizes: list[Size] = []
        self.column = TextColumn(0, 595)
        self.places: OrderedDict[int, PagePlaces] = OrderedDict()
        self.images: OrderedDict[int, tuple[float, QImage]] = OrderedDict()
        self.small: dict[int, QImage] = {}
        """Thumbnails of pages, SMALL pixels wide."""
        self._small_wanted: list[int] = []
        self.errors: dict[int, str] = {}
        self._thread = threading.Thread(target=self._work, name="pages", daemon=True)
        self._thread.start()

    def request(self, pages: Iterable[int], scale: float) -> None:
        """Request these pages at ``scale`` pixels per point, in order; earlier requests that have not started are
        dropped.
        """
        wanted = [_Request(page, at) for page in pages for at in (0.0, scale)]
        with self._news:
            self._wanted = [request for request in wanted if self._lacks(request)]
            self._news.notify()

    def request_thumbnails(self, pages: Iterable[int]) -> None:
        """Request thumbnails of these pages, drawn after all that :meth:`request` requested; replaces the last call."""
        with self._news:
            self._small_wanted = [page for page in pages if page not in self.small and page not in self.errors]
            self._news.notify()

    def close(self) -> None:
        """Draw nothing more."""
        with self._news:
            self._ended, self._wanted, self._small_wanted = True, [], []
            self._news.notify()
        self._pictures.stop()

    def _lacks(self, request: _Request) -> bool:
        page, scale = request
        if page in self.errors:
            return False
        known, _ = self.images.get(page, (0.0, None))
        return abs(known - scale) > 0.001 * scale if scale else page not in self.places

    def _work(self) -> None:
        try:
            self._draw()
        finally:
            self._pictures.close()

    def _draw(self) -> None:
        try:
            self.sizes, self.column = self._pictures.sizes(), self._pictures.column()
        except UserError:
            # Without pages, the text is shown.
            return
        self.opened.emit()
        while True:
            with self._news:
                self._news.wait_for(lambda: self._wanted or self._small_wanted or self._ended)
                if self._ended:
                    return
                wanted = self._wanted.pop(0) if self._wanted else None
                small = self._small_wanted.pop(0) if wanted is None else 0
            page = small if wanted is None else wanted.page
            try:
                if wanted is None:
                    self._draw_small(page)
                elif not wanted.scale:
                    self._place(page)
                else:
                    self._draw_page(*wanted)
            except UserError as error:
                if self._ended:
                    return
                self.errors[page] = say(error.sentence)
                self.places.setdefault(page, NOWHERE)
                self.arrived.emit(page)
                self.small_arrived.emit(page)

    def _draw_page(self, page: int, scale: float) -> None:
        self.images[page] = scale, self._image(page, scale)
        self.images.move_to_end(page)
        self._forget()
        self.arrived.emit(page)

    def _draw_small(self, page: int) -> None:
        self._place(page)
        self.small[page] = self._image(page, SMALL / self.sizes[page].width)
        self.small_arrived.emit(page)

    def _place(self, page: int) -> None:
        if page not in self.places:
            self.places[page] = self._pictures.places(page)
            self._forget()
            self.arrived.emit(page)

    def _image(self, page: int, scale: float) -> QImage:
        picture = self._pictures.picture(page, scale)
        size = (picture.width, picture.height, 4 * picture.width)
        return QImage(picture.pixels, *size, QImage.Format.Format_RGB32).copy()

    def _forget(self) -> None:
        while len(self.places) > _PLACED:
            self.places.popitem(last=False)
        while len(self.images) > 1 and sum(i.sizeInBytes() for _, i in list(self.images.values())) > _PICTURES:
            self.images.popitem(last=False)


class _Lines(NamedTuple):
    """The lines of a page in reading order: the first offset of each, float64[n], and its top and bottom in points."""

    first: NDArray[np.float64]
    end: NDArray[np.float64]
    top: NDArray[np.float64]
    bottom: NDArray[np.float64]


class _PrintedLines(NamedTuple):
    """All n lines of all pages in text order: the start of each, its page, and its position on that page, from 0 to 1.
    At least one.
    """

    start: NDArray[np.int64]
    page: NDArray[np.int64]
    share: NDArray[np.float64]

    @classmethod
    def of(cls, pages: Sequence[PrintedPage]) -> _PrintedLines:
        """The lines of ``pages``."""
        lines = [
            (start, page, number / len(one.lines))
            for page, one in enumerate(pages)
            for number, start in enumerate(one.lines)
        ]
        start, page, share = zip(*sorted(lines or [(0, 0, 0.0)]), strict=True)
        return cls(np.array(start, np.int64), np.array(page, np.int64), np.array(share, np.float64))

    def at(self, offsets: NDArray[Any]) -> NDArray[np.int64]:
        """The lines that contain ``offsets``, int64[n]."""
        return np.maximum(0, self.start.searchsorted(offsets, "right") - 1)

    def limits(self, pages: int, length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Start and end of the text of each page; an empty page is at the start of the next one."""
        starts, ends = np.full(pages, length, np.int64), np.zeros(pages, np.int64)
        np.minimum.at(starts, self.page, self.start)
        np.maximum.at(ends, self.page, np.append(self.start[1:], length))
        if pages:
            starts[self.page[0]] = 0
        starts = np.minimum.accumulate(starts[::-1])[::-1]
        return starts, np.maximum(starts, ends)

    def offset(self, page: int, share: float, otherwise: int) -> float:
        """The start of the line at ``share`` of a page."""
        own = np.flatnonzero(self.page == page)
        if not len(own):
            return float(otherwise)
        return float(self.start[own[np.argmin(np.abs(self.share[own] - share))]])


class PageLayout:
    """The position of each character of ``document`` on the pages of ``feed``, which must be opened; a piece is a page.

    Implements the interface of a :class:`~workbench.gui.document.layout.DocumentLayout`.
    """

    printed = True

    def __init__(self, document: Document, feed: PageFeed) -> None:
        self.text, self.length = document.text, len(document.text)
        self.feed = feed
        pages = document.extraction.pages
        sizes = feed.sizes
        self.sizes = [sizes[at] if at < len(sizes) else Size(595, 842) for at in range(len(pages))]
        self.labels = [page.label or str(number) for number, page in enumerate(pages, 1)]
        self._printed = _PrintedLines.of(pages)
        self.starts, self.ends = self._printed.limits(len(pages), self.length)
        self.continued: NDArray[np.bool_] = np.zeros(len(pages), np.bool_)
        self.formats: FormatsOf = lambda _start, _end, _units: ()
        self._lines: dict[int, tuple[PagePlaces, _Lines]] = {}
        self.scale = 1.0
        self.ratio = 1.0
        """Device pixels per logical pixel."""
        self.measure(font(_USUAL), 600)

    # -- measures

    def measure(self, face: QFont, width: float) -> None:
        """Set the scale: with a text size of 15 pixels, the text of the pages is as wide as ``width``."""
        column = self.feed.column
        self.scale = max(0.05, width / (column.right - column.left + 2 * _MARGIN) * face.pixelSize() / _USUAL)
        self.line_height = _LINE * self.scale
        self.unit = min(1.0, self.line_height / _FULL)
        """Pixels per unit of marks: lines and insets are finer if the letters are small."""
        self.width = max((size.width for size in self.sizes), default=595.0) * self.scale
        self.text_left = max(0.0, column.left - _MARGIN) * self.scale
        self.heights: NDArray[np.float64] = np.array([s.height * self.scale + _BETWEEN for s in self.sizes])
        self.tops: NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(self.heights)]) + _BETWEEN

    @property
    def total(self) -> float:
        """Height of all pages in pixels."""
        return float(self.tops[-1])

    def show_as(self, shown: str | None) -> None:
        """Does nothing: pages are shown as printed."""

    def refresh_formats(self) -> None:
        """Does nothing: a page has no formats."""

    def number_of(self, index: int) -> str:
        """The printed number of a page."""
        return self.labels[index]

    # -- pages

    def piece_at(self, offset: int) -> int:
        """The page with the character at ``offset``, from 0."""
        return int(self._printed.page[self._printed.at(np.array([offset]))[0]])

    def piece_at_y(self, y: float) -> int:
        """The page at height ``y``."""
        return min(max(0, int(self.tops.searchsorted(y, "right")) - 1), len(self.starts) - 1)

    def limits(self, index: int) -> tuple[int, int]:
        """Start and end of a page's text; a footnote may come after lines of the next page."""
        return int(self.starts[index]), int(self.ends[index])

    def settle(self, top: float, height: float) -> float:
        """Have the pages in view drawn, then their neighbours. Returns ``top``."""
        first, last = self.piece_at_y(top), self.piece_at_y(top + height)
        near = [page for page in (last + 1, first - 1) if 0 <= page < len(self.starts)]
        self.feed.request((*range(first, last + 1), *near), self.scale * self.ratio)
        return top

    def draw(self, painter: QPainter, index: int, seen: QRectF, ink: QColor) -> None:
        """Draw a page at the origin: its picture, or its number until the picture arrives."""
        size = self.sizes[index]
        area = QRectF(0, 0, size.width * self.scale, size.height * self.scale)
        painter.fillRect(area.translated(0, 1.5), shade(LIGHT.text, 40))
        painter.fillRect(area, QColor("#ffffff"))
        _, image = self.feed.images.get(index, (0.0, None))
        if image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(area, image)
            return
        words = self.feed.errors.get(index) or tr("Page {number}", number=self.labels[index])
        painter.setPen(QColor(LIGHT.text3))
        painter.setFont(font(13))
        painter.drawText(area.intersected(seen) if area.intersects(seen) else area, Qt.AlignmentFlag.AlignCenter, words)

    # -- places

    def _places(self, index: int) -> tuple[PagePlaces, _Lines] | None:
        """The character positions and lines of a page; None until they are known."""
        places = self.feed.places.get(index)
        if places is None or not len(places.offsets):
            return None
        kept = self._lines.get(index)
        if kept is None or kept[0] is not places:
            if len(self._lines) > _PLACED:
                self._lines.clear()
            kept = self._lines[index] = places, _lines_of(places)
        return kept

    def y_of(self, offset: int) -> float:
        """Top of the line that contains ``offset``; estimated until its page is known."""
        index = self.piece_at(offset)
        top = float(self.tops[index])
        if (known := self._places(index)) is not None:
            lines = known[1]
            return top + float(lines.top[_line_at(lines, offset)]) * self.scale
        return float(self.rough_y(np.array([offset], np.float64))[0])

    def near_y(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Like :meth:`y_of`, for many offsets."""
        return np.array([self.y_of(offset) for offset in offsets.tolist()], np.float64)

    def rough_y(self, offsets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Estimated heights of many offsets, by the numbers of their lines on their pages."""
        lines = self._printed.at(offsets)
        index = self._printed.page[lines]
        # Printed pages have a margin of about a tenth of their height.
        inner = self.heights[index] - _BETWEEN
        y: NDArray[np.float64] = self.tops[index] + inner * (0.1 + 0.8 * self._printed.share[lines])
        return y

    def offset_near(self, y: float) -> float:
        """The offset at height ``y``: in the first line in reading order that ends below it."""
        index = self.piece_at_y(y)
        inner = (y - float(self.tops[index])) / self.scale
        if (known := self._places(index)) is None:
            return self._printed.offset(index, (inner / self.sizes[index].height - 0.1) / 0.8, self.starts[index])
        lines = known[1]
        below = np.flatnonzero(lines.bottom > inner)
        if not len(below):
            return float(lines.end[-1])
        at = int(below[0])
        share = (inner - float(lines.top[at])) / max(0.1, float(lines.bottom[at] - lines.top[at]))
        first, last = float(lines.first[at]), float(lines.end[at])
        return first + (last - first) * min(1.0, max(0.0, share))

    def y_near(self, offset: float) -> float:
        """The height at which :meth:`offset_near` returns ``offset``."""
        index = self.piece_at(int(offset))
        if (known := self._places(index)) is None:
            return float(self.rough_y(np.array([offset]))[0])
        lines = known[1]
        at = _line_at(lines, offset)
        first, last = float(lines.first[at]), float(lines.end[at])
        share = min(1.0, max(0.0, (offset - first) / max(1.0, last - first)))
        inner = float(lines.top[at]) + share * float(lines.bottom[at] - lines.top[at])
        return float(self.tops[index]) + inner * self.scale

    def is_placed(self, offset: float) -> bool:
        """Whether the position of ``offset`` on its page is known."""
        return self.piece_at(int(offset)) in self.feed.places

    def line_limits(self, offset: int) -> tuple[int, int]:
        """The offsets at which the printed line of the character at ``offset`` begins and ends."""
        line = int(self._printed.at(np.array([offset]))[0])
        following = self._printed.start[line + 1 : line + 2]
        return int(self._printed.start[line]), int(following[0]) if len(following) else self.length

    def offset_at(self, x: float, y: float) -> int:
        """The caret offset nearest to a point."""
        return self._offset_at(x, y, nearest=True)

    def character_at(self, x: float, y: float) -> int:
        """The offset of the character nearest to a point."""
        return self._offset_at(x, y, nearest=False)

    def _offset_at(self, x: float, y: float, *, nearest: bool) -> int:
        index = self.piece_at_y(y)
        if (known := self._places(index)) is None:
            return int(self.starts[index])
        offsets, boxes, _ = known[0]
        px, py = x / self.scale, (y - float(self.tops[index])) / self.scale
        across = np.maximum(0, np.maximum(boxes[:, 0] - px, px - boxes[:, 2]))
        down = np.maximum(0, np.maximum(boxes[:, 1] - py, py - boxes[:, 3]))
        # A point beside a line is nearer to it than a point above or below.
        row = int(np.argmin(across + 4 * down))
        left, top, right, bottom = boxes[row].tolist()
        vertical = self._runs_down(known[0], row)
        after = nearest and (py > (top + bottom) / 2 if vertical else px > (left + right) / 2)
        return int(offsets[row]) + int(after)

    @staticmethod
    def _runs_down(places: PagePlaces, row: int) -> bool:
        own = places.boxes[places.line == places.line[row]]
        return bool(np.ptp(own[:, [1, 3]]) > np.ptp(own[:, [0, 2]]))

    def x_of(self, offset: int) -> float:
        """Distance of the caret before ``offset`` from the left edge of the pages."""
        if (known := self._places(self.piece_at(offset))) is None:
            return 0.0
        offsets, boxes, _ = known[0]
        row = int(offsets.searchsorted(offset))
        if row == len(offsets) or (offsets[row] > offset and row and offsets[row - 1] == offset - 1):
            return float(boxes[row - 1, 2]) * self.scale
        return float(boxes[row, 0]) * self.scale

    def boxes(self, index: int, start: int, end: int) -> list[QRectF]:
        """One box per line for the characters ``[start, end)`` on a page, relative to its top left, in :attr:`unit`."""
        if (known := self._places(index)) is None:
            return []
        k = self.scale / self.unit
        boxes = boxes_of(known[0], start, end)
        rects = [QRectF(b.left * k, b.top * k, (b.right - b.left) * k, (b.bottom - b.top) * k) for b in boxes]
        return [rect.adjusted(0, -_AROUND * rect.height(), 0, _AROUND * rect.height()) for rect in rects]


def _lines_of(places: PagePlaces) -> _Lines:
    numbers = np.unique(places.line)
    rows = [places.line == number for number in numbers.tolist()]
    lines = [
        (places.offsets[r].min(), places.offsets[r].max() + 1, places.boxes[r, 1].min(), places.boxes[r, 3].max())
        for r in rows
    ]
    ordered = np.array(sorted(lines), np.float64)
    return _Lines(*ordered.T)


def _line_at(lines: _Lines, offset: float) -> int:
    return max(0, int(lines.first.searchsorted(offset, "right")) - 1)
