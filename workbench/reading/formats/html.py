"""Web pages: one document per file, with its blocks, title, links and date."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Anchor, Document, Extraction
from workbench.reading.blocks.selectors import judge_by_selectors
from workbench.reading.decoding import decode, decoded_as
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.html.page import extract_html
from workbench.text.languages import detect_language

name = "html"
suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml")
_LOOKS_LIKE = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body|meta|title)\b",
    re.IGNORECASE | re.DOTALL,
)
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
_WEB = ("http", "https", "ftp")
_REST = r"(?:\?[!-\"$-~]+)?(?:#[!-~]+)?"
_ABSOLUTE = re.compile(rf"https?://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[!-\"$-:<->@-~]*)?{_REST}")
_FROM_ROOT = re.compile(rf"/(?![/.])(?:[!-\"$-.0-:<->@-~]|/(?!\.))*{_REST}")
"""URLs that can be joined by concatenation: almost all are, and ``urljoin`` is slow."""
_BODY = re.compile(r"<(frameset|body)\b", re.IGNORECASE)
_COMMENT_OR_SCRIPT = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_NO_FRAMES = re.compile(r"<noframes\b[^>]{0,1000}>(.*?)(?:</noframes\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_FRAME = re.compile(r"<frame\b[^<>]{0,2000}?\bsrc\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
_FRAMESET_WITHIN = 1 << 16
"""The frameset or body must begin within this many characters."""


class EmptyPage(UnreadableInput):
    """A page without readable text."""


def sniff(head: bytes) -> bool:
    """Whether it begins with a doctype or an element of a page's head."""
    return _LOOKS_LIKE.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The page as one document. Raises UnreadableInput for binary data and pages without readable text."""
    data = whole(source, options)
    if not data.strip():
        raise EmptyPage(Message("The file is empty."))
    decoded = decode(data, html=True, override=options.encoding)
    document = page(
        decoded.text, source.name, language=options.language or "", selectors=options.selectors, rule=options.rule
    )
    extraction = decoded_as(document.extraction, decoded)
    yield Record(None, replace(document, title=document.title or source.stem, extraction=extraction))


def page(
    markup: str,
    document_id: str,
    *,
    url: str = "",
    site: str = "",
    language: str = "",
    selectors: Mapping[str, str] | None = None,
    rule: str = "default",
) -> Document:
    """A document from markup; ``url``, ``site`` and ``language`` take precedence over what the page declares.

    ``selectors`` are CSS selectors of the main text by host; ``rule`` classifies the blocks of other pages. Raises
    UnreadableInput if the page has no readable text, UserError for an unusable selector.
    """
    markup, frames = _without_frames(markup)
    extracted = extract_html(markup)
    if not extracted.text:
        listed = ", ".join(frame[:100] for frame in frames[:5]) + (", …" if len(frames) > 5 else "")
        hint = Message("It consists of frames, which are separate files: {shown}.", shown=listed) if frames else ""
        raise EmptyPage(Message("There is no readable text in this page."), hint=hint)
    address = url or extracted.url
    host = site or site_of(address)
    addresses = dict(_web_links(address, extracted.links))
    detected = language or detect_language(extracted.text)
    return Document(
        id=document_id,
        text=extracted.text,
        title=extracted.title,
        url=address,
        site=host,
        published=extracted.published,
        dated_by=extracted.dated_by,
        language=extracted.language or detected if detected == "und" else detected,
        origin=document_id,
        blocks=judge_by_selectors(extracted.page, markup, host, selectors or {}, rule),
        links=tuple(addresses.values()),
        anchors=tuple(Anchor(a.span, addresses.get(a.address, "")) for a in extracted.anchors),
        extraction=Extraction(name, hidden=len(extracted.hidden), looks=extracted.looks),
        markup=markup,
    )


def _without_frames(markup: str) -> tuple[str, tuple[str, ...]]:
    """``markup`` with its frameset replaced by the content of ``<noframes>``, and the addresses of the frames."""
    beginning = _COMMENT_OR_SCRIPT.sub(lambda match: " " * len(match[0]), markup[:_FRAMESET_WITHIN])
    match = _BODY.search(beginning)
    if match is None or match[1].lower() != "frameset":
        return markup, ()
    rest = markup[match.start() :]
    frames = tuple("".join(parts) for parts in _FRAME.findall(rest))
    return markup[: match.start()] + "<body>" + "\n".join(_NO_FRAMES.findall(rest)), frames


def site_of(url: str) -> str:
    """The host of ``url`` in lower case; empty if there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _web_links(base: str, links: Iterable[str]) -> Iterator[tuple[str, str]]:
    """``links``, each with its absolute form, without those to local files, inline data or programs (``file:``,
    ``data:``).
    """
    root = urljoin(base, "/")[:-1] if _ABSOLUTE.fullmatch(base) else ""
    for link in links:
        if _ABSOLUTE.fullmatch(link):
            yield link, link
            continue
        if root and _FROM_ROOT.fullmatch(link):
            yield link, root + link
            continue
        try:
            absolute = urljoin(base, link) if base else link
        except ValueError:
            continue
        scheme = _SCHEME.match(absolute)
        if scheme is None or scheme[1].lower() in _WEB:
            yield link, absolute
