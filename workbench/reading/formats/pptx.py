"""PowerPoint presentations (PPTX): slides in order with tables, SmartArt and speaker notes; titles are headings.

Omitted: hidden slides and shapes, slide numbers, dates, footers, comments, charts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.drawings import ShapeText, point_paragraphs, shape_paragraphs
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import (
    Package,
    attribute,
    left_out,
    main_part,
    named,
    reference,
    relations,
    title_and_date,
)
from workbench.reading.formats.paragraphs import Paragraphs
from workbench.reading.formats.slide_paper import Paper

name = "pptx"
suffixes: tuple[str, ...] = (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx")
_PART = re.compile(rb"PK\x03\x04.{26}ppt/", re.DOTALL)
_UNTITLED = "PowerPoint Presentation"
"""PowerPoint's default title."""


def sniff(head: bytes) -> bool:
    """Accepts a zip file with a part of PowerPoint's among its first."""
    return head.startswith(b"PK\x03\x04") and _PART.search(head) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs, their path is ``slide[n]/p[m]``, each from 1, in speaker notes
    ``slide[n]/notes/p[m]``.

    Raises UnreadableInput if it is encrypted, damaged or has no text.
    """
    package = Package(whole(source, options), options)
    deck = _Deck(package)
    if deck.error and not deck.paragraphs.text:
        raise deck.error
    title, created = title_and_date(package)
    yield Record(
        None,
        deck.paragraphs.document(
            source.name,
            name,
            options,
            title=source.stem if title in ("", _UNTITLED) else title,
            created=created,
            repairs=left_out(package, "slides", hidden=deck.hidden, lost=deck.lost),
        ),
    )


class _Deck:
    """Reads the slides of a presentation, each once, even if listed repeatedly."""

    def __init__(self, package: Package) -> None:
        self.paragraphs = Paragraphs()
        self.error: UnreadableInput | None = None
        self._package = package
        self.hidden = self.lost = 0
        main = main_part(package, "ppt/presentation.xml")
        if main not in package.names:
            raise UnreadableInput(Message("This is not a PowerPoint presentation: it has no slides."))
        parts = relations(package, main)
        presentation = package.xml(main)
        sizes = ((attribute(e, "cx"), attribute(e, "cy")) for e in named(presentation, "sldSz"))
        size = next(((int(x), int(y)) for x, y in sizes if (x + y).isdecimal() and len(x + y) < 30 and x and y), None)
        entries = (parts.get(reference(entry)) for entry in named(presentation, "sldId"))
        for number, part in enumerate(dict.fromkeys(entry.part for entry in entries if entry is not None), 1):
            try:
                self._slide(part, f"slide[{number}]", size)
            except UnreadableInput as error:
                self.error = self.error or error
                self.lost += 1

    def _slide(self, part: str, path: str, size: tuple[int, int] | None) -> None:
        root = self._package.xml(part)
        if attribute(root, "show") in ("0", "false"):
            self.hidden += 1
            return
        parts = relations(self._package, part).values()
        paper = Paper(self._package, part, root, size)
        texts = list(shape_paragraphs(root, paper))
        charts = (self._package.xml_if_any(other.part) for other in parts if other.kind == "chart")
        drawn = (*paper.shown_texts(), *(paragraph for chart in charts for paragraph in named(chart, "p")))
        self.paragraphs.outside += ("".join(e.text or "" for e in named(one, "t")) for one in drawn)
        for diagram in dict.fromkeys(other.part for other in parts if other.kind == "diagramData"):
            if (data := self._package.xml_if_any(diagram)) is not None:
                texts += point_paragraphs(data)
        # The title of a slide may come late in the file.
        self._add(sorted(texts, key=lambda text: not text.is_title), path)
        for notes in (other.part for other in parts if other.kind == "notesSlide"):
            if (data := self._package.xml_if_any(notes)) is not None:
                notes_texts = (text._replace(kind=BlockKind.PARAGRAPH) for text in shape_paragraphs(data))
                self._add(notes_texts, f"{path}/notes")
                break

    def _add(self, texts: Iterator[ShapeText] | list[ShapeText], path: str) -> None:
        number = 0
        for text in texts:
            if text.text:
                number += 1
                span = self.paragraphs.add(text.text, text.kind, f"{path}/p[{number}]")
                self.paragraphs.hide(span, text.text, text.unseen)
                self.paragraphs.look(span, text.text, text.looks)
