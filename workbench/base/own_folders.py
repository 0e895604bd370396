"""Folders of derived data: made with a mark, and used or removed only where they bear it.

A folder that a stranger shipped beside a project, or a link to one of the user's own, bears none.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO

from workbench.base.secret import is_sealed, seal

MARK = ".palimpsest"
_KIND = "folder"
_MOST = 200
"""Bytes of a mark that are read."""


def make(folder: Path, use: str) -> None:
    """Make ``folder`` for ``use`` (one word), or adopt an empty one.

    Raises FileExistsError where a link or anything that has content and is not ours lies there; OSError.
    """
    try:
        folder.mkdir()
    except FileExistsError:
        if is_own(folder, use):
            return
        if not _is_folder(folder) or set(os.listdir(folder)) - {MARK}:
            raise
    part = folder / f"{MARK}.{secrets.token_hex(8)}"
    part.write_text(seal(_KIND, use), encoding="ascii")
    part.replace(folder / MARK)


def is_own(folder: Path, use: str) -> bool:
    """Whether ``folder`` is not a link and was made here for ``use``."""
    if not _is_folder(folder):
        return False
    try:
        with open_own(folder / MARK, "rb") as file:
            return is_sealed(_KIND, use, file.read(_MOST).decode("ascii", "replace"))
    except OSError:
        return False


def remove(folder: Path, use: str) -> bool:
    """Remove ``folder`` with what is in it where it is our own; whether nothing is there afterwards."""
    if is_own(folder, use):
        # The mark last: what is left after a crash still bears it.
        for name in os.listdir(folder):
            if name != MARK:
                _discard(folder / name)
        shutil.rmtree(folder, ignore_errors=True)
    return not os.path.lexists(folder)


def open_own(path: Path, mode: str, buffering: int = -1) -> IO[bytes]:
    """Open the regular file ``path`` in binary ``mode``, but nothing that a link leads to. Raises OSError."""
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
