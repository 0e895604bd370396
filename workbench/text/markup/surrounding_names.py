"""Names of the features of the blocks around a leaf block, in the order of their bits, with their limits."""

from __future__ import annotations

from workbench.base.types import BlockKind

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
