"""The form of an evidence pack: a ZIP file with exactly one byte form, and a seal over every byte before its comment.

The parts prove the following:

- the manifest names every file with its SHA-256, ``manifest.sha256`` the manifest;
- nothing is compressed, and headers contain nothing that is not in the manifest: the files determine every byte, so
  that a file with other bytes (a second directory, files that no directory lists, a program in front) is not this pack;
- the archive's comment contains the SHA-256 of all bytes before it;
- the fingerprint, SHA-256 of the manifest, is not in the archive. Only someone who has it from elsewhere can tell that
  a pack was rebuilt and sealed again;
- ``manifest.sig``, where there is one, is an Ed25519 signature of the manifest by the key ``manifest.pub``, and
  ``manifest.tsr`` a timestamp (RFC 3161) of it.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import RawIOBase
from pathlib import Path
from typing import IO, Any

from workbench.base.errors import UserError
from workbench.base.messages import Message

FORMAT, VERSION = "palimpsest evidence pack", 1
MANIFEST, DIGEST = "manifest.json", "manifest.sha256"
SIGNATURE, KEY, STAMP = "manifest.sig", "manifest.pub", "manifest.tsr"
ABOUT_MANIFEST = (DIGEST, SIGNATURE, KEY, STAMP)
"""Files that may follow the manifest, in this order."""
DECISIONS = "decisions.jsonl"
MOST_BYTES = 1 << 31
"""Maximum size of all files together, in bytes."""
MOST_FILES = 60_000
_SEAL = "Palimpsest evidence pack. SHA-256 of all bytes before this comment: "
SEAL_BYTES = len(_SEAL) + 64
_CHUNK = 1 << 20

_LOCAL = struct.Struct("<4s5HIIIHH")
_CENTRAL = struct.Struct("<4s6HIIIHHHHHII")
_END = struct.Struct("<4s4HIIH")
_VERSION, _MADE_BY, _UTF8, _STORED = 20, 0x0314, 0x0800, 0
_TIME, _DATE = 0, 33
"""The earliest time that a ZIP file can record: a pack's creation time is in its manifest."""
_ATTRIBUTES = 0o100644 << 16


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file of a pack: its name, description, length, and SHA-256 in hex."""

    name: str
    what: str
    bytes: int
    sha256: str


class Directory:
    """The headers of an archive, which are determined by names, lengths and checksums."""

    def __init__(self) -> None:
        self._central: list[bytes] = []
        self._position = 0

    def add(self, name: str, crc: int, size: int) -> bytes:
        """The header before the ``size`` bytes of the next file."""
        encoded = name.encode()
        shared = (_VERSION, _UTF8, _STORED, _TIME, _DATE, crc, size, size, len(encoded), 0)
        head = _LOCAL.pack(b"PK\3\4", *shared) + encoded
        central = _CENTRAL.pack(b"PK\1\2", _MADE_BY, *shared, 0, 0, 0, _ATTRIBUTES, self._position)
        self._central.append(central + encoded)
        self._position += len(head) + size
        return head

    def ending(self) -> bytes:
        """Everything after the last file, without the comment."""
        central, count = b"".join(self._central), len(self._central)
        return central + _END.pack(b"PK\5\6", 0, 0, count, count, len(central), self._position, SEAL_BYTES)


class _Hashed(RawIOBase):
    """A stream that counts and hashes what is written to ``target``."""

    def __init__(self, target: IO[bytes], room: int) -> None:
        self._target, self._room = target, room
        self.digest, self.count, self.crc = hashlib.sha256(), 0, 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Write to the stream. Raises UserError if the pack would become too large."""
        view = memoryview(data).cast("B")
        self.count += len(view)
        if self.count > self._room:
            raise _too_large(Message("An evidence pack contains at most {most} bytes.", most=f"{MOST_BYTES:,}"))
        self.digest.update(view)
        self.crc = zlib.crc32(view, self.crc)
        self._target.write(view)
        return len(view)


