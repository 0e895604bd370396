"""Rabin fingerprints against long division of polynomials in Python integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernels.code_points import code_points
from workbench.kernels.rabin import (
    POLYNOMIALS,
    SYMBOL_BITS,
    fingerprint,
    joined,
    padded_fingerprint,
    reduction_table,
)


def remainder(dividend: int, divisor: int) -> int:
    while dividend.bit_length() >= divisor.bit_length():
        dividend ^= divisor << (dividend.bit_length() - divisor.bit_length())
    return dividend


def by_long_division(text: str, bits: int) -> int:
    polynomial = 1
    for character in text:
        polynomial = polynomial << SYMBOL_BITS | ord(character)
    return remainder(polynomial, POLYNOMIALS[bits]) or 1


def product(a: int, b: int, modulus: int) -> int:
    result = 0
    while b:
        if b & 1:
            result ^= a
        a, b = a << 1, b >> 1
        if a.bit_length() == modulus.bit_length():
            a ^= modulus
    return result


def common_divisor(a: int, b: int) -> int:
    while b:
        a, b = b, remainder(a, b)
    return a


@pytest.mark.parametrize("bits", [32, 64])
def test_the_polynomials_are_irreducible(bits: int) -> None:
    modulus, x = POLYNOMIALS[bits], 2
    power = x
    for i in range(1, bits + 1):
        power = product(power, power, modulus)
        if i == bits // 2:  # the only prime factor of 32 and 64 is 2 (Rabin's test)
            assert common_divisor(modulus, power ^ x) == 1
    assert power == x


@given(st.text(max_size=60), st.sampled_from([32, 64]))
def test_a_fingerprint_is_the_remainder_of_the_long_division(text: str, bits: int) -> None:
    assert fingerprint(text, bits) == by_long_division(text, bits)


@given(st.text(max_size=60), st.sampled_from([32, 64]))
def test_zeros_before_the_text_spare_the_incomplete_step(text: str, bits: int) -> None:
    codes = np.concatenate([code_points("前\0" + 7 * "\0"), code_points(text)])
    columns = (codes, np.uint64(9), np.uint64(len(codes)), reduction_table(bits), np.uint64(bits))
    assert int(padded_fingerprint(*columns)) == by_long_division(text, bits)


@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from([32, 64]))
def test_a_concatenation_has_the_fingerprint_of_its_parts_joined(left: str, right: str, bits: int) -> None:
    parts = (np.uint64(by_long_division(text, bits)) for text in (left, right))
    whole = joined(*parts, len(right), reduction_table(bits), np.uint64(bits))
    assert (int(whole) or 1) == by_long_division(left + right, bits)


@pytest.mark.parametrize(
    ("text", "narrow", "wide"),
    [("", 1, 1), ("a", 0x1000061, 0x1000061), ("順序保存ダイジェスト", 0xD672BA39, 0xBF35BDC42954E01F)],
)
def test_golden_fingerprints(text: str, narrow: int, wide: int) -> None:
    assert (fingerprint(text, 32), fingerprint(text, 64)) == (narrow, wide)


def test_leading_zeros_and_length_count() -> None:
    assert len({fingerprint(text) for text in ("", "\0", "\0\0", "a", "\0a", "a\0")}) == 6


def test_other_widths_are_refused() -> None:
    with pytest.raises(KeyError):
        fingerprint("a", 48)
