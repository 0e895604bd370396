"""A watch on pages of a local server, and one check of it."""

from __future__ import annotations

from pathlib import Path

from workbench.base.types import Document
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.checking import Checked, check
from workbench.services.watching.settings import WatchSettings


def add(path: Path, *documents: Document) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)


def watch(path: Path, **settings: object) -> None:
    with Session(path) as session:
        store.add(session, "mine", WatchSettings(rate=0, **settings))  # type: ignore[arg-type]


def checked(path: Path, ctx: Context) -> Checked:
    with Session(path) as session:
        mine = store.find(session, "mine")
    return check(ctx, path, mine, allow_private=True, workers=0)
