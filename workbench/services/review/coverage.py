"""Parts of a whole, and how far two spans agree."""

from __future__ import annotations

from collections.abc import Sequence


def share(part: int, whole: int) -> float:
    """``part`` of ``whole`` as 0..1; 0 for an empty whole."""
    return min(1.0, part / whole) if whole > 0 else 0.0


def mutual_overlap(a: Sequence[int], b: Sequence[int]) -> float:
    """Shared characters of two spans, as a share of the longer one (0..1)."""
    shared = min(a[1], b[1]) - max(a[0], b[0])
    return share(max(0, shared), max(a[1] - a[0], b[1] - b[0]))
