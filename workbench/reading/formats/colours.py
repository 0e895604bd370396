"""Colours of office files: those of a theme, and whether letters are distinguishable from their background."""

from __future__ import annotations

import re
from collections.abc import Mapping
from colorsys import hls_to_rgb, rgb_to_hls

from lxml import etree

from workbench.reading.formats.package import attribute, local, named

CONTRAST = 24
"""Minimum difference (of 255) between letters and their background to be visible."""
PAPER = "ffffff"
_COLOUR = re.compile(r"#?([0-9a-f]{6})", re.IGNORECASE)
_USUAL = {"lt1": PAPER, "dk1": "000000", "lt2": "eeeeee", "dk2": "444444"}
_SLOTS = ("lt1", "dk1", "lt2", "dk2", *(f"accent{n}" for n in range(1, 7)), "hlink", "folHlink")
"""The colours of a theme in the order in which Excel numbers them."""
_WHOLE = 100_000


def is_lost(letters: str | None, ground: str | None) -> bool:
    """Whether letters cannot be distinguished from the ground, both six hexadecimal digits. False if one is unknown."""
    first, second = _COLOUR.fullmatch(letters or ""), _COLOUR.fullmatch(ground or "")
    if first is None or second is None:
        return False
    return max(abs(a - b) for a, b in zip(bytes.fromhex(first[1]), bytes.fromhex(second[1]), strict=True)) < CONTRAST


def adjust_lightness(colour: str, times: float, plus: float = 0.0) -> str:
    """``colour`` with its lightness (0 to 1) multiplied, then increased; empty if it is not known."""
    if not _COLOUR.fullmatch(colour):
        return ""
    red, green, blue = (part / 255 for part in bytes.fromhex(colour.removeprefix("#")))
    hue, light, saturation = rgb_to_hls(red, green, blue)
    lighter = min(1.0, max(0.0, light * times + plus))
    return bytes(round(255 * part) for part in hls_to_rgb(hue, lighter, saturation)).hex()


class Theme:
    """The colours of a theme by name (``accent1``); ``names`` are aliases (``bg1``)."""

    def __init__(self, root: etree._Element | None = None, names: Mapping[str, str] | None = None) -> None:
        self._names = names or {}
        self._colours = dict(_USUAL)
        scheme = next(named(root, "clrScheme"), None)
        for entry in () if scheme is None else scheme:
            self._colours[local(entry)] = self.colour(entry)

    def of_name(self, name: str) -> str:
        """The colour of ``name``; empty if there is none."""
        return self._colours.get(self._names.get(name, name), "")

    def of_number(self, number: str) -> str:
        """The colour with Excel's ``number``; empty if there is none."""
        return self.of_name(_SLOTS[int(number)]) if number.isdecimal() and int(number[:3]) < len(_SLOTS) else ""

    def colour(self, element: etree._Element | None) -> str:
        """The colour in a fill or an entry of DrawingML; ``clear`` for a transparent one, empty if unknown."""
        for written in () if element is None else element:
            kind, value = local(written), attribute(written, "val")
            colour = {"sysClr": attribute(written, "lastClr"), "srgbClr": value}.get(kind, "")
            colour = {"white": PAPER, "black": "000000"}.get(value, "") if kind == "prstClr" else colour
            colour = self.of_name(value) if kind == "schemeClr" else colour
            for change in written:
                amount = attribute(change, "val")
                share = int(amount[:9]) / _WHOLE if amount.isdecimal() else 1.0
                match local(change):
                    case "alpha":
                        colour = "clear" if share * 255 < CONTRAST else colour
                    case "lumMod" | "shade":
                        colour = adjust_lightness(colour, share)
                    case "lumOff":
                        colour = adjust_lightness(colour, 1.0, share)
                    case "tint":
                        colour = adjust_lightness(colour, share, 1 - share)
                    case _:
                        return ""
            return colour.lower()
        return ""
