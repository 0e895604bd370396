"""The documents that a run was applied to, with their roles at that time: those imported, restored or given another
role since were not examined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, delete, insert, select

from workbench.base.errors import ProjectError
from workbench.base.messages import Message
from workbench.base.types import Ints, Role, Run
from workbench.project.damaged_rows import damage_of
from workbench.project.imports import imported_since
from workbench.project.packing import Packed, damaged, pack, unpack
from workbench.project.tables import document_rows, run_document_rows
from workbench.project.tags import EVERYTHING, Scope

_ROLES = (Role.SOURCE, Role.SUSPECT, Role.BACKGROUND)
_CODE = {role.value: code for code, role in enumerate(_ROLES)}
_SHIFT = 2


@dataclass(frozen=True, slots=True)
class RunDocuments:
    """Documents by key and role: ``codes`` are 4 * key + number of the role, ascending. ``roles`` are all those that
    the run reads, whether there are documents or not.
    """

    roles: frozenset[Role]
    codes: Ints

    def keys(self, *roles: Role) -> Ints:
        """Keys of those in ``roles``, ascending."""
        chosen = [_CODE[role.value] for role in roles]
        return np.unique(self.codes[np.isin(self.codes & 3, chosen)] >> _SHIFT)

    def by_key(self) -> dict[int, Role]:
        """The role of each document, by key."""
        return {code >> _SHIFT: _ROLES[code & 3] for code in self.codes.tolist()}

    def only(self, keys: Collection[int], roles: Iterable[Role]) -> RunDocuments:
        """Without the documents in ``roles`` that are not among ``keys``."""
        limited = np.isin(self.codes & 3, [_CODE[role.value] for role in roles])
        there = np.isin(self.codes >> _SHIFT, np.array(sorted(keys), np.int64))
        return RunDocuments(self.roles, self.codes[~limited | there])

    def joined(self, other: RunDocuments) -> RunDocuments:
        """With the documents of ``other``."""
        return RunDocuments(self.roles | other.roles, np.union1d(self.codes, other.codes))


def present_documents(connection: Connection, roles: Iterable[Role], scope: Scope = EVERYTHING) -> RunDocuments:
    """The documents of ``scope`` in ``roles`` that a run would be applied to."""
    read = frozenset(roles)
    query = select(document_rows.c.key, document_rows.c.role).where(
        document_rows.c.deleted == "", document_rows.c.role.in_(sorted(role.value for role in read))
    )
    rows = connection.execute(query.where(scope.condition()) if scope else query)
    codes = np.array([key << _SHIFT | _CODE[role] for key, role in rows], np.int64)
    return RunDocuments(read, np.sort(codes))


def store_run_documents(connection: Connection, run_id: int, documents: RunDocuments) -> None:
    """Record the documents of a run instead of those recorded before."""
    drop_run_documents(connection, run_id)
    packed = pack(np.diff(documents.codes, prepend=0).astype("<i8").tobytes())
    roles = ",".join(sorted(role.value for role in documents.roles))
    row = {"run_id": run_id, "roles": roles, "size": packed.size, "packed": packed.data}
    connection.execute(insert(run_document_rows), row)


def drop_run_documents(connection: Connection, run_id: int) -> None:
    """Delete the record of the documents of a run."""
    connection.execute(delete(run_document_rows).where(run_document_rows.c.run_id == run_id))


def run_documents(connection: Connection, run: Run, scope: Scope) -> RunDocuments:
    """The documents of ``run``. If they are not recorded, as for runs of earlier versions: those of ``scope`` whose
    import began before the run, with their current roles.
    """
    if (recorded := recorded_documents(connection, run.id)) is not None:
        return recorded
    present = present_documents(connection, _ROLES, scope)
    later = np.array(sorted(imported_since(connection, run.created)), np.int64)
    return RunDocuments(present.roles, present.codes[~np.isin(present.codes >> _SHIFT, later)])


def recorded_documents(connection: Connection, run_id: int) -> RunDocuments | None:
    """The documents recorded for a run; None if there are none, or they are damaged."""
    columns = run_document_rows.c
    row = connection.execute(
        select(columns.roles, columns.size, columns.packed).where(columns.run_id == run_id)
    ).one_or_none()
    if row is None:
        return None
    try:
        return _unpacked(row.roles, Packed(row.size, row.packed))
    except ProjectError:
        damage_of(connection).note(Message("documents of runs that cannot be read"), [run_id])
        return None


def _unpacked(roles: object, packed: Packed) -> RunDocuments:
    what = "the documents of a run"
    content = unpack(packed, what)
    names = str(roles).split(",")
    if len(content) % 8 or not set(names) <= _CODE.keys():
        raise damaged(Message("{what} has the wrong shape", what=what))
    codes = np.cumsum(np.frombuffer(content, "<i8"), dtype=np.int64)
    if np.any(codes <= 0) or np.any(np.diff(codes) <= 0) or np.any(codes & 3 >= len(_ROLES)):
        raise damaged(Message("{what} has the wrong shape", what=what))
    return RunDocuments(frozenset(map(Role, names)), codes)


def documents_since(connection: Connection, run: Run, scope: Scope) -> int:
    """Number of documents of ``scope`` that ``run`` would be applied to but was not; 0 for a run about only some."""
    if run.part:
        return 0
    before = run_documents(connection, run, scope)
    return len(np.setdiff1d(present_documents(connection, before.roles, scope).codes, before.codes))
