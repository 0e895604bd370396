"""Whether the rectangles of passages on the pages of a PDF have their words in them and no others."""

from __future__ import annotations

from collections import Counter
from random import Random
from string import digits

import numpy as np
import pypdfium2

from workbench.base.types import Document
from workbench.reading.printed_pages import PagePlaces, PrintedPages, boxes_of

_NO_LETTERS = "-\u2010\u00ad\ufffe\x02”：」』"
"""A hyphen that divides a word is on the page and not in the text; wide stops and quotation marks that are set close to
each other share their boxes.
"""


def letters(text: str) -> Counter[str]:
    """The characters of a text, without white space and hyphens."""
    return Counter(c for c in text if not c.isspace() and c not in _NO_LETTERS)


def differences(
    data: bytes, document: Document, rng: Random, *, most_pages: int, passages: int
) -> tuple[int, list[str]]:
    """How many characters were compared on random pages, and what is different of random passages that are there."""
    pages, file = PrintedPages(data, document), pypdfium2.PdfDocument(data)
    compared, wrong = 0, []
    try:
        for index in sorted(rng.sample(range(len(file)), min(most_pages, len(file)))):
            places = pages.places(index)
            page = _Page(file, index)
            for start, end in _passages(document.text, places, rng, passages):
                own = letters("".join(document.text[at] for at in places.offsets.tolist() if start <= at < end))
                shown = letters(page.text_in(places, start, end))
                compared += own.total()
                missing, more = own - shown, shown - own
                # Marks of notes are on the page and not in the text.
                if missing or not set(more) <= set(digits):
                    wrong.append(f"page {index + 1}, {start}–{end}: without {missing}, with {more}")
    finally:
        pages.close()
        file.close()
    return compared, wrong


def _passages(text: str, places: PagePlaces, rng: Random, count: int) -> list[tuple[int, int]]:
    # Two letters of a ligature are one glyph.
    words = [at for at in places.offsets.tolist() if not text[at - 1 : at].isascii() or text[at - 1 : at].isspace()]
    return [(min(some), max(some)) for some in (rng.sample(words, 2) for _ in range(count if len(words) > 1 else 0))]


class _Page:
    """The characters of a page and where their middles are, in points from its top left corner."""

    def __init__(self, file: pypdfium2.PdfDocument, index: int) -> None:
        page = file[index]
        textpage, height = page.get_textpage(), page.get_height()
        text = textpage.get_text_range()
        self.characters = np.array(list(text))
        assert len(text) == textpage.count_chars()
        boxes = np.array([textpage.get_charbox(at) for at in range(len(text))]).reshape(-1, 4)
        self.across = (boxes[:, 0] + boxes[:, 2]) / 2
        self.down = height - (boxes[:, 1] + boxes[:, 3]) / 2
        textpage.close()
        page.close()

    def text_in(self, places: PagePlaces, start: int, end: int) -> str:
        """The characters in the rectangles of ``[start, end)``."""
        there = np.zeros(len(self.characters), bool)
        for box in boxes_of(places, start, end):
            there |= (
                (box.left < self.across) & (self.across < box.right) & (box.top < self.down) & (self.down < box.bottom)
            )
        return "".join(self.characters[there].tolist())
