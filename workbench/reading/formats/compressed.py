"""Compressed files as streams: unpacked while being read, refused if they are archive bombs."""

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
from workbench.reading.formats.api import COMPRESSIONS, ReadOptions

_MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
_READERS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda packed: gzip.GzipFile(fileobj=packed),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, OSError, ValueError)


def unpacked(stream: IO[bytes], suffix: str, options: ReadOptions) -> IO[bytes]:
    """The content of ``stream``, unpacked by the compression of ``suffix``; ``stream`` itself if it is not compressed.

    Reading raises UnreadableInput where the data is damaged or ends early (everything before that is read), or when it
    expands more than ``options.ratio`` times.
    """
    magic = _MAGIC[suffix]
    counted = CountingStream(stream)
    buffered = io.BufferedReader(counted, 1 << 16)
    if not buffered.peek(len(magic)).startswith(magic):
        return cast(IO[bytes], buffered)
    inner = _READERS[suffix](buffered)
    return cast(IO[bytes], io.BufferedReader(_Unpacked(inner, counted, COMPRESSIONS[suffix], options), 1 << 16))


def expands_too_much(packed: int, size: int, options: ReadOptions) -> bool:
    """Whether ``packed`` bytes that unpack to ``size`` bytes are an archive bomb."""
    return size > options.ratio_from and size > options.ratio * max(1, packed)


class CountingStream(io.RawIOBase):
    """Wraps a readable stream as a raw one that counts the bytes read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.position = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` from the stream."""
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)


class _Unpacked(io.RawIOBase):
    """The unpacked bytes; errors in the packed data become readable messages."""

    def __init__(self, inner: Any, packed: CountingStream, kind: str, options: ReadOptions) -> None:
        self._inner = inner
        self._packed = packed
        self._kind = kind
        self._options = options
        self._size = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the result of one unpacking step. Raises UnreadableInput."""
        try:
            data = self._inner.read1(len(buffer))
        except _BROKEN as error:
            raise UnreadableInput(Message("The {kind} data is damaged or ends too early.", kind=self._kind)) from error
        self._size += len(data)
        if expands_too_much(self._packed.position, self._size, self._options):
            raise UnreadableInput(
                Message(
                    "This unpacks to more than {ratio} times its size, like a decompression bomb.",
                    ratio=self._options.ratio,
                )
            )
        buffer[: len(data)] = data
        return len(data)
