"""Kernels of the method ``rare-sentences``.

From code points to sentences of sufficient length, in one compiled pass over many documents: equals the plain reference
:func:`workbench.text.segmenting.sentences.sentences` (given its hard breaks) and Rabin fingerprints
(:mod:`workbench.kernels.rabin`) of the folded sentences. Also counts the documents that contain given strings,
all in one pass over the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import trimmed, unfolded_hash
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.fold_table import CLASS_SHIFT, fold_table
from workbench.kernels.mixing import mix
from workbench.kernels.rabin import reduction_table, slice_fingerprint
from workbench.kernels.sketches.shingles import BASE
from workbench.kernels.token_pass import FoldedCodes
from workbench.text.normalisation import FoldOptions
from workbench.text.segmenting.characters import CharClass
from workbench.text.segmenting.sentences import COMMAS, QUOTES, STOP, Sign

_HEAD = 4
_BITS = np.uint64((1 << 16) - 1)


@dataclass(frozen=True, slots=True)
class Strings:
    """Distinct strings, ordered by the hash of their first ``head`` characters; int64 and uint64 of equal length.

    ``hashes`` represent whole strings: among n, two different ones share a hash with a probability of about n^2 / 2^65.
    """

    hashes: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    heads: NDArray[np.uint64]
    head: int

    @classmethod
    def of(cls, codes: NDArray[np.uint32], first: NDArray[np.int64], last: NDArray[np.int64]) -> Strings:
        """The strings ``codes[first[i]:last[i]]``, none of them empty."""
        head = min(_HEAD, int((last - first).min(initial=_HEAD)))
        hashes, chosen = np.unique(string_hashes(codes, first, last), return_index=True)
        heads = string_hashes(codes, first[chosen], first[chosen] + head)
        order = np.argsort(heads, kind="stable")
        return cls(hashes[order], (last - first)[chosen][order], heads[order], head)


def string_hashes(codes: NDArray[np.uint32], first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hashes of ``codes[first[i]:last[i]]``."""
    hashes = np.empty(len(first), np.uint64)
    _hashes(codes, first, last, hashes)
    return hashes


@kernel
def _hashes(codes: Any, first: Any, last: Any, hashes: Any) -> None:
    for i in range(len(first)):
        rolled = np.uint64(0)
        for at in range(first[i], last[i]):
            rolled = rolled * BASE + np.uint64(codes[at])
        hashes[i] = mix(rolled ^ mix(np.uint64(last[i] - first[i])))


def count_documents(
    codes: NDArray[np.uint32], bounds: NDArray[np.int64], strings: Strings, counts: NDArray[np.int64]
) -> None:
    """Add to ``counts``, parallel to ``strings``, the number of documents ``codes[bounds[i]:bounds[i + 1]]`` that
    contain each.
    """
    if not len(counts):
        return
    mask = np.zeros(int(_BITS) + 1, np.bool_)
    mask[strings.heads & _BITS] = True
    columns = (strings.heads, strings.hashes, strings.lengths, strings.head, mask)
    _count(codes, bounds, *columns, np.full(len(counts), -1, np.int64), counts)


@kernel
def _count(
    codes: Any,
    bounds: Any,
    heads: Any,
    hashes: Any,
    lengths: Any,
    head: Any,
    mask: Any,
    seen: Any,
    counts: Any,
) -> None:
    """``rolled[i]``: the polynomial of the document's first i characters, which gives that of any part."""
    powers = np.ones(lengths.max() + 1, np.uint64)
    for i in range(1, len(powers)):
        powers[i] = powers[i - 1] * BASE
    for d in range(len(bounds) - 1):
        size = bounds[d + 1] - bounds[d]
        rolled = np.zeros(size + 1, np.uint64)
        for i in range(size):
            rolled[i + 1] = rolled[i] * BASE + np.uint64(codes[bounds[d] + i])
        for i in range(size - head + 1):
            begins = mix((rolled[i + head] - rolled[i] * powers[head]) ^ mix(np.uint64(head)))
            if not mask[begins & _BITS]:
                continue
            at = np.searchsorted(heads, begins)
            while at < len(heads) and heads[at] == begins:
                length = lengths[at]
                if seen[at] != d and i + length <= size:
                    whole = rolled[i + length] - rolled[i] * powers[length]
                    if mix(whole ^ mix(np.uint64(length))) == hashes[at]:
                        seen[at] = d
                        counts[at] += 1
                at += 1


