"""An open project, as the window and the command line use it."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from contextlib import AbstractContextManager
from copy import copy
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from workbench.base.errors import ProjectOlder, ProjectReadOnly, UserError
from workbench.base.types import KINDS
from workbench.project import database
from workbench.project.changes import any_running, fingerprints, stamp
from workbench.project.database import Connection
from workbench.project.documents import texts_of

if TYPE_CHECKING:
    from workbench.services.review.judgement import Reviewer
    from workbench.services.review.verdict_index import VerdictIndex


class ProjectVersions:
    """The last known state of one project; use it in one thread."""

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
        """The kinds that have changed since :meth:`refresh`; cheap while nothing is written and no run is active."""
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


def open_session(path: Path) -> Session:
    """The project at ``path``, opened for reading only if nobody may write it here. Raises ProjectError."""
    try:
        return Session(path)
    except ProjectReadOnly as refused:
        try:
            return Session(path, write=False)
        except ProjectOlder:
            raise refused from None


_MOMENT = 0.02
"""Seconds of waiting that users do not notice."""


class Session:
    """A project opened for reading or writing; use from any thread. Raises ProjectError when it cannot be opened.

    Verdicts are read through ``viewer``: everybody's by default.
    """

    def __init__(self, path: Path, write: bool = True, viewer: Reviewer | None = None) -> None:
        self.path = Path(path)
        self.project = database.open_project(self.path, write=write)
        self._patience: float | None = None
        self._viewer = viewer

    @cached_property
    def _every(self) -> VerdictIndex:
        return self._no_verdicts()

    def _no_verdicts(self) -> VerdictIndex:
        from workbench.services.review.verdict_index import VerdictIndex

        return VerdictIndex(read=self.text_of)

    @property
    def verdicts(self) -> VerdictIndex:
        """The verdicts that the viewer may see, as of the last :meth:`VerdictIndex.follow`."""
        if self._viewer is None or not self._viewer.blind:
            return self._every
        from workbench.services.review.seen import SeenVerdicts

        return SeenVerdicts(self._every, self._viewer)

    def sees_labels(self, who: Collection[str]) -> bool:
        """Whether the viewer may see labels of ``who`` on documents: in a blind review, only where the viewer has
        labels too.
        """
        return self._viewer is None or not self._viewer.blind or self._viewer.name in who

    def seen_by(self, viewer: Reviewer) -> Session:
        """The same project, whose verdicts are read through ``viewer``."""
        return self._copy(_viewer=viewer)

    def apart(self) -> Session:
        """The same project with a separate verdict cache, for a connection that sees uncommitted changes."""
        return self._copy(_every=self._no_verdicts())

    def _copy(self, **changed: object) -> Session:
        other = copy(self)
        other.__dict__ |= {"_every": self._every, **changed}
        return other

    def left_out(self) -> dict[str, int]:
        """The number of damaged rows left out so far, by reason."""
        return self.project.damage.counts()

    def text_of(self, key: int) -> str:
        """The text of the document with this key; "" for none."""
        with self.read() as connection:
            return next((text for _, text in texts_of(connection, [key])), "")

    def read(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the project."""
        return self.project.read()

    def write(self) -> AbstractContextManager[Connection]:
        """A connection for changes, committed at the end or rolled back entirely."""
        return self.project.write(patience=self._patience)

    def at_once(self) -> Session:
        """The same project for a change that must not wait: :meth:`write` raises ProjectBusy almost at once."""
        return self._copy(_patience=_MOMENT)

    def close(self) -> None:
        """Close the project."""
        self.project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def create(path: Path) -> None:
    """Create an empty project. Raises ProjectError if something is already there."""
    database.create(Path(path)).close()
