"""Matches and their gaps as packed columns: the format of the blobs of ``match_block``.

A blob is one zstd frame of: uint32 length of the header; the header, JSON ``[[name, stored type, type], ...]``; the
columns one after another, little-endian. Each column is stored in the narrowest integer type that fits it. Ends are
stored as lengths, which are small. A million matches take about 10 MB and unpack in a tenth of a second, whereas
turning a million rows into Python objects would take seconds.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.gaps import Gaps
from workbench.base.messages import Message
from workbench.base.types import Ints, Matches
from workbench.project.packing import Packed, damaged, pack, unpack

TYPES = {kind: np.dtype(kind) for kind in ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8")}
"""The types of evidence that can be stored."""
_FIXED = ("a", "b", "a_start", "a_length", "b_start", "b_length", "score", "tier")
_GAPS = ("row", "side", "start", "length")

_FARTHEST = 1 << 60
"""Greatest key, offset and length: the sum of two of them does not overflow."""

_MOST_COLUMNS = 128
_HEADER = 1 << 16
"""Bounds of a block: larger ones were not written by :func:`pack_matches`."""


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
    return _pack(columns)


def pack_gaps(gaps: Gaps) -> Packed:
    """The blob of the gaps of a block of matches."""
    return _pack({"row": gaps.row, "side": gaps.side, "start": gaps.start, "length": gaps.end - gaps.start})


def _pack(columns: Mapping[str, NDArray[Any]]) -> Packed:
    header, body = [], []
    for name, column in columns.items():
        stored = _narrow(column)
        header.append([name, stored.dtype.str, column.dtype.newbyteorder("<").str])
        body.append(stored.tobytes())
    head = json.dumps(header).encode()
    return pack(b"".join([struct.pack("<I", len(head)), head, *body]))


def unpack_matches(packed: Packed, rows: int) -> Matches:
    """The ``rows`` matches of a blob, without gaps. Raises ProjectError if :func:`pack_matches` did not write it."""
    what = "a block of matches"
    data = unpack(packed, what, _HEADER + rows * 8 * _MOST_COLUMNS)
    try:
        columns = _columns(data, rows)
        fixed = {name: columns.pop(name) for name in _FIXED}
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise damaged(Message("{what} has the wrong shape", what=what)) from error
    if any(not str(name).startswith("evidence.") for name in columns):
        raise damaged(Message("{what} has unknown columns", what=what))
    whole = {name: fixed[name].astype(np.int64) for name in _FIXED[:6]}
    if rows and not all(column.min() >= 0 and column.max() <= _FARTHEST for column in whole.values()):
        raise damaged(Message("{what} has positions outside any text", what=what))
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


def unpack_gaps(packed: Packed, matches: Matches) -> Gaps:
    """The gaps of ``matches`` from a blob. Raises ProjectError if :func:`pack_gaps` did not write it for them."""
    what = "the gaps of a block of matches"
    data = unpack(packed, what)
    try:
        columns = _columns(data, None)
        if tuple(columns) != _GAPS:
            raise ValueError("other columns")
        row, side, start, length = (column.astype(np.int64) for column in columns.values())
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise damaged(Message("{what} has the wrong shape", what=what)) from error
    if not _are_gaps(matches, row, side, start, length):
        raise damaged(Message("{what} has the wrong shape", what=what))
    return Gaps(row, side.astype(np.int8), start, start + length)


def _are_gaps(matches: Matches, row: Ints, side: Ints, start: Ints, length: Ints) -> bool:
    """Whether all are within their matches, in order, separate, and not empty."""
    if not len(row):
        return True
    if row.min() < 0 or row.max() >= len(matches) or side.min() < 0 or side.max() > 1:
        return False
    if length.min() <= 0 or length.max() > _FARTHEST or start.min() < 0 or start.max() > _FARTHEST:
        return False
    low, high = (np.where(side == 0, a[row], b[row]) for a, b in _limits(matches))
    place, end = row * 2 + side, start + length
    ordered = (place[1:] > place[:-1]) | ((place[1:] == place[:-1]) & (start[1:] >= end[:-1]))
    return bool((start >= low).all() and (end <= high).all() and ordered.all())


def _limits(matches: Matches) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    return (matches.a_start, matches.b_start), (matches.a_end, matches.b_end)


def _columns(data: bytes, rows: int | None) -> dict[str, NDArray[Any]]:
    """The columns of ``rows`` values each; the number stored if None."""
    (length,) = struct.unpack_from("<I", data)
    offset = 4 + length
    header = json.loads(data[4:offset])
    if rows is None:
        rows = (len(data) - offset) // sum(TYPES[stored].itemsize for _, stored, _ in header)
    columns = {}
    for name, stored, kind in header:
        columns[name] = np.frombuffer(data, TYPES[stored], rows, offset).astype(TYPES[kind])
        offset += rows * TYPES[stored].itemsize
    if offset != len(data):
        raise ValueError("bytes are left over")
    return columns


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    """``column`` in the narrowest type that represents every value; little-endian."""
    if len(column) and column.dtype.kind in "iuf":
        low, high = column.min().item(), column.max().item()
        for kind in ("|i1", "<i2", "<i4"):
            if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
                narrow = column.astype(kind)
                if (narrow == column).all():
                    return narrow
                break
    return column.astype(column.dtype.newbyteorder("<"))
