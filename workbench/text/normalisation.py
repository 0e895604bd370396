"""Folded text for comparison, with a map back to the original characters.

``fold`` is the plain reference; ``kernels`` builds its compiled table from :func:`fold_char` and :func:`needs_context`:
a text none of whose characters needs context folds to the concatenation of ``fold_char`` of its characters.

Order of the steps: ruby is cut out; NFKC; then for each resulting character its variant form (kyūjitai or simplified),
case folding, katakana to hiragana; finally, symbols and spaces are dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Span
from workbench.text.disguises import LOOKALIKES, SMALL_CAPITALS, is_free_mark
from workbench.text.scripts import (
    katakana_to_hiragana,
    kyujitai_to_shinjitai,
    one_of_all_forms,
    traditional_to_simplified,
)

Variants = Literal["none", "kyujitai", "simplified", "both"]
VARIANTS: Mapping[Variants, Callable[[], Mapping[str, str]]] = {
    "none": dict,
    "kyujitai": kyujitai_to_shinjitai,
    "simplified": traditional_to_simplified,
    "both": one_of_all_forms,
}
"""Tables of equivalent characters, by option value."""

LONGEST_CLUSTER = 1024
"""Maximum number of combining marks normalised together with their base: canonical ordering takes quadratic time.
Unicode's stream-safe text format (UAX 15, section 13) allows 30.
"""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


@dataclass(frozen=True, slots=True)
class FoldOptions:
    """What counts as equal. Raises ValueError for unknown ``variants``.

    ``nfkc``: compatibility forms and widths (Unicode NFKC). ``case``: full case folding. ``symbols``: drop punctuation
    and symbols (general categories P*, S*), format and control characters (Cf, Cc), variation selectors and fillers.
    ``spaces``: drop white space. ``kana``: katakana as hiragana. ``variants``: old Japanese or traditional Chinese
    character forms, or both. ``lookalikes``: letters of other scripts and small capitals as the Latin letters they look
    like, without marks that no letter is composed with. ``ruby``: cuts out Aozora Bunko notes: ``《reading》``, ``｜``
    before its base, ``［＃note］``.
    """

    nfkc: bool = True
    case: bool = True
    symbols: bool = True
    spaces: bool = True
    kana: bool = False
    variants: Variants = "none"
    ruby: bool = False
    lookalikes: bool = False

    def __post_init__(self) -> None:
        if self.variants not in VARIANTS:
            raise ValueError(f"variants must be one of {', '.join(VARIANTS)}, not {self.variants!r}")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text of n characters; character i represents the original code points ``[start[i], end[i])``.

    ``start`` and ``end`` never decrease; both have n int32.
    """

    text: str
    start: NDArray[np.int32]
    end: NDArray[np.int32]

    def original(self, span: Span) -> Span:
        """Original code points behind the folded ``span``, which lies inside ``[0, n]``; empty spans stay empty."""
        if span.start < span.end:
            return Span(int(self.start[span.start]), int(self.end[span.end - 1]))
        at = int(self.start[span.start]) if span.start < len(self.text) else int(self.end[-1]) if self.text else 0
        return Span(at, at)


_DEFAULT = FoldOptions()
_NONE = np.zeros(0, np.int32)


def fold(text: str, options: FoldOptions = _DEFAULT) -> Folded:
    """``text`` folded under ``options``, with its offset map."""
    pieces: list[str] = []
    starts: list[NDArray[np.int32]] = [_NONE]
    ends: list[NDArray[np.int32]] = [_NONE]
    for a, b, parts in _folded_clusters(text, options):
        pieces.extend(parts)
        if len(parts) == b - a:  # one part per character
            at = np.repeat(np.arange(a, b, dtype=np.int32), np.fromiter(map(len, parts), np.int64, b - a))
            starts.append(at)
            ends.append(at + np.int32(1))
        else:
            starts.append(np.full(len(parts[0]), a, np.int32))
            ends.append(np.full(len(parts[0]), b, np.int32))
    return Folded("".join(pieces), np.concatenate(starts), np.concatenate(ends))


def folded_text(text: str, options: FoldOptions = _DEFAULT) -> str:
    """The text of :func:`fold`, without its offset map, which takes much longer than a short text."""
    return "".join(chain.from_iterable(parts for _, _, parts in _folded_clusters(text, options)))


def _folded_clusters(text: str, options: FoldOptions) -> Iterator[tuple[int, int, list[str]]]:
    """Pieces ``[a, b)`` of ``text``, each with the folded forms of its characters, or a single one if they fold
    together.
    """
    of_character, after_nfkc = _folder(options), _after_nfkc(options)
    for first, last in _spans_to_keep(text, options):
        for a, b, together in _clusters(text, first, last) if options.nfkc else ((first, last, False),):
            if together:
                yield a, b, ["".join(map(after_nfkc, unicodedata.normalize("NFKC", text[a:b])))]
            else:
                yield a, b, list(map(of_character, text[a:b]))


def fold_char(character: str, options: FoldOptions = _DEFAULT) -> str:
    """The folded form of one code point regardless of its neighbours; may be empty or several code points."""
    return _folder(options)(character)


@lru_cache(maxsize=64)
def _folder(options: FoldOptions) -> Callable[[str], str]:
    after = _after_nfkc(options)

    @lru_cache(maxsize=1 << 17)
    def of_character(character: str) -> str:
        narrow = unicodedata.normalize("NFKC", character) if options.nfkc else character
        return "".join(map(after, narrow))

    return of_character


def needs_context(character: str) -> bool:
    """Whether NFKC may join or reorder ``character`` with the preceding character (it is not a normalisation boundary).

    True for combining marks, Hangul vowels and final consonants, half-width voicing marks, and characters whose
    decomposition begins with one.
    """
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.combining(first) != 0 or first in _joins_backwards()


