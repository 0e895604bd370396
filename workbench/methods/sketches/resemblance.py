"""Resemblance and containment of two sets of shingles, and the pair they make.

Source: Broder, On the resemblance and containment of documents (1997), section 2: resemblance |A ∩ B| / |A ∪ B| (the
Jaccard coefficient), containment of A in B |A ∩ B| / |A|.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import packed_rows
from workbench.base.messages import Message
from workbench.base.types import PairScores
from workbench.methods.core.api import NEAR_DUPLICATE, Reason


def resemblance(shared: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
    """|A ∩ B| / |A ∪ B| of a set of ``a`` elements with sets of ``b``; no set is empty."""
    return shared / (a + b - shared)


@dataclass(frozen=True, slots=True)
class Sharing:
    """Pairs of documents and what their sets share: columns of n rows.

    ``a``, ``b`` int64: keys; ``size_a``, ``size_b`` int64 > 0: elements; ``shared``: elements in common, a fraction if
    estimated; ``resemblance`` float64.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    shared: NDArray[Any]
    size_a: NDArray[np.int64]
    size_b: NDArray[np.int64]
    resemblance: NDArray[np.float64]

    def take(self, rows: NDArray[Any]) -> Sharing:
        """Rows chosen by an index or a mask."""
        return Sharing(*(getattr(self, f.name)[rows] for f in fields(self)))


def scored(pairs: Sharing, near: NDArray[np.bool_], **more: NDArray[Any]) -> PairScores:
    """The pairs, those that are ``near`` with this relation. ``more``: columns of further evidence."""
    evidence = {
        "shared": np.rint(pairs.shared).astype(np.int64),
        "shingles_a": pairs.size_a,
        "shingles_b": pairs.size_b,
        "containment_b": np.round(np.minimum(1, pairs.shared / pairs.size_b), 6),
        **more,
    }
    resembles = pairs.resemblance.tolist()
    return PairScores(
        pairs.a,
        pairs.b,
        score=resembles,
        resemblance=resembles,
        containment=np.minimum(1, pairs.shared / pairs.size_a).tolist(),
        relation=[NEAR_DUPLICATE if one else None for one in near.tolist()],
        evidence=packed_rows({name: column.tolist() for name, column in evidence.items()}),
    )


def size_reasons(mine: int, theirs: int) -> list[Reason]:
    """Reasons that state the number of distinct shingles of suspect and source."""
    sizes = {Message("suspect"): mine, Message("source"): theirs}
    return [
        Reason(Message("shingles of {name}", name=name), n > 0, Message("{number} distinct", number=n))
        for name, n in sizes.items()
    ]