class PackWriter:
    """Writes a pack to ``path``; :meth:`seal` completes it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._directory = Directory()
        self._files: list[PackedFile] = []

    @contextmanager
    def file(self, name: str, what: str) -> Iterator[IO[bytes]]:
        """A byte stream for the file ``name``; ``what`` describes it in the manifest."""
        if len(self._files) >= MOST_FILES:
            raise _too_large(Message("An evidence pack contains at most {most} files.", most=f"{MOST_FILES:,}"))
        room = MOST_BYTES - sum(file.bytes for file in self._files)
        start = self._file.tell()
        self._file.write(bytes(_LOCAL.size + len(name.encode())))
        stream = _Hashed(self._file, room)
        yield stream  # type: ignore[misc]
        end = self._file.tell()
        self._file.seek(start)
        self._file.write(self._directory.add(name, stream.crc, stream.count))
        self._file.seek(end)
        self._files.append(PackedFile(name, what, stream.count, stream.digest.hexdigest()))

    def write(self, name: str, what: str, content: str) -> None:
        """Add the file ``name`` with ``content`` in UTF-8."""
        with self.file(name, what) as stream:
            stream.write(content.encode("utf-8", "surrogatepass"))

    def seal(self, facts: Mapping[str, Any], about: Callable[[bytes], Mapping[str, bytes]] = lambda _: {}) -> str:
        """Add the manifest, which begins with ``facts``, and the files ``about`` it (content by name), and complete the
        archive; returns the pack's fingerprint.
        """
        listed = {"format": FORMAT, "version": VERSION, **facts, "files": [asdict(file) for file in self._files]}
        manifest = json.dumps(listed, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
        fingerprint = hashlib.sha256(manifest).hexdigest()
        for name, content in {MANIFEST: manifest, DIGEST: digest_line(fingerprint), **about(manifest)}.items():
            self._file.write(self._directory.add(name, zlib.crc32(content), len(content)))
            self._file.write(content)
        self._file.write(self._directory.ending())
        self._file.write(seal(digest_of(self._file, self._file.tell())))
        self._file.flush()
        return fingerprint

    def close(self) -> None:
        """Close the file; a pack that was not sealed is invalid."""
        self._file.close()


def is_byte_identical(file: IO[bytes], names: Sequence[tuple[str, int]]) -> bool:
    """Whether ``file`` is, byte for byte, the archive of the files with these ``names`` and lengths in this order."""
    directory, digest = Directory(), hashlib.sha256()
    file.seek(0)
    for name, size in names:
        head = file.read(_LOCAL.size + len(name.encode()))
        digest.update(head)
        crc, left = 0, size
        while left > 0 and (piece := file.read(min(left, _CHUNK))):
            crc, left = zlib.crc32(piece, crc), left - len(piece)
            digest.update(piece)
        if left or head != directory.add(name, crc, size):
            return False
    ending = directory.ending()
    digest.update(ending)
    return file.read(len(ending) + SEAL_BYTES + 1) == ending + seal(digest.hexdigest())


def digest_line(fingerprint: str) -> bytes:
    """The content of ``manifest.sha256``, as sha256sum writes and checks it."""
    return f"{fingerprint}  {MANIFEST}\n".encode()


def seal(digest: str) -> bytes:
    """The comment of an archive whose other bytes have the SHA-256 ``digest`` (hex)."""
    return f"{_SEAL}{digest}".encode("ascii")


def digest_of(file: IO[bytes], count: int) -> str:
    """SHA-256 (hex) of the first ``count`` bytes of ``file``, which is read up to there."""
    digest = hashlib.sha256()
    file.seek(0)
    while count > 0 and (piece := file.read(min(count, _CHUNK))):
        digest.update(piece)
        count -= len(piece)
    return digest.hexdigest()


def _too_large(sentence: Message) -> UserError:
    return UserError(sentence, hint=Message("Report on one suspect, or one pair."))
