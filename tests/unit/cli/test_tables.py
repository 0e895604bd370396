"""What the verbs print for people: tables, counts, and what comes next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.base.types import Document, DocumentScore, Label, Match, Matches, PairScore, Results, Role, Span
from workbench.cli.main import main
from workbench.project.database import create
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.label_state import give
from workbench.services.session import Session

TEXT = "The harvest moon rose above the quiet orchard while two brothers argued about the price of cider. "


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Four labelled suspects and a source; runs of passages, of pairs and of scores."""
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            documents = [Document(f"s{n}", TEXT * (n + 1), Role.SUSPECT, title=f"Suspect {n}") for n in range(4)]
            add_documents(connection, [*documents, Document("source", TEXT * 9, Role.SOURCE, language="en")])
            rows = [Match(n, 5, Span(0, 90), Span(0, 90), 90.0 / n, evidence={"tier": 0}) for n in (1, 2)]
            again = [rows[0], Match(3, 5, Span(0, 40), Span(0, 40), 40.0, evidence={"tier": 0})]
            pairs = [PairScore(1, 2, 0.75, resemblance=0.5, containment=0.75), PairScore(3, 4, 0.5, resemblance=0.25)]
            facts = {"longest": 12, "copied": 0.123456789}
            scores = tuple(
                DocumentScore(n, value, facts if n == 1 else {})
                for n, value in ((1, 3.0), (2, 1.0), (3, 2.0), (4, 0.5))
            )
            for method, results in (
                ("digest", Results(Matches.of(rows), excluded={"segments that are too short": 3})),
                ("digest", Results(Matches.of(again))),
                ("minhash", Results(pairs=pairs)),
                ("copied-strings", Results(scores=scores)),
            ):
                run = begin_run(connection, method, 1, {}, "00", 1)
                finish_chunk(connection, run.id, 0, results, documents=4)
                finish_run(connection, run.id, seconds=2.5)
        values = ("splog", "blog", "splog", "blog")
        give(session, [Label(f"document:s{n}", v, "ann", "", label_set="class") for n, v in enumerate(values)])
    return path


