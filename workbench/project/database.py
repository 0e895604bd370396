"""Creating and opening a project file, and its transactions.

Reads are snapshots; writes begin immediately, so that two writers wait for each other instead of failing halfway.
Several processes may have one project open: keep transactions short. A process that has a project open
must not open the file in any other way: closing it would drop the locks (POSIX), and writes would be lost.

Advisory locks next to the project show the runs and imports on which a living process is working. The operating system
releases them when the process ends, so the work of a killed process counts as interrupted at once.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout
from sqlalchemy import Connection as Connection
from sqlalchemy import Dialect, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool
from sqlalchemy.util import LRUCache

from workbench.base.errors import ProjectBusy, ProjectError, ProjectOlder, ProjectReadOnly
from workbench.base.messages import Message
from workbench.project import damaged_rows, followed_labels, labels, migrations, opening

_PATIENCE = 2.0
"""Seconds to wait for a lock: another process may hold it briefly to test whether it is free."""


class Locks:
    """The locks of one open project. Names are like ``run-3`` and ``import-1``."""

    def __init__(self, project: Path) -> None:
        # Beside the real file, not a link to it, so that all processes see the same locks.
        self._project = project.resolve()
        self._locks: dict[str, FileLock] = {}
        self._retired: set[str] = set()
        self._guard = threading.Lock()

    def hold(self, name: str) -> None:
        """Take the lock until it is retired or the project is closed; only inside a write transaction.

        Raises ProjectError if another process holds it.
        """
        lock = self._acquire(name)
        while not self._file(name).exists():
            # The previous holder removed the file just after it was opened here: no one else would see our lock.
            lock.release()
            lock = self._acquire(name)
        with self._guard:
            self._locks[name] = lock
            self._retired.discard(name)

    def _acquire(self, name: str) -> FileLock:
        lock = FileLock(self._file(name), thread_local=False)
        try:
            lock.acquire(timeout=_PATIENCE)
        except Timeout:
            raise ProjectError(Message("Another program is working on the same run."), path=self._project) from None
        except OSError as error:
            message = Message("No file can be created next to the project ({reason}).", reason=error)
            raise ProjectError(message, path=self._project) from error
        return lock

    def clear(self, name: str) -> None:
        """Remove the lock file left by a killed process; only inside a write transaction, during which no other
        process takes a lock.
        """
        if not self.is_held(name):
            with suppress(OSError):
                self._file(name).unlink()

    def is_held(self, name: str) -> bool:
        """Whether a living process holds the lock."""
        file = self._file(name)
        with self._guard:
            if name in self._locks:
                return True
        if not file.exists():
            return False
        probe = FileLock(file, thread_local=False)
        try:
            probe.acquire(timeout=0)
        except Timeout:
            return True
        except OSError:
            # No process can hold a lock in a folder where no file can be opened for writing.
            return False
        probe.release()
        return False

    def retire(self, name: str) -> None:
        """Release the lock after the current transaction, so that unfinished work is never visible without a lock."""
        with self._guard:
            self._retired.add(name)

    def settle(self) -> None:
        """Release the retired locks; called after a commit."""
        with self._guard:
            retired, self._retired = self._retired, set()
            locks = [(name, self._locks.pop(name, None)) for name in retired]
        for name, lock in locks:
            self._drop(name, lock)

    def close(self) -> None:
        """Release everything; unfinished work then counts as interrupted."""
        with self._guard:
            locks, self._locks = list(self._locks.items()), {}
        for name, lock in locks:
            self._drop(name, lock)

    def _drop(self, name: str, lock: FileLock | None) -> None:
        if lock is not None:
            self._file(name).unlink(missing_ok=True)
            lock.release()

    def _file(self, name: str) -> Path:
        return Path(f"{self._project}.{name}.lock")


_SENTENCES = {
    sqlite3.SQLITE_BUSY: (
        Message("The project is in use by another program."),
        Message("Try again when it has finished."),
    ),
    sqlite3.SQLITE_LOCKED: (
        Message("The project is in use by another program."),
        Message("Try again when it has finished."),
    ),
    sqlite3.SQLITE_FULL: (
        Message("The disk is full; nothing from this step was written."),
        Message("Free some space and try again."),
    ),
    sqlite3.SQLITE_IOERR: (
        Message("The project file could not be read or written; the disk may be full or failing."),
        Message("Nothing from this step was written."),
    ),
    sqlite3.SQLITE_READONLY: (Message("The project is read-only."), Message("Copy it to a folder you may write to.")),
    sqlite3.SQLITE_PERM: (
        Message("You do not have permission to open this project."),
        Message("Ask its owner for access."),
    ),
    sqlite3.SQLITE_CANTOPEN: (
        Message("The project cannot be opened here."),
        Message("Check that you may write to its folder."),
    ),
    sqlite3.SQLITE_CORRUPT: (Message("The project file is damaged."), Message("Restore it from a copy.")),
    sqlite3.SQLITE_NOTADB: (
        Message("This file is not a Palimpsest project, or it is damaged."),
        Message("Restore it from a copy."),
    ),
    sqlite3.SQLITE_TOOBIG: (
        Message("A text or a result is too long for a project file."),
        Message("Split it into parts."),
    ),
    sqlite3.SQLITE_NOMEM: (
        Message("There is not enough memory for this step."),
        Message("Close other programs and try again."),
    ),
}


def explain(error: DBAPIError | sqlite3.Error | UnicodeDecodeError, path: Path) -> ProjectError | None:
    """The message for a database error; None if the error is a bug in this program."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    if code is None:
        if isinstance(cause, UnicodeDecodeError) or "decode" in str(cause):
            return ProjectError(
                Message("The project file is damaged: a text field contains something else."), path=path
            )
        return None
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_ERROR and "integer overflow" in str(cause):
        # A sum of numbers that this program never writes.
        primary = sqlite3.SQLITE_CORRUPT
    if primary not in _SENTENCES:
        return None
    message, hint = _SENTENCES[primary]
    kind = ProjectBusy if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) else ProjectError
    return kind(message, path=path, hint=hint)


