"""Pictures of text within Word, OpenDocument, PowerPoint and EPUB files, and on web pages."""

from __future__ import annotations

import zipfile
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.unit.reading.formats.items import read
from tests.unit.reading.formats.test_office import docx, run
from tests.unit.reading.test_recognition import FONTS, LINES, picture, saved, tesseract
from workbench.base.types import Span
from workbench.reading import formats
from workbench.reading.formats import Failure, ReadOptions, Record, Source
from workbench.reading.formats.text_pictures import may_hold_text, pictures_with_text
from workbench.services.pages.judging import _judged
from workbench.text.disguises import Trick

__all__ = ["tesseract"]

PAGE = picture(LINES * 3)


def photograph() -> Image.Image:
    rng = np.random.default_rng(4)
    small = Image.fromarray(rng.integers(0, 256, (30, 40, 3), dtype=np.uint8))
    return small.resize((1200, 900), Image.Resampling.BICUBIC)


def chart() -> Image.Image:
    """Bars with an axis and its numbers."""
    image = Image.new("RGB", (1200, 800), "white")
    draw, letters = ImageDraw.Draw(image), ImageFont.truetype(str(FONTS / "PalimpsestUI-Regular.otf"), 30)
    draw.line((100, 50, 100, 700, 1150, 700), fill="black", width=3)
    for number in range(6):
        draw.text((30, 680 - 120 * number), str(20 * number), font=letters, fill="black")
        draw.rectangle((150 + 160 * number, 700 - 90 * number, 250 + 160 * number, 700), fill="steelblue")
    return image


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
@pytest.mark.parametrize("degrees", [0, 0.7])
def test_a_picture_of_a_page_may_hold_text(kind: str, degrees: float) -> None:
    assert may_hold_text(saved(PAGE.rotate(degrees, fillcolor=250), kind))


@pytest.mark.parametrize(
    "image", [photograph(), chart(), Image.new("L", (900, 900), 200)], ids=["photo", "chart", "grey"]
)
def test_other_pictures_hold_none(image: Image.Image) -> None:
    assert not may_hold_text(saved(image, "PNG"))


def test_damaged_and_hostile_pictures_hold_none() -> None:
    data = saved(PAGE, "PNG")
    assert not may_hold_text(data[:300])
    assert not may_hold_text(b"nothing")
    assert not may_hold_text(saved(Image.new("1", (30_000, 5_000)), "PNG"))
    assert pictures_with_text(b"nothing") == []


def test_the_picture_of_the_first_page_that_programs_add_to_a_file_is_none_of_the_document(tmp_path: Path) -> None:
    parts = {"Thumbnails/thumbnail.png": saved(PAGE, "PNG"), "docProps/thumbnail.jpeg": saved(PAGE, "JPEG")}
    path = tmp_path / "a.docx"
    path.write_bytes(docx(f"<w:p>{run('Words.')}</w:p>", **parts))
    (item,) = formats.read(Source(path, path.name))
    assert isinstance(item, Record)
    assert item.document.extraction.integrity == ()


def test_a_text_with_pictures_of_text_is_flagged(tmp_path: Path) -> None:
    media = {"word/media/image1.png": saved(PAGE, "PNG"), "word/media/image2.png": saved(chart(), "PNG")}
    [item] = read(tmp_path / "a.docx", docx(f"<w:p>{run('An honest essay.')}</w:p>", **media))
    assert isinstance(item, Record)
    [flag] = item.document.extraction.integrity
    assert (flag.kind, flag.characters, flag.spans) == (Trick.PICTURES, 1, ())
    assert item.document.text == "An honest essay."


def test_a_page_that_is_only_a_picture_is_offered_for_recognition(tmp_path: Path) -> None:
    [item] = read(tmp_path / "a.docx", docx("<w:p/>", **{"word/media/image1.jpeg": saved(PAGE, "JPEG")}))
    assert isinstance(item, Failure)
    assert item.is_picture
    assert item.error == "Its text is in pictures; it can be read by text recognition (OCR)."


