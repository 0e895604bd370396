"""Pages drawn by a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.printed import ENGLISH, printed
from workbench.base.errors import UserError
from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.reading import recognition
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.pdf import document
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.pages.pictures import PagePictures, page_pictures
from workbench.services.session import Session, create

FONTS = Path(__file__).resolve().parents[4] / "resources" / "fonts"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    (tmp_path / "thesis.pdf").write_bytes(printed(ENGLISH))
    (tmp_path / "plain.txt").write_text("No pages here.", "utf-8")
    create(path)
    context = Context("test", lambda event: None, lambda: False)
    assert import_paths(context, path, [tmp_path / "thesis.pdf", tmp_path / "plain.txt"], Role.SUSPECT).imported == 2
    (tmp_path / "thesis.pdf").unlink()
    return path


def pictures(path: Path, name: str) -> PagePictures | None:
    with Session(path) as session:
        with session.read() as connection:
            document = load_document(connection, name)
        return page_pictures(session, document)


def test_pages_are_shown_when_the_file_is_gone(project: Path) -> None:
    pages = pictures(project, "thesis.pdf")
    assert pages is not None
    assert len(pages.sizes()) > 1
    assert abs(pages.picture(1, 1.0).width - 12 / 2.54 * 72) < 2
    assert len(pages.places(1).offsets) > 100
    pages.close()
    with pytest.raises(UserError):
        pages.picture(0, 1.0)


@pytest.mark.parametrize("name", ["scan.pdf", "scan.png"])
def test_a_scan_is_shown_with_its_words_in_their_places(name: str, tmp_path: Path) -> None:
    try:
        recognition.check("eng")
    except UserError as error:
        pytest.skip(error.sentence)
    path, words = tmp_path / "case.palimpsest", "The harbour was quiet in the morning."
    image = Image.new("L", (1200, 600), 255)
    letters = ImageFont.truetype(str(FONTS / "PalimpsestUI-Regular.otf"), 38)
    ImageDraw.Draw(image).text((60, 400), words, font=letters, fill=0)
    image.save(tmp_path / name)
    create(path)
    context = Context("test", lambda event: None, lambda: False)
    options = ImportOptions(ocr="eng")
    assert import_paths(context, path, [tmp_path / name], Role.SUSPECT, options).imported == 1
    pages = pictures(path, name)
    assert pages is not None
    start = words.index("quiet")
    marked = Image.open(BytesIO(pages.marked(0, 1.0, [(start, start + len("quiet"))]))).convert("RGB")
    scale = marked.width / image.width
    tinted = np.array(marked).astype(int)
    columns = np.flatnonzero((tinted[:, :, 2] < tinted[:, :, 0] - 40).any(0)) / scale
    left = 60 + letters.getlength(words[:start])
    assert abs(columns[0] - left) < 6
    assert abs(columns[-1] - left - letters.getlength("quiet")) < 6
    pages.close()


def test_a_text_without_pages_has_none(project: Path) -> None:
    assert pictures(project, "plain.txt") is None


def test_a_process_that_dies_costs_one_page(project: Path) -> None:
    pages = pictures(project, "thesis.pdf")
    assert pages is not None
    pages.sizes()
    assert pages._process is not None
    pages._process.kill()
    with pytest.raises(UserError, match="could not be drawn"):
        pages.picture(0, 1.0)
    assert pages.picture(0, 1.0).height > 0
    pages.close()


def test_a_script_needs_no_line_that_guards_its_work(tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(printed(ENGLISH) + b" " * 200_000)
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\n"
        "from workbench.base.types import Document\n"
        "from workbench.services.pages.pictures import PagePictures\n"
        f"pages = PagePictures(Path({str(tmp_path / 'long.pdf')!r}).read_bytes(), Document('a', 'text'))\n"
        "try:\n    print(len(pages.sizes()))\nfinally:\n    pages.close()\n",
        "utf-8",
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[4])}
    ended = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "4\n", "")


def test_a_file_is_kept_once_and_added_when_it_is_imported_again(project: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.pdf").write_bytes(printed(ENGLISH))
    with Session(project) as session, session.write() as connection:
        connection.exec_driver_sql("DELETE FROM original")
    assert pictures(project, "thesis.pdf") is None
    context = Context("test", lambda event: None, lambda: False)
    assert import_paths(context, project, [tmp_path / "thesis.pdf"], Role.SUSPECT).duplicates == 1
    pages = pictures(project, "thesis.pdf")
    assert pages is not None
    with Session(project) as session, session.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM capture_body").scalar() == 1


def _without_fonts(font: str, encoding: str, ordering: str, text: str) -> bytes:
    """A PDF that names a font and has no font file, as many made in East Asia."""
    words = text.encode("utf-16-be").hex()
    stream = f"BT /F 24 Tf 20 40 Td <{words}> Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Resources<</Font<</F 4 0 R>>>>/Contents 7 0 R>>",
        f"<</Type/Font/Subtype/Type0/BaseFont/{font}/Encoding/{encoding}/DescendantFonts[5 0 R]>>",
        f"<</Type/Font/Subtype/CIDFontType0/BaseFont/{font}/CIDSystemInfo<</Registry(Adobe)/Ordering({ordering})"
        "/Supplement 2>>/FontDescriptor 6 0 R/DW 1000>>",
        f"<</Type/FontDescriptor/FontName/{font}/Flags 6/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800"
        "/Descent -200/CapHeight 700/StemV 80>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
    ]
    file = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj{body}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        file
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer<</Size {len(objects) + 1}/Root 1 0 R>>\n"
            f"startxref\n{len(file)}\n%%EOF"
        ).encode()
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have fonts of these scripts")
@pytest.mark.parametrize(
    ("font", "encoding", "ordering", "text"),
    [
        ("HeiseiMin-W3", "UniJIS-UCS2-H", "Japan1", "吾輩は猫である"),
        ("STSong-Light", "UniGB-UCS2-H", "GB1", "鲁镇年终记事"),
    ],
)
def test_letters_of_fonts_that_the_file_lacks_are_drawn(font: str, encoding: str, ordering: str, text: str) -> None:
    data = _without_fonts(font, encoding, ordering, text)
    pages = PagePictures(data, document(data, "a.pdf", ReadOptions()))
    try:
        assert pages.document.text == text
        picture = pages.picture(0, 2.0)
    finally:
        pages.close()
    dark = np.frombuffer(picture.pixels, np.uint8).reshape(picture.height, picture.width, 4)[:, :, 0] < 128
    assert dark.mean() > 0.01
