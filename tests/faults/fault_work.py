"""Work on a project that goes on where it was interrupted: documents, labels, a run of many chunks.

fault_work.py PROJECT      prints "open" once the project is open, and ends when everything is done
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from workbench.base.types import Document, Label, Matches, PairScore, Results, Role, RunState
from workbench.project.database import Project, open_project
from workbench.project.documents import add_documents, count_documents
from workbench.project.imports import begin_batch, finish_batch
from workbench.project.labels import add_labels, count_events
from workbench.project.runs import begin_run, find_interrupted, finish_chunk, finish_run, open_chunks, resume_run, runs

BATCHES, BATCH = 30, 20
CHUNKS = 40


def matches_of_chunk(index: int) -> Matches:
    """What the chunk finds, always the same; its suspects also stand in the chunks beside it."""
    rng = np.random.default_rng(index)
    size = int(rng.integers(0, 400))
    start, length = rng.integers(0, 900, size), rng.integers(1, 100, size)
    a = rng.integers(1 + index * 5, 10 + index * 5, size)
    columns = (a, rng.integers(300, 600, size), start, start + length, start, start + length)
    return Matches(*columns, length.astype(float), np.zeros(size, np.int8), {"n": rng.integers(0, 9, size)})


def work(project: Project) -> None:
    with project.write() as connection:
        batch = begin_batch(connection, Role.SUSPECT)
    for number in range(BATCHES):
        documents = [Document(f"d{number}-{i}", f"{number} {i} " * 300, role=Role.SUSPECT) for i in range(BATCH)]
        with project.write() as connection:
            result = add_documents(connection, documents, batch)
            # Labels stand or fall with the documents.
            if result.added:
                add_labels(connection, [Label(f"document:{name}", "x", "me", "") for name in result.ids])
    with project.write() as connection:
        finish_batch(connection, batch)
        assert count_documents(connection) == count_events(connection) == BATCHES * BATCH
        if any(run.state is RunState.DONE for run in runs(connection)):
            return
        interrupted = find_interrupted(connection, "m", {}, "hash")
        run = (
            resume_run(connection, interrupted.id) if interrupted else begin_run(connection, "m", 1, {}, "hash", CHUNKS)
        )
    with project.read() as connection:
        waiting = open_chunks(connection, run.id)
    for index in waiting:
        matches = matches_of_chunk(index)
        pair = PairScore(index + 1, 599, 0.5, evidence={"chunk": index})
        with project.write() as connection:
            finish_chunk(connection, run.id, index, Results(matches, (pair,), excluded={"short": 1}), documents=1)
    with project.write() as connection:
        finish_run(connection, run.id)


if __name__ == "__main__":
    with open_project(Path(sys.argv[1])) as opened:
        print("open", flush=True)
        work(opened)
