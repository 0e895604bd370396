"""Pages for documents without any: LibreOffice turns their files into PDFs, which are stored in the project."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message
from workbench.base.options import IDS, option
from workbench.base.types import Document, Role
from workbench.jobs.chunks import GIGABYTES, Crash, map_chunks
from workbench.project.documents import documents_of
from workbench.project.listing import keys_of, keys_of_role
from workbench.project.originals import PageFile, add_page_file, load_original, with_original, with_page_file
from workbench.project.word_boxes import add_words
from workbench.reading.formats import OFFICE, Failure
from workbench.services.session import Session
from workbench.services.tasks import Outcome, Task, failure_records

if TYPE_CHECKING:
    from workbench.jobs.context import Context
    from workbench.reading.made_pages import MadePages

SECONDS = 120.0
"""Time limit for one document, in seconds."""
MOST_BYTES = 200_000_000
"""Largest PDF that is stored, in bytes."""
_STAGE = Message("Making pages")
_RESTART = 81
"""LibreOffice's exit code after creating its settings: it must be started again."""
_ELSEWHERE = {
    "darwin": "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    "win32": r"C:\Program Files\LibreOffice\program\soffice.com",
}
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop>
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop>
<prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
"""No macros, no fetching, no updates of links."""


def office() -> str:
    """The path of LibreOffice. Raises UserError, which says what to install, if there is none."""
    from workbench.jobs.children import find

    program = find("soffice") or _ELSEWHERE.get(sys.platform, "")
    if not program or not Path(program).exists():
        raise UserError(
            Message("Making pages needs the program LibreOffice."),
            hint=Message(
                "Install it from libreoffice.org; on Debian: apt install libreoffice-writer libreoffice-impress"
            ),
        )
    # The wrapper script starts processes that outlive it.
    real = Path(program).resolve().with_name("soffice.bin")
    return str(real if real.exists() else program)


def converted(data: bytes, suffix: str, folder: Path, check: Callable[[], None]) -> bytes:
    """The PDF that LibreOffice makes from the file ``data``; ``folder`` is for its settings.

    Raises UserError if it produces none, and anything that ``check`` raises.
    """
    from workbench.jobs.children import run_confined

    settings = folder / "profile" / "user" / "registrymodifications.xcu"
    if not settings.exists():
        settings.parent.mkdir(parents=True)
        settings.write_text(_SETTINGS, "utf-8")
    file, result = folder / f"document.{suffix}", folder / "document.pdf"
    file.write_bytes(data)
    result.unlink(missing_ok=True)
    arguments = [
        "--headless",
        "--norestore",
        "--nologo",
        "--nolockcheck",
        f"-env:UserInstallation={(folder / 'profile').as_uri()}",
        "--convert-to",
        "pdf",
        "--outdir",
        str(folder),
        str(file),
    ]
    run = partial(
        run_confined, office(), arguments, folder, seconds=SECONDS, memory=GIGABYTES * 1_000_000_000, check=check
    )
    try:
        if run() == _RESTART:
            run()
        size = result.stat().st_size
    except TimeoutError as error:
        raise UserError(Message("LibreOffice took more than {limit} seconds.", limit=f"{SECONDS:g}")) from error
    except OSError as error:
        raise UserError(Message("LibreOffice could not read this file.")) from error
    if size > MOST_BYTES:
        raise UserError(Message("The pages made from it are too large to keep."))
    return result.read_bytes()


@dataclass(frozen=True)
class MakePages(Task):
    """Make pages for ``documents`` (ids), or for all with stored files and without pages."""

    title: ClassVar[str] = "Make pages"
    about: ClassVar[str] = (
        "LibreOffice turns Word, OpenDocument, RTF and PowerPoint files into pages, which are kept in the project and "
        "shown in Review and in reports like those of a PDF. It runs in isolation: without the network and your other "
        "files where the system supports that, without macros, and with limits on time and memory."
    )
    cancelled: ClassVar[str] = "Making pages was cancelled; pages made before are kept."

    documents: tuple[str, ...] = option((), "Only this document", kind=IDS, flag="--document")

    @classmethod
    def require(cls) -> None:
        """Raise UserError if LibreOffice is missing."""
        office()

    def run(self, ctx: Context, project: Path) -> Outcome:
        """Make the pages, and count words that are missing from them."""
        office()
        ready: list[MadePages] = []
        failed: list[Failure] = []
        with Session(project) as session, tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
            keys = self._keys(session)
            for done, key in enumerate(keys):
                ctx.advance(_STAGE, done, len(keys))
                outcome = _make(ctx, session, key, Path(folder))
                if isinstance(outcome, Failure):
                    failed.append(outcome)
                elif outcome is not None:
                    ready.append(outcome)
            ctx.advance(_STAGE, len(keys), len(keys))
        if ready:
            ctx.changed("documents")
        return _outcome(ready, failed)

    def _keys(self, session: Session) -> list[int]:
        """The documents to make pages for. Raises UserError for an unknown one."""
        with session.read() as connection:
            known = keys_of(connection, self.documents) if self.documents else {}
            for name in self.documents:
                if name not in known:
                    raise UserError(Message("There is no document {id} in this project.", id=name))
            every = [key for role in Role for key in keys_of_role(connection, role)]
            kept = with_original(connection, list(known.values()) if self.documents else every)
            return sorted(kept - with_page_file(connection))


def _make(ctx: Context, session: Session, key: int, folder: Path) -> MadePages | Failure | None:
    """The pages of a document, which are stored; None if it has pages of its own."""
    with session.read() as connection:
        [document] = documents_of(connection, [key], tuple(Role))
        data = load_original(connection, key)
    if not can_have_pages(document):
        return None
    try:
        pdf = converted(data, document.extraction.format, folder, ctx.check)
    except UserError as error:
        return Failure.of(document.id, error)
    with closing(map_chunks(ctx, _placed, [(pdf, document)], workers=1, untrusted=True)) as answers:
        [(_, placed)] = answers
    if isinstance(placed, Crash):
        return Failure(document.id, Message("Its pages could not be read. {message}", message=placed.message))
    with session.write() as connection:
        add_page_file(connection, key, PageFile(pdf, placed.pages))
        add_words(connection, {key: placed.boxes})
    return placed


def _placed(work: tuple[bytes, Document]) -> MadePages:
    from workbench.reading.made_pages import made_pages

    return made_pages(*work)


def can_have_pages(document: Document) -> bool:
    """Whether pages can be made from a document's stored file."""
    return not document.extraction.pages and document.extraction.format in {kind.name for kind in OFFICE}


def _outcome(ready: list[MadePages], failed: list[Failure]) -> Outcome:
    pages, words = sum(m.pages for m in ready), sum(m.words for m in ready)
    nowhere = sum(m.nowhere for m in ready)
    sentences: list[Message] = [
        Counted("{count} document has pages now.", "{count} documents have pages now.", len(ready))
    ]
    if nowhere:
        sentences.append(
            Message(
                "{count} of {words} words are not marked on them: the pages show them differently, or not at all.",
                count=f"{nowhere:,}",
                words=f"{words:,}",
            )
        )
    record = {
        "documents": len(ready),
        "pages": pages,
        "words": words,
        "words_nowhere": nowhere,
        "failed": failure_records(failed),
    }
    return Outcome(sentences, record, failed, succeeded=bool(ready or not failed))
