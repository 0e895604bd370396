"""Markdown (CommonMark with tables): headings, lists, tables, quotations, notes, and code as preformatted blocks.

Left out: the marks themselves, addresses of links and pictures, comments, and the fields of a YAML or TOML head.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind
from workbench.reading.decoding import decode
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.html import EmptyPage, page
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import CJK, Paragraphs, with_encoding

if TYPE_CHECKING:
    from markdown_it.token import Token

name = "markdown"
suffixes: tuple[str, ...] = (".md", ".markdown", ".mdown", ".mkd", ".qmd", ".rmd")
_DEEPEST = 100
"""Most blocks within blocks: the library would leave out what is deeper."""
_HEAD = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?\n)?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"""^title[ \t]*[:=][ \t]*(["']?)(\S.*?)\1[ \t]*$""", re.MULTILINE)
_CITATION = re.compile(r"\[\^[^\]\s]{1,60}\]")
_NOTES = re.compile(r"^(?=\[\^[^\]\s]{1,60}\]:)", re.MULTILINE)
_NOTE = "\x01"
"""Put before a note, which would otherwise be a part of the paragraph before it, or the address of a link."""
_LABEL = re.compile(rf"{_NOTE}\[\^[^\]\s]{{1,60}}\]:")
_SOFT = "\0"
"""Stands for the end of a wrapped line, as decoded text has none."""
_JOINED = re.compile(f"(?<={CJK.pattern}){_SOFT}(?={CJK.pattern})")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def sniff(head: bytes) -> bool:
    """Always false: any text may be Markdown, so only the suffix decides."""
    return False


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs with text, their path is ``p[n]`` from 1, in quotations
    ``quote/p[n]``, in notes ``footnotes/p[n]``.

    Raises UnreadableInput for binary data, for one that is nested too deeply, and if there is no text.
    """
    decoded = decode(whole(source, options), override=options.encoding)
    reader = MarkdownReader()
    reader.add(decoded.text)
    title = reader.title or source.stem
    document = reader.paragraphs.document(source.name, name, options, title=title, links=reader.links)
    document = replace(document, extraction=replace(document.extraction, hidden=reader.hidden))
    yield Record(None, with_encoding(document, decoded))


class MarkdownReader:
    """Collects the blocks of Markdown texts; ``title`` is that of the first, by its head or first heading.

    ``hidden`` counts the characters that the styles of markup within them hide.
    """

    def __init__(self) -> None:
        self.paragraphs = Paragraphs()
        self.title = ""
        self.links: dict[str, None] = {}
        self._numbers: Counter[str] = Counter()
        self.hidden = 0

    def add(self, text: str, prefix: str = "") -> None:
        """Add the blocks of ``text``, their paths beginning with ``prefix``. Raises UnreadableInput."""
        from markdown_it import MarkdownIt

        if head := _HEAD.match(text):
            text = text[head.end() :]
            if title := _TITLE.search(head[2] or ""):
                self.title = self.title or title[2]
        parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
        tokens = parser.parse(_NOTES.sub(f"\n{_NOTE}", text))
        if any(token.level >= _DEEPEST - 1 for token in tokens):
            raise UnreadableInput(Message("This input is nested too deeply."))
        around: list[str] = []
        for token in tokens:
            if token.nesting > 0:
                around.append(token.tag)
            elif token.nesting < 0:
                around.pop()
            else:
                self._token(token, around, prefix)

    def add_block(self, text: str, kind: BlockKind, path: str) -> None:
        """Add one block, numbered as the next of ``path``, if it has text."""
        if text.strip():
            self._numbers[path] += 1
            self.paragraphs.add(text, kind, f"{path}[{self._numbers[path]}]")

    def _token(self, token: Token, around: list[str], prefix: str) -> None:
        if token.type in ("fence", "code_block"):
            self.add_block(token.content.replace(_NOTE, ""), BlockKind.PREFORMATTED, f"{prefix}p")
        elif token.type == "html_block":
            self._markup(token.content, prefix)
        elif token.type == "inline":
            is_note = token.content.startswith(_NOTE)
            text = _CITATION.sub("", _LABEL.sub("", self._text(token.children or [])))
            kind = _kind(around)
            if kind is BlockKind.HEADING and around[-1] == "h1":
                self.title = self.title or " ".join(text.split())
            place = "footnotes/" if is_note else "quote/" if "blockquote" in around else ""
            self.add_block(text, kind, f"{prefix}{place}p")

    def _text(self, tokens: list[Token]) -> str:
        pieces = []
        for token in tokens:
            if token.type in ("text", "code_inline", "text_special"):
                pieces.append(token.content)
            elif token.type == "softbreak":
                pieces.append(_SOFT)
            elif token.type == "hardbreak" or (token.type == "html_inline" and _BREAK.fullmatch(token.content)):
                pieces.append("\n")
            elif token.type == "image":
                pieces.append(self._text(token.children or []))
            elif token.type == "link_open" and str(token.attrs.get("href", "")).startswith(("http://", "https://")):
                self.links[str(token.attrs["href"])] = None
        return _JOINED.sub("", "".join(pieces)).replace(_SOFT, " ")

    def _markup(self, markup: str, prefix: str) -> None:
        try:
            part = page(markup, "")
        except EmptyPage:
            return
        self.hidden += part.extraction.hidden
        for block in part.blocks:
            self.add_block(part.text[slice(*block.span)], block.kind, f"{prefix}p")
        self.links.update(dict.fromkeys(link for link in part.links if link.startswith(("http://", "https://"))))


def _kind(around: list[str]) -> BlockKind:
    """The kind of a paragraph in the elements ``around`` it."""
    if around and around[-1] in ("td", "th"):
        return BlockKind.TABLE_CELL
    if around and around[-1][:1] == "h":
        return BlockKind.HEADING
    return BlockKind.LIST_ITEM if "li" in around else BlockKind.PARAGRAPH
