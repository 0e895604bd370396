"""Which line ends of plain text also end a segment: list items, headings and table rows do, wrapped prose does not.

A *line* runs to the next ``\\n``, without white space at either end and without the quote marks of mail (``>``) before
it. Its width counts East Asian wide characters as 2 columns and all others as 1. A line is

- *blank* if nothing is left of it;
- *structural* when it is a ``#`` heading, a rule (three characters or more, of at most two kinds, none of them a
  letter, a digit, a stop or a closer) or a table row (a tab inside, ``│``, two ``|``, or two gaps of three spaces);
- an *item* when it begins with a list marker: a bullet, circled number or 【; or a dash with space, a number, a letter
  in brackets, if another line of the same text begins with a marker of the same kind (a wrapped ``- 1998`` is not one).

A *region* is a longest run of lines that are neither blank nor structural and have equally many quote marks. The line
end between L and the next line M **breaks** unless both are in one region, M is not an item, and one of these holds:

1. *continuation*: L is at least 24 columns wide and ends in a comma, a hyphen or an English word that ends no
   sentence (``the``, ``of``, ``and`` ..), or M begins with a lower-case letter;
2. *wrap*: L is full for the wrap width W of the region, that is, at most 160 columns wide with
   ``width(L) + unit(M) + slack > W``: ``unit(M)`` is the width of M's first unbreakable piece (its leading narrow
   characters up to white space, or 2 when it begins with a wide one); ``slack`` is 1 when L ends and M begins narrow,
   else 6 (no-break rules may push three wide characters);
3. *cut*: L, with the white space and quote marks around it, has exactly the N characters after which the text was cut,
   whatever their width.

A region of blank lines only has no breaks. Two more line ends break: before U+3000 (a new paragraph), unless L belongs
to an item (a hanging indent); and between a closing 」』）) and an opening 「『（( (turns of a dialogue).

W of n lines is the width of the (1 + n // 10)-th widest. A line is *running* when it is at most 160 columns wide, its
successor in the region is neither an item nor U+3000-indented, and it does not itself end in a stop or closer. A region
with at least 3 running lines has their W as wrap width when 24 <= W <= 160 and at least 60 % of them are full, and
otherwise none: unwrapped paragraphs beside a wrapped one do not hide its width. A region with fewer has
the lower median of the wrap widths found in the same text; if there is none, the wrap width of all its regions'
running lines by the same conditions; else the W of its own lines when 60 <= W <= 160; else none.

N is the most frequent number of characters of the text's running lines (of two, the greater), if there are at least 3
running lines, at least 60 % of them have N characters, and N is 24 or more.

This module defines the rule, for single texts; :mod:`workbench.kernels.layout` is the compiled pass over many, built
from the constants here and checked against this module.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.text.segmenting.characters import CharClass, char_class

NARROWEST, SURELY_PROSE, WIDEST = 24, 60, 160
"""Columns: the least and largest wrap width, and the least that needs no evidence."""
RUNNING_LINES, FULL_SHARE = 3, 0.6
"""Running lines needed to establish a wrap width, and the share of them that must be full."""
CJK_SLACK = 6
WIDE_RANGES = (
    (0x1100, 0x115F),
    (0x2E80, 0x303E),
    (0x3041, 0xA4CF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE6F),
    (0xFF01, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x3FFFD),
)
"""Code points of two columns, first and last."""
DIGIT = "0-9０-９"
KANJI_DIGIT = "一二三四五六七八九十"
BULLET = "・･●○◎◉◦•‣⁃▪▫■□◆◇▶►▷▸▼▽▲△★☆※【①-⒛⓪⓵-⓾❶-➓㈠-㈩㊀-㊉"
DASH = "-*+–‐−"
LATIN = "A-Za-z"
LETTER = f"{LATIN}ア-ンあ-んａ-ｚＡ-Ｚ"
ROMAN, ROMAN_LETTER = "Ⅰ-ⅻ", "ivxIVX"
COMMA, HYPHEN = ",、，､", "-\u2010\u00ad"
BAR = "│┃"
CLOSING, OPENING = "」』）)", "「『（("
UNFINISHED = (
    *("a", "an", "the", "of", "to", "and", "or", "but", "nor", "with", "from", "for", "by", "at", "as", "than"),
    *("into", "onto", "upon", "between", "among", "his", "her", "its", "their", "our", "your", "my"),
)
"""English words that end no complete sentence or heading."""

_CLOSING, _OPENING = frozenset(CLOSING), frozenset(OPENING)
_STOP = CharClass.STRONG_STOP | CharClass.WEAK_STOP
_WIDE_EDGES = np.array([edge for first, last in WIDE_RANGES for edge in (first, last + 1)], np.uint32)
_ITEM = re.compile(
    rf"""
      (?P<bullet> [{BULLET}])
    | (?P<dash> [{DASH}](?=\s))
    | (?P<round> [(（\[［][{DIGIT}]{{1,3}}[)）\]］] | [{DIGIT}]{{1,3}}[)）](?![{DIGIT}]))
    | (?P<dotted> [{DIGIT}]{{1,3}}[.．、](?![{DIGIT}]) | [{DIGIT}]{{1,2}}(?:[.．][{DIGIT}]{{1,2}}){{1,3}}[.．]?\s)
    | (?P<kanji> [{KANJI_DIGIT}]{{1,3}}[、．.](?![{KANJI_DIGIT}]) | [(（][{KANJI_DIGIT}]{{1,3}}[)）])
    | (?P<letter> [(（][{LETTER}][)）] | [{LATIN}][)）](?=\s) | [(（][{ROMAN_LETTER}]{{2,4}}[)）]
      | [{ROMAN}](?=[.．、\s]))
    """,
    re.VERBOSE,
)
QUOTE = ">"
_BEFORE = re.compile(rf"^[\s{QUOTE}]+")
_HEADING = re.compile(r"\s*#{1,6}\s")
_GAPS = re.compile(r"\S(?: {3,}\S.*?){2}")
_FIRST_PIECE = re.compile(r"[^\s" + "".join(f"{chr(a)}-{chr(b)}" for a, b in WIDE_RANGES) + "]+")
_LONGEST_END = max(map(len, UNFINISHED)) + 1
_UNFINISHED = re.compile(rf"\s(?:{'|'.join(UNFINISHED)})$", re.IGNORECASE)
_COMMA_END = re.compile(rf"[{COMMA}]$|\w[{HYPHEN}]$")


@dataclass(slots=True)
class _Line:
    """A line without its line end.

    ``end`` is the offset of its line end, ``size`` its number of characters before stripping; ``unit`` the width of its
    first unbreakable piece; ``marker`` the kind of list marker it begins with, if any; ``quoted`` the number of quote
    marks before it.
    """

    end: int
    text: str
    width: int
    blank: bool
    structural: bool
    marker: str
    unit: int
    wide_start: bool
    wide_end: bool
    stopped: bool
    indented: bool
    size: int
    quoted: int = 0
    item: bool = False


def line_breaks(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Offsets in ``text``, each one past a ``\\n`` in ``[start, end)`` that also ends a segment, ascending."""
    piece = text[start:end]
    if "\n" not in piece:
        return []
    lines = _lines(piece)
    if all(line.blank for line in lines):
        return []
    kinds = Counter(line.marker for line in lines)
    for line in lines:
        line.item = line.marker == "bullet" or (line.marker != "" and kinds[line.marker] > 1)
    region_of, regions = _regions(lines)
    inherited = _common_width(regions, lines)
    widths = [_wrap_width(lines[a:b], inherited) for a, b in regions]
    cut = _cut(regions, lines)
    breaks, in_item = [], False
    for i, (line, following) in enumerate(pairwise(lines)):
        in_item = line.item or (in_item and i > 0 and region_of[i - 1] == region_of[i])
        region = region_of[i]
        together = region >= 0 and region_of[i + 1] == region and not following.item
        if (following.indented and not in_item) or (line.text[-1:] in _CLOSING and following.text[:1] in _OPENING):
            together = False
        if together:
            together = _continues(line, following) or _full(line, following, widths[region]) or line.size == cut
        if not together:
            breaks.append(start + line.end + 1)
    return breaks


