"""Pages of a long PDF in a view: how long the first one takes and those that are jumped to, and what memory they need.

QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.page_view [PAGES]
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from tests.printed import printed
from workbench.gui.document.layout import laid_out
from workbench.gui.document.page_layout import PageFeed, PageLayout
from workbench.gui.document.view import DocumentView
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.pdf import document
from workbench.services.pages.pictures import PagePictures

_PAGE = "= Chapter\n#lorem(480)\n#pagebreak()\n"
_SETTINGS = '#set page(paper: "a4", numbering: "1", header: [A running header])\n'
_PATIENCE = 60.0


def resident(pid: int | str) -> float:
    """Megabytes that a process holds."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


def until(is_so: Callable[[], object]) -> float:
    """Seconds until something is so."""
    started = time.perf_counter()
    while not is_so() and time.perf_counter() < started + _PATIENCE:
        QApplication.processEvents()
        time.sleep(0.001)
    return time.perf_counter() - started


def main(pages: int) -> None:
    """Print the figures for a book of so many pages."""
    data = printed(_SETTINGS + _PAGE * pages)
    started = time.perf_counter()
    book = document(data, "book", ReadOptions())
    print(f"read {len(book.extraction.pages):,} pages: {time.perf_counter() - started:.1f} s")
    app = QApplication([])
    view = DocumentView()
    view.resize(600, 900)
    view.show()
    view.set_document(laid_out(book), "en")
    before = resident("self")
    feed, opened = PageFeed(PagePictures(data, book)), list[bool]()
    feed.opened.connect(lambda: opened.append(True))
    print(f"process started: {until(lambda: opened):.3f} s")
    layout = PageLayout(book, feed)
    feed.arrived.connect(lambda _page: view.show_arrived())
    view.show_lines(layout)
    print(f"first page: {until(lambda: 0 in feed.images):.3f} s")
    waits, own = [], []
    for page in range(10, pages, max(1, pages // 60)):
        started = time.perf_counter()
        view.show_place(float(book.extraction.pages[page].lines[0]), 0.1)
        own.append(time.perf_counter() - started)
        waits.append(own[-1] + until(lambda page=page: page in feed.images))  # type: ignore[misc]
    print(f"a page elsewhere: median {statistics.median(waits):.3f} s, slowest {max(waits):.3f} s")
    print(f"of that in the window: at most {max(own):.4f} s")
    process = sum(resident(child.pid or 0) for child in multiprocessing.active_children())
    print(f"memory: window +{resident('self') - before:.0f} MB, process {process:.0f} MB")
    feed.close()
    del app


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
