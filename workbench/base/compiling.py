"""The time this process has spent compiling, which happens once per machine, so speed measurements exclude it."""

from __future__ import annotations

from collections.abc import Callable

_spent = [0.0]
_stopwatches: list[Callable[[bool], None]] = []


def spent() -> float:
    """Seconds since the process began."""
    return _spent[0]


def begin() -> None:
    """A compilation begins; called by the compiler."""
    for stopwatch in _stopwatches:
        stopwatch(True)


def end(seconds: float) -> None:
    """A compilation that took ``seconds`` has ended; called by the compiler."""
    _spent[0] += seconds
    for stopwatch in _stopwatches:
        stopwatch(False)


def follow(stopwatch: Callable[[bool], None]) -> None:
    """Call ``stopwatch`` with True when a compilation begins, and with False when it has ended."""
    _stopwatches.append(stopwatch)


def unfollow(stopwatch: Callable[[bool], None]) -> None:
    """Stop calling ``stopwatch``."""
    _stopwatches.remove(stopwatch)
