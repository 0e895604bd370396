"""Character-level measures of detected passages against reference passages (PAN: Potthast et al., COLING 2010)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2
from typing import NamedTuple

from workbench.base.types import Span


class Passage(NamedTuple):
    """A passage of suspect ``a`` and where it stands in source ``b``."""

    a: str
    a_span: Span
    b: str
    b_span: Span


@dataclass(frozen=True, slots=True)
class PassageMeasures:
    """Character precision and recall in [0, 1], averaged over passages; granularity >= 1 detections a found passage."""

    precision: float
    recall: float
    granularity: float

    @property
    def plagdet(self) -> float:
        """The combined measure: F1 / log2(1 + granularity)."""
        return self.f1 / log2(1 + self.granularity)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def measure(reference: Sequence[Passage], found: Sequence[Passage]) -> PassageMeasures:
    """Measures of ``found`` against ``reference``.

    A detection counts towards a reference passage of the same pair when they share characters on both sides.
    Precision is 0 without detections, recall 0 without reference passages, granularity 1 where nothing is detected.
    """
    by_reference, by_found = _by_pair(reference), _by_pair(found)
    counts = [c for r in reference if (c := sum(_touch(r, f) for f in by_found[r.a, r.b]))]
    return PassageMeasures(
        precision=_covered(found, by_reference),
        recall=_covered(reference, by_found),
        granularity=sum(counts) / len(counts) if counts else 1.0,
    )


def _by_pair(passages: Iterable[Passage]) -> defaultdict[tuple[str, str], list[Passage]]:
    grouped: defaultdict[tuple[str, str], list[Passage]] = defaultdict(list)
    for p in passages:
        grouped[p.a, p.b].append(p)
    return grouped


def _touch(p: Passage, q: Passage) -> bool:
    return p.a_span.overlap(q.a_span) > 0 and p.b_span.overlap(q.b_span) > 0


def _covered(passages: Sequence[Passage], others: defaultdict[tuple[str, str], list[Passage]]) -> float:
    """Mean share of each passage's characters (both sides) that the touching ``others`` cover."""
    if not passages:
        return 0.0
    total = 0.0
    for p in passages:
        near = [q for q in others[p.a, p.b] if _touch(p, q)]
        size = p.a_span.end - p.a_span.start + p.b_span.end - p.b_span.start
        shared = _union(p.a_span, [q.a_span for q in near]) + _union(p.b_span, [q.b_span for q in near])
        total += shared / size if size else 0.0
    return total / len(passages)


def _union(within: Span, spans: Iterable[Span]) -> int:
    """Characters of ``within`` covered by any of ``spans``."""
    covered, reached = 0, within.start
    for s in sorted(spans):
        start, end = max(s.start, reached), min(s.end, within.end)
        if end > start:
            covered += end - start
            reached = end
    return covered
