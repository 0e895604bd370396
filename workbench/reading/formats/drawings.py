"""Text of shapes in Office files (DrawingML): slides, text boxes on sheets, SmartArt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from workbench.base.types import BlockKind
from workbench.reading.decoding import clean
from workbench.reading.formats.package import attribute, local, named

_LEFT_OUT = frozenset(["Fallback", "fld", "rPr", "pPr", "endParaRPr", "annotation"])
"""Fields are numbers of slides and dates."""
_BULLETS = frozenset(["buChar", "buAutoNum", "buBlip"])
_TITLES = frozenset(["title", "ctrTitle"])
_BODIES = frozenset(["", "body", "obj", "tbl"])
_FURNITURE = frozenset(["sldNum", "dt", "ftr", "hdr", "sldImg"])
"""Placeholders for what is repeated on each slide."""


class ShapeText(NamedTuple):
    """A paragraph of a shape; ``is_title`` if it is part of the slide's title."""

    text: str
    kind: BlockKind
    is_title: bool = False


def shape_paragraphs(root: etree._Element) -> Iterator[ShapeText]:
    """The paragraphs of all shapes below ``root`` in order; hidden shapes and the furniture of slides are left out.

    libxml2 refuses more than 256 levels, so recursion is bounded.
    """
    for child in root:
        tag = local(child)
        if tag in ("sp", "graphicFrame", "grpSp") and _is_hidden(child):
            continue
        if tag == "sp":
            yield from _shape(child)
        elif tag == "tbl":
            for cell in named(child, "tc"):
                yield from (ShapeText(text, BlockKind.TABLE_CELL) for text in _texts(cell))
        elif tag not in _LEFT_OUT:
            yield from shape_paragraphs(child)


def point_paragraphs(root: etree._Element) -> Iterator[ShapeText]:
    """The paragraphs of the points of SmartArt, from its data part."""
    for point in named(root, "pt"):
        yield from (ShapeText(text, BlockKind.LIST_ITEM) for text in _texts(point))


def _shape(shape: etree._Element) -> Iterator[ShapeText]:
    holder = next(named(shape, "ph"), None)
    place = None if holder is None else attribute(holder, "type")
    if place in _FURNITURE:
        return
    is_title = place in _TITLES
    for paragraph in named(shape, "p"):
        text = _text(paragraph)
        if is_title:
            yield ShapeText(text, BlockKind.HEADING, is_title=True)
        else:
            yield ShapeText(text, BlockKind.LIST_ITEM if _is_item(paragraph, place) else BlockKind.PARAGRAPH)


def _is_item(paragraph: etree._Element, place: str | None) -> bool:
    """Whether a paragraph has a bullet: its own, or the one that the body of a slide has by default."""
    marks = {local(mark) for properties in paragraph if local(properties) == "pPr" for mark in properties}
    return bool(marks & _BULLETS) or (place in _BODIES and "buNone" not in marks)


def _is_hidden(shape: etree._Element) -> bool:
    return any(attribute(e, "hidden") in ("1", "true") for part in shape for e in part if local(e) == "cNvPr")


def _texts(element: etree._Element) -> Iterator[str]:
    yield from (_text(paragraph) for paragraph in named(element, "p"))


def _text(paragraph: etree._Element) -> str:
    return clean("".join(_pieces(paragraph)))[0].strip()


def _pieces(element: etree._Element) -> Iterator[str]:
    for child in element:
        tag = local(child)
        if tag == "t":
            yield child.text or ""
        elif tag == "br":
            yield "\n"
        elif tag == "tab":
            yield "\t"
        elif tag not in _LEFT_OUT:
            yield from _pieces(child)
