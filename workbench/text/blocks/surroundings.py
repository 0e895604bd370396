"""Second round of the scorecard: how the surrounding blocks fared in the first round, as yes/no features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import BlockKind
from workbench.text.blocks.page import Page

POINTS = (-4, -3, -2, -1, 0, 1, 2, 3, 4)
LEVELS = ("parent", "grandparent", "third")
SHARES = (0.1, 0.5, 0.9)
WINDOW = (0.1, 0.3, 0.6, 0.9)
PAGE = (0.1, 0.3, 0.6)
AGREES = (0.3, 0.6, 0.9)
DROPS_AND_AGREES = (0.6, 0.9)
HEADING = BlockKind.HEADING
_OPINION = ("keeps", "keeps-previous", "keeps-next", "keeps-parent", "keeps-nothing", "keeps-alike",
            "drops", "drops-content", "drops-alike", "drops-from-article", "outside", "outside-of-article",
            *(f"agrees:{s}" for s in AGREES), *(f"drops-and-agrees:{s}" for s in DROPS_AND_AGREES))  # fmt: skip

NAMES: tuple[str, ...] = (
    *(f"points:{p}" for p in POINTS),
    "previous", "next", "next-long", "previous-long",
    *(f"{level}:{s}" for level in LEVELS for s in SHARES),
    *(f"window:{s}" for s in WINDOW),
    *(f"alike:{s}" for s in SHARES),
    "alike", "between", *(f"page:{s}" for s in PAGE),
    "short", "heading", "short-before", "short-after", "heading-of", "filled-parent",
    *_OPINION,
)  # fmt: skip
BIT = {name: 1 << at for at, name in enumerate(NAMES)}


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
