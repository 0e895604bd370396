"""JSON lines: one document per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Extraction
from workbench.reading.formats.api import Failure, Item, ReadOptions, Source
from workbench.reading.formats.opening import opened
from workbench.reading.formats.rows import record, text_lines

name = "jsonl"
suffixes: tuple[str, ...] = (".jsonl", ".ndjson")


def sniff(head: bytes) -> bool:
    """Whether the first line is a JSON object, or the beginning of a long one."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0].strip()
    return first.startswith((b'{"', b"{ ")) and (first.endswith(b"}") or len(head) >= 4096)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """A record or a failure (``name:line``) for each line that is not blank. Raises UnreadableInput for binary data."""
    with opened(source, options) as stream:
        lines, extraction = text_lines(stream, options)
        yield from read_lines(lines, source.name, extraction, options)


def read_lines(
    lines: Iterable[tuple[int, str | None]], source_name: str, extraction: Extraction, options: ReadOptions
) -> Iterator[Item]:
    """A record or a failure for each of some numbered lines of a file, as yielded by :func:`rows.text_lines`."""
    extraction = replace(extraction, format=name)
    for number, line in lines:
        if line is None:
            limit = Message(
                "The line is longer than the limit of {limit} characters.",
                limit=f"{options.line_characters:,}",
            )
            yield Failure(f"{source_name}:{number}", limit)
        elif line.strip():
            yield _row(line, f"{source_name}:{number}", extraction, options)


def _row(line: str, where: str, extraction: Extraction, options: ReadOptions) -> Item:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        msg = error.msg.removesuffix(" at")
        return Failure(
            where, Message("The line is not valid JSON ({msg} at character {pos}).", msg=msg, pos=error.pos + 1)
        )
    except ValueError:
        return Failure(where, Message("A number in the line is too long."))
    except RecursionError as error:
        return Failure.of(where, error)
    if not isinstance(row, dict):
        return Failure(where, Message("The line is not a JSON object."))
    try:
        return record(row, where, extraction, options)
    except UnreadableInput as error:
        return Failure.of(where, error)
