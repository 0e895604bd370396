"""Folders of derived data: created with a marker file, and used or deleted only if they have it.

A folder that came with someone else's project, or a link to one of the user's own folders, has no marker. Folders are
deleted by :func:`remove` only. Files and folders with a valid seal, made with a secret of the user, were written by
this user; all others are foreign.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import shutil
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from workbench.base.resources import cache_dir, config_dir

_BYTES = 32


def seal(kind: str, content: str) -> str:
    """64 hexadecimal digits that only this user's programs can compute; ``kind`` keeps different uses apart."""
    return hmac.digest(_secret(config_dir(), cache_dir()), f"{kind}\0{content}".encode(), hashlib.sha256).hex()


def is_sealed(kind: str, content: str, claimed: str) -> bool:
    """Whether ``claimed`` is the seal of ``content``."""
    return hmac.compare_digest(seal(kind, content).encode(), claimed.encode())


@cache
def _secret(*folders: Path) -> bytes:
    """The secret in the first of ``folders`` that contains one or can store one; otherwise a secret for this process
    only.
    """
    for folder in folders:
        file = folder / "secret"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                _write(file)
            key = file.read_bytes()
        except OSError:
            continue
        if len(key) == _BYTES:
            return key
    return secrets.token_bytes(_BYTES)


def _write(file: Path) -> None:
    """Create a secret in ``file`` unless another process has just done so. Raises OSError."""
    part = file.with_name(f"secret.{secrets.token_hex(8)}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(secrets.token_bytes(_BYTES))
        try:
            os.link(part, file)
        except FileExistsError:
            pass
        except OSError:
            # On file systems without hard links.
            part.rename(file)
    finally:
        part.unlink(missing_ok=True)


MARK = ".palimpsest"
_KIND = "folder"
_MOST = 200
"""Maximum number of bytes read from a marker file."""


def make(folder: Path, use: str) -> str:
    """Create ``folder`` for ``use`` (a few words), or adopt an empty folder; returns its identity.

    Raises FileExistsError if the path is a link or has content that is not ours; OSError.
    """
    try:
        folder.mkdir()
    except FileExistsError:
        if known := identity(folder, use):
            return known
        if not _is_folder(folder) or any(
            name != MARK and not name.startswith(f"{MARK}.") for name in os.listdir(folder)
        ):
            raise
    own = secrets.token_hex(8)
    part = folder / f"{MARK}.{own}"
    try:
        part.write_text(f"{own} {seal(_KIND, f'{use} {own}')}", encoding="ascii")
        part.replace(folder / MARK)
    finally:
        part.unlink(missing_ok=True)
    return own


def identity(folder: Path, use: str) -> str:
    """The identity that :func:`make` gave ``folder`` for ``use``; empty if it did not create it, or if it is a link."""
    if not _is_folder(folder):
        return ""
    try:
        with open_own(folder / MARK, "rb") as file:
            own, _, claimed = file.read(_MOST).decode("ascii", "replace").partition(" ")
    except OSError:
        return ""
    return own if is_sealed(_KIND, f"{use} {own}", claimed) else ""


def is_own(folder: Path, use: str) -> bool:
    """Whether ``folder`` was created by :func:`make` for ``use`` and is not a link."""
    return bool(identity(folder, use))


def remove(folder: Path, use: str) -> bool:
    """Delete ``folder`` and its contents if it is one of ours. Returns whether it is completely gone."""
    if is_own(folder, use):
        # The marker is deleted last, so that anything a crash leaves behind still has it.
        for name in os.listdir(folder):
            if name != MARK:
                _discard(folder / name)
        shutil.rmtree(folder, ignore_errors=True)
    return not os.path.lexists(folder)


def open_own(path: Path, mode: str, buffering: int = -1) -> IO[bytes]:
    """Open the regular file ``path`` in binary ``mode`` without following links. Raises OSError."""
    file = open(path, mode, buffering, opener=_no_follow)  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise FileExistsError(f"{path} is no regular file")
    return file


def _no_follow(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _discard(path: Path) -> None:
    if _is_folder(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
