"""Saved searches by name: adding, changing, removing."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.project import watches
from workbench.project.captures import keys_of
from workbench.project.clock import moment
from workbench.project.database import Connection
from workbench.project.documents import no_document
from workbench.project.watches import Watch
from workbench.services.session import Session
from workbench.services.watching.settings import WatchSettings

_LONGEST = 80


def all_watches(session: Session) -> list[Watch]:
    """The saved searches, by name."""
    with session.read() as connection:
        return watches.watches(connection)


def checks(session: Session, watch: Watch) -> list[watches.Check]:
    """The checks of a watch, newest first."""
    with session.read() as connection:
        return watches.checks(connection, watch.id)


def find(session: Session, name: str) -> Watch:
    """The watch called ``name``. Raises UserError listing the existing ones."""
    known = all_watches(session)
    for watch in known:
        if watch.name == name:
            return watch
    there = ", ".join(watch.name for watch in known)
    raise UserError(
        Message("There is no watch called {name}.", name=name),
        hint=Message("Available: {names}.", names=there) if there else "",
        command="" if there else "Add one: palimpsest watch P add",
    )


def checked_name(name: str, taken: Collection[str] = ()) -> str:
    """``name`` as it is stored. Raises UserError for one that is empty, too long or ``taken``."""
    plain = " ".join(name.split())
    if not plain or len(plain) > _LONGEST or not plain.isprintable():
        raise UserError(Message("A watch needs a name of 1 to {limit} characters.", limit=_LONGEST))
    if plain in taken:
        raise UserError(Message("There is already a watch called {name}.", name=plain))
    return plain


def add(session: Session, name: str, settings: WatchSettings) -> Watch:
    """Save a search. Raises UserError for a name that is empty, too long or taken, or unusable settings."""
    settings.check()
    plain = checked_name(name)
    with session.write() as connection:
        _check_sources(connection, settings)
        return watches.add_watch(connection, plain, settings.as_dict())


def change(session: Session, watch: Watch, settings: WatchSettings) -> None:
    """Change the settings of ``watch``; its pages are compared again. Raises UserError for unusable settings."""
    settings.check()
    with session.write() as connection:
        _check_sources(connection, settings)
        watches.set_settings(connection, watch.id, settings.as_dict())


def _check_sources(connection: Connection, settings: WatchSettings) -> None:
    """Raise ProjectError for a source that is not in the project: nothing would ever count."""
    for name in missing_sources(connection, settings):
        raise no_document(connection, name)


def missing_sources(connection: Connection, settings: WatchSettings) -> list[str]:
    """The counted sources (ids) that are not in the project."""
    there = keys_of(connection, settings.sources)
    return [name for name in settings.sources if name not in there]


def due(session: Session, watch: Watch) -> datetime:
    """When ``watch`` is due: one interval after the start of the last check; at once if never checked."""
    settings = WatchSettings.from_dict(watch.settings)
    with session.read() as connection:
        past_checks = watches.checks(connection, watch.id)
    present = datetime.now(UTC)
    if not past_checks:
        return present
    begun = moment(past_checks[0].started)
    return min(begun, present) + timedelta(hours=settings.every) if begun else present


def remove(session: Session, watch: Watch) -> None:
    """Remove a watch; its results are kept, and :func:`restore` brings it back."""
    with session.write() as connection:
        watches.set_deleted(connection, watch.id, True)


def restore(session: Session, watch: Watch) -> None:
    """Undo a removal. Raises UserError if another watch has its name now."""
    with session.write() as connection:
        watches.set_deleted(connection, watch.id, False)