_WRITES = "palimpsest_writes"
_LOCKS = "palimpsest_locks"


class Project:
    """An open project file. ``writable`` says whether :meth:`write` may be called; use from any thread."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        self.path = path
        self.writable = writable
        self.locks = Locks(path)
        self.damage = damaged_rows.Damage()
        followed = followed_labels.option(followed_labels.FollowedLabels())
        options = {_LOCKS: self.locks, **damaged_rows.option(self.damage), **followed}
        self._engine = _engine(path, writable, options)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one consistent state of the project. Raises ProjectError."""
        self._refuse_gone()
        with translated(self.path), self._engine.connect() as plain:
            connection = plain.execution_options(**labels.one_state())
            with connection.begin():
                yield connection

    @contextmanager
    def write(self, *, patience: float | None = None) -> Iterator[Connection]:
        """A connection for changes, committed at the end, or rolled back entirely on an exception.

        Raises ProjectError; ProjectBusy if another program writes for more than ``patience`` seconds (None: the
        default).
        """
        if not self.writable:
            hint = Message("Copy it to a folder you may write to.") if not opening.is_writable(self.path) else ""
            raise ProjectError(Message("The project is open for reading only."), path=self.path, hint=hint)
        self._refuse_gone()
        with translated(self.path), self._engine.connect() as plain:
            connection = plain.execution_options(**{_WRITES: True, **followed_labels.option(None)})
            with _patient(connection, patience), connection.begin():
                yield connection
        self.locks.settle()

    def _refuse_gone(self) -> None:
        """Raise ProjectError if the file was deleted: an open connection would go on writing to it."""
        try:
            self.path.stat()
        except FileNotFoundError:
            hint = Message("Put it back where it was; until then nothing is saved.")
            raise ProjectError(Message("The project file was moved or deleted."), path=self.path, hint=hint) from None
        except OSError:
            pass

    def compact(self) -> int:
        """Return the space of deleted content to the disk. Returns the number of bytes. Raises ProjectError, for
        example while another program uses the project.
        """
        before = self.path.stat().st_size
        with translated(self.path), closing(opening.connect(self.path, write=True)) as connection:
            # VACUUM itself attaches the file that it writes.
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return max(0, before - self.path.stat().st_size)

    def close(self) -> None:
        """Close all connections and merge the journal into the file; the project cannot be used afterwards."""
        self.locks.close()
        self._engine.dispose()
        if self.writable and self.path.exists():
            # If a reader keeps the journal busy, or the disk is full, it is merged at the next close.
            with translated(self.path, quiet=True), closing(opening.connect(self.path, write=True)) as last:
                last.execute("PRAGMA busy_timeout = 200")
                last.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def create(path: Path) -> Project:
    """Create an empty project at ``path`` and open it. Raises ProjectError if something is already there."""
    path = Path(path)
    if os.path.lexists(path):
        raise ProjectError(
            Message("There is already a file with this name."), path=path, hint=Message("Choose another name.")
        )
    opening.refuse_remains(path)
    # Side files cannot exist next to a name that cannot be guessed.
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with translated(path):
            opening.write_new(part)
        _publish(part, path)
    except FileExistsError:
        raise ProjectError(
            Message("There is already a file with this name."), path=path, hint=Message("Choose another name.")
        ) from None
    except OSError as error:
        raise ProjectError(Message("No project can be created here ({reason}).", reason=error), path=path) from error
    finally:
        for name in (str(part), f"{part}-wal", f"{part}-shm", f"{part}-journal"):
            Path(name).unlink(missing_ok=True)
    return open_project(path)


