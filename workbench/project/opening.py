"""Checks of a file before it is opened as a project, and its connections."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.project import migrations
from workbench.project.packing import LIMIT

APPLICATION_ID = 0x504C4D50
"""``PLMP`` in the header of every project file."""

BUSY_SECONDS = 5.0
"""Maximum time, in seconds, that a write waits for another program's write."""

_SIDE_FILES = ("-wal", "-shm")
_LOCKING_BYTES = 1 << 16
"""Bytes that SQLite needs beside a file to lock it, with some margin."""
_ROLLBACK = "-journal"
_AGAIN, _AGAIN_S = 5, 0.02
"""Number of times that a header that looked damaged is reread, and the seconds between."""


def check_header(path: Path) -> int:
    """Version of the project at ``path``, from its header alone, before anything else in it is used.

    Raises ProjectError for a missing, foreign, newer or truncated file.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ProjectError(
            Message("There is no such project ({reason}).", reason=error),
            path=path,
            command="Make one with: palimpsest new FILE",
        ) from None
    foreign = ProjectError(Message("This file is not a Palimpsest project."), path=path)
    if not path.is_file() or not size:
        raise foreign
    _refuse_foreign_sides(path)
    try:
        application, version, page = _header(path)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise foreign from error
        raise
    if application != APPLICATION_ID:
        raise foreign
    refuse_unknown(version, path)
    if size % page and not _has_journal(path):
        raise ProjectError(
            Message("The project file is damaged: it is truncated."), path=path, hint=Message("Restore it from a copy.")
        )
    return int(version)


def is_project(path: Path) -> bool:
    """Whether the file at ``path`` is a project of any version."""
    try:
        return path.is_file() and _header(path)[0] == APPLICATION_ID
    except sqlite3.DatabaseError:
        return False


def _header(path: Path) -> tuple[int, int, int]:
    """Application id, version and page size.

    Read through SQLite, because closing a file opened in any other way drops this process's locks on it. If there is a
    journal, the file alone may be half written, so both are read together.
    """
    for left in range(_AGAIN, -1, -1):
        alone = not _has_journal(path) or _has_rollback(path)
        try:
            return _read_header(path, "mode=ro&immutable=1" if alone else "mode=ro")
        except sqlite3.DatabaseError as error:
            # If another program begins to write between the two lines above, the file alone looks damaged.
            if not left or not alone or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            time.sleep(_AGAIN_S)
    raise AssertionError("the last reading returns or raises")


def _read_header(path: Path, mode: str) -> tuple[int, int, int]:
    with closing(sqlite3.connect(_uri(path, mode), uri=True, timeout=BUSY_SECONDS)) as connection:
        names = ("application_id", "user_version", "page_size")
        application, version, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    return application, version, page


def _has_journal(path: Path) -> bool:
    real = os.path.realpath(path)
    return any(os.path.lexists(real + end) for end in _SIDE_FILES)


def _side(path: Path, end: str) -> str:
    """The file that SQLite keeps beside the file to which ``path`` leads."""
    return os.path.realpath(path) + end


def _has_rollback(path: Path) -> bool:
    """Whether SQLite would roll the file back by a journal beside it."""
    name = _side(path, _ROLLBACK)
    if not os.path.isfile(name):
        return False
    try:
        with open(name, "rb") as journal:
            return journal.read(1) not in (b"", b"\0")
    except OSError:
        return True


def _refuse_foreign_sides(path: Path) -> None:
    """Raise ProjectError if a side file is a link, folder or pipe, or there is a rollback journal beside the file.

    Projects use a write-ahead log, so a rollback journal is foreign, and it is not harmless: SQLite deletes the file
    that it names as its super-journal.
    """
    real = os.path.realpath(path)
    for end in (*_SIDE_FILES, _ROLLBACK):
        name = real + end
        try:
            mode = os.lstat(name).st_mode
        except OSError:
            continue
        if not stat.S_ISREG(mode):
            raise ProjectError(
                Message("The file next to the project is not a journal."), path=name, hint=Message("Delete or move it.")
            )
    if _has_rollback(path):
        raise ProjectError(
            Message(
                "There is a rollback journal next to the project. Palimpsest never writes one, and it"
                " could do harm, so the project is not opened."
            ),
            path=_side(path, _ROLLBACK),
            hint=Message(
                "Open the project first with the program that changed it; without the journal, its last change may be "
                "half written."
            ),
        )


def refuse_remains(path: Path) -> None:
    """Raise ProjectError if another project's side files exist beside ``path``: SQLite would mistake them for its
    own.
    """
    for end in (*_SIDE_FILES, _ROLLBACK):
        if os.path.lexists(_side(path, end)):
            message = Message("Files of another project with this name are still here.")
            hint = Message("Delete it, or choose another name.")
            raise ProjectError(message, path=_side(path, end), hint=hint)


def refuse_unknown(version: int, path: Path) -> None:
    """Raise ProjectError if ``version`` is newer than this program's, or older than the first release's."""
    if 0 < version < migrations.FIRST:
        raise ProjectError(
            Message("This project was made by a version of Palimpsest before the first release."),
            path=path,
            hint=Message("Create a new project and import its documents again; the file was not changed."),
        )
    if version > migrations.newest():
        raise ProjectError(
            Message(
                "This project was made by a newer version of Palimpsest (file version {version}, this program "
                "writes {newest}).",
                version=version,
                newest=migrations.newest(),
            ),
            path=path,
            hint=Message("Update Palimpsest to open it; the file was not changed."),
        )


def check_schema(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Raise ProjectError if the file declares tables, triggers or views not in ``version``."""
    declared, expected = migrations.schema_of(connection), migrations.expected_schema(version)
    if declared != expected:
        names = ", ".join(sorted({row[1] for row in declared ^ expected})[:5])
        raise ProjectError(
            Message("This file does not have the tables of a Palimpsest project ({names}).", names=names),
            path=path,
            hint=Message("It is damaged or was changed by another program; restore it from a copy."),
        )