def tie(character: str) -> int:
    """How readily NFKC joins or reorders a code point with a neighbour: 0, 1 or 2.

    The neighbour is the preceding one for a code point that needs context, the following one for others. A code point
    that needs context leaves itself and a preceding one that does not unchanged if their ties sum to at most 1. 0: no
    composition ends in this mark, or begins with this character; 1: it only composes; 2: it may also be reordered or
    decomposed. A mark of tie 0 after another unchanged mark of tie below 2 is also unchanged if its combining class is
    not lower.
    """
    parts = unicodedata.normalize("NFKD", character)
    if needs_context(character):
        if parts != character or not unicodedata.combining(character):
            return 2
        return int(character in _joins_backwards())
    if unicodedata.combining(parts[-1]):
        return 2
    return int(len(parts) > 1 or parts in _joins_forwards())


_LAST_DECOMPOSED = 0x30000
"""No code point from here on is decomposed, composed or reordered."""


@lru_cache(maxsize=1)
def _compositions() -> list[tuple[str, str]]:
    """Both halves of each canonical composition, except Hangul."""
    decompositions = filter(None, map(unicodedata.decomposition, map(chr, range(_LAST_DECOMPOSED))))
    return [
        (chr(int(parts[0], 16)), chr(int(parts[1], 16)))
        for parts in map(str.split, decompositions)
        if len(parts) == 2 and not parts[0].startswith("<")
    ]


@lru_cache(maxsize=1)
def _joins_forwards() -> frozenset[str]:
    """Code points that are the first half of a canonical composition, except Hangul."""
    return frozenset(first for first, _ in _compositions())


@lru_cache(maxsize=1)
def _joins_backwards() -> frozenset[str]:
    """Code points that are the second half of a canonical composition."""
    jamo = [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]
    return frozenset(map(chr, jamo)).union(second for _, second in _compositions())


@lru_cache(maxsize=1)
def _context_run() -> re.Pattern[str]:
    """A code point followed by code points that need context."""
    basic, further = (
        "".join(re.escape(chr(c)) for c in plane if needs_context(chr(c)))
        for plane in (range(0x10000), range(0x10000, _LAST_DECOMPOSED))
    )
    # A set with characters beyond U+FFFF is searched range by range, so few characters should reach it.
    return re.compile(f"(?s:.)(?:[{basic}]|(?=[\U00010000-\U0010ffff])[{further}])+")


def _clusters(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Pieces of ``text[start:end]`` that NFKC treats independently, and whether one is a base with its marks.

    The others are runs of code points that do not interact.
    """
    at = start
    for run in _context_run().finditer(text, start, end):
        if at < run.start():
            yield at, run.start(), False
        for i in range(run.start(), run.end(), LONGEST_CLUSTER):
            yield i, min(i + LONGEST_CLUSTER, run.end()), True
        at = run.end()
    if at < end:
        yield at, end, False


@lru_cache(maxsize=64)
def _after_nfkc(options: FoldOptions) -> Callable[[str], str]:
    """The context-free steps after NFKC, as a function of one code point."""
    variants = dict(VARIANTS[options.variants]())
    alike = {**LOOKALIKES, **SMALL_CAPITALS} if options.lookalikes else {}

    @lru_cache(maxsize=1 << 16)
    def step(character: str) -> str:
        changed = variants.get(character, character)
        changed = alike.get(changed, changed)
        if options.case:
            changed = changed.casefold()
        if options.kana:
            changed = "".join(map(katakana_to_hiragana, changed))
        return "".join(c for c in changed if not _dropped(c, options))

    return step


def _dropped(character: str, options: FoldOptions) -> bool:
    if character.isspace():
        return options.spaces
    if options.lookalikes and is_free_mark(character):
        return True
    return options.symbols and is_symbol(character)


def is_symbol(character: str) -> bool:
    """Whether ``FoldOptions.symbols`` drops this code point (never white space)."""
    if character.isspace():
        return False
    category = unicodedata.category(character)
    if category[0] in "PS" or category in ("Cf", "Cc"):
        return True
    code = ord(character)
    selector = 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or 0x180B <= code <= 0x180F
    return selector or character in _INVISIBLE


_RUBY = re.compile(
    r"｜(?=[^｜《》\n]{1,64}《[^《》\n]{1,64}》)"
    r"|(?<=[^\n《》])《[ぁ-ゖァ-ヺー・゛゜ヽヾゝゞ／＼″々〳〴〵\u3000 ]{1,64}》"
    r"|［＃[^［］\n]{0,400}］"
)
_MARKED = re.compile(r"｜[^｜《》\n]{1,64}(《[^《》\n]{1,64}》)")


def ruby_spans(text: str) -> list[Span]:
    """The spans ``ruby=True`` cuts out of plain text, in order and disjoint (Aozora Bunko's annotation rules).

    ``《…》`` counts as a reading if it is written in kana or its base is marked by ``｜``, so 《titles》 are kept.
    """
    ranges = {(m.start(), m.end()) for m in _RUBY.finditer(text)} | {m.span(1) for m in _MARKED.finditer(text)}
    spans: list[Span] = []
    for start, end in sorted(ranges):
        if not spans or start >= spans[-1].end:
            spans.append(Span(start, end))
    return spans


def _spans_to_keep(text: str, options: FoldOptions) -> Iterator[tuple[int, int]]:
    """The parts of ``text`` that are not cut out as ruby."""
    at = 0
    if options.ruby:
        for start, end in ruby_spans(text):
            if at < start:
                yield at, start
            at = end
    if at < len(text):
        yield at, len(text)
