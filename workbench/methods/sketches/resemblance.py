"""Resemblance and containment of two sets of shingles, and the pair they make.

Source: Broder, On the resemblance and containment of documents (1997), section 2: resemblance |A ∩ B| / |A ∪ B| (the
Jaccard coefficient), containment of A in B |A ∩ B| / |A|.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.types import PairScore
from workbench.methods.core.api import NEAR_DUPLICATE, Reason


def resemblance(shared: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
    """|A ∩ B| / |A ∪ B| of a set of ``a`` elements with sets of ``b``; no set is empty."""
    return shared / (a + b - shared)


def pair_score(
    a: int, b: int, shared: float, sizes: tuple[int, int], near: bool, resembles: float, **more: float
) -> PairScore:
    """The pair of documents ``a`` and ``b`` (keys) whose sets of ``sizes`` elements share ``shared``.

    ``more`` holds further evidence.
    """
    evidence = {
        "shared": round(shared),
        "shingles_a": sizes[0],
        "shingles_b": sizes[1],
        "containment_b": round(min(1.0, shared / sizes[1]), 6),
        **more,
    }
    return PairScore(
        a,
        b,
        score=resembles,
        resemblance=resembles,
        containment=min(1.0, shared / sizes[0]),
        relation=NEAR_DUPLICATE if near else None,
        evidence=evidence,
    )


def size_reasons(mine: int, theirs: int) -> list[Reason]:
    """Reasons that state the number of distinct shingles of suspect and source."""
    sizes = {Message("suspect"): mine, Message("source"): theirs}
    return [
        Reason(Message("shingles of {name}", name=name), n > 0, Message("{number} distinct", number=n))
        for name, n in sizes.items()
    ]
