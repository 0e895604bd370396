"""No number of a project file, whatever it is changed to, takes results out of sight while the file is called sound."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.faults.crafted import sound
from workbench.base.errors import ProjectError
from workbench.project.database import Project, open_project
from workbench.project.integrity import integrity
from workbench.project.matches import match_columns, matches_of
from workbench.project.pairs import pairs_of, suspects_of
from workbench.project.runs import runs
from workbench.project.scores import regions_of, scores_of

WRONG = (-1, 2, 1 << 31, 0.5, "")
FURTHER = (0, float("inf"), -(1 << 62), 1, 3, 7, 1 << 20, (1 << 62) + 1, -1.0, 1e308, "1", b"\x01")
"""Values of the same kinds, for the slow rest."""
COLUMNS = {
    "match_block": ("run_id", "position", "rows", "a_low", "a_high", "size"),
    "pair": ("run_id", "a", "b", "matches", "total", "best", "covered_a", "covered_b", "longest", "score"),
    "suspect": ("run_id", "a", "matches", "sources", "total", "best", "covered", "longest"),
    "region": ("run_id", "a", "b", "a_start", "a_end", "b_start", "b_end", "slope"),
    "document_score": ("run_id", "document", "score"),
    "document": ("key", "characters", "text_id", "batch_id"),
    "run": (
        "id",
        "version",
        "seconds",
        "documents",
        "matches",
        "pairs",
        "scores",
        "chunks",
        "varied_from",
        "continues",
    ),
}


def shown(project: Project) -> set[Any]:
    """Which results are shown, by what they are about; not their figures."""
    with project.read() as connection:
        results: set[Any] = {("run", run.id) for run in runs(connection)}
        for match in match_columns(connection, 1):
            results.add(("match", match.a, match.b, match.a_span, match.b_span))
        for a in (1, 2):
            for one in matches_of(connection, 1, a=a):
                results.add(("match of one", one.a, one.b, one.a_span, one.b_span))
        results |= {("pair", pair.a, pair.b) for pair in pairs_of(connection, 1)}
        results |= {("suspect", suspect.a) for suspect in suspects_of(connection, 1)}
        # Who these are about is a figure like others: nothing else in the project says it.
        results |= {("region", number) for number, _ in enumerate(regions_of(connection, 1))}
        results |= {("score", number) for number, _ in enumerate(scores_of(connection, 1))}
    return results


@pytest.mark.parametrize("values", [WRONG, pytest.param(FURTHER, marks=pytest.mark.rest)], ids=["wrong", "further"])
@pytest.mark.parametrize("table", COLUMNS)
def test_what_an_edited_number_hides_is_reported(tmp_path: Path, table: str, values: tuple[Any, ...]) -> None:
    path = tmp_path / "case.palimpsest"
    sound(path)
    with open_project(path) as project:
        assert integrity(project) == "ok"
        whole = shown(project)
    original = path.read_bytes()
    hidden = []
    for column, value in itertools.product(COLUMNS[table], values):
        path.write_bytes(original)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA foreign_keys = off")
            connection.execute("PRAGMA ignore_check_constraints = on")
            first = f"SELECT min({column}) FROM {table}"
            try:
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} IS ({first})", (value,))
            except sqlite3.Error:
                continue
            connection.commit()
        try:
            with open_project(path) as project:
                lost = whole - shown(project)
            if lost:
                with open_project(path) as project:
                    if integrity(project) == "ok":
                        hidden.append((column, value, sorted(lost, key=repr)[:2]))
        except ProjectError:
            # The file is refused as a whole, with a sentence.
            continue
    assert not hidden
