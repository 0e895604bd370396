"""Compressed files as streams: unpacked while they are read, refused when they expand as bombs do."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Any, cast

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.text.formats.api import COMPRESSIONS, ReadOptions

_MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
_READERS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda packed: gzip.GzipFile(fileobj=packed),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, OSError, ValueError)


def unpacked(stream: IO[bytes], suffix: str, options: ReadOptions) -> IO[bytes]:
    """What ``stream`` holds, unpacked by the compression of ``suffix``; ``stream`` itself where it is not compressed.

    Reading raises UnreadableInput where the data is damaged or ends early, after all that came before, and where it
    expands more than ``options.ratio`` times.
    """
    magic = _MAGIC[suffix]
    counted = Counted(stream)
    buffered = io.BufferedReader(counted, 1 << 16)
    if not buffered.peek(len(magic)).startswith(magic):
        return cast(IO[bytes], buffered)
    inner = _READERS[suffix](buffered)
    return cast(IO[bytes], io.BufferedReader(_Unpacked(inner, counted, COMPRESSIONS[suffix], options), 1 << 16))


def expands_too_much(packed: int, size: int, options: ReadOptions) -> bool:
    """Whether ``packed`` bytes that unpack to ``size`` are an archive bomb."""
    return size > options.ratio_from and size > options.ratio * max(1, packed)


class Counted(io.RawIOBase):
    """A plain readable stream as a raw one that counts what was read of it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.position = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` as far as the stream goes."""
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)


class _Unpacked(io.RawIOBase):
    """The unpacked bytes; errors of the packed ones become sentences."""

    def __init__(self, inner: Any, packed: Counted, kind: str, options: ReadOptions) -> None:
        self._inner = inner
        self._packed = packed
        self._kind = kind
        self._options = options
        self._size = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with what one step of unpacking gives. Raises UnreadableInput."""
        try:
            data = self._inner.read1(len(buffer))
        except _BROKEN as error:
            raise UnreadableInput(Message("The {kind} data is damaged or ends too early.", kind=self._kind)) from error
        self._size += len(data)
        if expands_too_much(self._packed.position, self._size, self._options):
            raise UnreadableInput(
                Message("This unpacks to more than {ratio} times its size, as bombs do.", ratio=self._options.ratio)
            )
        buffer[: len(data)] = data
        return len(data)
