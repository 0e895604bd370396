"""A report on a suspect holds all its passages, on whichever side of a match the run put it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from scored import label_pairs, pairs, passages, scores, store

from workbench.base.progress import NullProgress
from workbench.base.types import Document, Label, Match, Results, Role, Span
from workbench.cli.main import main
from workbench.project.documents import add_documents
from workbench.project.labels import add_labels
from workbench.services.labels.sets import PAIR_LABELS
from workbench.services.labels.targets import pair_target
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection, gather
from workbench.services.reports.verifying import verify_pack
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.overview import read_overview
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session, create


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Suspects s0, s1, s2: s1 shares a passage with each; they were compared as (s0, s1) and (s1, s2)."""
    path = tmp_path / "p.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(f"s{i}", f"text of s{i}. " * 3, Role.SUSPECT) for i in range(3)])
        first = Match(1, 2, Span(0, 6), Span(4, 10), 1.0, {"other_places": 2}, b_gaps=(Span(5, 6),))
        second = Match(2, 3, Span(14, 20), Span(2, 8), 2.0, {"other_places": 3})
        store(session, "digest", passages(first, second))
    return path


def rows_of(path: Path) -> list[tuple[str, int, int, str, int, int, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [
            (r["a"], int(r["a_start"]), int(r["a_end"]), r["b"], int(r["b_start"]), int(r["b_end"]), r["verdict"])
            for r in csv.DictReader(file)
        ]


def test_a_suspect_on_the_second_side_of_a_match_is_reported_as_the_suspect(project: Path, tmp_path: Path) -> None:
    with Session(project) as session:
        give_verdict(session, Unit("s0", "s1", (Span(0, 6), Span(4, 10))), "not-copy", "", "anna")
        export(session, Selection(1, "s1"), tmp_path / "s1.csv")
        export(session, Selection(1, "s2"), tmp_path / "s2.csv")
        report = gather(NullProgress(), session, Selection(1, "s1"))
        listed = {row.id: row for row in listed_suspects(session, read_overview(session, 1))}
        export(session, Selection(1, "s1"), tmp_path / "s1.zip")
        export(session, Selection(1, "s1"), tmp_path / "s1.html")
    assert rows_of(tmp_path / "s1.csv") == [
        ("s1", 14, 20, "s2", 2, 8, ""),
        ("s1", 4, 10, "s0", 0, 6, "not-copy"),
    ]
    assert rows_of(tmp_path / "s2.csv") == [("s2", 2, 8, "s1", 14, 20, "")]
    (case,) = report.cases.values()
    assert (case.id, case.passages, case.shares.matched, case.shares.counted) == ("s1", 2, 11, 6)
    assert case.passages == listed["s1"].passages
    assert case.shares.matched_share == pytest.approx(listed["s1"].coverage)
    assert verify_pack(tmp_path / "s1.zip").whole
    assert ("s0", "s1") in [row.as_compared for row in report.rows]
    assert {row.b_id: row.longest for row in report.rows} == {"s2": 6, "s0": 5}


def test_a_report_of_the_run_has_the_share_of_a_suspect_that_is_only_second(project: Path, tmp_path: Path) -> None:
    with Session(project) as session:
        listed = {row.id: row.coverage for row in listed_suspects(session, read_overview(session, 1))}
        cases = gather(NullProgress(), session, Selection(1)).cases.values()
        export(session, Selection(1), tmp_path / "run.html")
    assert {case.id: case.shares.matched_share for case in cases} == pytest.approx(listed)
    shares = [f"{100 * share:.0f} %" for share in listed.values()]
    page = (tmp_path / "run.html").read_text("utf-8")
    assert set(listed) == {"s0", "s1", "s2"}
    assert all(page.count(share) >= shares.count(share) for share in shares)


def test_the_command_line_reports_it(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(project), "--suspect", "s2", "--out", str(tmp_path / "r.html"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passages"] == 1


@pytest.mark.parametrize("suffix", ["html", "zip", "jsonl"])
def test_an_anonymous_report_names_no_reviewer_of_a_pair_compared_in_reverse(
    project: Path, tmp_path: Path, suffix: str
) -> None:
    with Session(project) as session:
        give_verdict(session, Unit("s0", "s1", (Span(0, 6), Span(4, 10))), "not-copy", "Ask Zoe Quill", "Zoe Quill")
        export(session, Selection(1, "s1", anonymous=True), tmp_path / f"s1.{suffix}")
    written = (tmp_path / f"s1.{suffix}").read_bytes()
    assert b"Quill" not in written
    assert b"reviewer-1" in written


def test_the_summary_has_the_verdict_on_a_pair_of_whole_documents_from_either_side(
    project: Path, tmp_path: Path
) -> None:
    with Session(project) as session:
        run = store(session, "shingle", pairs({(1, 2): 0.9, (2, 3): 0.8}))
        label_pairs(session, {("s1", "s0"): "near-duplicate"})
        for suspect in ("s0", "s1"):
            rows = gather(NullProgress(), session, Selection(run, suspect)).rows
            assert {(row.a_id, row.b_id): dict(row.verdicts) for row in rows if row.verdicts} == {
                (suspect, "s1" if suspect == "s0" else "s0"): {"near-duplicate": 1}
            }
            export(session, Selection(run, suspect), tmp_path / "pair.html")
            page = (tmp_path / "pair.html").read_text("utf-8")
            assert all(words in page for words in ("Near-duplicate", "Resemblance", "0.450"))


def test_a_report_of_a_run_that_scored_documents_says_that_it_has_none_of_it(project: Path, tmp_path: Path) -> None:
    with Session(project) as session:
        run = store(session, "splog", scores([0.5, 0.6]))
        written = export(session, Selection(run), tmp_path / "run.html")
        assert written.only_scores
        assert not export(session, Selection(store(session, "digest", Results())), tmp_path / "no.html").only_scores
    assert "only scored documents" in (tmp_path / "run.html").read_text("utf-8")
    assert "found no passage" in (tmp_path / "no.html").read_text("utf-8")


def test_every_form_of_a_report_has_a_pair_of_whole_documents_with_its_verdict(project: Path, tmp_path: Path) -> None:
    with Session(project) as session:
        run = store(session, "shingle", pairs({(1, 2): 0.9, (2, 3): 0.8}))
        judged = Label(pair_target("s1", "s0"), "near-duplicate", "Zoe Quill", "", "<é>", label_set=PAIR_LABELS)
        with session.write() as connection:
            add_labels(connection, [judged])
        for suffix in ("html", "csv", "jsonl"):
            export(session, Selection(run), tmp_path / f"run.{suffix}")
        export(session, Selection(run, anonymous=True), tmp_path / "anonymous.csv")
    with (tmp_path / "run.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    _, *records = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text("utf-8").splitlines()]
    keys = ("a", "b", "passage", "resemblance", "verdict", "reviewer", "note")
    expected = [("s0", "s1", None, 0.45, "near-duplicate", "Zoe Quill", "<é>"), ("s1", "s2", None, 0.4, "", "", "")]
    assert [tuple(record[key] for key in keys) for record in records] == expected
    assert [tuple(row[key] for key in keys) for row in rows] == [
        tuple("" if value is None else str(value) for value in row) for row in expected
    ]
    page = (tmp_path / "run.html").read_text("utf-8")
    assert "Zoe Quill" in page
    assert "&lt;é&gt;" in page
    # No passage was looked for: none of the page's figures says that nothing matched.
    assert "% matched" not in page
    assert ">0 %<" not in page
    assert page.count("0.900") == 1
    anonymous = (tmp_path / "anonymous.csv").read_text("utf-8")
    assert "Zoe Quill" not in anonymous
    assert "near-duplicate,reviewer-1" in anonymous


def test_the_longest_match_is_measured_in_the_examined_document(project: Path) -> None:
    with Session(project) as session:
        run = store(session, "digest", passages(Match(1, 2, Span(0, 6), Span(4, 20), 1.0)))
        longest = {name: gather(NullProgress(), session, Selection(run, name)).rows[0].longest for name in ("s0", "s1")}
        listed = {row.id: row.longest for row in listed_suspects(session, read_overview(session, run))}
    assert longest == listed == {"s0": 6, "s1": 16}
