"""The input and output of formats: sources, records, failures, limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from workbench.base.errors import NeedsRecognition, UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Role, Span

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read, and how much. Sizes are in bytes; inputs refused because of a limit are reported with it.

    ``encoding`` overrides detection; ``language`` overrides the declared or detected language. ``line_characters``
    bounds a line of a row format; ``ratio`` is the largest expansion of an archive member above ``ratio_from`` bytes.
    ``selectors`` are CSS selectors for the main text of pages, by host; ``rule`` classifies the blocks of other pages.
    ``ocr`` names the languages of text to read from pictures (:mod:`workbench.reading.recognition`); empty: none.
    ``columns`` maps headings of tables and names in rows, in lower case, to the fields that they contain ("": none).
    """

    encoding: str | None = None
    language: str | None = None
    file_bytes: int = 256 * MEGABYTE
    member_bytes: int = 256 * MEGABYTE
    ratio: int = 200
    ratio_from: int = 10 * MEGABYTE
    members: int = 100_000
    line_characters: int = 64 * MEGABYTE
    selectors: Mapping[str, str] = field(default_factory=dict, hash=False)
    rule: str = "default"
    ocr: str = ""
    columns: Mapping[str, str] = field(default_factory=dict, hash=False)


COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}
"""Suffixes of single compressed files; they are unpacked while read."""

SHORT_SUFFIXES = {".tgz": ".tar.gz", ".tbz2": ".tar.bz2", ".tbz": ".tar.bz2", ".txz": ".tar.xz"}
"""Short forms of double suffixes."""


@dataclass(frozen=True, slots=True)
class FileSlice:
    """Bytes cut out of a file that is read in order: a record of a web archive, a member of a tar archive.

    ``format`` is the format that reads them, empty to choose as for a file. ``context`` is information from the rest of
    the file that the part needs.
    """

    data: bytes
    format: str = ""
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a member of an archive; cheap to pickle, opened only when it is read.

    ``name`` is its name in ids and messages (``in/a.txt``, ``a.zip!b.txt``); ``members`` leads to it inside ``path``
    (one name per archive level, none for a plain file). If there is a ``part``, that is read instead.
    ``position`` is roughly its offset in the file at ``path`` in bytes, ``size`` its size according to the archive.
    """

    path: Path
    name: str
    members: tuple[str, ...] = ()
    part: FileSlice | None = None
    position: int = 0
    size: int = 0

    @property
    def innermost(self) -> str:
        """The name of the file or, in archives, of the innermost member."""
        if not self.members:
            return self.name
        # Names may contain exclamation marks themselves.
        return "!".join(self.name.split("!")[-1 - self.members[-1].count("!") :])

    @property
    def compression(self) -> str:
        """Suffix of the compression in the name (``.gz``); empty if there is none."""
        return _name_of(self.innermost).compression

    @property
    def suffix(self) -> str:
        """Lower-case suffix of the innermost name, with its dot, without the suffix of a compression; empty if there is
        none.
        """
        return _name_of(self.innermost).suffix

    @property
    def stem(self) -> str:
        """The innermost name without folders and suffix."""
        return _name_of(self.innermost).stem


_EXTENSION = re.compile(r"\.(?=[0-9]*[a-z])[0-9a-z]{1,10}", re.ASCII | re.IGNORECASE)
"""A suffix, as opposed to the end of a name such as the ".2" of "version 1.2"."""


class _Name(NamedTuple):
    compression: str
    suffix: str
    stem: str


@lru_cache(maxsize=1024)
def _name_of(name: str) -> _Name:
    """The parts of a file's name, with short forms such as ``.tgz`` written out; cached, as it is needed many times per
    file.
    """
    short = Path(name).suffix.lower()
    if short in SHORT_SUFFIXES:
        name = name[: -len(short)] + SHORT_SUFFIXES[short]
    ending = Path(name).suffix.lower()
    compression = ending if ending in COMPRESSIONS else ""
    plain = Path(name[: -len(compression)] if compression else name)
    return _Name(compression, plain.suffix.lower(), plain.stem if _EXTENSION.fullmatch(plain.suffix) else plain.name)


@dataclass(frozen=True, slots=True)
class Record:
    """One document read. ``id`` is the id in the input; if there is none, it is None, and ``document.id`` is the path.

    ``role`` is the role in the row (it takes precedence over the requested one); ``labels`` are ``(label set, value)``
    pairs.
    """

    id: str | None
    document: Document
    role: Role | None = None
    labels: tuple[tuple[str, str], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Failure:
    """One input that was refused: its path (``a.zip!member``, ``a.jsonl:3``) and the reason as a sentence;
    ``is_picture`` if text recognition can read it.
    """

    path: str
    error: str
    is_picture: bool = False

    @classmethod
    def of(cls, path: str, error: BaseException) -> Failure:
        """The failure of ``path``, with ``error`` as a sentence."""
        return cls(path, sentence(error), isinstance(error, NeedsRecognition))


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence about content deliberately omitted from a file, with counts (``12 redirects are left out.``)."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A pair of documents listed by a corpus at ``path``, suspect first; with spans, a copied passage.

    Without spans, ``passages`` is the number in the pair, None if the corpus does not give it.
    """

    path: str
    a: str
    b: str
    a_span: Span | None = None
    b_span: Span | None = None
    passages: int | None = None


Item = Record | Failure | Notice | Reference


class Format(Protocol):
    """A file format: a module with a line in :data:`workbench.reading.formats.FORMATS`."""

    name: str
    suffixes: tuple[str, ...]

    def sniff(self, head: bytes) -> bool:
        """Whether a file beginning with ``head`` (up to 4,096 bytes) looks like this format."""

    def read(self, source: Source, options: ReadOptions) -> Iterator[Item]:
        """Records and failures of ``source`` in order, with bounded memory. May raise UserError or OSError."""


@runtime_checkable
class Divisible(Format, Protocol):
    """A format whose files may be far larger than memory: one process cuts them into parts, others read the parts."""

    def cut(self, source: Source, options: ReadOptions) -> Iterator[Source | Failure | Notice]:
        """Sources with a :class:`FileSlice`, in order, with bounded memory. May raise as ``read`` does."""


def sentence(error: BaseException) -> str:
    """``error`` as one sentence without the file's name."""
    if isinstance(error, UserError):
        return type(error)(error.message, hint=error.hint).sentence
    if isinstance(error, FileNotFoundError):
        return Message("There is no such file.")
    if isinstance(error, PermissionError):
        return Message("Permission to read this file was denied.")
    if isinstance(error, OSError):
        return Message("This file could not be read: {reason}.", reason=error)
    if isinstance(error, MemoryError):
        return Message("This file needs more memory than is available.")
    if isinstance(error, RecursionError):
        return Message("This input is nested too deeply.")
    return Message("The reader failed on this input; it may be damaged.")
