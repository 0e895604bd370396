"""Bytes in and out of a project file: bounded zstd frames and checked JSON.

A project may come from an untrusted source, so nothing is unpacked unless its size is known and within the limit, and
nothing read from JSON is used unless its structure has been checked.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

import zstandard

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.base.sound import is_plain

LIMIT = 1 << 28
"""Maximum number of bytes to which one frame may unpack."""

_LEVEL = 3
_OF_THREAD = threading.local()


class Packed(NamedTuple):
    """A zstd frame with checksum and its unpacked size in bytes."""

    size: int
    data: bytes


def damaged(what: str) -> ProjectError:
    """The error for content not written by any version of this program."""
    return ProjectError(
        Message("The project file is damaged: {what}.", what=what), hint=Message("Restore it from a copy.")
    )


def pack(data: bytes) -> Packed:
    """Compress ``data``. Raises ProjectError above :data:`LIMIT`."""
    if len(data) > LIMIT:
        raise ProjectError(
            Message(
                "A text of {count} bytes is too long for a project; the limit is {limit}.",
                count=f"{len(data):,}",
                limit=f"{LIMIT:,}",
            )
        )
    return Packed(len(data), _compressor().compress(data))


def _compressor() -> zstandard.ZstdCompressor:
    """This thread's compressor: creating one takes longer than packing a short text."""
    compressor: zstandard.ZstdCompressor | None = getattr(_OF_THREAD, "compressor", None)
    if compressor is None:
        compressor = _OF_THREAD.compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    return compressor


def _decompressor() -> zstandard.ZstdDecompressor:
    """This thread's decompressor."""
    decompressor: zstandard.ZstdDecompressor | None = getattr(_OF_THREAD, "decompressor", None)
    if decompressor is None:
        decompressor = _OF_THREAD.decompressor = zstandard.ZstdDecompressor()
    return decompressor


def unpack(packed: Packed, what: str, limit: int = LIMIT) -> bytes:
    """Decompress. Raises ProjectError if the frame is broken or does not unpack to ``size`` (at most ``limit``)
    bytes.
    """
    size, data = packed
    if not isinstance(size, int) or not isinstance(data, bytes) or not 0 <= size <= limit:
        raise damaged(Message("{what} has an invalid size", what=what))
    try:
        if zstandard.get_frame_parameters(data).content_size != size:
            raise damaged(Message("{what} does not have the recorded size", what=what))
        content = _decompressor().decompress(data, max_output_size=size)
    except zstandard.ZstdError as error:
        raise damaged(Message("{what} cannot be unpacked ({error})", what=what, error=error)) from error
    if len(content) != size:
        raise damaged(Message("{what} does not have the recorded size", what=what))
    return content


def to_json(value: Any) -> str:
    """Compact JSON with sorted keys, the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def object_from_json(text: str | bytes, what: str) -> dict[str, Any]:
    """A JSON object. Raises ProjectError if ``text`` is anything else."""
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(Message("{what} is not JSON", what=what)) from error
    if not isinstance(value, dict):
        raise damaged(Message("{what} is not a JSON object", what=what))
    return value


def flat(value: Mapping[str, Any], what: str) -> dict[str, Any]:
    """``value``, if it only maps names to numbers, booleans, text or null. Raises ProjectError otherwise."""
    if not all(is_plain(item) for item in value.values()):
        raise damaged(Message("{what} contains more than plain values", what=what))
    return dict(value)


def counts_from_json(text: str | bytes, what: str) -> dict[str, int]:
    """A JSON object of integers. Raises ProjectError otherwise."""
    value = object_from_json(text, what)
    if any(type(item) is not int for item in value.values()):
        raise damaged(Message("{what} contains more than whole numbers", what=what))
    return value
