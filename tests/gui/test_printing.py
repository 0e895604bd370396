"""Reports as PDF."""

from __future__ import annotations

import re
from pathlib import Path

import pypdfium2
import pytest
import shiboken6
from PySide6.QtGui import QImage
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, add_run
from workbench.base.errors import UserError
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role, text_hash
from workbench.gui.screens.review.reporting import Reporter, SheetPrinter, chosen_pages, printer_for
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.reports import pdf
from workbench.services.reports.exporting import Written, export, picture_pages
from workbench.services.reports.gathering import Selection
from workbench.services.reports.pack import Seal
from workbench.services.session import Session, create

TEXT = "山路を登りながら、こう考えた。Well-known, isn’t it? “So—called” … (a/b) e-mail."
HOSTILE = '<img src="http://127.0.0.1:9/x.png"> & <b>not bold</b>'


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    create(path)
    text = TEXT + HOSTILE
    documents = [
        Document("suspect", text, Role.SUSPECT, title="写し", language="ja"),
        Document("source", text, Role.SOURCE, title="原文", language="zh"),
    ]
    add_run(path, documents, [(1, 2)], {})
    return path


def test_a_report_on_paper_can_be_searched_copied_and_walked_by_its_outline(case: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.pdf"
    with Session(case, write=False) as session:
        written = export(session, Selection(suspect="suspect"), out)
    assert written.passages == 1
    document = pypdfium2.PdfDocument(out)
    whole = "".join(page.get_textpage().get_text_range() for page in document)
    plain = re.sub(r"\s+", "", whole)
    assert text_hash(TEXT + HOSTILE).hex() in re.sub(r"[\r\n]", "", whole)
    for phrase in ("Corresponding passages", TEXT, "not reviewed", "17 % matched"):
        assert re.sub(r"\s+", "", phrase) in plain
    titles = [entry.get_title() for entry in document.get_toc()]
    assert titles[0] == "Corresponding passages"
    assert any("写し ↔ 原文" in title for title in titles)
    assert document.is_tagged()
    document.close()


def test_a_heading_stays_with_its_passage(case: Path, tmp_path: Path) -> None:
    """However much stands above it, no page ends in the heading of a passage."""
    long = [Document("long", "\n".join(f"{n}. {TEXT}" for n in range(60)), Role.SUSPECT, title="長い")]
    add_run(case, long, [(3, 2)] * 12, {})
    out = tmp_path / "report.pdf"
    with Session(case, write=False) as session:
        export(session, Selection(suspect="long"), out)
    document = pypdfium2.PdfDocument(out)
    for page in document:
        lines = [x for x in page.get_textpage().get_text_range().splitlines() if x.strip()]
        assert not re.match(r"\d+\.\d+ ·", lines[-2])
    document.close()


def test_what_cannot_be_printed_leaves_no_file(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "report.pdf"
    monkeypatch.setattr(pdf, "command", lambda _module: ("false",))
    with Session(case, write=False) as session:
        with pytest.raises(UserError, match="printed"):
            export(session, Selection(), out)
        with pytest.raises(UserError, match="written as"):
            export(session, Selection(), tmp_path / "report.doc")
    assert not list(tmp_path.glob("*.pdf*"))


def test_pages_go_to_the_printer_one_a_sheet(qtbot: QtBot, qapp: QApplication, case: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    with Session(case, write=False) as session:
        picture_pages(session, Selection(), folder, 60, "en", NullProgress())
    pages = sorted(folder.glob("*.png"))
    printer = printer_for("report")
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "out.pdf"))
    ended: list[object] = []
    begun: list[int] = []
    sheets = SheetPrinter(printer, pages, lambda picture, then: then(picture()), qapp)
    sheets.begun.connect(begun.append)
    sheets.ended.connect(ended.append)
    sheets.start()
    qtbot.waitUntil(lambda: bool(ended))
    assert ended == [len(pages)]
    assert begun == [*range(1, len(pages) + 1)]
    document = pypdfium2.PdfDocument(tmp_path / "out.pdf")
    assert len(document) == len(pages)
    picture = document[0].render(scale=0.5).to_numpy()
    assert picture.min() < 100 < picture.max()
    document.close()
    printer.setPrintRange(QPrinter.PrintRange.PageRange)
    printer.setFromTo(1, 1)
    assert list(chosen_pages(printer, [Path("a"), Path("b")])) == [Path("a")]
    pages = [Path(name) for name in "abcd"]
    printer.setFromTo(2, 3)
    assert list(chosen_pages(printer, pages)) == pages[1:3]
    # The dialog keeps the numbers of a range that was not chosen.
    printer.setPrintRange(QPrinter.PrintRange.AllPages)
    assert list(chosen_pages(printer, pages)) == pages


def test_a_page_being_printed_is_ended_when_its_project_is_closed(qtbot: QtBot, tmp_path: Path) -> None:
    """A printer that is destroyed while it is painted on crashes the process."""
    parent, printer = QWidget(), printer_for("report")
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "out.pdf"))
    page = QImage(80, 110, QImage.Format.Format_RGB32)
    sheets = SheetPrinter(printer, [tmp_path / "page.png"], lambda _picture, then: then(page), parent)
    sheets.start()
    qtbot.waitUntil(lambda: sheets._strip > 0)
    state = printer.printEngine().printerState
    assert state() is QPrinter.PrinterState.Active
    shiboken6.delete(parent)
    assert state() is not QPrinter.PrinterState.Active


def test_the_window_says_what_is_not_printed(start: Start) -> None:
    controller = start()
    reporter = Reporter(controller.context, controller.window)
    offers: list[str] = []
    controller.context.offered.connect(lambda sentence, *_: offers.append(sentence))
    for written in (Written(1, 2, 3, 5), Written(1, 2, 3, 3, 0, 1)):
        reporter._written(JobRecord("report", "Report", result=written), Path("r.pdf"), Seal(False, False), str)
    assert offers == [
        "The report was saved to r.pdf (3 passages of 5 matches).",
        "The report was saved to r.pdf (3 passages; not printed: 1 match).",
    ]
