"""Signs that a document was made to hide text, from comparison or from its readers: what and where, not why.

Tricks that detection sees through (:mod:`workbench.text.disguises`), invisible characters within words, and text of a
web page that its own style hides. Honest texts have some of each, so that a few are no sign:

- *invisible characters* between letters of scripts that need none count from INVISIBLE of them on, closer than NEAR
  letters to each other on average; soft hyphens count where no typesetter divides a word: less than two letters from
  its end;
- *digits for letters* stand alone between letters: in model numbers and hashes most stand beside each other;
- *small capitals* count without those of phonetic alphabets, from SMALL on;
- a *hidden style* is one that an element within a paragraph has of its own: a size of nothing, a place outside of the
  page, no opacity, or the colour of its background; of its class only the size and the colour count, as pages move
  words away by classes that are for programs that read them aloud.

Only the content of web pages counts: menus list single letters and short words. Readers of formats that show where
text is on a page add their own flags (:mod:`workbench.reading.formats.pdf_hidden`).
"""

from __future__ import annotations

import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from urllib.parse import unquote

from workbench.base.types import Block, BlockClass, Document, IntegrityFlag, Span
from workbench.text.disguises import Trick, stretches, tricks

INVISIBLE, NEAR, SMALL = 5, 50, 4
LEAST_UNSEEN = 12
"""Fewest letters and digits that are flagged because their style or their page hides them."""
MOST_SPANS = 200
"""Places of a flag that are kept; its count includes all."""
APART = 3
"""Characters between two of a kind up to which they count as one place."""
_LETTER = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WITHIN = re.compile(rf"(?<=[{_LETTER}])[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u034f]+(?=[{_LETTER}])")
_HYPHEN = "\u00ad"
_ODD_HYPHEN = re.compile(
    rf"(?<![^\W\d_]){_HYPHEN}|(?<![^\W\d_])[^\W\d_]{_HYPHEN}|{_HYPHEN}[^\W\d_]?(?![^\W\d_{_HYPHEN}])"
)
_FEWEST_HYPHENS, _SHARE = 4, 0.2
_PHONETIC = frozenset("ɪʀɢʟɴʏʜʙ")
_ELEMENT = re.compile(r"<(?P<tag>[a-z][a-z0-9]{0,15})\s(?P<attributes>[^<>]{4,1000})(?<!/)>", re.IGNORECASE)
_LONGEST_ELEMENT = 5000
"""Characters of the markup of an element that is hidden."""
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,15})(?:\s[^<>]{0,1000})?>")
_ATTRIBUTE = re.compile(
    r"(?<![\w-])(?P<name>style|class|id|color)\s{0,9}=\s{0,9}(?:\"(?P<a>[^\"]{1,500})\"|'(?P<b>[^']{1,500})'|(?P<c>[^\s\"']+))",
    re.IGNORECASE,
)
_RULE = re.compile(r"(?P<name>[.#][\w-]{1,100})\s{0,9}\{(?P<style>[^{}<>]{4,500})\}")
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
    r"|rotate[xy]\(\s*-?90deg|clip-path\s*:\s*polygon\(\s*(?:0(?:px|%)?[\s,]+)*0(?:px|%)?\s*\)",
    re.IGNORECASE,
)
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_GONE = re.compile(
    rf"{_NOT_SHOWN.pattern}|content-visibility\s*:\s*hidden|(?<![-\w])opacity\s*:\s*0*(?:\.0\d*)?%?\s*(?:;|!|$)",
    re.IGNORECASE,
)
"""Styles by which a class hides words also from programs that read them aloud."""
_CLOSED = re.compile(r"(?<![-\w])(?:max-)?(?:width|height)\s*:\s*(?:0(?:px|pt|%|em)?|1px)\s*(?:;|!|$)", re.IGNORECASE)
_CUT = re.compile(r"overflow\s*:\s*hidden", re.IGNORECASE)
_COLOUR = re.compile(
    r"(?<![-\w])(?P<what>background(?:-color)?|color)\s*:\s*(?P<colour>#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^)]*\)|[a-z]+)",
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
_FILL = re.compile(r"-webkit-text-fill-color\s*:", re.IGNORECASE)
_OF_PAGE = re.compile(r"(?:^|[\s,}>])(?:body|html)\s*\{([^{}<>]{4,500})\}", re.IGNORECASE)
_CONTRAST = 24
"""Minimum difference, of 255, between letters and their background."""
_NEXT_TO = 12
_SHOWN_ELSEWHERE = re.compile(
    r"(?<![-\w])content\s*:\s*(?P<quote>[\"'])(?P<rule>[^\"'\\{}<>]{40,5000})(?P=quote)"
    r"|<textarea\b[^<>]{0,500}>(?P<area>[^<>]{40,50000})</textarea"
    r"|<input\b(?![^<>]{0,500}\bhidden\b)[^<>]{0,500}?\b(?:value|placeholder)\s*=\s*\"(?P<field>[^\"<>]{40,5000})\""
    r"|\bsrcdoc\s*=\s*\"(?P<frame>[^\"]{40,50000})\""
    r"|<template\b[^<>]{0,500}\bshadowroot[^<>]{0,500}>(?=(?P<shadow>.{40,5000}))"
    r"|<foreignObject\b[^<>]{0,500}>(?=(?P<foreign>.{40,5000}))"
    r"|\b(?:src|data)\s*=\s*\"data:text/html(?P<coded>[^\",]{0,50},[^\"]{40,50000})\""
    r"|<(?:text|tspan|mtext|option)\b[^<>]{0,500}>(?P<drawn>[^<>]{40,5000})</"
    r"|<rt\b[^<>]{0,100}>(?P<reading>[^<>]{40,5000})</"
    r"|\bdocument\.write(?:ln)?\(\s*[\"'`](?P<written>[^\"'`<>\\]{40,5000})[\"'`]",
    re.IGNORECASE | re.DOTALL,
)
"""Words that a page shows and that are no text of it: of styles, fields, frames, drawings, readings and scripts."""
_OWN_PARTS = (*("rule", "area", "field", "frame", "shadow", "foreign", "coded", "drawn", "reading", "written"),)
_MARKUP = re.compile(r"<[^<>]{0,1000}>")
_SHADOW_END = re.compile("</(?:template|foreignObject)", re.IGNORECASE)
_ATTRIBUTE_SHOWN = re.compile(r"(?<![-\w])content\s*:\s*attr\(\s*(?P<name>[\w-]{1,50})\s*\)", re.IGNORECASE)
_CODE = re.compile(r"&lt;|<|https?:|[{}=]")
_LINK_ADDRESS = re.compile(r"[\[(]?https?://\S+")
_LEAST_ELSEWHERE, _LEAST_PIECE = 200, 40
"""Characters that a document shows outside of its text from which it is flagged, and those of one piece that counts."""
_ELSEWHERE = re.compile(
    r"<link\b[^<>]{0,500}\bstylesheet|@import|bgcolor|background-image|background\s*:[^;}\"']{0,99}url", re.IGNORECASE
)
"""Elements that may give a page another background than its own styles."""


def with_flags(document: Document) -> Document:
    """``document`` with the flags of its text and, if it has markup, of its page."""
    flags = (*document.extraction.integrity, *_flags(document))
    return replace(document, extraction=replace(document.extraction, integrity=flags)) if flags else document


def flag_of(kind: Trick, places: Iterable[int]) -> IntegrityFlag:
    """The flag of characters at ``places``, ascending."""
    concerned = tuple(places)
    return IntegrityFlag(kind.value, len(concerned), tuple(_spans(concerned))[:MOST_SPANS])


def _flags(document: Document) -> Iterator[IntegrityFlag]:
    text = document.text
    places: dict[Trick, set[int]] = {}
    for trick, of_trick in tricks(text):
        places.setdefault(trick, set()).update(of_trick.tolist())
    small = places.get(Trick.SMALL_CAPITALS, set())
    if sum(text[at] not in _PHONETIC for at in small) < SMALL:
        places.pop(Trick.SMALL_CAPITALS, None)
    digits = places.get(Trick.DIGITS, set())
    if 3 * sum(_stands_alone(text, at) for at in digits) < 2 * len(digits):
        places.pop(Trick.DIGITS, None)
    if invisible := {*_invisible(text), *_odd_hyphens(text)}:
        places[Trick.INVISIBLE] = invisible
    if hidden := set(hidden_in(document.markup, text, document.blocks)):
        places[Trick.HIDDEN] = hidden
    yield from shown_outside(shown_elsewhere(document.markup), text)
    for kind in Trick:
        concerned = _in_content(document, places.get(kind, ()), at_ends=kind is Trick.SEPARATORS)
        if len(concerned) >= (LEAST_UNSEEN if kind is Trick.HIDDEN else 1):
            yield flag_of(kind, concerned)


def _in_content(document: Document, places: Iterable[int], *, at_ends: bool = False) -> list[int]:
    """The ``places`` within the content, ascending; with ``at_ends`` also what parts blocks of one letter."""
    if not document.blocks or not places:
        return sorted(places)
    spans = [block.span for block in document.blocks if block.verdict is BlockClass.CONTENT]
    within = ((at, holder) for at in sorted(places) if (holder := _holder(spans, at)) is not None)
    return [at for at, own in within if at < own.end or (at_ends and at == own.end == own.start + 1)]


def _holder(spans: list[Span], at: int) -> Span | None:
    """The last of the ordered ``spans`` that begins at or before ``at``."""
    number = bisect_right(spans, at, key=lambda span: span.start)
    return spans[number - 1] if number else None


def _stands_alone(text: str, at: int) -> bool:
    return not (text[at - 1 : at].isdigit() or text[at + 1 : at + 2].isdigit())


def _spans(places: Iterable[int]) -> Iterator[Span]:
    start = end = -1
    for at in places:
        if start >= 0 and at - end > APART:
            yield Span(start, end)
            start = -1
        start, end = (at if start < 0 else start), at + 1
    if start >= 0:
        yield Span(start, end)


def _invisible(text: str) -> Iterator[int]:
    runs = [match.span() for match in _WITHIN.finditer(text)]
    before = [0, *(end for _, end in runs)]
    weighed = (
        event
        for (start, _), last in zip(runs, before, strict=False)
        for event in ((start, -(start - last) / NEAR), (start, 1.0))
    )
    for first, last in stretches(weighed, INVISIBLE, INVISIBLE):
        yield from (at for start, end in runs if first <= start <= last for at in range(start, end))


def _odd_hyphens(text: str) -> Iterator[int]:
    count = text.count(_HYPHEN)
    odd = [match.start() + match[0].index(_HYPHEN) for match in _ODD_HYPHEN.finditer(text)] if count else []
    if len(odd) >= max(_FEWEST_HYPHENS, _SHARE * count):
        yield from (at for at, character in enumerate(text) if character == _HYPHEN)


def hidden_in(
    markup: str, text: str, blocks: Sequence[Block], *, not_shown: bool = False, by_any_class: bool = False
) -> Iterator[int]:
    """The characters of a page's ``text`` that its ``markup`` hides within a block by the style of an element, its
    class or its id; found by their words, at each occurrence. ``not_shown``: the text includes elements that browsers
    do not show; ``by_any_class``: no script shows what a class hides.
    """
    if "style" not in markup and "color" not in markup:
        return
    ground = _ground(markup)
    rules = {
        rule["name"]
        for rule in _RULE.finditer(markup)
        if _is_colourless(rule["style"], ground) or (by_any_class and _GONE.search(rule["style"]))
    }
    spans = [block.span for block in blocks]
    after: dict[str, int] = {}
    for element in _ELEMENT.finditer(markup):
        own = {m["name"].lower(): m["a"] or m["b"] or m["c"] or "" for m in _ATTRIBUTE.finditer(element["attributes"])}
        style = own.get("style", "") + (f";color:{own['color']}" if "color" in own else "")
        names = {*(f".{name}" for name in own.get("class", "").split()), f"#{own.get('id', '')}"}
        is_colourless = _is_colourless(style, ground)
        is_unseen = is_colourless or _is_unseen(style) or (not_shown and _NOT_SHOWN.search(style) is not None)
        if not is_unseen and rules.isdisjoint(names):
            continue
        pieces = list(_words_of(markup, element))
        # Pages fade whole menus and galleries in; only colours and sizes hide what elements within are seen to have.
        for words in pieces if is_colourless or len(pieces) == 1 else ():
            at = text.find(words, after.get(words, 0)) if len(words) > 1 else -1
            if len(words) == 1 and is_colourless:
                # A letter in place of a space is known by the letters before it.
                before = unescape(markup[element.start() - _NEXT_TO : element.start()]).rpartition(">")[2].lstrip()
                at = text.find(before + words, after.get(words, 0)) + len(before) if before else -1
            block = _holder(spans, at)
            # Markup that is text is code that is shown.
            is_code = text[max(0, at - 1) : at] == ">"
            # Books keep the addresses of links beside them for print.
            if at < 0 or is_code or block is None or _LINK_ADDRESS.fullmatch(words):
                continue
            if is_colourless or 2 * len(words) < block.end - block.start:
                after[words] = at + len(words)
                yield from range(at, at + len(words))


def shown_outside(pieces: Iterable[str], text: str) -> Iterator[IntegrityFlag]:
    """The flag of the sentences among ``pieces`` of what a document shows that are no part of its ``text``."""
    shown = {" ".join(piece.split()) for piece in pieces if not _CODE.search(piece)}
    sentences = (words for words in shown if len(words) >= _LEAST_PIECE and words not in text)
    count = sum(len(words) for words in sentences if words.count(" ") > 4 or not words.isascii())
    if count >= _LEAST_ELSEWHERE:
        yield IntegrityFlag(Trick.ELSEWHERE.value, count, ())


def shown_elsewhere(markup: str) -> Iterator[str]:
    """What a page of ``markup`` shows outside of the text of its elements."""
    for match in _SHOWN_ELSEWHERE.finditer(markup):
        piece = unescape(next(filter(None, match.group(*_OWN_PARTS))))
        if match["coded"]:
            media_type, _, data = piece.partition(",")
            piece = unquote(data)
            if media_type.endswith("base64"):
                piece = b64decode(piece + "==", validate=False).decode("utf-8", "replace")
        piece = _SHADOW_END.split(piece, maxsplit=1)[0] if match["shadow"] or match["foreign"] else piece
        is_markup = match["frame"] or match["shadow"] or match["foreign"] or match["coded"]
        yield _MARKUP.sub(" ", piece) if is_markup else piece
    for name in {match["name"] for match in _ATTRIBUTE_SHOWN.finditer(markup)}:
        values = re.finditer(rf"(?<![\w-]){re.escape(name)}\s*=\s*\"([^\"<>]{{40,5000}})\"", markup, re.IGNORECASE)
        yield from (unescape(match[1]) for match in values)


def _words_of(markup: str, element: re.Match[str]) -> Iterator[str]:
    """The words of an ``element``, from tag to tag; none where it is longer than _LONGEST_ELEMENT."""
    limit = element.end() + _LONGEST_ELEMENT
    depth, at = 1, element.end()
    pieces: list[str] = []
    for tag in _TAG.finditer(markup, at, limit):
        pieces.append(markup[at : tag.start()])
        at = tag.end()
        if tag["name"].lower() == element["tag"].lower():
            depth += -1 if tag["end"] else 1
            if not depth:
                yield from (words for piece in pieces if (words := " ".join(unescape(piece).split())))
                return


def _ground(markup: str) -> str | None:
    """The colour of a page as far as can be determined; None if a style or picture may give a part of it another."""
    if _ELSEWHERE.search(markup):
        return None
    backgrounds = {match["colour"].lower() for match in _COLOUR.finditer(markup) if match["what"][0] in "bB"}
    own = {colour for colour in backgrounds if not (is_white(colour) or _CLEAR.fullmatch(colour))}
    if not own:
        return "white"
    of_page = {colour["colour"].lower() for rule in _OF_PAGE.finditer(markup) for colour in _COLOUR.finditer(rule[1])}
    return own.pop() if len(own) == 1 and own <= of_page and len(backgrounds) == 1 else None


def _are_alike(colour: str, behind: str) -> bool:
    """Whether two colours of style sheets cannot be told from each other; False if one is unknown."""
    from PIL import ImageColor

    try:
        both = ImageColor.getrgb(colour)[:3], ImageColor.getrgb(behind)[:3]
    except ValueError:
        return colour == behind or (is_white(colour) and is_white(behind))
    return max(abs(a - b) for a, b in zip(*both, strict=True)) < _CONTRAST


def _is_unseen(style: str) -> bool:
    is_closed = _CLOSED.search(style) is not None and _CUT.search(style) is not None
    return is_closed or _UNSEEN.search(style) is not None


def _is_colourless(style: str, ground: str | None) -> bool:
    """Whether words are invisible by their size or colour; classes for screen readers move words off the page instead.
    ``ground`` is the colour of the page, None if unknown.
    """
    if _TINY.search(style):
        return True
    style = _FILL.sub("color:", style)
    colours = {match["what"].lower().partition("-")[0]: match["colour"].lower() for match in _COLOUR.finditer(style)}
    colour, behind = colours.get("color", ""), colours.get("background", "") or ground
    if not colour:
        return False
    return _CLEAR.fullmatch(colour) is not None or (behind is not None and _are_alike(colour, behind))


def is_white(colour: str) -> bool:
    """Whether a colour of a style sheet cannot be told from white."""
    return _WHITE.fullmatch(colour.lower()) is not None


def is_hiding_style(style: str) -> bool:
    """Whether declarations hide what they apply to on any background."""
    return _is_unseen(style) or _is_colourless(style, None) or _NOT_SHOWN.search(style) is not None
