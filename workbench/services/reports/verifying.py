"""Verifies an evidence pack: whether every byte is as written, and if not, what changed; who signed it and when.

The file is untrusted. Nothing is unpacked to the disk, and harmful content is refused before any of it is read.
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
from workbench.base.progress import NullProgress, Progress
from workbench.base.resources import open_regular
from workbench.base.sound import is_count
from workbench.jobs.context import Context
from workbench.project.clock import is_stored
from workbench.services import timestamps
from workbench.services.reports.archive import (
    ABOUT_MANIFEST,
    DECISIONS,
    DIGEST,
    FORMAT,
    KEY,
    MANIFEST,
    MOST_BYTES,
    MOST_FILES,
    SIGNATURE,
    STAMP,
    VERSION,
    digest_line,
    is_byte_identical,
)
from workbench.services.reports.decisions import broken_entry
from workbench.services.signing import read_key, signer

_CHUNK = 1 << 20
_MOST_MANIFEST = 1 << 26
_MOST_ABOUT = 1 << 20
_LONGEST_NAME = 1000
"""Maximum length of a file name, in characters; real ones are short."""
_PLAIN_BYTES = 1 << 26
_MOST_EXPANSION = 250
"""Maximum compression ratio beyond _PLAIN_BYTES; texts reach about ten."""
_UNREADABLE = (BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Proof:
    """A property that verification may prove, with a sentence."""

    proven: bool
    sentence: Message


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of a check. ``changed``, ``missing`` and ``added`` are names of files that differ from the manifest's
    list.

    ``sealed``: every byte of the archive is as written. ``fingerprint`` is the manifest's SHA-256, ``expected`` whether
    it is the given one (None: none given). ``broken_decision`` is the first line of the log that does not follow from
    the one before. ``inconsistent`` names texts whose SHA-256 in the manifest differs.

    ``created``: its creation time in the manifest, empty if there is none.

    ``signed_by``: the key (64 hexadecimal digits) that signed the manifest; empty if none did, None if the signature is
    invalid. ``expected_key``: whether it is the given one (None: none given). ``existed``: the time of a valid
    timestamp of the manifest, otherwise empty, and ``not_stamped`` says why.
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
    signed_by: str | None = ""
    expected_key: bool | None = None
    existed: str = ""
    not_stamped: str = ""

    @property
    def whole(self) -> bool:
        """Whether nothing was changed."""
        return not self.problems()

    def problems(self) -> list[Message]:
        """The changes, one sentence each."""
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
        if self.signed_by is None:
            problems.append(Message("The signature does not belong to this pack."))
        if self.expected_key is False:
            problems.append(Message("This pack is not signed with the key expected."))
        if not problems and not self.sealed:
            problems.append(Message("The files match the manifest, but the archive around them was rewritten."))
        return problems

    def proofs(self) -> tuple[Proof, Proof, Proof]:
        """Whether an unchanged pack proves its content, its signer, and when it existed."""
        if self.expected:
            unchanged = Message("Unchanged: its fingerprint is the one that you gave.")
        else:
            unchanged = Message(
                "Unchanged since its fingerprint was taken; only comparing the fingerprint with the one you "
                "were given proves that it is the same pack."
            )
        if self.expected_key:
            signed = Message("Signed by the key that you gave.")
        elif self.signed_by:
            signed = Message("Signed by the key {key}; only its owner can confirm whose it is.", key=self.signed_by)
        else:
            signed = Message("Not signed: who made it is not proven.")
        if self.existed:
            existed = Message("Existed at {time}, according to a valid timestamp.", time=self.existed)
        elif self.not_stamped:
            existed = Message("Its timestamp does not prove a time: {reason}", reason=self.not_stamped)
        else:
            existed = Message("No timestamp: when it was made is not proven.")
        return (
            Proof(self.expected is True, unchanged),
            Proof(bool(self.signed_by), signed),
            Proof(bool(self.existed), existed),
        )


def verify_pack(
    path: Path, fingerprint: str = "", *, key: str = "", authorities: str = "", watcher: Progress | None = None
) -> Verified:
    """Check the pack at ``path``; ``fingerprint`` and ``key`` are the expected fingerprint and signing key, if known.
    ``authorities``: a file of trusted certificates (PEM) for timestamps, empty for the system's own.

    Raises UserError if it is not an evidence pack, or could do harm: links, paths that lead outside, names that occur
    twice, contents that overlap or unpack to enormous size.
    """
    expected = fingerprint.strip().lower(), read_key(key) if key else "", authorities
    try:
        with open_regular(path) as file, ZipFile(file) as archive:
            members = _members(path, archive.infolist())
            return _check(path, archive, members, file, expected, watcher or NullProgress())
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise UserError(Message("This is not a ZIP file that can be read."), path=path) from error
    except OSError as error:
        raise UserError(Message("This file cannot be read ({reason}).", reason=error), path=path) from error


def check_pack(ctx: Context, path: Path, fingerprint: str, key: str, authorities: str) -> Verified:
    """Like :func:`verify_pack`, as a job."""
    return verify_pack(path, fingerprint, key=key, authorities=authorities, watcher=ctx)


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
    return {info.filename: info for info in infos if not _is_folder(info)}


_NOTHING = 2
"""Bytes that nothing has when it is compressed."""


def _is_folder(info: ZipInfo) -> bool:
    """Whether it is an entry without content, as most programs write for each folder when a pack is unpacked and packed
    again.
    """
    return info.orig_filename.endswith("/") and not info.file_size and info.compress_size <= _NOTHING


def _refusal(info: ZipInfo) -> Message | None:
    name = info.orig_filename
    parts = PurePosixPath(name).parts
    if name != info.filename or "\\" in name or ":" in name or name.startswith("/") or ".." in parts:
        return Message("its name points outside the pack")
    is_name = name.isprintable() and bool(parts) and (not name.endswith("/") or _is_folder(info))
    if not is_name or any(part != part.rstrip(". ") for part in parts):
        return Message("its name is not a file name")
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFDIR if _is_folder(info) else stat.S_IFREG):
        return Message("it is a link or a device, not a file")
    if info.flag_bits & 1 or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return Message("it is encrypted, or compressed by an unsupported method")
    return None


def _refused(path: Path, reason: str) -> UserError:
    return UserError(Message("This is not an evidence pack that is safe to read ({reason}).", reason=reason), path=path)


def _check(
    path: Path,
    archive: ZipFile,
    members: dict[str, ZipInfo],
    file: IO[bytes],
    expected: tuple[str, str, str],
    watcher: Progress,
) -> Verified:
    fingerprint, key, authorities = expected
    if MANIFEST not in members:
        raise UserError(Message("This is not an evidence pack: it has no manifest."), path=path)
    manifest = _content(archive, members[MANIFEST], _MOST_MANIFEST)
    own = None if manifest is None else hashlib.sha256(manifest).hexdigest()
    written = _content(archive, members[DIGEST], 1024) if DIGEST in members else b""
    changed = [] if own is not None and written == digest_line(own) else [MANIFEST]
    missing = [] if DIGEST in members else [DIGEST]
    listed = _parsed(path, manifest, bool(changed))
    digests: dict[str, str] = {}
    for number, (name, info) in enumerate(members.items()):
        watcher.check()
        watcher.advance(Message("Checking"), number, len(members))
        if name not in (MANIFEST, *ABOUT_MANIFEST):
            digests[name] = _digest(archive, info)
    files = {file["name"]: file["sha256"] for file in listed.get("files", ())}
    if listed:
        changed += [name for name, digest in files.items() if name in digests and digests[name] != digest]
        missing += [name for name in files if name not in digests]
    else:
        changed += [name for name, digest in digests.items() if not digest]
    about = [(name, members[name].file_size) for name in (MANIFEST, *ABOUT_MANIFEST) if name in members]
    sealed = bool(listed) and is_byte_identical(file, [(f["name"], f["bytes"]) for f in listed["files"]] + about)
    signed_by = _signer(archive, members, manifest or b"")
    existed, not_stamped = _existed(archive, members, own or "", authorities)
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
        time if isinstance(time := listed.get("made"), str) and is_stored(time) else "",
        listed.get("anonymous") is True,
        signed_by,
        signed_by == key if key else None,
        existed,
        not_stamped,
    )


def _signer(archive: ZipFile, members: dict[str, ZipInfo], manifest: bytes) -> str | None:
    """The key that signed ``manifest``; empty if unsigned, None if the signature is wrong."""
    if SIGNATURE not in members and KEY not in members:
        return ""
    signature, public = (
        _content(archive, members[name], _MOST_ABOUT) if name in members else None for name in (SIGNATURE, KEY)
    )
    return signer(manifest, signature or b"", public or b"") or None


def _existed(archive: ZipFile, members: dict[str, ZipInfo], own: str, authorities: str) -> tuple[str, str]:
    """When the manifest with the SHA-256 ``own`` existed according to the pack's timestamp, or why this is unproven."""
    if STAMP not in members:
        return "", ""
    answer = _content(archive, members[STAMP], _MOST_ABOUT) or b""
    try:
        return timestamps.stamped_at(answer, bytes.fromhex(own), authorities), ""
    except UserError as error:
        return "", error.sentence


def _parsed(path: Path, manifest: bytes | None, changed: bool) -> dict[str, Any]:
    """The manifest; {} if changes made it unreadable. Raises UserError if it is not a pack's manifest."""
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
    """Whether all used parts of a manifest are well formed."""
    files, documents = listed["files"], listed["documents"]
    return (
        isinstance(files, list)
        and isinstance(documents, list)
        and all(isinstance(f["name"], str) and _SHA256.fullmatch(f["sha256"]) for f in files)
        and len(files) <= MOST_FILES
        and all(is_count(f["bytes"]) and f["name"].isprintable() for f in files)
        and all(len(f["name"]) <= _LONGEST_NAME for f in files)
        and len({f["name"] for f in files}) == len(files)
        and all(isinstance(d["text"], str) and isinstance(d["text_sha256"], str) for d in documents)
    )


def _digest(archive: ZipFile, info: ZipInfo) -> str:
    """SHA-256 (hex) of a member; empty if it cannot be unpacked, or not to its declared length."""
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
    """A member of at most ``most`` bytes; None if it is longer or cannot be unpacked."""
    try:
        with archive.open(info) as member:
            content = member.read(most + 1)
    except _UNREADABLE:
        return None
    return content if len(content) <= most else None
