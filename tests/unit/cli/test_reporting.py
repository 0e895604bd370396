"""The verb ``report``: what it writes, in which language, and what it says of it; and the table of ``matches``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.base.types import Document, Match, Matches, Results, Role, Span
from workbench.cli.main import main
from workbench.project.database import create
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.reports import exporting
from workbench.services.session import Session

COPIED = "The harvest moon rose above the quiet orchard while two brothers argued about the price of cider. "


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Suspect ``essay`` has a passage of ``source``; ``other`` is a suspect without one, and ``late`` came later."""
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        texts = {"essay": "Own words. " + COPIED, "other": "Nothing that others wrote.", "source": COPIED * 2}
        roles = {"source": Role.SOURCE}
        add_documents(connection, [Document(n, t, roles.get(n, Role.SUSPECT)) for n, t in texts.items()])
        end = len(COPIED) - 1
        rows = [Match(1, 3, Span(11, 11 + end), Span(0, end), 80.0, evidence={"tier": 0})]
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(Matches.of(rows)), documents=2)
        finish_run(connection, run.id)
    return path


def report(project: Path, capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> tuple[list[str], str]:
    assert main(["report", str(project), *map(str, words)]) == code
    shown = capsys.readouterr()
    return shown.out.splitlines(), shown.err


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_a_report_is_in_the_chosen_language(
    project: Path, tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "r.html"
    lines, _ = report(project, capsys, "--out", file, "--language", language)
    assert lines[0] == f"Wrote {file}: 1 passage of 1 match in 1 pair of run 1."
    assert re.search(r'<html[^>]* lang="(\w+)', file.read_text("utf-8"))[1] == language  # type: ignore[index]


def test_a_report_says_what_was_found_and_what_was_not(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "r.jsonl"
    (line,), _ = report(project, capsys, "--out", file, "--suspect", "essay", "--json")
    record: dict[str, Any] = json.loads(line)
    assert (record["passages"], record["matches"], record["pairs"], record["run"]) == (1, 1, 1, 1)
    assert (record["matches_left_out"], record["pairs_left_out"], record["names"]) == (0, 0, None)
    _, words = report(project, capsys, "--out", file, "--suspect", "other", code=1)
    assert words == "Run 1 found nothing for other, and the report says so.\n"
    _, words = report(project, capsys, "--out", file, "--pair", "other", "source", code=1)
    assert words == "Run 1 found nothing for other and source, and the report says so.\n"
    lines, _ = report(project, capsys, "--out", file, "--anonymous")
    assert lines[1] == f"Key to the names: {file}.names.json. Store it separately."
    assert json.loads(Path(f"{file}.names.json").read_text("utf-8"))["documents"] == {
        "suspect-1": "essay",
        "source-1": "source",
    }
    _, words = report(project, capsys, "--out", file, "--suspect", "essay", "--pair", "essay", "source", code=2)
    assert words == "Choose --pair or --suspect, not both.\n"
    pack, page = tmp_path / "p.zip", tmp_path / "r.html"
    for arguments in (("--out", pack, "--pack", pack), ("--out", page, "--pack", page)):
        _, words = report(project, capsys, *arguments, code=2)
        assert words == "--pack writes a .zip beside a report in another format.\n"
    lines, _ = report(project, capsys, "--out", page, "--pack", pack, "--unsigned")
    assert lines[1] == f"Wrote {pack}, whose fingerprint the report states."
    assert lines[3] == "Send this fingerprint separately; it reveals a replaced pack."
    fingerprint = lines[2].removeprefix("Fingerprint ")
    assert re.fullmatch("[0-9a-f]{64}", fingerprint)
    assert fingerprint in page.read_text("utf-8")
    export = exporting.export
    for pairs, matches, left in ((2, 0, "2 pairs and 0 matches"), (0, 1, "0 pairs and 1 match")):

        def limited(*rest: Any, _left: tuple[int, int] = (pairs, matches), **named: Any) -> exporting.Written:
            return replace(export(*rest, **named), pairs_left_out=_left[0], matches_left_out=_left[1])

        monkeypatch.setattr(exporting, "export", limited)
        _, words = report(project, capsys, "--out", file)
        assert words == f"A printed report is limited; not printed: {left}. Write .html instead.\n"


def test_a_report_of_a_run_that_did_not_finish_says_so(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Session(project) as session, session.write() as connection:
        begin_run(connection, "digest", 1, {"min_run": 3}, "00", 2)
    file = tmp_path / "r.html"
    _, words = report(project, capsys, "--run", 2, "--out", file, code=1)
    assert words.splitlines() == [
        "Run 2 is interrupted: the report covers the 0 documents it examined.",
        "Run 2 found nothing so far, and the report says so.",
    ]
    text = file.read_text("utf-8")
    assert "This run did not finish" in text
    assert "This run found no passage" not in text


def test_passages_are_listed_with_their_places_and_the_beginning_of_their_text(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["matches", str(project)]) == 0
    header, line, *rest = capsys.readouterr().out.splitlines()
    assert header.split() == ["suspect", "from", "to", "source", "from", "to", "score", "text"]
    assert line.split()[:9] == ["essay", "11", str(11 + len(COPIED) - 1), "source", "0", "97", "80", "The", "harvest"]
    assert "brothers" not in line
    assert rest == ["1 match.", f"Next: palimpsest report {project} --run 1 --out report.html"]


def test_no_passage_is_a_common_phrase_for_being_in_no_other_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "p.palimpsest", "--common-from", "-1", "--out", "r.html"]) == 2
    assert "--common-from" in capsys.readouterr().err
