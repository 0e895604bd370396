"""Pages drawn by a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.printed import ENGLISH, printed
from workbench.base.errors import UserError
from workbench.base.types import Role
from workbench.jobs.children import UNGUARDED
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.reading import recognition
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


def test_a_script_without_the_line_that_guards_its_work_ends_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(printed(ENGLISH) + b" " * 200_000)
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\n"
        "from workbench.base.types import Document\n"
        "from workbench.services.pages.pictures import PagePictures\n"
        f"pages = PagePictures(Path({str(tmp_path / 'long.pdf')!r}).read_bytes(), Document('a', 'text'))\n"
        "try:\n    pages.sizes()\nfinally:\n    pages.close()\n",
        "utf-8",
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[4])}
    ended = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert ended.stderr.rstrip().endswith(str(UNGUARDED))
    script.write_text("if __name__ == '__main__':\n" + indent(script.read_text("utf-8"), "    "), "utf-8")
    ended = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


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