_STRONG, _STOP = np.uint16(CharClass.STRONG_STOP), np.uint16(STOP)
_SPACE, _GRAPHIC = np.uint16(CharClass.SPACE), np.uint16(CharClass.GRAPHIC)
_BEGINS = np.uint16(STOP | Sign.QUOTE)
_RUN = np.uint16(STOP | Sign.QUOTE | CharClass.CLOSER)
_JOINS, _LOWER = np.uint16(Sign.TO | Sign.COMMA), np.uint16(Sign.LOWER)
_HIRAGANA, _DE = np.uint16(Sign.HIRAGANA), np.uint16(Sign.DE)
_CONTINUES = np.uint16(Sign.TO | Sign.COMMA | Sign.LOWER | Sign.DE | Sign.HIRAGANA)
_LINE_FEED = np.uint32(10)
_DA, _SU = np.uint32(ord("だ")), np.uint32(ord("す"))
_LETTERS = 0x1F000
"""One past the last lower-case letter."""


@dataclass(frozen=True, slots=True)
class SentenceRows:
    """Sentences of a batch that are long enough: columns of m rows in text order.

    ``hashes`` uint64; ``start``, ``end`` int32 offsets in the batch; ``first`` int64, ``length`` int32: their folded
    characters ``[first, first + length)`` in the folded codes; ``bounds`` int64 [d + 1]: rows of document i. ``short``
    int64 [d]: sentences dropped as too short. uint32 hashes: ``spelling`` of the sentence as written, ``lead`` of the
    text between it and the previous row as written, ``gap`` of that text's folded characters.
    """

    hashes: NDArray[np.uint64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    first: NDArray[np.int64]
    length: NDArray[np.int32]
    spelling: NDArray[np.uint32]
    lead: NDArray[np.uint32]
    gap: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    short: NDArray[np.int64]


@lru_cache(maxsize=1)
def sentence_signs() -> NDArray[np.uint16]:
    """:func:`workbench.text.segmenting.sentences.sign` of every code point: uint16 [0x110000]."""
    words = fold_table(FoldOptions()).words
    signs = ((words >> np.uint32(CLASS_SHIFT)) & np.uint32(31)).astype(np.uint16)
    for characters, flag in ((QUOTES, Sign.QUOTE), (COMMAS, Sign.COMMA), ("とっ", Sign.TO), ("でだ", Sign.DE)):
        signs[[ord(c) for c in characters]] |= np.uint16(flag)
    signs[0x3041:0x30A0] |= _HIRAGANA
    signs[[c for c in range(_LETTERS) if chr(c).islower()]] |= _LOWER
    return signs


def sentence_pass(
    codes: NDArray[np.uint32],
    ends: NDArray[np.int64],
    breaks: NDArray[np.int64],
    folded: FoldedCodes,
    min_length: int,
) -> SentenceRows:
    """Sentences of at least ``min_length`` folded characters.

    ``codes`` are concatenated documents, the i-th ending at ``ends[i]``, and ``folded`` is their folded form.
    ``breaks`` are the hard breaks, ascending, and include every document end that is not 0 (duplicates are harmless).
    """
    room = len(folded.codes) // max(1, min_length) + 1
    hashes, first = np.empty(room, np.uint64), np.empty(room, np.int64)
    start, end, length = (np.empty(room, np.int32) for _ in range(3))
    spelling, lead, gap = (np.empty(room, np.uint32) for _ in range(3))
    bounds, short = np.zeros(len(ends) + 1, np.int64), np.zeros(len(ends), np.int64)
    columns = (hashes, start, end, first, length, spelling, lead, gap)
    table = reduction_table(64)
    m = _scan(
        codes, ends, breaks, sentence_signs(), folded.codes, folded.start, table, min_length, *columns, bounds, short
    )
    return SentenceRows(
        hashes[:m].copy(),
        start[:m].copy(),
        end[:m].copy(),
        first[:m].copy(),
        length[:m].copy(),
        spelling[:m].copy(),
        lead[:m].copy(),
        gap[:m].copy(),
        bounds,
        short,
    )


@kernel
def _scan(
    codes: Any,
    ends: Any,
    breaks: Any,
    signs: Any,
    folded: Any,
    origin: Any,
    table: Any,
    min_length: Any,
    hashes: Any,
    starts: Any,
    stops: Any,
    firsts: Any,
    lengths: Any,
    spellings: Any,
    leads: Any,
    gaps: Any,
    bounds: Any,
    short: Any,
) -> Any:
    rows = 0
    document = 0
    piece = 0
    at = 0  # folded characters before the scan
    covered = 0  # original characters covered by rows of this document, and their folded ones
    covered_folded = 0
    for edge in breaks:
        while document < len(ends) and ends[document] <= piece:
            bounds[document + 1] = rows
            document += 1
            covered = piece
            while at < len(folded) and origin[at] < piece:
                at += 1
            covered_folded = at
        first = piece
        while first < edge:
            stop = _sentence_end(codes, first, edge, piece, signs)
            a, b = trimmed(codes, first, stop, signs, _SPACE)
            if a < b:
                while at < len(folded) and origin[at] < a:
                    at += 1
                begin = at
                while at < len(folded) and origin[at] < b:
                    at += 1
                if at - begin >= min_length:
                    hashes[rows] = slice_fingerprint(folded, begin, at, table, np.uint64(64))
                    starts[rows], stops[rows], firsts[rows], lengths[rows] = a, b, begin, at - begin
                    spellings[rows], leads[rows] = unfolded_hash(codes, a, b), unfolded_hash(codes, covered, a)
                    gaps[rows] = unfolded_hash(folded, covered_folded, begin)
                    covered, covered_folded = b, at
                    rows += 1
                else:
                    short[document] += 1
            first = stop
        piece = edge
    while document < len(ends):
        bounds[document + 1] = rows
        document += 1
    return rows


@helper
def _sentence_end(codes: Any, first: Any, edge: Any, piece: Any, signs: Any) -> Any:
    """End of the sentence that begins at ``first`` in the piece ``[piece, edge)``."""
    at = first
    while at < edge:
        if not signs[codes[at]] & _BEGINS:
            at += 1
            continue
        run = at
        seen = np.uint16(0)
        last = np.uint16(0)
        while at < edge and signs[codes[at]] & _RUN:
            last = signs[codes[at]]
            seen |= last
            at += 1
        behind = at
        while behind < edge and signs[codes[behind]] & _SPACE:
            behind += 1
        if behind == edge:
            return at
        strong = (seen & _STRONG) != 0
        if not strong and run > piece and behind == at and signs[codes[run - 1]] & signs[codes[at]] & _GRAPHIC:
            continue
        following = signs[codes[behind]]
        if not last & _STRONG:
            if following & _JOINS or (following & _LOWER and not strong):
                continue
            if following & _DE and (codes[behind] == _DA or (behind + 1 < edge and codes[behind + 1] == _SU)):
                continue
        if not seen & _STOP and behind == at and following & _HIRAGANA:
            continue
        return at
    return edge


def has_open_lines(codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which documents may have a line end that, if it were not a hard break, would not end a sentence: bool [d].

    Line ends after a run that ends sentences (unless the following text may continue one), or with only white space
    before or after them, always end one.
    """
    is_open = np.zeros(len(ends), np.bool_)
    _open_lines(codes, ends, sentence_signs(), is_open)
    return is_open


@kernel
def _open_lines(codes: Any, ends: Any, signs: Any, is_open: Any) -> Any:
    start = 0
    for d in range(len(ends)):
        some = False  # something other than white space comes before
        ended = False  # by a run with a stop or quotation mark
        strong = False  # its last code point is a strong stop
        line_end = False
        spaced = False
        for i in range(start, ends[d]):
            sign = signs[codes[i]]
            if sign & _SPACE:
                line_end |= some and codes[i] == _LINE_FEED
                spaced = True
                continue
            if line_end and (not ended or (not strong and sign & _CONTINUES)):
                is_open[d] = True
                break
            line_end = False
            some = True
            if sign & _BEGINS:
                ended = True
            elif spaced or not (ended and sign & _RUN):
                ended = False
            strong = (sign & _STRONG) != 0
            spaced = False
        start = ends[d]
