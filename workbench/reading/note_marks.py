"""Marks of notes in web pages, books, office files and PDF: numbers and signs in a sentence that are not part of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from ctypes import byref, c_double
from itertools import islice
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from lxml import etree

if TYPE_CHECKING:
    from workbench.reading.formats.running_heads import PdfLine

_SIGN = r"[*\u2020\u2021\u00a7\u00b6]{1,3}"
_LABEL = r"[*\u2020\u203b\u6ce8\uff0a]"
"""What may precede the number of a note, as in *1 and 注1."""
_MARK = re.compile(
    rf"\s*(?P<open>[\[(\uff08]|(?={_LABEL}))?\s*(?:{_LABEL}?[0-9]{{1,3}}|{_SIGN}|[a-z]|[ivx]{{2,5}})\s*[\])\uff09]?\s*"
)
_NUMBERS = r"[0-9]{1,3}(?:\s?[,;\u2013-]\s?[0-9]{1,3}){0,8}"
_BRACKETED = rf"[\[(\uff08]?(?:{_LABEL}\s?)?{_NUMBERS}[\])\uff09]?"
_NUMBER = re.compile(rf"\s*(?:{_BRACKETED}|{_SIGN})\s*")
_WORDS = r"[^()=+*/^]{0,200}"
_AFTER = re.compile(
    rf"(?:[^\W\d_]{{4}}|[\u3041-\u30ff\u3400-\u9fff]|[.,;:!?%\"\u201d\u2019\u00bb\u3002\u300d]"
    rf"|(?<!\w)\({_WORDS}(?:[^\W\d_]{{4}}|[^\W\d_]{{2}} \w|\b[0-9]{{4}}\b){_WORDS}\))\s*\Z"
)
"""What the mark of a note follows: a word, a stop, or words in brackets. Elsewhere, a number may be an exponent."""
_SHORT = re.compile(r"[^\W\d_]{2}[,;]? (?P<word>(?=\w*[aeiouy])(?:[a-z]{2,3}|[A-Z][a-z]{2}))\Z")
_SYMBOL_NAMES = """
    in mi sec min day mol ha au ly oz are bar cal erg rad sin cos tan exp log det max lim arg dim var avg err
    pi mu xi phi psi chi eta tau rho nu
"""
_SYMBOLS = frozenset(_SYMBOL_NAMES.split())
"""Units and functions, which may have an exponent, among the short words."""
_DIGITS = "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}"
_SUPERIOR = re.compile(f"{_DIGITS}(?:[,\u2013-]{_DIGITS}){{0,8}}")
_MEASURED = re.compile(
    r"(?:m[eè]t(?:er|re)[sn]?|feet|foot|inch(?:es)?|yards?|miles?|(?:per\s|/\s?)seconds?|メートル|センチ|ミリ|キロ|公分|公[厘釐]"
    r"|(?:[\d一二三四五六七八九十百千万萬億亿两兩半数數几幾每毎/／方公厘釐毫微英海]|千|平方|立方|デシ|分)\s?[米秒里尺寸丈])\Z",
    re.IGNORECASE,
)
"""A unit that may be squared or cubed."""
_OPERATOR = re.compile(r"\s*[+=<>\u2212\u00b1\u00d7\u00f7\u2248\u2264\u2265\uff0b\uff1d]")
_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")
_FOLLOWED = re.compile(r"[\w/\u2044]")
_OF_NOTE = re.compile(r"note|\bfn|ftn")
_LONGEST = 12
_NOTE_CLASSES = """
    ltx_note_outer sidenote marginnote margin-note side-note footnote inline-note modern-footnotes-footnote__note
