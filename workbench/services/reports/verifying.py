"""Checking an evidence pack: whether every byte is as it was written, and if not, what was changed.

The file may come from anybody. Nothing is unpacked to the disk, and what could do harm elsewhere is refused before
any of it is read.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.services.reports.archive import (
    DECISIONS,
    DIGEST,
    END_BYTES,
    FORMAT,
    MANIFEST,
    MOST_BYTES,
    SEAL_BYTES,
    VERSION,
    digest_of,
    seal,
)
from workbench.services.reports.decisions import broken_entry

_CHUNK = 1 << 20
_MOST_MANIFEST = 1 << 26
_PLAIN_BYTES = 1 << 26
_MOST_EXPANSION = 250
"""Unpacked bytes beyond _PLAIN_BYTES may be so many times the packed ones; texts reach about ten."""
_UNREADABLE = (BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check found. ``changed``, ``missing`` and ``added`` are names of files against the manifest's list.

    ``sealed``: every byte of the archive is as it was written. ``fingerprint`` is the manifest's SHA-256, ``expected``
    whether it is the one asked for (None: none was). ``broken_decision`` is the first line of the log that does not
    follow from the one before. ``inconsistent`` names texts whose own SHA-256 in the manifest is another.
    """

    fingerprint: str
    files: int
    sealed: bool
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    inconsistent: tuple[str, ...] = ()
    broken_decision: int | None = None
    expected: bool | None = None
    created: str = ""
    anonymous: bool = False

    @property
    def whole(self) -> bool:
        """Whether nothing was changed."""
        return not self.problems()

    def problems(self) -> list[Message]:
        """What was changed, a sentence each."""
        problems = [Message("{name} was changed.", name=name) for name in self.changed]
        problems += [Message("{name} is missing.", name=name) for name in self.missing]
        problems += [Message("{name} was added: the manifest does not list it.", name=name) for name in self.added]
        problems += [
            Message("{name} is not the text that the manifest says was compared.", name=name)
            for name in self.inconsistent
        ]
        if self.broken_decision is not None:
            problems.append(
                Message(
                    "{name}: line {number} does not follow from the line before.",
                    name=DECISIONS,
                    number=self.broken_decision,
                )
            )
        if self.expected is False:
            problems.append(Message("This is another pack: its fingerprint is not the one expected."))
        if not problems and not self.sealed:
            problems.append(
                Message("The files are as the manifest lists them, but the archive around them was written anew.")
            )
        return problems


def verify_pack(path: Path, fingerprint: str = "") -> Verified:
    """Check the pack at ``path``; ``fingerprint`` is the one it is expected to have, where that is known.

    Raises UserError if it is not an evidence pack, or could do harm: links, paths that lead outside,
    names that occur twice, contents that overlap or unpack to enormous size.
    """
    try:
        with path.open("rb") as file:
            sealed = _is_sealed(file)
            with ZipFile(file) as archive:
                members = _members(path, archive.infolist())
                return _check(path, archive, members, sealed, fingerprint.strip().lower())
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise UserError(Message("This is not a ZIP file that can be read."), path=path) from error
    except OSError as error:
        raise UserError(Message("This file cannot be read ({reason}).", reason=error), path=path) from error


def _is_sealed(file: IO[bytes]) -> bool:
    size = file.seek(0, 2)
    if size < SEAL_BYTES + END_BYTES:
        return False
    file.seek(size - SEAL_BYTES)
    comment = file.read()
    return comment == seal(digest_of(file, size - SEAL_BYTES))


def _members(path: Path, infos: Sequence[ZipInfo]) -> dict[str, ZipInfo]:
    """The members by name. Raises UserError for anything a pack cannot contain."""
    names = Counter(info.filename.casefold() for info in infos)
    for info in infos:
        reason = _refusal(info) or (names[info.filename.casefold()] > 1 and Message("its name occurs twice"))
        if reason:
            raise _refused(path, Message("{name}: {reason}", name=info.filename, reason=reason))
    whole = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    if whole > MOST_BYTES or whole > _PLAIN_BYTES + _MOST_EXPANSION * packed:
        raise _refused(path, Message("it would unpack to {count} bytes", count=f"{whole:,}"))
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise _refused(path, Message("{name}: {reason}", name=info.filename, reason=Message("files overlap")))
        end = info.header_offset + info.compress_size
    return {info.filename: info for info in infos}


