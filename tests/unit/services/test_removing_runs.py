"""Runs are removed and come back; what people said of them stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Document, Role, RunState
from workbench.cli.main import main
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.project.listing import document_table
from workbench.project.matches import match_columns
from workbench.project.runs import begin_run, runs
from workbench.services.choosing import find_run
from workbench.services.contents import overview
from workbench.services.detecting.runs import detect
from workbench.services.removing_runs import purge, remove_runs, removed, restore_runs
from workbench.services.review.either_side import listed_suspects
from workbench.services.review.overview import read_overview
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session

TEXT = "".join(f"第{n}の文は、町の{n}番目の橋について書かれている。" for n in range(12))


@pytest.fixture
def swept(path: Path, ctx: Context) -> Path:
    """Run 1, whose only passage is judged, and three points of its sweep (runs 2 to 4)."""
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("source", TEXT), Document("copy", TEXT, Role.SUSPECT)])
    detect(ctx, path, "digest", {}, workers=0)
    for least in (20, 30, 40):
        detect(ctx, path, "digest", {"min_segment": least % 19 + 1}, workers=0, varied_from=1)
    with Session(path) as session:
        columns = read_overview(session, 1).columns
        assert columns is not None
        give_verdict(session, columns.unit(0), "copy", "", "me")
    return path


def numbers(path: Path) -> list[int]:
    with Session(path, write=False) as session, session.read() as connection:
        return [run.id for run in runs(connection)]


def test_a_removed_run_is_nowhere_and_comes_back_as_it_was(swept: Path) -> None:
    with Session(swept) as session:
        with session.read() as connection:
            before, matches = runs(connection), match_columns(connection, 1)
        assert remove_runs(session, [1]) == 1
        assert numbers(swept) == [2, 3, 4]
        assert (find_run(session).id, overview(session).runs) == (4, 3)
        with pytest.raises(UserError, match="no run 1"):
            find_run(session, 1)
        shown = read_overview(session, 1)
        assert shown.run is not None
        assert shown.run.id == 4
        assert [run.id for run in removed(session)] == [1]
        restore_runs(session, [1])
        with session.read() as connection:
            assert runs(connection) == before
            again = match_columns(connection, 1)
        assert (again.a_start.tolist(), again.b_end.tolist()) == (matches.a_start.tolist(), matches.b_end.tolist())


def test_verdicts_stay_when_every_run_is_gone_and_hold_in_the_next_one(swept: Path, ctx: Context) -> None:
    with Session(swept) as session:
        remove_runs(session, [1, 2, 3, 4])
        assert purge(session)[0] == 4
        with session.read() as connection:
            assert document_table(connection).matches.tolist() == [0, 0]
    assert numbers(swept) == []
    again = detect(ctx, swept, "digest", {}, workers=0)
    with Session(swept) as session:
        assert [
            row.judged for row in listed_suspects(session, read_overview(session, again.id)) if row.id == "copy"
        ] == [1]


def test_a_purged_run_frees_its_space_for_good(swept: Path) -> None:
    with Session(swept) as session:
        remove_runs(session, [2, 3, 4])
        count, freed = purge(session)
        assert (count, freed >= 0) == (3, True)
        assert removed(session) == []
        with session.read() as connection:
            for table in ("match_block", "pair", "suspect", "run_chunk"):
                left = connection.exec_driver_sql(f"SELECT count(*) FROM {table} WHERE run_id <> 1").scalar_one()
                assert left == 0
        with pytest.raises(UserError, match="was not removed"):
            restore_runs(session, [2])
    assert numbers(swept) == [1]


def test_an_equal_run_is_made_again_after_its_removal_and_not_resumed(swept: Path, ctx: Context) -> None:
    with Session(swept) as session:
        remove_runs(session, [1])
    fresh = detect(ctx, swept, "digest", {}, workers=0, resume=True)
    assert (fresh.id, fresh.state, fresh.matches) == (5, RunState.DONE, 1)


def test_a_run_that_is_running_or_does_not_exist_is_refused_and_nothing_is_removed(swept: Path) -> None:
    with Session(swept) as session:
        with session.write() as connection:
            running = begin_run(connection, "digest", 1, {}, "0" * 64, 1)
        for wrong in (running.id, 99):
            with pytest.raises(UserError):
                remove_runs(session, [2, wrong])
        assert numbers(swept) == [1, 2, 3, 4, running.id]


def test_runs_of_a_sweep_are_one_line_and_go_together(swept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*arguments: str, code: int = 0) -> str:
        assert main(["runs", str(swept), *arguments]) == code
        return capsys.readouterr().out

    assert "and 3 runs of sweeps of run 1" in printed()
    assert "sweep of 1:" not in printed()
    assert printed("--sweeps").count("sweep of 1:") == 3
    assert "Removed 3 runs" in printed("remove", "--sweep", "1")
    assert "3 removed runs (2, 3, 4)" in printed()
    printed("restore", "3")
    assert "and 1 run of sweeps of run 1" in printed()
    assert json.loads(printed("purge", "--json"))["purged"] == 2
    assert numbers(swept) == [1, 3]
    printed("remove", code=2)
    printed("list", "3", code=2)


def test_a_judged_passage_is_judged_in_a_run_that_was_brought_back(swept: Path) -> None:
    with Session(swept) as session:
        remove_runs(session, [1])
        give_verdict(session, Unit("copy"), "copy", "", "me")
        restore_runs(session, [1])
        (row,) = [row for row in listed_suspects(session, read_overview(session, 1)) if row.id == "copy"]
        assert (row.judged, row.decision is not None and row.decision.value) == (1, "copy")
