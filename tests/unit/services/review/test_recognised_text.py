"""A match in text that was read from a picture is called exact nowhere, and says how sure the text is."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from workbench.base.types import Document, Extraction, Matches, Results, Role, Tier
from workbench.cli import main as command_line
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.session import Session, create

TEXT = "We walked to the harbour in the morning, and nobody was there to meet us or to tell us why."
SCAN = Document("s", TEXT, Role.SUSPECT, extraction=Extraction("picture", ocr=(91,)))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """One run of ``copies`` with one match of equal texts, of which one was read from a picture."""
    create(tmp_path / "c.palimpsest")
    one = [np.array([value], np.int64) for value in (1, 2, 0, len(TEXT), 0, len(TEXT))]
    matches = Matches(*one, np.array([1.0]), np.array([int(Tier.EXACT)], np.int8), {"methods": np.array([4])})
    session = Session(tmp_path / "c.palimpsest")
    with session.write() as connection:
        add_documents(connection, [SCAN, Document("t", TEXT, Role.SOURCE)])
        run = begin_run(connection, "copies", 1, {}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(matches), documents=1)
    with session.write() as connection:
        finish_run(connection, run.id)
    return session


def test_reports_say_that_it_was_read_from_a_picture(session: Session, tmp_path: Path) -> None:
    with session:
        for suffix in (".html", ".csv", ".jsonl"):
            export(session, Selection(), tmp_path / f"r{suffix}")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "read from a picture, 91 % sure" in page
    assert "the same, as it was read from a picture" in page
    assert "Read from a picture 91 % sure" in page
    assert "equal character for character" not in page
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        assert next(csv.DictReader(file))["tier"] == "the same, as it was read from a picture"
    record = json.loads((tmp_path / "r.jsonl").read_text("utf-8").splitlines()[1])
    assert (record["tier"], record["evidence"]["recognised"]) == (int(Tier.FOLDED), 0.91)


def test_the_command_line_lists_it_as_read_from_a_picture(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session.close()
    assert command_line.main(["matches", str(tmp_path / "c.palimpsest"), "--json"]) == 0
    match = json.loads(capsys.readouterr().out)
    assert (match["evidence"]["tier"], match["evidence"]["recognised"]) == (int(Tier.FOLDED), 0.91)
    assert match["same_but_for_script"] is False
