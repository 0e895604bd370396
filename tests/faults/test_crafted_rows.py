"""What a stranger's project says in its rows: a sentence, never a traceback, and the rest is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.faults.crafted import BAD_ROWS, craft, sound
from workbench.cli.main import main
from workbench.project.watches import add_watch
from workbench.services.session import Session

VERBS = (
    ["info"],
    ["info", "--sites"],
    ["runs"],
    ["matches"],
    ["matches", "1", "--json"],
    ["pairs"],
    ["pairs", "1", "--json"],
    ["pairs", "1", "--sets"],
    ["scores"],
    ["scores", "1", "--json"],
    ["report", "--out", "r.csv"],
)
FURTHER = (["report", "--out", "r.html"], ["report", "--out", "r.jsonl"])
"""Reports that read the same rows; one row of six is written in these formats, too, and all in the slow rest."""
CASES = [
    *((name, VERBS) for name in BAD_ROWS),
    *(pytest.param(name, FURTHER, marks=[pytest.mark.rest] if n % 6 else []) for n, name in enumerate(BAD_ROWS)),
]


@pytest.mark.parametrize(("name", "verbs"), CASES)
def test_crafted_rows_are_a_sentence(
    name: str,
    verbs: tuple[list[str], ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    project = tmp_path / "case.palimpsest"
    craft(project, name)
    for verb, *others in verbs:
        status = main([verb, str(project), *others])
        shown = capsys.readouterr()
        assert "Traceback" not in shown.err
        assert status == 0 or re.search(r"damaged|not |no |has ", shown.err + shown.out), (verb, others, shown.err)


def test_what_holds_is_shown_and_what_was_left_out_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "case.palimpsest"
    craft(project, "infinite passage")
    assert main(["matches", str(project), "1", "--json"]) == 0
    shown = capsys.readouterr()
    assert [json.loads(line)["score"] for line in shown.out.splitlines()] == [5.0]
    assert "Left out: passages without a proper score (3)" in shown.err


def test_a_watch_whose_settings_are_damaged_is_named_and_the_others_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "case.palimpsest"
    sound(project)
    with Session(project) as session, session.write() as connection:
        add_watch(connection, "odd", {"method": "rumour"})
        add_watch(connection, "whole", {"method": "digest"})
    assert main(["watch", str(project), "list"]) == 0
    shown = capsys.readouterr()
    assert re.search(r"^whole +digest +imported suspects", shown.out, re.MULTILINE)
    assert shown.err.startswith("odd: There is no method rumour")
