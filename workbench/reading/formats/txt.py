"""Plain text: one document per file."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Document, Extraction
from workbench.reading.decoding import decode
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.text.languages import detect_language

name = "txt"
suffixes: tuple[str, ...] = (".txt", ".text")


def sniff(head: bytes) -> bool:
    """Always true: anything may be text, and decoding refuses the rest."""
    return True


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document, titled by its name. Raises UnreadableInput for empty or binary data."""
    decoded = decode(whole(source, options), override=options.encoding)
    if not decoded.text.strip():
        raise UnreadableInput(Message("The file is empty."))
    document = Document(
        id=source.name,
        text=decoded.text,
        title=source.stem,
        language=options.language or detect_language(decoded.text),
        origin=source.name,
        extraction=Extraction(name, decoded.encoding, decoded.source, decoded.repairs),
    )
    yield Record(None, document)
