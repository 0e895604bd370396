"""What a format reads and what reading gives: sources, records, failures, limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from workbench.base.errors import UserError
from workbench.base.types import Document, Role

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read, and how much. Sizes are in bytes; whatever is refused for a limit says the limit.

    ``encoding`` overrides detection; ``language`` overrides what texts declare or look like. ``line_characters`` bounds
    a line of a row format; ``ratio`` is the largest expansion of an archive member above ``ratio_from`` bytes.
    """

    encoding: str | None = None
    language: str | None = None
    file_bytes: int = 256 * MEGABYTE
    member_bytes: int = 256 * MEGABYTE
    ratio: int = 200
    ratio_from: int = 10 * MEGABYTE
    members: int = 100_000
    line_characters: int = 64 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a member of an archive; cheap to pickle, opened where it is read.

    ``name`` is what it is called in ids and messages (``in/a.txt``, ``a.zip!b.txt``); ``members`` leads to it inside
    ``path`` (one name per archive level, none for a plain file).
    """

    path: Path
    name: str
    members: tuple[str, ...] = ()

    @property
    def suffix(self) -> str:
        """Lower-case suffix of the innermost name, with its dot; empty when there is none."""
        return Path(self.name.rsplit("!", 1)[-1]).suffix.lower()

    @property
    def stem(self) -> str:
        """The innermost name without folders and suffix."""
        return Path(self.name.rsplit("!", 1)[-1]).stem


@dataclass(frozen=True, slots=True)
class Record:
    """One document read. ``id`` is the one the input gave, else None and ``document.id`` is its path.

    ``role`` is the row's own (it wins over the role asked for); ``labels`` are ``(label set, value)`` pairs.
    """

    id: str | None
    document: Document
    role: Role | None = None
    labels: tuple[tuple[str, str], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Failure:
    """One input that was refused: its path (``a.zip!member``, ``a.jsonl:3``) and one sentence."""

    path: str
    error: str

    @classmethod
    def of(cls, path: str, error: BaseException) -> Failure:
        """The failure of ``path`` with ``error`` told in a sentence."""
        return cls(path, sentence(error))


Item = Record | Failure


class Format(Protocol):
    """A file format. One module each, one line in :data:`workbench.text.formats.FORMATS`."""

    name: str
    suffixes: tuple[str, ...]

    def sniff(self, head: bytes) -> bool:
        """Whether a file beginning with ``head`` (up to 4,096 bytes) looks like this format."""

    def read(self, source: Source, options: ReadOptions) -> Iterator[Item]:
        """Records and failures of ``source`` in order, with bounded memory. May raise UserError or OSError."""


def sentence(error: BaseException) -> str:
    """``error`` as one sentence without the file's name."""
    if isinstance(error, UserError):
        return f"{error.message} {error.hint}".rstrip()
    if isinstance(error, FileNotFoundError):
        return "There is no such file."
    if isinstance(error, PermissionError):
        return "This file may not be read (permission denied)."
    if isinstance(error, OSError):
        return f"This file could not be read: {error.strerror or error}."
    if isinstance(error, MemoryError):
        return "This file needs more memory than there is."
    if isinstance(error, RecursionError):
        return "This input is nested too deeply."
    return f"This input could not be read: {error}."
