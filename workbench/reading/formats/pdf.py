"""PDF: the text of the pages, with wrapped lines rejoined into paragraphs.

PDFium gives lines, not paragraphs; whether a line end wraps a paragraph is determined from the positions of the lines
(:mod:`workbench.reading.formats.pdf_paragraphs`), or as for plain text if the file has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby, pairwise, zip_longest
from math import hypot, isfinite
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.base.errors import NeedsRecognition, UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass, BlockKind, Document, PrintedPage, Span
from workbench.reading import recognition
from workbench.reading.decoding import clean
from workbench.reading.formats.api import Item, ReadOptions, Record, Source
from workbench.reading.formats.hyphens import Hyphens
from workbench.reading.formats.line_numbers import without_numbers
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import Paragraphs, joined
from workbench.reading.formats.pdf_hidden import Signs
from workbench.reading.formats.pdf_paragraphs import (
    FIRST_WORD,
    PagedLine,
    Part,
    continuation,
    parts_of_pages,
    quotations,
)
from workbench.reading.formats.pdf_places import page_path, words_in_text
from workbench.reading.formats.running_heads import Measure, PdfLine, running_heads
from workbench.reading.html.metadata import iso_date
from workbench.reading.note_marks import without_note_marks

if TYPE_CHECKING:
    from PIL.Image import Image

name = "pdf"
suffixes: tuple[str, ...] = (".pdf",)
_HYPHEN = 2
"""PDFium's character for a hyphen and the line end after it."""
_LINE_ENDS = frozenset((_HYPHEN, 10, 13))
_LONGEST_LABEL = 40
"""Longest page label, in characters."""
SAMPLES = 8
"""Number of characters of a line whose font size and baseline are read."""
WIDE_GAP = 1.8
"""Gap between two words, relative to the font size, from which a line is a table row."""
FAR_AWAY = 1.5
"""Distance, relative to the font size, from which a vertical line ends, or another begins farther left."""
_FEWEST_BACK, _BACK = 15, 0.3
"""Number and share of lines of a page that are above the preceding line in the file from which the file's order is
meaningless.
"""
_SPACE = 0.18
"""Gap between letters, relative to their height, from which it is a space."""
_NEAR = 0.1
"""Largest gap, relative to the font size, between parts of one line."""
_OTHER_SIZE = 1.15
"""Ratio of font sizes between text and notes in the margin beside it."""
_BESIDE = 0.1
"""Least distance, relative to their size, between the left edges of two letters of one line."""
_WITHOUT_SPACES = r"[\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]"
_GAPS = re.compile(f"{_WITHOUT_SPACES} | {_WITHOUT_SPACES}")
"""Spaces beside letters of scripts without spaces."""
_EQUAL = 0.85
"""Ratio of the narrowest to the widest gap of a line above which its gaps are equal."""
_DIGIT = re.compile(r"\d")
_LEFTWARDS = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_CAP = re.compile(r"[\"\u201c\u201e\u00ab\u2018]?[^\W\d_]")
_LARGE = 1.7
"""Size of a drop cap, relative to the text beside it."""
_WORDS_ALONE = "AIOEYUÀÈÉ"
"""Letters that are words, too."""
_BEGINNING_WORDS = """
    an and all at as after again although another about among any around ages in it is if its into indeed imagine on
    once one our of or only over oh out each every even early eight el en es un una il ils elle et est io ogni era ein
    eine er als am auf aus im ihr ich you your yet years
"""
_BEGINNINGS = frozenset(_BEGINNING_WORDS.split())
_LATIN_PHRASE = re.compile(
    r"(?<![^\s\u0590-\u08ff])[A-Za-z][^\s\u0590-\u08ff]*(?: [^\s\u0590-\u08ff]+)* [A-Za-z][^\s\u0590-\u08ff]*"
)
_WORD = re.compile(r"\S+")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff]")
_HALVES = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")
_LEADERS = re.compile(r"(?:\.\s?|[…‥・·]\s?){4,}\S{0,8}$")
"""Dot leaders in a table of contents."""
_ITEM = re.compile(r"(?:[(（\[]?(?:\d{1,3}(?:\.\d{1,2})*|[A-Za-z]|[ivxIVX]{1,5})[.)）\]]|[•‣◦▪●○■□◆◇–—*·・※-])\s")
"""Number or bullet at the start of a paragraph or item."""
_DATE = re.compile(r"D:(\d{8})")


