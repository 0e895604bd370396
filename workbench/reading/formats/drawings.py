"""Text of shapes in Office files (DrawingML): slides, text boxes on sheets, SmartArt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import clean
from workbench.reading.formats.colours import PAPER, Theme, is_lost
from workbench.reading.formats.package import attribute, local, named
from workbench.reading.formats.paragraphs import RelativeLook
from workbench.reading.formats.slide_paper import USUAL_NAMES, Paper
from workbench.reading.note_marks import is_mark_after

_LEFT_OUT = frozenset(["Fallback", "fld", "rPr", "pPr", "endParaRPr", "annotation"])
"""Fields are slide numbers and dates."""
_BULLETS = frozenset(["buChar", "buAutoNum", "buBlip"])
_TITLES = frozenset(["title", "ctrTitle"])
_BODIES = frozenset(["", "body", "obj", "tbl"])
_FURNITURE = frozenset(["sldNum", "dt", "ftr", "hdr", "sldImg"])
"""Placeholders that repeat on each slide."""
_TINY, _SHRUNK = 150, 10_000
"""Letters are hidden up to this size in hundredths of a point, or this scale in thousandths of a percent."""
_USUAL = Theme(names=USUAL_NAMES)


class ShapeText(NamedTuple):
    """A paragraph of a shape; ``is_title`` if it is part of the slide's title. ``unseen`` are parts that are tiny,
    without ink, or in the colour of their background; ``looks`` are its bold or italic parts.
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
                fill = next(
                    (e for part in cell if local(part) == "tcPr" for e in part if local(e) == "solidFill"), None
                )
                ground = (paper.theme if paper else _USUAL).colour(fill) or None
                for paragraph in named(cell, "p"):
                    yield _text(paragraph, BlockKind.TABLE_CELL, ground, paper)
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
    ground = paper.ground(shape) if paper else None
    scales = (attribute(e, "fontScale") for e in named(shape, "normAutofit"))
    is_gone = any(s.isdecimal() and int(s[:9]) <= _SHRUNK for s in scales) or bool(paper and paper.is_outside(shape))
    for paragraph in named(shape, "p"):
        kind = BlockKind.LIST_ITEM if _is_item(paragraph, place) else BlockKind.PARAGRAPH
        text = _text(paragraph, BlockKind.HEADING if is_title else kind, ground, paper, is_title=is_title)
        yield text._replace(unseen=((0, len(text.text)),)) if is_gone else text


def _is_item(paragraph: etree._Element, place: str | None) -> bool:
    """Whether a paragraph has a bullet: its own, or by default in the slide's body."""
    marks = {local(mark) for properties in paragraph if local(properties) == "pPr" for mark in properties}
    return bool(marks & _BULLETS) or (place in _BODIES and "buNone" not in marks)


def _is_hidden(shape: etree._Element) -> bool:
    return any(attribute(e, "hidden") in ("1", "true") for part in shape for e in part if local(e) == "cNvPr")


def _texts(element: etree._Element, kind: BlockKind) -> Iterator[ShapeText]:
    yield from (_text(paragraph, kind) for paragraph in named(element, "p"))


def _text(
    paragraph: etree._Element,
    kind: BlockKind,
    ground: str | None = None,
    paper: Paper | None = None,
    *,
    is_title: bool = False,
) -> ShapeText:
    """A paragraph; ``ground`` is its background, None if unknown."""
    theme = paper.theme if paper else _USUAL
    pieces: list[tuple[str, etree._Element | None]] = []
    for words, run in _pieces(paragraph, None):
        if not (_is_raised(run) and is_mark_after("".join(before for before, _ in pieces[-4:]), words)):
            pieces.append((clean(words)[0], run))
    whole = "".join(words for words, _ in pieces)
    before = len(whole) - len(whole.lstrip())
    looks_of = {id(run): _sight(run, theme) for _, run in pieces if run is not None}
    sights = [_SEEN if run is None else looks_of[id(run)] for _, run in pieces]
    if ground is None and any(
        not is_lost(sight.letters, PAPER) and words.strip() for (words, _), sight in zip(pieces, sights, strict=True)
    ):
        # White words are visible on a dark slide, where their neighbours are white as well.
        ground = PAPER
    unseen, looks, at = [], list[RelativeLook](), -before
    for (words, run), sight in zip(pieces, sights, strict=True):
        start, at = max(0, at), at + len(words)
        if sight.is_unseen or is_lost(sight.letters, sight.behind or ground):
            unseen.append((start, at))
        if run is not None and at > start and (look := _look(run)):
            looks.append((start, at, look))
    return ShapeText(whole.strip(), kind, is_title, tuple(unseen), tuple(looks))


class _Sight(NamedTuple):
    """Whether a run is tiny or without ink, its colour and the colour of its highlight; empty if unknown."""

    is_unseen: bool = False
    letters: str = ""
    behind: str = ""


_SEEN = _Sight()


def _sight(run: etree._Element, theme: Theme) -> _Sight:
    for properties in (child for child in run if local(child) == "rPr"):
        size = attribute(properties, "sz")
        own = {local(child): child for child in properties}
        letters = theme.colour(own.get("solidFill"))
        is_unseen = (size.isdecimal() and int(size[:6]) <= _TINY) or letters == "clear"
        is_unseen |= "noFill" in own and not any(local(e) == "solidFill" for e in own.get("ln", ()))
        return _Sight(is_unseen, letters, theme.colour(own.get("highlight")))
    return _SEEN


def _is_raised(run: etree._Element | None) -> bool:
    baselines = (attribute(child, "baseline") for child in (() if run is None else run) if local(child) == "rPr")
    return any(baseline.isdecimal() and int(baseline[:9]) > 0 for baseline in baselines)


def _look(run: etree._Element) -> LookKind:
    """The run's own look."""
    look = LookKind(0)
    for properties in (child for child in run if local(child) == "rPr"):
        for name, kind in (("b", LookKind.BOLD), ("i", LookKind.ITALIC)):
            if attribute(properties, name) in ("1", "true"):
                look |= kind
    return look


def _pieces(element: etree._Element, run: etree._Element | None) -> Iterator[tuple[str, etree._Element | None]]:
    """The words below an ``element``, each with its run."""
    for child in element:
        tag = local(child)
        if tag == "t":
            yield child.text or "", run
        elif tag in ("br", "tab"):
            yield "\n" if tag == "br" else "\t", run
        elif tag not in _LEFT_OUT:
            yield from _pieces(child, child if tag == "r" else run)
