"""Texts as arrays of code points, and slices of these: trimmed, hashed, compared, copied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel

CODE_POINTS = 0x110000
"""The number of code points."""


def code_points(text: str) -> NDArray[np.uint32]:
    """Code points of ``text``: uint32 [n], writable, so that the kernels are compiled for only one array type."""
    # A view of the memory of a one-string array: much faster than encoding.
    return np.array([text], f"<U{len(text)}").view(np.uint32) if text else np.zeros(0, np.uint32)


@kernel
def text_hashes(codes: Any, ends: Any) -> Any:
    """Hashes of concatenated texts in ``codes``, the i-th ending at ``ends[i]``: uint64. Those of two different texts
    are equal by accident with a probability of about 2^-64; collisions can be constructed deliberately.
    """
    hashes = np.empty(len(ends), np.uint64)
    begin = 0
    for i in range(len(ends)):
        state = np.uint64(0xCBF29CE484222325)
        for code in codes[begin : ends[i]]:
            state = (state ^ np.uint64(code)) * np.uint64(0xD1342543DE82EF95)
            state ^= state >> np.uint64(32)
        hashes[i] = state
        begin = ends[i]
    return hashes


@helper
def trimmed(codes: Any, a: Any, b: Any, words: Any, space: Any) -> Any:
    """``[a, b)`` without the code points at its ends whose entry in ``words`` has a bit of ``space``."""
    while a < b and words[codes[a]] & space:
        a += 1
    while a < b and words[codes[b - 1]] & space:
        b -= 1
    return a, b


@helper
def unfolded_hash(codes: Any, a: Any, b: Any) -> Any:
    """Hash of ``codes[a:b]``, unfolded: uint32."""
    state = np.uint64(0xCBF29CE484222325)
    for i in range(a, b):
        state = (state ^ np.uint64(codes[i])) * np.uint64(0x100000001B3)
        state ^= state >> np.uint64(29)
    return np.uint32(state >> np.uint64(32))


@kernel
def equal_slices(a: Any, a_first: Any, a_length: Any, b: Any, b_first: Any, b_length: Any) -> Any:
    """Which slices of two arrays of code points are equal, pair by pair: bool [n].

    Slice i of ``a`` begins at ``a_first[i]`` and has ``a_length[i]`` code points; likewise for ``b``.
    """
    equal = np.zeros(len(a_first), np.bool_)
    for i in range(len(a_first)):
        same = a_length[i] == b_length[i]
        if same:
            for k in range(a_length[i]):
                if a[a_first[i] + k] != b[b_first[i] + k]:
                    same = False
                    break
        equal[i] = same
    return equal


@kernel
def copy_slices(source: Any, first: Any, length: Any, out: Any) -> None:
    """Write the concatenated slices of ``source`` into ``out``, which has room for all of them."""
    at = 0
    for i in range(len(first)):
        for k in range(length[i]):
            out[at] = source[first[i] + k]
            at += 1
