"""What is behind the text of a slide (PowerPoint): whether words in white are seen there.

The background is that of the slide, else of its layout or master; a colour of the theme is looked up there. Words are
on paper where that is white, their shape has no fill, and no picture or filled shape is where theirs is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from workbench.reading.formats.package import Package, attribute, is_pale, local, named, relations

_FILLS = frozenset(["solidFill", "gradFill", "blipFill", "pattFill", "grpFill"])
_COLOURS = {"white": "FFFFFF", "black": "000000"}
_LEVELS = 3
"""A slide, its layout and the master."""


class Area(NamedTuple):
    """A part of a slide, in EMU from its top left."""

    left: int
    top: int
    right: int
    bottom: int

    def meets(self, other: Area) -> bool:
        """Whether they have a part in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Paper:
    """The background of a slide with the parts that it refers to: its layout, the master of that, and its theme."""

    def __init__(self, package: Package, part: str, root: etree._Element) -> None:
        self._roots = [root]
        names = [part]
        for kind in ("slideLayout", "slideMaster"):
            names.append(_related(package, names[-1], kind))
            above = package.xml_if_any(names[-1]) if names[-1] else None
            if above is None:
                break
            self._roots.append(above)
        theme = _related(package, names[-1], "theme") if len(self._roots) == len(names) else ""
        scheme = next(named(package.xml_if_any(theme) if theme else None, "clrScheme"), None)
        self._theme = {local(entry): _first_colour(entry) for entry in (() if scheme is None else scheme)}
        self._map = {str(key): str(value) for entry in named(self._roots[-1], "clrMap") for key, value in entry.items()}
        self._is_white = self._background()
        self._coloured = [(shape, _area(shape)) for top in self._roots for shape in _coloured(top)]

    def hides_white(self, shape: etree._Element) -> bool | None:
        """Whether white words of ``shape`` are on the background alone and it is white; None where that is not known
        or something is between.
        """
        patterns = [*self._patterns(shape)]
        if self._is_white is None or any(_is_filled(one) for one in (shape, *patterns)):
            return None
        own = next((area for one in (shape, *patterns) if (area := _area(one))), None)
        others = [area for other, area in self._coloured if other is not shape]
        if others and (own is None or any(area is None or area.meets(own) for area in others)):
            return None
        return self._is_white

    def _patterns(self, shape: etree._Element) -> Iterator[etree._Element]:
        """The placeholders of the layout and the master that ``shape`` follows."""
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

    def _background(self) -> bool | None:
        """Whether the background is white; None where it is a picture or not known."""
        for root in self._roots:
            for ground in named(root, "bg"):
                colour = _first_colour(next((e for e in ground.iter() if local(e) in ("solidFill", "bgRef")), None))
                name = self._map.get(colour, colour)
                return is_pale(self._theme.get(name, name)) if colour else None
        return True if len(self._roots) == _LEVELS else None


def _related(package: Package, part: str, kind: str) -> str:
    return next((other.part for other in relations(package, part).values() if other.kind == kind), "")


def _first_colour(element: etree._Element | None) -> str:
    """Six hexadecimal digits, or a name of the theme; empty where it is changed, or none."""
    for colour in () if element is None else element:
        value = attribute(colour, "lastClr") or attribute(colour, "val")
        return "" if len(colour) else _COLOURS.get(value, value)
    return ""


def _coloured(root: etree._Element) -> Iterator[etree._Element]:
    """The pictures, tables, charts and filled shapes of a slide; of a group as a whole."""
    for tree in named(root, "spTree"):
        for shape in tree:
            within = shape.iter() if local(shape) == "grpSp" else (shape,)
            if any(local(one) in ("pic", "graphicFrame") or _is_filled(one) for one in within):
                yield shape


def _is_filled(shape: etree._Element) -> bool:
    """Whether a shape has a fill that is not white, by itself or by a style."""
    for properties in (child for child in shape if local(child) in ("spPr", "grpSpPr")):
        for fill in properties:
            if local(fill) == "noFill":
                return False
            if local(fill) in _FILLS:
                return not (local(fill) == "solidFill" and is_pale(_first_colour(fill)))
    styles = (child for child in shape if local(child) == "style")
    return any(attribute(entry, "idx") not in ("", "0") for style in styles for entry in named(style, "fillRef"))


def _area(shape: etree._Element) -> Area | None:
    """Where a shape is, if it says so."""
    for frame in (e for part in shape for e in (part, *part) if local(e) == "xfrm"):
        points = {local(e): e for e in frame}
        if "off" in points and "ext" in points:
            values = [attribute(points[a], b) for a, b in (("off", "x"), ("off", "y"), ("ext", "cx"), ("ext", "cy"))]
            if all(value.removeprefix("-").isdecimal() and len(value) < 16 for value in values):
                x, y, width, height = map(int, values)
                return Area(x, y, x + width, y + height)
    return None
