"""Reports with pictures of the pages that they cite."""

from __future__ import annotations

import re
import zipfile
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from tests.printed import ENGLISH, printed
from tests.project_files import build_once
from workbench.base.errors import UserError
from workbench.base.types import Document, Extraction, PrintedPage, Role, Span
from workbench.jobs.context import Context
from workbench.project.originals import load_original
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import import_paths
from workbench.services.reports import cited_pages
from workbench.services.reports.cited_pages import pages_with
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.reports.verifying import verify_pack
from workbench.services.session import Session, create

COPIED = (
    "The harbour of the old town was quiet that evening, and nobody on the long wooden pier saw the small boat leave "
    "before the lanterns along the water had been lit by the keeper of the light."
)


@build_once
def build(path: Path) -> None:
    """A thesis of several pages with a copied paragraph on the last but one, and the text that has it."""
    (path.parent / "thesis.pdf").write_bytes(printed(f"{ENGLISH}#pagebreak()\n{COPIED}\n\n#lorem(120)\n"))
    (path.parent / "source.txt").write_text(f"Something before it.\n\n{COPIED}\n\nAnd after it.\n", "utf-8")
    create(path)
    context = Context("test", lambda event: None, lambda: False)
    for name, role in (("source.txt", Role.SOURCE), ("thesis.pdf", Role.SUSPECT)):
        import_paths(context, path, [path.parent / name], role)
    assert detect(context, path, "digest", {}, workers=1).matches == 1


@pytest.fixture
def project(tmp_path: Path) -> Path:
    build(tmp_path / "case.palimpsest")
    return tmp_path / "case.palimpsest"


def report(project: Path, name: str, **selection: bool) -> Path:
    out = project.with_name(name)
    with Session(project, write=False) as session:
        export(session, Selection(**selection), out)
    return out


def test_the_page_is_beside_its_passage_with_the_words_marked(project: Path) -> None:
    html = report(project, "report.html", with_pages=True).read_text("utf-8")
    [cited] = re.findall(r"p\. (\d+), lines", html)
    [(words, data)] = re.findall(r'<img alt="([^"]+)" src="data:image/png;base64,([^"]+)">', html)
    assert words == f"p. {cited}"
    pixels = np.array(Image.open(BytesIO(b64decode(data))).convert("RGB")).astype(int)
    tinted = (pixels[:, :, 0] > 230) & (pixels[:, :, 2] < 200)
    rows = np.flatnonzero(tinted.any(axis=1))
    # Three or four lines of the paragraph, at the top of the page.
    assert 30 < len(rows) < 120
    assert rows[-1] < len(pixels) / 2
    assert "data:image" not in report(project, "plain.html").read_text("utf-8")


def test_the_only_page_is_larger_than_one_of_two(project: Path) -> None:
    html = report(project, "report.html", with_pages=True).read_text("utf-8")
    assert '<tr class="pages"><td colspan="2">' in html
    assert html.count('<tr class="pages">') == html.count('<td colspan="2">')
    file = pypdfium2.PdfDocument(report(project, "report.pdf", with_pages=True).read_bytes())
    widths = [
        (box := item.get_bounds())[2] - box[0]
        for page in file
        for item in page.get_objects([pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
    ]
    width = file[0].get_width()
    file.close()
    assert min(widths) > width / 2


def test_a_pdf_has_the_picture(project: Path) -> None:
    file = pypdfium2.PdfDocument(report(project, "report.pdf", with_pages=True).read_bytes())
    kinds = [item.type for page in file for item in page.get_objects()]
    file.close()
    assert kinds.count(pypdfium2.raw.FPDF_PAGEOBJ_IMAGE) == 1


def test_a_pack_has_pages_and_the_file_and_a_change_of_either_is_noticed(project: Path, tmp_path: Path) -> None:
    out = report(project, "pack.zip")
    with zipfile.ZipFile(out) as pack:
        files = {name: pack.read(name) for name in pack.namelist()}
    assert b"data:image/png" in files["report.html"]
    [original] = [data for name, data in files.items() if name.startswith("originals/") and name.endswith(".pdf")]
    with Session(project, write=False) as session, session.read() as connection:
        assert original == load_original(connection, 2)
    assert verify_pack(out).whole
    for name in files:
        if name.startswith("originals/") or name == "report.html":
            changed = tmp_path / "changed.zip"
            with zipfile.ZipFile(changed, "w") as pack:
                for other, data in files.items():
                    pack.writestr(other, data[:-1] + b"?" if other == name else data)
            assert not verify_pack(changed).whole


def test_a_report_without_names_has_no_pages(project: Path) -> None:
    with pytest.raises(UserError, match="Pages show names"):
        report(project, "report.html", with_pages=True, anonymous=True)
    with zipfile.ZipFile(report(project, "pack.zip", anonymous=True)) as pack:
        assert b"data:image" not in pack.read("report.html")
        assert not [name for name in pack.namelist() if name.startswith("originals/")]


def test_pages_beyond_the_limit_are_counted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cited_pages, "MOST_PAGES", 0)
    html = report(project, "report.html", with_pages=True).read_text("utf-8")
    assert "data:image" not in html
    assert "Pages that are not shown here (damaged, or beyond the limits of a report): 1" in html


def test_the_pages_of_a_passage_are_those_with_a_line_of_it() -> None:
    pages = (PrintedPage("", (0, 10)), PrintedPage("", ()), PrintedPage("", (20, 30)), PrintedPage("", (40,)))
    document = Document("d", "x" * 50, extraction=Extraction("pdf", pages=pages))
    assert pages_with(document, [Span(5, 12)]) == [0]
    assert pages_with(document, [Span(19, 21)]) == [0, 2]
    assert pages_with(document, [Span(0, 5), Span(45, 46)]) == [0, 3]
    assert pages_with(document, [Span(0, 50)]) == [0, 2, 3]
