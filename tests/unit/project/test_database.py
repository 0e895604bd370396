from __future__ import annotations

import multiprocessing
import os
import random
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from workbench.base.errors import ProjectBusy, ProjectError
from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.jobs.children import start_function
from workbench.project import damaged_rows, opening
from workbench.project.database import Project, create, open_project
from workbench.project.documents import add_documents, count_documents
from workbench.project.integrity import integrity


def folder_of(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


def refused(path: Path, *, write: bool = True) -> ProjectError:
    """The error of opening ``path``, which must leave everything beside it as it was."""
    before = folder_of(path)
    with pytest.raises(ProjectError) as caught:
        open_project(path, write=write).close()
    assert folder_of(path) == before
    assert str(path) in str(caught.value)
    return caught.value


@pytest.fixture
def closed(path: Path) -> Path:
    with create(path) as project, project.write() as connection:
        add_documents(connection, [Document(f"d{i}", f"text {i} " * 200) for i in range(50)])
    return path


def test_a_closed_project_is_one_file(closed: Path):
    assert [file.name for file in closed.parent.iterdir()] == [closed.name]


def test_what_was_committed_is_there_after_opening_again(closed: Path):
    with open_project(closed) as project, project.read() as connection:
        assert count_documents(connection) == 50


def test_an_existing_file_is_never_replaced(closed: Path):
    before = closed.read_bytes()
    with pytest.raises(ProjectError, match="already a file"):
        create(closed)
    assert closed.read_bytes() == before
    assert len(folder_of(closed)) == 1


@pytest.mark.parametrize("name", [".", "/"])
def test_a_folder_without_a_name_is_not_a_place_for_a_project(name: str):
    with pytest.raises(ProjectError, match="already a file"):
        create(Path(name))


def test_a_project_in_a_missing_folder_is_refused(tmp_path: Path):
    with pytest.raises(ProjectError):
        create(tmp_path / "none" / "x.palimpsest")


def test_a_missing_project_is_refused(path: Path):
    assert "no such project" in refused(path).message


def test_a_folder_is_refused(path: Path):
    path.mkdir()
    with pytest.raises(ProjectError, match="not a Palimpsest"):
        open_project(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\0", bytes(5000), b"%PDF-1.7" * 100])
def test_what_is_not_a_database_is_refused(path: Path, content: bytes):
    path.write_bytes(content)
    assert "not a Palimpsest project" in refused(path).message


@pytest.mark.parametrize("write", [True, False])
def test_a_database_of_another_program_is_refused(path: Path, write: bool):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE document (id)")
    connection.close()
    assert "not a Palimpsest project" in refused(path, write=write).message


@pytest.mark.parametrize("write", [True, False])
def test_a_newer_project_is_refused_and_stays_as_it_is(closed: Path, write: bool):
    connection = sqlite3.connect(closed)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    error = refused(closed, write=write)
    assert "newer version" in error.message
    assert "99" in error.message


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON document BEGIN DELETE FROM text; END",
        "CREATE VIEW evil AS SELECT load_extension('x')",
        "CREATE TABLE extra (a)",
        "DROP TRIGGER label_event_no_update",
        "CREATE INDEX slow ON document (abs(key))",
        "ALTER TABLE run ADD COLUMN extra TEXT",
    ],
)
def test_a_project_whose_schema_was_changed_is_refused(closed: Path, statement: str):
    connection = sqlite3.connect(closed)
    connection.execute(statement)
    connection.commit()
    connection.close()
    assert "does not have the tables" in refused(closed).message


