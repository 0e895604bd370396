"""Counts of damaged data that the program left out, in any project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_COUNTING: list[dict[str, int]] = []


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Counts what is left out of any project from here on, by reason."""
    counts: dict[str, int] = {}
    _COUNTING.append(counts)
    try:
        yield counts
    finally:
        _COUNTING.remove(counts)


def count(reason: str, rows: int) -> None:
    """Count ``rows`` more that were left out for ``reason``."""
    for counts in _COUNTING:
        counts[reason] = counts.get(reason, 0) + rows
