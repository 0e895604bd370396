"""Text assembled from paragraphs, each a block with its origin."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import (
    MOST_LOOKS,
    Block,
    BlockKind,
    DateSource,
    Document,
    Extraction,
    Look,
    LookKind,
    PrintedPage,
    Span,
)
from workbench.reading.decoding import Decoded, decoded_as
from workbench.reading.formats.api import ReadOptions
from workbench.reading.integrity import LEAST_UNSEEN, flag_of, shown_outside
from workbench.reading.note_marks import without_typed_marks
from workbench.text.disguises import Trick
from workbench.text.languages import detect_language

CJK = re.compile(r"[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uffee\U00020000-\U0003fffd]")
WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_SYMBOLS = {
    **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    **dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)),
    **dict(zip(range(0x30, 0x3A), "0123456789", strict=True)),
    **{ord(sign): sign for sign in " !#%&()+,./:;<=>?[]_{|}"},
    **{0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0xA0: "€", 0xA2: "′", 0xA3: "≤", 0xA5: "∞"},
    **{0xAB: "↔", 0xAC: "←", 0xAE: "→", 0xB0: "°", 0xB1: "±", 0xB2: "″", 0xB3: "≥", 0xB4: "×", 0xB5: "∝", 0xB6: "∂"},
    **{0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xD1: "∇"},
    **{0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xDB: "⇔", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫"},
}
"""Characters of the font Symbol by its codes (Adobe's encoding)."""
_PICTOGRAMS = ("wingding", "webding", "dingbat")
"""How the names of fonts of pictograms begin."""
SYMBOL_CODES = range(0xF000, 0xF100)
"""Where Word stores the codes of fonts of symbols."""
RelativeLook = tuple[int, int, LookKind]
"""Delimiters of a look in a paragraph, with the spaces around it."""
NO_LOOK = LookKind(0)
LONGEST_PATH = 400
_EQUATION = re.compile(r"\s*EQ\s", re.IGNORECASE)
_EQUATION_CODES = re.compile(
    r"\\o(?:\\a[a-z])?\s*\(\s*\\s\\(?:up|do)\s?\d+\([^()]*\)\s*[,;]"  # the reading above or below a ruby base
    r'|\\\*\s*(?:"[^"]*"|[^\s\\]+)|\\[a-z]+(?:\s?-?\d+)?|\\(?=[(),;\\])|(?<!\\)[(),;]',
    re.IGNORECASE,
)


def letter_of(code: int, font: str) -> str:
    """The character that the font named ``font`` has for a code; empty for pictograms."""
    name, code = font.strip(" ;").lower(), code % SYMBOL_CODES.start if code in SYMBOL_CODES else code
    if name.startswith("symbol"):
        return _SYMBOLS.get(code, "")
    return "" if name.startswith(_PICTOGRAMS) else chr(code)


@dataclass(slots=True)
class StyledText:
    """The text of a paragraph so far, with the runs hidden by their style, and the looks of others."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    unseen: list[tuple[int, int]] = field(default_factory=list)
    is_unseen: bool = False
    """Whether the style hides the text being read."""
    look: LookKind = NO_LOOK
    """The look of the run being read."""
    looks: list[RelativeLook] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add text at its end, without marks of notes in raised digits (¹)."""
        text = without_typed_marks(text, "".join(self.pieces[-4:]))
        self.pieces.append(text)
        if self.look and text:
            self.looks.append((self.length, self.length + len(text), self.look))
        if self.is_unseen:
            self.unseen.append((self.length, self.length + len(text)))
        self.length += len(text)


def shown_by_code(code: str) -> Iterator[tuple[int, str]]:
    """The parts of a Word field's code that are shown, each with its offset: the characters of an ``EQ`` field, for
    ruby only the base (ECMA-376-1, 17.16.5.15). Other fields have a result, and nothing of their code is shown.
    """
    begin = _EQUATION.match(code)
    if begin is None:
        return
    at = begin.end()
    for start, end in (*(match.span() for match in _EQUATION_CODES.finditer(code, at)), (len(code), len(code))):
        if part := code[at:start].strip():
            yield code.index(part, at), part
        at = end


class Paragraphs:
    """Collects paragraphs; ``text`` is the paragraphs joined by line ends, ``blocks`` their spans."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0
        self._unseen: list[int] = []
        self._looks: list[Look] = []
        self.outside: list[str] = []
        """What else the file shows, such as headers of pages."""

    @property
    def text(self) -> str:
        """All text so far."""
        return "\n".join(self._texts)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Spans in ``text``, with kind and path."""
        return tuple(self._blocks)

    def add(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH, path: str = "") -> Span:
        """Add a paragraph, unless it is only white space, and return its span."""
        return self.add_block(text, Block(Span(0, 0), kind, path=path))

    def add_block(self, text: str, like: Block) -> Span:
        """Add a paragraph with the kind, path, class and rule of ``like``, and return its span."""
        text = text.strip()
        if not text:
            return Span(self._length, self._length)
        if self._texts:
            self._length += 1
        span = Span(self._length, self._length + len(text))
        self._texts.append(text)
        self._blocks.append(Block(span, like.kind, like.verdict, like.rule, like.path))
        self._length = span.end
        return span

    def hide(self, span: Span, text: str, parts: Iterable[tuple[int, int]]) -> None:
        """Record that ``parts`` of the paragraph ``text``, at ``span`` without surrounding spaces, are hidden by their
        style.
        """
        first = span.start - (len(text) - len(text.lstrip()))
        for start, end in parts:
            places = range(max(span.start, first + start), min(span.end, first + end))
            self._unseen.extend(at for at in places if text[at - first].isalnum())

    def look(self, span: Span, text: str, looks: Iterable[RelativeLook]) -> None:
        """Record the looks of parts of the paragraph ``text``, in order and disjoint, at ``span`` as for :meth:`hide`;
        pictures are kept even without text.
        """
        first = span.start - (len(text) - len(text.lstrip())) if text.strip() else span.start
        for start, end, kind in looks:
            part = Span(*(min(span.end, max(span.start, first + edge)) for edge in (start, end)))
            before = self._looks[-1] if self._looks else None
            if part.end == part.start and kind is not LookKind.PICTURE:
                continue
            if before is not None and before.kind == kind and before.span.end == part.start and part.end > part.start:
                self._looks[-1] = Look(Span(before.span.start, part.end), kind)
            else:
                self._looks.append(Look(part, kind))

    def document(
        self,
        identity: str,
        kind: str,
        options: ReadOptions,
        *,
        title: str,
        published: str = "",
        created: str = "",
        links: Iterable[str] = (),
        repairs: Iterable[str] = (),
        pages: Iterable[PrintedPage] = (),
    ) -> Document:
        """The text as a document, from ``identity`` in the format ``kind``. Raises UnreadableInput if it is empty."""
        text = self.text
        if not text:
            raise UnreadableInput(Message("There is no text in this document."))
        return Document(
            id=identity,
            text=text,
            title=title,
            published=published,
            dated_by=DateSource.FILE if published else "",
            language=options.language or detect_language(text),
            origin=identity,
            blocks=self.blocks,
            links=tuple(links),
            extraction=Extraction(
                kind,
                repairs=tuple(repairs),
                created=created,
                pages=tuple(pages),
                looks=tuple(self._looks[:MOST_LOOKS]),
                integrity=(
                    *((flag_of(Trick.HIDDEN, self._unseen),) if len(self._unseen) >= LEAST_UNSEEN else ()),
                    *shown_outside(self.outside, text),
                ),
            ),
        )


def deeper(path: str, step: str) -> str:
    """``path`` with one more ``step``; unchanged at LONGEST_PATH characters, since each block stores its path and a
    hostile file may nest deeply.
    """
    return f"{path}{step}" if len(path) < LONGEST_PATH else path


def looks_within(looks: Sequence[Look], span: Span) -> Iterator[RelativeLook]:
    """The ``looks``, which are ordered, in ``span``, relative to its start."""
    for look in looks[bisect_left(looks, span.start, key=lambda look: look.span.start) :]:
        if look.span.start > span.end:
            return
        yield look.span.start - span.start, min(look.span.end, span.end) - span.start, look.kind


def with_encoding(document: Document, decoded: Decoded) -> Document:
    """``document``, read from the text file that was ``decoded``."""
    how = document.extraction
    return replace(document, extraction=replace(decoded_as(how, decoded), repairs=(*decoded.repairs, *how.repairs)))


def joined(
    lines: Iterable[str], is_written: Callable[[str, str], bool] = lambda before, after: False
) -> tuple[str, list[int]]:
    """Wrapped lines joined into one, and the start of each: no space between CJK characters, no soft hyphen, and no
    hyphen between lower-case letters, unless ``is_written`` is true for the text before it and the next line.
    """
    whole, starts = "", []
    for line in lines:
        if whole and line:
            if whole[-1] == "\u00ad":
                whole = whole[:-1]
            elif whole[-1] in "-\u2010" and whole[-2:-1].islower() and line[0].islower():
                if not is_written(whole, line):
                    whole = whole[:-1]
            elif whole[-1] in "-\u2010\u2013\u2014":
                # A dash between spaces, unlike others, has one at the end of a line, too.
                whole += " " * whole[-2:-1].isspace()
            elif not (CJK.match(whole[-1]) and CJK.match(line[0])):
                whole += " "
        starts.append(len(whole))
        whole += line
    return whole, starts
