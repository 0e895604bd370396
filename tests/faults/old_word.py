"""Small Word files of the binary format, as [MS-DOC] and [MS-CFB] describe them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

_SECTOR = 512
_FREE, _END_OF_CHAIN, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_TEXT = 4 * _SECTOR
DELETED, HIDDEN, SYMBOL = b"\x00\x08\x01", b"\x3c\x08\x01", b"\x09\x6a\x00\x00\x22\xf0"
CELL, ITEM, LEVEL_2 = b"\x16\x24\x01", b"\x0b\x46\x01\x00", b"\x40\x26\x01"


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file of streams, each at least 4,096 bytes long, with one sector for the table of sectors."""
    entries, sectors, table = [], b"", [_FAT, 2, _END_OF_CHAIN]
    for name, data in streams.items():
        data = data.ljust(8 * _SECTOR, b"\0")
        data += bytes(-len(data) % _SECTOR)
        first, count = len(table), len(data) // _SECTOR
        table += [*range(first + 1, first + count), _END_OF_CHAIN]
        entries.append((name, 2, first, len(data)))
        sectors += data
    rows = b""
    for number, (name, kind, first, size) in enumerate([("Root Entry", 5, _END_OF_CHAIN, 0), *entries]):
        label = name.encode("utf-16-le") + b"\0\0"
        right = number + 1 if 0 < number < len(entries) else _FREE
        child = 1 if number == 0 else _FREE
        rows += label.ljust(64, b"\0")
        rows += struct.pack("<HBB3I36xIQ", len(label), kind, 1, _FREE, right, child, first, size)
    assert len(rows) <= 2 * _SECTOR
    assert len(table) <= _SECTOR // 4
    header = struct.pack(
        "<8s16x5H6x9I",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        *(0, 1, 1, 0, 4096),
        *(_END_OF_CHAIN, 0),
        *(_END_OF_CHAIN, 0),
    )
    header += struct.pack("<109I", 0, *[_FREE] * 108)
    return (
        header
        + struct.pack(f"<{_SECTOR // 4}I", *table, *[_FREE] * (_SECTOR // 4 - len(table)))
        + rows.ljust(2 * _SECTOR, b"\0")
        + sectors
    )


def _page(bounds: Sequence[int], entries: Sequence[bytes], width: int) -> bytes:
    """A page of properties: where its stretches begin and end, and of each an entry."""
    at, places, data = _SECTOR - 1, b"", bytearray(_SECTOR)
    for entry in entries:
        if entry:
            entry += bytes(len(entry) % 2)
            at = (at - len(entry)) // 2 * 2
            data[at : at + len(entry)] = entry
        places += bytes([at // 2 if entry else 0]).ljust(width, b"\0")
    head = struct.pack(f"<{len(bounds)}I", *bounds) + places
    data[: len(head)] = head
    data[-1] = len(entries)
    return bytes(data)


def old_word(
    text: str,
    *,
    notes: str = "",
    headers: str = "",
    comments: str = "",
    endnotes: str = "",
    boxes: str = "",
    marks: Mapping[str, bytes] | None = None,
    paragraphs: Mapping[str, tuple[int, bytes]] | None = None,
    compressed: str = "",
    version: int = 193,
    flags: int = 0,
) -> bytes:
    """A file with this text in its subdocuments; ``compressed`` is put before it in 8 bits.

    ``marks`` are properties of words, ``paragraphs`` style and properties of the paragraphs with these words.
    """
    whole = text + notes + headers + comments + endnotes + boxes
    first = _TEXT + len(compressed)
    body = compressed.encode("cp1252") + whole.encode("utf-16-le")

    def offset(at: int) -> int:
        return first + 2 * at

    runs = sorted(
        (whole.index(word), whole.index(word) + len(word), properties) for word, properties in (marks or {}).items()
    )
    bounds, entries, at = [_TEXT], [], 0
    for start, end, properties in runs:
        bounds += [offset(start), offset(end)]
        entries += [b"", bytes([len(properties)]) + properties]
        at = end
    characters = _page([*bounds, offset(len(whole) + 1)], [*entries, b""], 1)
    bounds, entries, at = [_TEXT], [], 0
    for number, char in enumerate(whole):
        if char in "\r\x07":
            style, own = next((v for k, v in (paragraphs or {}).items() if k in whole[at:number]), (0, b""))
            properties = struct.pack("<H", style) + own
            even = len(properties) % 2 == 0
            entries.append(
                (b"\0" + bytes([len(properties) // 2]) if even else bytes([(len(properties) + 1) // 2])) + properties
            )
            bounds.append(offset(number + 1))
            at = number + 1
    layout = _page(bounds, entries, 13) if entries else bytes(_SECTOR)
    body += bytes(-len(body) % _SECTOR)
    page = (_TEXT + len(body)) // _SECTOR
    # Of 16 styles the second is the first heading, the third is based on it, the fourth is a list.
    styles = b"\x02\x00\x10\x00"
    for identity, parent in ((0, 0xFFF), (1, 0), (200, 1), (48, 0)):
        styles += struct.pack("<3H", 4, identity, parent << 4 | 1)
    pieces = [(0, len(compressed), _TEXT * 2 | 0x40000000)] if compressed else []
    pieces.append((len(compressed), len(compressed) + len(whole), first))
    limits = [start for start, _, _ in pieces] + [pieces[-1][1]]
    plan = struct.pack(f"<{len(limits)}I", *limits) + b"".join(
        struct.pack("<HIH", 0, where, 0) for _, _, where in pieces
    )
    table, places = b"", {}
    parts = {1: styles, 12: struct.pack("<3I", 0, 1 << 30, page), 13: struct.pack("<3I", 0, 1 << 30, page + 1)}
    for number, part in {**parts, 33: b"\x01\x02\x00ab\x02" + struct.pack("<I", len(plan)) + plan}.items():
        places[number] = (len(table), len(part))
        table += part
    record = bytearray(_TEXT)
    struct.pack_into("<2H6xH", record, 0, 0xA5EC, version, flags | 0x0200)
    lengths = (len(compressed) + len(text), len(notes), len(headers), 0, len(comments), len(endnotes), len(boxes))
    struct.pack_into("<7I", record, 76, *lengths)
    for number, (start, length) in places.items():
        struct.pack_into("<2I", record, 154 + 8 * number, start, length)
    return compound({"WordDocument": bytes(record) + body + characters + layout, "1Table": table})
