"""Rabin fingerprints: a string read as a polynomial over GF(2), modulo an irreducible polynomial.

A string c1 c2 .. cn of code points represents the polynomial whose coefficients are the bits of
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
from workbench.kernels.compiled import kernel

POLYNOMIALS = {32: 0x1F54FCE09, 64: 0x1BBDCFCCD06D523F3}
"""Irreducible polynomials by degree, drawn at random; bit i is the coefficient of x^i."""

SYMBOL_BITS = 24
"""Bits by which one code point shifts the polynomial."""
_TOGETHER = 8
"""Code points appended in one step: steps depend on each other, the look-ups within a step do not."""
_BYTES = _TOGETHER * SYMBOL_BITS // 8
_BYTE = np.uint64(0xFF)
_STEP = np.uint64(_TOGETHER)


@lru_cache(maxsize=2)
def reduction_table(bits: int) -> NDArray[np.uint64]:
    """Remainders of ``v · x^(bits + 8 i)`` for bytes v and i < 24, at ``256 i + v``, and after these, of
    ``x^(24 (k - 8))`` for k <= 8: uint64 [24 · 256 + 9].

    Raises KeyError unless ``bits`` is 32 or 64.
    """
    polynomial = POLYNOMIALS[bits]
    table = np.zeros(_BYTES * 256 + _TOGETHER + 1, np.uint64)
    power = polynomial ^ 1 << bits
    for i in range(_BYTES):
        row = table[256 * i : 256 * (i + 1)]
        for bit in range(8):
            # A remainder of a sum is the sum of the remainders.
            row[1 << bit : 2 << bit] = row[: 1 << bit] ^ np.uint64(power)
            power <<= 1
            power ^= polynomial if power >> bits else 0
    power = 1
    for k in range(_TOGETHER, -1, -1):
        table[_BYTES * 256 + k] = power
        for _ in range(SYMBOL_BITS):  # divided by x
            power = (power ^ polynomial if power & 1 else power) >> 1
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
        ^ table[over & _BYTE]
        ^ table[np.uint64(256) + (over >> np.uint64(8) & _BYTE)]
        ^ table[np.uint64(512) + (over >> np.uint64(16))]
    )


@njit(cache=True, nogil=True, inline="always")
def _remainder(number: Any, byte: Any, row: Any, table: Any) -> Any:
    """The remainder of byte ``byte`` of ``number`` at row ``row`` of the table."""
    return table[np.uint64(256 * row) + (number >> np.uint64(8 * byte) & _BYTE)]


@njit(cache=True, nogil=True, inline="always")
def _append_eight_zeros(state: Any, table: Any) -> Any:
    """``state · x^192``, for 64 bits."""
    return (
        (_remainder(state, 0, 16, table) ^ _remainder(state, 1, 17, table))
        ^ (_remainder(state, 2, 18, table) ^ _remainder(state, 3, 19, table))
    ) ^ (
        (_remainder(state, 4, 20, table) ^ _remainder(state, 5, 21, table))
        ^ (_remainder(state, 6, 22, table) ^ _remainder(state, 7, 23, table))
    )


@njit(cache=True, nogil=True, inline="always")
def _append_eight(state: Any, codes: Any, at: Any, table: Any) -> Any:
    """``state`` with eight symbols appended, for 64 bits; ``at`` uint64, which saves a check for negative positions."""
    a, b = np.uint64(codes[at]), np.uint64(codes[at + np.uint64(1)])
    c, d = np.uint64(codes[at + np.uint64(2)]), np.uint64(codes[at + np.uint64(3)])
    e, f = np.uint64(codes[at + np.uint64(4)]), np.uint64(codes[at + np.uint64(5)])
    g, h = np.uint64(codes[at + np.uint64(6)]), np.uint64(codes[at + np.uint64(7)])
    sum_of_symbols = f << np.uint64(48) ^ g << np.uint64(24) ^ h
    sum_of_symbols ^= _remainder(e, 0, 1, table) ^ _remainder(e, 1, 2, table)
    sum_of_symbols ^= _remainder(d, 0, 4, table) ^ _remainder(d, 1, 5, table)
    sum_of_symbols ^= _remainder(c, 0, 7, table) ^ _remainder(c, 1, 8, table)
    sum_of_symbols ^= _remainder(b, 0, 10, table) ^ _remainder(b, 1, 11, table)
    sum_of_symbols ^= _remainder(a, 0, 13, table) ^ _remainder(a, 1, 14, table)
    if (a | b | c | d | e | f) >> np.uint64(16):
        sum_of_symbols ^= _remainder(f, 2, 0, table) ^ _remainder(e, 2, 3, table) ^ _remainder(d, 2, 6, table)
        sum_of_symbols ^= _remainder(c, 2, 9, table) ^ _remainder(b, 2, 12, table) ^ _remainder(a, 2, 15, table)
    return sum_of_symbols ^ _append_eight_zeros(state, table)


@kernel
def joined(left: Any, right: Any, right_length: Any, table: Any, bits: Any) -> Any:
    """Fingerprint of a concatenation from those of its two parts; the second has ``right_length`` code points."""
    state = left ^ np.uint64(1)  # cancels the leading 1 of the second
    rest = right_length
    if bits == np.uint64(64):
        while rest >= _TOGETHER:
            state = _append_eight_zeros(state, table)
            rest -= _TOGETHER
    for _ in range(rest):
        state = append(state, np.uint64(0), table, bits)
    return state ^ right


@kernel
def padded_fingerprint(codes: Any, a: Any, b: Any, table: Any, bits: Any) -> Any:
    """Fingerprint of ``codes[a:b]``, preceded by at least 7 zeros: uint64; ``a``, ``b`` uint64, ``table`` the
    reduction table of ``bits`` (uint64).
    """
    if bits == np.uint64(64) and a < b:
        # The leading 1 precedes as many zeros as are needed for whole steps.
        over = (b - a - np.uint64(1)) % _STEP + np.uint64(1)
        state = table[np.uint64(_BYTES * 256) + over]
        at = a + over - _STEP
        while at < b:
            state = _append_eight(state, codes, at, table)
            at += _STEP
    else:
        state = np.uint64(1)
        for i in range(a, b):
            state = append(state, codes[i], table, bits)
    return state if state != np.uint64(0) else np.uint64(1)


@kernel
def slice_fingerprint(codes: Any, a: Any, b: Any, table: Any, bits: Any) -> Any:
    """Fingerprint of ``codes[a:b]``: uint64; ``table`` is the reduction table of ``bits`` (uint64)."""
    state = np.uint64(1)
    at, end = np.uint64(a), np.uint64(b)
    steps = (end - at) // _STEP if bits == np.uint64(64) else np.uint64(0)
    while at + steps * _STEP < end:
        state = append(state, codes[at], table, bits)
        at += np.uint64(1)
    while at < end:
        state = _append_eight(state, codes, at, table)
        at += _STEP
    return state if state != np.uint64(0) else np.uint64(1)


def fingerprint(text: str, bits: int = 64) -> int:
    """Fingerprint of ``text``, in ``[1, 2^bits)``. Raises KeyError unless ``bits`` is 32 or 64."""
    codes = code_points(text)
    return int(slice_fingerprint(codes, 0, len(codes), reduction_table(bits), np.uint64(bits)))
