"""Pictures of the pages that a report cites, with its passages marked on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from workbench.base.errors import UserError
from workbench.base.types import Document, Span
from workbench.services.pages.pictures import PagePictures, page_pictures
from workbench.services.session import Session

MOST_PAGES = 300
"""Maximum number of pictures in a report."""
MOST_BYTES = 60_000_000
"""Maximum total size of the pictures, in bytes."""
MOST_OF_PASSAGE = 4
"""Maximum number of pictures per side of a match."""
DPI = 100
_OPEN = 2
"""Maximum number of documents whose pages are open at once."""


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A page: its printed ``label``, and a picture of it as a PNG file."""

    label: str
    png: bytes


@dataclass(frozen=True, slots=True)
class CitedSide:
    """The pages of one side of a match, and the number not shown: beyond the limits, or damaged."""

    pages: tuple[CitedPage, ...] = ()
    left_out: int = 0


class CitedPages:
    """Draws pages of documents of a project, within the limits of one report. Must be closed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: dict[int, PagePictures | None] = {}
        self._pages = self._bytes = 0

    def close(self) -> None:
        """End the drawing processes."""
        for pictures in self._open.values():
            if pictures is not None:
                pictures.close()
        self._open.clear()

    def of(self, document: Document, stretches: Sequence[Span]) -> CitedSide:
        """The pages with the marked ``stretches`` of a document; empty if its file is not stored."""
        pictures = self._pictures(document)
        if pictures is None or not stretches:
            return CitedSide()
        document, left_out = pictures.document, 0
        pages: list[CitedPage] = []
        for index in pages_with(document, stretches):
            page = None if len(pages) == MOST_OF_PASSAGE else self._drawn(document, pictures, index, stretches)
            if page is None:
                left_out += 1
            else:
                pages.append(page)
        return CitedSide(tuple(pages), left_out)

    def _drawn(
        self, document: Document, pictures: PagePictures, index: int, stretches: Sequence[Span]
    ) -> CitedPage | None:
        if self._pages >= MOST_PAGES or self._bytes >= MOST_BYTES:
            return None
        try:
            png = pictures.marked(index, DPI / 72, [(span.start, span.end) for span in stretches])
        except UserError:
            return None
        self._pages += 1
        self._bytes += len(png)
        return CitedPage(document.extraction.pages[index].label or str(index + 1), png)

    def _pictures(self, document: Document) -> PagePictures | None:
        key = document.key
        if key not in self._open:
            while len(self._open) >= _OPEN:
                oldest = self._open.pop(next(iter(self._open)))
                if oldest is not None:
                    oldest.close()
            self._open[key] = page_pictures(self._session, document)
        return self._open[key]


def pages_with(document: Document, stretches: Sequence[Span]) -> list[int]:
    """The pages (from 0) that have a line with some of the ``stretches`` of a document."""
    lines = sorted((start, page) for page, one in enumerate(document.extraction.pages) for start in one.lines)
    ends = [*(start for start, _ in lines[1:]), len(document.text)]
    own = {
        page
        for (start, page), end in zip(lines, ends, strict=True)
        if any(span.start < end and span.end > start for span in stretches)
    }
    return sorted(own)


@contextmanager
def cited_pages(session: Session, wanted: bool) -> Iterator[CitedPages | None]:
    """The pages of the project's documents, None if not ``wanted``."""
    pages = CitedPages(session) if wanted else None
    try:
        yield pages
    finally:
        if pages is not None:
            pages.close()
