"""The runs of a watch are one growing result: the findings of each check are added to those of earlier checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np
from sqlalchemy import Connection, func, select, update

from workbench.base.types import Ints, Matches, PairScores, Results, Run, RunState
from workbench.project.matches import match_columns
from workbench.project.packing import to_json
from workbench.project.pairs import described_pairs
from workbench.project.runs import drop_results, drop_run, finish_chunk, finish_run, runs
from workbench.project.scores import regions_of, scores_of
from workbench.project.tables import check_rows, run_rows, seen_rows


def enter(connection: Connection, run: Run, changed: Collection[int]) -> Run:
    """Add the findings of the finished ``run`` of a watch to the watch's result so far, and return that.

    A finding of an earlier check is kept until something newer is known about the same pair of documents, even if the
    page is gone, or was compared again without it. For the documents ``changed`` (keys), whose content is different
    now, only the findings of ``run`` are kept. Runs of the watch that did not finish are dropped: this one has examined
    their documents. Results with different settings are kept apart.
    """
    others = [other for other in runs(connection) if other.watch == run.watch and other.id != run.id]
    past = [other for other in others if other.state is RunState.DONE and _made_alike(other, run)]
    result = past[0] if past else run
    for other in others:
        if other.state.resumable:
            _drop(connection, other, result)
    if not past:
        return run
    findings = _results(connection, run)
    for other in reversed(past):
        all_again = run.documents >= other.documents
        findings = _joined(findings, _results(connection, other), changed, all_again=all_again)
    for other in (*past[1:], run):
        _drop(connection, other, result)
    drop_results(connection, result.id)
    counts = dict.fromkeys(("documents", "matches", "pairs", "scores"), 0)
    seconds = run.seconds + sum(other.seconds for other in past)
    begun = {"corpus_hash": run.corpus_hash, "created": run.created, "chunks": 1, "excluded": to_json({})}
    connection.execute(update(run_rows).where(run_rows.c.id == result.id).values(**begun, **counts, seconds=seconds))
    seen = select(func.count()).select_from(seen_rows).where(seen_rows.c.watch_id == run.watch)
    finish_chunk(connection, result.id, 0, findings, documents=connection.execute(seen).scalar_one())
    return finish_run(connection, result.id)


def _made_alike(one: Run, other: Run) -> bool:
    return (one.method, one.version, one.parameters) == (other.method, other.version, other.parameters)


def _drop(connection: Connection, run: Run, result: Run) -> None:
    """Drop ``run``; its checks get ``result`` instead."""
    connection.execute(update(check_rows).where(check_rows.c.run_id == run.id).values(run_id=result.id))
    drop_run(connection, run.id)


def _results(connection: Connection, run: Run) -> Results:
    return Results(
        match_columns(connection, run.id),
        PairScores.of(described_pairs(connection, run.id)),
        tuple(scores_of(connection, run.id)),
        tuple(regions_of(connection, run.id)),
        run.excluded,
    )


def _joined(newer: Results, older: Results, changed: Collection[int], *, all_again: bool) -> Results:
    """``newer``, plus the parts of ``older`` about pairs and documents not in ``newer``.

    ``all_again``: the newer one examined all documents, so that it includes everything left out.
    """
    again = set(_codes(newer.matches.a, newer.matches.b).tolist()) | {_code(p.a, p.b) for p in newer.pairs}
    scored = {score.document for score in newer.scores} | set(changed)
    stays = ~np.isin(_codes(older.matches.a, older.matches.b), np.array(sorted(again), np.int64))
    stays &= ~np.isin(older.matches.a, np.array(sorted(changed), np.int64))

    def kept(a: int, b: int) -> bool:
        return a not in changed and _code(a, b) not in again

    return Results(
        Matches.concatenate([newer.matches, older.matches.take(stays)]),
        PairScores.concatenate([newer.pairs, [p for p in older.pairs if kept(p.a, p.b)]]),
        (*newer.scores, *(score for score in older.scores if score.document not in scored)),
        (*newer.regions, *(region for region in older.regions if kept(region.a, region.b))),
        newer.excluded if all_again else Counter(newer.excluded) + Counter(older.excluded),
    )


def _codes(a: Ints, b: Ints) -> Ints:
    """One int64 for each pair of keys."""
    return a << 32 | b


def _code(a: int, b: int) -> int:
    return a << 32 | b
