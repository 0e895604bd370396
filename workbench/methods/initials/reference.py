"""The reference that frequencies of initials are compared with, and the levels that follow from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.initials.windows import Quantiser
from workbench.methods.initials.parameters import InitialsParameters
from workbench.text.initials import LETTERS

_PER_MILLE = (6, 42, 41, 105, 9, 27, 50, 41, 2, 69, 18, 49, 33, 24, 3, 10, 32, 27, 91, 35, 1, 1, 35, 55, 94, 100)
CHINESE = np.array(_PER_MILLE) / 1000
"""Counts of the initials a to z in a quarter of a million characters of Chinese news pages, including Latin letters."""
_UNUSED = 255
_SPREAD = 4.0
"""Standard deviations covered by all levels together, two on either side of the expected count."""


def shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Frequency of each letter: float64 [26], summing to 1; all equal if nothing was counted."""
    total = int(counts.sum())
    return counts / total if total else np.full(LETTERS, 1 / LETTERS)


def quantiser(reference: NDArray[np.float64], parameters: InitialsParameters) -> Quantiser:
    """Levels of every count of every letter under ``reference`` (float64 [26], frequencies).

    The letters used are those whose count in a window varies most: n p (1 - p) for a frequency of p, as if letters were
    independent; ties are broken alphabetically. Each block gets its share of the most variable letters.
    """
    n, levels = parameters.window, parameters.levels
    variance = n * reference * (1 - reference)
    width = np.maximum(1.0, _SPREAD * np.sqrt(variance) / levels)
    deviation = np.arange(n + 1)[None, :] - (n * reference)[:, None]
    level = np.clip(np.floor(deviation / width[:, None] + levels / 2), 0, levels - 1).astype(np.uint8)
    order = np.argsort(-variance, kind="stable")[: parameters.used]
    digit, block = np.full(LETTERS, _UNUSED, np.uint8), np.zeros(LETTERS, np.uint8)
    digit[np.sort(order)] = np.arange(len(order))
    blocks = parameters.distance + 1
    block[order] = np.arange(len(order)) % blocks
    return Quantiser(level, digit, block, levels, blocks)
