"""From code points to tokens in two compiled passes over many documents: folding, then cutting.

:mod:`workbench.text.tokens` defines tokens; the tests have a plain reference. A token's value is a 64-bit hash of its
folded characters, one-to-one for tokens of one character; from here on it represents the token.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import CODE_POINTS
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.fold_table import CONTEXT, EXPANDS, VALUE, FoldTable
from workbench.kernels.mixing import LETTER, mix
from workbench.text.normalisation import is_symbol
from workbench.text.tokens import DIVIDES, HAN, LETTERS_OF_A_TOKEN, SCRIPT, UNSPACED, Tokens, token_class

_VALUE, _EXPANDS, _CONTEXT = np.uint32(VALUE), np.uint32(EXPANDS), np.uint32(CONTEXT)
_DIVIDES, _SCRIPT = np.uint8(DIVIDES), np.uint8(SCRIPT)
AFTER_DIVISION = np.uint32(1 << 31)
"""Bit of a folded code point: a character dropped before it separates words."""
_HAN = np.uint8(HAN)
_WORDS, _SEGMENTED, LETTERS = 2, 3, 4
MODES = {
    Tokens.CHARACTERS: 0,
    Tokens.AUTO: 1,
    Tokens.WORDS: _WORDS,
    Tokens.SEGMENTED: _SEGMENTED,
    Tokens.LETTERS: LETTERS,
}
_SPECIAL = 0x30000
_TAGS = 0xE0000


@dataclass(frozen=True, slots=True)
class FoldedCodes:
    """Concatenated folded documents: character i is ``codes[i]`` and represents ``[start[i], end[i])`` of the batch.

    ``bounds`` int64 [d + 1]: characters of document i are ``bounds[i]:bounds[i + 1]``. ``context`` bool [d]: the
    document has a code point whose folding depends on its neighbours, so its entries here must not be used.
    """

    codes: NDArray[np.uint32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    bounds: NDArray[np.int64]
    context: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TokenCodes:
    """Tokens of documents: ``values`` uint64 [n]; ``start``, ``end`` int32 [n], offsets in the batch.

    ``bounds`` int64 [d + 1]: tokens of document i are ``bounds[i]:bounds[i + 1]``.
    """

    values: NDArray[np.uint64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    bounds: NDArray[np.int64]


@lru_cache(maxsize=1)
def token_classes() -> NDArray[np.uint8]:
    """:func:`workbench.text.tokens.token_class` of every code point: uint8 [0x110000]."""
    classes = np.zeros(CODE_POINTS, np.uint8)
    for first, last, script in UNSPACED:
        classes[first : last + 1] = script
    plain = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xD800, 0xF900), (0x20000, _SPECIAL))
    start = 0
    for first, last in (*plain, (_SPECIAL, _TAGS), (_TAGS + 0x200, CODE_POINTS)):
        for code, character in enumerate(map(chr, range(start, first)), start):
            # Others have the number of their script only.
            if character.isspace() or is_symbol(character):
                classes[code] = token_class(character)
        start = last
    return classes


def fold_codes(
    codes: NDArray[np.uint32], ends: NDArray[np.int64], table: FoldTable, *, marked: bool = False
) -> FoldedCodes:
    """Fold ``codes`` (concatenated documents, the i-th ending at ``ends[i]``) by ``table``.

    ``marked``: with the bit ``AFTER_DIVISION``, as required by :func:`cut_tokens`.
    """
    size, bounds, context = count_folded(codes, ends, table)
    folded, start, end = np.empty(size, np.uint32), np.empty(size, np.int32), np.empty(size, np.int32)
    mark = AFTER_DIVISION if marked else np.uint32(0)
    _fold(codes, table.words, table.expansions, token_classes(), mark, folded, start, end)
    return FoldedCodes(folded, start, end, bounds, context)


def mark_divisions(folded: FoldedCodes, codes: NDArray[np.uint32]) -> FoldedCodes:
    """``folded``, the folded form of ``codes``, with the bit ``AFTER_DIVISION``, for texts folded by other means."""
    divisions = np.concatenate([[0], np.cumsum(token_classes()[codes] & _DIVIDES != 0)])
    before = np.concatenate([[0], folded.end[:-1]])[: len(folded.codes)]
    divided = divisions[folded.start] > divisions[before]
    return replace(folded, codes=folded.codes | np.where(divided, AFTER_DIVISION, np.uint32(0)))


def count_folded(
    codes: NDArray[np.uint32], ends: NDArray[np.int64], table: FoldTable
) -> tuple[int, NDArray[np.int64], NDArray[np.bool_]]:
    """Number of characters to which ``codes`` fold, with ``bounds`` and ``context`` of :class:`FoldedCodes`."""
    context = np.zeros(len(ends), np.bool_)
    bounds = np.zeros(len(ends) + 1, np.int64)
    return int(_count(codes, ends, table.words, table.expansions, bounds, context)), bounds, context


def cut_tokens(folded: FoldedCodes, mode: Tokens, within: NDArray[np.bool_] | None = None) -> TokenCodes:
    """Tokens of ``folded``, with the bit ``AFTER_DIVISION``.

    ``within`` bool, parallel to ``folded.codes``, for ``segmented`` only: the character belongs to the Chinese word of
    the preceding one.
    """
    within = np.zeros(0, np.bool_) if within is None else within
    size = len(folded.codes)
    values, start, end = np.empty(size, np.uint64), np.empty(size, np.int32), np.empty(size, np.int32)
    bounds = np.zeros(len(folded.bounds), np.int64)
    places = folded.start, folded.end, start, end
    n = _cut(folded.codes, folded.bounds, token_classes(), MODES[mode], within, values, *places, bounds)
    return TokenCodes(values[:n], start[:n], end[:n], bounds)


@kernel
def _count(codes: Any, ends: Any, words: Any, expansions: Any, bounds: Any, context: Any) -> Any:
    size: Any = 0
    start = 0
    for d in range(len(ends)):
        seen = np.uint32(0)
        for i in range(start, ends[d]):
            word = words[codes[i]]
            seen |= word
            if word & _EXPANDS:
                size += np.int64(expansions[word & _VALUE])
            elif word & _VALUE:
                size += 1
        context[d] = (seen & _CONTEXT) != 0
        bounds[d + 1] = size
        start = ends[d]
    return size


@helper
def fold_into(
    codes: Any, words: Any, expansions: Any, classes: Any, mark: Any, folded: Any, start: Any, end: Any
) -> Any:
    """Fold ``codes`` into ``folded``; characters after a division get the bits of ``mark``. The position of each
    character in ``codes`` is written to ``start`` and ``end``. If these are None, ``folded`` may be too short: a longer
    array is then returned.

    Returns the folded array, the number of characters, and whether the folding of any depends on its neighbours.
    """
    seen, divided = np.uint32(0), np.uint32(0)
    n = 0
    for i in range(len(codes)):
        word = words[codes[i]]
        if start is None:
            seen |= word
        value = word & _VALUE
        if word & _EXPANDS:
            length = np.int64(expansions[value])
            if start is None:
                most = n + length + len(codes) - i
                if most > len(folded):
                    longer = np.empty(2 * most, np.uint32)
                    for k in range(n):
                        longer[k] = folded[k]
                    folded = longer
            for j in range(length):
                folded[n] = expansions[value + np.uint32(1 + j)] | divided
                if start is not None:
                    start[n], end[n] = i, i + 1
                divided = np.uint32(0)
                n += 1
        elif value:
            folded[n] = value | divided
            if start is not None:
                start[n], end[n] = i, i + 1
            divided = np.uint32(0)
            n += 1
        elif classes[codes[i]] & _DIVIDES:
            divided = mark
    return folded, n, (seen & _CONTEXT) != 0


@kernel
def _fold(codes: Any, words: Any, expansions: Any, classes: Any, mark: Any, folded: Any, start: Any, end: Any) -> None:
    fold_into(codes, words, expansions, classes, mark, folded, start, end)


@helper
def cut_into(
    folded: Any,
    first: Any,
    last: Any,
    classes: Any,
    mode: Any,
    within: Any,
    values: Any,
    fold_start: Any,
    fold_end: Any,
    start: Any,
    end: Any,
    n: Any,
) -> Any:
    """Write the values of the tokens of one document, ``folded[first:last]``, into ``values`` from ``n`` on, and their
    places into ``start`` and ``end``, unless these are None. Returns the total number.
    """
    before = np.uint8(0)
    value = np.uint64(0)
    already = n
    for i in range(first, last):
        code = folded[i] & _VALUE
        script = classes[code] & _SCRIPT
        if mode == LETTERS:
            value, reached = mix(np.uint64(code)), i + 1
            while script == 0 and reached < min(last, i + LETTERS_OF_A_TOKEN):
                code = folded[reached] & _VALUE
                if classes[code] & _SCRIPT:
                    break
                value = mix(np.uint64(code) + value)
                reached += 1
            values[n] = value | LETTER if script == 0 else value & ~LETTER
            if start is not None:
                start[n], end[n] = fold_start[i], fold_end[reached - 1]
            n += 1
            continue
        joined = n > already and mode > 0 and script == before and folded[i] < AFTER_DIVISION
        if script > 0 and mode != _WORDS:
            joined = joined and mode == _SEGMENTED and within[i]
        value = mix(np.uint64(code) + (value if joined else np.uint64(0)))
        n += not joined
        values[n - 1] = value
        if start is not None:
            if not joined:
                start[n - 1] = fold_start[i]
            end[n - 1] = fold_end[i]
        before = script
    return n


@kernel
def _cut(
    folded: Any,
    fold_bounds: Any,
    classes: Any,
    mode: Any,
    within: Any,
    values: Any,
    fold_start: Any,
    fold_end: Any,
    start: Any,
    end: Any,
    bounds: Any,
) -> Any:
    n = 0
    for d in range(len(fold_bounds) - 1):
        first, last = fold_bounds[d], fold_bounds[d + 1]
        n = cut_into(folded, first, last, classes, mode, within, values, fold_start, fold_end, start, end, n)
        bounds[d + 1] = n
    return n


def han_runs(folded: FoldedCodes) -> NDArray[np.int64]:
    """Undivided runs of Chinese characters in ``folded``, which has the bit ``AFTER_DIVISION``: int64 [r, 2], the first
    character and one past the last.
    """
    edges = np.empty(2 * len(folded.codes), np.int64)
    n = _han_runs(folded.codes, folded.bounds, token_classes(), edges)
    return edges[:n].reshape(-1, 2)


@kernel
def _han_runs(folded: Any, bounds: Any, classes: Any, edges: Any) -> Any:
    n = 0
    for d in range(len(bounds) - 1):
        inside = False
        for i in range(bounds[d], bounds[d + 1]):
            is_han = (classes[folded[i] & _VALUE] & _SCRIPT) == _HAN
            if inside and is_han:
                if folded[i] >= AFTER_DIVISION:
                    edges[n] = i
                    edges[n + 1] = i
                    n += 2
            elif is_han or inside:
                edges[n] = i
                n += 1
            inside = is_han
        if inside:
            edges[n] = bounds[d + 1]
            n += 1
    return n