def _lines(piece: str) -> list[_Line]:
    """Lines of ``piece`` with the properties that the rule needs."""
    codes = np.frombuffer(piece.encode("utf-32-le", "surrogatepass"), np.uint32)
    wide: NDArray[np.bool_] = np.searchsorted(_WIDE_EDGES, codes, side="right") % 2 == 1
    columns = np.concatenate([[0], np.cumsum(1 + wide.astype(np.int64))])
    lines, at = [], 0
    for raw in piece.split("\n"):
        end = at + len(raw)
        text = _BEFORE.sub("", raw)
        before = len(raw) - len(text)
        text = text.rstrip()
        if not text:
            lines.append(_Line(end, "", 0, True, False, "", 0, False, False, False, False, len(raw)))
        else:
            first = at + before
            last = first + len(text)
            head = _FIRST_PIECE.match(text)
            lines.append(
                _Line(
                    end=end,
                    text=text,
                    width=int(columns[last] - columns[first]),
                    blank=False,
                    structural=_is_structural(text),
                    marker=marker.lastgroup or "" if (marker := _ITEM.match(text)) else "",
                    unit=head.end() if head else 2,
                    wide_start=head is None,
                    wide_end=bool(wide[last - 1]),
                    stopped=_is_stopped(text),
                    indented=raw.startswith("\u3000"),
                    size=len(raw),
                    quoted=raw.count(QUOTE, 0, before),
                )
            )
        at = end + 1
    return lines


