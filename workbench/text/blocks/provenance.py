"""Where the characters of a page's text stand in its markup.

libxml2 tells no positions. But its character data come in the order of the markup, so they are followed through it:
the markup is scanned once for what lies between tags and comments, with references resolved, and the two are compared;
where they differ (broken markup), the next place is looked for where they go on alike. White space apart, the text of a
page is the data that :func:`workbench.text.html.extract_html` takes, character for character. Time is linear: what is
looked at after a difference is bounded.
"""

from __future__ import annotations

import html
import re

import numpy as np
from numpy.typing import NDArray

from workbench.text.html import text_pieces

_RAW = "script|style|xmp|iframe|noembed|noframes|plaintext"
_TOKEN = re.compile(
    rf"<!--.*?(?:-->|\Z)|<(?P<raw>{_RAW})\b[^>]*>(?P<data>.*?)(?=</(?P=raw)|\Z)"
    r"|<[a-zA-Z/!?](?:=\s*+\"[^\"]*\"|=\s*+'[^']*'|[^>])*+(?:>|\Z)"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});?",
    re.DOTALL | re.IGNORECASE,
)
_REFERENCE = re.compile(r"&#?[a-zA-Z0-9]{1,32};?")
_CHUNK = 4096
_TRIES = (32, 256, _CHUNK, 1 << 16)
"""Where parser and scan differ: characters of markup in which the parser's data are looked for again."""

_SKIPS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, _CHUNK)
"""Characters of the parser's data left out before they are looked for again."""

_KEY = 32
"""Characters that are looked for (a quarter of them close by)."""


def source_offsets(markup: str, text: str) -> NDArray[np.int32]:
    """For each character of ``text``, read from ``markup``, its code-point offset there; -1 where it has none.

    The offset of a character reference is that of its ``&``. White space has the offset of the white space that follows
    the character before it, if any does. All are -1 if ``text`` is not what the markup gives. Raises UnreadableInput
    for a page that takes too long to parse.
    """
    offsets = np.full(len(text), -1, np.int32)
    if not text:
        return offsets
    pieces = [("".join(piece.split()), taken) for piece, taken in text_pieces(markup)]
    if "".join(piece for piece, taken in pieces if taken) != "".join(text.split()):
        return offsets
    solid = [i for i, character in enumerate(text) if not character.isspace()]
    taken = np.repeat(np.array([taken for _, taken in pieces], bool), [len(piece) for piece, _ in pieces])
    offsets[solid] = _places("".join(piece for piece, _ in pieces), *_character_data(markup))[taken]
    _white_space(markup, text, offsets)
    return offsets


def _places(wanted: str, data: str, places: NDArray[np.int32]) -> NDArray[np.int32]:
    """The offset of each character of ``wanted``, the parser's data; ``places`` are those of the scanned ``data``."""
    found = np.full(len(wanted), -1, np.int32)
    i = j = 0
    while i < len(wanted) and j < len(data):
        length = _shared(wanted, i, data, j)
        found[i : i + length] = places[j : j + length]
        i, j = _again(wanted, i + length, data, j + length)
    return found


def _again(wanted: str, i: int, data: str, j: int) -> tuple[int, int]:
    """The nearest positions from ``i`` and ``j`` on where both go on alike; the next ones if there are none."""
    if i >= len(wanted) or j >= len(data):
        return i, j
    for window in _TRIES:
        key = _KEY if window > _TRIES[0] else _KEY // 4
        for skip in _SKIPS:
            sought = wanted[i + skip : i + skip + key]
            if skip > window or not sought:
                break
            found = data.find(sought, j, j + window + key)
            if found >= 0:
                return i + skip, found
    return i + _CHUNK, j


def _shared(a: str, i: int, b: str, j: int) -> int:
    """How many characters ``a`` from ``i`` on and ``b`` from ``j`` on have in common."""
    start = i
    while a[i : i + _CHUNK] == b[j : j + _CHUNK] and i < len(a) and j < len(b):
        step = len(a[i : i + _CHUNK])
        i, j = i + step, j + step
    low, high = 0, min(_CHUNK, len(a) - i, len(b) - j)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[i : i + middle] == b[j : j + middle] else (low, middle - 1)
    return i - start + low


def _character_data(markup: str) -> tuple[str, NDArray[np.int32]]:
    """The character data of ``markup`` without white space, references resolved, and the offset of each character."""
    parts: list[str] = []
    places: list[NDArray[np.int32]] = []

    def plain(start: int, end: int) -> None:
        parts.append(markup[start:end])
        places.append(np.arange(start, end, dtype=np.int32))

    at = 0
    for token in _TOKEN.finditer(markup):
        start, end = token.span()
        plain(at, start)
        if token["data"] is not None:
            plain(*token.span("data"))
        elif markup[start] == "&":
            written, read = token[0], html.unescape(token[0])
            tail = 0
            while tail < min(len(written), len(read)) and written[-1 - tail] == read[-1 - tail]:
                tail += 1
            parts.append(read[: len(read) - tail])
            places.append(np.full(len(read) - tail, start, np.int32))
            plain(end - tail, end)
        at = end
    plain(at, len(markup))
    whole = "".join(parts)
    solid = np.array([not character.isspace() for character in whole], bool)
    return "".join(whole.split()), np.concatenate(places)[solid]


def _white_space(markup: str, text: str, offsets: NDArray[np.int32]) -> None:
    for i in range(1, len(text)):
        if offsets[i] < 0 <= offsets[i - 1] and text[i].isspace():
            before = int(offsets[i - 1])
            at = _reference_to(text[i - 1], markup, before) or before + 1
            if at < len(markup) and (markup[at].isspace() or _reference_to(text[i], markup, at)):
                offsets[i] = at


def _reference_to(character: str, markup: str, at: int) -> int:
    """The end of the character reference to ``character`` that begins at ``at``; 0 if none does."""
    reference = _REFERENCE.match(markup, at)
    return reference.end() if reference and html.unescape(reference[0]) == character else 0
