"""Yes/no features of the leaf blocks of a page, as bits: the terms of the scorecard.

Lengths are weighted: a CJK character counts as two and a half others, roughly the information it carries.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.reading.blocks.page import Page
from workbench.text.markup.columns import INLINE_HINTS
from workbench.text.markup.hints import groups


def lengths(page: Page) -> NDArray[np.float64]:
    """The weighted length of every leaf: float64 [l]."""
    # Imported here: this loads the compiler.
    from workbench.kernels.pages import features as kernel

    return kernel.lengths(page.columns)


def table(page: Page, length: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The features of every leaf: uint8 [l, len(feature_names.NAMES)]. ``length`` is the result of :func:`lengths`."""
    from workbench.kernels.pages import features as kernel

    hints = page.hints
    of_hints = np.array([groups(hint) for hint in hints], np.int64)
    sizes = np.array([len(hint) for hint in hints], np.int64)
    inline = kernel.inline_groups(page.columns, of_hints, sizes, INLINE_HINTS)
    for at in np.flatnonzero(inline < 0).tolist():
        inline[at] = groups(page.inline_of(at))
    titled = _titled(page, length)
    return kernel.features(page.columns, length, of_hints, inline, titled, is_article=page.kind == "article")


def features(page: Page) -> list[int]:
    """The features of every leaf: bit ``i`` is ``NAMES[i]``."""
    return bits_of(table(page, lengths(page)))


def bits_of(rows: NDArray[np.uint8]) -> list[int]:
    """Rows of features as numbers: bit ``i`` of a number is feature ``i`` of its row."""
    return [int.from_bytes(row, "little") for row in np.packbits(rows, axis=1, bitorder="little")]


def _titled(page: Page, length: NDArray[np.float64]) -> NDArray[np.uint8]:
    """1 for a leaf that occurs in the page's title, 2 for one that is more than half of it, 0 for others."""
    titled = np.zeros(len(length), np.uint8)
    if title := page.title:
        starts, ends = page.columns.leaves[:, 0], page.columns.leaves[:, 1]
        text = page.text
        for at in np.flatnonzero((length >= 6) & (length < 200) & (ends - starts <= len(title))).tolist():
            own = text[starts[at] : ends[at]]
            if own in title:
                titled[at] = 2 if 2 * len(own) > len(title) else 1
    return titled


def surroundings(
    page: Page, points: NDArray[np.float64], length: NDArray[np.float64], keeps: Sequence[bool] | None = None
) -> NDArray[np.uint8]:
    """Features of how each leaf and its neighbours scored in the first round, which gave ``points``: uint8 [l, n].

    ``length``: the leaves' weighted lengths. ``keeps``: the leaves that another extractor keeps, if one was asked.
    """
    # Imported here: this loads the compiler.
    from workbench.kernels.pages import surroundings as kernel

    first: dict[str, int] = {}
    same = np.array([first.setdefault(hint, at) for at, hint in enumerate(page.hints)], np.int32)
    kept = None if keeps is None else np.array(keeps, np.bool_)
    return kernel.surroundings(page.columns, same, points, length, kept, is_article=page.kind == "article")
