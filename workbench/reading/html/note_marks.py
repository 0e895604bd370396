"""Marks of notes in web pages, EPUB and texts: numbers and signs in a sentence that are no part of it."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

_SIGN = r"[*\u2020\u2021\u00a7\u00b6]{1,3}"
_MARK = re.compile(rf"\s*(?P<open>[\[(])?\s*(?:[0-9]{{1,3}}|{_SIGN}|[a-z]|[ivx]{{2,5}})\s*[\])]?\s*")
_NUMBER = re.compile(rf"\s*(?:[0-9]{{1,3}}|\[[0-9]{{1,3}}\]|{_SIGN})\s*")
_AFTER_WORD = re.compile(r"(?:[^\W\d_]{4}|[.,;:!?\"\u201d\u2019\u00bb\u3002\u300d])\s*\Z")
"""What a number without a link is the mark of a note behind; behind short words, it may be an exponent."""
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
