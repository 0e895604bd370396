"""Indexes of methods: derived data beside the project, built once per corpus and deletable at any time.

Kernels trust the content of an index, so an index is only used if this user built it and it has not changed since.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from workbench.base import compiling, own_folders
from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message, reason
from workbench.base.own_folders import MARK, is_sealed, open_own, seal
from workbench.base.progress import Progress
from workbench.base.resources import cache_dir
from workbench.methods.core.api import Corpus, Method, Parameters
from workbench.project.database import Connection, Project
from workbench.project.documents import corpus_hash, last_key
from workbench.services.detecting.corpus import ProjectCorpus, scope_of

_FILE = "manifest.json"
_KIND = "manifest"
_STAGE = Message("Checking the index")
_BLOCK = 1 << 22
_MOST = 1 << 20
"""Maximum number of bytes read from a manifest."""

Contents = dict[str, list[int | str]]


_MOST_KEYS = 2**63
"""Keys of SQLite rows are smaller."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an index: the documents up to key ``last``. ``seconds`` is the duration of its last full build."""

    last: int
    seconds: float


def write(folder: Path, what: str, progress: Progress, origin: Origin | None = None) -> None:
    """Seal everything in ``folder`` as ``what``; ``origin`` is not sealed. Raises OSError, Cancelled."""
    files = _contents(folder, progress)
    manifest: dict[str, object] = {"files": files, "seal": seal(_KIND, _text(what, files))}
    if origin is not None:
        manifest |= {"last": origin.last, "seconds": round(origin.seconds, 3)}
    (folder / _FILE).write_text(json.dumps(manifest), encoding="utf-8")


def origin(folder: Path) -> Origin | None:
    """The recorded origin of the index in ``folder``; None without a valid one."""
    try:
        manifest = _manifest(folder)
        known = Origin(int(manifest["last"]), float(manifest["seconds"]))
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None
    return known if 0 <= known.last < _MOST_KEYS and isfinite(known.seconds) else None


def _manifest(folder: Path) -> Any:
    with open_own(folder / _FILE, "rb") as file:
        return json.loads(file.read(_MOST))


def is_whole(folder: Path, what: str, progress: Progress) -> bool:
    """Whether ``folder`` contains exactly the files sealed as ``what`` by this user. Raises Cancelled."""
    try:
        manifest = _manifest(folder)
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


_KEPT = 4
"""Most recently used indexes kept per project, in addition to the last one of each method, which queries use."""
_DERIVED, _INDEX = "derived", "index"
_PART = ".part"
_PATIENCE = 0.2


def index_folder(project: Project, method: Method, parameters: Parameters, progress: Progress) -> Path:
    """The folder of a complete index for the project's documents, built now if there is none.

    It stays valid when documents that ``method`` does not index are added or removed. If an index covers all documents
    except newly imported ones, and ``method`` supports it, it is extended, and a warning reports both durations. An
    index is built in a temporary folder and renamed when complete, so that a crash leaves nothing that could be
    mistaken for an index. Raises UserError if there is no space, Cancelled.
    """
    top = derived_folder(project.path)
    # The name and the index must come from the same snapshot of the project, even if documents are imported meanwhile.
    with _Alone(top / "lock", progress), project.read() as connection:
        corpus = ProjectCorpus(connection, scope_of(parameters))
        name, key = _named(corpus, connection, method, parameters)
        for folder in _indexes(top, name):
            if is_whole(folder, key, progress):
                touch(folder)
                return folder
            progress.warn(Message("The index was damaged and is being rebuilt."), str(folder))
            own_folders.remove(folder, _INDEX)
        beside = _beside(project.path)
        if top != beside and os.path.lexists(beside):
            progress.warn(
                Message(
                    "This folder was not created by Palimpsest on this computer; the index is kept in {top}.", top=top
                ),
                str(beside),
            )
        _remove_leftovers(top)
        folder = top / name
        if os.path.lexists(folder):
            # Folders that are not ours are left alone; a name that cannot be guessed is certainly free.
            folder = top / f"{name}-{secrets.token_hex(4)}"
        part = folder.with_name(f"{folder.name}-{secrets.token_hex(4)}{_PART}")
        try:
            own_folders.make(part, _INDEX)
            _build(top, connection, method, parameters, part, key, progress)
            part.rename(folder)
        except OSError as error:
            raise UserError(Message("The index cannot be written ({reason}).", reason=error), path=part) from error
        finally:
            own_folders.remove(part, _INDEX)
    return folder


def _build(
    top: Path, connection: Connection, method: Method, parameters: Parameters, part: Path, key: str, progress: Progress
) -> None:
    """Write the index of all documents, sealed as ``key``, into ``part``. Raises OSError, Cancelled."""
    scope = scope_of(parameters)
    corpus = ProjectCorpus(connection, scope)
    begun = time.monotonic() - compiling.spent()
    last = last_key(connection)
    base = _base(top, connection, method, parameters, progress) if method.extends else None
    if base is None:
        method.prepare(corpus, parameters, part, progress)
        write(part, key, progress, Origin(last, time.monotonic() - compiling.spent() - begun))
        return
    folder, former = base
    added = ProjectCorpus(connection, scope, former.last)
    method.extend(folder, corpus, added, parameters, part, progress)
    write(part, key, progress, Origin(last, former.seconds))
    progress.warn(
        Counted(
            "The index was extended by {count} new document in {seconds} s; building it took {before} s.",
            "The index was extended by {count} new documents in {seconds} s; building it took {before} s.",
            added.count(*method.index_roles(corpus, parameters)),
            seconds=f"{time.monotonic() - compiling.spent() - begun:.1f}",
            before=f"{former.seconds:.1f}",
        )
    )


