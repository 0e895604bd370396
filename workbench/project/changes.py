"""Fingerprints that show which kinds of a project's content have changed since they were last taken."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable
from pathlib import Path

from sqlalchemy import Connection, func, select

from workbench.base.types import KINDS, RunState
from workbench.project.models import (
    AssignmentRow,
    CheckRow,
    DocumentRow,
    FailureRow,
    LabelRow,
    LabelSetRow,
    OverrideRow,
    RunRow,
    SheetRow,
    ThresholdRow,
    WatchRow,
)
from workbench.project.runs import runs

_LAST_EVENTS = (select(func.max(row.id)).scalar_subquery() for row in (LabelRow, LabelSetRow))
# Assignments have no number: those of a target that changes hands differ in the length of a name, or in count.
# Taken after every verdict: built once, it costs only the database's own time.
_LABELS = select(
    *_LAST_EVENTS,
    func.count(AssignmentRow.target),
    func.total(func.unicode(AssignmentRow.annotator) * func.length(AssignmentRow.annotator)),
)


def stamp(path: Path) -> Hashable:
    """A stamp of the project's files at ``path``; a commit by any process changes it."""
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
    """Whether a process is working on a run: its death would not write anything."""
    every = versions["runs"]
    return isinstance(every, tuple) and any(run[1] is RunState.RUNNING for run in every)


def _documents(connection: Connection) -> Hashable:
    d = DocumentRow
    digest = [func.unicode(func.substr(d.content_digest, at, 1)) for at in (1, 2, 3, 4)]
    figures = (
        func.unicode(func.substr(d.role, 2, 1)) + 256 * func.length(d.deleted),
        digest[0] + 256 * digest[1],
        digest[2] + 256 * digest[3],
        d.blocks_kept,
    )
    # A sum weighted by key changes with any row; a few letters of role and digest are enough to distinguish them.
    weighed = [func.total(d.key * figure) for figure in figures]
    row = connection.execute(select(func.count(), func.max(d.key), *weighed)).one()
    failures = connection.execute(
        select(func.max(FailureRow.id), func.total(FailureRow.id * func.length(FailureRow.resolved)))
    ).one()
    return (*row, *failures, connection.execute(select(func.max(OverrideRow.id))).scalar())


def _watches(connection: Connection) -> Hashable:
    w, c = WatchRow, CheckRow
    watches = connection.execute(select(w.id, w.name, w.settings, w.basis, w.deleted)).all()
    checks = connection.execute(
        select(func.count(), func.max(c.id), func.total(func.length(c.finished)), func.total(c.reported + c.known))
    ).one()
    return (*map(tuple, watches), tuple(checks))


def _runs(connection: Connection) -> Hashable:
    return tuple((r.id, r.state, r.finished, r.documents, r.message, r.varied_from) for r in runs(connection))


def _matches(connection: Connection) -> Hashable:
    r = RunRow
    return tuple(map(tuple, connection.execute(select(r.id, r.matches, r.pairs, r.scores).order_by(r.id))))


def _labels(connection: Connection) -> Hashable:
    return tuple(connection.execute(_LABELS).one())


def _measures(connection: Connection) -> Hashable:
    s = SheetRow
    sheets = connection.execute(select(func.max(s.id), func.total(s.id * func.length(s.deleted)))).one()
    return (connection.execute(select(func.max(ThresholdRow.id))).scalar(), *sheets)


_LOOKS = {
    "documents": _documents,
    "runs": _runs,
    "matches": _matches,
    "labels": _labels,
    "watches": _watches,
    "measures": _measures,
}
