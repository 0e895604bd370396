"""Character-level measures of detected passages against reference passages (PAN: Potthast et al., COLING 2010)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from math import log2
from typing import NamedTuple

import numpy as np

from workbench.base.types import Span
from workbench.evaluation.intervals import Interval, varying_interval


class Passage(NamedTuple):
    """A passage of suspect ``a`` and its counterpart in source ``b``."""

    a: str
    a_span: Span
    b: str
    b_span: Span


@dataclass(frozen=True, slots=True)
class PassageMeasures:
    """Character precision and recall in [0, 1], averaged over passages; granularity >= 1: detections per passage."""

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


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums over passages from which the measures are computed."""

    detected_cover: float = 0.0
    detected: int = 0
    reference_cover: float = 0.0
    reference: int = 0
    detections: int = 0
    touched: int = 0

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def measures(self) -> PassageMeasures:
        return PassageMeasures(
            precision=self.detected_cover / self.detected if self.detected else 0.0,
            recall=self.reference_cover / self.reference if self.reference else 0.0,
            granularity=self.detections / self.touched if self.touched else 1.0,
        )


def measure(reference: Sequence[Passage], detected: Sequence[Passage]) -> PassageMeasures:
    """Measures of ``detected`` against ``reference``.

    A detection counts towards a reference passage of the same pair if they share characters on both sides. Precision
    is 0 without detections, recall 0 without reference passages, granularity 1 if nothing is detected.
    """
    return _sum(_by_suspect(reference, detected).values()).measures()


def missed(reference: Sequence[Passage], detected: Sequence[Passage]) -> list[Passage]:
    """The reference passages that no detection overlaps, in order."""
    by_found = _by_pair(detected)
    return [r for r in reference if not any(_touch(r, f) for f in by_found.get((r.a, r.b), ()))]


def plagdet_interval(
    reference: Sequence[Passage], detected: Sequence[Passage], *, rounds: int = 1000, seed: int = 0
) -> Interval:
    """95 % bootstrap interval of plagdet; suspect documents are resampled with all their passages.

    Raises UserError if there are too few, or one, or if all are detected equally well.
    """
    sums = np.array([astuple(s) for s in _by_suspect(reference, detected).values()], np.float64)
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(rounds):
        whole = _Sums(*sums[rng.integers(0, len(sums), len(sums))].sum(axis=0).tolist())
        values.append(whole.measures().plagdet if whole.reference else float("nan"))
    return varying_interval(np.array(values))


def _sum(parts: Iterable[_Sums]) -> _Sums:
    total = _Sums()
    for part in parts:
        total += part
    return total


def _by_suspect(reference: Sequence[Passage], detected: Sequence[Passage]) -> dict[str, _Sums]:
    by_reference, by_found = _by_pair(reference), _by_pair(detected)
    sums: dict[str, _Sums] = {}
    for pair in sorted(by_reference.keys() | by_found.keys()):
        theirs, ours = by_reference.get(pair, []), by_found.get(pair, [])
        counts = [c for r in theirs if (c := sum(_touch(r, f) for f in ours))]
        part = _Sums(_covered(ours, theirs), len(ours), _covered(theirs, ours), len(theirs), sum(counts), len(counts))
        sums[pair[0]] = sums.get(pair[0], _Sums()) + part
    return sums


def _by_pair(passages: Iterable[Passage]) -> defaultdict[tuple[str, str], list[Passage]]:
    grouped: defaultdict[tuple[str, str], list[Passage]] = defaultdict(list)
    for p in passages:
        grouped[p.a, p.b].append(p)
    return grouped


def _touch(p: Passage, q: Passage) -> bool:
    return p.a_span.overlap(q.a_span) > 0 and p.b_span.overlap(q.b_span) > 0


def _covered(passages: Sequence[Passage], others: Sequence[Passage]) -> float:
    """Sum over ``passages`` of the share of their characters (both sides) covered by the overlapping ``others``."""
    total = 0.0
    for p in passages:
        near = [q for q in others if _touch(p, q)]
        size = p.a_span.end - p.a_span.start + p.b_span.end - p.b_span.start
        shared = _union(p.a_span, [q.a_span for q in near]) + _union(p.b_span, [q.b_span for q in near])
        total += shared / size if size else 0.0
    return total


def _union(within: Span, spans: Iterable[Span]) -> int:
    """Characters of ``within`` covered by any of ``spans``."""
    covered, reached = 0, within.start
    for s in sorted(spans):
        start, end = max(s.start, reached), min(s.end, within.end)
        if end > start:
            covered += end - start
            reached = end
    return covered
