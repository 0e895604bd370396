"""The form of an evidence pack: a ZIP file with a manifest, and a seal over every byte before the archive's comment.

What the parts prove:

- the manifest names every file with its SHA-256, ``manifest.sha256`` the manifest;
- the archive's comment holds SHA-256 of all bytes before it, names, times and padding included;
- the fingerprint, SHA-256 of the manifest, is not in the archive. Only someone who has it from elsewhere can tell that
  a pack was taken apart and sealed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import RawIOBase
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from workbench.base.errors import UserError
from workbench.base.messages import Message

FORMAT, VERSION = "palimpsest evidence pack", 1
MANIFEST, DIGEST = "manifest.json", "manifest.sha256"
DECISIONS = "decisions.jsonl"
MOST_BYTES = 1 << 31
"""Unpacked bytes of all files together; no pack holds more."""
_SEAL = "Palimpsest evidence pack. SHA-256 of all bytes before this comment: "
SEAL_BYTES = len(_SEAL) + 64
END_BYTES = 22
"""Length of a ZIP file's end record without the comment."""
_MADE = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive: when a pack was created is in its manifest."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file of a pack: its name, what it is, its length and SHA-256 in hex."""

    name: str
    what: str
    bytes: int
    sha256: str


class _Hashed(RawIOBase):
    """A stream that counts and hashes what is written to ``target``."""

    def __init__(self, target: IO[bytes], room: int) -> None:
        self._target, self._room = target, room
        self.digest, self.count = hashlib.sha256(), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """As of any stream. Raises UserError where the pack would get too large."""
        view = memoryview(data).cast("B")
        self.count += len(view)
        if self.count > self._room:
            raise UserError(
                Message("An evidence pack holds at most {most} bytes.", most=f"{MOST_BYTES:,}"),
                hint=Message("Report on one suspect, or one pair."),
            )
        self.digest.update(view)
        self._target.write(view)
        return len(view)


class PackWriter:
    """Writes a pack to ``path``; :meth:`seal` completes it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._zip = ZipFile(path, "w", ZIP_DEFLATED)
        self._files: list[PackedFile] = []

    @contextmanager
    def file(self, name: str, what: str) -> Iterator[IO[bytes]]:
        """A byte stream for the file ``name``; ``what`` describes it in the manifest."""
        room = MOST_BYTES - sum(file.bytes for file in self._files)
        with self._zip.open(_entry(name), "w") as target:
            stream = _Hashed(target, room)
            yield stream  # type: ignore[misc]
        self._files.append(PackedFile(name, what, stream.count, stream.digest.hexdigest()))

    def write(self, name: str, what: str, content: str) -> None:
        """Add the file ``name`` with ``content`` in UTF-8."""
        with self.file(name, what) as stream:
            stream.write(content.encode("utf-8", "surrogatepass"))

    def seal(self, facts: Mapping[str, Any]) -> str:
        """Add the manifest, which begins with ``facts``, and close the archive; the pack's fingerprint."""
        listed = {"format": FORMAT, "version": VERSION, **facts, "files": [asdict(file) for file in self._files]}
        manifest = json.dumps(listed, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
        fingerprint = hashlib.sha256(manifest).hexdigest()
        self._zip.writestr(_entry(MANIFEST), manifest)
        # As sha256sum writes and checks it.
        self._zip.writestr(_entry(DIGEST), f"{fingerprint}  {MANIFEST}\n")
        self._zip.comment = seal("0" * 64)
        self._zip.close()
        with self._path.open("r+b") as file:
            size = file.seek(0, 2)
            digest = digest_of(file, size - SEAL_BYTES)
            file.seek(size - SEAL_BYTES)
            file.write(seal(digest))
        return fingerprint

    def close(self) -> None:
        """Close the file; a pack that was not sealed is invalid."""
        self._zip.close()


def seal(digest: str) -> bytes:
    """The comment of an archive whose other bytes have the SHA-256 ``digest`` (hex)."""
    return f"{_SEAL}{digest}".encode("ascii")


def digest_of(file: IO[bytes], count: int) -> str:
    """SHA-256 (hex) of the first ``count`` bytes of ``file``."""
    digest = hashlib.sha256()
    file.seek(0)
    while count > 0 and (piece := file.read(min(count, _CHUNK))):
        digest.update(piece)
        count -= len(piece)
    return digest.hexdigest()


def _entry(name: str) -> ZipInfo:
    info = ZipInfo(name, _MADE)
    info.compress_type = ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    return info
