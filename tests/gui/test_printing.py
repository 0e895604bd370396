"""Reports as PDF."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest

from tests.gui.conftest import Start, add_run
from workbench.base.errors import UserError
from workbench.base.types import Document, Role
from workbench.gui.kit import printing
from workbench.gui.screens.review.reporting import Reporter
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.reports.exporting import Written, export
from workbench.services.reports.gathering import Selection
from workbench.services.session import Session, create

HOSTILE = '<img src="http://127.0.0.1:9/x.png"> & <b>not bold</b>'


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    create(path)
    text = "山路を登りながら、こう考えた。" + HOSTILE
    documents = [
        Document("suspect", text, Role.SUSPECT, title="写し", language="ja"),
        Document("source", text, Role.SOURCE, title="原文", language="zh"),
    ]
    add_run(path, documents, [(1, 2)], {})
    return path


def test_a_report_is_printed_with_its_text_as_text(case: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.pdf"
    with Session(case, write=False) as session:
        written = export(session, Selection(), out, printer=printing.command())
    assert written.passages == 1
    document = pypdfium2.PdfDocument(out)
    whole = "".join(page.get_textpage().get_text_range() for page in document)
    assert "Corresponding passages" in whole
    assert "山路を登りながら" in whole
    assert "not reviewed" in whole
    document.close()


def test_what_cannot_be_printed_leaves_no_file(case: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.pdf"
    with Session(case, write=False) as session:
        with pytest.raises(UserError, match="printed"):
            export(session, Selection(), out, printer=("false",))
        with pytest.raises(UserError, match="written as"):
            export(session, Selection(), out)
    assert not list(tmp_path.glob("*.pdf*"))


def test_the_window_says_what_is_not_printed(start: Start) -> None:
    controller = start()
    reporter = Reporter(controller.context, controller.window)
    said: list[str] = []
    controller.context.offered.connect(lambda sentence, *_: said.append(sentence))
    for written in (Written(1, 2, 3), Written(1, 2, 3, 0, 1)):
        reporter._written(JobRecord("report", "Report", result=written), Path("r.pdf"))
    assert said == [
        "The report was saved to r.pdf (3 passages).",
        "The report was saved to r.pdf (3 passages; not printed: 1 passage).",
    ]
