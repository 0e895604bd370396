"""What lies beside a project may come from a stranger: nothing elsewhere is deleted or written because of it."""

from __future__ import annotations

import os
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from workbench.base.errors import ProjectError
from workbench.base.types import Document
from workbench.project import migrations
from workbench.project.database import create, open_project
from workbench.project.documents import add_documents, count_documents
from workbench.project.opening import is_project

_MAGIC = bytes([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])


def journal_naming(project: Path, victim: Path) -> bytes:
    """A hot rollback journal of ``project`` whose super-journal is ``victim``; SQLite deletes it after the rollback."""
    raw = project.read_bytes()
    page = struct.unpack(">H", raw[16:18])[0]
    name = str(victim).encode()
    head = (_MAGIC + struct.pack(">IIIII", 0, 0x1234, len(raw) // page, 512, page)).ljust(512, b"\0")
    lock_page = struct.pack(">I", 0x40000000 // page + 1)
    return head + lock_page + name + struct.pack(">II", len(name), sum(name) & 0xFFFFFFFF) + _MAGIC


@pytest.fixture
def closed(path: Path) -> Path:
    with create(path) as project, project.write() as connection:
        add_documents(connection, [Document(f"d{i}", f"text {i} " * 200) for i in range(50)])
    return path


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    file = tmp_path / "elsewhere" / "victim.txt"
    file.parent.mkdir()
    file.write_text("mine")
    return file


def test_the_journal_would_delete_its_victim(closed: Path, victim: Path) -> None:
    """Plain SQLite does; otherwise the tests below would prove nothing."""
    Path(f"{closed}-journal").write_bytes(journal_naming(closed, victim))
    with closing(sqlite3.connect(closed)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    assert not victim.exists()


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("linked", [True, False])
def test_no_file_that_a_journal_names_is_deleted(closed: Path, victim: Path, write: bool, linked: bool) -> None:
    journal = Path(f"{closed}-journal")
    journal.write_bytes(journal_naming(closed, victim))
    opened = closed
    if linked:
        opened = closed.with_name("link.palimpsest")
        opened.symlink_to(closed)
    with pytest.raises(ProjectError, match="rollback journal") as caught:
        open_project(opened, write=write)
    assert str(journal) in str(caught.value)
    assert victim.read_text() == "mine"
    assert is_project(closed)
    journal.unlink()
    with open_project(opened, write=write) as project, project.read() as connection:
        assert count_documents(connection) == 50


def test_a_journal_that_comes_while_a_project_is_open_is_not_followed(closed: Path, victim: Path) -> None:
    with open_project(closed) as project:
        Path(f"{closed}-journal").write_bytes(journal_naming(closed, victim))
        with pytest.raises(ProjectError, match="rollback journal"), project.read() as connection:
            count_documents(connection)
        Path(f"{closed}-journal").unlink()
    assert victim.read_text() == "mine"


def test_no_journal_is_followed_while_a_project_is_brought_up_to_date(path: Path, victim: Path) -> None:
    create(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 0")
    Path(f"{path}-journal").write_bytes(journal_naming(path, victim))
    with pytest.raises(ProjectError, match="rollback journal"):
        open_project(path)
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("content", [b"", b"\0" * 600])
def test_a_journal_that_sqlite_ignores_is_not_a_hindrance(closed: Path, content: bytes) -> None:
    Path(f"{closed}-journal").write_bytes(content)
    with open_project(closed) as project, project.read() as connection:
        assert count_documents(connection) == 50


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_a_file_that_is_not_a_side_file_does_no_harm(closed: Path, victim: Path, end: str, kind: str) -> None:
    side = Path(f"{closed}{end}")
    match kind:
        case "link":
            side.symlink_to(victim)
        case "pipe":
            os.mkfifo(side)
        case _:
            side.mkdir()
    for write in (False, True):
        with pytest.raises(ProjectError):
            open_project(closed, write=write)
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_no_project_is_made_where_remains_of_another_lie(closed: Path, path: Path, end: str) -> None:
    other = path.with_name("other.palimpsest")
    Path(f"{other}{end}").write_bytes(b"remains")
    with pytest.raises(ProjectError, match="Files of another project"):
        create(other)
    assert sorted(file.name for file in path.parent.iterdir()) == ["case.palimpsest", f"other.palimpsest{end}"]


def test_no_project_is_made_behind_a_dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))
    with pytest.raises(ProjectError, match="already a file"):
        create(path)


def test_the_copy_of_an_older_project_is_written_through_no_link(closed: Path, victim: Path) -> None:
    for name in (f"{closed}.v1.bak", f"{closed}.v1.bak.part", f"{closed}.v1.bak.part-journal"):
        Path(name).symlink_to(victim)
    with closing(sqlite3.connect(closed)) as connection:
        copy = migrations.back_up(connection, closed, 1)
    assert victim.read_text() == "mine"
    assert not copy.is_symlink()
    assert is_project(copy)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_file_that_is_not_a_lock_does_no_harm(closed: Path, victim: Path, kind: str) -> None:
    file = Path(f"{closed}.run-1.lock")
    match kind:
        case "link":
            file.symlink_to(victim)
        case "pipe":
            os.mkfifo(file)
        case _:
            file.mkdir()
    with open_project(closed) as project, project.write():
        assert not project.locks.is_held("run-1")
        project.locks.clear("run-1")
    assert victim.read_text() == "mine"


def test_a_project_has_the_same_locks_through_a_link(closed: Path) -> None:
    link = closed.with_name("link.palimpsest")
    link.symlink_to(closed)
    with open_project(closed) as project, open_project(link) as linked:
        with project.write():
            project.locks.hold("run-1")
        assert linked.locks.is_held("run-1")


def test_a_project_that_another_program_gave_a_rollback_journal_gets_its_log_back(tmp_path: Path) -> None:
    path = tmp_path / "case.palimpsest"
    create(path).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    before = path.read_bytes()
    open_project(path, write=False).close()
    assert path.read_bytes() == before
    with open_project(path) as project, project.write() as writing:
        writing.exec_driver_sql("UPDATE document SET title = 'x'")
        assert [file.suffix for file in sorted(tmp_path.iterdir())] == [
            ".palimpsest",
            ".palimpsest-shm",
            ".palimpsest-wal",
        ]
