"""An examined pair as results: its score, regions, and passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

from workbench.base.types import Matches, PairScore, Region, Results, Span
from workbench.methods.resemblance import NEAR_DUPLICATE
from workbench.methods.trustable_lcs_pair import Examined, Page, Trusted


def results(keys: tuple[int, int], pages: tuple[Page, Page], found: Examined, window: int, shared: int) -> Results:
    """What is said of the similar pair of documents ``keys`` (a, b) that share ``shared`` fingerprints."""
    a, b = keys
    share_a, share_b = found.containment
    evidence = {
        "common": found.common,
        "edits": found.edits,
        "containment_b": round(share_b, 6),
        "regions": len(found.regions),
        "slope": round(max(r.slope for r in found.regions), 6),
        "fingerprints": shared,
    }
    score = PairScore(a, b, found.resemblance, found.resemblance, share_a, NEAR_DUPLICATE, evidence)
    regions = tuple(region for trusted in found.regions for region in _spans(a, b, trusted))
    parts = [passages(a, b, pages, trusted, number, window) for number, trusted in enumerate(found.regions, 1)]
    return Results(Matches.concatenate(parts), (score,), regions=regions)


def joined(parts: Sequence[Results], excluded: Mapping[str, int]) -> Results:
    """Results of several pairs in one, with what was left out where there was any."""
    return Results(
        Matches.concatenate([part.matches for part in parts]),
        tuple(chain.from_iterable(part.pairs for part in parts)),
        regions=tuple(chain.from_iterable(part.regions for part in parts)),
        excluded={reason: n for reason, n in excluded.items() if n},
    )


def _spans(a: int, b: int, trusted: Trusted) -> list[Region]:
    """The stretches of a region that hold something in common."""
    spans = []
    for start, end in trusted.parts:
        inside = trusted.b[(trusted.a >= start) & (trusted.a < end)]
        if len(inside):
            spans.append(Region(a, b, Span(start, end), Span(int(inside[0]), int(inside[-1]) + 1), trusted.slope))
    return spans


def passages(a: int, b: int, pages: tuple[Page, Page], trusted: Trusted, number: int, window: int) -> Matches:
    """The region as passages: equal stretches, joined where less than ``window`` characters of either text divide them.

    ``score`` counts matched characters. Evidence: ``characters`` matched, ``edits`` inside, ``region`` from 1.
    """
    here, there = trusted.a, trusted.b
    cut = np.flatnonzero((np.diff(here) > window) | (np.diff(there) > window)) + 1
    edges = [0, *cut.tolist(), len(here)]
    rows = []
    for first, last in pairwise(edges):
        a_start, a_end = int(here[first]), int(here[last - 1]) + 1
        b_start, b_end = int(there[first]), int(there[last - 1]) + 1
        common = last - first
        edits = a_end - a_start + b_end - b_start - 2 * common
        tier = 2
        if not edits:
            tier = 0 if np.array_equal(pages[0].raw[a_start:a_end], pages[1].raw[b_start:b_end]) else 1
        rows.append((a_start, a_end, b_start, b_end, common, edits, tier))
    table = np.array(rows, np.int64)
    size = len(table)
    return Matches(
        np.full(size, a, np.int64),
        np.full(size, b, np.int64),
        table[:, 0].copy(),
        table[:, 1].copy(),
        table[:, 2].copy(),
        table[:, 3].copy(),
        score=table[:, 4].astype(np.float64),
        tier=table[:, 6].astype(np.int8),
        evidence={
            "characters": table[:, 4].copy(),
            "edits": table[:, 5].copy(),
            "region": np.full(size, number, np.int64),
        },
    )
