"""Indexes of methods: derived data beside the project, built once for a corpus and deletable at any time."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

from filelock import FileLock, Timeout

from workbench.base.errors import UserError
from workbench.base.progress import Watcher
from workbench.base.resources import cache_dir
from workbench.methods.api import Method, Parameters, held_roles
from workbench.project.database import Project
from workbench.project.documents import corpus_hash
from workbench.services.corpus import ProjectCorpus

_KEPT = 4
"""Indexes kept per project; the one used longest ago goes first."""
_DONE = "complete"
_PATIENCE = 0.2


def index_folder(project: Project, method: Method, parameters: Parameters, watch: Watcher) -> Path:
    """The folder of a complete index for the project's documents, built now where there is none.

    It stays while documents come or go that ``method`` does not hold in it. Built in a folder of its own and renamed
    when complete, so that a crash leaves nothing that could be taken for an index. Raises
    UserError when there is no room, Cancelled.
    """
    top = derived_folder(project.path)
    # The name and the index must come from one state of the project, whatever is imported meanwhile.
    with _Alone(top / "lock", watch), project.read() as connection:
        corpus = ProjectCorpus(connection)
        held = corpus_hash(connection, held_roles(method, corpus, parameters))
        key = "\n".join((method.name, str(method.version), method.index_key(parameters), held))
        folder = top / f"{method.name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}"
        if _is_whole(folder, method, parameters):
            (folder / _DONE).touch()
            return folder
        _tidy(top)
        part = top / f"{folder.name}.part"
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        try:
            part.mkdir(parents=True)
            method.prepare(corpus, parameters, part, watch)
            (part / _DONE).touch()
            part.rename(folder)
        except OSError as error:
            raise UserError(f"The index cannot be written ({error.strerror}).", path=part) from error
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return folder


def derived_folder(project: Path) -> Path:
    """``<project>-index`` beside the project, or a folder of the cache where one cannot write there.

    Raises UserError where neither can be made.
    """
    beside = project.with_name(f"{project.name}-index")
    try:
        beside.mkdir(exist_ok=True)
        if os.access(beside, os.W_OK):
            return beside
    except OSError:
        pass
    name = re.sub(r"\W", "_", project.stem) or "project"
    elsewhere = cache_dir() / "index" / f"{name}-{hashlib.sha256(str(project.resolve()).encode()).hexdigest()[:12]}"
    try:
        elsewhere.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"No folder for the index can be made ({error.strerror}).", path=elsewhere) from error
    return elsewhere


def _is_whole(folder: Path, method: Method, parameters: Parameters) -> bool:
    """Whether a complete index lies there that can be opened; a damaged one is derived data, so it is built again."""
    if not (folder / _DONE).is_file():
        return False
    try:
        method.load(folder, parameters)
    except UserError:
        return False
    return True


class _Alone:
    """One builder at a time; waiting for another process can be cancelled."""

    def __init__(self, path: Path, watch: Watcher) -> None:
        self._lock = FileLock(path)
        self._watch = watch

    def __enter__(self) -> None:
        while True:
            try:
                self._lock.acquire(timeout=_PATIENCE)
                return
            except Timeout:
                self._watch.check()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


def _tidy(top: Path) -> None:
    """Remove what crashed builders left, and all but the latest indexes. One in use by another run may go too: its
    files stay readable to who has them open, and it is built again when needed."""
    for part in top.glob("*.part"):
        shutil.rmtree(part, ignore_errors=True)
    complete = sorted(top.glob(f"*/{_DONE}"), key=lambda p: p.stat().st_mtime, reverse=True)
    for mark in complete[_KEPT - 1 :]:
        shutil.rmtree(mark.parent, ignore_errors=True)
