"""Errors the user can fix, as opposed to bugs.

A :class:`UserError` is shown as one sentence, in the window as on the command line. Any other exception is a bug
and is shown with a report. Damaged data omitted from a project is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.base.messages import Message


class UserError(Exception):
    """Something the user can fix: says what happened, to which file, and what to do.

    ``message`` is a whole sentence. ``path`` names the file (``archive.zip!member`` inside an archive,
    ``rows.jsonl:3`` for a row); ``hint`` says what to do next. ``command`` says what to type at a command line; the
    window leaves it out.
    """

    def __init__(self, message: str, *, path: str | Path | None = None, hint: str = "", command: str = "") -> None:
        super().__init__(message, path, hint, command)
        self.message = message
        self.path = None if path is None else str(path)
        self.hint = hint
        self.command = command

    @property
    def sentence(self) -> str:
        """The file, what happened and what to do, without ``command``."""
        sentence = self.message
        if self.hint:
            sentence = Message("{message} {hint}", message=sentence, hint=self.hint)
        if self.path is not None and self.path not in self.message:
            sentence = Message("{path}: {message}", path=self.path, message=sentence)
        return sentence

    def __str__(self) -> str:
        return f"{self.sentence} {self.command}".rstrip()

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.path, self.hint, self.command)


def _rebuild(kind: type[UserError], message: str, path: str | None, hint: str, command: str) -> UserError:
    """Unpickle: keyword-only arguments do not survive the default protocol."""
    return kind(message, path=path, hint=hint, command=command)


class UnreadableInput(UserError):
    """An input file or row cannot be read; the rest of the batch is still processed."""


class NeedsRecognition(UnreadableInput):
    """An input is an image of text, and text recognition (OCR) was not requested."""


class ProjectError(UserError):
    """A project file is locked, read-only, newer, corrupt or foreign; nothing was written."""


class ProjectReadOnly(ProjectError):
    """A project file, or its folder, may not be written."""


class ProjectOlder(ProjectError):
    """A project file of an older version, which cannot be read before it is updated."""


class ProjectBusy(ProjectError):
    """Another program is writing to the project; a later attempt may succeed."""


class ParameterError(UserError):
    """A method parameter is unknown, of the wrong kind, or out of its range."""


class Cancelled(Exception):
    """The user cancelled the job; committed work is kept. ``result`` is what there is of the job's, if anything."""

    def __init__(self, result: object = None) -> None:
        super().__init__()
        self.result = result


_COUNTING: list[dict[str, int]] = []


@contextmanager
def count_left_out() -> Iterator[dict[str, int]]:
    """Counts the damaged data that is left out of any project from here on, by reason."""
    counts: dict[str, int] = {}
    _COUNTING.append(counts)
    try:
        yield counts
    finally:
        _COUNTING.remove(counts)


def add_left_out(reason: str, rows: int) -> None:
    """Count ``rows`` more that were left out for ``reason``."""
    for counts in _COUNTING:
        counts[reason] = counts.get(reason, 0) + rows
