"""Zip archives: members listed without unpacking; members that could escape the folder, are bombs or are hidden are
refused by name.

Also contains the checks common to all archives.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.formats.api import MEGABYTE, Failure, FileSlice, Item, ReadOptions, Source
from workbench.reading.formats.compressed import expands_too_much
from workbench.reading.formats.names import decode_name
from workbench.reading.formats.opening import DAMAGED, HERE, bounded, whole

name = "zip"
suffixes: tuple[str, ...] = (".zip",)
_DRIVE = re.compile(r"[A-Za-z]:")
_DEEPEST = 2
TOO_DEEP = Message("This is an archive in an archive in an archive; only one inner level is read.")


def sniff(head: bytes) -> bool:
    """Always false: documents of several formats are zip files, so only the suffix decides."""
    return False


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """Yields nothing: each member of an archive is read by its own format."""
    raise UnreadableInput(Message("An archive is read member by member."))


def cut(source: Source, options: ReadOptions) -> Iterator[Source | Failure]:
    """Files inside the archive ``source`` in stored order, including one level of nested archives.

    Hidden files and ``__MACOSX`` folders are left out. Raises UnreadableInput if it is not an archive.
    """
    yield from _listed(source, options, [0])


def unzipped(source: Source, options: ReadOptions, count: list[int]) -> Iterator[Source | Failure]:
    """The same as :func:`cut` with the members' bytes, for archives that are expensive to reopen.

    ``count`` counts the members seen so far.
    """
    yield from _listed(source, options, count, inline=True)


def _listed(
    source: Source, options: ReadOptions, count: list[int], *, inline: bool = False
) -> Iterator[Source | Failure]:
    try:
        if source.members or source.part or source.compression:
            archive = zipfile.ZipFile(io.BytesIO(whole(source, options)))
        else:
            archive = zipfile.ZipFile(source.path)
    except DAMAGED as error:
        raise UnreadableInput(Message("This is not a zip archive, or it is damaged.")) from error
    with archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            label = _shown_name(info)
            name = f"{source.name}!{label}"
            count[0] += 1
            if count[0] > options.members:
                yield too_many(name, options)
                return
            if archive.getinfo(info.filename) is not info:
                yield Failure(name, Message("The archive has a later member of the same name; only that one is read."))
            elif refusal := refuse(label, options, info):
                yield Failure(name, refusal)
            elif not is_hidden(label):
                position = source.position or info.header_offset
                inner = Source(source.path, name, (*source.members, info.filename), None, position, info.file_size)
                if inner.suffix in suffixes:
                    yield from _nested(inner, options, count)
                elif inline:
                    yield _with_bytes(inner, archive, info, options)
                else:
                    yield inner


def _nested(inner: Source, options: ReadOptions, count: list[int]) -> Iterator[Source | Failure]:
    if is_too_deep(inner):
        yield Failure(inner.name, TOO_DEEP)
        return
    try:
        yield from _listed(inner, options, count)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it must not end the archive around it
        yield Failure.of(inner.name, error)


def _with_bytes(
    inner: Source, archive: zipfile.ZipFile, info: zipfile.ZipInfo, options: ReadOptions
) -> Source | Failure:
    try:
        with archive.open(info) as stream:
            return replace(inner, part=FileSlice(bounded(stream, options.member_bytes)))
    except DAMAGED:
        return Failure(inner.name, HERE)
    except (UnreadableInput, OSError) as error:
        return Failure.of(inner.name, error)


def is_too_deep(inner: Source) -> bool:
    """Whether the archive ``inner`` is nested two levels deep."""
    return len(inner.members) >= _DEEPEST


def too_many(name: str, options: ReadOptions) -> Failure:
    """The failure reported for the first member over the limit."""
    return Failure(
        name,
        Message(
            "The archive has more than {members} members; this and the rest are left out.",
            members=f"{options.members:,}",
        ),
    )


def refuse(name: str, options: ReadOptions, info: zipfile.ZipInfo | None = None) -> str:
    """Why the member with this name (in a zip archive, with this ``info``) is not read; empty if it can be read."""
    parts = re.split(r"[/\\]", name)
    if name.startswith(("/", "\\")) or _DRIVE.match(name):
        return Message("The member has an absolute name, which could overwrite files elsewhere.")
    if ".." in parts:
        return Message("The member's name points outside the archive (..).")
    if info is None:
        return ""
    if stat.S_ISLNK(info.external_attr >> 16):
        return Message("The member is a symbolic link.")
    if info.flag_bits & 1:
        return Message("The member is encrypted.")
    if info.file_size > options.member_bytes:
        return size_refusal(options)
    if expands_too_much(info.compress_size, info.file_size, options):
        return Message(
            "The member unpacks to more than {ratio} times its size, like an archive bomb.", ratio=options.ratio
        )
    return ""


def size_refusal(options: ReadOptions) -> str:
    """The reason for refusing a member that is too large."""
    return Message(
        "The member unpacks to more than the limit of {limit} MB.",
        limit=f"{options.member_bytes / MEGABYTE:g}",
    )


def is_hidden(name: str) -> bool:
    """Whether the member or a folder around it is hidden or was added to the archive by a file manager."""
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts)


def _shown_name(info: zipfile.ZipInfo) -> str:
    """The member's name; East Asian systems once stored it in their own encoding, which zipfile reads as cp437."""
    name = info.orig_filename
    if info.flag_bits & 0x800 or name.isascii():
        return name
    return decode_name(name.encode("cp437", "replace"))
