from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update

from workbench.base.types import Document, Role
from workbench.project.database import create, open_project
from workbench.project.documents import add_documents
from workbench.project.integrity import integrity
from workbench.project.packing import pack
from workbench.project.run_documents import (
    RunDocuments,
    present_documents,
    recorded_documents,
    run_documents,
    store_run_documents,
)
from workbench.project.runs import begin_run, finish_run, load_run, purge_removed, set_removed
from workbench.project.tables import run_document_rows
from workbench.project.tags import EVERYTHING


@pytest.fixture
def recorded(path: Path) -> RunDocuments:
    """The documents of run 1 of the project at ``path``: 200 sources, 200 suspects, and 100 of both in turn."""
    roles = [*[Role.SOURCE] * 200, *[Role.SUSPECT] * 200, *[Role.SUSPECT, Role.SOURCE] * 50]
    with create(path) as project, project.write() as connection:
        add_documents(connection, [Document(f"d{n}", f"text {n}", role) for n, role in enumerate(roles)])
        run = begin_run(connection, "digest", 1, {}, "00", 0)
        documents = present_documents(connection, [Role.SOURCE, Role.SUSPECT, Role.BACKGROUND])
        store_run_documents(connection, run.id, documents)
        finish_run(connection, run.id)
    return documents


def test_the_documents_of_a_run_come_back_as_they_were_recorded(path: Path, recorded: RunDocuments):
    with open_project(path) as project, project.read() as connection:
        again = recorded_documents(connection, 1)
    assert again is not None
    assert again.roles == recorded.roles == frozenset(Role)
    assert again.by_key() == recorded.by_key()
    assert again.keys(Role.SUSPECT).tolist() == [*range(201, 401), *range(401, 500, 2)]
    assert again.keys(*Role).tolist() == list(range(1, 501))
    assert again.only({1, 201}, [Role.SUSPECT]).keys(*Role).tolist() == [*range(1, 202), *range(402, 501, 2)]


def test_the_record_of_a_run_is_small_and_goes_with_it(path: Path, recorded: RunDocuments):
    with open_project(path) as project, project.write() as connection:
        assert connection.exec_driver_sql("SELECT length(packed) FROM run_document").scalar_one() < 100
        set_removed(connection, [1], removed=True)
        assert purge_removed(connection) == 1
        assert recorded_documents(connection, 1) is None


@pytest.mark.parametrize(
    "change",
    [
        {"packed": b"no frame"},
        {"size": 7},
        {"roles": "reader"},
        *(
            {"size": damage.size, "packed": damage.data}
            for damage in (
                pack(b"1234567"),
                *(pack(np.array(steps, "<i8").tobytes()) for steps in ([-4], [4, 0], [7], [1 << 62, 1 << 62])),
            )
        ),
    ],
)
def test_a_damaged_record_counts_as_none_and_is_named(path: Path, recorded: RunDocuments, change: dict[str, object]):
    with open_project(path) as project:
        with project.write() as connection:
            connection.execute(update(run_document_rows).values(**change))
        with project.read() as connection:
            run = load_run(connection, 1)
            assert recorded_documents(connection, 1) is None
            assert run_documents(connection, run, EVERYTHING).by_key() == recorded.by_key()
        assert "documents of runs that cannot be read (1)" in integrity(project)
