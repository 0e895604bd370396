"""Text of shapes in Office files (DrawingML): slides, text boxes on sheets, SmartArt."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from lxml import etree

from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import clean
from workbench.reading.formats.package import attribute, is_pale, local, named
from workbench.reading.formats.paragraphs import RelativeLook
from workbench.reading.formats.slide_paper import Paper

_LEFT_OUT = frozenset(["Fallback", "fld", "rPr", "pPr", "endParaRPr", "annotation"])
"""Fields are slide numbers and dates."""
_BULLETS = frozenset(["buChar", "buAutoNum", "buBlip"])
_TITLES = frozenset(["title", "ctrTitle"])
_BODIES = frozenset(["", "body", "obj", "tbl"])
_FURNITURE = frozenset(["sldNum", "dt", "ftr", "hdr", "sldImg"])
"""Placeholders that repeat on each slide."""
_PAPER = frozenset(["bg1", "white"])
"""Names of the background colour."""
_TINY = 150
"""Hundredths of a point."""


class ShapeText(NamedTuple):
    """A paragraph of a shape; ``is_title`` if it is part of the slide's title. ``unseen`` are its tiny parts, and those
    white on white paper or beside words that are not white; ``looks`` are its bold or italic parts.
    """

    text: str
    kind: BlockKind
    is_title: bool = False
    unseen: tuple[tuple[int, int], ...] = ()
    looks: tuple[RelativeLook, ...] = ()


def shape_paragraphs(root: etree._Element, paper: Paper | None = None) -> Iterator[ShapeText]:
    """The paragraphs of all shapes below ``root`` in order; hidden shapes and placeholders that repeat on slides are
    left out. ``paper`` is their background.

    libxml2 refuses more than 256 levels, so recursion is bounded.
    """
    for child in root:
        tag = local(child)
        if tag in ("sp", "graphicFrame", "grpSp") and _is_hidden(child):
            continue
        if tag == "sp":
            yield from _shape(child, paper)
        elif tag == "tbl":
            for cell in named(child, "tc"):
                yield from _texts(cell, BlockKind.TABLE_CELL)
        elif tag not in _LEFT_OUT:
            yield from shape_paragraphs(child, paper)


def point_paragraphs(root: etree._Element) -> Iterator[ShapeText]:
    """The paragraphs of the points of SmartArt, from its data part."""
    for point in named(root, "pt"):
        yield from _texts(point, BlockKind.LIST_ITEM)


def _shape(shape: etree._Element, paper: Paper | None) -> Iterator[ShapeText]:
    holder = next(named(shape, "ph"), None)
    place = None if holder is None else attribute(holder, "type")
    if place in _FURNITURE:
        return
    is_title = place in _TITLES
    on_white = paper.hides_white(shape) if paper else None
    for paragraph in named(shape, "p"):
        if is_title:
            yield _text(paragraph, BlockKind.HEADING, on_white, is_title=True)
        else:
            kind = BlockKind.LIST_ITEM if _is_item(paragraph, place) else BlockKind.PARAGRAPH
            yield _text(paragraph, kind, on_white)


def _is_item(paragraph: etree._Element, place: str | None) -> bool:
    """Whether a paragraph has a bullet: its own, or the default of the slide's body."""
    marks = {local(mark) for properties in paragraph if local(properties) == "pPr" for mark in properties}
    return bool(marks & _BULLETS) or (place in _BODIES and "buNone" not in marks)


def _is_hidden(shape: etree._Element) -> bool:
    return any(attribute(e, "hidden") in ("1", "true") for part in shape for e in part if local(e) == "cNvPr")


def _texts(element: etree._Element, kind: BlockKind) -> Iterator[ShapeText]:
    yield from (_text(paragraph, kind) for paragraph in named(element, "p"))


def _text(
    paragraph: etree._Element, kind: BlockKind, on_white: bool | None = None, *, is_title: bool = False
) -> ShapeText:
    """A paragraph; ``on_white`` is None where the background is unknown."""
    pieces = [(clean(words)[0], sight, look) for words, sight, look in _pieces(paragraph, _Sight.SEEN, LookKind(0))]
    whole = "".join(words for words, _, _ in pieces)
    before = len(whole) - len(whole.lstrip())
    if on_white is None:
        # White words are visible on a dark slide, where their neighbours are white as well.
        on_white = any(sight is _Sight.SEEN and words.strip() for words, sight, _ in pieces)
    unseen, looks, at = [], list[RelativeLook](), -before
    for words, sight, look in pieces:
        start, at = max(0, at), at + len(words)
        if sight is _Sight.TINY or (sight is _Sight.WHITE and on_white):
            unseen.append((start, at))
        if look and at > start:
            looks.append((start, at, look))
    return ShapeText(whole.strip(), kind, is_title, tuple(unseen), tuple(looks))


class _Sight(Enum):
    SEEN = auto()
    WHITE = auto()
    TINY = auto()


def _sight(run: etree._Element) -> _Sight:
    for properties in (child for child in run if local(child) == "rPr"):
        size = attribute(properties, "sz")
        if size.isdecimal() and int(size[:6]) <= _TINY:
            return _Sight.TINY
        for fill in (child for child in properties if local(child) == "solidFill"):
            colours = [attribute(e, "val") for e in fill]
            if any(is_pale(colour) or colour in _PAPER for colour in colours):
                return _Sight.WHITE
    return _Sight.SEEN


def _look(run: etree._Element) -> LookKind:
    """The run's own look."""
    look = LookKind(0)
    for properties in (child for child in run if local(child) == "rPr"):
        for name, kind in (("b", LookKind.BOLD), ("i", LookKind.ITALIC)):
            if attribute(properties, name) in ("1", "true"):
                look |= kind
    return look


def _pieces(element: etree._Element, sight: _Sight, look: LookKind) -> Iterator[tuple[str, _Sight, LookKind]]:
    for child in element:
        tag = local(child)
        if tag == "t":
            yield child.text or "", sight, look
        elif tag == "br":
            yield "\n", sight, look
        elif tag == "tab":
            yield "\t", sight, look
        elif tag not in _LEFT_OUT:
            yield from _pieces(child, *((_sight(child), _look(child)) if tag == "r" else (sight, look)))
