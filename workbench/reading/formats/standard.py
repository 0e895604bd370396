"""The standard format: a page as XML with its sentences and links, as provided by the search engine TSUBAKI.

Source: Kang's thesis (2009), section 4.1 and figure 8; Shinzato et al. (2007). ``StandardFormat`` has the URL and
encoding of the page, ``Header`` its title, outgoing and incoming links, ``Text`` its sentences ``S``, each with its
``RawString``. Files written here also give a sentence's ``Paragraph``, its ``Class`` if it is not content, and the
space after it, so that the text can be restored; analyses (``Annotation``) are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass, BlockKind, Document, Span
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.opening import whole
from workbench.reading.formats.package import local, parse_xml
from workbench.reading.formats.paragraphs import Paragraphs
from workbench.text.segmenting.segmentation import segments

name = "standard"
suffixes: tuple[str, ...] = ()
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_RULE = "standard format"


def sniff(head: bytes) -> bool:
    """Whether it begins with the element ``StandardFormat``, after a declaration at most."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?<StandardFormat[\s>]", head) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The page as one document. Raises UnreadableInput if it is not such a file, or has no sentence."""
    root = parse_xml(whole(source, options), source.name)
    if local(root) != "StandardFormat":
        raise UnreadableInput(Message("This is not a page in the standard format."))
    paragraphs = Paragraphs()
    sentences = [(s.get("Paragraph") or f"s{at}", s) for at, s in enumerate(_every(root, "S"))]
    for at, (_, group) in enumerate(groupby(sentences, key=lambda numbered: numbered[0]), 1):
        own = [s for _, s in group]
        kind = BlockKind.HEADING if own[0].get("Heading") else BlockKind.PARAGRAPH
        outside = own[0].get("Class") == BlockClass.NON_CONTENT
        verdict = BlockClass.NON_CONTENT if outside else BlockClass.CONTENT
        like = Block(Span(0, 0), kind, verdict, _RULE if outside else "", f"p[{at}]")
        paragraphs.add_block("".join(map(_raw, own)), like)
    title = next((_raw(element).strip() for element in _every(root, "Title")), "")
    links = dict.fromkeys(
        address for link in _every(root, "OutLink") for page in _every(link, "DocID") if (address := page.get("Url"))
    )
    document = paragraphs.document(source.name, name, options, title=title, links=links)
    how = replace(document.extraction, encoding=root.get("OriginalEncoding") or "utf-8", encoding_source="declared")
    yield Record(None, replace(document, url=root.get("Url") or "", extraction=how))


def written(document: Document, incoming: Iterable[tuple[str, str]] = ()) -> bytes:
    """``document`` in this format; ``incoming`` are id and URL of each page that links to it."""
    root = etree.Element("StandardFormat", Url=_fit(document.url), OriginalEncoding=_fit(document.extraction.encoding))
    header = etree.SubElement(root, "Header")
    _string(etree.SubElement(header, "Title"), document.title)
    outgoing = [(document.text[a.span.start : a.span.end], a.address) for a in document.anchors if a.address]
    outgoing += [("", link) for link in document.links if link not in {address for _, address in outgoing}]
    out = etree.SubElement(header, "OutLinks")
    for words, address in outgoing:
        link = etree.SubElement(out, "OutLink")
        _string(link, words)
        etree.SubElement(etree.SubElement(link, "DocIDs"), "DocID", Url=_fit(address))
    pages = etree.SubElement(etree.SubElement(etree.SubElement(header, "InLinks"), "InLink"), "DocIDs")
    for identity, address in incoming:
        etree.SubElement(pages, "DocID", Url=_fit(address)).text = _fit(identity)
    text = etree.SubElement(root, "Text", Type="default")
    number = 0
    for at, block in enumerate(document.blocks or (Block(Span(0, len(document.text))),), 1):
        inside = document.text[block.span.start : block.span.end]
        spans = segments(inside)
        for span, after in zip(spans, [*(s.start for s in spans[1:]), len(inside)], strict=False):
            number += 1
            facts = {
                "Id": str(number),
                "Offset": str(block.span.start + span.start),
                "Length": str(span.end - span.start),
            }
            facts |= {"Paragraph": str(at)}
            facts |= {"Heading": "1"} if block.kind is BlockKind.HEADING else {}
            facts |= {} if block.verdict is BlockClass.CONTENT else {"Class": block.verdict.value}
            _string(etree.SubElement(text, "S", facts), inside[span.start : after])
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=False))


def _every(parent: etree._Element, name: str) -> Iterator[etree._Element]:
    return (element for element in parent.iter() if isinstance(element.tag, str) and local(element) == name)


def _raw(element: etree._Element) -> str:
    """The ``RawString`` of an element, "" without one."""
    return next((clean(string.text or "")[0] for string in _every(element, "RawString")), "")


def _string(parent: etree._Element, text: str) -> None:
    etree.SubElement(parent, "RawString").text = _fit(text)


def _fit(text: str) -> str:
    """``text`` without the characters not allowed in XML."""
    return _NO_XML.sub("\ufffd", text)
