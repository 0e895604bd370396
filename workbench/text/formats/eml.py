"""E-mail messages: one document a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.text.formats import message
from workbench.text.formats.api import Item, ReadOptions, Record, Source
from workbench.text.formats.opening import whole

name = "eml"
suffixes: tuple[str, ...] = (".eml",)


def sniff(head: bytes) -> bool:
    """Begins with the header of a message."""
    return message.looks_like_message(head)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The message's text, titled by its subject. Raises UnreadableInput for what is no message or has no text."""
    document = message.document(message.parsed(whole(source, options)), source.name, options)
    yield Record(None, replace(document, title=document.title or source.stem))
