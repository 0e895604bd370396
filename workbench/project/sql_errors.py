"""SQLite's error codes as sentences for the user."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from workbench.base.errors import ProjectBusy, ProjectError
from workbench.base.messages import Message

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
    """The sentence for a database error; None if the error is a bug in this program."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    if code is None:
        if isinstance(cause, UnicodeDecodeError) or "decode" in str(cause):
            return ProjectError(
                Message("The project file is damaged: a text field contains something else."), path=path
            )
        return None
    primary = code & 0xFF
    if primary not in _SENTENCES:
        return None
    message, hint = _SENTENCES[primary]
    kind = ProjectBusy if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) else ProjectError
    return kind(message, path=path, hint=hint)
