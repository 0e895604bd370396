"""Tar archives, compressed or not: their members in one pass, in their stored order."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any, cast

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.text.formats import archive
from workbench.text.formats.api import MEGABYTE, Failure, Item, Part, ReadOptions, Source
from workbench.text.formats.names import legible
from workbench.text.formats.opening import metered

name = "tar"
suffixes: tuple[str, ...] = (".tar",)
_LONGEST_HEADER = MEGABYTE
_RECORD = re.compile(rb"(\d{1,7}) ")
_LONG_NUMBER = re.compile(rb"(?<!\d)\d{100}")


def sniff(head: bytes) -> bool:
    """The magic number of the POSIX and GNU formats."""
    return head[257:262] == b"ustar"


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """Nothing: every part of an archive is read by a format of its own."""
    raise UnreadableInput(Message("An archive is read member by member."))


def cut(source: Source, options: ReadOptions) -> Iterator[Source | Failure]:
    """Each member with its bytes, one nested archive level included; what could escape, explode or hide is refused.

    Raises UnreadableInput when it is no archive.
    """
    yield from _listed(source, options, [0])


def _listed(source: Source, options: ReadOptions, count: list[int]) -> Iterator[Source | Failure]:
    with metered(source, options) as (stream, position):
        try:
            with tarfile.open(fileobj=cast(Any, _Ending(stream)), mode="r|", errorlevel=2, tarinfo=_Member) as found:
                for info in found:
                    yield from _member(source, found, info, options, count, position())
                    if count[0] > options.members:
                        return
                    found.members = []  # type: ignore[attr-defined]  # it would keep every member
        except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
            raise UnreadableInput(Message("This is not a tar archive, or it is damaged.")) from error


def _member(
    source: Source,
    found: tarfile.TarFile,
    info: tarfile.TarInfo,
    options: ReadOptions,
    count: list[int],
    position: int,
) -> Iterator[Source | Failure]:
    if info.isdir():
        return
    shown = legible(info.name).removeprefix("./")
    inner = Source(source.path, f"{source.name}!{shown}", (*source.members, shown), None, position)
    count[0] += 1
    if count[0] > options.members:
        yield archive.too_many(inner.name, options)
    elif refusal := archive.refuse(shown, options) or _refusal(info, options):
        yield Failure(inner.name, refusal)
    elif not archive.is_hidden(shown):
        stream = found.extractfile(info)
        data = stream.read() if stream is not None else b""
        part = replace(inner, part=Part(data))
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
    """A stream that is read past its end a few times at most: tarfile would read on for all that a header claims."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = 8

    def read(self, size: int) -> bytes:
        """The next bytes. Raises EOFError."""
        data = self._stream.read(size)
        if not data:
            self._left -= 1
            if self._left < 0:
                raise EOFError
        return data


class _Member(tarfile.TarInfo):
    """A member whose headers of variable length are bounded: tarfile reads them at once."""

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
    """A stream of which ``data`` was read before."""

    def __init__(self, data: bytes, stream: Any) -> None:
        self._data = data
        self._stream = stream

    def read(self, size: int) -> bytes:
        """The data, then what the stream holds."""
        data, self._data = self._data, b""
        return data or bytes(self._stream.read(size))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _is_plausible(header: bytes) -> bool:
    """Whether records of an extended header follow each other to its end; tarfile takes quadratic time on others."""
    at = 0
    while found := _RECORD.match(header, at):
        end = at + int(found[1])
        if not found.end() < end <= len(header) or header.find(b"=", found.end(), end) < 0:
            return False
        at = end
    return not header[at:].strip(b"\0") and not _LONG_NUMBER.search(header)


def _refusal(info: tarfile.TarInfo, options: ReadOptions) -> str:
    """Why this member is not read for what it is; empty when it is."""
    if info.issym() or info.islnk():
        return (
            Message("The member is a symbolic link.")
            if info.issym()
            else Message("The member is a link to another member.")
        )
    if not info.isreg() or info.issparse():
        return Message("The member is not a regular file.")
    return archive.over_the_limit(options) if info.size > options.member_bytes else ""
