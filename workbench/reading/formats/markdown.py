"""Markdown (CommonMark with tables): headings, lists, tables, quotations, notes, and code as preformatted blocks.

Left out: the marks themselves, addresses of links and pictures, comments, and the fields of a YAML or TOML head.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind, LookKind, Span
from workbench.reading.decoding import decode
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.html import EmptyPage, page
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import CJK, Paragraphs, RelativeLook, looks_within, with_encoding
from workbench.reading.html.unseen import hidden_in
from workbench.reading.note_marks import without_typed_marks

if TYPE_CHECKING:
    from markdown_it.token import Token

name = "markdown"
suffixes: tuple[str, ...] = (".md", ".markdown", ".mdown", ".mkd", ".qmd", ".rmd")
_DEEPEST = 100
"""Deepest nesting of blocks; the library omits deeper ones."""
_HEAD = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?\n)?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELDS = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*(?:\Z|[^\s#:=][^\n:=]{0,60}(?::(?=\s)|[ \t]*=)|[\[{])")
"""How the fields of a head begin; two rules with prose between them are no head."""
_TITLE = re.compile(r"""^title[ \t]*[:=][ \t]*(["']?)(\S.*?)\1[ \t]*$""", re.MULTILINE)
_CITATION = re.compile(r"\[\^[^\]\s]{1,60}\]| ?\[(?:[^\[\]@]{0,200}[\s;-])?@\w[^\[\]]{0,300}\]")
"""The mark of a note, or a citation of Pandoc, such as *[see @key, p. 3]*."""
_INLINE_NOTE = re.compile(r"\^\[([^\[\]]{1,2000})\]")
_FENCE = re.compile(r"(?:^|(?<=\0)):{3,}[ \t]*(?:\{[^{}\0]{0,200}\}|[\w-]{0,40})[ \t]*\0?")
"""The beginning or end of a block of Pandoc or Docusaurus; a title may follow."""
_HEADING_END = re.compile(r"\s*\{(?:[#.]|-\})[^{}\0]{0,200}\}?\Z")
_ATTRIBUTES = re.compile(r"\{(?:[#.][\w:-]|[\w-]{1,40}=)[^{}\n]{0,200}\}")
_ATTRIBUTED = frozenset(("image", "link_close", "code_inline"))
_NOTES = re.compile(r"^\[\^[^\]\s]{1,60}\]:[^\n]*(?:\n(?:[ \t]*\n)*(?: {4}|\t)[^\n]*)*", re.MULTILINE)
_INDENTED = re.compile(r"(\n[ \t]*)?\n(?: {4}|\t)")
_NOTE = "\x01"
"""Inserted before a note, which would otherwise become part of the paragraph before it, or a link's address."""
_LABEL = re.compile(rf"{_NOTE}(?:\[\^[^\]\s]{{1,60}}\]:)?")
_SOFT = "\0"
"""Represents the end of a wrapped line; decoded text does not contain it."""
_JOINED = re.compile(f"(?<={CJK.pattern}){_SOFT}(?={CJK.pattern})")
_LOOKS = {"strong": LookKind.BOLD, "em": LookKind.ITALIC, "code": LookKind.CODE}
_PARTS = frozenset(("li", "tr", "td", "th"))
_STEPS = _PARTS | {"ul", "ol", "table"}
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LARGEST_START = 999_999_999
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def sniff(head: bytes) -> bool:
    """Always false: any text may be Markdown, so only the suffix decides."""
    return False


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document: blocks are paragraphs with text, their path is ``p[n]`` from 1, in quotations
    ``quote/p[n]``, in notes ``footnotes/p[n]``, of headings ``h1/p[n]``, in items of lists ``ol[1]/li[2]/p[n]``, in
    cells of tables ``table[1]/tr[2]/td[3]/p[n]``.

    Raises UnreadableInput for binary data, too deep nesting, and a file without text.
    """
    decoded = decode(whole(source, options), override=options.encoding)
    reader = MarkdownReader()
    reader.add(decoded.text)
    reader.hide(decoded.text)
    title = reader.title or source.stem
    document = reader.paragraphs.document(source.name, name, options, title=title, links=reader.links)
    document = replace(document, extraction=replace(document.extraction, hidden=reader.hidden))
    yield Record(None, with_encoding(document, decoded))


class _Words:
    """The text of a paragraph so far, and the look of each character."""

    def __init__(self) -> None:
        self.pictures = 0
        self._texts: list[str] = []
        self._kinds = bytearray()
        self._open: Counter[LookKind] = Counter()
        self._alone = LookKind(0)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._texts)

    def turn(self, kind: LookKind, by: int) -> None:
        """Switch a look on (1) or off (-1); 0: only for the next words."""
        self._open[kind] += by
        self._alone = LookKind(0) if by else kind

    def add(self, text: str) -> None:
        """Add text at its end, without marks of notes in raised digits (¹)."""
        text = without_typed_marks(text, "".join(self._texts[-4:]))
        self._texts.append(text)
        kinds = sum(kind for kind, count in self._open.items() if count > 0) | self._alone
        self._alone = LookKind(0)
        self._kinds += bytes([kinds]) * len(text)

    def leave_out(self, pattern: re.Pattern[str]) -> None:
        """Remove matches of ``pattern``."""
        text = self.text
        edges = [0, *(edge for match in pattern.finditer(text) for edge in match.span()), len(text)]
        rest = [slice(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)]
        self._texts = [text[part] for part in rest]
        self._kinds = bytearray().join(self._kinds[part] for part in rest)

    def unwrap(self) -> None:
        """Join wrapped lines: by a space, or by nothing between CJK characters."""
        self.leave_out(_JOINED)
        self._texts = [self.text.replace(_SOFT, " ")]

    def looks(self) -> Iterator[RelativeLook]:
        """Looks, and pictures at the end."""
        at = 0
        for kind, run in groupby(self._kinds):
            end = at + len(list(run))
            if kind:
                yield at, end, LookKind(kind)
            at = end
        yield from [(at, at, LookKind.PICTURE)] * self.pictures


class MarkdownReader:
    """Collects the blocks of Markdown texts; ``title`` is that of the first text, from its head or first heading.

    ``hidden`` counts the characters hidden by styles of embedded HTML.
    """

    def __init__(self) -> None:
        self.paragraphs = Paragraphs()
        self.title = ""
        self.links: dict[str, None] = {}
        self._numbers: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self.hidden = 0

    def add(self, text: str, prefix: str = "") -> None:
        """Add the blocks of ``text``, their paths beginning with ``prefix``. Raises UnreadableInput."""
        from markdown_it import MarkdownIt

        if (head := _HEAD.match(text)) and _FIELDS.match(head[2] or ""):
            text = text[head.end() :]
            if title := _TITLE.search(head[2] or ""):
                self.title = self.title or title[2]
        parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
        tokens = parser.parse(_NOTES.sub(_dedented, text))
        if any(token.level >= _DEEPEST - 1 for token in tokens):
            raise UnreadableInput(Message("This input is nested too deeply."))
        around: list[str] = []
        steps: list[str] = []
        for token in tokens:
            if token.nesting > 0:
                around.append(token.tag)
                steps.append(self._step(token, "".join(steps)))
            elif token.nesting < 0:
                around.pop()
                steps.pop()
            else:
                self._token(token, around, prefix, "".join(steps))

    def hide(self, source: str) -> None:
        """Mark the words of the added texts that are hidden by the HTML in ``source``; they are kept, as not every
        program interprets HTML in Markdown.
        """
        text = self.paragraphs.text
        unseen = hidden_in(source, text, self.paragraphs.blocks, not_shown=True)
        self.paragraphs.hide(Span(0, len(text)), text, ((at, at + 1) for at in sorted(unseen)))

    def _step(self, token: Token, path: str) -> str:
        """The path step of an element that begins with ``token`` inside ``path``; often empty."""
        if token.tag not in _STEPS:
            return f"{token.tag}/" if token.tag in _HEADINGS else ""
        # Lists and tables are numbered together, cells and items within their parent; header cells are cells.
        counted = f"{path}{'td' if token.tag == 'th' else token.tag}" if token.tag in _PARTS else token.tag
        start = token.attrs.get("start")
        self._counts[counted] += 1
        step = f"{token.tag}[{self._counts[counted]}]/"
        if token.tag == "ol" and isinstance(start, int):
            self._counts[f"{path}{step}li"] = min(start, _LARGEST_START) - 1
        return step

    def add_block(
        self, text: str, kind: BlockKind, path: str, inside: str = "", looks: Iterable[RelativeLook] = ()
    ) -> None:
        """Add one block, numbered as the next of ``path``, if it has text; ``inside`` is the path of its parent."""
        name, folder = path.rpartition("/")[2], path[: path.rfind("/") + 1]
        if text.strip():
            self._numbers[path] += 1
        span = self.paragraphs.add(text, kind, f"{folder}{inside}{name}[{self._numbers[path]}]")
        self.paragraphs.look(span, text, looks)

    def _token(self, token: Token, around: list[str], prefix: str, inside: str) -> None:
        if token.type in ("fence", "code_block"):
            self.add_block(token.content.replace(_NOTE, ""), BlockKind.PREFORMATTED, f"{prefix}p", inside)
        elif token.type == "html_block":
            self._markup(token.content, prefix)
        elif token.type == "inline":
            is_note = token.content.startswith(_NOTE)
            words = _Words()
            self._collect(token.children or [], words)
            words.leave_out(_FENCE)
            kind = _kind(around)
            if kind is BlockKind.HEADING:
                words.leave_out(_HEADING_END)
            words.unwrap()
            words.leave_out(_LABEL)
            words.leave_out(_CITATION)
            notes = _INLINE_NOTE.findall(words.text)
            words.leave_out(_INLINE_NOTE)
            text = words.text
            if kind is BlockKind.HEADING and around[-1] == "h1":
                self.title = self.title or " ".join(text.split())
            place = "footnotes/" if is_note else "quote/" if "blockquote" in around else ""
            self.add_block(text, kind, f"{prefix}{place}p", inside, words.looks())
            for note in notes:
                self.add_block(note, BlockKind.PARAGRAPH, f"{prefix}footnotes/p")

    def _collect(self, tokens: list[Token], words: _Words) -> None:
        for before, token in zip([None, *tokens], tokens, strict=False):
            if token.tag in _LOOKS:
                words.turn(_LOOKS[token.tag], token.nesting)
            if token.type == "text" and before is not None and before.type in _ATTRIBUTED:
                attributes = _ATTRIBUTES.match(token.content)
                words.add(token.content[attributes.end() if attributes else 0 :])
            elif token.type in ("text", "code_inline", "text_special"):
                words.add(token.content)
            elif token.type == "softbreak":
                words.add(_SOFT)
            elif token.type == "hardbreak" or (token.type == "html_inline" and _BREAK.fullmatch(token.content)):
                words.add("\n")
            elif token.type == "image":
                words.pictures += 1
                self._collect(token.children or [], words)
            elif token.type == "link_open" and str(token.attrs.get("href", "")).startswith(("http://", "https://")):
                self.links[str(token.attrs["href"])] = None

    def _markup(self, markup: str, prefix: str) -> None:
        try:
            part = page(markup, "")
        except EmptyPage:
            return
        self.hidden += part.extraction.hidden
        for block in part.blocks:
            text = part.text[slice(*block.span)]
            self.add_block(text, block.kind, f"{prefix}p", looks=looks_within(part.extraction.looks, block.span))
        self.links.update(dict.fromkeys(link for link in part.links if link.startswith(("http://", "https://"))))


def _dedented(note: re.Match[str]) -> str:
    """A note, with its further paragraphs as notes of their own."""
    return f"\n{_NOTE}" + _INDENTED.sub(lambda end: f"\n\n{_NOTE}" if end[1] else "\n", note[0])


def _kind(around: list[str]) -> BlockKind:
    """The kind of a paragraph by its enclosing elements ``around``."""
    if around and around[-1] in ("td", "th"):
        return BlockKind.TABLE_CELL
    if around and around[-1][:1] == "h":
        return BlockKind.HEADING
    return BlockKind.LIST_ITEM if "li" in around else BlockKind.PARAGRAPH
