"""Where the text of a document is on its pages, against what PDFium reads there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from tests.exact_places import differences
from tests.printed import COLUMNS, ENGLISH, JAPANESE, TURNED, printed
from workbench.base.errors import UnreadableInput
from workbench.base.types import Document
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.pdf import document
from workbench.reading.printed_pages import PrintedPages

SOURCES = {"paragraphs": ENGLISH, "two columns": COLUMNS, "Japanese": JAPANESE, "on its side, with a table": TURNED}


@cache
def pdf(kind: str) -> tuple[bytes, Document]:
    data = printed(SOURCES[kind])
    return data, document(data, kind, ReadOptions())


@pytest.fixture(params=SOURCES)
def case(request: pytest.FixtureRequest) -> Iterator[tuple[bytes, Document, PrintedPages]]:
    data, text = pdf(request.param)
    pages = PrintedPages(data, text)
    yield data, text, pages
    pages.close()


def test_every_letter_of_the_text_is_somewhere_on_one_page(case: tuple[bytes, Document, PrintedPages]) -> None:
    _, text, pages = case
    placed = [offset for index in range(len(pages.sizes())) for offset in pages.places(index).offsets.tolist()]
    assert len(set(placed)) == len(placed)
    assert {offset for offset, c in enumerate(text.text) if not c.isspace()} <= set(placed)


def test_in_the_boxes_of_a_passage_are_its_words_and_no_others(case: tuple[bytes, Document, PrintedPages]) -> None:
    data, text, _ = case
    compared, wrong = differences(data, text, random.Random(3), most_pages=9, passages=12)
    assert wrong == []
    assert compared > 1_000


def test_a_picture_has_the_page_and_its_scale(case: tuple[bytes, Document, PrintedPages]) -> None:
    _, _, pages = case
    size = pages.sizes()[0]
    picture = pages.picture(0, 2.0)
    assert abs(picture.width - 2 * size.width) < 2
    assert abs(picture.height - 2 * size.height) < 2
    places = pages.places(0)
    left, top, right, bottom = (2 * places.boxes[0]).round().astype(int).tolist()
    row = 4 * picture.width
    inked = [picture.pixels[y * row + 4 * left : y * row + 4 * right] for y in range(top, bottom)]
    assert min(map(min, inked)) < 128
    assert picture.pixels[0] == 255


def test_the_column_of_the_text_is_within_the_margins() -> None:
    data, text = pdf("paragraphs")
    pages = PrintedPages(data, text)
    column = pages.column()
    pages.close()
    centimetre = 72 / 2.54
    assert abs(column.left - centimetre) < 3
    assert abs(column.right - 11 * centimetre) < 8


def test_what_is_not_a_pdf_is_refused_with_a_sentence() -> None:
    with pytest.raises(UnreadableInput, match="cannot be shown"):
        PrintedPages(b"%PDF-1.4 nothing", Document("d", "text"))


def test_a_damaged_file_gives_pages_or_a_sentence() -> None:
    data, text = pdf("two columns")
    rng, refused = random.Random(7), 0
    for _ in range(25):
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 20, 400))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        if rng.random() < 0.2:
            del damaged[rng.randrange(len(damaged)) :]
        try:
            pages = PrintedPages(bytes(damaged), text)
            for index in range(min(3, len(pages.sizes()))):
                places = pages.places(index)
                assert np.isfinite(places.boxes).all()
                assert (np.diff(places.offsets) > 0).all()
                assert all(0 <= offset < len(text.text) for offset in places.offsets.tolist())
                assert pages.picture(index, 0.5).width < 2_000
                assert pages.marked(index, 0.5, [(0, 200)]).startswith(b"\x89PNG")
            pages.close()
        except UnreadableInput:
            refused += 1
    assert 0 < refused < 25
