"""MediaWiki dumps (Special:Export, dumps.wikimedia.org): each page of the main namespace is a document."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO
from urllib.parse import quote

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.decoding import clean
from workbench.reading.formats.api import MEGABYTE, Failure, FileSlice, Item, Notice, ReadOptions, Record, Source
from workbench.reading.formats.html import site_of
from workbench.reading.formats.opening import metered
from workbench.reading.formats.package import local, parse_xml
from workbench.reading.formats.wikitext import blocks_of
from workbench.reading.html.metadata import iso_time

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
    """Begins with the root element, possibly after an XML declaration and comments."""
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
    """The pages of a dump as bytes; None for one that is too long or incomplete (``problem`` says which it is)."""

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
        """Where the next page end begins; -1 if there is none within the longest page allowed."""
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
