"""Files changed at random: in their bytes, and in what they are packed in."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress

from tests.faults.fuzz_seeds import tarred, zipped

_WORDS = [
    *(
        b"\0",
        b"\xff",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\r",
        b"\n\n",
        b"\x1b$B",
        b"\xf0\x9f\x91\xa8\xe2\x80\x8d",
        b"\xed\xa0\x80",
    ),
    *(b"0", b"-1", b"65536", b"4294967295", b"18446744073709551616", b"1e999", b"NaN", b"9" * 400),
    *(
        b"<",
        b">",
        b"</",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"<nowiki>",
        b"{{",
        b"}}",
        b"[[",
        b"{|",
        b"|-\n",
        b"|}",
        b"<table>",
    ),
    *(b'<!DOCTYPE x [<!ENTITY a "aa">]>', b"&a;", b"&#0;", b"&#x110000;", b"<p>", b"<div>", b"<frameset>", b"<select>"),
    *(b'"', b"'", b",", b"\t", b"{", b"}", b"[", b"]", b'{"text":', b"null", b"true", b'"\\ud800"'),
    *(b"Content-Length: 99999999999\r\n", b"WARC/1.0\r\n", b"\r\n\r\n", b"Content-Transfer-Encoding: base64\r\n"),
    *(b"From a@b 2020\n", b"=?utf-8?B?", b"--x\r\n", b"charset=utf-7", b"encoding='utf-16'"),
    *(b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b"ustar"),
    *(
        b" 0 R",
        b"<<",
        b">>",
        b"/X Do ",
        b"endstream",
        b"/Filter /FlateDecode",
        b"/Kids [5 0 R 2 0 R]",
        b"startxref\n0\n",
    ),
]


def mutated(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """``data`` changed in its bytes, or unpacked, changed and packed again; now and then left as it is."""
    if rng.random() < 0.4:
        with suppress(Exception):
            return _packed_again(data, rng, others)
    return changed_bytes(data, rng, others)


def changed_bytes(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """A few random changes."""
    changed = bytearray(data)
    for _ in range(min(12, int(rng.expovariate(0.5)))):
        rng.choice(_CHANGES)(changed, rng, others)
    return bytes(changed[:200_000])


def _flip(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    if data:
        at = rng.randrange(len(data))
        data[at : at + rng.choice((1, 2, 4, 8))] = rng.randbytes(rng.choice((1, 2, 4, 8)))


def _insert(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    at = rng.randint(0, len(data))
    data[at:at] = rng.choice(_WORDS) * rng.choice((1, 1, 1, 3, 300))


def _delete(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    at = rng.randint(0, len(data))
    del data[at : at + rng.choice((1, 4, 32, 512))]


def _truncate(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    del data[rng.randint(0, len(data)) :]


def _repeat(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    at = rng.randint(0, len(data))
    data[at:at] = data[at : at + rng.choice((1, 8, 64, 512))] * rng.choice((1, 2, 50))


def _number(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    """Another number where digits stand."""
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if places:
        at = rng.choice(places)
        data[at : at + rng.randint(1, 4)] = rng.choice((b"0", b"-1", b"7", b"99999", b"77777777777", b"4294967296"))


def _splice(data: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    other = rng.choice(others)
    start = rng.randint(0, len(other))
    at = rng.randint(0, len(data))
    data[at : at + rng.choice((0, 0, 64))] = other[start : start + rng.choice((16, 256, 4096))]


_NAMES = ("../../escaped.txt", "/escaped.txt", "C:\\escaped.txt", "a\n.txt", "." * 300, "x!y.txt", "\x1b[31m.txt")

_CHANGES: list[Callable[[bytearray, random.Random, Sequence[bytes]], None]] = [
    *(_flip, _overwrite, _insert, _insert, _delete, _truncate, _repeat, _number, _splice)
]


def _packed_again(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """The archive or compressed file with changed contents, whole again in its checksums."""
    for magic, unpack, pack in (
        (b"\x1f\x8b", gzip.decompress, gzip.compress),
        (b"BZh", bz2.decompress, bz2.compress),
        (b"\xfd7zXZ", lzma.decompress, lzma.compress),
    ):
        if data.startswith(magic):
            return pack(mutated(unpack(data), rng, others))
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
            method = max(info.compress_type for info in archive.infolist())
        return zipped(_changed_members(members, rng, others), method)
    if data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            members = {info.name: tar.extractfile(info).read() for info in tar if info.isreg()}  # type: ignore[union-attr]
        return tarred(_changed_members(members, rng, others))
    raise ValueError


def _changed_members(members: dict[str, bytes], rng: random.Random, others: Sequence[bytes]) -> dict[str, bytes]:
    name = rng.choice(list(members))
    choice = rng.random()
    if choice < 0.7:
        members[name] = mutated(members[name], rng, others)
    elif choice < 0.8:
        del members[name]
    elif choice < 0.9:
        members[rng.choice(_NAMES)] = members[name]
    else:
        members = {f"{n}-{name}": members[name] for n in range(rng.choice((2, 200)))}
    return members
