"""The bit mixer behind every hash of tokens and shingles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

LETTER = np.uint64(1)
"""Bit set in tokens of ``Tokens.LETTERS`` that are letters of a script with spaces, and not in its other tokens."""


@njit(cache=True, nogil=True, inline="always")
def mix(value: Any) -> Any:
    """A bijection that scatters ``value`` (uint64) over all 64 bits.

    Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators (OOPSLA 2014), the generator's
    output function with Stafford's constants (variant 13), after one step of its sequence.
    """
    mixed = value + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
