"""A long book as a page of its own: how long it takes to lay it out, to show it and to go elsewhere in it.

QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.rich_page [CHAPTERS]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QApplication

from workbench.gui.document.layout import laid_out
from workbench.gui.document.rich_layout import RichLayout
from workbench.gui.document.view import DocumentView
from workbench.reading.formats.html import page

_WORDS = "And more of it goes on in words like these until the end of the line. " * 6
_PARAGRAPH = f"<p>The <b>harbour</b> of the old town was <i>quiet</i>, and nobody on the pier saw it. {_WORDS}</p>"
_ROWS = "<tr><td>North</td><td>twelve boats, three of them under repair</td></tr>" * 8
_CHAPTER = f"<h2>Chapter</h2>{_PARAGRAPH * 12}<table>{_ROWS}</table><ul>{'<li>item of a list</li>' * 10}</ul>"


def seconds(action: Callable[[], object]) -> float:
    """How long ``action`` takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main(chapters: int) -> None:
    """Print the figures for a book of so many chapters of two pages."""
    app = QApplication([])
    book = page(f"<html><body>{_CHAPTER * chapters}</body></html>", "book")
    print(f"{len(book.text):,} characters, {len(book.blocks):,} blocks, {len(book.extraction.looks):,} looks")
    print(f"laid out: {seconds(lambda: RichLayout(book)):.3f} s")
    layout = RichLayout(book)
    view = DocumentView()
    view.resize(500, 800)
    view.show()
    view.set_document(laid_out(book), "en")

    def show() -> None:
        view.show_lines(layout)
        view.viewport().repaint()

    def jump(share: float) -> None:
        bar.setValue(round(bar.maximum() * share))
        view.viewport().repaint()

    def widen() -> None:
        view.resize(700, 800)
        app.processEvents()

    print(f"shown: {seconds(show):.4f} s")
    bar = view.verticalScrollBar()
    jumps = [seconds(partial(jump, share / 200)) for share in range(200)]
    print(f"elsewhere: median {statistics.median(jumps):.4f} s, slowest {max(jumps):.4f} s")
    print(f"another width: {seconds(widen):.4f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 150)
