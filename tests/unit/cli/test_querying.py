"""The verbs ``query`` and ``explain``: what they print of a text, and of two documents."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.base.types import Document, Role
from workbench.cli.main import main
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services.detecting.runs import detect
from workbench.services.session import Session, create

FIRST = "The harvest moon rose above the quiet orchard while two brothers argued about the price of cider. "
SECOND = "Nobody at the station remembered who had painted the third bench green before the war began. "


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sources; jobs run at once, in this process."""
    path = tmp_path / "p.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(
            connection, [Document(n, t, Role.SOURCE) for n, t in (("moon", FIRST * 2), ("bench", "\n" + SECOND))]
        )
        add_documents(connection, [Document("own", "A suspect that says nothing else.", Role.SUSPECT)])
    ctx = Context("test", lambda _event: None, lambda: False)

    def at_once(_output: object, function: Callable[..., object], *rest: object, **named: object) -> object:
        return function(ctx, *rest, **named)

    monkeypatch.setattr("workbench.cli.monitor.run_job", at_once)
    return path


@pytest.fixture
def essay(tmp_path: Path) -> Path:
    file = tmp_path / "essay.txt"
    file.write_text("An opening of my own. " + FIRST + "Words between them. " + SECOND, encoding="utf-8")
    return file


def rows(capsys: pytest.CaptureFixture[str], *words: object) -> list[Any]:
    assert main([*map(str, words), "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_findings_of_a_text_are_listed_with_places_in_both_and_the_rest_is_counted(
    project: Path, essay: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["query", str(project), str(essay), "--method", "digest"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["method", "from", "to", "document", "from", "to", "score", "text"]
    assert [line.split()[:8] for line in lines[:2]] == [
        ["digest", "22", "119", "moon", "0", "97", "80", "The"],
        ["digest", "140", "232", "bench", "1", "93", "76", "Nobody"],
    ]
    assert [line.split() for line in lines[2:4]] == [
        ["digest", name, score, "inclusion", "of", "a", "copy"] for name, score in (("moon", "80"), ("bench", "76"))
    ]
    assert lines[4:] == ["4 findings.", "Searched: digest."]
    assert main(["query", str(project), str(essay), "--method", "digest", "--limit", "1"]) == 0
    _, line, *lines = capsys.readouterr().out.splitlines()
    assert "moon" in line
    assert lines[0] == "1 of 4 findings; --limit 0 prints all."


def test_findings_as_json_have_the_shape_of_matches_and_pairs(
    project: Path, essay: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, pair, _ = rows(capsys, "query", project, essay, "--method", "digest")
    assert (first["method"], first["a"]["id"], first["a"]["start"], first["a"]["end"]) == (
        "digest",
        str(essay),
        22,
        119,
    )
    assert (first["b"]["id"], first["b"]["start"], first["b"]["end"]) == ("moon", 0, 97)
    assert first["a"]["place"] == {"lines": [1, 1]}
    assert second["b"] == {"id": "bench", "place": {"lines": [2, 2]}, "start": 1, "end": 93}
    assert (pair["a"], pair["b"], pair["relation"]) == (str(essay), "moon", "inclusion of a copy")
    assert len(rows(capsys, "query", project, essay, "--method", "digest", "--limit", "3")) == 3


def test_a_query_names_the_indexes_that_were_searched_and_those_that_were_not(
    project: Path, essay: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = Context("test", lambda _event: None, lambda: False)
    for method in ("minhash", "copied-strings"):
        detect(ctx, project, method, {}, workers=1)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=BytesIO(essay.read_bytes())))
    assert main(["query", str(project), "-"]) == 0
    shown = capsys.readouterr()
    assert [line.split()[0] for line in shown.out.splitlines()[1:4]] == ["minhash", *["copied-strings"] * 2]
    *_, scored = rows(capsys, "query", project, essay)
    assert (scored["method"], scored["id"]) == ("copied-strings", str(essay))
    assert f"copied-strings: the text has the score {scored['score']:g}." in shown.out
    assert shown.out.splitlines()[-1] == "Searched: minhash, copied-strings."
    assert shown.err == ""
    for folder in project.with_suffix(".palimpsest-index").glob("minhash*"):
        shutil.rmtree(folder)
    assert main(["query", str(project), str(essay)]) == 0
    shown = capsys.readouterr()
    assert "Searched: copied-strings." in shown.out
    assert shown.err.startswith("Not searched: minhash; ")
    assert shown.err.endswith(" (--method minhash).\n")


def test_settings_of_a_query_need_a_method(project: Path, essay: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", str(project), str(essay), "--set", "n=3"]) == 2
    assert "--set and --preset need --method." in capsys.readouterr().err


def explain(project: Path, capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> tuple[list[str], str]:
    assert main(["explain", str(project), *map(str, words)]) == code
    shown = capsys.readouterr()
    return [" ".join(line.split()) for line in shown.out.splitlines()], shown.err


def test_why_two_documents_match_or_not_is_said_for_the_pair_and_for_a_text_of_either(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "An opening of my own. " + FIRST + "The end is mine."
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("essay", text, Role.SUSPECT)])
    apart = "There is no index for these settings: the figures are based on the two texts alone.\n"
    lines, note = explain(project, capsys, "essay", "moon", "--method", "digest")
    assert lines[0] == "One passage matches; the longest has one sentence."
    assert {"shared sentences yes 1 of 3 occur in both", "length no longest sequence: one sentence, 3 needed"} < set(
        lines
    )
    assert note == apart
    lines, _ = explain(project, capsys, "essay", "bench", "--method", "digest")
    assert lines[:2] == [
        "No match: the documents have no sentence in common.",
        "Decided by: shared sentences: 0 of 3 occur in both",
    ]
    of_text = {
        ("moon", "--text", "harvest moon"): (
            "Asked about 26-38 of essay, in the sentences 22-119 of essay.",
            "The same text is in moon at 2 places, first at 4-16.",
        ),
        ("moon", "--span", "0-10"): (
            "Asked about 0-10 of essay, in the sentences 0-21 of essay.",
            "The same text is in moon at 0 places.",
        ),
        ("moon", "--span", "0-10", "--of-source"): (
            "Asked about 0-10 of moon, in the sentences 22-119 of essay.",
            "The same text is in essay at 1 place, first at 22-32.",
        ),
        ("bench", "--span", "1-20", "--of-source"): (
            "Asked about 1-20 of bench, in the sentences 1-93 of bench.",
            "The same text is in essay at 0 places.",
        ),
    }
    for words, sentences in of_text.items():
        lines, note = explain(project, capsys, "essay", *words, "--method", "digest")
        assert tuple(lines[:2]) == sentences
        only = "Only bench contains these sentences: the figures are based on the two texts alone.\n"
        assert note == (only if words[0] == "bench" else apart)
    detect(Context("test", lambda _event: None, lambda: False), project, "digest", {}, workers=1)
    assert explain(project, capsys, "essay", "moon")[1] == ""
    assert explain(project, capsys, "moon", "bench")[1] == (
        "Run 1 did not compare these two documents: this is what its settings make of their texts.\n"
    )
    (record,) = rows(capsys, "explain", project, "essay", "moon", "--text", "harvest moon")
    assert (record["method"], record["of_collection"], record["matched"]) == ("digest", True, True)
    assert record["asked"]["places"] == [{"start": 4, "end": 16}, {"start": 102, "end": 114}]
    (longest,) = (reason for reason in record["reasons"] if reason["rule"] == "length")
    assert (longest["passed"], longest["detail"]) == (False, "longest sequence: one sentence, 3 needed")


def test_a_comparison_by_a_method_without_matches_says_nothing_of_passages(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(project), "own", "moon", "--method", "minhash"]) == 0
    assert "passage" not in capsys.readouterr().out
    assert main(["compare", str(project), "own", "bench", "--method", "copies"]) == 0
    assert "0 passages in both own and bench." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--set", "n=2"), "--set and --preset need --method."),
        (("--of-source",), "--of-source refers to --text or --span."),
        (("--span", "x-2"), "'x-2' is not of the form START-END, such as 120-250"),
    ],
)
def test_questions_that_cannot_be_read_are_refused(
    project: Path, words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sentence in explain(project, capsys, "moon", "bench", *words, code=2)[1]
