"""Second round of the scorecard: how the surrounding blocks fared in the first round, as yes/no features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.reading.blocks.page import Page


def table(
    page: Page, points: NDArray[np.float64], length: NDArray[np.float64], keeps: Sequence[bool] | None = None
) -> NDArray[np.uint8]:
    """The features of every leaf after a first round gave it ``points``: uint8 [l, len(NAMES)].

    ``length``: the leaves' weighted lengths. ``keeps`` holds which leaves another extractor keeps, if one was asked.
    """
    # Loaded here, as by the reader of pages.
    from workbench.kernels.pages import surroundings as kernel

    first: dict[str, int] = {}
    same = np.array([first.setdefault(hint, at) for at, hint in enumerate(page.hints)], np.int32)
    kept = None if keeps is None else np.array(keeps, np.bool_)
    return kernel.surroundings(page.columns, same, points, length, kept, is_article=page.kind == "article")