def test_a_truncated_project_gives_a_sentence(closed: Path):
    whole = closed.read_bytes()
    messages = []
    for size in (101, 4096, 8192, 9000, len(whole) // 2, len(whole) - 1):
        closed.write_bytes(whole[:size])
        try:
            with open_project(closed, write=False) as project:
                assert integrity(project, deep=True) != "ok"
        except ProjectError as error:
            messages.append(error.message)
    assert messages
    assert all(message.startswith(("The project", "This file")) for message in messages)


@pytest.mark.slow
def test_flipped_bytes_never_show_as_another_error(closed: Path):
    whole = closed.read_bytes()
    rng = random.Random(5)
    noticed = 0
    for _ in range(60):
        spoilt = bytearray(whole)
        for _ in range(rng.choice((1, 20, 500))):
            spoilt[rng.randrange(100, len(spoilt))] = rng.randrange(256)
        closed.write_bytes(spoilt)
        try:
            with open_project(closed, write=False) as project:
                noticed += integrity(project, deep=True) != "ok"
        except ProjectError:
            noticed += 1
    assert noticed > 20


def test_a_project_locked_by_another_program_is_refused(closed: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.2)
    other = sqlite3.connect(closed, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ProjectError, match="in use by another program"):
        open_project(closed)
    other.close()


def test_a_write_may_be_told_not_to_wait(closed: Path):
    with open_project(closed) as first, open_project(closed) as second:
        with first.write(), pytest.raises(ProjectBusy), second.write(patience=0.0):
            pass
        with second.write(patience=0.0) as connection:
            raw = connection.connection.driver_connection
        assert raw.execute("PRAGMA busy_timeout").fetchone() == (1000 * opening.BUSY_SECONDS,)


def test_a_write_waits_for_another_and_then_says_that_it_is_busy(closed: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.2)
    with open_project(closed) as first, open_project(closed) as second:
        with first.write(), pytest.raises(ProjectError, match="in use"), second.write():
            pass
        with second.write() as connection:
            add_documents(connection, [Document("late", "late")])


def test_an_error_undoes_the_whole_transaction(project: Project):
    def fail() -> None:
        with project.write() as connection:
            add_documents(connection, [Document("a", "a")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with project.read() as connection:
        assert count_documents(connection) == 0


def test_a_project_opened_for_reading_cannot_be_written(closed: Path):
    before = closed.read_bytes()
    with open_project(closed, write=False) as project:
        with pytest.raises(ProjectError, match="reading only"), project.write():
            pass
        with pytest.raises(ProjectError, match="read-only"), project.read() as connection:
            connection.execute(text("DELETE FROM document_detail"))
    assert closed.read_bytes() == before
    assert len(folder_of(closed)) == 1


def test_a_read_sees_one_state_while_another_writes(closed: Path):
    with open_project(closed) as reader, open_project(closed) as writer, reader.read() as connection:
        assert count_documents(connection) == 50
        with writer.write() as other:
            add_documents(other, [Document("new", "new")])
        assert count_documents(connection) == 50


def test_looking_at_a_file_again_keeps_the_locks_of_who_has_it_open(closed: Path):
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=0.1);"
        "print(c.execute('PRAGMA journal_mode = DELETE').fetchone()[0])"
    )
    with open_project(closed) as project:
        with project.read() as connection:
            count_documents(connection)
        opening.check_header(closed)
        other = subprocess.run([sys.executable, "-c", code, closed], capture_output=True, text=True, check=False)
        assert "database is locked" in other.stderr


def _append(path: Path, name: str, count: int) -> None:
    with open_project(path) as project:
        for number in range(count):
            with project.write() as connection:
                count_documents(connection)
                add_documents(connection, [Document(f"{name}{number}", f"{name} {number}")])


@pytest.mark.slow
def test_writers_in_several_processes_and_threads_lose_nothing(closed: Path):
    others = [start_function(_append, (closed, name, 40), daemon=True) for name in "wx"]
    threads = [threading.Thread(target=_append, args=(closed, name, 40)) for name in "yz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.join()
        assert other.exitcode == 0
    with open_project(closed) as project:
        with project.read() as connection:
            assert count_documents(connection) == 50 + 4 * 40
        assert integrity(project, deep=True) == "ok"
    assert len(folder_of(closed)) == 1


def _as_nobody(path: Path, results: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    os.setgid(65534)
    os.setuid(65534)
    with open_project(path, write=False) as project, project.read() as connection:
        results.put(count_documents(connection))
    for action in (lambda: open_project(path), lambda: create(path.with_name("new.palimpsest"))):
        try:
            action()
            results.put("no error")
        except ProjectError as error:
            results.put(error.message)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs to become another user")
def test_a_read_only_project_in_a_read_only_folder_can_be_read_and_nothing_is_written(closed: Path):
    for folder in (closed.parent, *closed.parent.parents):
        folder.chmod(0o755)
        if folder.name.startswith("pytest-of-"):
            break
    closed.chmod(0o444)
    before = folder_of(closed)
    results: multiprocessing.Queue = multiprocessing.get_context("fork").Queue()  # type: ignore[type-arg]
    process = multiprocessing.get_context("fork").Process(target=_as_nobody, args=(closed, results))
    process.start()
    assert results.get(timeout=20) == 50
    assert "read-only" in results.get(timeout=20)
    assert "here" in results.get(timeout=20)
    process.join()
    assert folder_of(closed) == before


@pytest.mark.slow
def test_a_full_disk_is_a_sentence_and_what_was_committed_stays(closed: Path):
    code = (
        "import resource, sys, os; from pathlib import Path; from workbench.base.types import Document;"
        "from workbench.base.errors import ProjectError; from workbench.project.database import open_project;"
        "from workbench.project.documents import add_documents\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n"
        "with open_project(Path(sys.argv[1])) as p:\n"
        "  try:\n"
        "    for n in range(100):\n"
        "      with p.write() as c: add_documents(c, [Document(f'n{n}', os.urandom(20_000).hex())])\n"
        "  except ProjectError as error: print(n, error)\n"
    )
    completed = subprocess.run([sys.executable, "-c", code, closed], capture_output=True, text=True, check=True)
    number, _, message = completed.stdout.partition(" ")
    assert "disk" in message
    assert int(number) > 0
    with open_project(closed) as project:
        with project.read() as connection:
            assert count_documents(connection) == 50 + int(number)
        assert integrity(project, deep=True) == "ok"
    assert len(folder_of(closed)) == 1


@pytest.mark.slow
def test_a_project_closed_while_another_window_has_it_open_is_whole_in_its_file(closed: Path):
    with open_project(closed) as other:
        with other.read() as connection:
            assert count_documents(connection) == 50
        with open_project(closed) as project, project.write() as connection:
            add_documents(connection, [Document("new", "new")])
        assert Path(f"{closed}-wal").stat().st_size == 0


def test_a_project_whose_journal_could_not_be_folded_in_opens_whole(closed: Path):
    """A full disk in the middle of folding leaves a header that counts pages which only the journal holds."""
    code = (
        "import os, sys; from pathlib import Path; from workbench.base.types import Document;"
        "from workbench.project.database import open_project; from workbench.project.documents import add_documents\n"
        "p = open_project(Path(sys.argv[1]))\n"
        "with p.write() as c: add_documents(c, [Document(f'n{n}', os.urandom(20_000).hex()) for n in range(60)])\n"
        "with p.write() as c: add_documents(c, [Document('last', 'last words')])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, closed], check=False)
    spoilt = bytearray(closed.read_bytes())
    spoilt[28:32] = (10_000).to_bytes(4, "big")
    closed.write_bytes(spoilt)
    with open_project(closed) as project:
        with project.read() as connection:
            assert count_documents(connection) == 111
        assert integrity(project, deep=True) == "ok"


@pytest.mark.slow
def test_the_journal_is_folded_in_when_the_process_before_was_killed(closed: Path):
    code = (
        "import os, sys; from pathlib import Path; from workbench.base.types import Document;"
        "from workbench.project.database import open_project; from workbench.project.documents import add_documents\n"
        "p = open_project(Path(sys.argv[1]))\n"
        "with p.write() as c: add_documents(c, [Document('last', 'last words')])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, closed], check=False).returncode == -9
    assert len(folder_of(closed)) == 3
    with open_project(closed, write=False) as project, project.read() as connection:
        assert count_documents(connection) == 51
    with open_project(closed):
        pass
    assert len(folder_of(closed)) == 1


def test_a_project_may_have_any_name_the_system_allows(tmp_path: Path) -> None:
    for raw in (b"\xff 100%?#&.palimpsest", "案件 😀.palimpsest".encode()):
        path = tmp_path / os.fsdecode(raw)
        create(path).close()
        with open_project(path) as project, project.read() as connection:
            assert count_documents(connection) == 0


def test_a_file_that_went_away_is_reported_before_anything_is_written_to_nowhere(closed: Path, tmp_path: Path):
    with open_project(closed, write=True) as project:
        with project.read() as connection:
            assert count_documents(connection) == 50
        elsewhere = closed.rename(tmp_path / "elsewhere.palimpsest")
        with pytest.raises(ProjectError, match="was moved or deleted") as caught, project.write():
            pass
        assert str(closed) in str(caught.value)
        with pytest.raises(ProjectError, match="was moved or deleted"), project.read():
            pass
        elsewhere.rename(closed)
        with project.write() as connection:
            add_documents(connection, [Document("late", "text")])
    with open_project(closed) as project, project.read() as connection:
        assert count_documents(connection) == 51


def test_a_row_that_is_left_out_several_times_counts_once(monkeypatch: pytest.MonkeyPatch):
    numbers: list[int] = []
    monkeypatch.setattr(damaged_rows, "add_left_out", lambda _reason, number: numbers.append(number))
    damage, reason = damaged_rows.Damage(), Message("pairs of unknown documents")
    for rows in ([1, 2], [2, 3], [3]):
        damage.note(reason, rows)
    assert numbers == [2, 1]
    assert list(damage.counts().values()) == [3]
