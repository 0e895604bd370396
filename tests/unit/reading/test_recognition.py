"""Text that is read from pictures says how sure it is, and what cannot be read says what to do."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.unit.reading.formats.drawn_pdf import drawn_pdf, text
from workbench.base.errors import UserError
from workbench.base.types import BOX_STEPS, Document, Extraction, PrintedPage
from workbench.reading import formats, recognition
from workbench.reading.formats import Failure, Item, ReadOptions, Record, Source
from workbench.reading.formats.pdf_places import words_in_text
from workbench.reading.formats.picture import opened, page
from workbench.reading.formats.running_heads import PdfLine, SeenWord

LINES = (
    "The harbour was quiet in the morning, and the fishermen",
    "mended their nets beside the wall. Nobody had seen the ship",
    "for a week, but the old man was certain that it would return.",
)
FONTS = Path(__file__).resolve().parents[3] / "resources" / "fonts"


def picture(lines: tuple[str, ...] = LINES, font: str = "PalimpsestUI-Regular.otf") -> Image.Image:
    image = Image.new("L", (1240, 90 * len(lines) + 160), 250)
    draw, letters = ImageDraw.Draw(image), ImageFont.truetype(str(FONTS / font), 38)
    for number, line in enumerate(lines):
        draw.text((80, 80 + 90 * number), line, font=letters, fill=25)
    return image


def saved(image: Image.Image, kind: str, more: tuple[Image.Image, ...] = ()) -> bytes:
    file = BytesIO()
    image.save(file, kind, **({"save_all": True, "append_images": more} if more else {}))
    return file.getvalue()


def read(tmp_path: Path, name: str, data: bytes, ocr: str = "") -> Item:
    path = tmp_path / name
    path.write_bytes(data)
    (item,) = formats.read(Source(path, path.name), options=ReadOptions(ocr=ocr))
    return item


@pytest.fixture(scope="module")
def tesseract() -> None:
    try:
        recognition.check("eng")
    except UserError as error:
        pytest.skip(error.sentence)


@pytest.mark.usefixtures("tesseract")
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "PDF"])
def test_a_picture_of_text_is_read_and_says_how_sure_it_is(kind: str, tmp_path: Path) -> None:
    item = read(tmp_path, f"a.{kind.lower()}", saved(picture(), kind), "eng")
    assert isinstance(item, Record), item
    assert " ".join(LINES) == item.document.text
    (sure,) = item.document.extraction.ocr
    assert 80 <= sure <= 100
    assert str(item.document.extraction.recognition) == f"read from a picture, {sure} % certain"
    assert {block.path for block in item.document.blocks} == {"page[1]"}
    assert len(item.document.extraction.pages[0].lines) == len(LINES)


@pytest.mark.parametrize("letters", [0, 255])
@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "I;16", "I", "F"])
def test_letters_on_no_ground_and_in_many_shades_of_grey_are_seen(mode: str, letters: int) -> None:
    grey = Image.new("L", (400, 100), 255 - letters)
    ImageDraw.Draw(grey).rectangle((50, 40, 350, 60), letters)
    if mode in ("RGBA", "LA", "P"):
        ink = grey.point(lambda value: 255 if value == letters else 0)
        own = Image.merge("RGBA", (*[Image.new("L", grey.size, letters)] * 3, ink)).convert("RGBA")
        image = own.quantize(8) if mode == "P" else own.convert(mode)
    else:
        shades = np.asarray(grey, np.float32) / 255
        image = Image.fromarray((shades * 65_000).astype({"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode]))
    data = saved(image, "PNG" if mode in ("RGBA", "LA", "P") else "TIFF")
    seen = page(opened(data), 0).convert("L")
    assert (seen.getpixel((200, 50)), seen.getpixel((10, 10))) == (letters, 255 - letters)


@pytest.mark.usefixtures("tesseract")
def test_letters_of_a_transparent_picture_are_read(tmp_path: Path) -> None:
    ink = picture().point(lambda value: 255 - value)
    black = Image.new("L", ink.size, 0)
    item = read(tmp_path, "a.png", saved(Image.merge("RGBA", (black, black, black, ink)), "PNG"), "eng")
    assert isinstance(item, Record), item
    assert item.document.text == " ".join(LINES)


@pytest.mark.usefixtures("tesseract")
def test_each_page_has_its_own_confidence_and_place(tmp_path: Path) -> None:
    second = picture(("Another page has other words on it, and this is one.",))
    item = read(tmp_path, "a.tif", saved(picture(), "TIFF", (second,)), recognition.AUTOMATIC)
    assert isinstance(item, Record), item
    assert len(item.document.extraction.ocr) == 2
    assert [len(page.lines) for page in item.document.extraction.pages] == [len(LINES), 1]
    assert item.document.text[item.document.extraction.pages[1].lines[0] :].startswith("Another page")


@pytest.mark.usefixtures("tesseract")
def test_pages_with_text_of_their_own_keep_it(tmp_path: Path) -> None:
    item = read(tmp_path, "a.pdf", drawn_pdf([text(LINES), ""]), "eng")
    assert isinstance(item, Record), item
    assert item.document.extraction.ocr == ()
    assert item.document.extraction.recognition is None


@pytest.mark.parametrize("kind", ["PNG", "PDF"])
def test_what_is_only_a_picture_is_offered_for_recognition(kind: str, tmp_path: Path) -> None:
    item = read(tmp_path, f"a.{kind.lower()}", saved(picture(), kind))
    assert isinstance(item, Failure)
    assert item.is_picture
    assert "text recognition (OCR)" in item.error


def test_damaged_pictures_are_refused_in_a_sentence(tmp_path: Path) -> None:
    data = saved(picture(), "PNG")
    for name, content in (("a.png", data[:200]), ("b.png", b"no picture"), ("c.jpg", b"\xff\xd8\xff" + bytes(99))):
        item = read(tmp_path, name, content, "eng")
        assert isinstance(item, Failure)
        assert (item.error, item.is_picture) == ("This picture is damaged, or of a kind that cannot be read.", False)


def test_a_picture_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    item = read(tmp_path, "a.png", saved(Image.new("1", (30_000, 5_000)), "PNG"), "eng")
    assert isinstance(item, Failure)
    assert item.error == "This picture is too large."


def test_without_tesseract_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pytesseract = pytest.importorskip("pytesseract")
    monkeypatch.setattr(pytesseract.pytesseract, "tesseract_cmd", "no-such-program")
    recognition.installed.cache_clear()
    try:
        with pytest.raises(UserError, match="needs the program tesseract") as error:
            recognition.check(recognition.AUTOMATIC)
    finally:
        recognition.installed.cache_clear()
    assert "apt install tesseract-ocr" in str(error.value.hint)


def test_a_language_without_data_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "installed", lambda: ("eng", "jpn"))
    recognition.check("eng+jpn")
    with pytest.raises(UserError, match="no data for fra, tlh") as error:
        recognition.check("eng+fra+tlh")
    assert "eng, jpn" in str(error.value.hint)


def test_words_become_lines_without_spaces_between_han_and_dirt_is_left_out() -> None:
    words = [
        (1, 1, 10, 90.0, "吾輩"), (1, 1, 10, 80.0, "は"), (1, 1, 10, 70.0, "猫"), (1, 1, 10, 60.0, "OCR"),
        (1, 2, 30, 20.0, "~;"), (1, 2, 30, -1, ""), (2, 1, 90, 100.0, "A"), (2, 1, 90, 100.0, "page"),
    ]  # fmt: skip
    table = {
        "block_num": [1] * len(words), "par_num": [w[0] for w in words], "line_num": [w[1] for w in words],
        "top": [w[2] for w in words], "left": [10 * n for n in range(len(words))], "width": [8] * len(words),
        "height": [5] * len(words), "conf": [w[3] for w in words], "text": [w[4] for w in words],
    }  # fmt: skip
    page = recognition._of_table(table, 200, 100)
    assert [(line.text, line.top) for line in page.lines] == [("吾輩は猫 OCR", 0.1), ("A page", 0.9)]
    assert page.confidence == round((2 * 90 + 80 + 70 + 3 * 60 + 5 * 100) / 12)


def test_languages_are_narrowed_by_the_document_and_scripts_are_tried_apart() -> None:
    there = ("chi_sim", "chi_tra", "deu", "eng", "jpn", "jpn_vert")
    assert recognition._candidates(there, None) == ["eng+deu", "chi_sim", "chi_tra", "jpn"]
    assert recognition._candidates(there, "ja") == ["jpn"]
    assert recognition._candidates(there, "zh") == ["chi_sim", "chi_tra"]
    assert recognition._candidates(there, "sw") == ["eng+deu", "chi_sim", "chi_tra", "jpn"]


def test_some_pages_of_several_are_said_to_be_read() -> None:
    assert str(Extraction("pdf", ocr=(0, 90, 80)).recognition) == "2 of 3 pages read from pictures, 85 % certain"


@pytest.mark.usefixtures("tesseract")
@pytest.mark.parametrize("kind", ["TIFF", "PDF", *(pytest.param(k, marks=pytest.mark.rest) for k in ("PNG", "JPEG"))])
def test_the_box_of_each_word_is_where_it_was_drawn(kind: str, tmp_path: Path) -> None:
    item = read(tmp_path, f"a.{kind.lower()}", saved(picture(), kind), "eng")
    assert isinstance(item, Record), item
    document, (width, height) = item.document, picture().size
    assert [document.text[w.start : w.end] for w in document.words] == " ".join(LINES).split()
    letters, draw = ImageFont.truetype(str(FONTS / "PalimpsestUI-Regular.otf"), 38), ImageDraw.Draw(picture())
    words = iter(document.words)
    for number, line in enumerate(LINES):
        for match in re.finditer(r"\S+", line):
            word, left = next(words), 80 + letters.getlength(line[: match.start()])
            assert word.line == number
            drawn = draw.textbbox((left, 80 + 90 * number), match[0], font=letters)
            read_there = (round(edge / BOX_STEPS * n) for edge, n in zip(word[4:], (width, height) * 2, strict=True))
            assert all(abs(a - b) <= 5 for a, b in zip(drawn, read_there, strict=True)), (match[0], drawn, word)


def test_a_word_that_a_line_divides_ends_where_its_hyphen_is() -> None:
    first = PdfLine("an exam-", 0.1, words=(SeenWord(0, 2, 0.1, 0.1, 0.2, 0.2), SeenWord(3, 8, 0.3, 0.1, 0.8, 0.2)))
    second = PdfLine("ple of it", 0.3, words=(SeenWord(0, 3, 0.1, 0.3, 0.4, 0.4),))
    text = Document("d", "an example of it", extraction=Extraction(pages=(PrintedPage("", (0, 7)),)))
    an, exam, ple = words_in_text(text, {0: [first, second]})
    assert [(w.line, text.text[w.start : w.end]) for w in (an, exam, ple)] == [(0, "an"), (0, "exam"), (1, "ple")]
    assert exam.right == round(BOX_STEPS * 0.7)


def test_the_language_that_reads_most_of_the_page_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    few = PdfLine("ll", 0.5, words=(SeenWord(0, 2, 0.5, 0.5, 0.52, 0.52),))
    most = PdfLine("文章全体", 0.1, words=(SeenWord(0, 4, 0.1, 0.1, 0.9, 0.2),))
    trials = {"eng": recognition.Recognised([few], 96), "jpn": recognition.Recognised([most], 80)}
    monkeypatch.setattr(recognition, "installed", lambda: ("eng", "jpn"))
    monkeypatch.setattr(recognition, "_recognised", lambda _picture, names: trials[names])
    assert recognition._chosen(picture(), recognition.AUTOMATIC, None, 1, None) == "jpn"
