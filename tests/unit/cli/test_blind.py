"""Blind review: whatever others have said of what the reviewer has not judged, nothing that is written tells it."""

from __future__ import annotations

import random
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.base.types import Document, Label, Matches, Results, Role, Span
from workbench.cli import main as command_line
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.sets import ATTACHED
from workbench.services.labels.targets import adjudicator
from workbench.services.queries import comparison
from workbench.services.review.counting import read_counted, read_counted_shares
from workbench.services.review.judgement import Reviewer
from workbench.services.review.verdicts import Unit
from workbench.services.session import Session, create

ROWS = [(1, 3, 0, 20), (1, 4, 5, 25), (1, 3, 50, 90), (2, 4, 0, 10), (2, 3, 40, 70), (2, 4, 80, 99)]
"""Keys of suspect and source, start and end on both sides."""
NAMES = {1: "s1", 2: "s2", 3: "t1", 4: "t2"}
ME = Reviewer("Ann", blind=True)


def unit(row: tuple[int, int, int, int]) -> Unit:
    a, b, start, end = row
    return Unit(NAMES[a], NAMES[b], (Span(start, end), Span(start, end)))


def project(path: Path, events: list[Label]) -> Path:
    """Two suspects, two sources, two runs, the second without the first match; ``events`` in the label log."""
    path.parent.mkdir()
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            roles = {"s1": Role.SUSPECT, "s2": Role.SUSPECT, "t1": Role.SOURCE, "t2": Role.SOURCE}
            add_documents(connection, [Document(name, name + "。文" * 60, role) for name, role in roles.items()])
        for rows in (ROWS, ROWS[1:]):
            a, b, start, end = np.array(rows, np.int64).T
            tier = np.zeros(len(rows), np.int8)
            matches = Matches(a, b, start, end, start, end, (end - start).astype(float), tier)
            with session.write() as connection:
                run = begin_run(connection, "digest", 1, {}, "00", 1)
                finish_chunk(connection, run.id, 0, Results(matches), documents=2)
            with session.write() as connection:
                finish_run(connection, run.id)
        with session.write() as connection:
            labels.add_labels(connection, events)
    return path


def stories(seed: int) -> tuple[list[Label], list[Label]]:
    """What Ann said, and what she and others said who judged nothing that she has judged."""
    dice = random.Random(seed)
    rows = dice.sample(ROWS, len(ROWS))
    cut = dice.randint(0, 3)
    loose = [(1, 4, 95, 110), (2, 3, 5, 15)]
    values = ["copy", "partial", "not-copy", "", "not-copy"]

    def event(about: Unit, who: str, value: str, minute: int) -> Label:
        when = f"2026-01-01T00:{minute:02}:00Z"
        note = f"{who} thinks {minute}"
        return Label(about.target, value, who, when, note, label_set=about.label_set)

    mine = [event(unit(row), "Ann", dice.choice(values[:3]), n) for n, row in enumerate([*rows[:cut], loose[0]])]
    decided = dice.choice(["s1", "s2"])
    mine.append(event(Unit(decided), "Ann", "copy", 20))
    theirs: list[Label] = []
    for minute in range(30, 45):
        who = dice.choice(["Ben", "Cho", adjudicator("Ben")])
        about = dice.choice([*map(unit, rows[cut:]), unit(loose[1]), Unit("s1" if decided == "s2" else "s2")])
        theirs.append(event(about, who, dice.choice(values), minute))
    # They say, too, that verdicts on one passage are about another.
    moved = replace(event(unit(loose[1]), "Ben", unit(rows[cut]).target, 50), label_set=ATTACHED)
    theirs += [moved] * (dice.random() < 0.5)
    place = sorted(range(len(mine) + len(theirs)), key=lambda _: dice.random())[: len(mine)]
    together = list(theirs)
    for at, own in zip(sorted(place), mine, strict=True):
        together.insert(at, own)
    return mine, together


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.rest) for n in range(1, 10))])
def test_nothing_written_for_a_blind_reviewer_depends_on_what_others_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    alone, together = (
        project(tmp_path / name / "case.palimpsest", events)
        for name, events in zip(("one", "two"), stories(seed), strict=True)
    )

    def written(path: Path, *arguments: str) -> str:
        arguments = (arguments[0], str(path), *arguments[1:], "--blind", "--who", "Ann")
        assert command_line.main([*arguments]) == 0
        captured = capsys.readouterr()
        return (captured.out + captured.err).replace(str(path.parent), "HERE")

    def report(path: Path, suffix: str) -> str:
        out = path.with_name(f"report{suffix}")
        printed = written(path, "report", "--out", str(out))
        if suffix != ".zip":
            return without_times(printed + out.read_text("utf-8"))
        with zipfile.ZipFile(out) as pack:
            named = {name: pack.read(name).decode("utf-8", "replace") for name in pack.namelist() if "mani" not in name}
        return without_times("".join(f"{name}\n{text}" for name, text in sorted(named.items())))

    for action in ("suspects", "passages", "conflicts", "unplaced"):
        for run in ("1", "2"):
            for shape in ((), ("--json",)):
                question = ("review", action, "--run", run, *shape)
                assert written(alone, *question) == written(together, *question), question
    for suffix in (".jsonl", ".csv", ".html", ".zip"):
        assert report(alone, suffix) == report(together, suffix), suffix

    def figures(path: Path) -> list[object]:
        with Session(path, write=False, viewer=ME) as session:
            counted = [read_counted(session, run, key) for run in (1, 2) for key in (1, 2)]
            compared = comparison(1, 2)(session)
        shares = [
            read_counted_shares(Context("count", lambda _event: None, lambda: False), path, run, ME) for run in (1, 2)
        ]
        return [[(c.counts(), c.shares.counted, c.shares.not_copies) for c in counted], compared.verdicts, shares]

    assert figures(alone) == figures(together)


def without_times(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z| UTC)?|[0-9a-f]{64}", "·", text)


def test_what_the_reviewer_has_judged_shows_what_others_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [
        Label(unit(ROWS[0]).target, value, who, f"2026-01-01T00:00:0{at}Z")
        for at, (who, value) in enumerate([("Ben", "not-copy"), ("Ann", "copy")])
    ]
    path = project(tmp_path / "one" / "case.palimpsest", both)
    arguments = ["review", str(path), "conflicts", "--run", "1", "--blind", "--json"]
    assert command_line.main([*arguments, "--who", "Ann"]) == 0
    assert "not-copy" in capsys.readouterr().out
    assert command_line.main([*arguments, "--who", "Cho"]) == 0
    assert capsys.readouterr().out == ""
