"""Fingerprints by which to detect which kinds of a project's content have changed."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable
from pathlib import Path

from sqlalchemy import Connection, func, select

from workbench.base.types import KINDS, RunState
from workbench.project.amendments import last_amendment
from workbench.project.runs import runs
from workbench.project.tables import (
    assignment_rows,
    check_rows,
    document_rows,
    failure_rows,
    label_rows,
    label_set_rows,
    override_rows,
    run_rows,
    sheet_rows,
    threshold_rows,
    watch_rows,
)

_LAST_EVENTS = (select(func.max(table.c.id)).scalar_subquery() for table in (label_rows, label_set_rows))
# Executed several times a second during writes: built once, they cost only the database's time.
_DIGEST = [func.unicode(func.substr(document_rows.c.content_digest, at, 1)) for at in (1, 2, 3, 4)]
# A sum weighted by key changes with any row; a few letters of role and digest suffice.
_DOCUMENTS = select(
    func.count(),
    func.max(document_rows.c.key),
    func.total(
        document_rows.c.key
        * (func.length(document_rows.c.tags) + 64 * func.unicode(func.substr(document_rows.c.tags, 2)))
    ),
    *(
        func.total(document_rows.c.key * figure)
        for figure in (
            func.unicode(func.substr(document_rows.c.role, 2, 1)) + 256 * func.length(document_rows.c.deleted),
            _DIGEST[0] + 256 * _DIGEST[1],
            _DIGEST[2] + 256 * _DIGEST[3],
            document_rows.c.blocks_kept,
        )
    ),
)
_FAILURES = select(func.max(failure_rows.c.id), func.total(failure_rows.c.id * func.length(failure_rows.c.resolved)))
_OVERRIDES = select(func.max(override_rows.c.id))
_MATCHES = select(
    run_rows.c.id, run_rows.c.matches, run_rows.c.pairs, run_rows.c.scores, run_rows.c.finished, run_rows.c.removed
).order_by(run_rows.c.id)
# Assignments have no number: reassignments change the length of a name, or the count.
_LABELS = select(
    *_LAST_EVENTS,
    func.count(assignment_rows.c.target),
    func.total(func.unicode(assignment_rows.c.annotator) * func.length(assignment_rows.c.annotator)),
)
_WATCHES = select(watch_rows.c.id, watch_rows.c.name, watch_rows.c.settings, watch_rows.c.basis, watch_rows.c.deleted)
_CHECKS = select(
    func.count(),
    func.max(check_rows.c.id),
    func.total(func.length(check_rows.c.finished)),
    func.total(check_rows.c.reported + check_rows.c.known),
)
_SHEETS = select(func.max(sheet_rows.c.id), func.total(sheet_rows.c.id * func.length(sheet_rows.c.deleted)))
_THRESHOLDS = select(func.max(threshold_rows.c.id))


def stamp(path: Path) -> Hashable:
    """A value that changes when any process commits to the project at ``path``."""
    stamps: list[tuple[int, int, int] | None] = []
    for name in (os.fspath(path), f"{os.fspath(path)}-wal"):
        try:
            status = os.stat(name)
        except OSError:
            stamps.append(None)
        else:
            stamps.append((status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(stamps)


def fingerprints(connection: Connection, kinds: Collection[str] = KINDS) -> dict[str, Hashable]:
    """One value for each of ``kinds`` of content, equal as long as nothing of that kind has changed.

    A run whose process has died counts as changed, although nothing was written.
    """
    return {kind: _LOOKS[kind](connection) for kind in KINDS if kind in kinds}


def any_running(versions: dict[str, Hashable]) -> bool:
    """Whether a process is working on a run; if it died, nothing would be written."""
    every = versions["runs"]
    return isinstance(every, tuple) and any(part is RunState.RUNNING for run in every for part in run)


def _documents(connection: Connection) -> Hashable:
    overrides = connection.execute(_OVERRIDES).scalar()
    return (*connection.execute(_DOCUMENTS).one(), *connection.execute(_FAILURES).one(), overrides)


def _watches(connection: Connection) -> Hashable:
    return (*map(tuple, connection.execute(_WATCHES).all()), tuple(connection.execute(_CHECKS).one()))


def _runs(connection: Connection) -> Hashable:
    # An amendment changes how earlier events are read: everything is reread, as after a run.
    every = ((r.id, r.state, r.finished, r.documents, r.message, r.varied_from) for r in runs(connection))
    return (last_amendment(connection),), *every


def _matches(connection: Connection) -> Hashable:
    return tuple(map(tuple, connection.execute(_MATCHES).all()))


def _labels(connection: Connection) -> Hashable:
    return tuple(connection.execute(_LABELS).one())


def _measures(connection: Connection) -> Hashable:
    return (connection.execute(_THRESHOLDS).scalar(), *connection.execute(_SHEETS).one())


_LOOKS = {
    "documents": _documents,
    "runs": _runs,
    "matches": _matches,
    "labels": _labels,
    "watches": _watches,
    "measures": _measures,
}