def sniff(head: bytes) -> bool:
    """Whether it begins with the signature, possibly after a little junk."""
    return b"%PDF-" in head[:1024] and head.lstrip()[:1] != b"<"


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document. Raises UnreadableInput if it is encrypted, broken or has no text."""
    yield Record(None, document(whole(source, options), source.name, options, title=source.stem))


def document(data: bytes, identity: str, options: ReadOptions, *, title: str = "") -> Document:
    """The document in ``data``: blocks are paragraphs, their path is ``page[n]`` from 1.

    Raises UnreadableInput if it is encrypted, broken or has no text.
    """
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise UnreadableInput(_refusal(str(error), data)) from error
    try:
        return replace(_document(pdf, identity, options, title), original=data)
    finally:
        pdf.close()


def _refusal(error: str, data: bytes) -> str:
    # PDFium's last error may stem from an earlier file.
    if b"/Encrypt" not in data:
        return Message("This is not a PDF file, or it is damaged.")
    if "password" in error.lower():
        return Message("This PDF is encrypted and needs a password.")
    if "security" in error.lower():
        return Message("This PDF is encrypted in a way that cannot be read.")
    return Message("This is not a PDF file, or it is damaged.")


def _document(pdf: Any, identity: str, options: ReadOptions, title: str) -> Document:
    signs = Signs()
    numbered: list[int] = []
    pages = [page_lines(pdf, index, signs, numbered) for index in range(len(pdf))]
    empty = [number for number, lines in enumerate(pages, 1) if lines is not None and not lines]
    broken = [number for number, lines in enumerate(pages, 1) if lines is None]
    sure = [0] * len(pages)
    if empty and options.ocr:
        pictures = (picture_of(pdf, number - 1) for number in empty)
        read_there = recognition.read_pictures(pictures, options.ocr, count=len(empty), language=options.language)
        for number, page in zip(empty, read_there, strict=True):
            pages[number - 1], sure[number - 1] = page.lines, page.confidence
        empty = [number for number in empty if not pages[number - 1]]
    paragraphs, starts = assembled([lines or [] for lines in pages])
    if not paragraphs.text:
        raise _without_text(len(pdf), len(empty), recognised=bool(options.ocr))
    facts = pdf.get_metadata_dict()
    stated = _DATE.match(facts.get("CreationDate") or "")
    repairs = [*_repair(empty, "no text"), *_repair(broken, "damage and could not be read")]
    repairs += _repair([index + 1 for index in numbered], "numbers of lines, which are left out")
    document = paragraphs.document(
        identity,
        name,
        options,
        title=" ".join(clean(facts.get("Title") or "")[0].split()) or title,
        created=iso_date(stated[1]) if stated else "",
        repairs=repairs,
        pages=[PrintedPage(_label(pdf, index), tuple(lines)) for index, lines in enumerate(starts)],
    )
    if any(sure):
        seen = {index: lines or [] for index, lines in enumerate(pages) if sure[index]}
        document = replace(document, extraction=replace(document.extraction, ocr=tuple(sure)))
        document = replace(document, words=tuple(words_in_text(document, seen)))
    return signs.on(document, pages)


def _without_text(pages: int, empty: int, *, recognised: bool) -> UnreadableInput:
    if not pages:
        return UnreadableInput(Message("This PDF has no pages."))
    if not empty:
        hint = Message("its pages are damaged")
    elif recognised:
        hint = Message("nor was any recognised in the pictures of its pages")
    else:
        hint = Message("its pages are images; it can be read by text recognition (OCR)")
    kind = NeedsRecognition if empty and not recognised else UnreadableInput
    return kind(Message("There is no text in this PDF: {hint}.", hint=hint))


def picture_of(pdf: Any, index: int) -> Image:
    """A page as a greyscale picture for text recognition; empty if the page is damaged."""
    import PIL.Image
    import pypdfium2

    try:
        page = pdf[index]
        width, height = page.get_size()
        scale = min(recognition.SCALE, (recognition.MOST_PIXELS / max(1.0, width * height)) ** 0.5)
        bitmap = page.render(scale=scale, grayscale=True)
        picture: Image = bitmap.to_pil().convert("L")
        bitmap.close()
        page.close()
    except (pypdfium2.PdfiumError, ValueError):
        return PIL.Image.new("L", (8, 8), 255)
    return picture


def _label(pdf: Any, index: int) -> str:
    """The printed label of a page; empty if it is the page's number."""
    label = " ".join(clean(pdf.get_page_label(index) or "")[0].split())[:_LONGEST_LABEL]
    return "" if label == str(index + 1) else label


