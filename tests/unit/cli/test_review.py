"""Verb ``review``: what two reviewers and one who settles say, given and listed on the command line."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.base.types import Document, Matches, PairScore, Results, Role, Span
from workbench.cli import main as command_line
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session, create

ROWS = [(1, 3, 0, 20), (1, 4, 5, 25), (1, 3, 50, 90), (2, 4, 0, 10)]
"""Keys of suspect and source, start and end on both sides."""


def store(session: Session, rows: list[tuple[int, int, int, int]]) -> None:
    a, b, start, end = np.array(rows, np.int64).T
    matches = Matches(a, b, start, end, start, end, (end - start).astype(float), np.zeros(len(rows), np.int8))
    with session.write() as connection:
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(matches), documents=2)
    with session.write() as connection:
        finish_run(connection, run.id)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    create(tmp_path / "case.palimpsest")
    roles = {"s1": Role.SUSPECT, "s2": Role.SUSPECT, "t1": Role.SOURCE, "t2": Role.SOURCE}
    with Session(tmp_path / "case.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, [Document(name, name + "。文" * 60, role) for name, role in roles.items()])
        store(session, ROWS)
    return tmp_path / "case.palimpsest"


Call = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def call(path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: str, code: int = 0) -> list[dict[str, Any]]:
        assert command_line.main(["review", str(path), *arguments, "--json"]) == code
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_a_suspect_is_closed_by_its_own_verdict_alone(call: Call) -> None:
    assert call("judge", "copy", "--suspect", "s1", "--who", "Ann") == [{"judged": 3, "passages": 2, "value": "copy"}]
    first = call("suspects")[0]
    # Two of the three matches are parts of one passage.
    assert (first["judged"], first["passages"], first["matches"], first["verdicts"]) == (2, 2, 3, {"copy": 2})
    assert (first["state"], first["decision"]) == ("open", None)
    call("decide", "partial", "--suspect", "s1", "--who", "Ann", "--note", "two sources")
    first = call("suspects")[0]
    assert (first["state"], first["decision"]["verdicts"][0]["note"]) == ("partial", "two sources")


def test_evaluate_calls_matches_what_review_counts_as_parts_of_passages(
    call: Call, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call("judge", "copy", "--suspect", "s1", "--who", "Ann")
    call("judge", "not-copy", "--suspect", "s2", "--who", "Ann")
    assert command_line.main(["evaluate", str(path), "1"]) == 0
    assert "4 labelled matches, 3 of them copy" in capsys.readouterr().out


def test_a_passage_has_the_number_and_the_parts_that_the_counts_have(call: Call) -> None:
    rows = call("passages", "--suspect", "s1")
    assert [(row["passage"], row["part"], row["source"]) for row in rows] == [(1, 1, "t1"), (2, 1, "t2"), (1, 2, "t1")]
    assert call("judge", "partial", "--suspect", "s1", "--passage", "1", "--note", "both parts") == [
        {"judged": 2, "passages": 1, "value": "partial"}
    ]
    notes = [row["judgement"] and row["judgement"]["verdicts"][0]["note"] for row in call("passages")[:3]]
    assert notes == ["both parts", None, "both parts"]
    (listed,) = call("suspects", "--suspect", "s1")
    assert (listed["judged"], listed["passages"]) == (1, 2)


def test_two_reviewers_stand_side_by_side_and_a_conflict_is_settled_apart(call: Call) -> None:
    call("judge", "copy", "--suspect", "s1", "--who", "Ann")
    call("judge", "not-copy", "--suspect", "s1", "--passage", "2", "--who", "Bob", "--note", "common phrase")
    (conflict,) = call("conflicts")
    assert (conflict["source"], conflict["passage"]) == ("t2", 2)
    verdicts = [(v["who"], v["value"], v["note"]) for v in conflict["judgement"]["verdicts"]]
    assert verdicts == [("Ann", "copy", ""), ("Bob", "not-copy", "common phrase")]
    call("settle", "partial", "--suspect", "s1", "--passage", "2", "--who", "Cid")
    assert call("conflicts") == []
    judgement = call("passages", "--suspect", "s1")[1]["judgement"]
    assert (judgement["value"], judgement["settled"]["who"], len(judgement["verdicts"])) == (
        "partial",
        "adjudicator:Cid",
        2,
    )


@pytest.mark.parametrize("passage", [["--passage", "2"], []])
def test_who_settles_their_own_conflict_is_told_that_reports_say_so(
    call: Call, capsys: pytest.CaptureFixture[str], passage: list[str]
) -> None:
    verb = "judge" if passage else "decide"
    for who, value in (("Ann", "copy"), ("Bob", "not-copy")):
        call(verb, value, "--suspect", "s1", *passage, "--who", who)
    capsys.readouterr()
    (settled,) = call("settle", "copy", "--suspect", "s1", *passage, "--who", "Ann")
    assert settled["by_party"]
    (settled,) = call("settle", "not-copy", "--suspect", "s1", *passage, "--who", "Cid")
    assert not settled["by_party"]


def test_passages_are_chosen_by_source_and_by_score(call: Call) -> None:
    assert call("judge", "copy", "--source", "t2", "--who", "Ann") == [{"judged": 2, "passages": 2, "value": "copy"}]
    assert call("judge", "not-copy", "--below", "20", "--who", "Ann") == [
        {"judged": 1, "passages": 1, "value": "not-copy"}
    ]
    values = [(row["suspect"], (row["judgement"] or {}).get("value")) for row in call("passages")]
    assert values == [("s1", None), ("s1", "copy"), ("s1", None), ("s2", "not-copy")]
    assert call("judge", "none", "--source", "t2", "--who", "Ann")
    assert [row["judgement"] for row in call("passages")] == [None] * 4


@pytest.mark.slow
def test_a_note_is_kept_with_each_of_several_passages(call: Call) -> None:
    call("judge", "copy", "--suspect", "s1", "--who", "Ann", "--note", "no reference given")
    rows = call("passages", "--suspect", "s1")
    assert [v["note"] for row in rows for v in row["judgement"]["verdicts"]] == ["no reference given"] * len(rows)
    call("judge", "partial", "--suspect", "s1", "--who", "Ann")
    rows = call("passages", "--suspect", "s1")
    assert {v["note"] for row in rows for v in row["judgement"]["verdicts"]} == {"no reference given"}


def test_verdicts_that_a_later_run_has_no_passage_for_are_listed(call: Call, path: Path) -> None:
    call("judge", "copy", "--suspect", "s1", "--who", "Ann")
    with Session(path) as session:
        store(session, [(1, 3, 0, 30), (2, 4, 0, 10)])
    lost = call("unplaced", "--run", "2")
    assert [(row["source"], row["start"], row["judgement"]["value"]) for row in lost] == [
        ("t1", 50, "copy"),
        ("t2", 5, "copy"),
    ]
    assert [row["source"] for row in call("unplaced", "--run", "2", "--source", "t2")] == ["t2"]
    assert call("unplaced", "--run", "2", "--suspect", "s2") == []
    carried = call("passages", "--run", "2", "--suspect", "s1")[0]["judgement"]["verdicts"][0]
    assert (carried["value"], carried["carried"]) == ("copy", True)


def test_suspects_are_assigned_by_a_seed_that_is_kept(call: Call) -> None:
    (first,) = call("assign", "--who", "Bob", "--sample", "1", "--seed", "3")
    assert call("assign", "--who", "Bob", "--sample", "1", "--seed", "3") == [first]
    assert [row["id"] for row in call("suspects") if row["assigned"] == ["Bob"]] == first["assigned"]
    call("assign", "--who", "Bob")
    assert [row["assigned"] for row in call("suspects")] == [["Bob"], ["Bob"]]


@pytest.mark.parametrize(
    "arguments",
    [
        ["judge", "copy"],
        ["judge", "guilty", "--suspect", "s1"],
        ["judge", "undecided", "--suspect", "s1"],
        ["judge", "copy", "--suspect", "s1", "--passage", "4"],
        ["decide", "copy"],
        ["settle", "copy"],
        ["assign", "--sample", "3"],
        ["assign", "--share", "0"],
        ["decide", "copy", "--suspect", "s1", "--passage", "1"],
        ["settle", "copy", "--suspect", "s1", "--source", "t1"],
        ["assign", "--suspect", "s1"],
        ["suspects", "--below", "0"],
        ["suspects", "--share", "1"],
        ["judge", "none", "--suspect", "s1", "--seed", "0"],
        ["passages", "copy"],
        ["suspects", "--source", "t1"],
    ],
)
def test_wrong_usage_is_refused(call: Call, arguments: list[str]) -> None:
    call(*arguments, code=2)


@pytest.mark.parametrize(
    "arguments",
    [["decide", "--suspect", "t1"], ["settle", "--suspect", "s1"], ["settle", "--suspect", "s1", "--passage", "2"]],
)
def test_a_verdict_that_nothing_in_the_run_can_take_fails(call: Call, arguments: list[str]) -> None:
    action, *others = arguments
    call(action, "copy", *others, code=1)


def test_a_suspect_that_does_not_exist_is_reported_as_such(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["judge", "copy"], ["passages"], ["suspects"]):
        assert command_line.main(["review", str(path), *arguments, "--suspect", "s9"]) == 1
        assert "no document s9" in capsys.readouterr().err


def test_pairs_of_whole_documents_get_the_verdicts_of_pairs(path: Path, call: Call) -> None:
    with Session(path) as session, session.write() as connection:
        run = begin_run(connection, "shingle", 1, {}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(pairs=[PairScore(1, 3, 0.9, 0.9, relation="near-duplicate")]))
        finish_run(connection, run.id)
    chosen = ("--run", str(run.id), "--suspect", "s1")
    call("judge", "copy", "--run", "1", "--suspect", "s1")
    assert call("unplaced", "--run", str(run.id)) == []
    assert [(row["start"], row["source_end"]) for row in call("passages", *chosen)] == [(None, None)]
    call("judge", "copy", *chosen, code=2)
    (judged,) = call("judge", "near-duplicate", *chosen, "--who", "Ann")
    assert judged == {"judged": 1, "passages": 1, "value": "near-duplicate"}
    call("judge", "not", *chosen, "--who", "Ben")
    assert call("conflicts", *chosen)[0]["judgement"]["conflict"]
    call("settle", "not", *chosen, "--passage", "1", "--who", "Cat")
    assert call("suspects", *chosen)[0]["verdicts"] == {"not": 1}


@pytest.mark.parametrize("name", ["Roe, Jo", "x'; touch y; '", "$(touch y) `touch y`"])
def test_the_proposed_command_accepts_a_person_of_any_name_and_does_nothing_else(
    path: Path, call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    copy = tmp_path / "copy.palimpsest"
    who = ("--suspect", "s2", "--who", name)
    call("judge", "copy", *who)
    shutil.copy(path, copy)
    with Session(copy) as session:
        give_verdict(session, Unit("s2", "t2", (Span(0, 10), Span(0, 10))), "not-copy", "", name)
    merge = ["labels", str(path), "merge", str(copy)]
    command_line.main(merge)
    proposed = capsys.readouterr().err.rpartition("--accept ")[2]
    assert shlex.split(proposed) == [name]
    assert command_line.main([*merge, "--accept", *shlex.split(proposed)]) == 0
    capsys.readouterr()
    assert call("suspects", "--suspect", "s2")[0]["verdicts"] == {"not-copy": 1}


def test_a_verdict_follows_its_passage_into_a_new_version_and_diff_says_what_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = "I walked to the station in the rain and thought about the letter which had come that morning. "
    copy = (
        "The harbour was quiet in the morning, and the fishermen mended their nets beside the wall. Nobody had seen "
        "the ship for a week, but the old man was certain that it would return before the storm. "
    )
    project, essay = tmp_path / "p.palimpsest", tmp_path / "essay.txt"
    (tmp_path / "source.txt").write_text(f"Chapter one. {copy}Chapter two follows.", encoding="utf-8")
    essay.write_text(own + copy + own, encoding="utf-8")

    def run(*arguments: str) -> list[dict[str, Any]]:
        assert command_line.main([arguments[0], str(project), *arguments[1:], "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert command_line.main(["new", str(project)]) == 0
    capsys.readouterr()
    run("import", str(tmp_path / "source.txt"))
    run("import", str(essay), "--role", "suspect")
    run("detect", "digest", "--workers", "1")
    run("review", "judge", "copy", "--suspect", "essay.txt", "--passage", "1")
    essay.write_text(f"A new beginning. {own}{copy}{own}", encoding="utf-8")
    assert command_line.main(["import", str(project), str(essay), "--update"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "1 document imported (1 new version), 0 duplicates, 0 failed.",
        f"Next: palimpsest detect {project} digest",
    ]
    run("detect", "digest", "--workers", "1")
    (row,) = run("review", "suspects", "--run", "2")
    assert (row["id"], row["judged"]) == ("essay.txt", 1)
    run("review", "decide", "copy", "--suspect", "essay.txt", "--run", "1")
    run("review", "decide", "not-copy", "--suspect", "essay.txt", "--run", "2")
    states = [run("review", "suspects", "--run", number)[0] for number in "12"]
    assert [(row["state"], row["is_earlier_version"]) for row in states] == [("copy", True), ("not-copy", False)]
    (match,) = run("matches", "2")
    assert match["a"]["start"] == len(f"A new beginning. {own}")
    (changes,) = run("diff", "essay.txt")
    assert [(e["edit"], e["b"]) for e in changes["edits"]] == [("inserted", {"start": 0, "end": 16})]
    assert run("diff", "essay.txt", "essay.txt")[0]["edits"] == []
    assert command_line.main(["diff", str(project), "source.txt", "--json"]) == 1
    assert "no earlier version of source.txt" in capsys.readouterr().err
