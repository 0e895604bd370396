"""Readable text of wikitext: templates, tables, references, files and categories are left out, link texts kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Any

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind
from workbench.reading.formats.paragraphs import Paragraphs, joined

_LEFT_OUT_NAMES = """
    ref references table gallery timeline score imagemap math chem rt rp rtc style script templatestyles includeonly
    indicator graph mapframe maplink syntaxhighlight
"""
_LEFT_OUT = frozenset(_LEFT_OUT_NAMES.split())
_ITEMS = frozenset(("li", "dt", "dd"))
_BREAKS = frozenset(("br", "p", "div", "blockquote", "center", "poem", "hr"))
_MEDIA = frozenset(("file", "image", "category", "media"))
_SWITCH = re.compile(r"__[A-Z]+__")
_VARIANTS = re.compile(r"-\{([^{}]{0,1000})\}-")
_OTHER_WIKI = re.compile(r"[a-z]{2,3}(?:-[a-z-]+)?")
_EMPTY = re.compile(r"\([\s,;]*\)|（[\s、，；]*）")
_MARK = re.compile(
    r"<!--|-->|\{\{|\}\}|\{\||\|\}(?!\})|\[\[|\]\]|\[(?=(?:https?:|ftp:|mailto:)?//|mailto:)|\]"
    r"|<(?P<end>/?)(?P<tag>[A-Za-z]{1,30})[^<>]{0,1000}?(?P<alone>/?)>"
)
_CLOSES = {"-->": "<!--", "}}": "{{", "|}": "{|", "]]": "[[", "]": "["}
_NEVER_CLOSED = frozenset(["br", "hr", "wbr", "img", "li", "dt", "dd", "p", "td", "th", "tr", "references", "nowiki"])
_PARAGRAPH_TAG = re.compile(r"</?p(?:\s[^<>]{0,1000})?/?>", re.IGNORECASE)
_NOWIKI = re.compile(r"<nowiki(?:\s[^<>]{0,1000})?>", re.IGNORECASE)
_NOWIKI_END = re.compile(r"</nowiki\s*>", re.IGNORECASE)
_TABLE_EDGE = re.compile(r"^[ \t:]*(?:(\{\|)|\|\}(?!\}))", re.MULTILINE)
_MOST_WORK = 25_000_000
"""Most characters the parser may read again, which it does from each mark that is never closed. About ten seconds."""
_SPACES = re.compile(r"[ \t\u00a0]+")


def blocks_of(wikitext: str, media: Collection[str] = ()) -> Paragraphs:
    """Paragraphs, headings and list items of ``wikitext``; a path is ``section[n]/p[m]``, the lead being section 0.

    ``media`` are the local names of the file and category namespaces. Raises UnreadableInput if parsing would take very
    long.
    """
    import mwparserfromhell

    wikitext = _without_tables(_PARAGRAPH_TAG.sub("\n", _without_open_nowiki(wikitext)))
    if (unclosed := _unclosed(wikitext)) * len(wikitext) > _MOST_WORK:
        raise UnreadableInput(
            Message("Its markup has {count} brackets, comments or tags that are never closed.", count=f"{unclosed:,}")
        )

    lines = _Lines(_MEDIA | {name.lower() for name in media})
    lines.nodes(mwparserfromhell.parse(_SWITCH.sub("", wikitext), skip_style_tags=False))
    return lines.paragraphs()


def _without_open_nowiki(wikitext: str) -> str:
    """``wikitext`` without nowiki tags opened after the last closing tag: the parser would search for the end of each
    one.
    """
    end = 0
    for tag in _NOWIKI_END.finditer(wikitext):
        end = tag.end()
    return wikitext[:end] + _NOWIKI.sub("", wikitext[end:])


def _without_tables(wikitext: str) -> str:
    """``wikitext`` without complete tables, which are left out anyway: the parser is slow on their rows."""
    opened: list[int] = []
    whole: list[tuple[int, int]] = []
    for mark in _TABLE_EDGE.finditer(wikitext):
        if mark[1]:
            opened.append(mark.start())
        elif opened:
            start = opened.pop()
            while whole and whole[-1][0] > start:
                whole.pop()
            whole.append((start, mark.end()))
    edges = [0, *(edge for table in whole for edge in table), len(wikitext)]
    return "\n".join(wikitext[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


def _unclosed(wikitext: str) -> int:
    """How many brackets, comments and tags of each kind are opened and not closed."""
    opened: Counter[str] = Counter()
    for match in _MARK.finditer(wikitext):
        mark = match["tag"].lower() if match["tag"] else match[0]
        closed = mark if match["end"] else _CLOSES.get(mark, "")
        if closed:
            opened[closed] -= opened[closed] > 0
        elif not match["alone"] and mark not in _NEVER_CLOSED:
            opened[mark] += 1
    return opened.total()


class _Lines:
    """Collects lines with their kind; a line without a kind belongs to a paragraph."""

    def __init__(self, media: Collection[str]) -> None:
        self._media = media
        self._lines: list[tuple[BlockKind, str]] = []
        self._pieces: list[str] = []
        self._kind = BlockKind.PARAGRAPH

    def nodes(self, code: Any) -> None:
        """Add parsed wikitext; the parser nests at most 40 deep."""
        from mwparserfromhell import nodes

        for node in code.nodes if code is not None else ():
            if isinstance(node, nodes.Text):
                self._text(str(node.value))
            elif isinstance(node, nodes.Wikilink):
                self._link(node)
            elif isinstance(node, nodes.ExternalLink):
                self.nodes(node.title if node.brackets else None)
            elif isinstance(node, nodes.HTMLEntity):
                self._pieces.append(node.normalize() or "")
            elif isinstance(node, nodes.Heading):
                self._end(BlockKind.HEADING)
                self.nodes(node.title)
                self._end()
            elif isinstance(node, nodes.Tag):
                self._tag(node)

    def paragraphs(self) -> Paragraphs:
        """Everything added so far, with the lines of each paragraph joined."""
        self._end()
        paragraphs = Paragraphs()
        open_lines: list[str] = []
        section = number = 0

        def add(text: str, kind: BlockKind) -> None:
            nonlocal number
            text = _spaced(text)
            if text:
                number += 1
                paragraphs.add(text, kind, f"section[{section}]/p[{number}]")

        for kind, line in [*self._lines, (BlockKind.PARAGRAPH, "")]:
            if kind is BlockKind.PARAGRAPH and line:
                open_lines.append(line)
                continue
            add(joined(open_lines)[0], BlockKind.PARAGRAPH)
            open_lines.clear()
            if kind is BlockKind.HEADING:
                section, number = section + 1, 0
            add(line, kind)
        return paragraphs

    def _text(self, text: str) -> None:
        first, *others = text.split("\n")
        self._pieces.append(first)
        for line in others:
            self._end()
            self._pieces.append(line)

    def _link(self, node: Any) -> None:
        title = str(node.title).strip()
        space, colon, _ = title.partition(":")
        if colon and not title.startswith(":"):
            where = space.strip().lower()
            if where in self._media or (_OTHER_WIKI.fullmatch(where) and node.text is None):
                return
        if node.text is not None:
            self.nodes(node.text)
        else:
            self._pieces.append(title.lstrip(":"))

    def _tag(self, node: Any) -> None:
        tag = str(node.tag).strip().lower()
        if tag in _LEFT_OUT:
            return
        if tag in _ITEMS:
            self._begin_item()
        elif tag in _BREAKS:
            self._end()
        self.nodes(node.contents)
        if tag in _BREAKS:
            self._end()

    def _begin_item(self) -> None:
        """A list marker starts a line or follows another."""
        if "".join(self._pieces).strip():
            self._end()
        self._kind = BlockKind.LIST_ITEM

    def _end(self, following: BlockKind = BlockKind.PARAGRAPH) -> None:
        self._lines.append((self._kind, "".join(self._pieces).strip()))
        self._pieces.clear()
        self._kind = following


def _spaced(text: str) -> str:
    """Without runs of spaces and brackets emptied by a dropped template; of variants the first is kept."""
    text = _VARIANTS.sub(lambda match: _variant(match[1]), text)
    text = _EMPTY.sub("", text)
    return _SPACES.sub(" ", text).strip()


def _variant(written: str) -> str:
    """The text of ``-{zh-hans:…;zh-hant:…}-``: the simplified form, else the first; conversion rules have none."""
    flags, bar, rest = written.partition("|")
    if bar and set(flags) & set("AHT-"):
        return rest if "A" in flags and ":" not in rest else ""
    forms = dict(part.strip().partition(":")[::2] for part in (rest if bar else written).split(";") if ":" in part)
    return next((forms[k] for k in ("zh-hans", "zh-cn") if k in forms), next(iter(forms.values()), rest or written))
