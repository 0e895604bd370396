"""Bytes of a source: from disk or out of an archive, never more than the limits allow."""

from __future__ import annotations

import errno
import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.formats.api import MEGABYTE, ReadOptions, Source
from workbench.reading.formats.compressed import unpacked

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    struct.error,
)
"""Exceptions of zipfile for damaged, encrypted or exotic members; for damaged bzip2 data and wrong offsets also
OSError.
"""

HERE = Message("The archive is damaged here, encrypted, or packed in a way that is not supported.")


@contextmanager
def opened(source: Source, options: ReadOptions, *, unpack: bool = True) -> Iterator[IO[bytes]]:
    """The source's bytes as a stream, unpacked if it has the suffix of a compression, unless ``unpack`` is false.

    Raises UnreadableInput or OSError.
    """
    with metered(source, options, unpack=unpack) as (stream, _):
        yield stream


@contextmanager
def metered(
    source: Source, options: ReadOptions, *, unpack: bool = True
) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
    """Like :func:`opened`, with a function that returns the bytes of the file read so far; always 0 inside archives."""
    with _stored(source, options) as stored:
        stream = unpacked(stored, source.compression, options) if unpack and source.compression else stored
        yield stream, (lambda: 0) if source.members or source.part else stored.tell


@contextmanager
def _stored(source: Source, options: ReadOptions) -> Iterator[IO[bytes]]:
    """The source's bytes as stored."""
    if source.part is not None:
        yield io.BytesIO(source.part.data)
        return
    status = source.path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableInput(Message("This is not a regular file."))
    if not source.members:
        with source.path.open("rb") as stream:
            yield stream
        return
    try:
        *outer, last = source.members
        archive = _archive(source.path, (status.st_mtime_ns, status.st_size), tuple(outer), options)
        with archive.open(last) as stream:
            yield stream
    except DAMAGED as error:
        raise UnreadableInput(HERE) from error
    except OSError as error:
        if error.errno in (None, errno.EINVAL):
            raise UnreadableInput(HERE) from error
        raise


def whole(source: Source, options: ReadOptions) -> bytes:
    """All bytes of the source. Raises UnreadableInput over the size limit."""
    limit = options.member_bytes if source.members else options.file_bytes
    with opened(source, options) as stream:
        return bounded(stream, limit)


def head(source: Source, options: ReadOptions, size: int = 4096) -> bytes:
    """The first ``size`` bytes."""
    with opened(source, options) as stream:
        return stream.read(size)


@lru_cache(maxsize=2)
def _archive(path: Path, stamp: tuple[int, int], outer: tuple[str, ...], options: ReadOptions) -> zipfile.ZipFile:
    """The archive at ``path``, or the one at ``outer`` inside it; ``stamp`` changes with the file.

    The latest archive of each level stays open: rereading the directory for every member would take quadratic time.
    """
    if not outer:
        return zipfile.ZipFile(path)
    around = _archive(path, stamp, outer[:-1], options)
    return zipfile.ZipFile(io.BytesIO(_member(around, outer[-1], options)))


def _member(archive: zipfile.ZipFile, name: str, options: ReadOptions) -> bytes:
    with archive.open(name) as stream:
        return bounded(stream, options.member_bytes)


def bounded(stream: IO[bytes], limit: int) -> bytes:
    """All of ``stream``. Raises UnreadableInput if it has more than ``limit`` bytes."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise UnreadableInput(Message("This is larger than the limit of {limit} MB.", limit=f"{limit / MEGABYTE:g}"))
    return data
