"""From code points to the hashes of shingles in one compiled pass over many documents: folding, cutting and rolling.

Equals :func:`workbench.kernels.token_pass.fold_codes`, ``cut_tokens`` and
:func:`workbench.kernels.sketches.shingles.shingle_hashes` one after the other, without the offsets of the tokens. The
pass processes one document at a time, so that its hashes are in the processor's cache for the next step
(:func:`shingle_codes`, signatures and fingerprints).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.fold_table import VALUE, FoldTable
from workbench.kernels.mixing import mix
from workbench.kernels.sketches.shingles import BASE, Rows, power_of, sample
from workbench.kernels.token_pass import AFTER_DIVISION, LETTERS, MODES, cut_into, fold_into, token_classes
from workbench.text.tokens import Tokens

_VALUE = np.uint32(VALUE)


class Texts(NamedTuple):
    """Documents as code points, and the parameters of their shingles, in the form of the kernels (:func:`texts_of`)."""

    codes: NDArray[np.uint32]
    ends: NDArray[np.int64]
    words: NDArray[np.uint32]
    expansions: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    mode: int
    k: int
    power: np.uint64
    short: bool
    longest: int


def texts_of(
    codes: NDArray[np.uint32], ends: NDArray[np.int64], table: FoldTable, mode: Tokens, k: int, *, short: bool = True
) -> Texts:
    """``codes`` (concatenated documents, the i-th ending at ``ends[i]``), to be folded by ``table`` and cut into
    shingles of ``k`` tokens; ``short`` as in ``shingle_hashes``. ``mode`` is not ``segmented``, which needs more than a
    table.
    """
    longest = int(np.diff(ends, prepend=0).max(initial=0))
    rule = token_classes(), MODES[mode], k, power_of(k), short
    return Texts(codes, ends, table.words, table.expansions, *rule, longest)


def shingle_codes(texts: Texts) -> tuple[Rows, NDArray[np.bool_]]:
    """Hashes of the k-shingles of ``texts``.

    The bools, one per document, are true for documents with a code point whose folding depends on its neighbours; their
    hashes must not be used.
    """
    bounds, context = np.zeros(len(texts.ends) + 1, np.int64), np.zeros(len(texts.ends), np.bool_)
    return Rows(_pass(texts, bounds, context), bounds), context


@kernel
def _pass(texts: Any, bounds: Any, context: Any) -> Any:
    space = room_for(texts.longest)
    values = np.empty(len(texts.codes) + 1, np.uint64)
    n = 0
    for d in range(len(texts.ends)):
        space, m, context[d] = shingles_of(texts, d, space)
        if n + m > len(values):
            longer = np.empty(2 * (n + m), np.uint64)
            for k in range(n):
                longer[k] = values[k]
            values = longer
        for k in range(m):
            values[n + k] = space[2][k]
        n += m
        bounds[d + 1] = n
    return values[:n]


@helper
def room_for(room: Any) -> Any:
    """Space for a document of ``room`` characters: folded, as tokens, as hashes of shingles."""
    return np.empty(room, np.uint32), np.empty(room, np.uint64), np.empty(room, np.uint64)


@helper
def shingles_of(texts: Any, d: Any, space: Any) -> Any:
    """Hashes of the k-shingles of document ``d``, into ``space[2]``.

    Returns ``space`` (of :func:`room_for`), or a larger one if it had no room, their number, and whether the
    folding of any character depends on its neighbours.
    """
    codes = texts.codes[texts.ends[d - 1] if d else 0 : texts.ends[d]]
    tables = texts.words, texts.expansions, texts.classes
    folded, length, context = fold_into(codes, *tables, AFTER_DIVISION, space[0], None, None)
    _, tokens, hashes = space
    if length > len(hashes):
        tokens, hashes = np.empty(len(folded), np.uint64), np.empty(len(folded), np.uint64)
    if texts.mode:
        within = np.empty(0, np.bool_)
        n = cut_into(folded, 0, length, texts.classes, texts.mode, within, tokens, None, None, None, None, 0)
    else:
        n = _characters(folded, length, tokens)
    number = _roll(tokens, n, texts.k, texts.power, texts.short, hashes)
    if texts.mode == LETTERS:
        number = sample(tokens, hashes, number)
    return (folded, tokens, hashes), number, context


@helper
def _roll(tokens: Any, n: Any, k: Any, power: Any, short: Any, hashes: Any) -> Any:
    """Hashes of the k-shingles of ``tokens[:n]``, into ``hashes``. Returns their number."""
    size = min(k, n)
    rolled = np.uint64(0)
    for i in range(size):
        rolled = rolled * BASE + tokens[i]
    if n == 0 or (n < k and not short):
        return 0
    hashes[0] = rolled
    for i in range(k, n):
        rolled = rolled * BASE + (tokens[i] - tokens[i - k] * (power * BASE))
        hashes[i - k + 1] = rolled
    # A separate loop without branches, so that it is vectorised.
    salt = mix(np.uint64(size))
    for i in range(n - size + 1):
        hashes[i] = mix(hashes[i] ^ salt)
    return n - size + 1


@helper
def _characters(folded: Any, length: Any, tokens: Any) -> Any:
    """Values of the characters, each of which is a token."""
    for i in range(length):
        tokens[i] = mix(np.uint64(folded[i] & _VALUE))
    return length
