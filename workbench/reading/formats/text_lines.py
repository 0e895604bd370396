"""Whether a picture may contain text.

It may if most of it has the colour of its background, and at least two quarters of its width show at least LEAST rows
of marks, one below the other and of similar heights, that alternate often between ink and background.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST = 4
"""Minimum number of rows of marks."""
_STRIPS, _WITH_LINES = 4, 2
_NEAR, _FAR = 30, 60
"""Steps of grey up to which a pixel is background, and from which it is ink."""
_BACKGROUND, _INK = 0.6, 0.02
_HEIGHTS = (4, 60)
_CHANGES = 6


def looks_like_text(grey: NDArray[np.floating] | NDArray[np.integer]) -> bool:
    """Whether the picture of ``grey`` (rows and columns, 0 to 255), about 800 pixels wide, may contain text."""
    apart = np.abs(grey - np.median(grey))
    if (apart < _NEAR).mean() < _BACKGROUND:
        return False
    return sum(_has_lines(strip) for strip in np.array_split(apart > _FAR, _STRIPS, axis=1)) >= _WITH_LINES


def _has_lines(ink: NDArray[np.bool_]) -> bool:
    rows = np.concatenate(([False], ink.mean(1) > _INK, [False]))
    starts, ends = (
        np.flatnonzero(np.diff(rows.astype(np.int8)) == 1),
        np.flatnonzero(np.diff(rows.astype(np.int8)) == -1),
    )
    changes = np.abs(np.diff(ink.astype(np.int8), axis=1)).sum(1)
    heights = [
        end - start
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        if _HEIGHTS[0] <= end - start <= _HEIGHTS[1] and changes[start:end].max() >= _CHANGES
    ]
    usual = float(np.median(heights)) if heights else 0.0
    return sum(usual / 2 <= height <= 2 * usual for height in heights) >= LEAST
