"""A sealed manifest of a folder of derived files, which proves that it is complete and was written by this user."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from workbench.base.messages import Message
from workbench.base.own_folders import MARK, open_own
from workbench.base.progress import Progress
from workbench.base.secret import is_sealed, seal

_FILE = "manifest.json"
_KIND = "manifest"
_STAGE = Message("Checking the index")
_BLOCK = 1 << 22
_MOST = 1 << 20
"""Most bytes of a manifest that are read."""

Contents = dict[str, list[int | str]]


def write(folder: Path, what: str, progress: Progress) -> None:
    """Seal everything in ``folder`` as ``what``. Raises OSError, Cancelled."""
    files = _contents(folder, progress)
    manifest = {"files": files, "seal": seal(_KIND, _text(what, files))}
    (folder / _FILE).write_text(json.dumps(manifest), encoding="utf-8")


def is_whole(folder: Path, what: str, progress: Progress) -> bool:
    """Whether ``folder`` contains exactly the files sealed as ``what`` by this user. Raises Cancelled."""
    try:
        with open_own(folder / _FILE, "rb") as file:
            manifest = json.loads(file.read(_MOST))
        files, claimed = manifest["files"], str(manifest["seal"])
        if not is_sealed(_KIND, _text(what, files), claimed):
            return False
        sizes = {name: size for name, (size, _) in files.items()}
        return sizes == dict(_sizes(folder)) and bool(files == _contents(folder, progress))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False


def touch(folder: Path) -> None:
    """Record that the folder is being used now."""
    os.utime(folder / _FILE)


def used(folder: Path) -> float:
    """When the folder was last used, in seconds since 1970; 0 if unknown."""
    try:
        return (folder / _FILE).lstat().st_mtime
    except OSError:
        return 0.0


def _text(what: str, files: object) -> str:
    return json.dumps([what, files], sort_keys=True)


def _sizes(folder: Path, within: str = "") -> Iterator[tuple[str, int]]:
    """(name, bytes) of the files in ``folder`` and its subfolders; names are relative, prefixed by ``within``.

    Raises ValueError for anything but files and one level of folders: a link could lead elsewhere.
    """
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        state = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(state.st_mode) and not within:
            yield from _sizes(folder / entry.name, f"{entry.name}/")
            continue
        if not stat.S_ISREG(state.st_mode):
            raise ValueError(f"{entry.path} is no regular file")
        if within or entry.name not in (MARK, _FILE):
            yield within + entry.name, state.st_size


def _contents(folder: Path, progress: Progress) -> Contents:
    """Bytes and SHA-256 of each file by name."""
    sizes = list(_sizes(folder))
    total, read = sum(size for _, size in sizes), 0
    contents: Contents = {}
    for name, size in sizes:
        digest = hashlib.sha256()
        with open_own(folder / name, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                read += len(block)
                progress.advance(_STAGE, read, total)
        contents[name] = [size, digest.hexdigest()]
    return contents
