"""Signs that text in a document is hidden from comparison or from its readers: kinds and places, not intent.

These are tricks that detection undoes (:mod:`workbench.text.disguises`), invisible characters within words, and text of
a web page that its own style hides. Honest texts have some of each, so a few are not a sign:

- *invisible characters* between letters of scripts that need none count from INVISIBLE on, if fewer than NEAR letters
  apart on average; soft hyphens count where no typesetter divides a word: less than two letters from its end;
- *digits for letters* count if isolated between letters: in model numbers and hashes most are adjacent;
- *small capitals* count from SMALL on, not including those of phonetic alphabets;
- words *hidden by styles* are defined in :mod:`workbench.reading.html.unseen`.

Only the content of web pages counts: menus list single letters and short words. Readers of formats that show where
text is on a page add their own flags (:mod:`workbench.reading.formats.pdf_hidden`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from unicodedata import category

from workbench.base.types import BlockClass, Document, IntegrityFlag, Span
from workbench.reading.html.elsewhere import shown_elsewhere
from workbench.reading.html.unseen import block_at, hidden_in
from workbench.text.disguises import Trick, stretches, tricks

INVISIBLE, NEAR, SMALL = 5, 50, 4
LEAST_UNSEEN = 12
"""Fewest letters and digits that are flagged because their style or their page hides them."""
MOST_SPANS = 2000
"""Maximum number of places stored per flag; its count includes all."""
APART = 3
"""Maximum distance, in characters, of two characters of a kind that count as one place."""
_LETTER = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WITHIN = re.compile(rf"(?<=[{_LETTER}])[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u034f]+(?=[{_LETTER}])")
_HYPHEN = "\u00ad"
_ODD_HYPHEN = re.compile(
    rf"(?<![^\W\d_]){_HYPHEN}|(?<![^\W\d_])[^\W\d_]{_HYPHEN}|{_HYPHEN}[^\W\d_]?(?![^\W\d_{_HYPHEN}])"
)
_FEWEST_HYPHENS, _SHARE = 4, 0.2
_PHONETIC = frozenset("ɪʀɢʟɴʏʜʙ")
_CODE = re.compile(r"&lt;|<|https?:|[{}=]")
_LEAST_ELSEWHERE, _LEAST_PIECE = 200, 40
"""Number of characters shown outside the text from which a document is flagged, and the minimum of one piece."""


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
    # Invisible separators are invisible characters, counted once.
    separators = places.get(Trick.SEPARATORS, set())
    unseen = {at for at in separators if category(text[at]) == "Cf"}
    separators -= unseen
    if invisible := {*_invisible(text), *_odd_hyphens(text), *unseen}:
        places[Trick.INVISIBLE] = invisible
    if hidden := set(hidden_in(document.markup, text, document.blocks)):
        places[Trick.HIDDEN] = hidden
    yield from shown_outside(shown_elsewhere(document.markup), text)
    for kind in Trick:
        concerned = _in_content(document, places.get(kind, ()), at_ends=kind is Trick.SEPARATORS)
        if len(concerned) >= (LEAST_UNSEEN if kind is Trick.HIDDEN else 1):
            yield flag_of(kind, concerned)


def _in_content(document: Document, places: Iterable[int], *, at_ends: bool = False) -> list[int]:
    """The ``places`` within the content, ascending; with ``at_ends`` also those between blocks of one letter."""
    if not document.blocks or not places:
        return sorted(places)
    spans = [block.span for block in document.blocks if block.verdict is BlockClass.CONTENT]
    within = ((at, holder) for at in sorted(places) if (holder := block_at(spans, at)) is not None)
    return [at for at, own in within if at < own.end or (at_ends and at == own.end == own.start + 1)]


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


def shown_outside(pieces: Iterable[str], text: str) -> Iterator[IntegrityFlag]:
    """The flag of the sentences in ``pieces``, which the document shows, that are not in its ``text``."""
    shown = {" ".join(piece.split()) for piece in pieces if not _CODE.search(piece)}
    sentences = (words for words in shown if len(words) >= _LEAST_PIECE and words not in text)
    count = sum(len(words) for words in sentences if words.count(" ") > 4 or not words.isascii())
    if count >= _LEAST_ELSEWHERE:
        yield IntegrityFlag(Trick.ELSEWHERE.value, count, ())
