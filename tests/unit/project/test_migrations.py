from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Table

from workbench.base.errors import ProjectError
from workbench.base.types import Block, BlockClass, BlockKind, Document, Label, Role, Span
from workbench.project import migrations, tables
from workbench.project.database import create, open_project
from workbench.project.documents import add_documents, count_documents, load_document
from workbench.project.imports import add_failures, begin_batch, failures, finish_batch
from workbench.project.integrity import integrity
from workbench.project.labels import add_label, current
from workbench.project.listing import document_table
from workbench.project.opening import APPLICATION_ID
from workbench.project.watches import watched_pages


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


@pytest.fixture
def oldest(path: Path) -> Path:
    """A handmade file of version 0: the identifier and nothing else."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def test_an_old_file_is_brought_up_to_date_and_a_copy_is_kept(oldest: Path):
    with open_project(oldest) as project:
        with project.write() as connection:
            add_documents(connection, [Document("a", "text")])
        assert integrity(project) == "ok"
    copy = Path(f"{oldest}.v0.bak")
    assert version_of(oldest) == migrations.newest()
    assert version_of(copy) == 0
    assert sorted(file.name for file in oldest.parent.iterdir()) == sorted([oldest.name, copy.name])


def test_an_old_file_is_not_changed_by_a_reader(oldest: Path):
    before = oldest.read_bytes()
    with pytest.raises(ProjectError, match="older version"):
        open_project(oldest, write=False)
    assert oldest.read_bytes() == before
    assert [file.name for file in oldest.parent.iterdir()] == [oldest.name]


@pytest.mark.parametrize("version", [0, -1, migrations.FIRST])
def test_an_old_file_that_declares_something_else_is_refused_unchanged(oldest: Path, version: int):
    with closing(sqlite3.connect(oldest, isolation_level=None)) as connection:
        for step in migrations.STEPS if version > 0 else ():
            step(connection)
        connection.execute("CREATE VIEW hostile AS SELECT 1")
        connection.execute(f"PRAGMA user_version = {version}")
    before = oldest.read_bytes()
    with pytest.raises(ProjectError, match="does not have the tables"):
        open_project(oldest)
    assert oldest.read_bytes() == before
    assert [file.name for file in oldest.parent.iterdir()] == [oldest.name]


def add_table(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")


def add_half_a_table(connection: sqlite3.Connection) -> None:
    add_table(connection)
    connection.execute("CREATE TABLE run (oops)")


def test_a_second_step_keeps_the_contents(path: Path, monkeypatch: pytest.MonkeyPatch):
    text = "見出し\n本文です。\U0001f600"
    blocks = (Block(Span(0, 3), BlockKind.HEADING, BlockClass.NON_CONTENT), Block(Span(4, 10)))
    document = Document(
        "a", text, Role.SUSPECT, title="T", url="http://a.example/", blocks=blocks, links=("http://b/",)
    )
    with create(path) as project, project.write() as connection:
        batch = begin_batch(connection, Role.SUSPECT)
        add_documents(connection, [document, Document("b", text * 2)], batch)
        add_failures(connection, batch, [("c.pdf", "It is damaged.")])
        add_label(connection, Label("document:a", "splog", "me", "2020-01-01T00:00:00Z", label_set="class"))
        finish_batch(connection, batch)
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, add_table))
    with open_project(path) as project:
        assert integrity(project, deep=True) == "ok"
        with project.write() as connection:
            assert load_document(connection, "a") == replace(document, key=1)
            assert [f.path for f in failures(connection)] == ["c.pdf"]
            assert current(connection, "class")["document:a"].value == "splog"
            assert add_documents(connection, [document, Document("d", "new")]).duplicates == 1
    assert version_of(path) == migrations.newest()
    monkeypatch.undo()
    with pytest.raises(ProjectError, match="newer version"):
        open_project(path)
    with open_project(Path(f"{path}.v{migrations.newest()}.bak")) as project, project.read() as connection:
        assert count_documents(connection) == 2


def test_a_file_of_version_20_keeps_its_watches_and_takes_documents(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(migrations, "STEPS", migrations.STEPS[:1])
    create(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO watch (name, settings, created, compared) VALUES ('w', '{}', '2026-01-01', 7)")
    monkeypatch.undo()
    with open_project(path) as project:
        assert integrity(project, deep=True) == "ok"
        with project.write() as writing:
            assert writing.exec_driver_sql("SELECT name, created FROM watch").fetchall() == [("w", "2026-01-01")]
            add_documents(writing, [Document("a", "text")])
            assert document_table(writing).unusual.tolist() == [0]
    assert version_of(path) == migrations.newest()


def test_a_file_of_version_25_keeps_which_pages_had_a_withheld_match(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(migrations, "STEPS", migrations.STEPS[:6])
    with create(path) as project, project.write() as writing:
        add_documents(writing, [Document(name, f"text {name}", Role.SUSPECT) for name in "abc"])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO watch (id, name, settings, created) VALUES (1, 'w', '{}', '2026-01-01')")
        connection.execute(
            "INSERT INTO watch_seen SELECT 1, key, text_id || ':' || ' withheld' FROM document WHERE id = 'a'"
        )
        connection.execute("INSERT INTO watch_seen SELECT 1, key, text_id || ':' FROM document WHERE id = 'b'")
    monkeypatch.undo()
    with open_project(path) as project:
        assert integrity(project, deep=True) == "ok"
        with project.read() as reading:
            pages = watched_pages(reading, 1, None)
    assert [(page.seen == page.content, page.withheld) for page in pages] == [
        (True, True),
        (True, False),
        (False, False),
    ]
    assert version_of(path) == migrations.newest()


def test_a_step_that_fails_leaves_the_version_before(path: Path, monkeypatch: pytest.MonkeyPatch):
    create(path).close()
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, add_half_a_table))
    with pytest.raises(sqlite3.OperationalError):
        open_project(path)
    monkeypatch.undo()
    assert version_of(path) == migrations.newest()
    with open_project(path) as project:
        assert integrity(project) == "ok"


def test_a_file_from_before_the_first_release_is_refused_unchanged(path: Path):
    create(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {migrations.FIRST - 1}")
    before = path.read_bytes()
    with pytest.raises(ProjectError, match="before the first release"):
        open_project(path)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_an_old_file_that_many_open_at_once_is_brought_up_to_date_once(path: Path, monkeypatch: pytest.MonkeyPatch):
    with create(path) as project, project.write() as connection:
        add_documents(connection, [Document("a", "text")])
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, add_table))
    together = threading.Barrier(6)

    def bring(number: int) -> None:
        together.wait()
        with open_project(path) as project, project.write() as connection:
            add_documents(connection, [Document(f"b{number}", f"text {number}")])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(bring, range(6)))
    with open_project(path) as project:
        assert integrity(project, deep=True) == "ok"
        with project.read() as connection:
            assert count_documents(connection) == 7
    monkeypatch.undo()
    with open_project(Path(f"{path}.v{migrations.newest()}.bak")) as project, project.read() as connection:
        assert count_documents(connection) == 1


def test_the_copy_holds_what_is_only_in_the_journal(path: Path):
    project = create(path)
    with project.write() as connection:
        add_documents(connection, [Document("a", "text")])
    with closing(sqlite3.connect(path)) as connection:
        copy = migrations.back_up(connection, path, 1)
    project.close()
    with open_project(copy) as opened, opened.read() as connection:
        assert count_documents(connection) == 1


def test_statements_have_a_name_for_every_stored_table() -> None:
    named = {table.name for table in vars(tables).values() if isinstance(table, Table)}
    assert named == set(migrations.newest_columns()) - {"sqlite_sequence"}
