"""The background colour of the text of a slide (PowerPoint).

It is the colour of the shape, otherwise the background of the slide, of its layout or master; theme colours are looked
up in the theme. It is unknown if a picture or another filled shape overlaps the shape of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from workbench.reading.formats.colours import PAPER, Theme, is_lost
from workbench.reading.formats.package import Package, attribute, local, named, relations

_FILLS = frozenset(["solidFill", "gradFill", "blipFill", "pattFill", "grpFill"])
USUAL_NAMES = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
"""The names of a theme's colours on slides whose master does not rename them."""
_LEVELS = 3
"""Number of levels: a slide, its layout and the master."""


class Area(NamedTuple):
    """A part of a slide, in EMU from its top left."""

    left: int
    top: int
    right: int
    bottom: int

    def meets(self, other: Area) -> bool:
        """Whether they overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Paper:
    """The background of a slide with the parts to which it refers: its layout, the master of that, and the theme."""

    def __init__(self, package: Package, part: str, root: etree._Element, size: tuple[int, int] | None = None) -> None:
        self._roots = [root]
        self._size = size
        names = [part]
        for kind in ("slideLayout", "slideMaster"):
            names.append(_related(package, names[-1], kind))
            above = package.xml_if_any(names[-1]) if names[-1] else None
            if above is None:
                break
            self._roots.append(above)
        theme = _related(package, names[-1], "theme") if len(self._roots) == len(names) else ""
        own = {str(key): str(value) for entry in named(self._roots[-1], "clrMap") for key, value in entry.items()}
        self.theme = Theme(package.xml_if_any(theme) if theme else None, own or USUAL_NAMES)
        self._ground = self._background()
        self._coloured = [(shape, _area(shape)) for top in self._roots for shape in self._coloured_shapes(top)]

    def ground(self, shape: etree._Element) -> str | None:
        """The background colour of the words of ``shape``; None if unknown."""
        patterns = [*self._patterns(shape)]
        for one in (shape, *patterns):
            if fill := _fill(one):
                return (self.theme.colour(fill[0]) or None) if fill[0] is not None else None
        own = next((area for one in (shape, *patterns) if (area := _area(one))), None)
        others = [area for other, area in self._coloured if other is not shape]
        if others and (own is None or any(area is None or area.meets(own) for area in others)):
            return None
        return self._ground

    def is_outside(self, shape: etree._Element) -> bool:
        """Whether a shape is beyond the edges of the slide."""
        area = _area(shape)
        return self._size is not None and area is not None and not Area(0, 0, *self._size).meets(area)

    def shown_texts(self) -> Iterator[etree._Element]:
        """The paragraphs of the layout and the master that are shown on the slide."""
        for root in self._roots[1:]:
            for shape in named(root, "sp"):
                if next(named(shape, "ph"), None) is None:
                    yield from named(shape, "p")

    def _patterns(self, shape: etree._Element) -> Iterator[etree._Element]:
        """The placeholders of the layout and the master from which ``shape`` inherits."""
        holder = next(named(shape, "ph"), None)
        if holder is None:
            return
        for root in self._roots[1:]:
            for other in named(root, "sp"):
                its = next(named(other, "ph"), None)
                if its is not None and any(
                    attribute(its, key) == attribute(holder, key) != "" for key in ("idx", "type")
                ):
                    yield other

    def _background(self) -> str | None:
        """The colour of the background; None if it is a picture or unknown."""
        for root in self._roots:
            for ground in named(root, "bg"):
                fill = next((e for e in ground.iter() if local(e) in ("solidFill", "bgRef")), None)
                return self.theme.colour(fill) or None
        return PAPER if len(self._roots) == _LEVELS else None

    def _coloured_shapes(self, root: etree._Element) -> Iterator[etree._Element]:
        """The pictures, tables, charts and filled shapes of a slide; a group counts as a whole."""
        for tree in named(root, "spTree"):
            for shape in tree:
                within = shape.iter() if local(shape) == "grpSp" else (shape,)
                if any(local(one) in ("pic", "graphicFrame") or self._is_filled(one) for one in within):
                    yield shape

    def _is_filled(self, shape: etree._Element) -> bool:
        """Whether a shape has a fill that is not white, its own or from a style."""
        fill = _fill(shape)
        return bool(fill) and not (fill[0] is not None and is_lost(self.theme.colour(fill[0]), PAPER))


def _related(package: Package, part: str, kind: str) -> str:
    return next((other.part for other in relations(package, part).values() if other.kind == kind), "")


def _fill(shape: etree._Element) -> tuple[etree._Element | None, ...]:
    """The fill of a shape, its own or from a style, as a tuple of at most one; None unless it has one colour."""
    for properties in (child for child in shape if local(child) in ("spPr", "grpSpPr")):
        for fill in properties:
            if local(fill) == "noFill":
                return ()
            if local(fill) in _FILLS:
                return (fill if local(fill) == "solidFill" else None,)
    styles = (child for child in shape if local(child) == "style")
    has_style = any(attribute(entry, "idx") not in ("", "0") for style in styles for entry in named(style, "fillRef"))
    return (None,) if has_style else ()


def _area(shape: etree._Element) -> Area | None:
    """The area of a shape on its slide, if it is given."""
    own = _frame(shape)
    if own is None:
        return None
    left, top = float(own["off"]["x"]), float(own["off"]["y"])
    right, bottom = left + own["ext"]["cx"], top + own["ext"]["cy"]
    for group in (around for around in shape.iterancestors() if local(around) == "grpSp"):
        # Positions in a group are on a scale of its own.
        frame = _frame(group)
        if frame is not None and "chOff" in frame and "chExt" in frame:
            across, down = (
                frame["ext"][key] / frame["chExt"][key] if frame["chExt"][key] else 1.0 for key in ("cx", "cy")
            )
            left, right = (frame["off"]["x"] + across * (x - frame["chOff"]["x"]) for x in (left, right))
            top, bottom = (frame["off"]["y"] + down * (y - frame["chOff"]["y"]) for y in (top, bottom))
    return Area(*map(round, (left, top, right, bottom)))


def _frame(shape: etree._Element) -> dict[str, dict[str, int]] | None:
    """The position and size of a shape and, of a group, those of its content on the scale of its content."""
    for frame in (e for part in shape for e in (part, *part) if local(e) == "xfrm"):
        points: dict[str, dict[str, int]] = {}
        for point in frame:
            keys = ("x", "y") if local(point) in ("off", "chOff") else ("cx", "cy")
            values = {key: attribute(point, key) for key in keys}
            if all(value.removeprefix("-").isdecimal() and len(value) < 16 for value in values.values()):
                points[local(point)] = {key: int(value) for key, value in values.items()}
        if "off" in points and "ext" in points:
            return points
    return None
