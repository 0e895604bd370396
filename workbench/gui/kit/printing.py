"""Pages on a printer: pictures of them, one a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPageLayout, QPageSize
from PySide6.QtPrintSupport import QPrinter

from workbench.gui.problems.guard import painting

DPI = 200
"""Resolution of the pictures: small print stays legible."""


def printer_for(name: str) -> QPrinter:
    """The user's printer, set to A4 without margins: the pictures have theirs. ``name`` is the document's."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    printer.setPageOrientation(QPageLayout.Orientation.Portrait)
    printer.setFullPage(True)
    printer.setDocName(name)
    return printer


def chosen_pages(printer: QPrinter, pages: Sequence[Path]) -> Sequence[Path]:
    """Those of ``pages`` that the user asked for; all where no range was given."""
    first, last = printer.fromPage(), printer.toPage()
    if printer.printRange() is not QPrinter.PrintRange.PageRange or first < 1:
        return pages
    return pages[first - 1 : last or len(pages)]


def paint_pages(printer: QPrinter, pages: Sequence[Path]) -> int:
    """Paint the pictures ``pages`` as large as the sheets are, one at a time; how many sheets there are.

    Raises OSError where the printer, or the file that stands for it, takes none.
    """
    with painting(printer, smooth=False) as painter:
        if not painter.isActive():
            raise OSError("the printer takes no pages")
        for number, page in enumerate(pages):
            if number and not printer.newPage():
                raise OSError("the printer takes no more pages")
            picture = QImage(str(page))
            sheet = QRectF(printer.paperRect(QPrinter.Unit.DevicePixel))
            size = picture.size().toSizeF().scaled(sheet.size(), Qt.AspectRatioMode.KeepAspectRatio)
            painter.drawImage(QRectF(0, 0, size.width(), size.height()), picture)
    return len(pages)