def open_project(path: Path, *, write: bool = True) -> Project:
    """Open the project at ``path``, migrating an older one if ``write``.

    Raises ProjectError, with nothing written, if the file is missing, foreign, newer, damaged, locked, or (with
    ``write``) read-only.
    """
    path = Path(path)
    with translated(path):
        opening.check_header(path)
    if write and not opening.is_writable(path):
        raise ProjectReadOnly(
            Message("The project is read-only."), path=path, hint=Message("Copy it to a folder you may write to.")
        )
    with translated(path), closing(opening.connect(path, write=False)) as connection:
        # Another program may migrate the file meanwhile: version and tables are read from the same state.
        connection.execute("BEGIN")
        version = max(0, connection.execute("PRAGMA user_version").fetchone()[0])
        opening.refuse_unknown(version, path)
        opening.check_schema(connection, path, version)
        logged = opening.has_log(connection)
        if version < migrations.newest() and not write:
            raise ProjectOlder(
                Message("This project was made by an older version of Palimpsest."),
                path=path,
                hint=Message(
                    "Opening it in the window updates it, as does any command that writes, such as import; "
                    "a copy is kept."
                ),
            )
    if write and not logged:
        with translated(path):
            opening.use_log(path)
    if version < migrations.newest():
        with (
            translated(path),
            closing(opening.connect(path, write=True)) as connection,
            closing(opening.connect(path, write=False)) as reader,
        ):
            migrations.upgrade(connection, lambda old_version: migrations.back_up(reader, path, old_version))
    return Project(path, writable=write)


@contextmanager
def opened_to_read(path: Path) -> Iterator[Project]:
    """The project at ``path``, which is never written; one of an older version is updated in a temporary copy. Raises
    ProjectError like :func:`open_project`.
    """
    with ExitStack() as stack:
        try:
            project = open_project(path, write=False)
        except ProjectOlder:
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "copy.palimpsest"
            with (
                translated(path),
                closing(opening.connect(path, write=False)) as connection,
                closing(sqlite3.connect(copy)) as target,
            ):
                connection.backup(target)
            project = open_project(copy)
        yield stack.enter_context(project)


@contextmanager
def _patient(connection: Connection, seconds: float | None) -> Iterator[None]:
    """Let ``connection`` wait up to ``seconds`` for locks (None: unchanged), then restore the setting."""
    if seconds is None:
        yield
        return
    raw: Any = connection.connection.driver_connection
    raw.execute(f"PRAGMA busy_timeout = {round(1000 * seconds)}")
    try:
        yield
    finally:
        raw.execute(f"PRAGMA busy_timeout = {round(1000 * opening.BUSY_SECONDS)}")


def _publish(part: Path, path: Path) -> None:
    """Rename a finished file to its final name. Raises FileExistsError rather than replace another file."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        # On file systems without hard links.
        os.rename(part, path)


def locks_of(connection: Connection) -> Locks:
    """The locks of the project that ``connection`` belongs to."""
    locks: Locks = connection.get_execution_options()[_LOCKS]
    return locks


@contextmanager
def translated(path: Path, *, quiet: bool = False) -> Iterator[None]:
    """Turn database errors into a ProjectError that names ``path``; with ``quiet``, suppress them. Bugs are raised
    unchanged.
    """
    try:
        yield
    except ProjectError as error:
        if error.path is None:
            error.path = str(path)
        raise
    except (DBAPIError, sqlite3.Error, UnicodeDecodeError) as error:
        known = explain(error, path)
        if known is None:
            raise
        if not quiet:
            raise known from error


@cache
def _shared() -> tuple[Dialect, LRUCache[Any, Any]]:
    """One dialect for all projects, with its compiled statements: recompiling these takes a fifth of a short
    read.
    """
    first = create_engine("sqlite://")
    # Queries SQLite for its features.
    first.connect().close()
    first.dispose()
    return first.dialect, LRUCache(500)


def _engine(path: Path, writable: bool, options: Mapping[str, object]) -> Engine:
    def creator() -> Any:
        return opening.connect(path, write=writable)

    dialect, compiled = _shared()
    pool = QueuePool(creator, pool_size=2, max_overflow=30, dialect=dialect)
    engine = Engine(pool, dialect, make_url("sqlite://"), execution_options={**options, "compiled_cache": compiled})

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes: Any = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