def _refusal(info: ZipInfo) -> Message | None:
    name = info.orig_filename
    parts = PurePosixPath(name).parts
    if name != info.filename or "\\" in name or ":" in name or name.startswith("/") or ".." in parts:
        return Message("its name leads outside of the pack")
    if not name.isprintable() or not name or name.endswith("/"):
        return Message("its name is not that of a file")
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return Message("it is a link or a device, not a file")
    if info.flag_bits & 1 or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return Message("it is packed in another way")
    return None


def _refused(path: Path, reason: str) -> UserError:
    return UserError(Message("This is not an evidence pack that is safe to read ({reason}).", reason=reason), path=path)


def _check(path: Path, archive: ZipFile, members: dict[str, ZipInfo], sealed: bool, fingerprint: str) -> Verified:
    if MANIFEST not in members:
        raise UserError(Message("This is not an evidence pack: it has no manifest."), path=path)
    manifest = _content(archive, members[MANIFEST], _MOST_MANIFEST)
    own = None if manifest is None else hashlib.sha256(manifest).hexdigest()
    written = _content(archive, members[DIGEST], 1024) if DIGEST in members else b""
    changed = [] if own is not None and written == f"{own}  {MANIFEST}\n".encode() else [MANIFEST]
    missing = [] if DIGEST in members else [DIGEST]
    listed = _parsed(path, manifest, bool(changed))
    digests: dict[str, str] = {}
    for name, info in members.items():
        if name not in (MANIFEST, DIGEST):
            digests[name] = _digest(archive, info)
    files = {file["name"]: file["sha256"] for file in listed.get("files", ())}
    if listed:
        changed += [name for name, digest in files.items() if name in digests and digests[name] != digest]
        missing += [name for name in files if name not in digests]
    else:
        changed += [name for name, digest in digests.items() if not digest]
    decisions = _content(archive, members[DECISIONS], MOST_BYTES) if DECISIONS in members else b""
    return Verified(
        own or "",
        len(members),
        sealed,
        tuple(changed),
        tuple(missing),
        tuple(name for name in digests if name not in files) if listed else (),
        tuple(d["text"] for d in listed.get("documents", ()) if files.get(d["text"]) != d["text_sha256"]),
        broken_entry((decisions or b"").decode("utf-8", "replace").split("\n")[:-1]),
        own == fingerprint if fingerprint else None,
        str(listed.get("made", "")),
        listed.get("anonymous") is True,
    )


def _parsed(path: Path, manifest: bytes | None, changed: bool) -> dict[str, Any]:
    """The manifest; {} where it was changed so that it cannot be read. Raises UserError if it is not that of a pack."""
    try:
        listed = json.loads(manifest or b"")
        if listed["format"] == FORMAT and listed["version"] == VERSION and _is_whole(listed):
            return dict(listed)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    if changed:
        return {}
    raise UserError(Message("This is not an evidence pack that this version can check."), path=path)


def _is_whole(listed: dict[str, Any]) -> bool:
    """Whether everything that is read of a manifest has the right form."""
    files, documents = listed["files"], listed["documents"]
    return (
        isinstance(files, list)
        and isinstance(documents, list)
        and all(isinstance(f["name"], str) and _SHA256.fullmatch(f["sha256"]) for f in files)
        and len({f["name"] for f in files}) == len(files)
        and all(isinstance(d["text"], str) and isinstance(d["text_sha256"], str) for d in documents)
    )


def _digest(archive: ZipFile, info: ZipInfo) -> str:
    """SHA-256 (hex) of a member; empty where it cannot be unpacked, or to another length than it says."""
    digest, left = hashlib.sha256(), info.file_size
    try:
        with archive.open(info) as member:
            while piece := member.read(_CHUNK):
                left -= len(piece)
                if left < 0:
                    return ""
                digest.update(piece)
    except _UNREADABLE:
        return ""
    return digest.hexdigest() if left == 0 else ""


def _content(archive: ZipFile, info: ZipInfo, most: int) -> bytes | None:
    """A member of at most ``most`` bytes; None where it is longer or cannot be unpacked."""
    try:
        with archive.open(info) as member:
            content = member.read(most + 1)
    except _UNREADABLE:
        return None
    return content if len(content) <= most else None