def is_writable(path: Path) -> bool:
    """Whether the file and its folder (where the journal goes) may be written."""
    return os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)


def _has_room(path: Path) -> bool:
    """Whether there is room for the files that readers and writers need for locking."""
    try:
        return shutil.disk_usage(path.resolve().parent).free >= _LOCKING_BYTES
    except OSError:
        return True


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """A connection that trusts nothing in the file.

    Without ``write`` no statement may change the file. In a writable folder, a reader takes part in locking as usual
    and leaves no files behind; in other folders, and on a full disk, where nothing can be written, it reads without
    locking. Raises ProjectError for foreign side files.
    """
    _refuse_foreign_sides(path)
    if write or (is_writable(path) and (_has_journal(path) or _has_room(path))):
        mode = "mode=rw"
    elif _has_journal(path):
        mode = "mode=ro"
    else:
        mode = "mode=ro&immutable=1"
    connection = sqlite3.connect(
        _uri(path, mode),
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LIMIT)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"PRAGMA query_only = {'OFF' if write else 'ON'}")
    if write:
        connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def has_log(connection: sqlite3.Connection) -> bool:
    """Whether the file uses a write-ahead log, as every project that this program wrote."""
    return bool(connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal")


def use_log(path: Path) -> None:
    """Make the file at ``path``, which another program changed, use a write-ahead log again: the rollback journal that
    a killed process leaves is not opened here. Raises ProjectError.
    """
    with closing(connect(path, write=True)) as connection:
        _begin_log(connection, path)


def _begin_log(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        raise ProjectError(
            Message("A project cannot be stored on this file system."),
            path=path,
            hint=Message("Choose another folder."),
        )


def _uri(path: Path, query: str) -> str:
    return f"file:{quote(os.fsencode(path.resolve()))}?{query}"


def write_new(path: Path) -> None:
    """Write an empty project at ``path``; after sqlite3.Error or OSError nothing is left behind."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # The file is not in use yet: it is flushed to disk once, at the end.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA page_size = 8192")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _begin_log(connection, path)
        migrations.upgrade(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
