"""Runs: starting, finishing chunk by chunk, resuming after an interruption."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from workbench.base.errors import ProjectError
from workbench.base.messages import Message, read, stored
from workbench.base.sound import is_count, is_figure
from workbench.base.types import PairScores, Results, Run, RunState
from workbench.project.aggregates import in_order
from workbench.project.blocks import PARTS, merge_small_blocks, write_blocks
from workbench.project.clock import now
from workbench.project.damaged_rows import LONGEST_FIELD, damage_of
from workbench.project.database import locks_of
from workbench.project.matches import match_columns
from workbench.project.packing import counts_from_json, damaged, flat, object_from_json, to_json
from workbench.project.pairs import add_pairs, count_pairs, described_pairs
from workbench.project.run_documents import drop_run_documents
from workbench.project.scores import add_regions, add_scores, count_scores
from workbench.project.tables import (
    block_rows,
    check_rows,
    chunk_rows,
    pair_rows,
    region_rows,
    run_rows,
    scan_failure_rows,
    scan_file_rows,
    scan_rows,
    score_rows,
    suspect_rows,
)
from workbench.project.word_boxes import without_exact_tier


@dataclass(frozen=True, slots=True)
class Earlier:
    """A finished run, of which a new one reuses the results of ``kept`` documents (keys), and the counts of what was
    left out, also in others.
    """

    run: Run
    kept: Sequence[int]


def begin_run(
    connection: Connection,
    method: str,
    version: int,
    parameters: Mapping[str, Any],
    corpus_hash: str,
    chunks: int,
    *,
    varied_from: int | None = None,
    continues: Earlier | None = None,
    watch: int | None = None,
) -> Run:
    """Record a run of ``chunks`` chunks and take its lock, so that others see it running.

    ``varied_from``: the run of which a sweep varies the parameters. ``continues``: what is copied as chunk 0.
    ``watch``: the watch that starts it.
    """
    row = {
        "method": method,
        "version": version,
        "parameters": to_json(dict(parameters)),
        "corpus_hash": corpus_hash,
        "state": RunState.RUNNING.value,
        "created": now(),
        "chunks": chunks,
        "varied_from": varied_from,
        "continues": None if continues is None else continues.run.id,
        "taken_over": 0 if continues is None else len(continues.kept),
        "watch": watch,
        "part": int(watch is not None),
        "removed": "",
    }
    run_id = connection.execute(insert(run_rows).returning(run_rows.c.id), row).scalar_one()
    locks = locks_of(connection)
    for other in (
        connection.execute(select(run_rows.c.id).where(run_rows.c.state == RunState.RUNNING.value)).scalars().all()
    ):
        locks.clear(_lock(other))
    locks.hold(_lock(run_id))
    if continues is not None:
        earlier, kept = continues.run, set(continues.kept)
        matches = match_columns(connection, earlier.id)
        results = Results(
            matches.take(np.isin(matches.a, np.array(continues.kept, np.int64))),
            pairs=[pair for pair in described_pairs(connection, earlier.id) if pair.a in kept],
            excluded=earlier.excluded,
        )
        finish_chunk(connection, run_id, 0, results, documents=len(kept))
    return load_run(connection, run_id)


def resume_run(connection: Connection, run_id: int) -> Run:
    """Resume an unfinished run, taking its lock again. Raises ProjectError if a process is working on it."""
    state = load_run(connection, run_id).state
    if not state.resumable:
        raise ProjectError(Message("Run {id} is {state} and cannot be resumed.", id=run_id, state=state.value))
    locks_of(connection).hold(_lock(run_id))
    change = (
        update(run_rows).where(run_rows.c.id == run_id).values(state=RunState.RUNNING.value, finished="", message="")
    )
    connection.execute(change)
    return load_run(connection, run_id)


def finish_chunk(
    connection: Connection,
    run_id: int,
    chunk_index: int,
    results: Results,
    *,
    documents: int = 0,
) -> bool:
    """Store all of a chunk's results in this transaction. Returns False if it was already stored (nothing changes).

    ``documents`` is the number of documents examined. Raises ValueError for an index outside the run.
    """
    run = connection.execute(select(run_rows.c.chunks, run_rows.c.excluded).where(run_rows.c.id == run_id)).one()
    if not 0 <= chunk_index < run.chunks:
        raise ValueError(f"chunk {chunk_index} is not among the {run.chunks} of run {run_id}")
    finished = select(chunk_rows.c.chunk_index).where(
        chunk_rows.c.run_id == run_id, chunk_rows.c.chunk_index == chunk_index
    )
    if connection.execute(finished).first() is not None:
        return False
    matches = without_exact_tier(connection, in_order(results.matches))
    write_blocks(connection, run_id, chunk_index * PARTS, matches)
    new_pairs = add_pairs(connection, run_id, matches, PairScores.of(results.pairs))
    add_scores(connection, run_id, results.scores)
    add_regions(connection, run_id, results.regions)
    excluded = counts_from_json(run.excluded, "the counts of a run")
    for left_out, count in results.excluded.items():
        reason = stored(left_out)
        excluded[reason] = excluded.get(reason, 0) + int(count)
    connection.execute(insert(chunk_rows), {"run_id": run_id, "chunk_index": chunk_index})
    connection.execute(
        update(run_rows)
        .where(run_rows.c.id == run_id)
        .values(
            documents=run_rows.c.documents + documents,
            matches=run_rows.c.matches + len(matches),
            pairs=run_rows.c.pairs + new_pairs,
            scores=run_rows.c.scores + len(results.scores),
            excluded=to_json({reason: count for reason, count in excluded.items() if count}),
        )
    )
    return True


def finish_run(
    connection: Connection, run_id: int, state: RunState = RunState.DONE, seconds: float = 0.0, message: str = ""
) -> Run:
    """End a run: compute exact counts, add ``seconds`` to the time of earlier executions, release its lock on commit.

    Raises ValueError for ``DONE`` while chunks are open.
    """
    if state is RunState.DONE:
        if open_chunks(connection, run_id):
            raise ValueError(f"run {run_id} has unfinished chunks")
        merge_small_blocks(connection, run_id)
    rows = select(func.coalesce(func.sum(block_rows.c.rows), 0)).where(block_rows.c.run_id == run_id)
    connection.execute(
        update(run_rows)
        .where(run_rows.c.id == run_id)
        .values(
            state=state.value,
            finished=now(),
            seconds=run_rows.c.seconds + seconds,
            message=stored(message),
            matches=connection.execute(rows).scalar_one(),
            pairs=count_pairs(connection, run_id),
            scores=count_scores(connection, run_id),
        )
    )
    locks_of(connection).retire(_lock(run_id))
    return load_run(connection, run_id)


def runs(connection: Connection) -> list[Run]:
    """All runs, oldest first; one whose process died is ``INTERRUPTED``. Damaged and removed ones are left out."""
    return _listed(connection, run_rows.c.removed == "")


def removed_runs(connection: Connection) -> list[Run]:
    """The runs that were removed and can be restored, oldest first."""
    return _listed(connection, run_rows.c.removed != "")


def _listed(connection: Connection, which: Any) -> list[Run]:
    result = []
    for row in connection.execute(select(*_COLUMNS).where(which).order_by(run_rows.c.id)).all():
        try:
            result.append(_run(connection, row))
        except ProjectError:
            damage_of(connection).note(Message("runs that cannot be read"), [row.id])
    return result


def load_run(connection: Connection, run_id: int) -> Run:
    """One run. Raises ProjectError for one that is unknown or was removed."""
    row = connection.execute(_BY_ID, {"id": run_id}).one_or_none()
    if row is None:
        raise ProjectError(
            Message("There is no run {id} in this project.", id=run_id),
            command="List them with: palimpsest runs PROJECT",
        )
    return _run(connection, row)


def newest(candidates: Iterable[Run]) -> Run | None:
    """The run that represents the project's results: the first :func:`by_weight`; None if there is none."""
    return next(iter(by_weight(candidates)), None)


