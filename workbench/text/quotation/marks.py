"""Text between quotation marks: 「」, “”, «», „“, "" and the like, nested or continued over paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from workbench.base.types import Span

_PAIRS = {
    "「": "」",
    "『": "』",
    "“": "”",
    "«": "»",
    "„": "“”",
    "‘": "’",
    "﹁": "﹂",
    "﹃": "﹄",
    "〝": "〟〞",
    "｢": "｣",
}
_CLOSING = frozenset("".join(_PAIRS.values()))
MARKS = frozenset((*_PAIRS, *_CLOSING, '"', "＂"))
_MARKS = re.compile("[" + "".join(sorted(MARKS)) + "]")
_CJK = re.compile("[\u2e80-\u2fff\u3005-\u3007\u3040-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f]")
_SHORTEST_WORDS, _SHORTEST_CJK = 5, 10
"""Words, or characters in CJK, from which on marked text counts as quoted; shorter is a term, a title or an echo."""
_LONGEST = 5_000
"""Characters beyond which marks are taken for unpaired."""
_STRAIGHT = '"＂'
_AMBIGUOUS = '"＂‘'
_REPEATED = '“「"'
_DEEPEST = 16
_TITLES = "『﹃"
"""Marks of titles and of quotations within quotations; alone they count from twice the length."""


def marked(text: str, paragraphs: list[Span]) -> Iterator[tuple[Span, str]]:
    """Quotations in the order of ``text``, marks included, each with its opening mark; the outermost of nested ones.

    Marks pair within a paragraph; an unpaired mark is skipped. A quotation continues in the next paragraph if that
    begins with the same opening mark, as in English.
    """
    carried: _Open | None = None
    for number, paragraph in enumerate(paragraphs):
        following = paragraphs[number + 1] if number + 1 < len(paragraphs) else None
        start = _first(text, paragraph)
        if carried is not None and text[start] == carried.mark:
            start += 1
        pairs, left = _pairs(text, Span(start, paragraph.end), carried)
        for span, mark in pairs:
            if _is_long(text, span, mark):
                yield span, mark
        goes_on = left is not None and following is not None and text[_first(text, following)] == left.mark
        carried = left if goes_on and left is not None and left.mark in _REPEATED else None


class _Open(NamedTuple):
    """A mark that opens a quotation."""

    start: int
    mark: str


def _pairs(text: str, span: Span, carried: _Open | None) -> tuple[list[tuple[Span, str]], _Open | None]:
    """The outermost pairs of marks in ``span``, in order, and the first mark that is still open at its end."""
    opened = [carried] if carried is not None else []
    pairs: list[tuple[Span, str]] = []
    for match in _MARKS.finditer(text, span.start, span.end):
        mark, at = match[0], match.start()
        partner = _partner(opened, mark, at) if _closes(text, at, span) else -1
        if partner >= 0:
            pairs.append((Span(opened[partner].start, at + 1), opened[partner].mark))
            del opened[partner:]
        elif (mark in _PAIRS or mark in _STRAIGHT) and (mark not in _AMBIGUOUS or _opens(text, at, span)):
            opened.append(_Open(at, mark))
            del opened[:-_DEEPEST]
    outer: list[tuple[Span, str]] = []
    for pair, mark in sorted(pairs):
        if not outer or pair.start >= outer[-1][0].end:
            outer.append((pair, mark))
    return outer, opened[0] if opened else None


def _partner(opened: list[_Open], mark: str, at: int) -> int:
    """Index of the one among ``opened`` that ``mark`` at ``at`` closes: the last that fits; -1 for none."""
    for number in range(len(opened) - 1, -1, -1):
        before = opened[number]
        fits = before.mark == mark if mark in _STRAIGHT else mark in _PAIRS.get(before.mark, "")
        if fits and at - before.start <= _LONGEST:
            return number
    return -1


def _opens(text: str, at: int, span: Span) -> bool:
    before = text[at - 1] if at > span.start else " "
    after = text[at + 1] if at + 1 < span.end else " "
    return not after.isspace() and (before.isspace() or before in "([{—–-:：，。、（「“" or bool(_CJK.match(before)))


def _closes(text: str, at: int, span: Span) -> bool:
    before = text[at - 1] if at > span.start else " "
    after = text[at + 1] if at + 1 < span.end else " "
    return not before.isspace() and not (after.isascii() and after.isalnum())


def _first(text: str, span: Span) -> int:
    """Where the text of a paragraph begins after its indent."""
    at = span.start
    while at < span.end - 1 and text[at].isspace():
        at += 1
    return at


def _is_long(text: str, span: Span, mark: str) -> bool:
    inside = text[span.start + 1 : span.end - 1]
    times = 2 if mark in _TITLES else 1
    cjk = len(_CJK.findall(inside))
    return cjk >= times * _SHORTEST_CJK or len(inside.split()) >= times * _SHORTEST_WORDS
