"""What an open project's content looks like from outside, so that a change by any process is noticed."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from workbench.project import changes
from workbench.project.changes import KINDS, any_running, stamp
from workbench.services.session import Session

__all__ = ["KINDS", "any_running", "fingerprints", "stamp"]


def fingerprints(session: Session, kinds: Collection[str] = KINDS) -> dict[str, Hashable]:
    """:func:`workbench.project.changes.fingerprints` of the open project."""
    with session.read() as connection:
        return changes.fingerprints(connection, kinds)
