from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tests import rich
from workbench.base.types import Block, Document, Span
from workbench.reading.printed_pages import Ground, boxes_of
from workbench.reading.rich_pages import RichPages


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return rich.written(tmp_path_factory.mktemp("rich"), "page.html")


def test_every_letter_of_a_document_has_a_place_of_its_own_on_one_page(document: Document) -> None:
    pages = RichPages(document)
    offsets = np.concatenate([pages.places(index).offsets for index in range(len(pages.sizes()))])
    in_blocks = {at for block in document.blocks for at in range(block.span.start, block.span.end)}
    assert sorted(offsets.tolist()) == sorted(at for at in in_blocks if not document.text[at].isspace())
    for index, size in enumerate(pages.sizes()):
        boxes = pages.places(index).boxes
        assert (boxes[:, :2] >= 0).all()
        assert boxes[:, 2].max() <= size.width
        assert boxes[:, 3].max() <= size.height


def test_headings_are_larger_cells_are_beside_each_other_and_items_are_indented(document: Document) -> None:
    pages = RichPages(document)

    def box(words: str) -> tuple[float, ...]:
        at = document.text.index(words)
        for index in range(len(pages.sizes())):
            if boxes := boxes_of(pages.places(index), at, at + len(words)):
                return (*boxes[0], float(index))
        raise AssertionError(words)

    heading, text = box("Harbours of the north"), box("There are many")
    assert heading[3] - heading[1] > 1.3 * (text[3] - text[1])
    assert box("The first light")[0] > text[0]
    assert box("A light within")[0] > box("The second light")[0]
    left, right = box("North"), box("Twelve")
    assert left[1::3] == right[1::3]
    assert right[0] > left[2]


def test_pages_continue_until_the_text_ends() -> None:
    long = Document("long", "\n".join(f"Line {number} of a long text." for number in range(500)))
    pages = RichPages(long)
    assert len(pages.sizes()) > 5
    assert pages.sizes()[-1].height < pages.sizes()[0].height
    last = boxes_of(pages.places(len(pages.sizes()) - 1), len(long.text) - 5, len(long.text))
    assert len(last) == 1
    assert pages.document.extraction.pages[0].lines[0] == 0


def test_a_table_row_that_is_higher_than_a_page_continues_on_the_next_ones() -> None:
    words = ["あ" * 1500, "short", "いろは", "end"]
    text, blocks = "\n".join(words), []
    for number, word in enumerate(words, 1):
        at = text.index(word)
        blocks.append(Block(Span(at, at + len(word)), path=f"table[1]/tr[1]/td[{number}]" if number < 4 else "p[4]"))
    pages = RichPages(Document("table", text, blocks=tuple(blocks)))
    places = [pages.places(index) for index in range(len(pages.sizes()))]
    assert np.concatenate([place.offsets for place in places]).size == sum(map(len, words))
    for place, size in zip(places, pages.sizes(), strict=True):
        assert place.boxes[:, 3].max() <= size.height
    last = places[-1].boxes
    assert last[-1, 1] >= last[:-3, 3].max(), "the text after the table is below it"
    RichPages(Document("table", text[:-4], blocks=tuple(blocks[:-1])))


def test_an_item_that_continues_after_a_list_within_it_has_one_bullet() -> None:
    paths = ("ul[1]/li[1]/p[1]", "ul[1]/li[1]/ul[2]/li[1]/p[2]", "ul[1]/li[1]/p[3]", "ul[1]/li[2]/p[4]")
    blocks = tuple(Block(Span(4 * at, 4 * at + 3), path=path) for at, path in enumerate(paths))
    page = RichPages(Document("items", "one\ntwo\nand\nmor", blocks=blocks)).picture(0, 1.0)
    pixels = np.frombuffer(page.pixels, np.uint8).reshape(page.height, page.width, 4)[:, :, 0]
    bullets = (pixels[:, 34:41] < 255).any(1).astype(int)
    assert int(np.diff(bullets, prepend=0).clip(0).sum()) == 2


def test_words_longer_than_a_line_are_broken_and_unknown_letters_do_no_harm() -> None:
    wide = Document("wide", "x" * 5_000 + " \U0001f600 \u0f40\u0f41 終わり")
    pages = RichPages(wide)
    for index in range(len(pages.sizes())):
        places = pages.places(index)
        assert places.boxes[:, 2].max() <= pages.sizes()[0].width
        assert pages.picture(index, 1.0).width == round(pages.sizes()[0].width)


def test_grounds_and_marks_are_seen_on_the_picture(document: Document) -> None:
    pages = RichPages(document)
    start = document.text.index("There are many")
    end = start + len("There are many")

    def colours(*arguments: object) -> np.ndarray:
        file = pages.marked(0, 1.0, *arguments)  # type: ignore[arg-type]
        picture = np.array(Image.open(BytesIO(file)).convert("RGB")).astype(int)
        left, top, right, bottom = (round(edge) for edge in boxes_of(pages.places(0), start, end)[0])
        return picture[top + 1 : bottom - 3, left:right].reshape(-1, 3).max(0)

    bare, marked = colours([]), colours([(start, end)], [], [7])
    content = colours([], [Ground(start, end, is_content=True)])
    other = colours([], [Ground(start, end, is_content=False)])
    assert bare.min() > 245
    assert marked[2] < marked[0] - 50
    assert content[0] < content[2] - 15
    assert other.max() < 225
