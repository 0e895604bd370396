"""Files below the user's paths: sorted, each once, never outside the folder."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.base.messages import Message
from workbench.reading.formats import archive
from workbench.reading.formats.api import Failure, ReadOptions, Source
from workbench.reading.formats.names import legible

_OWN = re.compile(r"\.palimpsest(?:-[a-z]+|\.[^/]*\.(?:lock|bak))?(?:\.part)?$", re.IGNORECASE)
"""Names of projects and of their companion files: journals, indexes, locks, copies."""


def expand(
    paths: Sequence[Path], options: ReadOptions | None = None, *, archives: bool = True
) -> Iterator[Source | Failure]:
    """Every file of ``paths``: folders are walked in name order, and members of archives are listed when ``archives``.

    Hidden files (leading dot) and projects with their companion files are left out inside folders. Links that lead out
    of the folder, special files and folders that cannot be listed are failures. A file reached twice is yielded once.
    """
    options = options or ReadOptions()
    seen: set[str] = set()
    folders: dict[str, str] = {}
    for path in paths:
        for item in _below(Path(path), display_name(Path(path))):
            if isinstance(item, Failure):
                yield item
                continue
            if (place := _place(item.path, folders)) not in seen:
                seen.add(place)
                if archives and item.suffix in archive.suffixes:
                    yield from _members(item, options)
                else:
                    yield item


def _place(path: Path, folders: dict[str, str]) -> str:
    """The real path of a file, the same by every link to it; ``folders`` collects those of folders."""
    if path.is_symlink():
        return os.path.realpath(path)
    folder = os.path.dirname(path)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder)
    return os.path.join(folders[folder], path.name)


def display_name(path: Path) -> str:
    """The name of a path in ids: as entered, relative to the working folder, or the bare name. A path through a folder
    above is named like the same file without it.
    """
    if ".." in path.parts:
        path = Path(os.path.abspath(path))
    if not path.is_absolute():
        return legible(path.as_posix())
    try:
        return legible(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return legible(path.name or path.as_posix())


def _members(source: Source, options: ReadOptions) -> Iterator[Source | Failure]:
    try:
        yield from archive.cut(source, options)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one archive must not end the others
        yield Failure.of(source.name, error)


def _below(path: Path, name: str) -> Iterator[Source | Failure]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        yield Failure.of(name, error)
        return
    if stat.S_ISDIR(mode):
        yield from _walk(path, name)
    elif stat.S_ISREG(mode):
        yield Source(path, name)
    else:
        yield Failure(name, Message("This is not a regular file."))


def _walk(top: Path, name: str) -> Iterator[Source | Failure]:
    """Depth first in name order, with an explicit stack; ``seen`` guards against link cycles."""
    root = top.resolve()
    seen = {root}
    stack = [(top, "" if name == "." else f"{name}/")]
    while stack:
        path, prefix = stack.pop()
        if not path.is_dir():
            yield Source(path, prefix)
            continue
        try:
            entries = sorted(os.scandir(path), key=lambda e: e.name)
        except OSError as error:
            yield Failure.of(prefix.rstrip("/") or name, error)
            continue
        later: list[tuple[Path, str]] = []
        for entry in entries:
            if entry.name.startswith(".") or _OWN.search(entry.name):
                continue
            inner = prefix + legible(entry.name)
            problem = _problem(entry, root)
            if problem:
                yield Failure(inner, problem)
            elif entry.is_dir():
                real = Path(entry.path).resolve()
                if real not in seen:
                    seen.add(real)
                    later.append((Path(entry.path), inner + "/"))
            else:
                later.append((Path(entry.path), inner))
        stack.extend(reversed(later))


def _problem(entry: os.DirEntry[str], root: Path) -> str:
    """Why an entry of a folder is not read; empty if it is."""
    try:
        mode = entry.stat().st_mode
        outside = entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(root)
    except OSError:
        return (
            Message("This symbolic link is broken.")
            if entry.is_symlink()
            else Message("The properties of this file could not be read.")
        )
    except RuntimeError:
        return Message("This symbolic link points to itself.")
    if outside:
        return Message("This symbolic link points outside the folder.")
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return Message("This is not a regular file.")
    return ""
