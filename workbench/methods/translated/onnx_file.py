"""References of an ONNX file, read from its bytes before it is loaded.

Source: the format's ``onnx.proto`` (Open Neural Network Exchange, IR version 10). Only the few fields that name other
files and the domains of operators are read; everything else is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

_GRAPH = {1: "node", 5: "tensor", 15: "sparse"}
_NODE = {5: "attribute"}
_ATTRIBUTE = {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"}
_WITHIN = {
    "model": {7: "graph", 25: "function", 20: "training"},
    "training": {1: "graph", 2: "graph"},
    "graph": _GRAPH,
    "function": {7: "node", 11: "attribute"},
    "node": _NODE,
    "attribute": _ATTRIBUTE,
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}
"""Messages with the numbers of the fields that are examined, and the types of these."""
_DOMAIN_OF_NODE = 7
_OPERATOR_SETS = 8
_DEPTH = 32
"""Most levels of nested messages; graphs are nested deeper only in malicious files."""


@dataclass
class References:
    """``files``: the locations of external data, as written; ``domains``: those of operators, "" for ONNX's own."""

    files: set[str] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)


def references(data: memoryview) -> References:
    """The references of the model in ``data``. Raises ValueError if it is not a model."""
    refers = References()
    graphs = _read(data, "model", refers, 0)
    if not graphs:
        raise ValueError("no graph")
    return refers


def _read(data: memoryview, kind: str, refers: References, depth: int) -> int:
    """Scan one message; returns how many graphs are directly in it."""
    if depth > _DEPTH:
        raise ValueError("too deep")
    graphs = 0
    for number, value in _fields(data):
        if value is None:
            continue
        inner = _WITHIN[kind].get(number)
        if inner == "entry":
            entry = {n: bytes(v) for n, v in _fields(value) if v is not None}
            if entry.get(1) == b"location":
                refers.files.add(entry.get(2, b"").decode("utf-8"))
        elif inner is not None:
            graphs += inner == "graph"
            _read(value, inner, refers, depth + 1)
        elif kind == "node" and number == _DOMAIN_OF_NODE:
            refers.domains.add(bytes(value).decode("utf-8"))
        elif kind == "model" and number == _OPERATOR_SETS:
            refers.domains |= {bytes(v).decode("utf-8") for n, v in _fields(value) if n == 1 and v is not None}
    return graphs


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview | None]]:
    """The fields of a message: number and, where it is bytes, the value."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number == 0:
            raise ValueError("no field has the number 0")
        if wire == 0:
            _, at = _varint(data, at)
            yield number, None
            continue
        if wire == 2:
            length, at = _varint(data, at)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError("no such kind of field")
        if length > end - at:
            raise ValueError("cut short")
        yield number, data[at : at + length] if wire == 2 else None
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("cut short")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("number too long")
