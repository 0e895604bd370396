"""Integrity check and counts of a project file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.base.types import Ints, RunState
from workbench.project.blocks import walk
from workbench.project.damaged_rows import damage_of
from workbench.project.database import Project
from workbench.project.documents import count_documents, iter_documents
from workbench.project.labels import count_labels, verify_chain
from workbench.project.matches import iter_matches
from workbench.project.pairs import matched_pairs, suspects_of
from workbench.project.run_documents import recorded_documents
from workbench.project.runs import runs
from workbench.project.scores import regions_of, scores_of
from workbench.project.tables import block_rows, run_rows


class Counts(NamedTuple):
    """Counts of a project's content; ``matches`` over all runs, ``labels`` of all annotators on ``labelled`` items."""

    documents: int
    labels: int
    runs: int
    matches: int
    labelled: int = 0


def counts(connection: Connection) -> Counts:
    """Exact counts, without deleted documents and withdrawn labels."""
    run_count = connection.execute(
        select(func.count()).select_from(run_rows).where(run_rows.c.removed == "")
    ).scalar_one()
    there = block_rows.c.run_id.in_(select(run_rows.c.id).where(run_rows.c.removed == ""))
    matches = connection.execute(select(func.coalesce(func.sum(block_rows.c.rows), 0)).where(there)).scalar_one()
    labels, labelled = count_labels(connection)
    return Counts(count_documents(connection), labels, run_count, int(matches), labelled)


def integrity(project: Project, *, deep: bool = False) -> str:
    """ "ok", or a sentence about the first fault.

    All matches are read, a few million per second. ``deep`` also checks the indexes against their tables, and unpacks
    every text.
    """
    check = "integrity_check" if deep else "quick_check"
    try:
        with project.read() as connection:
            return (
                _structure(connection, check)
                or _figures(connection)
                or _unreadable(connection)
                or (_contents(connection) if deep else "")
                or "ok"
            )
    except ProjectError as error:
        return error.message


def _structure(connection: Connection, check: str) -> str:
    problem = connection.exec_driver_sql(f"PRAGMA {check}(1)").scalar_one()
    if problem != "ok":
        return Message("The project file is damaged: {problem}.", problem=problem)
    dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    return (
        Message("The project file is damaged: a row of {table} refers to a missing row.", table=dangling[0])
        if dangling
        else ""
    )


def _figures(connection: Connection) -> str:
    stored: dict[int, int] = {
        row.run_id: row.rows
        for row in connection.execute(
            select(block_rows.c.run_id, func.sum(block_rows.c.rows).label("rows")).group_by(block_rows.c.run_id)
        )
    }
    for run in runs(connection):
        if run.matches != stored.get(run.id, 0):
            return Message(
                "Run {id} counts {matches} matches but stores {stored}.",
                id=run.id,
                matches=run.matches,
                stored=stored.get(run.id, 0),
            )
    chain = verify_chain(connection)
    return "" if chain == "ok" else chain


def _unreadable(connection: Connection) -> str:
    """Rows that every reader skips, and passages without a pair."""
    damage = damage_of(connection)
    for run in runs(connection):
        matched = [_keys(block.matches.a, block.matches.b) for block in walk(connection, run.id)]
        listed = matched_pairs(connection, run.id)
        suspects = np.array(sorted(suspect.a for suspect in suspects_of(connection, run.id)), np.int64)
        regions_of(connection, run.id)
        for _ in scores_of(connection, run.id):
            pass
        recorded_documents(connection, run.id)
        pairs = _merged(matched)
        other = not np.array_equal(pairs, _keys(*listed.T)) or not np.array_equal(np.unique(pairs >> 31), suspects)
        if other and not damage.counts():
            return Message("Run {id} lists pairs of documents other than those of its passages.", id=run.id)
    problems = ", ".join(f"{reason} ({count:,})" for reason, count in damage.counts().items())
    return Message("The project file is damaged: {problem}.", problem=problems) if problems else ""


def _keys(a: Ints, b: Ints) -> NDArray[np.int64]:
    """Pairs as one number each; keys must belong to documents of the project."""
    return np.unique(a << 31 | b)


def _merged(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.unique(np.concatenate([np.zeros(0, np.int64), *parts]))


def _contents(connection: Connection) -> str:
    lengths = {document.key: len(document.text) for document in iter_documents(connection)}
    for run in runs(connection):
        for part in iter_matches(connection, run.id):
            for match in part if run.state is not RunState.RUNNING else ():
                ends = ((match.a, match.a_span.end), (match.b, match.b_span.end))
                if any(end > lengths.get(key, end) for key, end in ends):
                    return Message("Run {id} has a match outside its document.", id=run.id)
    return ""