@pytest.mark.usefixtures("tesseract")
@pytest.mark.parametrize("before", ["An honest essay.", ""])
def test_the_text_of_pictures_is_read_with_its_place(before: str, tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    body = f"<w:p>{run(before)}</w:p>" if before else "<w:p/>"
    path.write_bytes(docx(body, **{"word/media/image1.png": saved(PAGE, "PNG")}))
    [item] = formats.read(Source(path, path.name), options=ReadOptions(ocr="eng"))
    assert isinstance(item, Record), item
    document, words = item.document, " ".join(LINES * 3)
    assert document.text == (f"{before}\n{words}" if before else words)
    assert document.blocks[-1].path == "picture[1]"
    assert document.blocks[-1].span == Span(len(document.text) - len(words), len(document.text))
    (sure,) = document.extraction.ocr
    assert str(document.extraction.recognition) == f"with text of 1 picture, {sure} % certain"
    assert not document.extraction.integrity


def with_image(address: str, words: str = "An honest essay of a few words.") -> bytes:
    return f"<html><body><p>{words}</p><p><img alt='' src=\"{address}\"></p></body></html>".encode()


def written_in(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


def saved_page(page: bytes, *pictures: bytes) -> bytes:
    """A page saved with its pictures as one file (MHTML)."""
    parts = [b"Content-Type: text/html; charset=utf-8\nContent-Location: http://a.example/\n\n" + page]
    parts += [
        f"Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Location: http://a.example/{n}.png\n\n".encode()
        + b64encode(data)
        for n, data in enumerate(pictures)
    ]
    head = b'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="xx"; type="text/html"\n\n'
    return head + b"".join(b"--xx\n" + part + b"\n" for part in parts) + b"--xx--\n"


def test_pictures_of_text_written_into_a_page_are_flagged(tmp_path: Path) -> None:
    page = with_image(written_in(saved(PAGE, "PNG"))) + with_image(written_in(saved(chart(), "JPEG"), "jpeg"))
    [item] = read(tmp_path / "a.html", page)
    assert isinstance(item, Record)
    assert [(flag.kind, flag.characters) for flag in item.document.extraction.integrity] == [(Trick.PICTURES, 1)]


def test_pictures_of_text_are_flagged_in_markup_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "SCAN.PNG").write_bytes(saved(PAGE, "PNG"))
    [item] = read(tmp_path / "a.html", b"<HTML><BODY><P>An honest essay of a few words.<P><IMG SRC=SCAN.PNG></HTML>")
    assert isinstance(item, Record)
    assert [(flag.kind, flag.characters) for flag in item.document.extraction.integrity] == [(Trick.PICTURES, 1)]


def test_pictures_of_text_in_a_page_saved_as_one_file_are_flagged(tmp_path: Path) -> None:
    [item] = read(tmp_path / "a.mhtml", saved_page(with_image("http://a.example/0.png"), saved(PAGE, "PNG")))
    assert isinstance(item, Record)
    assert [(flag.kind, flag.characters) for flag in item.document.extraction.integrity] == [(Trick.PICTURES, 1)]


@pytest.mark.parametrize(
    ("address", "counts"),
    [
        ("page_files/scan%201.png", True),
        ("./page_files/scan 1.png?v=2", True),
        ("../outside.png", False),
        ("page_files/link.png", False),
        ("http://127.0.0.1:9/scan.png", False),
        ("page_files/none.png", False),
    ],
)
def test_pictures_of_text_beside_a_saved_page_are_flagged_and_none_outside_its_folder(
    address: str, counts: bool, tmp_path: Path
) -> None:
    files = tmp_path / "saved" / "page_files"
    files.mkdir(parents=True)
    (files / "scan 1.png").write_bytes(saved(PAGE, "PNG"))
    (tmp_path / "outside.png").write_bytes(saved(PAGE, "PNG"))
    (files / "link.png").symlink_to(tmp_path / "outside.png")
    [item] = read(tmp_path / "saved" / "page.html", with_image(address))
    assert isinstance(item, Record)
    assert [flag.characters for flag in item.document.extraction.integrity] == ([1] if counts else [])


def test_pictures_of_text_beside_a_page_in_an_archive_are_flagged(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("in/page.html", with_image("files/scan.png"))
        archive.writestr("in/files/scan.png", saved(PAGE, "PNG"))
    source = Source(path, "a.zip!in/page.html", ("in/page.html",))
    [item] = formats.read(source)
    assert isinstance(item, Record), item
    assert [flag.characters for flag in item.document.extraction.integrity] == [1]


def test_a_page_that_is_only_a_picture_of_text_is_offered_for_recognition(tmp_path: Path) -> None:
    for name, content in (
        ("a.html", with_image(written_in(saved(PAGE, "PNG")), "")),
        ("a.mhtml", saved_page(with_image("0.png", ""), saved(PAGE, "PNG"))),
    ):
        [item] = read(tmp_path / name, content)
        assert isinstance(item, Failure)
        assert item.is_picture
        assert item.error == "Its text is in pictures; it can be read by text recognition (OCR)."


@pytest.mark.usefixtures("tesseract")
def test_the_text_of_pictures_of_a_page_is_read_and_stays_when_its_blocks_are_judged_again(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(with_image(written_in(saved(PAGE, "PNG"))))
    [item] = formats.read(Source(path, path.name), options=ReadOptions(ocr="eng"))
    assert isinstance(item, Record), item
    document = item.document
    assert document.text == "An honest essay of a few words.\n" + " ".join(LINES * 3)
    assert document.blocks[-1].path == "picture[1]"
    assert str(document.extraction.recognition).startswith("with text of 1 picture, ")
    again = _judged(document, document.markup, ReadOptions())
    assert again == document.blocks
