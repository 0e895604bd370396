"""Random matches, and what is true of them by plain counting."""

from __future__ import annotations

import numpy as np

from workbench.base.gaps import Gaps
from workbench.base.types import Match, Matches, Span


def random_matches(rng: np.random.Generator, size: int, *, suspects: range, sources: range = range(11, 21)) -> Matches:
    """``size`` matches with spans below 1,000."""
    length_a, length_b = rng.integers(1, 60, size), rng.integers(1, 60, size)
    a_start, b_start = rng.integers(0, 900, size), rng.integers(0, 900, size)
    gaps = (
        (row, side, start[row] + 1, start[row] + 1 + rng.integers(1, length[row] - 1))
        for side, (start, length) in enumerate(((a_start, length_a), (b_start, length_b)))
        for row in np.flatnonzero((length > 2) & (rng.random(size) < 0.3)).tolist()
    )
    return Matches(
        a=rng.integers(suspects.start, suspects.stop, size),
        b=rng.integers(sources.start, sources.stop, size),
        a_start=a_start,
        a_end=a_start + length_a,
        b_start=b_start,
        b_end=b_start + length_b,
        score=length_a.astype(np.float64),
        tier=rng.integers(0, 3, size).astype(np.int8),
        evidence={"segments": rng.integers(1, 9, size), "surprisal": rng.random(size) * 100},
        gaps=Gaps.of(gaps),
    )


def rows(matches: Matches) -> list[tuple[object, ...]]:
    """Matches as comparable rows, in order of content."""
    return sorted(row(match) for match in matches)


def row(match: Match) -> tuple[object, ...]:
    sides = match.a_span, match.b_span, match.a_gaps, match.b_gaps
    return match.a, match.b, *sides, match.score, tuple(sorted(match.evidence.items()))


def covered(sides: list[tuple[Span, tuple[Span, ...]]]) -> int:
    """Code points that at least one span has outside its gaps."""
    parts = [set(range(*span)) - {place for gap in gaps for place in range(*gap)} for span, gaps in sides]
    return len(set().union(*parts))