def page_lines(
    pdf: Any, index: int, signs: Signs | None = None, numbered: list[int] | None = None
) -> list[PdfLine] | None:
    """The lines of a page in file order; None if the page is damaged. Also looks for ``signs``, and adds the page to
    ``numbered`` if its lines are.
    """
    import pypdfium2

    try:
        page = pdf[index]
        textpage = page.get_textpage()
        height = page.get_height()
        printed = _in_reading_order(textpage, height, list(_adjoined(textpage, _lines(textpage, height))))
        lines = without_numbers(printed, partial(_rest, textpage, page.get_height()))
        if numbered is not None and lines != printed:
            numbered.append(index)
        lines = without_note_marks(textpage, _with_drop_caps(lines))
        if signs is not None and lines:
            signs.look(index, page, textpage, lines)
        textpage.close()
        page.close()
    except pypdfium2.PdfiumError:
        return None
    return lines


def _with_drop_caps(lines: list[PdfLine]) -> list[PdfLine]:
    """The ``lines``, with each drop cap at the beginning of the first line beside it; these all begin at its left."""
    whole_lines: list[PdfLine] = []
    cap: PdfLine | None = None
    left = bottom = beside = 0.0
    for line in lines:
        measure = line.measure
        if cap and measure and _is_drop_cap(cap, line):
            assert cap.measure is not None
            text, places, left, bottom = cap.text, cap.places, cap.measure.start, cap.measure.base
            first = FIRST_WORD.match(line.text)
            if first and text[-1] in _WORDS_ALONE and f"{text[-1]}{first[0]}".lower() not in _BEGINNINGS:
                text, places = f"{text} ", (*places, places[-1])
            whole_lines[-1] = line._replace(
                text=text + line.text, places=(*places, *line.places), measure=measure._replace(start=left)
            )
            beside, cap = measure.start, None
            continue
        is_beside = measure and measure.turn == 0 and measure.base <= bottom and abs(measure.start - beside) < 2
        whole_lines.append(line._replace(measure=measure._replace(start=left)) if measure and is_beside else line)
        cap = line
    return whole_lines


def _is_drop_cap(cap: PdfLine, line: PdfLine) -> bool:
    """Whether ``cap`` is a large first letter beside the beginning of ``line``."""
    large, small = cap.measure, line.measure
    if large is None or small is None or large.turn or small.turn or not _CAP.fullmatch(cap.text):
        return False
    is_large = large.size >= _LARGE * small.size and 0 <= large.base - small.base <= large.size
    return is_large and -0.2 * small.size <= small.start - large.end <= small.size and line.text[0].isalpha()


def _lines(textpage: Any, height: float) -> Iterator[PdfLine]:
    """The lines of a page, each with its distance from the top."""
    from pypdfium2 import raw

    units: list[int] = []
    places: list[int] = []
    code_of, page = raw.FPDFText_GetUnicode, textpage.raw
    for at in range(textpage.count_chars()):
        code = code_of(page, at)
        if code in _LINE_ENDS:
            yield from _line(textpage, units, places, height, hyphen=at if code == _HYPHEN else -1)
            units, places = [], []
        elif code:
            units.append(code)
            places.append(at)
    yield from _line(textpage, units, places, height)


