"""Pages on a printer: pictures of them, one per sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QRect, QTimer, Signal
from PySide6.QtGui import QImage, QPageLayout, QPageSize, QPainter
from PySide6.QtPrintSupport import QPrinter

from workbench.gui.problems import begun, ended

DPI = 200
"""Resolution of the pictures; small print remains legible."""
_STRIPS = 64
"""Number of strips in which a page is painted; each takes a few milliseconds."""


def printer_for(name: str) -> QPrinter:
    """The user's printer, set to A4 without margins, which the pictures contain. ``name`` is the document's."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    printer.setPageOrientation(QPageLayout.Orientation.Portrait)
    printer.setFullPage(True)
    printer.setDocName(name)
    return printer


def chosen_pages(printer: QPrinter, pages: Sequence[Path]) -> Sequence[Path]:
    """The ``pages`` that the user chose; all if no range was given."""
    first, last = printer.fromPage(), printer.toPage()
    if printer.printRange() is not QPrinter.PrintRange.PageRange or first < 1:
        return pages
    return pages[first - 1 : last or len(pages)]


Read = Callable[[Callable[[], QImage], Callable[[QImage], object]], None]
"""Calls the first function off the window's thread, and the second with its result."""


class SheetPrinter(QObject):
    """Prints pictures, each as large as the sheet, in strips between which the window stays responsive.

    ``begun`` emits the number of the sheet being printed, from 1; ``ended`` the number of sheets, or an OSError if the
    printer, or the file used instead, cannot be written.
    """

    begun = Signal(int)
    ended = Signal(object)

    def __init__(self, printer: QPrinter, pages: Sequence[Path], read: Read, parent: QObject) -> None:
        super().__init__(parent)
        self._printer, self._pages, self._read = printer, list(pages), read
        self._painter: QPainter | None = None
        self._picture = QImage()
        self._page = self._strip = 0
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._paint)

    def start(self) -> None:
        """Start with the first page."""
        self._painter = begun(self._printer)
        if self._painter is None:
            self._end(OSError("the printer takes no pages"))
        elif not self._pages:
            self._end(0)
        else:
            self._open()

    def _open(self) -> None:
        page = str(self._pages[self._page])
        self.begun.emit(self._page + 1)
        self._read(lambda: QImage(page), self._opened)

    def _opened(self, picture: QImage) -> None:
        self._picture, self._strip = picture, 0
        self._turn.start()

    def _paint(self) -> None:
        """Paint one strip, or go to the next page."""
        if self._strip < _STRIPS:
            try:
                self._paint_strip()
            except Exception:
                self._turn.stop()
                self._end(OSError("the page could not be painted"))
                raise
            self._strip += 1
            return
        self._turn.stop()
        self._page += 1
        if self._page == len(self._pages):
            self._end(self._page)
        elif self._printer.newPage():
            self._open()
        else:
            self._end(OSError("the printer takes no more pages"))

    def _paint_strip(self) -> None:
        assert self._painter is not None
        picture = self._picture
        sheet = self._printer.paperRect(QPrinter.Unit.DevicePixel)
        scale = min(sheet.width() / max(1, picture.width()), sheet.height() / max(1, picture.height()))
        top, bottom = (picture.height() * at // _STRIPS for at in (self._strip, self._strip + 1))
        # At whole printer dots, strips join without a seam.
        above, below = round(top * scale), round(bottom * scale)
        target = QRect(0, above, round(picture.width() * scale), below - above)
        self._painter.drawImage(target, picture, QRect(0, top, picture.width(), bottom - top))

    def _end(self, result: int | OSError) -> None:
        ended(self._painter)
        self.ended.emit(result)