"""
_NOTES = frozenset(_NOTE_CLASSES.split())
_ADDED = frozenset(("mw-editsection", "inline-template", "ltx_note_mark", "ltx_tag_note"))
_OF_PAGES = frozenset(("pagenum", "pageno", "pagenumber", "page-number", "page_number", "pagebreak"))
_PAGE_NUMBER = re.compile(r"\W{0,4}(?:(?:pages?|pg|p)\W{0,3})?(?:\d{1,4}|[ivxlcdm]{1,8})\W{0,4}", re.IGNORECASE)
_INLINE = frozenset(("a", "abbr", "b", "cite", "em", "font", "i", "q", "small", "span", "strong", "sup"))


def is_note_mark(element: etree._Element) -> bool:
    """Whether an ``a`` or ``sup`` is the mark of a note, inside or after a sentence: declared as one, a small link to
    a place in a page, a bracketed one that adjoins a word, or a small number after a word of at least four letters.
    """
    text, before = _text(element), _before(element)
    if not text.strip() or not before.strip() or len(text) > _LONGEST:
        return False
    if element.tag == "sup":
        return is_mark_after(before, text, text_after(element))
    declared = f"{element.get('epub:type')} {element.get('role')} {element.get('class')}".lower()
    if "noteref" in declared or "footnote-ref" in declared:
        return True
    address = element.get("href") or ""
    mark = _MARK.fullmatch(text) if "#" in address else None
    around = element.getparent()
    is_small = next(element.iter("sup"), around if around is not None and around.tag == "sup" else None) is not None
    is_close = not before[-1].isspace() and (_OF_NOTE.search(f"{declared} {address.lower()}") is not None)
    return mark is not None and (is_small or is_close or (mark["open"] is not None and not before[-1].isspace()))


def is_mark_after(before: str, raised: str, after: str | None = None) -> bool:
    """Whether ``raised`` letters between the texts ``before`` and ``after`` (None: unknown) are the mark of a note.
    Isotopes and fractions have a space before them and none after them, exponents in equations an operator.
    """
    if (
        _NUMBER.fullmatch(raised) is None
        or _OPERATOR.match(after or "")
        or (before[-1:].isspace() and raised.strip().isdecimal() and (after is None or _FOLLOWED.match(after)))
    ):
        return False
    before = before[-500:]
    if raised.strip() in ("2", "3") and _MEASURED.search(before):
        return False
    if _AFTER.search(before):
        return True
    if not raised.strip().isdecimal():
        # An exponent is one number, that of a derivative is in round brackets.
        return raised.strip()[0] not in "(\uff08" and re.search(r"[^\W\d_]{2}\Z", before) is not None
    short = _SHORT.search(before)
    return short is not None and short["word"].lower() not in _SYMBOLS


def typed_marks(text: str, before: str = "") -> list[tuple[int, int]]:
    """The spans of marks of notes in ``text`` that are written in raised digits (¹); ``before`` is the text before."""
    spans = []
    for digits in _SUPERIOR.finditer(text):
        start, end = digits.span()
        preceding = text[start - 500 : start] if start >= 500 else before + text[:start]
        if is_mark_after(preceding, normalize("NFKC", digits[0]), text[end : end + 20]):
            spans.append((start, end))
    return spans


def without_typed_marks(text: str, before: str = "") -> str:
    """``text``, which follows ``before``, without marks of notes in raised digits."""
    for start, end in reversed(typed_marks(text, before)):
        text = text[:start] + text[end:]
    return text


def is_added(element: etree._Element) -> bool:
    """Whether a small element within the text is not part of it: the number of a printed page, or added by a wiki or a
    converter.
    """
    classes = f"{element.get('class') or ''}".lower().split()
    if not _ADDED.isdisjoint(classes):
        return True
    declared = f"{element.get('epub:type')} {element.get('role')}".lower()
    is_of_page = "pagebreak" in declared or not _OF_PAGES.isdisjoint(classes)
    return is_of_page and _PAGE_NUMBER.fullmatch(_text(element)) is not None


def move_notes(root: etree._Element, blocks: Collection[str]) -> None:
    """Move each note that is written within a sentence to a place after the ``blocks`` element with the sentence."""
    inner = root.iter("span", "small")
    notes = [e for e in inner if not _NOTES.isdisjoint((e.get("class") or "").lower().split())]
    # Each is placed directly after the element, so the last one first.
    for note in reversed(notes):
        around, before = note.getparent(), note.getprevious()
        block = next((e for e in note.iterancestors() if e.tag in blocks), None)
        if around is None or block is None or block.getparent() is None or len(_text(note).strip()) <= _LONGEST:
            continue
        if before is not None:
            before.tail = (before.tail or "") + (note.tail or "")
        else:
            around.text = (around.text or "") + (note.tail or "")
        note.tail = None
        note.tag = "div"
        block.addnext(note)


def leave_out(mark: etree._Element) -> None:
    """Empty the ``mark`` of a note; it keeps a space if the words of the note follow it directly."""
    del mark[:]
    mark.text = " " if _LETTER.match(text_after(mark)) else None


def text_after(element: etree._Element) -> str:
    """The text directly after an element, or in the next one."""
    after = element.getnext()
    return element.tail or ("" if after is None else _text(after))


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


_IN_LINE = re.compile(rf"(?:(?<=[^\W\d_])|(?<=[^\w\s])){_BRACKETED}(?![0-9A-Za-z\u00c0-\u024f])")
_OWN = re.compile(rf"([0-9]{{1,3}}|{_DIGITS})(?=[^\W\d_]|[(\[\"\u201c\u2018\u00ab\u201e\u300c])")
"""The number of a note at its beginning."""
_SMALL, _RAISED = 0.85, 0.2
"""Maximum height of a mark, and how far it is raised at least, relative to the height of the letter beside it."""


def without_note_marks(textpage: Any, lines: Iterable[PdfLine]) -> list[PdfLine]:
    """The lines of a page without marks of notes, whose numbers are kept in ``marks``; the raised number at the
    beginning of a note is divided from its first word.
    """
    own = [_without_marks(textpage, line) for line in lines]
    marks = {number for line in own for number in line.marks}
    begins = [_own_number(textpage, line) for line in own]
    first = {number for number in begins if number}
    return [
        _divided(line, len(str(number))) if number and (number in marks or {number - 1, number + 1} & first) else line
        for line, number in zip(own, begins, strict=True)
    ]


def _without_marks(textpage: Any, line: PdfLine) -> PdfLine:
    if line.measure is None or line.measure.turn:
        return line
    text, places, numbers = line.text, line.places, list[int]()
    for start, end in reversed(typed_marks(text)):
        numbers += map(int, re.findall("[0-9]+", normalize("NFKC", text[start:end])))
        text, places = text[:start] + text[end:], places[:start] + places[end:]
    for mark in reversed([*_IN_LINE.finditer(text)]):
        start, end = mark.span()
        if not _is_raised(textpage, places[start], places[start - 1]):
            if text[start] != "\u6ce8":
                continue
            # A word of the sentence may end in 注.
            start += 1
            if not (text[start].isdecimal() and _is_raised(textpage, places[start], places[start - 1])):
                continue
        if mark[0][-1] in ")\uff09" and not _is_raised(textpage, places[end - 1], places[start - 1]):
            # It closes a bracket of the sentence.
            end -= 1
        if is_mark_after(text[:start], text[start:end], text[end:]):
            text, places = text[:start] + text[end:], places[:start] + places[end:]
            numbers += map(int, re.findall("[0-9]+", mark[0]))
    return line._replace(text=text, places=places, marks=tuple(numbers)) if numbers else line


def _own_number(textpage: Any, line: PdfLine) -> int:
    """The number of the note that begins with the ``line``; 0 if there is none, or a space after it."""
    number = _OWN.match(line.text) if line.measure and not line.measure.turn else None
    if number is None:
        return 0
    is_raised = not number[1].isdecimal() or _is_raised(textpage, line.places[0], line.places[number.end()])
    return int(normalize("NFKC", number[1])) if is_raised else 0


def _divided(line: PdfLine, at: int) -> PdfLine:
    """``line`` with a space at a character other than the first."""
    places = (*line.places[:at], line.places[at - 1], *line.places[at:])
    return line._replace(text=f"{normalize('NFKC', line.text[:at])} {line.text[at:]}", places=places)


def _is_raised(textpage: Any, place: int, beside: int) -> bool:
    """Whether a character is small and raised relative to the one ``beside`` it, by its font size or by its shape."""
    from pypdfium2 import raw

    left, right, bottom, top = (c_double() for _ in range(4))
    (height, base), (own, up) = (_height_and_base(textpage, at) for at in (beside, place))
    if own <= _SMALL * height and up - base >= _RAISED * height:
        return True
    is_drawn = raw.FPDFText_GetCharBox(textpage.raw, place, byref(left), byref(right), byref(bottom), byref(top))
    return bool(is_drawn) and top.value > bottom.value and bottom.value - base >= _RAISED * height > 0


def _height_and_base(textpage: Any, place: int) -> tuple[float, float]:
    """The height of a character and its baseline from the bottom of the page, in points; zero if unknown."""
    from pypdfium2 import raw

    box, x, y = raw.FS_RECTF(), c_double(), c_double()
    raw.FPDFText_GetLooseCharBox(textpage.raw, place, byref(box))
    raw.FPDFText_GetCharOrigin(textpage.raw, place, byref(x), byref(y))
    return abs(box.top - box.bottom), y.value