def _is_structural(text: str) -> bool:
    if "\t" in text or any(bar in text for bar in BAR) or text.count("|") >= 2 or _HEADING.match(text + " "):
        return True
    if "   " in text and _GAPS.search(text):
        return True
    kinds = set(text) - {" ", "\u3000"}
    if len(text) < 3 or len(kinds) > 2:
        return False
    return not any(c.isalnum() or char_class(c) & (_STOP | CharClass.CLOSER) for c in kinds)


def _is_stopped(text: str) -> bool:
    """Whether ``text`` ends in a stop or a closer: it may end its paragraph, and so is no evidence of wrapping."""
    return bool(char_class(text[-1]) & (_STOP | CharClass.CLOSER))


def _regions(lines: Sequence[_Line]) -> tuple[list[int], list[tuple[int, int]]]:
    """For each line, the number of its region or -1; and the lines ``[first, end)`` of each region."""
    of: list[int] = []
    regions: list[tuple[int, int]] = []
    for i, line in enumerate(lines):
        if line.blank or line.structural:
            of.append(-1)
        elif i and of[-1] >= 0 and line.quoted == lines[i - 1].quoted:
            of.append(of[-1])
            regions[-1] = (regions[-1][0], i + 1)
        else:
            of.append(len(regions))
            regions.append((i, i + 1))
    return of, regions


def _own_width(lines: Sequence[_Line]) -> int:
    ordered = sorted((line.width for line in lines), reverse=True)
    return ordered[len(ordered) // 10]


def _running(lines: Sequence[_Line]) -> list[tuple[_Line, _Line]]:
    """A region's running lines, each with its successor."""
    return [(a, b) for a, b in pairwise(lines) if not (b.item or b.indented or a.stopped or a.width > WIDEST)]


def _proven_width(lines: Sequence[_Line]) -> int:
    """Wrap width of a region from its own running lines; 0 if they establish none."""
    return _shown_width(_running(lines))


def _shown_width(running: Sequence[tuple[_Line, _Line]]) -> int:
    if len(running) < RUNNING_LINES:
        return 0
    width = _own_width([line for line, _ in running])
    if not NARROWEST <= width <= WIDEST:
        return 0
    full = sum(_full(a, b, width) for a, b in running)
    return width if full >= FULL_SHARE * len(running) else 0


def _common_width(regions: Sequence[tuple[int, int]], lines: Sequence[_Line]) -> int:
    """Lower median of the proven wrap widths, otherwise the width from all regions together; 0 if there is none."""
    parts = [lines[a:b] for a, b in regions]
    proven = sorted(w for part in parts if (w := _proven_width(part)))
    if proven:
        return proven[(len(proven) - 1) // 2]
    return _shown_width([pair for part in parts for pair in _running(part)])


def _cut(regions: Sequence[tuple[int, int]], lines: Sequence[_Line]) -> int:
    """The number of characters after which the text was cut, whatever their width; 0 if it was not."""
    sizes = Counter(line.size for a, b in regions for line, _ in _running(lines[a:b]))
    if sizes.total() < RUNNING_LINES:
        return 0
    count, size = max((count, size) for size, count in sizes.items())
    return size if size >= NARROWEST and count >= FULL_SHARE * sizes.total() else 0


def _wrap_width(lines: Sequence[_Line], inherited: int) -> int:
    """Wrap width that applies to a region; 0 if there is none."""
    if len(_running(lines)) >= RUNNING_LINES:
        return _proven_width(lines)
    if inherited:
        return inherited
    width = _own_width(lines)
    return width if SURELY_PROSE <= width <= WIDEST else 0


def _full(line: _Line, following: _Line, width: int) -> bool:
    """Whether ``following``'s first piece would not have fitted on ``line`` within ``width`` columns."""
    slack = CJK_SLACK if line.wide_end or following.wide_start else 1
    return width > 0 and line.width <= WIDEST and line.width + following.unit + slack > width


def _continues(line: _Line, following: _Line) -> bool:
    if line.width < NARROWEST:
        return False
    unfinished = _COMMA_END.search(line.text[-2:]) or _UNFINISHED.search(line.text[-_LONGEST_END:])
    return following.text[0].islower() or unfinished is not None
