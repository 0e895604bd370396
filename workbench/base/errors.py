"""Errors that a user can mend, apart from bugs.

A :class:`UserError` is shown as one sentence (window and command line alike). Any other exception is a bug
and is shown with a report.
"""

from __future__ import annotations

from pathlib import Path


class UserError(Exception):
    """Something the user can mend: says what happened, to which file, and what to do.

    ``message`` is a whole sentence. ``path`` names the file (``archive.zip!member`` inside an archive,
    ``rows.jsonl:3`` for a row); ``hint`` says what to do next.
    """

    def __init__(self, message: str, *, path: str | Path | None = None, hint: str = "") -> None:
        super().__init__(message, path, hint)
        self.message = message
        self.path = None if path is None else str(path)
        self.hint = hint

    def __str__(self) -> str:
        named = self.message if self.path is None or self.path in self.message else f"{self.path}: {self.message}"
        return f"{named} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.path, self.hint)


def _rebuild(kind: type[UserError], message: str, path: str | None, hint: str) -> UserError:
    """Unpickle: keyword-only arguments do not survive the default protocol."""
    return kind(message, path=path, hint=hint)


class UnreadableInput(UserError):
    """An input file or row cannot be read; the rest of the batch goes on."""


class ProjectError(UserError):
    """A project file is locked, read-only, newer, corrupt or foreign; nothing was written."""


class ProjectBusy(ProjectError):
    """Another program is writing to the project; the same may succeed later."""


class ParameterError(UserError):
    """A method parameter is unknown, of the wrong kind, or out of its range."""


class Cancelled(Exception):
    """The user cancelled the job; what was committed stays."""
