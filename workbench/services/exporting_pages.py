"""Export of documents in the standard format, one file each."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from workbench.base import own_folders
from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.jobs.context import Context
from workbench.project.documents import iter_documents
from workbench.project.listing import document_table
from workbench.reading.formats import standard
from workbench.services import listing
from workbench.services.session import Session
from workbench.services.writing import atomic_write

_UNFINISHED = "unfinished export"
_OWN = re.compile(rf"\.?[0-9]{{8,}}\.xml(\.[0-9a-f]{{16}}\.part)?|{re.escape(own_folders.MARK)}(\.[0-9a-f]{{16}})?")
"""Names of the files that an export writes, and of their parts."""


def export_standard(ctx: Context, project: Path, folder: Path, tags: str = "") -> int:
    """Write the documents of ``project`` (those with one of ``tags``) into ``folder``, named by their keys; each lists
    the pages that link to it. Returns their number.

    Raises UserError if no document has the tags, or the folder cannot be created or is not empty; Cancelled between two
    files, those already written remain. What an export that did not end has left in the folder is replaced.
    """
    with Session(project, write=False) as session:
        chosen = listing.keys_with(session, tags)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if own_folders.is_own(folder, _UNFINISHED) and all(_OWN.fullmatch(file.name) for file in folder.iterdir()):
            own_folders.remove(folder, _UNFINISHED)
        if folder.exists() and any(folder.iterdir()):
            raise UserError(Message("The folder is not empty."), path=folder, hint=Message("Choose a new folder."))
        own_folders.make(folder, _UNFINISHED)
    except OSError as error:
        raise UserError(Message("The folder cannot be created ({reason}).", reason=error), path=folder) from error
    with Session(project, write=False) as session, session.read() as connection:
        total = len(document_table(connection).key) if chosen is None else len(chosen.accepted)
        incoming: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for done, document in enumerate(iter_documents(connection, ())):
            ctx.advance(Message("Reading links"), done)
            for address in set(document.links):
                incoming[address].append((document.id, document.url))
        done = 0
        for document in iter_documents(connection, ()):
            if chosen is not None and document.key not in chosen.accepted:
                continue
            ctx.advance(Message("Writing pages"), done, total)
            with atomic_write(folder / f"{document.key:08}.xml", Message("The page")) as part:
                part.write_bytes(standard.written(document, incoming.get(document.url, ()) if document.url else ()))
            done += 1
        ctx.advance(Message("Writing pages"), done, total)
    (folder / own_folders.MARK).unlink()
    return done
