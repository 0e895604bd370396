"""Tar archives, compressed or not: their members in one pass, in stored order."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any, cast

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.formats import archive
from workbench.reading.formats.api import MEGABYTE, Failure, FileSlice, Item, ReadOptions, Source
from workbench.reading.formats.names import legible
from workbench.reading.formats.opening import metered

name = "tar"
suffixes: tuple[str, ...] = (".tar",)
_LONGEST_HEADER = MEGABYTE
_RECORD = re.compile(rb"(\d{1,7}) ")
_LONG_NUMBER = re.compile(rb"(?<!\d)\d{100}")


def sniff(head: bytes) -> bool:
    """Whether it has the magic number of the POSIX and GNU formats."""
    return head[257:262] == b"ustar"


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """Yields nothing: each member of an archive is read by its own format."""
    raise UnreadableInput(Message("An archive is read member by member."))


def cut(source: Source, options: ReadOptions) -> Iterator[Source | Failure]:
    """Each member with its bytes, including one level of nested archives; members that could escape the folder, are
    bombs or are hidden are refused.

    Raises UnreadableInput if it is not an archive.
    """
    yield from _listed(source, options, [0])


def _listed(source: Source, options: ReadOptions, count: list[int]) -> Iterator[Source | Failure]:
    with metered(source, options) as (stream, position):
        try:
            with tarfile.open(fileobj=cast(Any, _Ending(stream)), mode="r|", errorlevel=2, tarinfo=_Member) as archived:
                for info in archived:
                    yield from _member(source, archived, info, options, count, position())
                    if count[0] > options.members:
                        return
                    archived.members = []  # type: ignore[attr-defined]  # it would keep every member
        except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
            raise UnreadableInput(Message("This is not a tar archive, or it is damaged.")) from error


def _member(
    source: Source,
    archived: tarfile.TarFile,
    info: tarfile.TarInfo,
    options: ReadOptions,
    count: list[int],
    position: int,
) -> Iterator[Source | Failure]:
    if info.isdir():
        return
    name = legible(info.name).removeprefix("./")
    inner = Source(source.path, f"{source.name}!{name}", (*source.members, name), None, position)
    count[0] += 1
    if count[0] > options.members:
        yield archive.too_many(inner.name, options)
    elif refusal := archive.refuse(name, options) or _refusal(info, options):
        yield Failure(inner.name, refusal)
    elif not archive.is_hidden(name):
        stream = archived.extractfile(info)
        data = stream.read() if stream is not None else b""
        part = replace(inner, part=FileSlice(data))
        if len(data) < info.size:
            yield Failure(inner.name, Message("The archive ends inside this member."))
        elif part.suffix in (*suffixes, *archive.suffixes):
            yield from _nested(part, options, count)
        else:
            yield part


def _nested(inner: Source, options: ReadOptions, count: list[int]) -> Iterator[Source | Failure]:
    if archive.is_too_deep(inner):
        yield Failure(inner.name, archive.TOO_DEEP)
        return
    try:
        yield from (archive.unzipped if inner.suffix in archive.suffixes else _listed)(inner, options, count)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it must not end the archive around it
        yield Failure.of(inner.name, error)


class _Ending:
    """A stream that may be read past its end only a few times: tarfile would otherwise keep reading up to the size
    claimed by a header.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._remaining = 8

    def read(self, size: int) -> bytes:
        """The next bytes. Raises EOFError."""
        data = self._stream.read(size)
        if not data:
            self._remaining -= 1
            if self._remaining < 0:
                raise EOFError
        return data


class _Member(tarfile.TarInfo):
    """A member whose variable-length headers are bounded: tarfile reads them into memory entirely."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size > _LONGEST_HEADER and not (self.isreg() or self.isdir()):
            raise tarfile.ReadError(Message("A header of the archive is too long."))
        return super()._proc_member(archive)  # type: ignore[misc, no-any-return]

    def _proc_pax(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        stream = archive.fileobj
        header = stream.read(self._block(self.size))  # type: ignore[attr-defined]
        if not _is_plausible(header):
            raise tarfile.ReadError(Message("A header of the archive is damaged."))
        archive.fileobj = _Ahead(header, stream)
        try:
            return super()._proc_pax(archive)  # type: ignore[misc, no-any-return]
        finally:
            archive.fileobj = stream


class _Ahead:
    """A stream from which ``data`` has already been read."""

    def __init__(self, data: bytes, stream: Any) -> None:
        self._data = data
        self._stream = stream

    def read(self, size: int) -> bytes:
        """The data already read, then the rest of the stream."""
        data, self._data = self._data, b""
        return data or bytes(self._stream.read(size))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _is_plausible(header: bytes) -> bool:
    """Whether an extended header is a gapless sequence of records; tarfile takes quadratic time on others."""
    at = 0
    while entry := _RECORD.match(header, at):
        end = at + int(entry[1])
        if not entry.end() < end <= len(header) or header.find(b"=", entry.end(), end) < 0:
            return False
        at = end
    return not header[at:].strip(b"\0") and not _LONG_NUMBER.search(header)


def _refusal(info: tarfile.TarInfo, options: ReadOptions) -> str:
    """Why a member of this type is not read; empty if it can be."""
    if info.issym() or info.islnk():
        return (
            Message("The member is a symbolic link.")
            if info.issym()
            else Message("The member is a link to another member.")
        )
    if not info.isreg() or info.issparse():
        return Message("The member is not a regular file.")
    return archive.size_refusal(options) if info.size > options.member_bytes else ""
