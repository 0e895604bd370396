"""Blocks, links, anchors and extraction of a document as packed JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from workbench.base.messages import Message, read, stored
from workbench.base.types import (
    Anchor,
    Block,
    BlockClass,
    BlockKind,
    Document,
    Extraction,
    IntegrityFlag,
    Look,
    LookKind,
    PrintedPage,
    Span,
)
from workbench.project.packing import Packed, damaged, object_from_json, pack, to_json, unpack

# Calling the enumerations is several times slower, and a page has hundreds of blocks.
_KINDS = {kind.value: kind for kind in BlockKind}
_LOOKS = {number: LookKind(number) for number in range(1, 2 * LookKind.PICTURE)}
_VERDICTS = {verdict.value: verdict for verdict in BlockClass}
_CACHED, _SHORT = 256, 1_000
"""Number of details cached, and the bytes up to which they count as short."""
_stored, _read = lru_cache(maxsize=4096)(stored), lru_cache(maxsize=4096)(read)
"""Cache of blocks' reasons; pages of a site often have the same."""
_bare: dict[Packed, Details] = {}
"""Cache of short details without offsets, which fit any text; documents of one source often have the same."""


def pack_details(document: Document) -> Packed:
    """Packs details for :func:`unpack_details`."""
    if not (document.blocks or document.links or document.anchors):
        return _pack_bare(document.extraction)
    return _pack(document.blocks, document.links, document.anchors, document.extraction)


@lru_cache(maxsize=_CACHED)
def _pack_bare(extraction: Extraction) -> Packed:
    """The same for a document without blocks and links; cached, as documents of one source often have equal details."""
    return _pack((), (), (), extraction)


def _pack(
    blocks: tuple[Block, ...], links: tuple[str, ...], anchors: tuple[Anchor, ...], extraction: Extraction
) -> Packed:
    rows = [[b.span.start, b.span.end, b.kind, b.verdict, _stored(b.rule), b.path] for b in blocks]
    facts = asdict(replace(extraction, looks=()))
    for name in ("created", "hidden", "pages", "integrity", "ocr", "looks"):
        if not facts[name]:
            del facts[name]
    if extraction.looks:
        facts["looks"] = [number for look in extraction.looks for number in (*look.span, look.kind.value)]
    value: dict[str, Any] = {"blocks": rows, "links": links, "extraction": facts}
    if anchors:
        at = {link: i for i, link in enumerate(links)}
        value["anchors"] = [[a.span.start, a.span.end, at.get(a.address, -1)] for a in anchors]
    return pack(to_json(value).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks and anchors, each ordered and disjoint, links and extraction; see :class:`~workbench.base.types.Document`.
    Projects of versions that did not store anchors have none.
    """

    blocks: tuple[Block, ...]
    links: tuple[str, ...]
    anchors: tuple[Anchor, ...]
    extraction: Extraction


def unpack_details(packed: Packed, characters: int, name: str) -> Details:
    """The details of a text of ``characters`` code points. Raises ProjectError if they cannot belong to it."""
    if (known := _bare.get(packed)) is not None:
        return known
    what = f"the layout of {name}"
    value = object_from_json(unpack(packed, what), what)
    try:
        blocks = tuple(_block(row) for row in value["blocks"])
        links = tuple(_text(link) for link in value["links"])
        anchors = tuple(_anchor(row, links) for row in value.get("anchors", ()))
        extraction = _extraction(value["extraction"], characters)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(Message("{what} has the wrong shape", what=what)) from error
    for parts in (blocks, anchors):
        edges = [0, *(edge for part in parts for edge in part.span), characters]
        if any(a > b for a, b in pairwise(edges)):
            raise damaged(Message("{what} has blocks outside its text", what=what))
    details = Details(blocks, links, anchors, extraction)
    has_offsets = blocks or anchors or extraction.pages or extraction.integrity or extraction.looks
    if not has_offsets and packed.size < _SHORT and len(_bare) < _CACHED:
        _bare[packed] = details
    return details


def _anchor(row: list[Any], links: tuple[str, ...]) -> Anchor:
    start, end, link = row
    if not all(type(number) is int for number in row) or not -1 <= link < len(links):
        raise TypeError
    return Anchor(Span(start, end), links[link] if link >= 0 else "")


def _block(row: list[Any]) -> Block:
    start, end, kind, verdict, rule, path = row
    if type(start) is not int or type(end) is not int:
        raise TypeError
    return Block(Span(start, end), _KINDS[kind], _VERDICTS[verdict], _read(_text(rule)), _text(path))


def _extraction(value: dict[str, Any], characters: int) -> Extraction:
    extraction = Extraction(**value)
    repairs = tuple(_text(repair) for repair in extraction.repairs)
    kind, encoding, source, created = map(
        _text, (extraction.format, extraction.encoding, extraction.encoding_source, extraction.created)
    )
    if type(extraction.hidden) is not int or extraction.hidden < 0:
        raise TypeError
    pages = tuple(_page(row, characters) for row in extraction.pages)
    flags = tuple(_flag(row, characters) for row in extraction.integrity)
    if not all(type(percent) is int and 0 <= percent <= 100 for percent in extraction.ocr):
        raise TypeError
    ocr = tuple(extraction.ocr)
    looks = _looks(extraction.looks, characters)
    return Extraction(kind, encoding, source, repairs, created, extraction.hidden, pages, flags, ocr, looks)


def _looks(rows: Any, characters: int) -> tuple[Look, ...]:
    """Looks from one flat row of numbers: start, end and kind of each."""
    if not all(type(number) is int for number in rows):
        raise TypeError
    triples = zip(*[iter(rows)] * 3, strict=True)
    looks = tuple(Look(Span(start, end), _LOOKS[kind]) for start, end, kind in triples)
    edges = [0, *(edge for look in looks for edge in look.span), characters]
    if any(a > b for a, b in pairwise(edges)):
        raise TypeError
    return looks


def _flag(row: Any, characters: int) -> IntegrityFlag:
    kind, count, spans = row
    edges = [0, *(edge for span in spans for edge in span), characters]
    numbers = [count, *edges]
    if not all(type(number) is int for number in numbers) or count < 0 or any(a > b for a, b in pairwise(edges)):
        raise TypeError
    return IntegrityFlag(_text(kind), count, tuple(Span(start, end) for start, end in spans))


def _page(row: Any, characters: int) -> PrintedPage:
    label, lines = row
    if not all(type(offset) is int and 0 <= offset <= characters for offset in lines):
        raise TypeError
    return PrintedPage(_text(label), tuple(lines))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
