"""Marks of notes in web pages, EPUB, PDF and texts: numbers and signs in a sentence that are no part of it."""

from __future__ import annotations

import re
from ctypes import byref, c_double
from itertools import islice
from typing import TYPE_CHECKING, Any

from lxml import etree

if TYPE_CHECKING:
    from workbench.reading.formats.running_heads import PdfLine

_SIGN = r"[*\u2020\u2021\u00a7\u00b6]{1,3}"
_MARK = re.compile(rf"\s*(?P<open>[\[(])?\s*(?:[0-9]{{1,3}}|{_SIGN}|[a-z]|[ivx]{{2,5}})\s*[\])]?\s*")
_NUMBER = re.compile(rf"\s*(?:[0-9]{{1,3}}|\[[0-9]{{1,3}}\]|{_SIGN})\s*")
_WORD, _STOP = r"[^\W\d_]{4}", r"[.,;:!?\"\u201d\u2019\u00bb\u3002\u300d]"
"""What the mark of a note is behind; behind short words, a number may be an exponent."""
_AFTER_WORD = re.compile(rf"(?:{_WORD}|{_STOP})\s*\Z")
_LONGEST = 12
_INLINE = frozenset(("a", "abbr", "b", "cite", "em", "font", "i", "q", "small", "span", "strong", "sup"))


def is_note_mark(element: etree._Element) -> bool:
    """Whether an ``a`` or ``sup`` is the mark of a note, inside or behind a sentence: declared as one, a small link to
    a place in a page, a bracketed one that adjoins a word, or a small number behind a word of at least four letters.
    """
    text, before = _text(element), _before(element)
    if not text.strip() or not before.strip() or len(text) > _LONGEST:
        return False
    if element.tag == "sup":
        return is_mark_behind(before, text)
    declared = f"{element.get('epub:type')} {element.get('role')} {element.get('class')}".lower()
    if "noteref" in declared or "footnote-ref" in declared:
        return True
    mark = _MARK.fullmatch(text) if "#" in (element.get("href") or "") else None
    around = element.getparent()
    is_small = next(element.iter("sup"), around if around is not None and around.tag == "sup" else None) is not None
    return mark is not None and (is_small or (mark["open"] is not None and not before[-1].isspace()))


def is_mark_behind(before: str, raised: str) -> bool:
    """Whether ``raised`` letters behind the text ``before`` are the mark of a note."""
    return _NUMBER.fullmatch(raised) is not None and _AFTER_WORD.search(before) is not None


def _text(element: etree._Element) -> str:
    return "".join(map(str, islice(element.itertext(), 100)))


def _before(element: etree._Element) -> str:
    """The text before ``element`` in its block, back to the next element at least."""
    at = element
    while True:
        before, around = at.getprevious(), at.getparent()
        if before is not None:
            return before.tail or (_text(before) if before.tag in _INLINE else "")
        if around is None or around.text:
            return "" if around is None else around.text or ""
        if around.tag not in _INLINE:
            return ""
        at = around


_IN_LINE = re.compile(rf"(?:(?<={_WORD})|(?<={_STOP}))\[?[0-9]{{1,3}}(?:[,\u2013-][0-9]{{1,3}}){{0,5}}\]?(?!\w)")
_SMALL, _RAISED = 0.85, 0.2
"""Maximum height of a mark, and how far it is raised at least, relative to the height of the letter before it."""


def without_note_marks(textpage: Any, line: PdfLine) -> PdfLine:
    """``line`` without marks of notes; the line itself if it has none, or is not horizontal."""
    if line.measure is None or line.measure.turn:
        return line
    text, places = line.text, line.places
    for mark in reversed([*_IN_LINE.finditer(text)]):
        before, first = (_height_and_base(textpage, places[at]) for at in (mark.start() - 1, mark.start()))
        if first[0] <= _SMALL * before[0] and first[1] - before[1] >= _RAISED * before[0]:
            text = text[: mark.start()] + text[mark.end() :]
            places = places[: mark.start()] + places[mark.end() :]
    return line if text == line.text else line._replace(text=text, places=places)


def _height_and_base(textpage: Any, place: int) -> tuple[float, float]:
    """The height of a character and its baseline from the bottom of the page, in points; zero if unknown."""
    from pypdfium2 import raw

    box, x, y = raw.FS_RECTF(), c_double(), c_double()
    raw.FPDFText_GetLooseCharBox(textpage.raw, place, byref(box))
    raw.FPDFText_GetCharOrigin(textpage.raw, place, byref(x), byref(y))
    return abs(box.top - box.bottom), y.value
