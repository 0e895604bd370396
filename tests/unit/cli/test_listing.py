"""The verbs ``matches`` and ``pairs`` list what Review and reports do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.base.types import Document, Match, Matches, PairScore, Results, Role, Span
from workbench.cli.main import main
from workbench.project.database import create
from workbench.project.documents import add_documents, load_document
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.reports.exporting import Selection, export
from workbench.services.review.by_hand import add
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.overview import read_overview
from workbench.services.session import Session

PASSAGES, WHOLE = 1, 2
"""The runs: one of passages, one that compares whole documents."""
TEXT = "本文の全体である。" * 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The run finds that ``b`` and ``a``, two suspects, share a passage; a reader adds one of each of three pairs."""
    path = tmp_path / "case.palimpsest"
    create(path)
    roles = {"a": Role.SUSPECT, "b": Role.SUSPECT, "c": Role.SUSPECT, "source": Role.SOURCE}
    with Session(path) as session:
        with session.write() as connection:
            tags = {"a": ("late",), "source": ("late",)}
            add_documents(connection, [Document(n, n + TEXT, role, tags=tags.get(n, ())) for n, role in roles.items()])
            shared = Matches.of([Match(2, 1, Span(0, 20), Span(0, 20), 1.0, evidence={"tier": 0})])
            for results in (Results(shared), Results(pairs=[PairScore(3, 2, 0.9)])):
                run = begin_run(connection, "digest", 1, {}, "00", 1)
                finish_chunk(connection, run.id, 0, results, documents=3)
                finish_run(connection, run.id)
        with session.read() as connection:
            a, b, c, source = (load_document(connection, key) for key in (1, 2, 3, 4))
        for one, other in ((a, b), (c, b), (b, source)):
            add(session, one, Span(30, 50), other, Span(30, 50), "A. Reader")
    return path


def _rows(capsys: pytest.CaptureFixture[str], *words: object) -> list[dict[str, Any]]:
    assert main([*map(str, words), "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("run", [PASSAGES, WHOLE])
def test_passages_and_pairs_are_as_many_in_lists_reports_and_review(
    path: Path, capsys: pytest.CaptureFixture[str], run: int
) -> None:
    matches, pairs = _rows(capsys, "matches", path, run), _rows(capsys, "pairs", path, run)
    with Session(path, write=False) as session:
        written = export(session, Selection(run), path.with_suffix(".jsonl"))
        columns = read_overview(session, run).columns
    assert columns is not None
    assert (len(matches), len(pairs)) == (written.matches, written.pairs) == ((4, 3) if run == PASSAGES else (0, 1))
    assert {(row["a"], row["b"]): row["evidence"]["matches"] for row in pairs} == (
        {("b", "a"): 2, ("b", "source"): 1, ("c", "b"): 1} if run == PASSAGES else {("c", "b"): 0}
    )
    assert len(columns.matches) == (len(matches) or len(pairs))


def test_tags_choose_passages_by_the_suspects_on_either_side(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = _rows(capsys, "matches", path, PASSAGES, "--tag", "late")
    assert [(row["a"]["id"], row["b"]["id"]) for row in listed] == [("b", "a"), ("b", "a")]
    with Session(path, write=False) as session:
        rows = {row.id: row.matches for row in listed_suspects(session, read_overview(session, PASSAGES))}
    assert rows["a"] == len(listed)