def _in_reading_order(textpage: Any, height: float, lines: list[PdfLine]) -> list[PdfLine]:
    """The ``lines``, rebuilt from their characters from top to bottom if their order in the file is meaningless, for
    example if words were shuffled.
    """
    measured = [line.measure for line in lines if line.measure and not line.measure.turn]
    back = sum(
        after.base < before.base - before.size or (abs(after.base - before.base) < _NEAR and after.start < before.start)
        for before, after in pairwise(measured)
    )
    if back < _FEWEST_BACK or back < _BACK * len(lines) or len(measured) < len(lines):
        return lines
    characters = [
        placed
        for line in lines
        for letter, place in zip(line.text, line.places, strict=True)
        if not letter.isspace() and (placed := _placed(textpage, letter, place))
    ]
    characters.sort(key=lambda one: one.base)
    rows: list[list[_Placed]] = []
    for before, one in zip([None, *characters], characters, strict=False):
        if before is None or one.base - before.base > before.size / 2:
            rows.append([])
        rows[-1].append(one)
    return [_row_line(textpage, height, sorted(row, key=lambda one: one.left)) for row in rows]


class _Placed(NamedTuple):
    """A letter of horizontal text and its position; ``base`` is in points from the top."""

    letter: str
    place: int
    left: float
    right: float
    base: float
    size: float


def _placed(textpage: Any, letter: str, place: int) -> _Placed | None:
    from ctypes import byref, c_double

    from pypdfium2 import raw

    box, x, y = raw.FS_RECTF(), c_double(), c_double()
    is_somewhere = raw.FPDFText_GetLooseCharBox(textpage.raw, place, byref(box))
    if not (is_somewhere and raw.FPDFText_GetCharOrigin(textpage.raw, place, byref(x), byref(y))):
        return None
    return _Placed(letter, place, box.left, box.right, -y.value, abs(box.top - box.bottom))


def _in_their_places(textpage: Any, text: str, at: Sequence[int]) -> tuple[str, Sequence[int]]:
    """A line with each letter in its place, also those from another font, which LibreOffice draws before the others."""
    row = [_placed(textpage, letter, place) for letter, place in zip(text, at, strict=True) if not letter.isspace()]
    whole = [one for one in row if one is not None]
    if len(whole) < len(row) or all(before.left <= after.left for before, after in pairwise(whole)):
        return text, at
    size, bases = median(one.size for one in whole), [one.base for one in whole]
    whole.sort(key=lambda one: one.left)
    is_one_line = max(bases) - min(bases) < size / 4
    if is_one_line and all(after.left - before.left > _BESIDE * size for before, after in pairwise(whole)):
        return _spaced(whole)
    return text, at


def _row_line(textpage: Any, height: float, row: Sequence[_Placed]) -> PdfLine:
    """The line made of the letters of a ``row``, from left to right."""
    text, at = _spaced(row)
    return PdfLine(text, _top(textpage, at[0], height), tuple(at), _measured(textpage, text, at))


def _spaced(row: Sequence[_Placed]) -> tuple[str, list[int]]:
    """The text of letters from left to right, with spaces where there are gaps, and their places."""
    text, at = "", list[int]()
    for before, one in zip([None, *row], row, strict=False):
        if before is not None and one.left - before.right > _SPACE * one.size:
            text += " "
            at.append(one.place)
        text += one.letter
        at.append(one.place)
    return text, at


def _adjoined(textpage: Any, lines: Iterator[PdfLine]) -> Iterator[PdfLine]:
    """The ``lines``, with lines joined that continue without a gap: PDFium cuts horizontal lines on pages of vertical
    text.
    """
    before: PdfLine | None = None
    for line in lines:
        if before and goes_on(before.measure, line.measure):
            text, places = before.text + line.text, before.places + line.places
            before = PdfLine(text, before.top, places, _measured(textpage, text, places), divides=line.divides)
            continue
        if before:
            yield before
        before = line
    if before:
        yield before


def goes_on(line: Measure | None, after: Measure | None) -> bool:
    """Whether ``after`` begins at the end of the horizontal ``line``, in the same font size."""
    if line is None or after is None or (line.turn, line.size) != (after.turn, after.size) or line.turn:
        return False
    near = _NEAR * line.size
    return abs(line.base - after.base) < near and abs(after.start - line.end) < near


