"""The pages of a document as pictures, drawn in a separate process: its file may come from a stranger."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, WordBox
from workbench.jobs.alarm import Alarm
from workbench.jobs.children import spawning, start_function
from workbench.jobs.chunks import limit_memory
from workbench.jobs.flags import die_with_parent
from workbench.jobs.signals import ignore_interrupts
from workbench.project.originals import load_original, load_page_file
from workbench.project.word_boxes import load_words
from workbench.reading.made_pages import pages_from
from workbench.reading.printed_pages import (
    Ground,
    PagePlaces,
    Pages,
    Picture,
    Size,
    TextColumn,
    pages_of,
    use_bundled_fonts,
)
from workbench.services.session import Session

LIMIT = 20.0
"""Time limit for one page, in seconds."""


def page_pictures(session: Session, document: Document) -> PagePictures | None:
    """The pages of a document of the project, or those made for it; None if its file was not stored, or has none."""
    own = document.extraction.pages
    with session.read() as connection:
        drawn = None if own else load_page_file(connection, document.key)
        if not own and drawn is None:
            return None
        original = load_original(connection, document.key) if drawn is None else drawn.data
        count = len(own) if drawn is None else drawn.pages
        words = load_words(connection, document.key, count, len(document.text))
    if drawn is not None:
        pages = pages_from(words, drawn.pages)
        document = replace(document, extraction=replace(document.extraction, pages=pages))
    return PagePictures(original, document, words) if original else None


class PagePictures:
    """Draws pages of the file ``original``, from which ``document`` was read, with recognised ``words``; thread-safe,
    one page at a time.

    Its process starts with the first page, and restarts after a page that ended it. Every method raises UserError.
    """

    def __init__(self, original: bytes, document: Document, words: Sequence[WordBox] = ()) -> None:
        self.document = document
        """With its pages, own or made."""
        self._work = original, document, words
        self._guard = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._closed = False

    def sizes(self) -> list[Size]:
        """See :meth:`Pages.sizes`."""
        sizes: list[Size] = self._ask("sizes")
        return sizes

    def column(self) -> TextColumn:
        """See :meth:`Pages.column`."""
        column: TextColumn = self._ask("column")
        return column

    def places(self, page: int) -> PagePlaces:
        """See :meth:`Pages.places`."""
        places: PagePlaces = self._ask("places", page)
        return places

    def picture(self, page: int, scale: float) -> Picture:
        """See :meth:`Pages.picture`."""
        picture: Picture = self._ask("picture", page, scale)
        return picture

    def marked(
        self,
        page: int,
        scale: float,
        spans: Sequence[tuple[int, int]],
        grounds: Sequence[Ground] = (),
        numbers: Sequence[int] = (),
    ) -> bytes:
        """See :meth:`Pages.marked`."""
        png: bytes = self._ask("marked", page, scale, spans, grounds, numbers)
        return png

    def stop(self) -> None:
        """Kill the process at once; no method may be called afterwards."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """:meth:`stop`, and wait until the process has ended."""
        self.stop()
        with self._guard:
            self._end()

    def _ask(self, *request: object) -> Any:
        with self._guard:
            try:
                pipe = self._started()
                pipe.send(request)
                answer = pipe.recv()
            except (EOFError, OSError) as error:
                self._end()
                raise UserError(Message("This page could not be drawn; the file may be damaged.")) from error
        if isinstance(answer, UserError):
            raise answer
        return answer

    def _started(self) -> Connection:
        if self._closed:
            raise EOFError
        if self._pipe is None:
            self._pipe, far = spawning().Pipe()
            self._process = start_function(_main, (far,), daemon=True, own_interpreter=True)
            far.close()
            self._pipe.recv()
            self._pipe.send(self._work)
        return self._pipe

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _main(pipe: Connection) -> None:
    ignore_interrupts()
    die_with_parent()
    pipe.send("ready")
    try:
        original, document, words = pipe.recv()
    except EOFError:
        return
    limit_memory()
    use_bundled_fonts()
    pages: Pages | None = None
    while True:
        try:
            name, *arguments = pipe.recv()
        except EOFError:
            return
        try:
            with Alarm(LIMIT):
                pages = pages or pages_of(original, document, words)
                method: Callable[..., object] = getattr(pages, name)
                answer = method(*arguments)
        except UserError as error:
            answer = error
        pipe.send(answer)
