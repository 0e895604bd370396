"""Mailboxes (mbox, RFC 4155): each message is a document named ``box.mbox!number``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.formats import eml
from workbench.reading.formats.api import MEGABYTE, Failure, FileSlice, Item, ReadOptions, Source
from workbench.reading.formats.opening import metered

name = "mbox"
suffixes: tuple[str, ...] = (".mbox", ".mbx")
_CHUNK = 1 << 18
_SEPARATOR = (
    rb"(?=From \S{1,255} [^\r\n]{0,255}\d{4})(?=From [^\r\n]{6,511}\r?\n(?:>?[A-Za-z][A-Za-z0-9-]{0,60}:|\r?\nFrom ))"
)
"""A line that separates messages: sender and date, followed by a header or the next such line. Bounded, since a text
may contain any number of partial matches.
"""
_FIRST = re.compile(_SEPARATOR)
_NEXT = re.compile(rb"(?<=\n)\r?\n" + _SEPARATOR)
_LAST = re.compile(rb"(?<=\n)\r?\n\Z")
_QUOTED = re.compile(rb"^>(?=>*From )", re.MULTILINE)


def sniff(head: bytes) -> bool:
    """Whether it begins with a line that separates messages."""
    return _FIRST.match(head) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """Yields nothing: its parts are read as messages."""
    raise UnreadableInput(Message("A mailbox is read message by message."))


def cut(source: Source, options: ReadOptions) -> Iterator[Source | Failure]:
    """Each message. Raises UnreadableInput if it is not a mailbox."""
    with metered(source, options) as (stream, position):
        buffer = bytearray(stream.read(_CHUNK))
        if not sniff(bytes(buffer[:4096])):
            raise UnreadableInput(Message("This is not a mailbox (mbox).") if buffer else Message("The file is empty."))
        number, is_last = 0, False
        while not is_last:
            start, dropped = 0, False
            while (boundary := _NEXT.search(buffer, start)) is None:
                if len(buffer) > options.member_bytes:
                    dropped = True
                    del buffer[: len(buffer) - _CHUNK]
                start = max(0, len(buffer) - 1024)
                if not (more := stream.read(_CHUNK)):
                    is_last = True
                    break
                buffer += more
            number += 1
            data = bytes(buffer[: boundary.start() if boundary else None])
            del buffer[: boundary.end() if boundary else None]
            # So that the last message remains the same when others follow it.
            data = data if boundary else _LAST.sub(b"", data)
            name = f"{source.name}!{number}"
            if dropped:
                limit = Message(
                    "The message is longer than the limit of {limit} MB.",
                    limit=f"{options.member_bytes / MEGABYTE:g}",
                )
                yield Failure(name, limit)
            else:
                text = _QUOTED.sub(b"", data.partition(b"\n")[2])
                part = FileSlice(text, eml.name)
                yield Source(source.path, name, (*source.members, str(number)), part, position())
