"""From code points to the hashes of shingles in one compiled pass over many documents: folding, cutting and rolling.

Equals :func:`workbench.kernels.token_pass.fold_codes`, ``cut_tokens`` and
:func:`workbench.kernels.sketches.shingles.shingle_hashes` one after the other, without the offsets of the tokens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.fold_table import EXPANDS, VALUE, FoldTable
from workbench.kernels.mixing import mix
from workbench.kernels.sketches.shingles import BASE, Rows, power_of
from workbench.kernels.token_pass import MODES, count_folded, token_classes
from workbench.text.tokens import DIVIDES, SCRIPT, Tokens

_VALUE, _EXPANDS = np.uint32(VALUE), np.uint32(EXPANDS)
_DIVIDES, _SCRIPT = np.uint8(DIVIDES), np.uint8(SCRIPT)


def shingle_codes(
    codes: NDArray[np.uint32], ends: NDArray[np.int64], table: FoldTable, mode: Tokens, k: int, *, short: bool
) -> tuple[Rows, NDArray[np.bool_]]:
    """Hashes of the k-shingles of ``codes`` (documents end to end, the i-th ending at ``ends[i]``) folded by ``table``.

    The bools, parallel to ``ends``, say which documents have a code point whose folding depends on its neighbours;
    their hashes must not be used. ``short`` as of ``shingle_hashes``.
    """
    size, _, context = count_folded(codes, ends, table)
    values, bounds = np.empty(size, np.uint64), np.zeros(len(ends) + 1, np.int64)
    n = _pass(
        codes,
        ends,
        table.words,
        table.expansions,
        token_classes(),
        MODES[mode],
        power_of(k),
        short,
        np.empty(k, np.uint64),
        values,
        bounds,
    )
    return Rows(values[:n], bounds), context


@njit(cache=True, nogil=True)
def _pass(
    codes: Any,
    ends: Any,
    words: Any,
    expansions: Any,
    classes: Any,
    mode: Any,
    power: Any,
    short: Any,
    window: Any,
    values: Any,
    bounds: Any,
) -> Any:
    """``window``: room for the last k tokens. A token is complete when the next one begins, or the document ends."""
    k = len(window)
    n = 0
    begin = 0
    for d in range(len(ends)):
        window[:] = np.uint64(0)
        rolled = value = np.uint64(0)
        before = np.uint8(0)
        tokens = oldest = 0
        divided = False
        for i in range(begin, ends[d]):
            word = words[codes[i]]
            first = word & _VALUE
            if first == 0:
                divided |= (classes[codes[i]] & _DIVIDES) != 0
                continue
            for j in range(expansions[first] if word & _EXPANDS else np.uint32(1)):
                code = expansions[first + np.uint32(1 + j)] if word & _EXPANDS else first
                script = classes[code] & _SCRIPT
                joined = tokens > 0 and mode > 0 and script == before and (script == 0 or mode == 2) and not divided
                before = script
                divided = False
                if joined:
                    value = mix(value + np.uint64(code))
                    continue
                if tokens > 0:
                    rolled = (rolled - window[oldest] * power) * BASE + value
                    window[oldest] = value
                    oldest = oldest + 1 if oldest + 1 < k else 0
                    if tokens >= k:
                        values[n] = mix(rolled ^ mix(np.uint64(k)))
                        n += 1
                value = mix(np.uint64(code))
                tokens += 1
        if tokens >= k or (short and tokens > 0):
            rolled = (rolled - window[oldest] * power) * BASE + value
            values[n] = mix(rolled ^ mix(np.uint64(min(k, tokens))))
            n += 1
        bounds[d + 1] = n
        begin = ends[d]
    return n
