"""What an open project's content looks like from outside, so that a change by any process is noticed."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from workbench.base.errors import UserError
from workbench.base.types import KINDS
from workbench.project.changes import any_running, fingerprints, stamp
from workbench.services.session import Session


class ProjectVersions:
    """The last known state of one project; to be used in one thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._stamp: Hashable = None
        self._known: dict[str, Hashable] | None = None

    def refresh(self, kinds: Collection[str] | None = None) -> None:
        """Record the current content of ``kinds`` (None: of all) as known."""
        versions = self._read(KINDS if kinds is None or self._known is None else kinds)
        if versions is not None:
            self._known = versions if self._known is None else self._known | versions

    def changed(self) -> frozenset[str]:
        """The kinds that have changed since they became known; cheap while nothing is written and no run is active."""
        now = stamp(self._session.path)
        if now == self._stamp and self._known is not None and not any_running(self._known):
            return frozenset()
        versions = self._read(KINDS)
        if versions is None:
            return frozenset()
        before, self._known, self._stamp = self._known, versions, now
        return frozenset() if before is None else frozenset(k for k in versions if versions[k] != before[k])

    def _read(self, kinds: Collection[str]) -> dict[str, Hashable] | None:
        try:
            with self._session.read() as connection:
                return fingerprints(connection, kinds)
        except (UserError, OSError):
            # A project that cannot be read now is checked again later; whoever needs it reports why.
            return None