def by_weight(candidates: Iterable[Run]) -> list[Run]:
    """``candidates`` ordered by how well they represent the project's results: requested runs, the newest first; then
    points of sweeps; last, runs that examined only a few pages, as for a watch or a web search.
    """
    return sorted(candidates, key=lambda run: (not run.part, run.varied_from is None, run.id), reverse=True)


def newest_finished(candidates: Iterable[Run]) -> Run | None:
    """:func:`newest` of the finished ones."""
    return newest(run for run in candidates if run.state is RunState.DONE)


def is_whole(run: Run) -> bool:
    """Whether the run compares whole documents: it has pairs without passages."""
    return run.pairs > 0 and run.matches == 0


def has_only_scores(run: Run) -> bool:
    """Whether the run gave documents scores and found neither passages nor pairs."""
    return run.scores > 0 and run.pairs == 0 and run.matches == 0


def as_part(connection: Connection, run: Run) -> Run:
    """Mark a run as having examined only some documents, so that it never represents the project."""
    connection.execute(update(run_rows).where(run_rows.c.id == run.id).values(part=1))
    return replace(run, part=True)


def keep(connection: Connection, run_id: int) -> Run:
    """Keep a run made by a sweep as an ordinary run: it is no longer a point of the sweep."""
    connection.execute(update(run_rows).where(run_rows.c.id == run_id).values(varied_from=None))
    return load_run(connection, run_id)


def set_removed(connection: Connection, run_ids: Iterable[int], *, removed: bool) -> None:
    """Remove runs with all their results, or restore them; labels are unchanged."""
    change = update(run_rows).where(run_rows.c.id.in_(list(run_ids))).values(removed=now() if removed else "")
    connection.execute(change)


