"""Runs that compare whole documents: pairs without passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from workbench.base.types import Matches
from workbench.project.listing import DocumentItem
from workbench.project.pairs import Pair
from workbench.services.labels.sets import PAIR_LABELS
from workbench.services.labels.targets import pair_target
from workbench.services.review.judgement import Judgement
from workbench.services.review.pairs import SuspectRow
from workbench.services.review.verdict_index import VerdictIndex


def as_matches(pairs: Sequence[Pair], items: Mapping[int, DocumentItem]) -> Matches:
    """Each pair as one match over both whole texts; ``score`` is the pair's.

    Evidence: ``resemblance`` and ``containment`` (share of ``a`` in ``b``), NaN where the method has none.
    """
    a = np.array([p.a for p in pairs], np.int64)
    b = np.array([p.b for p in pairs], np.int64)
    zero = np.zeros(len(pairs), np.int64)
    length = {key: item.length for key, item in items.items()}
    figures = {
        name: np.array([np.nan if (v := getattr(p, name)) is None else v for p in pairs], np.float64)
        for name in ("resemblance", "containment")
    }
    return Matches(
        a,
        b,
        zero,
        np.array([length[p.a] for p in pairs], np.int64),
        zero,
        np.array([length[p.b] for p in pairs], np.int64),
        np.array([p.score for p in pairs], np.float64),
        np.zeros(len(pairs), np.int8),
        figures,
    )


def suspects_of_pairs(pairs: Iterable[Pair], items: Mapping[int, DocumentItem]) -> list[SuspectRow]:
    """The first documents of the pairs, best pair first; ``coverage`` is the greatest containment (0 if unknown).

    ``matches`` and ``sources`` count pairs; verdicts are not counted.
    """
    by_suspect: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_suspect.setdefault(pair.a, []).append(pair)
    rows = [
        SuspectRow(
            key,
            items[key].id,
            items[key].title,
            items[key].language,
            items[key].length,
            items[key].published,
            max(p.score for p in own),
            max((p.containment or 0.0) for p in own),
            0,
            len(own),
            len(own),
        )
        for key, own in by_suspect.items()
    ]
    return sorted(rows, key=lambda r: (-r.score, r.key))


def judgements_of_pairs(
    index: VerdictIndex, pairs: Iterable[tuple[int, int]], ids: Mapping[int, str]
) -> dict[tuple[int, int], Judgement]:
    """The judgement of each of ``pairs`` (keys) that somebody judged as a whole."""
    named = (((a, b), index.whole(PAIR_LABELS, pair_target(ids[a], ids[b]))) for a, b in pairs)
    return {pair: judgement for pair, judgement in named if judgement is not None}
