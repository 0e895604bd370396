"""MediaWiki dumps (Special:Export, dumps.wikimedia.org): each page of the main namespace is a document."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any
from urllib.parse import quote

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind
from workbench.reading.decoding import clean
from workbench.reading.formats.api import MEGABYTE, Failure, FileSlice, Item, Notice, ReadOptions, Record, Source
from workbench.reading.formats.html import site_of
from workbench.reading.formats.opening import metered
from workbench.reading.formats.package import local, parse_xml
from workbench.reading.formats.paragraphs import Paragraphs, joined
from workbench.reading.html.metadata import iso_time

_LEFT_OUT_NAMES = """
    ref references table gallery timeline score imagemap math chem rt rp rtc style script templatestyles includeonly
    indicator graph mapframe maplink syntaxhighlight
"""
_LEFT_OUT = frozenset(_LEFT_OUT_NAMES.split())
_ITEMS = frozenset(("li", "dt", "dd"))
_BREAKS = frozenset(("br", "p", "div", "blockquote", "center", "poem", "hr"))
_MEDIA_PREFIXES = frozenset(("file", "image", "category", "media"))
_SHOW_FIRST_NAMES = """
    nowrap nobr small smaller big larger em strong sc smallcaps abbr tooltip quote blockquote cquote quotation citation
    ill illm ruby ルビ 読み仮名 仮リンク lien link-en le circa c. nihongo nihongo3 not_a_typo typo sic linktext mvar
    visible_anchor vanchor tq poemquote code tt kbd samp var strikethrough underline sub sup angbr proper_name center
    highlight plain_text flag flagcountry nombre nts val cns citation_needed_span 僻字 interlanguage_link
    interlanguage_link_multi unité nobold noitalic gloss s-
