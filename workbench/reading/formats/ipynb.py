"""Jupyter notebooks (IPYNB): cells in order, Markdown cells with their blocks, code as preformatted blocks.

Omitted: outputs, attachments, metadata.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind
from workbench.reading.decoding import clean, decode
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.markdown import MarkdownReader
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import with_encoding

name = "ipynb"
suffixes: tuple[str, ...] = (".ipynb",)
_MARK = re.compile(r"<[^<>]{0,1000}>")
_SENTENCE = re.compile(r"(?:[^\W\d_]|[\s,;:.!?'\"“”‘’()\-–—、，。！？「」]){40,}[.!?。！？]")
_MARKDOWN = ("markdown", "heading")


def sniff(head: bytes) -> bool:
    """Whether it begins like a JSON object with cells, worksheets or the metadata of a notebook."""
    start = b"".join(head[:200].split())
    return start.startswith((b'{"cells":[', b'{"worksheets":[')) or (
        start.startswith(b'{"metadata":') and b'"nbformat' in head
    )


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The notebook as one document; the path of a block is ``cell[n]`` from 1, in text ``cell[n]/p[m]``.

    Raises UnreadableInput if it is not a notebook, a cell is nested too deeply, or there is no text.
    """
    decoded = decode(whole(source, options), override=options.encoding)
    reader = MarkdownReader()
    count, marked = 0, []
    for number, cell in enumerate(_cells(decoded.text), 1):
        kind = cell.get("cell_type")
        text = _text(cell.get("source", cell.get("input")))
        if kind in _MARKDOWN:
            level = cell.get("level")
            marks = "#" * level if kind == "heading" and isinstance(level, int) and 0 < level < 7 else ""
            reader.add(f"{marks} {text}" if marks else text, f"cell[{number}]/")
            marked.append(text)
        else:
            count += kind == "code" and bool(cell.get("outputs"))
            reader.paragraphs.add(text, BlockKind.PREFORMATTED, f"cell[{number}]")
            reader.paragraphs.outside += _sentences_of(cell.get("outputs"))
    reader.hide("\n".join(marked))
    repairs = [f"left out outputs of cells ({count:,})"] if count else []
    title = reader.title or source.stem
    document = reader.paragraphs.document(source.name, name, options, title=title, links=reader.links, repairs=repairs)
    document = replace(document, extraction=replace(document.extraction, hidden=reader.hidden))
    yield Record(None, with_encoding(document, decoded))


def _cells(text: str) -> Iterator[dict[str, Any]]:
    """The cells of a notebook of format 4 or earlier. Raises UnreadableInput if it is not one."""
    try:
        notebook = json.loads(text)
    except ValueError as error:
        raise UnreadableInput(Message("This is not a notebook: it is not valid JSON.")) from error
    sheets = notebook.get("worksheets", [notebook]) if isinstance(notebook, dict) else None
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else []
    cells = [cell for part in lists if isinstance(part, list) for cell in part if isinstance(cell, dict)]
    if not cells:
        raise UnreadableInput(Message("This is not a notebook: it has no cells."))
    yield from cells


def _sentences_of(outputs: Any) -> Iterator[str]:
    """The lines of a cell's outputs that are sentences, as opposed to tables, logs and warnings."""
    for output in outputs if isinstance(outputs, list) else ():
        shown = output.get("data") if isinstance(output, dict) else None
        pieces = [value for kind, value in shown.items() if kind.startswith("text/")] if isinstance(shown, dict) else []
        if isinstance(output, dict) and output.get("name") == "stdout":
            pieces.append(output.get("text"))
        for line in "\n".join(_MARK.sub("", _text(piece)) for piece in pieces).splitlines():
            if _SENTENCE.fullmatch(line.strip()):
                yield line


def _text(source: Any) -> str:
    """The text of a cell, which may be a list of lines."""
    lines = source if isinstance(source, list) else [source]
    return clean("".join(line for line in lines if isinstance(line, str)))[0]