def purge_removed(connection: Connection) -> int:
    """Delete the results of removed runs for good, and return the number of runs. They can no longer be restored."""
    gone = [run.id for run in removed_runs(connection)]
    for run_id in gone:
        connection.execute(update(check_rows).where(check_rows.c.run_id == run_id).values(run_id=None))
        of_run = select(scan_rows.c.id).where(scan_rows.c.run_id == run_id)
        for table in (scan_file_rows, scan_failure_rows):
            connection.execute(delete(table).where(table.c.scan_id.in_(of_run)))
        connection.execute(delete(scan_rows).where(scan_rows.c.run_id == run_id))
        drop_run(connection, run_id)
    return len(gone)


def drop_results(connection: Connection, run_id: int) -> None:
    """Delete the results of a run for good, but keep the run itself."""
    for table in (block_rows, pair_rows, suspect_rows, score_rows, region_rows, chunk_rows):
        connection.execute(delete(table).where(table.c.run_id == run_id))


def drop_run(connection: Connection, run_id: int) -> None:
    """Delete a run and its results for good; nothing may refer to it."""
    drop_results(connection, run_id)
    drop_run_documents(connection, run_id)
    connection.execute(delete(run_rows).where(run_rows.c.id == run_id))


def chunk_count(connection: Connection, run_id: int) -> int:
    """Number of chunks of a run."""
    chunks: int = connection.execute(select(run_rows.c.chunks).where(run_rows.c.id == run_id)).scalar_one()
    return chunks


def open_chunks(connection: Connection, run_id: int) -> list[int]:
    """Indexes of the chunks that are not stored yet, ascending."""
    finished = set(connection.execute(select(chunk_rows.c.chunk_index).where(chunk_rows.c.run_id == run_id)).scalars())
    return [index for index in range(chunk_count(connection, run_id)) if index not in finished]


def find_interrupted(
    connection: Connection,
    method: str,
    parameters: Mapping[str, Any],
    corpus_hash: str,
    *,
    version: int | None = None,
    defaults: Mapping[str, Any] = MappingProxyType({}),
    watch: int | None = None,
) -> Run | None:
    """The latest interrupted, cancelled or failed run with these properties, of ``watch`` (None: of no watch), for
    :func:`resume_run`.

    ``defaults`` are used for parameters that the method did not have when the run was begun.
    """
    query = select(*_COLUMNS).where(
        run_rows.c.method == method,
        run_rows.c.corpus_hash == corpus_hash,
        run_rows.c.state != RunState.DONE.value,
        run_rows.c.removed == "",
        run_rows.c.watch.is_not_distinct_from(watch),
    )
    if version is not None:
        query = query.where(run_rows.c.version == version)
    for row in connection.execute(query.order_by(run_rows.c.id.desc())).all():
        run = _run(connection, row)
        if run.state.resumable and {**defaults, **run.parameters} == dict(parameters):
            return run
    return None


_COLUMNS = (
    run_rows.c.id,
    run_rows.c.method,
    run_rows.c.version,
    run_rows.c.parameters,
    run_rows.c.corpus_hash,
    run_rows.c.state,
    run_rows.c.created,
    run_rows.c.finished,
    run_rows.c.seconds,
    run_rows.c.documents,
    run_rows.c.matches,
    run_rows.c.pairs,
    run_rows.c.scores,
    run_rows.c.excluded,
    run_rows.c.message,
    run_rows.c.varied_from,
    run_rows.c.continues,
    run_rows.c.taken_over,
    run_rows.c.watch,
    run_rows.c.part,
)
_BY_ID = select(*_COLUMNS).where(run_rows.c.id == bindparam("id"), run_rows.c.removed == "")


def _run(connection: Connection, row: Any) -> Run:
    run = Run(*row)
    words = (run.method, run.state, run.created, run.finished, run.message, run.corpus_hash)
    if not all(isinstance(word, str) and len(word) <= LONGEST_FIELD for word in words):
        raise damaged(Message("run {id} has no valid words", id=run.id))
    if run.state not in list(RunState):
        raise damaged(Message("{state} is not a state of a run", state=repr(run.state)))
    counts = (run.documents, run.matches, run.pairs, run.scores, run.taken_over)
    figures = (run.id, run.version, *counts, run.varied_from or 0, run.continues or 0, run.watch or 0)
    if not all(map(is_count, figures)) or not is_figure(run.seconds):
        raise damaged(Message("run {id} has no valid values", id=run.id))
    if run.part not in (0, 1):
        raise damaged(Message("run {id} has no valid values", id=run.id))
    state = RunState(run.state)
    if state is RunState.RUNNING and not locks_of(connection).is_held(_lock(run.id)):
        state = RunState.INTERRUPTED
    what = "the parameters of a run"
    return replace(
        run,
        state=state,
        parameters=flat(object_from_json(str(run.parameters), what), what),
        excluded={
            read(reason): count for reason, count in counts_from_json(str(run.excluded), "the counts of a run").items()
        },
        message=read(run.message),
        part=bool(run.part),
    )


def _lock(run_id: int) -> str:
    return f"run-{run_id}"
