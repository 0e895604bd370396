"""Matches as packed columns: the format of the blobs of ``match_block``.

A blob is one zstd frame of: uint32 length of the header; the header, JSON ``[[name, stored type, type], ...]``; the
columns one after another, little-endian. Each column is stored in the narrowest integer type that holds it. Ends are
stored as lengths, which are small. A million matches take about 10 MB and unpack in a tenth of a second, whereas
turning a million rows into Python objects would take seconds.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.types import Matches
from workbench.project.packing import Packed, damaged, pack, unpack

_TYPES = {
    kind: np.dtype(kind) for kind in ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8")
}
_FIXED = ("a", "b", "a_start", "a_length", "b_start", "b_length", "score", "tier")
_EXACT = 2.0**53
"""Up to here every integer is exactly representable as a double."""

_FARTHEST = 1 << 60
"""Greatest key, offset and length: the sum of two of them does not overflow."""

_MOST_COLUMNS = 128
_HEADER = 1 << 16
"""Bounds of a block: anything larger was not written by :func:`pack_matches`."""


def pack_matches(matches: Matches) -> Packed:
    """The blob of a block of matches."""
    columns: dict[str, NDArray[Any]] = {
        "a": matches.a,
        "b": matches.b,
        "a_start": matches.a_start,
        "a_length": matches.a_end - matches.a_start,
        "b_start": matches.b_start,
        "b_length": matches.b_end - matches.b_start,
        "score": matches.score,
        "tier": matches.tier,
        **{f"evidence.{name}": np.asarray(column) for name, column in matches.evidence.items()},
    }
    if len(columns) > _MOST_COLUMNS:
        raise ValueError(f"matches have {len(columns)} columns; at most {_MOST_COLUMNS} can be stored")
    header, body = [], []
    for name, column in columns.items():
        stored = _narrow(column)
        header.append([name, stored.dtype.str, column.dtype.newbyteorder("<").str])
        body.append(stored.tobytes())
    head = json.dumps(header).encode()
    return pack(b"".join([struct.pack("<I", len(head)), head, *body]))


def unpack_matches(packed: Packed, rows: int) -> Matches:
    """The ``rows`` matches of a blob. Raises ProjectError if :func:`pack_matches` did not write it."""
    what = "a block of matches"
    data = unpack(packed, what, _HEADER + rows * 8 * _MOST_COLUMNS)
    try:
        columns = _columns(data, rows)
        fixed = {name: columns.pop(name) for name in _FIXED}
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise damaged(Message("{what} has another shape", what=what)) from error
    if any(not str(name).startswith("evidence.") for name in columns):
        raise damaged(Message("{what} has unknown columns", what=what))
    whole = {name: fixed[name].astype(np.int64) for name in _FIXED[:6]}
    if rows and not all(column.min() >= 0 and column.max() <= _FARTHEST for column in whole.values()):
        raise damaged(Message("{what} has places outside any text", what=what))
    return Matches(
        a=whole["a"],
        b=whole["b"],
        a_start=whole["a_start"],
        a_end=whole["a_start"] + whole["a_length"],
        b_start=whole["b_start"],
        b_end=whole["b_start"] + whole["b_length"],
        score=fixed["score"].astype(np.float64),
        tier=fixed["tier"].astype(np.int8),
        evidence={name.removeprefix("evidence."): column for name, column in columns.items()},
    )


def _columns(data: bytes, rows: int) -> dict[str, NDArray[Any]]:
    (length,) = struct.unpack_from("<I", data)
    offset = 4 + length
    columns = {}
    for name, stored, kind in json.loads(data[4:offset]):
        columns[name] = np.frombuffer(data, _TYPES[stored], rows, offset).astype(_TYPES[kind])
        offset += rows * _TYPES[stored].itemsize
    if offset != len(data):
        raise ValueError("bytes are left over")
    return columns


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    """``column`` in the narrowest type that keeps every value; little-endian."""
    if column.dtype.kind == "f" and len(column) and np.isfinite(column).all() and (np.rint(column) == column).all():
        if np.abs(column).max() <= _EXACT:
            return _narrow(column.astype(np.int64))
    elif column.dtype.kind in "iu" and len(column):
        low, high = int(column.min()), int(column.max())
        for kind in ("|i1", "<i2", "<i4"):
            if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
                return column.astype(kind)
    return column.astype(column.dtype.newbyteorder("<"))
