"""Where recognised text is on its scanned pages, and the pages of pictures."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tests.unit.reading.formats.drawn_pdf import drawn_pdf
from workbench.base.errors import UnreadableInput
from workbench.base.types import BOX_STEPS, Document, Extraction, PrintedPage, WordBox
from workbench.reading.printed_pages import Pages, ScannedPages, boxes_of, pages_of

TEXT = "one two\n縦書き end"
HALF = (BOX_STEPS + 1) // 2
WORDS = (
    WordBox(0, 0, 0, 3, 0, 0, HALF, HALF // 2),
    WordBox(0, 0, 4, 7, HALF, 0, BOX_STEPS, HALF // 2),
    WordBox(1, 0, 8, 11, 0, 0, BOX_STEPS // 16, BOX_STEPS),
    WordBox(1, 1, 12, 15, HALF, HALF, BOX_STEPS, BOX_STEPS),
)
DOCUMENT = Document("d", TEXT, extraction=Extraction(pages=(PrintedPage("", (0,)), PrintedPage("", (8, 12)))))


def scan(kind: str) -> bytes:
    """Two pages, the second one on its side."""
    if kind == "PDF":
        return drawn_pdf(["", ""])
    first, second, file = Image.new("L", (200, 400), 255), Image.new("L", (400, 200), 255), BytesIO()
    first.paste(0, (0, 0, 100, 100))
    first.save(file, kind, save_all=True, append_images=[second])
    return file.getvalue()


@pytest.fixture(params=["TIFF", "PDF"])
def pages(request: pytest.FixtureRequest) -> Pages:
    return pages_of(scan(request.param), DOCUMENT, WORDS)


def test_each_letter_of_a_word_has_its_share_of_the_box(pages: Pages) -> None:
    size = pages.sizes()[0]
    places = pages.places(0)
    assert places.offsets.tolist() == [0, 1, 2, 4, 5, 6]
    assert places.boxes[:, 0] == pytest.approx([size.width * n / 6 for n in range(6)], abs=0.1)
    (box,) = boxes_of(places, 1, 5)
    assert box == pytest.approx((size.width / 6, 0, size.width * 4 / 6, size.height / 4), abs=0.1)
    pages.close()


def test_a_word_that_runs_down_has_its_letters_below_each_other(pages: Pages) -> None:
    size = pages.sizes()[1]
    places = pages.places(1)
    assert places.line.tolist() == [0, 0, 0, 1, 1, 1]
    (box,) = boxes_of(places, 9, 10)
    assert box == pytest.approx((0, size.height / 3, size.width / 16, size.height * 2 / 3), abs=0.1)
    pages.close()


def test_a_scan_is_drawn_in_any_scale_and_marked() -> None:
    pages = pages_of(scan("TIFF"), DOCUMENT, WORDS)
    assert isinstance(pages, ScannedPages)
    assert [(round(s.width), round(s.height)) for s in pages.sizes()] == [(421, 842), (842, 421)]
    picture = pages.picture(0, 0.5)
    rows = np.frombuffer(picture.pixels, np.uint8).reshape(picture.height, picture.width, 4)
    assert (picture.width, picture.height) == (210, 421)
    assert rows[20, 20, :3].tolist() == [0, 0, 0]
    assert rows[300, 150, :3].tolist() == [255, 255, 255]
    marked = np.array(Image.open(BytesIO(pages.marked(0, 0.5, [(4, 7)]))).convert("RGB")).astype(int)
    tinted = marked[:, :, 2] < marked[:, :, 0] - 40
    assert tinted[:100, 110:200].all()
    assert not tinted[120:].any()
    pages.close()


def test_a_damaged_picture_is_refused_in_a_sentence() -> None:
    with pytest.raises(UnreadableInput, match="damaged"):
        pages_of(b"\x89PNG\r\n\x1a\nnothing", DOCUMENT).sizes()
    cut = pages_of(scan("TIFF")[:-300], DOCUMENT)
    with pytest.raises(UnreadableInput, match="damaged"):
        [cut.picture(page, 1.0) for page in range(len(cut.sizes()))]


def test_a_photograph_is_turned_as_the_camera_was_held() -> None:
    image, file = Image.new("L", (400, 200), 255), BytesIO()
    image.paste(0, (0, 0, 100, 100))
    facts = image.getexif()
    facts[0x112] = 6
    image.save(file, "JPEG", exif=facts)
    pages = pages_of(file.getvalue(), DOCUMENT)
    assert [round(side) for side in pages.sizes()[0]] == [421, 842]
    picture = pages.picture(0, 0.5)
    rows = np.frombuffer(picture.pixels, np.uint8).reshape(picture.height, picture.width, 4)
    assert rows[20, 190, 0] < 20
    assert rows[20, 20, 0] > 235