"""
_SHOW_FIRST = frozenset(_SHOW_FIRST_NAMES.split())
_WORDS = ("text", "quote", "content", "quotetext")
"""Names that the first parameter of templates for quotations has, too."""
_SHOW_LAST_NAMES = "lang langx langue transl transliteration wikt-lang color colour font_color sort tsl"
_SHOW_LAST = frozenset(_SHOW_LAST_NAMES.split())
_FIRST_BEGIN, _FIRST_END = ("lang-", "link-"), ("フォント", "範囲")
"""Templates around words of the sentence: these show their first or last parameter without a name."""
_SHOW_ALL = {"ship": " ", "date": " ", "date-": " ", "frac": "/", "sfrac": "/", "gaps": ""}
"""Templates that show all of their parameters without a name, and what is between these."""
_VESSELS = frozenset(("uss", "hms", "ss", "rms", "hmas", "hmcs", "sms", "mv"))
_MEASURES = frozenset(("convert", "cvt"))
_AMOUNT = re.compile(r"[\d.,/+*x×–-]{1,40}|to|and|by|or")
_SIGNS = {
    **dict.fromkeys(("snd", "spnd", "spaced_ndash", "spaced_en_dash"), " – "),
    **dict.fromkeys(("ndash", "en_dash", "–"), "–"),
    **dict.fromkeys(("mdash", "em_dash", "—"), "—"),
    **{"'": "'", "'s": "'s", "nbsp": " ", "okina": "ʻ", "=": "=", "pi": "π"},
}
"""Templates that stand for a sign."""
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
"""Maximum number of characters that the parser may reread, as it does after each unclosed mark. About ten seconds."""
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

    lines = _Lines(_MEDIA_PREFIXES | {name.lower() for name in media})
    lines.nodes(mwparserfromhell.parse(_SWITCH.sub("", wikitext), skip_style_tags=False))
    return lines.paragraphs()


def _without_open_nowiki(wikitext: str) -> str:
    """``wikitext`` without nowiki tags opened after the last closing tag: the parser would search for each end."""
    end = 0
    for tag in _NOWIKI_END.finditer(wikitext):
        end = tag.end()
    return wikitext[:end] + _NOWIKI.sub("", wikitext[end:])


def _without_tables(wikitext: str) -> str:
    """``wikitext`` without complete tables, which are omitted anyway: the parser is slow on their rows."""
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
    """Number of unclosed brackets, comments and tags of each kind."""
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
            elif isinstance(node, nodes.Template):
                self._template(node)

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
            where = space.strip()
            # "CSI: Miami" is a title.
            if where.lower() in self._media or (_OTHER_WIKI.fullmatch(where) and node.text is None):
                return
        if node.text is not None:
            self.nodes(node.text)
        else:
            self._pieces.append(title.lstrip(":"))

    def _template(self, node: Any) -> None:
        title = "_".join(str(node.name).lower().split())
        named = {str(p.name).strip(): p.value for p in node.params}
        texts = [named[key] for key in sorted((key for key in named if key.isdecimal()), key=int)]
        if title in _SIGNS or title.startswith("formatnum:"):
            self._pieces.append(_SIGNS.get(title, title.partition(":")[2]))
        elif title in _SHOW_FIRST and "1" not in named:
            self.nodes(next((named[key] for key in _WORDS if key in named), None))
        elif not texts:
            return
        elif title in _SHOW_FIRST or title.startswith(_FIRST_BEGIN) or title.endswith(_FIRST_END):
            self.nodes(named.get("1"))
        elif title in _SHOW_LAST:
            self.nodes(texts[-1])
        elif title in _SHOW_ALL:
            self._all(texts, _SHOW_ALL[title])
        elif title in _VESSELS:
            self._pieces.append(f"{title.upper()} ")
            self.nodes(texts[0])
        elif title in _MEASURES:
            unit = next((at for at, text in enumerate(texts) if not _AMOUNT.fullmatch(str(text).strip())), len(texts))
            self._all(texts[: unit + 1], " ")

    def _all(self, texts: Sequence[Any], between: str) -> None:
        for at, text in enumerate(texts):
            self._pieces.append(between if at else "")
            self.nodes(text)

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
        """Begin a list item; its marker starts a line or follows another."""
        if "".join(self._pieces).strip():
            self._end()
        self._kind = BlockKind.LIST_ITEM

    def _end(self, following: BlockKind = BlockKind.PARAGRAPH) -> None:
        self._lines.append((self._kind, "".join(self._pieces).strip()))
        self._pieces.clear()
        self._kind = following


def _spaced(text: str) -> str:
    """``text`` without runs of spaces and brackets emptied by dropped templates, and with the first of variants."""
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


name = "mediawiki"
suffixes: tuple[str, ...] = (".mediawiki",)
_CHUNK = 1 << 18
_LONGEST_HEAD = MEGABYTE
_BEGIN, _END = b"<page>", b"</page>"
_REDIRECT, _OTHER = Message("redirects"), Message("pages outside the main namespace")
_NAMESPACE = re.compile(rb"<ns>\s*(-?\d+)\s*</ns>")
_TITLE = re.compile(rb"<title>([^<]*)</title>")
_BASE = re.compile(rb"<base>([^<]*)</base>")
_MEDIA = re.compile(rb'<namespace key="(?:6|14)"[^>]*>([^<]*)</namespace>')


def sniff(head: bytes) -> bool:
    """Whether it begins with the root element, possibly after an XML declaration and comments."""
    return b"<mediawiki" in head[:2048] and head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<")


def cut(source: Source, options: ReadOptions) -> Iterator[Source | Failure | Notice]:
    """Each page of the main namespace (``dump.xml!Title``); redirects and other pages are counted in a notice."""
    skipped: Counter[str] = Counter()
    with metered(source, options) as (stream, position):
        pages = _Pages(stream, options.member_bytes)
        context = _context(pages.head())
        for number, page in enumerate(pages, 1):
            about = (page or pages.beginning).partition(b"<revision>")[0]
            title_match, namespace = _TITLE.search(about), _NAMESPACE.search(about)
            title = html.unescape(title_match[1].decode("utf-8", "replace")) if title_match else f"page {number}"
            label = f"{source.name}!{title}"
            if namespace and namespace[1] != b"0":
                skipped[_OTHER] += 1
            elif b"<redirect" in about:
                skipped[_REDIRECT] += 1
            elif page is None:
                yield Failure(label, pages.problem)
            else:
                yield Source(source.path, label, (*source.members, title), FileSlice(page, name, context), position())
    if skipped:
        yield Notice(
            source.name,
            Message("Left out: {what}.", what=Message.joined(", ", (why + f" ({n:,})" for why, n in skipped.items()))),
        )


class _Pages:
    """The pages of a dump as bytes; None for one that is too long or incomplete (see ``problem``)."""

    def __init__(self, stream: IO[bytes], longest: int) -> None:
        self._stream = stream
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        """No page end begins before this position in the buffer."""
        self.problem = ""
        self.beginning = b""

    def head(self) -> bytes:
        """Everything before the first page. Raises UnreadableInput if it is not a dump."""
        while (at := self._buffer.find(_BEGIN)) < 0 and len(self._buffer) < _LONGEST_HEAD and self._more():
            pass
        head = bytes(self._buffer[: at if at >= 0 else None])
        if not sniff(head):
            raise UnreadableInput(Message("This is not a MediaWiki dump.") if head else Message("The file is empty."))
        return head

    def __iter__(self) -> Iterator[bytes | None]:
        while self._seek():
            at = self._end()
            self.beginning = bytes(self._buffer[:4096])
            if 0 <= at <= self._longest:
                page = bytes(self._buffer[: at + len(_END)])
                self._drop(len(page))
                yield page
                continue
            if at >= 0 or len(self._buffer) > self._longest:
                self.problem = Message(
                    "The page is longer than the limit of {limit} MB.", limit=f"{self._longest / MEGABYTE:g}"
                )
            else:
                self.problem = Message("The dump is damaged or ends inside this page.")
            yield None
            while at < 0:
                self._drop(self._searched)
                if not self._more():
                    return
                at = self._end()
            self._drop(at + len(_END))

    def _seek(self) -> bool:
        """Drop everything before the next page. Returns whether there is one."""
        while (at := self._buffer.find(_BEGIN)) < 0:
            self._drop(max(0, len(self._buffer) - len(_BEGIN)))
            if not self._more():
                return False
        self._drop(at)
        return True

    def _end(self) -> int:
        """The position of the next end of a page; -1 if there is none within the maximum length."""
        while (at := self._buffer.find(_END, self._searched)) < 0:
            self._searched = max(0, len(self._buffer) - len(_END) + 1)
            if len(self._buffer) > self._longest or not self._more():
                return -1
        self._searched = at
        return at

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        self._searched = max(0, self._searched - count)

    def _more(self) -> bool:
        data = self._stream.read(_CHUNK)
        self._buffer += data
        return bool(data)


def _context(head: bytes) -> tuple[str, ...]:
    """The base address of page titles, then the local names of the file and category namespaces."""
    base = _BASE.search(head)
    address = html.unescape(base[1].decode("utf-8", "replace")).rpartition("/")[0] + "/" if base else ""
    names = (html.unescape(n.decode("utf-8", "replace")) for n in _MEDIA.findall(head))
    return (address, *names)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The document of one page (its latest revision) that was cut out. Raises UnreadableInput."""
    part = source.part
    if part is None:
        raise UnreadableInput(Message("A dump is read page by page."))
    address, *media = part.context
    page = _page(parse_xml(part.data, "page"))
    content = blocks_of(clean(page.wikitext)[0], media)
    if not content.text:
        raise UnreadableInput(Message("There is no text in this page."))
    url = address + quote(page.title.replace(" ", "_"), safe="/:()'!*,;@~") if address else ""
    document = content.document(source.name, name, options, title=page.title, published=iso_time(page.timestamp))
    yield Record(None, replace(document, url=url, site=site_of(url)))


@dataclass(slots=True)
class _Page:
    """Title, and the text and time of the latest revision."""

    title: str = ""
    timestamp: str = ""
    wikitext: str = ""


def _page(root: etree._Element) -> _Page:
    page = _Page()
    for child in root:
        if local(child) == "title":
            page.title = child.text or ""
        elif local(child) == "revision":
            facts = {local(e): e.text or "" for e in child}
            if facts.get("timestamp", "") >= page.timestamp:
                page.timestamp, page.wikitext = facts.get("timestamp", ""), facts.get("text", "")
    return page
