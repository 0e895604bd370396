from __future__ import annotations

from workbench.base.types import Role
from workbench.project.database import Project, open_project
from workbench.project.imports import (
    add_failures,
    begin_batch,
    failures,
    finish_batch,
    interrupted_batches,
    resolve_failures,
)


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
