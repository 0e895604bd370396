"""Zip archives: members listed without unpacking; whatever could escape, explode or hide is refused by name."""

from __future__ import annotations

import io
import re
import stat
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from workbench.base.errors import UnreadableInput
from workbench.text.formats.api import MEGABYTE, Failure, ReadOptions, Source
from workbench.text.formats.names import decode_name
from workbench.text.formats.opening import DAMAGED, whole

SUFFIXES = (".zip",)
_DRIVE = re.compile(r"[A-Za-z]:")
_DEEPEST = 2


def members(source: Source, options: ReadOptions) -> Iterator[Source | Failure]:
    """Files inside the archive ``source`` in their stored order, one nested archive level included.

    Hidden files and the folders ``__MACOSX`` are left out. Raises UnreadableInput when it is no archive.
    """
    yield from _listed(source, options, [0])


def _listed(source: Source, options: ReadOptions, count: list[int]) -> Iterator[Source | Failure]:
    try:
        if source.members:
            archive = zipfile.ZipFile(io.BytesIO(whole(source, options)))
        else:
            archive = zipfile.ZipFile(source.path)
    except DAMAGED as error:
        raise UnreadableInput("This is no zip archive, or it is damaged.") from error
    with archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            shown = _shown_name(info)
            name = f"{source.name}!{shown}"
            count[0] += 1
            if count[0] > options.members:
                yield Failure(
                    name, f"The archive has more than {options.members:,} members; this and the rest are left out."
                )
                return
            if archive.getinfo(info.filename) is not info:
                yield Failure(name, "The archive has a later member of the same name; only that one is read.")
            elif refusal := _refusal(info, shown, options):
                yield Failure(name, refusal)
            elif _is_hidden(shown):
                continue
            else:
                inner = Source(source.path, name, (*source.members, info.filename))
                if inner.suffix in SUFFIXES:
                    yield from _nested(inner, options, count)
                else:
                    yield inner


def _nested(inner: Source, options: ReadOptions, count: list[int]) -> Iterator[Source | Failure]:
    if len(inner.members) >= _DEEPEST:
        yield Failure(inner.name, "This is an archive in an archive in an archive; only one inner level is read.")
        return
    try:
        yield from _listed(inner, options, count)
    except UnreadableInput as error:
        yield Failure.of(inner.name, error)


def _refusal(info: zipfile.ZipInfo, shown: str, options: ReadOptions) -> str:
    """Why this member is not read; empty when it is."""
    parts = re.split(r"[/\\]", shown)
    if shown.startswith(("/", "\\")) or _DRIVE.match(shown):
        return "The member has an absolute name, which could overwrite files elsewhere."
    if ".." in parts:
        return "The member's name leads out of the archive (..)."
    if stat.S_ISLNK(info.external_attr >> 16):
        return "The member is a symbolic link."
    if info.flag_bits & 1:
        return "The member is encrypted."
    if info.file_size > options.member_bytes:
        return f"The member unpacks to more than the limit of {options.member_bytes / MEGABYTE:g} MB."
    if info.file_size > options.ratio_from and info.file_size > options.ratio * max(1, info.compress_size):
        return f"The member unpacks to more than {options.ratio} times its size, as archive bombs do."
    return ""


def _is_hidden(shown: str) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(shown).parts)


def _shown_name(info: zipfile.ZipInfo) -> str:
    """The member's name; East Asian systems once stored it in their own encoding, which zipfile reads as cp437."""
    name = info.orig_filename
    if info.flag_bits & 0x800 or name.isascii():
        return name
    return decode_name(name.encode("cp437", "replace"))
