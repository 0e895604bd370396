"""What stands between marks of quotation: 「」, “”, «», „“, "" and their like, nested or running over paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
_MARKS = re.compile("[" + "".join(sorted({*_PAIRS, *_CLOSING})) + '"＂]')
_CJK = re.compile("[\u2e80-\u2fff\u3005-\u3007\u3040-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f]")
_SHORTEST_WORDS, _SHORTEST_CJK = 5, 10
"""Words, or characters in CJK, from which on marked text counts as quoted; shorter is a term, a title or an echo."""
_LONGEST = 5_000
"""Characters beyond which marks are taken for unpaired."""
_TITLES = "『﹃‘"
"""Marks of titles and of quotations within quotations; alone they count from twice the length."""


def marked(text: str, paragraphs: list[Span]) -> Iterator[tuple[Span, str]]:
    """Quotations in the order of ``text``, marks included, each with its opening mark; the outermost of nested ones.

    Marks pair within a paragraph. A quotation goes on in the next paragraph where that begins with the same opening
    mark, as English does.
    """
    carried: tuple[int, str] | None = None
    for number, paragraph in enumerate(paragraphs):
        following = paragraphs[number + 1] if number + 1 < len(paragraphs) else None
        open_ = _Open(*carried) if carried else None
        start = _first(text, paragraph)
        if open_ is not None and text[start] == open_.mark:
            start += 1
        carried = None
        for span, mark, closed in _pairs(text, Span(start, paragraph.end), open_):
            goes_on = following is not None and text[_first(text, following)] == mark
            if closed:
                if _is_long(text, span, mark):
                    yield span, mark
            elif goes_on and mark in '“「"' and paragraph.end - span.start <= _LONGEST:
                carried = span.start, mark


class _Open:
    """A quotation that has begun at ``start`` with ``mark``; ``depth`` counts the same pair inside."""

    def __init__(self, start: int, mark: str) -> None:
        self.start, self.mark, self.depth = start, mark, 0


def _pairs(  # noqa: C901 - a branch a mark
    text: str, span: Span, open_: _Open | None
) -> Iterator[tuple[Span, str, bool]]:
    """Outermost pairs of marks in ``span``, and what is open at its end (closed: False)."""
    for found in _MARKS.finditer(text, span.start, span.end):
        mark, at = found[0], found.start()
        if open_ is not None and at - open_.start > _LONGEST:
            open_ = None
        if mark in '"＂':
            if open_ is None and _opens(text, at, span):
                open_ = _Open(at, mark)
            elif open_ is not None and open_.mark == mark and _closes(text, at, span):
                yield Span(open_.start, at + 1), mark, True
                open_ = None
        elif open_ is None:
            if mark in _PAIRS and (mark != "‘" or _opens(text, at, span)):
                open_ = _Open(at, mark)
        elif mark == open_.mark:
            open_.depth += 1
        elif mark in _PAIRS.get(open_.mark, ""):
            if mark == "’" and not _closes(text, at, span):
                continue  # an apostrophe
            if open_.depth:
                open_.depth -= 1
            else:
                yield Span(open_.start, at + 1), open_.mark, True
                open_ = None
    if open_ is not None:
        yield Span(open_.start, span.end), open_.mark, False


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
