"""A match in text that was read from a picture is called exact nowhere, and says how sure the text is."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from workbench.base.evidence import RECOGNISED
from workbench.base.types import Document, Extraction, Matches, Results, Role, Span, Tier
from workbench.cli import main as command_line
from workbench.project.documents import add_documents, load_document
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.review import by_hand, splitting
from workbench.services.review.pairs import open_pair
from workbench.services.session import Session, create

TEXT = "We walked to the harbour in the morning, and nobody was there to meet us or to tell us why."
SCAN = Document("s", TEXT, Role.SUSPECT, extraction=Extraction("picture", ocr=(91,)))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """One run of ``copies`` with two matches of equal texts; one of the suspects was read from a picture."""
    create(tmp_path / "c.palimpsest")
    length = len(TEXT)
    columns = [np.array(column, np.int64) for column in ([1, 3], [2, 2], [0, 0], [length] * 2, [0, 0], [length] * 2)]
    tiers = np.array([int(Tier.EXACT)] * 2, np.int8)
    matches = Matches(*columns, np.ones(2), tiers, {"methods": np.array([4, 4]), "kind": np.zeros(2, np.int8)})
    session = Session(tmp_path / "c.palimpsest")
    with session.write() as connection:
        typed = Document("u", f"{TEXT} ", Role.SUSPECT)
        add_documents(connection, [SCAN, Document("t", TEXT, Role.SOURCE), typed])
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
    assert "read from a picture, 91 % certain" in page
    assert "the same, as it was read from a picture" in page
    assert "Read from a picture 91 % certain" in page
    assert page.count("Kind of copying Verbatim") == 1
    assert page.count("the same, as it was read from a picture") == page.count("equal character for character") == 1
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        tiers = {row["a"]: (row["tier"], row["recognised"]) for row in csv.DictReader(file)}
    assert tiers == {
        "s": ("the same, as it was read from a picture", "91 %"),
        "u": ("equal character for character", ""),
    }
    records = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text("utf-8").splitlines()[1:]]
    figures = {r["a"]: (r["tier"], r["evidence"].get("recognised")) for r in records if "tier" in r}
    assert figures == {"s": (int(Tier.FOLDED), 0.91), "u": (int(Tier.EXACT), None)}


def test_the_command_line_lists_it_as_read_from_a_picture(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session.close()
    assert command_line.main(["matches", str(tmp_path / "c.palimpsest"), "--json"]) == 0
    printed = capsys.readouterr()
    assert "damaged" not in printed.err
    matches = [json.loads(line) for line in printed.out.splitlines()]
    figures = {m["a"]["id"]: (m["evidence"]["tier"], m["evidence"].get("recognised")) for m in matches}
    assert figures == {"s": (int(Tier.FOLDED), 0.91), "u": (int(Tier.EXACT), None)}
    assert not any(match["same_but_for_script"] for match in matches)


def test_a_passage_added_by_hand_and_one_that_is_split_are_not_exact(session: Session) -> None:
    with session:
        with session.read() as connection:
            suspect, source = load_document(connection, 1), load_document(connection, 2)
        by_hand.add(session, suspect, Span(0, 9), source, Span(0, 9), "A. Reader")
        added = open_pair(session, 1, 1, 2).matches
        assert added.tier.tolist() == [Tier.FOLDED] * 2
        assert added.evidence[RECOGNISED].tolist() == [0.91] * 2
        whole = added.row(int(np.argmax(added.a_end)))
    pieces = [(Span(0, 45), Span(0, 45)), (Span(45, 90), Span(45, 90))]
    halves = splitting._as_matches(whole, pieces, TEXT, TEXT, [])
    assert halves.tier.tolist() == [Tier.FOLDED] * 2
    assert halves.evidence[RECOGNISED].tolist() == [0.91] * 2
