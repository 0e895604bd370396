from __future__ import annotations

from sqlalchemy import select

from workbench.base.types import Document, Role
from workbench.project.clock import now
from workbench.project.database import Project, open_project
from workbench.project.documents import add_documents
from workbench.project.imports import (
    add_failures,
    begin_batch,
    failures,
    finish_batch,
    imported_since,
    imported_times,
    interrupted_batches,
    resolve_failures,
)
from workbench.project.tables import batch_rows


def test_failures_are_listed_until_resolved(project: Project):
    with project.write() as connection:
        batch = begin_batch(connection, Role.SUSPECT)
        add_failures(connection, batch, [("a.zip!x.txt", "is binary"), ("b.pdf", "is encrypted")])
        finish_batch(connection, batch)
        assert [(f.path, f.error) for f in failures(connection)] == [
            ("a.zip!x.txt", "is binary"),
            ("b.pdf", "is encrypted"),
        ]
        resolve_failures(connection, ["b.pdf"])
        assert [f.path for f in failures(connection, batch)] == ["a.zip!x.txt"]


def test_a_path_that_fails_again_is_listed_once(project: Project):
    with project.write() as connection:
        first, second = begin_batch(connection), begin_batch(connection)
        add_failures(connection, first, [("a", "one")])
        add_failures(connection, second, [("a", "two")])
        assert [(f.batch_id, f.error) for f in failures(connection)] == [(second, "two")]


def test_an_import_begins_later_than_what_was_done_just_before(project: Project):
    with project.write() as connection:
        for _ in range(20):
            before = now()
            batch = begin_batch(connection)
            started = connection.execute(select(batch_rows.c.started).where(batch_rows.c.id == batch)).scalar_one()
            assert before < started


def test_an_import_that_died_is_interrupted(project: Project):
    worker = open_project(project.path)
    with worker.write() as connection:
        batch = begin_batch(connection)
    with project.read() as connection:
        assert interrupted_batches(connection) == []
    worker.close()
    with project.write() as connection:
        assert interrupted_batches(connection) == [batch]
        begin_batch(connection)
        assert interrupted_batches(connection) == []


def test_the_time_of_a_document_is_that_of_its_import(project: Project):
    with project.write() as connection:
        batch = begin_batch(connection)
        add_documents(connection, [Document("a", "One."), Document("b", "Two.")], batch)
        finish_batch(connection, batch)
        add_documents(connection, [Document("c", "Three.")])
    with project.read() as connection:
        times = imported_times(connection, [1, 2, 3])
    # What came without an import has none.
    assert times.keys() == {1, 2}
    (started,) = set(times.values())
    assert started.startswith("20")
    with project.read() as connection:
        assert imported_since(connection, started) == {1, 2}
        assert imported_since(connection, "9999") == set()