class Printed:
    """Calls verbs; without the room between columns."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = path, capsys

    def __call__(self, verb: str, *words: object) -> list[str]:
        assert main([verb, str(self.path), *map(str, words)]) == 0
        return [" ".join(line.split()) for line in self._capsys.readouterr().out.splitlines() if line]


@pytest.fixture
def printed(project: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    return Printed(project, capsys)


def test_a_project_is_summed_up_with_what_comes_next(printed: Printed) -> None:
    path, *lines = printed("info")
    assert path == str(printed.path)
    assert lines == [
        "documents 5 1 source, 4 suspect",
        "tags 0",
        "not imported 0",
        "runs 4",
        "matches 4",
        "labels 4 of 4 items",
        "integrity ok",
        f"Next: palimpsest report {printed.path} --run 4 --out report.html",
    ]


def test_inputs_that_were_not_imported_are_named_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, empty = tmp_path / "case.palimpsest", tmp_path / "empty.pdf"
    empty.write_bytes(b"")
    assert main(["new", str(path)]) == 0
    assert main(["import", str(path), str(empty)]) == 1
    reason = capsys.readouterr().err.splitlines()[-1]
    assert main(["info", str(path)]) == 0
    shown = capsys.readouterr()
    assert ["not", "imported", "1", "for", "the", "reasons", "below"] in [
        line.split() for line in shown.out.splitlines()
    ]
    assert shown.err.splitlines() == [reason]
    assert main(["info", str(path), "--json"]) == 0
    (failure,) = json.loads(capsys.readouterr().out)["not_imported"]
    assert f"{failure['path']}: {failure['error']}" == reason


def test_runs_are_listed_with_what_they_found(printed: Printed) -> None:
    header, *lines = printed("runs")
    assert header == "run method state begun documents matches pairs seconds settings"
    assert [(line.split()[:4], line.split()[6:]) for line in lines] == [
        (["1", "digest", "1", "done"], ["4", "2", "2", "2.5"]),
        (["2", "digest", "1", "done"], ["4", "2", "2", "2.5"]),
        (["3", "minhash", "1", "done"], ["4", "0", "2", "2.5"]),
        (["4", "copied-strings", "1", "done"], ["4", "0", "0", "2.5"]),
    ]


def test_pairs_scores_and_passages_are_listed_the_best_first_and_counted(printed: Printed) -> None:
    header = "suspect source score matches resemblance containment relation direction"
    assert printed("pairs", 1) == [header, "s0 source 90 1", "s1 source 45 1", "2 pairs."]
    assert printed("pairs", 3)[1:] == ["s0 s1 0.75 0 50 % 75 %", "s2 s3 0.5 0 25 %", "2 pairs."]
    assert printed("scores")[1:] == ["s0 3 copied 0.123 · longest 12", "s2 2", "s1 1", "s3 0.5", "4 documents."]
    assert printed("scores", "--min", "1.5")[2:] == ["s2 2", "2 documents."]
    assert printed("scores", "--limit", "1")[2] == "1 of 4 documents; --limit 0 prints all."
    _, line, *rest = printed("matches", 1, "--min", "50")
    assert line.startswith("s0 0 90 source 0 90 90 The harvest moon")
    assert line.endswith("…")
    assert rest == ["1 match.", f"Next: palimpsest report {printed.path} --run 1 --out report.html"]
    assert printed("matches", 1, "--limit", "1")[2] == "1 of 2 matches; --limit 0 prints all."


def test_a_run_is_measured_against_labels_with_thresholds_to_choose(printed: Printed) -> None:
    lines = printed("evaluate", 4)
    assert lines[0] == "copied-strings, run 4: 4 labelled documents, 2 of them splog (label set class)."
    assert lines[1] == "at score >= 2 value 95 %"
    assert [line.split()[:2] for line in lines[2:5]] == [[name, "1.000"] for name in ("precision", "recall", "f1")]
    assert lines[5] == "average precision 1.000"
    assert lines[6] == "suggested threshold score precision recall corrected precision corrected recall"
    *best, precision, recall = lines[7].split()
    assert best == ["best", "F", "2", "1.000", "1.000"]
    # Four labels on which a threshold is chosen promise less of others.
    assert 0 < float(recall) < float(precision) <= 1
    lines = printed("evaluate", 4, "--positive", "blog", "--threshold", "1")
    assert lines[0].endswith("2 of them blog (label set class).")
    # Of the three that reach the threshold one is a blog, and one of two blogs is among them.
    assert lines[1].startswith("at score >= 1 ")
    assert [line.split()[:2] for line in lines[2:4]] == [["precision", "0.333"], ["recall", "0.500"]]


def test_pairs_are_grouped_into_sets_and_clusters_with_how_little_holds_them(printed: Printed) -> None:
    assert printed("pairs", 3, "--sets") == ["documents first others", "0 near-duplicate sets."]
    assert printed("relations", 3) == ["relation pairs documents", "(none) 2 4", "2 pairs."]
    assert printed("relations", 3, "--clusters") == [
        "documents pairs least resemblance sites first others",
        "2 1 0.5 s0 s1",
        "2 1 0.25 s2 s3",
        "2 clusters.",
    ]


def test_sites_tags_and_selectors_are_listed_or_said_to_be_none(printed: Printed, project: Path) -> None:
    with Session(project) as session, session.write() as connection:
        pages = [Document(f"w{n}", f"Page {n}.", url=f"http://a.example/{n}", site="a.example") for n in range(2)]
        add_documents(connection, pages)
    assert printed("info", "--sites") == ["host name kind pages first seen", "a.example 2"]
    assert printed("tags", "list")[1].startswith("No document has a tag: ")
    assert printed("tags", "add", "mail", "s1") == ["1 document changed."]
    assert printed("tags", "list") == ["tag documents", "mail 1"]
    assert printed("tags", "documents") == ["document tags", "s1 mail"]
    assert printed("selectors", "list")[1].startswith("There are no selectors: ")