def _base(
    top: Path, connection: Connection, method: Method, parameters: Parameters, progress: Progress
) -> tuple[Path, Origin] | None:
    """The latest index of all documents that existed when it was built, if these are more than half of the present
    ones.
    """
    corpus = ProjectCorpus(connection, scope_of(parameters))
    roles = method.index_roles(corpus, parameters)
    former = {folder: origin(folder) for folder in _indexes(top, f"{method.name}-")}
    known = sorted(((was.last, folder, was) for folder, was in former.items() if was is not None), reverse=True)
    for last, folder, was in known:
        new = ProjectCorpus(connection, scope_of(parameters), last).count(*roles)
        if 2 * new >= corpus.count(*roles):
            return None
        name, key = _named(corpus, connection, method, parameters, last)
        if folder.name.startswith(name) and is_whole(folder, key, progress):
            return folder, was
    return None


def whole_index(project: Project, method: Method, parameters: Parameters, progress: Progress) -> Path | None:
    """Like :func:`index_folder`, for an existing index; None if it would have to be built."""
    with project.read() as connection:
        name, key = _named(ProjectCorpus(connection, scope_of(parameters)), connection, method, parameters)
    folders = _indexes(derived_folder(project.path), name)
    return next((folder for folder in folders if is_whole(folder, key, progress)), None)


@contextmanager
def passing_index(
    project: Path, method: Method, parameters: Parameters, corpus: Corpus, progress: Progress
) -> Iterator[Path]:
    """The folder of a temporary index of ``corpus``, deleted on exit. Raises UserError without space, Cancelled."""
    folder = derived_folder(project) / f"passing-{secrets.token_hex(8)}{_PART}"
    try:
        own_folders.make(folder, _INDEX)
        method.prepare(corpus, parameters, folder, progress)
        yield folder
    except OSError as error:
        raise UserError(Message("The index cannot be written ({reason}).", reason=error), path=folder) from error
    finally:
        own_folders.remove(folder, _INDEX)


def _named(
    corpus: ProjectCorpus, connection: Connection, method: Method, parameters: Parameters, last: int | None = None
) -> tuple[str, str]:
    """The prefix of an index's folder name, and the text it is sealed as; ``last`` limits the documents by key, if not
    None.
    """
    roles = method.index_roles(corpus, parameters)
    corpus_digest = corpus_hash(connection, roles, last=last, scope=scope_of(parameters))
    key = "\n".join((method.name, str(method.version), method.index_key(parameters), corpus_digest))
    return f"{method.name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}", key


def derived_folder(project: Path) -> Path:
    """``<project>-index`` beside the project or, if that path is not writable or is occupied by a link or by anything
    that this program did not create for this user, a folder in the cache.

    Raises UserError if neither can be created.
    """
    name = re.sub(r"\W", "_", project.stem) or "project"
    elsewhere = cache_dir() / "index" / f"{name}-{seal('cache', str(project.resolve()))[:12]}"
    refusal: str = Message("it cannot be written to")
    for folder in (_beside(project), elsewhere):
        try:
            if folder is elsewhere:
                folder.parent.mkdir(parents=True, exist_ok=True)
            own_folders.make(folder, _DERIVED)
            if os.access(folder, os.W_OK):
                return folder
        except OSError as error:
            refusal = reason(error)
    raise UserError(Message("The folder for the index cannot be created ({reason}).", reason=refusal), path=elsewhere)


def remove_derived(project: Path) -> None:
    """Delete the folder that :func:`derived_folder` created beside the project."""
    own_folders.remove(_beside(project), _DERIVED)


def _beside(project: Path) -> Path:
    return project.with_name(f"{project.name}-index")


def _indexes(top: Path, name: str = "") -> list[Path]:
    """Our own indexes whose names begin with ``name``, without the leftovers of crashed builders."""
    folders = sorted(folder for folder in top.glob(f"{name}*") if folder.suffix != _PART)
    return [folder for folder in folders if own_folders.is_own(folder, _INDEX)]


class _Alone:
    """Lets one process build at a time; waiting for another can be cancelled."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._lock = FileLock(path)
        self._watch = progress

    def __enter__(self) -> None:
        while True:
            try:
                self._lock.acquire(timeout=_PATIENCE)
                return
            except Timeout:
                self._watch.check()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


def _remove_leftovers(top: Path) -> None:
    """Delete the leftovers of crashed builders, and indexes that are neither among the most recent nor the last one of
    their method. These may include an index in use by another run: its files stay readable for processes that have them
    open, and it is rebuilt when needed.
    """
    for part in top.glob(f"*{_PART}"):
        own_folders.remove(part, _INDEX)
    methods: set[str] = set()
    for place, folder in enumerate(sorted(_indexes(top), key=used, reverse=True)):
        method = folder.name.rpartition("-")[0]
        if place >= _KEPT - 1 and method in methods:
            own_folders.remove(folder, _INDEX)
        methods.add(method)
