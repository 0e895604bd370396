"""The effect of style declarations on words: a tiny size, a colour and a background, or hiding."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_TINY = re.compile(
    r"(?<![-\w])font\s*:[^;]{0,50}?(?<![\d.])0(?:px|pt|em)?\s*/|font-size\s*:\s*(?=[\d.])(?:(?:0*(?:\.\d+)?|0*1(?:\.0+)?)(?:px|pt|%)?|0*(?:\.[01]\d*)?(?:em|rem))\s*(?:;|!|$)"
    r"|letter-spacing\s*:\s*-\s*(?:[1-9]\d*|0*\.[5-9])\d*(?:\.\d+)?r?em|(?<![-\w])zoom\s*:\s*0*(?:\.0\d*)?%?\s*(?:;|!|$)",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"(?:left|top|right|bottom|text-indent|margin-left)\s*:\s*(?:calc\(\s*)?-\s*\d{3,}"
    r"|(?:left|top)\s*:\s*(?:\d{4,}px|[1-9]\d{2,}(?:vh|vw|%))"
    r"|transform\s*:[^;]{0,99}?translate[xy]?\(\s*-?\s*\d{4,}"
    r"|content-visibility\s*:\s*hidden|opacity\s*(?::|\()\s*(?=[\d.])(?:0*(?:\.0\d*)?|0*[0-5]%)\s*(?:;|!|\)|$)"
    r"|clip(?:-path)?\s*:\s*(?:rect\(\s*0|inset\(\s*(?:50|100)%|circle\(\s*0(?![.\d]))"
    r"|transform\s*:[^;]{0,99}?scale[xy]?\(\s*0(?:\.0\d*)?\s*[,)]|(?<![-\w])scale\s*:\s*0(?:\.0\d*)?\s*(?:;|!|$)"
    r"|rotate[xy]\(\s*-?90deg|z-index\s*:\s*-\s*\d|mask(?:-image)?\s*:[^;]{0,50}gradient\(\s*transparent\s*,\s*transparent|clip-path\s*:\s*polygon\(\s*(?:0(?:px|%)?[\s,]+)*0(?:px|%)?\s*\)",
    re.IGNORECASE,
)
_NOT_SHOWN = re.compile(r"(?<![-\w])display\s*:\s*none|(?<![-\w])visibility\s*:\s*hidden", re.IGNORECASE)
_CLOSED = re.compile(r"(?<![-\w])(?:max-)?(?:width|height)\s*:\s*(?:0(?:px|pt|%|em)?|1px)\s*(?:;|!|$)", re.IGNORECASE)
_CUT = re.compile(r"overflow\s*:\s*hidden", re.IGNORECASE)
_COLOUR = re.compile(
    r"(?<![-\w])(?P<what>background(?:-color)?|color)\s*:\s*(?P<colour>#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^()]{0,100}\)|[a-z]+)",
    re.IGNORECASE,
)
_WHITE = re.compile(
    r"#f{3,4}|#(?:f[a-f]){3}(?:f{2})?|white|snow|ivory|ghostwhite|floralwhite|mintcream|azure"
    r"|rgba?\(\s*25[0-5]\s*[,\s]\s*25[0-5]\s*[,\s]\s*25[0-5]\s*(?:[,/]\s*1\s*)?\)"
    r"|hsla?\([^,)]{1,20}[,\s][^,)]{1,20}[,\s]\s*(?:9[89]|100)%\s*(?:[,/]\s*1\s*)?\)"
)
_CLEAR = re.compile(
    r"transparent|#[0-9a-f]{3}0|#[0-9a-f]{6}00|(?:rgb|hsl)a?\((?:[^,)]*,){3}\s*(?:0(?:\.0\d*)?|\.0\d*)%?\s*\)"
    r"|(?:rgb|hsl)a?\([^,)/]*/\s*(?:0(?:\.0\d*)?|\.0\d*)%?\s*\)"
)
_CONTRAST = 24
"""Minimum difference, of 255, between letters and their background."""
_SIZED = re.compile(r"(?<![-\w])font(?:-size)?\s*:(?![^;]{0,100}\d(?:em|%))", re.IGNORECASE)
_PICTURE = re.compile(r"background(?:-image|-color)?\s*:[^;]{0,500}(?:url|gradient|var|mix|lab|lch)\(", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"<link\b[^<>]{0,500}\bstylesheet|@import|bgcolor|background-image|background\s*:[^;}\"']{0,99}url", re.IGNORECASE
)
"""Elements that may override the background of a page's own styles."""
_OF_PAGE = re.compile(r"(?:^|[\s,}>])(?:body|html)\s*\{([^{}<>]{4,500})\}", re.IGNORECASE)
_FILL = re.compile(r"-webkit-text-fill-color\s*:", re.IGNORECASE)