def _line(
    textpage: Any, units: Sequence[int], places: Sequence[int], height: float, *, hyphen: int = -1
) -> Iterator[PdfLine]:
    """The line of the UTF-16 ``units`` at PDFium's character positions ``places``, unless it is only white space."""
    text, at = _whole("".join(map(chr, units)), places)
    text = clean(text)[0]
    if _CONTROLS.search(text):
        at = [place for place, character in zip(at, text, strict=True) if not _CONTROLS.match(character)]
        text = _CONTROLS.sub("", text)
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    if first < last:
        text, at = text[first:last], at[first:last]
        if _LEFTWARDS.search(text):
            text, at = _leftwards(textpage, text, at)
        elif _GAPS.search(text):
            text, at = _in_their_places(textpage, text, at)
        if hyphen >= 0:
            text, at = text + "-", [*at, hyphen]
        measure = _measured(textpage, text, at)
        jump = _jump(textpage, text, at, measure) if measure else 0
        if not jump:
            divides = _divides(textpage, hyphen) if hyphen >= 0 else None
            yield PdfLine(text, _top(textpage, at[0], height), tuple(at), measure, divides=divides)
            return
        # A jump is not a hyphenated line end.
        whole = PdfLine(text, 0, tuple(at))
        first = len(text[:jump].rstrip())
        yield _rest(textpage, height, PdfLine(text[:first], 0, tuple(at[:first])), 0)
        yield _rest(textpage, height, whole, jump)


def _leftwards(textpage: Any, text: str, at: Sequence[int]) -> tuple[str, Sequence[int]]:
    """A line of Hebrew or Arabic with the letters of its ligatures, and the words of its Latin phrases, in the order in
    which they are read: PDFium reverses both.
    """
    from ctypes import byref

    from pypdfium2 import raw

    def box_of(place: int) -> tuple[float, float]:
        box = raw.FS_RECTF()
        return (box.left, box.right) if raw.FPDFText_GetLooseCharBox(textpage.raw, place, byref(box)) else (0.0, 0.0)

    order: list[int] = []
    for (left, right), group in groupby(range(len(text)), lambda n: box_of(at[n])):
        drawn = list(group)
        is_ligature = right > left and all(_LEFTWARDS.match(text[n]) for n in drawn)
        order += reversed(drawn) if is_ligature else drawn
    for phrase in _LATIN_PHRASE.finditer("".join(text[n] for n in order)):
        own = order[slice(*phrase.span())]
        words = [own[slice(*word.span())] for word in _WORD.finditer(phrase[0])]
        if box_of(at[words[0][0]])[0] > box_of(at[words[-1][0]])[0]:
            spaces = [[n] for n in own if text[n] == " "]
            turned = chain.from_iterable(zip_longest(reversed(words), spaces, fillvalue=()))
            order[slice(*phrase.span())] = chain.from_iterable(turned)
    return "".join(text[n] for n in order), [at[n] for n in order]


def _divides(textpage: Any, at: int) -> bool | None:
    """Whether the hyphen ``at`` divides a word, by its replacement text; None if that is other text or missing.

    PDFium may return U+0000 for a soft hyphen.
    """
    from ctypes import POINTER, byref, c_ulong, c_ushort, cast, create_string_buffer

    from pypdfium2 import raw

    drawn = raw.FPDFText_GetTextObject(textpage.raw, at)
    buffer, length = create_string_buffer(8), c_ulong()
    units = cast(buffer, POINTER(c_ushort))
    for number in range(raw.FPDFPageObj_CountMarks(drawn)) if drawn else ():
        mark = raw.FPDFPageObj_GetMark(drawn, number)
        has_text = raw.FPDFPageObjMark_GetParamStringValue(mark, b"ActualText", units, len(buffer), byref(length))
        if has_text and length.value <= len(buffer):
            text = buffer.raw[: length.value].decode("utf-16-le", "replace").strip("\0")
            return {"": True, "\u00ad": True, "-": False, "\u2010": False}.get(text)
    return None


