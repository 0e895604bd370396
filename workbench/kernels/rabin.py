"""Rabin fingerprints: a string read as a polynomial over GF(2), modulo an irreducible polynomial.

A string c1 c2 .. cn of code points stands for the polynomial whose coefficients are the bits of
``1 · 2^(24 n) + c1 · 2^(24 (n-1)) + .. + cn`` (the leading 1 makes strings of different length differ). Its fingerprint
is the remainder modulo the polynomial of :data:`POLYNOMIALS`; a remainder of 0 is reported as 1, because 0 separates
documents. Source: Rabin, Fingerprinting by random polynomials, 1981 (TR-15-81); Sakurai, Matsuo and Kikui (2009),
section 5.1.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from workbench.kernels.code_points import code_points

POLYNOMIALS = {32: 0x1F54FCE09, 64: 0x1BBDCFCCD06D523F3}
"""Irreducible polynomials by degree, drawn at random; bit i is the coefficient of x^i."""

SYMBOL_BITS = 24
"""Bits by which one code point shifts the polynomial."""
_TOGETHER = 4
"""Code points appended in one step: the steps depend on each other, the look-ups within one do not."""
_BYTES = _TOGETHER * SYMBOL_BITS // 8


@lru_cache(maxsize=2)
def reduction_table(bits: int) -> NDArray[np.uint64]:
    """Remainders of ``v · x^(bits + 8 i)`` for bytes v: uint64 [12, 256].

    Raises KeyError unless ``bits`` is 32 or 64.
    """
    polynomial = POLYNOMIALS[bits]
    table = np.zeros((_BYTES, 256), np.uint64)
    for i in range(_BYTES):
        for value in range(256):
            rest = value << (bits + 8 * i)
            while rest.bit_length() > bits:
                rest ^= polynomial << (rest.bit_length() - bits - 1)
            table[i, value] = rest
    return table


@njit(cache=True, nogil=True, inline="always")
def append(state: Any, symbol: Any, table: Any, bits: Any) -> Any:
    """``state · x^24 + symbol`` modulo the polynomial of ``table``; uint64 each, ``bits`` uint64."""
    over = state >> (bits - np.uint64(24))
    shifted = (state << np.uint64(24)) ^ np.uint64(symbol)
    if bits < np.uint64(64):
        shifted &= (np.uint64(1) << bits) - np.uint64(1)
    return (
        shifted
        ^ table[0, over & np.uint64(0xFF)]
        ^ table[1, (over >> np.uint64(8)) & np.uint64(0xFF)]
        ^ table[2, over >> np.uint64(16)]
    )


@njit(cache=True, nogil=True, inline="always")
def _append_four(state: Any, first: Any, second: Any, third: Any, fourth: Any, table: Any) -> Any:
    """``state`` with four symbols appended, for 64 bits; uint64 each."""
    byte = np.uint64(0xFF)
    over = first << np.uint64(8) | second >> np.uint64(16)
    shifted = second << np.uint64(48) | third << np.uint64(24) | fourth
    return (
        shifted
        ^ (table[0, over & byte] ^ table[1, over >> np.uint64(8) & byte])
        ^ (table[2, over >> np.uint64(16) & byte] ^ table[3, over >> np.uint64(24)])
        ^ (
            (table[4, state & byte] ^ table[5, state >> np.uint64(8) & byte])
            ^ (table[6, state >> np.uint64(16) & byte] ^ table[7, state >> np.uint64(24) & byte])
            ^ (
                (table[8, state >> np.uint64(32) & byte] ^ table[9, state >> np.uint64(40) & byte])
                ^ (table[10, state >> np.uint64(48) & byte] ^ table[11, state >> np.uint64(56)])
            )
        )
    )


@njit(cache=True, nogil=True)
def slice_fingerprint(codes: Any, a: Any, b: Any, table: Any, bits: Any) -> Any:
    """Fingerprint of ``codes[a:b]``: uint64; ``table`` is the reduction table of ``bits`` (uint64)."""
    state = np.uint64(1)
    i = a
    if bits == np.uint64(64):
        while i + _TOGETHER <= b:
            state = _append_four(
                state,
                np.uint64(codes[i]),
                np.uint64(codes[i + 1]),
                np.uint64(codes[i + 2]),
                np.uint64(codes[i + 3]),
                table,
            )
            i += _TOGETHER
    while i < b:
        state = append(state, codes[i], table, bits)
        i += 1
    return state if state != np.uint64(0) else np.uint64(1)


def fingerprint(text: str, bits: int = 64) -> int:
    """Fingerprint of ``text``, in ``[1, 2^bits)``. Raises KeyError unless ``bits`` is 32 or 64."""
    codes = code_points(text)
    return int(slice_fingerprint(codes, 0, len(codes), reduction_table(bits), np.uint64(bits)))