class Style(NamedTuple):
    """The effect of declarations. ``is_sized``: they set an absolute size; ``colour`` and ``background`` are empty if
    not set, ``background`` is None if it is a picture or unknown; ``is_unseen``: words are transparent, cut off, off
    the page or behind it; ``is_gone``: browsers do not show the element.
    """

    is_tiny: bool
    is_sized: bool
    colour: str
    background: str | None
    is_unseen: bool
    is_gone: bool


@lru_cache(maxsize=4096)
def style_of(declarations: str) -> Style:
    """The effect of ``declarations``."""
    filled = _FILL.sub("color:", declarations)
    colours = {match["what"].lower().partition("-")[0]: match["colour"].lower() for match in _COLOUR.finditer(filled)}
    background = None if _PICTURE.search(declarations) else colours.get("background", "")
    return Style(
        _TINY.search(declarations) is not None,
        _SIZED.search(declarations) is not None,
        colours.get("color", ""),
        "" if background and _CLEAR.fullmatch(background) else background,
        ((_CLOSED.search(declarations) and _CUT.search(declarations)) or _UNSEEN.search(declarations)) is not None,
        _NOT_SHOWN.search(declarations) is not None,
    )


def is_invisible(colour: str, behind: str | None) -> bool:
    """Whether words of ``colour`` are invisible on the colour ``behind`` them (None: unknown)."""
    return bool(colour) and (
        _CLEAR.fullmatch(colour) is not None or (bool(behind) and _are_alike(colour, behind or ""))
    )


def _are_alike(colour: str, behind: str) -> bool:
    """Whether two colours of style sheets are indistinguishable; False if one is unknown."""
    from PIL import ImageColor

    try:
        both = ImageColor.getrgb(colour)[:3], ImageColor.getrgb(behind)[:3]
    except ValueError:
        return colour == behind or (is_white(colour) and is_white(behind))
    return max(abs(a - b) for a, b in zip(*both, strict=True)) < _CONTRAST


def ground_of(markup: str) -> str | None:
    """The colour of a page as far as can be determined; None if a style or picture may change a part of it."""
    if _ELSEWHERE.search(markup):
        return None
    backgrounds = {match["colour"].lower() for match in _COLOUR.finditer(markup) if match["what"][0] in "bB"}
    own = {colour for colour in backgrounds if not (is_white(colour) or _CLEAR.fullmatch(colour))}
    if not own:
        return "white"
    of_page = {colour["colour"].lower() for rule in _OF_PAGE.finditer(markup) for colour in _COLOUR.finditer(rule[1])}
    return own.pop() if len(own) == 1 and own <= of_page and len(backgrounds) == 1 else None


def is_white(colour: str) -> bool:
    """Whether a colour of a style sheet is indistinguishable from white."""
    return _WHITE.fullmatch(colour.lower()) is not None


def is_hiding_style(declarations: str) -> bool:
    """Whether declarations hide their elements on any background."""
    style = style_of(declarations)
    return style.is_unseen or style.is_tiny or style.is_gone or is_invisible(style.colour, style.background)