def _whole(text: str, places: Sequence[int]) -> tuple[str, Sequence[int]]:
    """``text`` with surrogate pairs joined to characters beyond U+FFFF, and the positions of their first halves."""
    if not _HALVES.search(text):
        return text, places
    pairs = {match.start() + 1 for match in _HALVES.finditer(text)}
    whole = _HALVES.sub(lambda match: match[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return whole, [place for at, place in enumerate(places) if at not in pairs]


def _jump(textpage: Any, text: str, at: Sequence[int], line: Measure) -> int:
    """The index of the character among ``at`` that begins another line; 0 if none does.

    PDFium appends a page number to the vertical line above it, and a note in the margin to the start or end of a
    horizontal line: such a part is far away and, in a horizontal line, also to the left or in another font size.
    """
    from ctypes import byref

    from pypdfium2 import raw

    if line.turn < 2 and (not line.is_row or _LEFTWARDS.search(text)):
        return 0
    box, before = raw.FS_RECTF(), None
    for number, place in enumerate(at):
        if text[number].isspace():
            continue
        if raw.FPDFText_GetLooseCharBox(textpage.raw, place, byref(box)) and box.top > box.bottom:
            size = raw.FPDFText_GetFontSize(textpage.raw, place)
            if before and line.turn > 1:
                far = min(abs(box.bottom - before[0].top), abs(before[0].bottom - box.top))
            elif before:
                far = before[0].left - box.left
                if max(size, before[1]) > _OTHER_SIZE * min(size, before[1]):
                    far = max(far, box.left - before[0].right)
            if before and far > FAR_AWAY * line.size:
                return number
            before = raw.FS_RECTF(box.left, box.top, box.right, box.bottom), size
    return 0


def _rest(textpage: Any, height: float, line: PdfLine, start: int) -> PdfLine:
    """The part of a line from the character ``start``."""
    text, at = line.text[start:], line.places[start:]
    return PdfLine(text, _top(textpage, at[0], height), at, _measured(textpage, text, at), divides=line.divides)


def _measured(textpage: Any, text: str, at: Sequence[int]) -> Measure | None:
    """The measures of the line of the characters ``at``; None if the file has no positions."""
    from ctypes import byref, c_double

    from pypdfium2 import raw

    page, box, matrix, x, y = textpage.raw, raw.FS_RECTF(), raw.FS_MATRIX(), c_double(), c_double()

    box_at, into = raw.FPDFText_GetLooseCharBox, byref(box)

    def box_of(place: int) -> tuple[float, float, float, float] | None:
        if not box_at(page, place, into):
            return None
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        return (left, bottom, right, top) if right > left and top > bottom else None

    seen = [place for place, c in zip(at, text, strict=True) if not c.isspace()]
    some = seen[:: max(1, len(seen) // SAMPLES)]
    first = next((b for place in seen[:3] if (b := box_of(place))), None)
    last = next((b for place in seen[:-4:-1] if (b := box_of(place))), None)
    sizes, across, up = [], [], []
    for place in some:
        is_somewhere = raw.FPDFText_GetCharOrigin(page, place, byref(x), byref(y))
        if is_somewhere and raw.FPDFText_GetMatrix(page, place, byref(matrix)) and (b := box_of(place)):
            sizes.append(raw.FPDFText_GetFontSize(page, place) * hypot(matrix.c, matrix.d))
            across.append((b[0] + b[2]) / 2)
            up.append(y.value)
    if not (first and last and sizes):
        return None
    right, down = last[0] - first[0], first[1] - last[1]
    turn = (0 if right >= 0 else 1) if abs(right) >= abs(down) else 2 if down > 0 else 3
    size = median(sizes)
    ends = (
        (first[0], last[2], -median(up)),
        (-first[2], -last[0], -median(up)),
        (-first[3], -last[1], -median(across)),
        (first[1], last[3], median(across)),
    )[turn]
    word = FIRST_WORD.match(text)
    end = box_of(at[word.end() - 1]) if word else None
    length = 0.0 if end is None else (end[2] - first[0], first[2] - end[0], first[3] - end[1], end[3] - first[1])[turn]
    measure = Measure(turn, *ends, size, length, _is_row(box_of, text, at, turn, size))
    return measure if size > 0 and all(map(isfinite, ends)) else None


def _is_row(
    box_of: Callable[[int], tuple[float, ...] | None], text: str, at: Sequence[int], turn: int, size: float
) -> bool:
    """Whether a line is a table row: it has dot leaders, or a wide gap between two words other than after its number.

    Equal gaps are ignored, as they occur in justified narrow columns.
    """
    if _LEADERS.search(text):
        return True
    number = _ITEM.match(text)
    gaps = []
    for space in (i for i, c in enumerate(text) if c == " " and i >= (number.end() if number else 0)):
        before, after = box_of(at[space - 1]), box_of(at[space + 1])
        if before and after:
            gaps.append((after[0] - before[2], before[0] - after[2], before[1] - after[3], after[1] - before[3])[turn])
    widest = max(gaps, default=0.0)
    are_equal = len(gaps) > 1 and min(gaps) > _EQUAL * widest and not _DIGIT.search(text)
    return widest > WIDE_GAP * size and not are_equal


def _top(textpage: Any, at: int, height: float) -> float:
    """Distance of a character from the top; the middle of the page if the file has no positions."""
    import pypdfium2

    try:
        top = 1 - textpage.get_charbox(at)[3] / height
    except (pypdfium2.PdfiumError, ZeroDivisionError):
        return 1 / 2
    return min(1.0, max(0.0, top)) if isfinite(top) else 1 / 2


def assembled(pages: Sequence[Sequence[PdfLine]]) -> tuple[Paragraphs, list[list[int]]]:
    """The text of the pages, and the offset of each line of each page's body, in file order.

    Running heads, footnotes and captions between the halves of a paragraph are placed after it.
    """
    heads = running_heads(pages)
    bodies = [
        [
            PagedLine(page, number, line)
            for number, line in enumerate(lines)
            if line.text and (page, number) not in heads
        ]
        for page, lines in enumerate(pages)
    ]
    parts: list[Part | _Head] = []
    of_pages = parts_of_pages(bodies)
    quoted = quotations(of_pages)
    for page, (printed, own) in enumerate(zip(pages, of_pages, strict=True)):
        beside = [_Head(line, page, heads[page, n]) for n, line in enumerate(printed) if (page, n) in heads]
        parts += [head for head in beside if head.line.top < 1 / 2]
        parts += own
        parts += [head for head in beside if head.line.top >= 1 / 2]
    hyphens = Hyphens([one.line for lines in bodies for one in lines])
    paragraphs, offsets = Paragraphs(), dict[tuple[int, int], int]()
    left = [None if isinstance(part, _Head) else part for part in parts]
    for at, part in enumerate(parts):
        if isinstance(part, _Head):
            like = Block(Span(0, 0), BlockKind.PARAGRAPH, BlockClass.NON_CONTENT, part.rule, page_path(part.page))
            paragraphs.add_block(part.line.text, like)
        elif left[at]:
            lines, last = list(part.lines), at
            while (after := continuation(left, last)) and (more := left[after]):
                lines += more.lines
                left[last], last = None, after
            left[last] = None
            texts = [*(hyphens.text(one.line) for one in lines[:-1]), lines[-1].text]
            text, begins = joined(texts, hyphens.is_written)
            span = paragraphs.add(text, path=page_path(lines[0].page) + "/blockquote" * (id(part) in quoted))
            offsets |= {(one.page, one.number): span.start + begin for one, begin in zip(lines, begins, strict=True)}
    return paragraphs, [[offsets[one.page, one.number] for one in body] for body in bodies]


class _Head(NamedTuple):
    """A running head of a page (from 0), with the rule by which it was recognised."""

    line: PdfLine
    page: int
    rule: Message


def _repair(pages: list[int], what: str) -> Iterator[str]:
    if pages:
        some = ", ".join(map(str, pages[:10])) + (", …" if len(pages) > 10 else "")
        yield f"{len(pages):,} page{'s' if len(pages) > 1 else ''} with {what} ({some})"
